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

double median_s(const detail::best_model& of, std::uint64_t size_gb, int scale_out) {
    return std::exp(detail::quantile_at(of.bind(made_up_context(size_gb), {}).table.at(scale_out), 0));
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
