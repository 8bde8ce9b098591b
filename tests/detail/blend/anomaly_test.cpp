#include <bellamy/detail/blend/blend_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using support::made_up_context;
using support::made_up_history;
using support::made_up_run;
using support::made_up_runtime_s;

namespace {

constexpr std::uint64_t odd_gb = 60;

// Twice as slow as all others would have it, and zig-zag.
double odd_runtime_s(int scale_out) {
    return 2 * made_up_runtime_s(odd_gb, scale_out) * (scale_out % 4 == 0 ? 1.2 : 1 / 1.2);
}

std::vector<run> history_with_an_odd_context() {
    auto history = made_up_history(10, 3);
    for (auto& each : history)
        if (each.context == made_up_context(odd_gb)) each.runtime_s = odd_runtime_s(each.scale_out);
    return history;
}

double median_s(const detail::fitted_blend& of, std::uint64_t size_gb, int scale_out) {
    return std::exp(detail::quantile_at(of.bind(made_up_context(size_gb), {}).table.at(scale_out), 0));
}

// Exact contexts of many sizes, of which the first ones are `jumps` slower at the middle scale-out.
detail::history_data with_jumps(std::size_t contexts, std::initializer_list<double> jumps) {
    detail::history_data made;
    for (std::size_t c = 0; c < contexts; ++c) {
        const double size = static_cast<double>(c) - 0.5 * static_cast<double>(contexts - 1);
        made.contexts.push_back({.features = {0.5 * size}, .pressure = std::nan(""), .first = 3 * c, .count = 3});
        for (const double x : {2, 4, 8})
            made.points.push_back(
                {.context = c, .scale_out = x, .log_runtime = 5 + 0.3 * size - 0.6 * std::log(x), .variance = 1e-3});
    }
    std::size_t context = 0;
    for (const double each : jumps) made.points[3 * context++ + 1].log_runtime += each;
    return made;
}

constexpr auto searched = detail::process_objective::leave_context_out;

detail::gaussian_process_parameters usual_process(const detail::history_data& history) {
    const detail::process_fit fit(history, 0, searched);
    return fit.unpack(fit.centre());
}

std::vector<bool> found_in(detail::history_data history) {
    const bool any = detail::find_anomalies(history, 0, searched, usual_process(history));
    std::vector<bool> found;
    for (const auto& each : history.contexts) found.push_back(each.anomaly_variance > 0);
    CHECK(any == (std::count(found.begin(), found.end(), true) > 0));
    return found;
}

}  // namespace

TEST_CASE("a history without anomalies has none found") {
    const auto model = detail::fit_blend(made_up_history(10, 3));
    for (const auto& each : model.data().history.contexts) CHECK(each.anomaly_variance == 0);
}

TEST_CASE("of a history the anomalous context is found, and no other") {
    const auto model = detail::fit_blend(history_with_an_odd_context());
    const auto& contexts = model.data().history.contexts;
    REQUIRE(contexts.size() == 10);
    // In order of first appearance: 10, 20, .. gigabytes.
    for (std::size_t i = 0; i < contexts.size(); ++i) CHECK((contexts[i].anomaly_variance > 0) == (i == odd_gb / 10 - 1));
}

TEST_CASE("an anomalous context does not mislead what is said about its neighbours") {
    const auto model = detail::fit_blend(history_with_an_odd_context());
    for (const int x : {2, 6, 12})
        // A neighbour that is believed would be off by a factor of two; exact jobs are met within 5 % (see blend_test).
        CHECK(median_s(model, odd_gb + 3, x) == doctest::Approx(made_up_runtime_s(odd_gb + 3, x)).epsilon(0.05));
}

TEST_CASE("asked about itself, an anomalous context is known by its own runs") {
    const auto model = detail::fit_blend(history_with_an_odd_context());
    for (const int x : {2, 6, 12}) CHECK(median_s(model, odd_gb, x) == doctest::Approx(odd_runtime_s(x)).epsilon(0.05));
}

TEST_CASE("at most a quarter of the contexts are anomalous, the worst ones") {
    const auto none = [](std::size_t contexts) { return std::vector<bool>(contexts, false); };
    CHECK(found_in(with_jumps(8, {})) == none(8));
    CHECK(found_in(with_jumps(3, {1.5})) == none(3));
    auto first = none(4);
    first[0] = true;
    CHECK(found_in(with_jumps(4, {1.5})) == first);
    auto last_two = none(8);
    last_two[1] = last_two[2] = true;
    CHECK(found_in(with_jumps(8, {1.2, 2.5, 2})) == last_two);
}

TEST_CASE("a context is anomalous by the deviation that its points are likeliest under, once it beats none by the odds") {
    std::size_t anomalies = 0;
    for (int step = 0; step <= 30; ++step) {
        CAPTURE(step);
        auto history = with_jumps(5, {0.05 * step});
        const auto parameters = usual_process(history);
        double most = -1;
        double variance = 0;
        std::size_t worst = 0;
        const auto answers = detail::process_fit(history, 0, searched).without_each(parameters);
        for (std::size_t c = 0; c < 5; ++c) {
            const auto& own = history.contexts[c];
            const double usual = detail::log_density_of_points(history, own, {}, answers[c]);
            for (const double deviation : {0.04, 0.08, 0.16, 0.32, 0.64, 1.28}) {
                auto wider = answers[c];
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 3; ++j)
                        wider.covariance(i, j) +=
                            std::pow(deviation, 2) * detail::anomaly_covariance(std::log(2 << i), std::log(2 << j));
                const double gain = detail::log_density_of_points(history, own, {}, wider) - usual;
                if (gain <= most) continue;
                most = gain;
                variance = deviation * deviation;
                worst = c;
            }
        }
        // What an earlier search found does not count.
        for (auto& each : history.contexts) each.anomaly_variance = 0.5;
        CHECK(detail::find_anomalies(history, 0, searched, parameters) == (most > 4));
        for (std::size_t c = 0; c < 5; ++c)
            CHECK(history.contexts[c].anomaly_variance == doctest::Approx(most > 4 && c == worst ? variance : 0));
        if (most > 4) ++anomalies;
    }
    CHECK(anomalies > 5);
    CHECK(anomalies < 25);
}

TEST_CASE("nothing is anomalous under a process without a covariance") {
    auto history = with_jumps(8, {2});
    auto parameters = usual_process(history);
    parameters.amplitude[0] = std::nan("");
    CHECK_FALSE(detail::find_anomalies(history, 0, searched, parameters));
}
