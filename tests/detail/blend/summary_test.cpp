#include <bellamy/detail/blend/summary.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using support::made_up_context;
using support::made_up_history;
using support::made_up_run;

namespace {

// Contexts of so many points each; a point's log-runtime is its number.
detail::history_data numbered_points(const std::vector<std::size_t>& counts) {
    detail::history_data made;
    for (const std::size_t count : counts) {
        made.contexts.push_back({.features = {static_cast<double>(count)}, .first = made.points.size(), .count = count});
        for (std::size_t i = 0; i < count; ++i)
            made.points.push_back({.context = made.contexts.size() - 1,
                                   .scale_out = static_cast<double>(i + 1),
                                   .log_runtime = static_cast<double>(made.points.size())});
    }
    return made;
}

detail::history_summary summary_of(const std::vector<run>& history, const detail::blend_options& options = {}) {
    return detail::summarise(detail::group_runs(history), options);
}

}  // namespace

TEST_CASE("as many leading contexts are taken as have no more points than asked for, but at least one") {
    const auto all = numbered_points({3, 2, 4});
    const auto within = [&](std::size_t most) { return detail::contexts_within(all.contexts, most); };
    CHECK(within(0) == 1);
    CHECK(within(3) == 1);
    CHECK(within(4) == 1);
    CHECK(within(5) == 2);
    CHECK(within(8) == 2);
    CHECK(within(9) == 3);
    CHECK(within(100) == 3);
}

TEST_CASE("of a long curve points are kept evenly from the first to the last, a short one stays whole") {
    const auto some = detail::thinned(numbered_points({4, 11, 5, 2}), 4);
    REQUIRE(some.contexts.size() == 4);
    const std::vector<double> expected{0, 1, 2, 3, 4, 7, 10, 14, 15, 16, 17, 19, 20, 21};
    REQUIRE(some.points.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(some.points[i].log_runtime == expected[i]);
    std::size_t first = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        const auto& own = some.contexts[c];
        CHECK(own.first == first);
        CHECK(own.count == (c == 3 ? 2 : 4));
        for (std::size_t i = own.first; i < own.first + own.count; ++i) CHECK(some.points[i].context == c);
        first += own.count;
    }
    CHECK(some.contexts[1].features == std::vector<double>{11});
}

TEST_CASE("shuffled indices are all indices in an order that the seed decides") {
    const auto one = detail::shuffled_indices(20, 1);
    auto sorted = one;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < 20; ++i) CHECK(sorted[i] == i);
    CHECK(one != sorted);
    CHECK(one == detail::shuffled_indices(20, 1));
    CHECK(one != detail::shuffled_indices(20, 2));
}

TEST_CASE("a history is summarised by a median per configuration, its scale-outs and its range") {
    auto history = made_up_history(2);
    auto late = made_up_run(10, 4);
    for (const double factor : {2.0, 3.0}) {
        late.runtime_s = factor * support::made_up_runtime_s(10, 4);
        history.push_back(late);
    }
    const auto data = summary_of(history);
    const auto& view = data.view;
    const auto points = data.sample.history();
    CHECK(data.seen_scale_outs == std::vector<int>{2, 4, 6, 8, 10, 12});
    REQUIRE(points.contexts.size() == 2);
    REQUIRE(points.points.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        CAPTURE(i);
        const auto& point = points.points[i];
        const int x = data.seen_scale_outs[i % 6];
        CHECK(point.context == i / 6);
        CHECK(point.scale_out == x);
        const double median_s = (i == 1 ? 2 : 1) * support::made_up_runtime_s(10 * (i / 6 + 1), x);
        CHECK(point.log_runtime == doctest::Approx(std::log(median_s)));
        const auto median = detail::median_of(view.configurations[i]);
        CHECK(data.sample.points[i].inlier_variance == point.variance);
        CHECK(point.variance == detail::median_variance(median, data.noise.nearest(std::log(static_cast<double>(x)))));
    }
    for (std::size_t c = 0; c < 2; ++c) {
        CHECK(points.contexts[c].first == 6 * c);
        CHECK(points.contexts[c].count == 6);
        const auto features = data.features(*view.contexts[c]);
        CHECK(points.contexts[c].features == features.values);
        CHECK(points.contexts[c].pressure == features.pressure);
    }
    CHECK(data.range.lowest == doctest::Approx(std::log(support::made_up_runtime_s(10, 12))));
    CHECK(data.range.highest == doctest::Approx(std::log(2 * support::made_up_runtime_s(10, 4))));
    CHECK(data.curvature == detail::typical_curvature(points));
}

TEST_CASE("a history that is small enough is kept as it is") {
    const auto summary = summary_of(made_up_history(5), {.fitted_points = 30, .kept_points = 13});
    CHECK(summary.sample.points.size() == 30);
    CHECK(summary.fitted_contexts == 5);
    CHECK(summary.view_contexts == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("of a large history random contexts are kept with their own points") {
    const auto summary = summary_of(made_up_history(20), {.fitted_points = 29, .kept_points = 48, .seed = 5});
    auto order = detail::shuffled_indices(20, 5);
    order.resize(8);
    CHECK(summary.view_contexts == order);
    CHECK(summary.fitted_contexts == 4);
    const auto history = summary.sample.history();
    REQUIRE(history.contexts.size() == 8);
    REQUIRE(history.points.size() == 48);
    for (std::size_t c = 0; c < 8; ++c) {
        const std::uint64_t size_gb = 10 * (order[c] + 1);
        CHECK(history.contexts[c].features == summary.features(made_up_context(size_gb)).values);
        for (const auto& point : history.points_of(history.contexts[c]))
            CHECK(point.log_runtime ==
                  doctest::Approx(std::log(support::made_up_runtime_s(size_gb, static_cast<int>(point.scale_out)))));
    }
}

TEST_CASE("a slice of a sample has its contexts' points, numbered from its own first context") {
    const detail::history_sample sample(numbered_points({3, 2, 4, 1}));
    const auto slice = sample.slice(1, 2);
    REQUIRE(slice.contexts.size() == 2);
    REQUIRE(slice.points.size() == 6);
    CHECK(slice.contexts[1].first == 2);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(slice.points[i].point.context == (i < 2 ? 0 : 1));
        CHECK(slice.points[i].point.log_runtime == static_cast<double>(3 + i));
    }
}
