#include <bellamy/detail/blend/growth_trend_fit.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>

#include <bellamy/detail/context/features_fit.hpp>
#include <bellamy/pretrain.hpp>

#include <doctest/doctest.h>

#include <bellamy/detail/base/random.hpp>

#include <algorithm>

using namespace bellamy;
using namespace bellamy::detail;

namespace {

run run_of(double size, int x, double runtime_s, bool per_unit = false) {
    auto data = quantity("size", size).with_role(property_role::data_size);
    data.scales_with_scale_out = per_unit;
    return {.context = {.essential = {data}}, .scale_out = x, .runtime_s = runtime_s};
}

struct points {
    feature_map features{};
    history_data data{};
};

points points_of(const std::vector<run>& history) {
    const auto view = group_runs(history);
    points made{.features = make_feature_map(view)};
    made.data = medians_of(view, made.features, fit_run_noise(view));
    return made;
}

// Sizes over two decades, each run at one scale-out.
std::vector<run> one_scale_out_each(double (*runtime_s)(double size, double x), double noise = 0) {
    random_generator random(3);
    std::vector<run> history;
    for (int i = 0; i < 24; ++i) {
        const double size = 1000 * std::pow(100, random.uniform());
        const int x = std::array{3, 5, 7, 10}[random.below(4)];
        history.push_back(run_of(size, x, runtime_s(size, x) * std::exp(noise * random.normal())));
    }
    return history;
}

double overhead_and_work(double size, double x) { return 20 + 0.05 * size / x; }
double memory_cliff(double size, double x) { return 15 + (size / x > 3000 ? 0.12 : 0.04) * size / x; }

double trend_of(const points& from, const growth_trend& trend, double size, int x) {
    return std::exp(trend(from.features(run_of(size, x, 1).context).values, std::log(x)));
}

}  // namespace

TEST_CASE("the growth trend of exact runs is nearly their law, within what was seen and beyond") {
    for (const auto law : {overhead_and_work, +[](double s, double x) { return 0.004 * s + 0.1 * s / x; },
                           +[](double s, double x) { return 5 + 2 * x + 0.1 * s / x; }}) {
        const auto from = points_of(one_scale_out_each(law));
        const auto trend = fit_growth_trend(from.features, from.data);
        for (const auto& beyond : {std::pair(4000.0, 5), std::pair(50'000.0, 2), std::pair(300'000.0, 24)}) {
            const double size = beyond.first;
            const int x = beyond.second;
            const auto asked = from.features(run_of(size, x, 1).context);
            CHECK(std::abs(trend(asked.values, std::log(x)) - std::log(law(size, x))) < 0.1);
        }
        for (const auto& left : trend.residual(from.data).points) CHECK(std::abs(left.log_runtime) < 0.02);
    }
}

TEST_CASE("of two runs the growth trend is work over units before it is anything else") {
    const auto from = points_of({run_of(1000, 4, 100), run_of(2000, 4, 190)});
    const auto trend = fit_growth_trend(from.features, from.data);
    const auto asked = from.features(run_of(1500, 8, 1).context);
    CHECK(trend(asked.values, std::log(8)) == doctest::Approx(std::log(0.5 * 145)).epsilon(0.02));
}

TEST_CASE("the growth trend counts all data where a size is that of one unit") {
    std::vector<run> history;
    for (const double each : {100.0, 300.0, 900.0})
        for (const int x : {2, 4, 8}) history.push_back(run_of(each, x, 7 + 0.1 * each * x, true));
    const auto from = points_of(history);
    const auto trend = fit_growth_trend(from.features, from.data);
    const auto asked = from.features(run_of(500, 16, 1, true).context);
    CHECK(std::abs(trend(asked.values, std::log(16)) - std::log(7 + 0.1 * 500 * 16)) < 0.15);
}

TEST_CASE("the growth trend stays within a factor of 10,000 of what it was fitted to, whatever it is asked") {
    const auto from = points_of(one_scale_out_each(overhead_and_work));
    const auto trend = fit_growth_trend(from.features, from.data);
    double highest = 0;
    for (const auto& each : from.data.points) highest = (std::max)(highest, each.log_runtime);
    CHECK(trend(std::vector{1e9}, 0) == doctest::Approx(highest + std::log(10'000)));
    CHECK(std::isfinite(trend(std::vector{-1e9}, std::log(1e6))));
    CHECK(std::isfinite(growth_trend{}(std::vector{0.0}, 0)));
}

TEST_CASE("a history of one scale-out for each size answers scale-outs and sizes never seen by how runtimes grow") {
    const auto trained = pretrain(one_scale_out_each(overhead_and_work, 0.03));
    REQUIRE(trained);
    for (const auto& beyond : {std::pair(40'000.0, 20), std::pair(40'000.0, 2), std::pair(200'000.0, 7)}) {
        const double size = beyond.first;
        const int x = beyond.second;
        const auto answer = trained->model.bind(run_of(size, x, 1).context)->at(x);
        CAPTURE(size);
        CAPTURE(x);
        CHECK(answer.median_s == doctest::Approx(overhead_and_work(size, x)).epsilon(0.1));
        CHECK(answer.interval_s(0.9).low_s < overhead_and_work(size, x));
        CHECK(answer.interval_s(0.9).high_s > overhead_and_work(size, x));
    }
}

TEST_CASE("where sizes hardly differed, the runtimes of far larger ones still grow with the size, and unsurely") {
    random_generator random(5);
    std::vector<run> history;
    for (int i = 0; i < 24; ++i) {
        const double size = 10'000 * (1 + 0.03 * (2 * random.uniform() - 1));
        const int x = std::array{2, 4, 8, 16}[static_cast<std::size_t>(i) % 4];
        history.push_back(run_of(size, x, overhead_and_work(size, x) * std::exp(0.03 * random.normal())));
    }
    const auto trained = pretrain(history);
    REQUIRE(trained);
    double before_s = 0;
    for (const double size : {10'000.0, 20'000.0, 50'000.0, 100'000.0}) {
        CAPTURE(size);
        const auto answer = trained->model.bind(run_of(size, 4, 1).context)->at(4);
        CHECK(answer.median_s > 1.5 * before_s);
        CHECK(answer.interval_s(0.9).low_s < overhead_and_work(size, 4));
        CHECK(answer.interval_s(0.9).high_s > overhead_and_work(size, 4));
        before_s = answer.median_s;
    }
}

TEST_CASE("without a memory property the pressure is the data size alone, and an unknown size leaves it open") {
    const auto from = points_of(one_scale_out_each(overhead_and_work));
    CHECK(from.features.has_pressure());
    CHECK(from.features(run_of(5000, 3, 1).context).pressure == doctest::Approx(std::log(5000)));
    const auto trained = pretrain(one_scale_out_each(overhead_and_work, 0.03));
    REQUIRE(trained);
    const auto open = trained->model.bind(context{.essential = {unknown("size")}});
    REQUIRE(open);
    const auto known = trained->model.bind(run_of(5000, 3, 1).context);
    CHECK(open->at(5).spread() > 2 * known->at(5).spread());
}

TEST_CASE("stragglers do not move the growth trend") {
    auto history = one_scale_out_each(overhead_and_work, 0.02);
    for (const std::size_t late : {2U, 11U, 17U}) history[late].runtime_s *= 1.8;
    const auto from = points_of(history);
    const auto trend = fit_growth_trend(from.features, from.data);
    for (const double size : {2000.0, 10'000.0, 60'000.0})
        for (const int x : {3, 5, 10})
            CHECK(trend_of(from, trend, size, x) == doctest::Approx(overhead_and_work(size, x)).epsilon(0.04));
}

TEST_CASE("beyond the largest scale-out the growth trend has no terms that the history does not need") {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        random_generator random(seed);
        std::vector<run> history;
        for (int i = 0; i < 30; ++i) {
            const double size = 1000 * std::pow(100, random.uniform());
            const int x = std::array{3, 5, 7, 10}[random.below(4)];
            history.push_back(run_of(size, x, overhead_and_work(size, x) * std::exp(0.03 * random.normal())));
        }
        const auto from = points_of(history);
        const auto trend = fit_growth_trend(from.features, from.data);
        for (const double size : {2000.0, 10'000.0, 60'000.0})
            CHECK(trend_of(from, trend, size, 20) == doctest::Approx(overhead_and_work(size, 20)).epsilon(0.08));
    }
}

TEST_CASE("the growth trend has a memory cliff where work per unit jumps, and only there") {
    const auto from = points_of(one_scale_out_each(memory_cliff, 0.03));
    const auto trend = fit_growth_trend(from.features, from.data);
    REQUIRE(trend.has_cliff());
    for (const auto& each : {std::pair(4000.0, 5), std::pair(9000.0, 10), std::pair(40'000.0, 5), std::pair(90'000.0, 10)})
        CHECK(trend_of(from, trend, each.first, each.second) ==
              doctest::Approx(memory_cliff(each.first, each.second)).epsilon(0.06));
    CHECK_FALSE(fit_growth_trend(points_of(one_scale_out_each(overhead_and_work, 0.03)).features,
                                 points_of(one_scale_out_each(overhead_and_work, 0.03)).data)
                    .has_cliff());
}

TEST_CASE("no memory cliff is looked for where contexts differ in more than their data size") {
    auto history = one_scale_out_each(memory_cliff, 0.03);
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].context.essential.push_back(text("machine_type", i % 2 == 0 ? "large" : "small"));
    const auto from = points_of(history);
    CHECK_FALSE(fit_growth_trend(from.features, from.data).has_cliff());
}

namespace {

bool may_be_on_either_side(const growth_trend& trend, const std::vector<double>& features, int scale_out) {
    const auto log_runtime = [&](double position) { return trend(features, std::log(scale_out), position); };
    return std::ranges::any_of(trend.cliff_positions(),
                               [&](double position) { return log_runtime(position) != log_runtime(0.5); });
}

}  // namespace

TEST_CASE("a run between the last seen before a memory cliff and the first beyond it may be on either side") {
    const auto history = one_scale_out_each(memory_cliff, 0.03);
    const auto from = points_of(history);
    const auto trend = fit_growth_trend(from.features, from.data);
    REQUIRE(trend.has_cliff());
    double below = 0;
    double beyond = 1e9;
    for (const auto& each : history) {
        const double work = *each.context.essential.front().value.quantity() / each.scale_out;
        (work > 3000 ? beyond : below) = work > 3000 ? (std::min)(beyond, work) : (std::max)(below, work);
    }
    const int x = 5;
    const double between = x * std::sqrt(below * beyond);
    CHECK(may_be_on_either_side(trend, from.features(run_of(between, x, 1).context).values, x));
    CHECK_FALSE(may_be_on_either_side(trend, from.features(run_of(x * below / 2, x, 1).context).values, x));

    const auto trained = pretrain(history);
    REQUIRE(trained);
    const auto answer = trained->model.bind(run_of(between, x, 1).context)->at(x).interval_s(0.9);
    CHECK(answer.low_s < 1.1 * (15 + 0.04 * between / x));
    CHECK(answer.high_s > 0.9 * (15 + 0.12 * between / x));
    const auto clear = trained->model.bind(run_of(x * below / 2, x, 1).context)->at(x).interval_s(0.9);
    CHECK(clear.high_s < 1.5 * clear.low_s);
}

TEST_CASE("among many runs a memory cliff lies between the last before it and the first beyond") {
    random_generator random(7);
    std::vector<run> history;
    double below = 0;
    double beyond = 1e9;
    for (int i = 0; i < 600; ++i) {
        const double size = 1000 * std::pow(100, random.uniform());
        const int x = std::array{3, 5, 7, 10}[random.below(4)];
        history.push_back(run_of(size, x, memory_cliff(size, x) * std::exp(0.03 * random.normal())));
        (size / x > 3000 ? beyond : below) = size / x > 3000 ? (std::min)(beyond, size / x) : (std::max)(below, size / x);
    }
    const auto from = points_of(history);
    const auto trend = fit_growth_trend(from.features, from.data);
    const auto on_either_side = [&](double work) {
        return may_be_on_either_side(trend, from.features(run_of(work, 1, 1).context).values, 1);
    };
    CHECK_FALSE(on_either_side(below * 0.9999));
    CHECK(on_either_side(below * 1.0001));
    CHECK(on_either_side(beyond * 0.9999));
    CHECK_FALSE(on_either_side(beyond * 1.0001));
}

TEST_CASE("stragglers are named where every context has a single run") {
    auto history = one_scale_out_each(overhead_and_work, 0.02);
    history[4].runtime_s *= 1.8;
    const auto trained = pretrain(history);
    REQUIRE(trained);
    const auto& found = trained->report.experts.improbable_runs;
    CHECK(std::any_of(found.begin(), found.end(), [](const auto& each) { return each.run == 4; }));
}

TEST_CASE("among machines whose memory is known a cliff lies where data do not fit into the memory of all") {
    const auto on_machine = [](std::uint64_t cores, std::uint64_t gb_per_core, int x) {
        const double slots = static_cast<double>(cores) * x;
        const bool fits = slots * static_cast<double>(gb_per_core) >= 150;
        return run{
            .context = {.essential = {natural("cores", cores).with_role(property_role::cores_per_node),
                                      natural("memory", cores * gb_per_core).with_role(property_role::memory_per_node),
                                      quantity("size", 100).with_role(property_role::data_size),
                                      text("machine", std::to_string(cores) + "x" + std::to_string(gb_per_core))
                                          .with_role(property_role::machine_type)}},
            .scale_out = x,
            .runtime_s = 20 + (fits ? 3000 : 9000) / slots};
    };
    std::vector<run> history;
    for (const std::uint64_t cores : {2U, 4U, 8U})
        for (const std::uint64_t gb_per_core : {2U, 4U, 8U})
            for (const int x : {4, 6, 8, 12, 16}) history.push_back(on_machine(cores, gb_per_core, x));
    const auto from = points_of(history);
    const auto trend = fit_growth_trend(from.features, from.data);
    REQUIRE(trend.has_cliff());
    for (const auto& asked : history) {
        const auto features = from.features(asked.context);
        CHECK(std::exp(trend(features.values, std::log(asked.scale_out * features.relative_cores))) ==
              doctest::Approx(asked.runtime_s).epsilon(0.1));
        // Half the data need half the memory.
        const auto shifted = trend.at_size_ratio(-std::log(2)).parameters();
        CHECK(shifted.cliff_lower == doctest::Approx(trend.parameters().cliff_lower + std::log(2)));
    }
}

TEST_CASE(
    "where the history has one size, work grows with the power 0.8 of the size, and what no cluster shortens with 0.6") {
    const auto trend = [](growth_terms coefficients) {
        return growth_trend({}, {.coefficients = coefficients, .half_log_range = 10});
    };
    const double log_ratio = std::log(8);
    const auto growth = [&](const growth_trend& of) {
        return (of.at_size_ratio(log_ratio)({}, std::log(16)) - of({}, std::log(16))) / log_ratio;
    };
    for (const std::size_t work : {1U, 4U}) {
        growth_terms coefficients{};
        coefficients[work] = 3;
        CHECK(growth(trend(coefficients)) == doctest::Approx(0.8));
    }
    for (const std::size_t rest : {0U, 2U, 3U, 5U}) {
        growth_terms coefficients{};
        coefficients[rest] = 3;
        CHECK(growth(trend(coefficients)) == doctest::Approx(0.6));
    }
    // Half work: the mean of both growths, which is not its logarithm's.
    CHECK(growth(trend({1, 16})) == doctest::Approx(std::log(0.5 * (std::pow(8, 0.8) + std::pow(8, 0.6))) / log_ratio));
    // The factor of 10,000 around the runtimes that the trend was fitted to moves with the work.
    const growth_trend narrow({}, {.coefficients = {1}});
    CHECK(narrow.at_size_ratio(20)({}, 0) == doctest::Approx(12));
    CHECK(narrow.at_size_ratio(100)({}, 0) == doctest::Approx(80 - std::log(10'000)));
}

TEST_CASE("the trend's law is in doubt beyond the largest scale-out alone, the more the farther, in one direction at all") {
    const std::vector<double> log_scale_outs{std::log(4), std::log(8), std::log(16), std::log(32)};
    matrix covariance(4, 4);
    add_trend_doubt(covariance, log_scale_outs, std::log(8));
    for (const std::size_t seen : {0U, 1U})
        for (std::size_t i = 0; i < 4; ++i) CHECK(covariance(seen, i) == 0);
    CHECK(std::sqrt(covariance(2, 2)) == doctest::Approx(0.06));
    CHECK(std::sqrt(covariance(3, 3)) == doctest::Approx(0.24));
    CHECK(covariance(2, 3) == doctest::Approx(0.06 * 0.24));
    CHECK(covariance(3, 2) == covariance(2, 3));
}
