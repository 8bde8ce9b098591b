#include <bellamy/detail/blend/growth_trend.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>

#include <bellamy/detail/context/features_fit.hpp>
#include <bellamy/pretrain.hpp>

#include <doctest/doctest.h>

#include <bellamy/detail/base/random.hpp>

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
    made.data = blend_fitting::points_of(view, made.features, fit_run_noise(view));
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

}  // namespace

TEST_CASE("the growth trend of exact runs is nearly their law, within what was seen and beyond") {
    for (const auto law : {overhead_and_work, +[](double s, double x) { return 0.004 * s + 0.1 * s / x; },
                           +[](double s, double x) { return 5 + 2 * x + 0.1 * s / x; }}) {
        const auto from = points_of(one_scale_out_each(law));
        const growth_trend trend(from.features, from.data);
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
    const growth_trend trend(from.features, from.data);
    const auto asked = from.features(run_of(1500, 8, 1).context);
    CHECK(trend(asked.values, std::log(8)) == doctest::Approx(std::log(0.5 * 145)).epsilon(0.02));
}

TEST_CASE("the growth trend counts all data where a size is that of one unit") {
    std::vector<run> history;
    for (const double each : {100.0, 300.0, 900.0})
        for (const int x : {2, 4, 8}) history.push_back(run_of(each, x, 7 + 0.1 * each * x, true));
    const auto from = points_of(history);
    const growth_trend trend(from.features, from.data);
    const auto asked = from.features(run_of(500, 16, 1, true).context);
    CHECK(std::abs(trend(asked.values, std::log(16)) - std::log(7 + 0.1 * 500 * 16)) < 0.15);
}

TEST_CASE("the growth trend stays within a factor of 100 of what it was fitted to, whatever it is asked") {
    const auto from = points_of(one_scale_out_each(overhead_and_work));
    const growth_trend trend(from.features, from.data);
    double highest = 0;
    for (const auto& each : from.data.points) highest = (std::max)(highest, each.log_runtime);
    CHECK(trend(std::vector{1e9}, 0) == doctest::Approx(highest + std::log(100)));
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
