#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/context/history.hpp>

#include <doctest/doctest.h>

#include <set>
#include "support/made_up_job.hpp"

using namespace bellamy;
using detail::configuration;

namespace {

// The product-limit estimate of Kaplan and Meier by its definition: at each time at which runs end, the part of those at
// risk (not ended and not killed before) that survives it.
double survival(const configuration& runs, double time) {
    std::vector<double> ends;
    for (std::size_t i = 0; i < runs.log_runtimes.size(); ++i)
        if (!runs.censored[i] && runs.log_runtimes[i] <= time) ends.push_back(runs.log_runtimes[i]);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    double alive = 1;
    for (const double end : ends) {
        double at_risk = 0;
        double ended = 0;
        for (std::size_t i = 0; i < runs.log_runtimes.size(); ++i) {
            if (runs.log_runtimes[i] >= end) at_risk += runs.weights[i];
            if (runs.log_runtimes[i] == end && !runs.censored[i]) ended += runs.weights[i];
        }
        alive *= 1 - ended / at_risk;
    }
    return alive;
}

struct naive_median {
    double value = 0;
    bool only_censored = true;
};

// The first time that less than half survives; where exactly half survives for a while, the middle of that while.
naive_median product_limit_median(const configuration& runs) {
    std::vector<double> ends;
    for (std::size_t i = 0; i < runs.log_runtimes.size(); ++i)
        if (!runs.censored[i]) ends.push_back(runs.log_runtimes[i]);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const double alive = survival(runs, ends[i]);
        if (std::abs(alive - 0.5) < 1e-9)
            return {.value = i + 1 < ends.size() ? 0.5 * (ends[i] + ends[i + 1]) : ends[i], .only_censored = false};
        if (alive < 0.5) return {.value = ends[i], .only_censored = false};
    }
    return {.value = *std::max_element(runs.log_runtimes.begin(), runs.log_runtimes.end()) + detail::beyond_bound};
}

configuration made_of(std::vector<double> log_runtimes, std::vector<double> weights, std::vector<bool> censored) {
    return {.log_runtimes = std::move(log_runtimes), .weights = std::move(weights), .censored = std::move(censored)};
}

}  // namespace

TEST_CASE("the median of weighted runs, some of them killed, is that of the product-limit estimate") {
    detail::random_generator random(1);
    int bounded = 0;
    for (int round = 0; round < 5000; ++round) {
        configuration runs;
        const std::size_t count = 1 + random.below(8);
        const bool equal_weights = random.below(2) == 0;
        const std::size_t killed = random.below(10);
        for (std::size_t i = 0; i < count; ++i) {
            // Few values, so that runs end, or are killed, at the same time.
            runs.log_runtimes.push_back(static_cast<double>(random.below(6)));
            runs.weights.push_back(equal_weights ? 1 : 0.1 + random.uniform());
            runs.censored.push_back(random.below(10) < killed);
        }
        CAPTURE(round);
        const auto expected = product_limit_median(runs);
        const auto found = median_of(runs);
        CHECK(found.only_censored == expected.only_censored);
        CHECK(found.value == doctest::Approx(expected.value));
        double repetitions = 0;
        double squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (runs.censored[i]) continue;
            repetitions += runs.weights[i];
            squares += runs.weights[i] * (runs.log_runtimes[i] - expected.value) * (runs.log_runtimes[i] - expected.value);
        }
        CHECK(found.repetitions == doctest::Approx(repetitions));
        CHECK(found.squares == doctest::Approx(squares));
        bounded += expected.only_censored ? 1 : 0;
    }
    CHECK(bounded > 500);
    CHECK(bounded < 4500);
}

TEST_CASE("a median of runs that all ended is the usual one") {
    CHECK(median_of(made_of({3, 1, 2}, {1, 1, 1}, {false, false, false})).value == 2);
    CHECK(median_of(made_of({4, 1, 2, 3}, {1, 1, 1, 1}, {false, false, false, false})).value == 2.5);
    CHECK(median_of(made_of({4, 1}, {3, 1}, {false, false})).value == 4);
}

TEST_CASE("a killed run counts as longer than its bound, and where most were killed the median is above all bounds") {
    CHECK(median_of(made_of({1, 2, 3}, {1, 1, 1}, {true, false, false})).value == 2.5);
    // Half of the runs survive the last end: the end itself, because nothing is known beyond.
    const auto half = median_of(made_of({1, 5}, {1, 1}, {false, true}));
    CHECK(half.value == 1);
    CHECK_FALSE(half.only_censored);
    const auto most = median_of(made_of({1, 5, 4}, {1, 1, 1}, {false, true, true}));
    CHECK(most.only_censored);
    CHECK(most.value == 5 + detail::beyond_bound);
    // At equal times the end comes first.
    CHECK(median_of(made_of({2, 2, 2}, {1, 1, 1}, {true, false, false})).value == 2);
}

TEST_CASE("runs are grouped by context in order of appearance and by scale-out, whatever order they come in") {
    detail::random_generator random(2);
    std::vector<run> history;
    for (int i = 0; i < 200; ++i) {
        auto one = support::made_up_run(10 * (1 + random.below(4)), static_cast<int>(1 + random.below(5)));
        one.runtime_s = 1 + random.uniform();
        one.weight = 0.5 * static_cast<double>(random.below(4));
        one.censored = random.below(5) == 0;
        history.push_back(one);
    }
    const auto view = detail::group_runs(history);
    std::vector<context> contexts;
    for (const auto& each : history)
        if (each.weight > 0 && std::find(contexts.begin(), contexts.end(), each.context) == contexts.end())
            contexts.push_back(each.context);
    REQUIRE(view.contexts.size() == contexts.size());
    std::size_t next = 0;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
        CHECK(*view.contexts[c] == contexts[c]);
        for (int x = 1; x <= 5; ++x) {
            configuration expected{.context = c, .scale_out = x};
            for (const auto& each : history) {
                if (!(each.weight > 0) || each.context != contexts[c] || each.scale_out != x) continue;
                expected.log_runtimes.push_back(std::log(each.runtime_s));
                expected.weights.push_back(each.weight);
                expected.censored.push_back(each.censored);
            }
            if (expected.weights.empty()) continue;
            REQUIRE(next < view.configurations.size());
            const auto& found = view.configurations[next++];
            CHECK(found.context == c);
            CHECK(found.scale_out == x);
            CHECK(found.log_runtimes == expected.log_runtimes);
            CHECK(found.weights == expected.weights);
            CHECK(found.censored == expected.censored);
        }
    }
    CHECK(next == view.configurations.size());
}

TEST_CASE("chosen contexts keep their points, which stand together and know their context") {
    detail::history_data all;
    for (std::size_t c = 0; c < 4; ++c) {
        all.contexts.push_back({.features = {static_cast<double>(c), 1}, .first = all.points.size(), .count = c + 1});
        for (std::size_t i = 0; i <= c; ++i)
            all.points.push_back(
                {.context = c, .scale_out = static_cast<double>(i + 1), .log_runtime = 10.0 * static_cast<double>(c)});
    }
    CHECK(all.features() == 2);
    CHECK(detail::history_data{}.features() == 0);
    const std::vector<std::size_t> chosen{3, 0, 2};
    const auto some = select_contexts(all, chosen);
    REQUIRE(some.contexts.size() == 3);
    CHECK(some.points.size() == 4 + 1 + 3);
    std::size_t first = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const auto& own = some.contexts[k];
        CHECK(own.features == all.contexts[chosen[k]].features);
        CHECK(own.first == first);
        REQUIRE(own.count == chosen[k] + 1);
        for (std::size_t i = 0; i < own.count; ++i) {
            const auto& point = some.points[own.first + i];
            CHECK(point.context == k);
            CHECK(point.scale_out == static_cast<double>(i + 1));
            CHECK(point.log_runtime == 10.0 * static_cast<double>(chosen[k]));
        }
        first += own.count;
    }
}

TEST_CASE("the kernels over scale-outs are what their names say") {
    for (const double d : {-2.0, -0.3, 0.0, 0.7, 5.0}) {
        CAPTURE(d);
        const double r = std::sqrt(5.0) * std::abs(d);
        CHECK(detail::matern(d) == doctest::Approx((1 + r + r * r / 3) * std::exp(-r)));
        CHECK(detail::work_trend(d) == doctest::Approx(std::exp(-0.5 * (d / 3) * (d / 3))));
        CHECK(detail::deviation_covariance(1, 1 + d) == doctest::Approx((2 + detail::matern(2 * d)) / 3));
        CHECK(detail::anomaly_covariance(1, 1 + d) - detail::deviation_covariance(1, 1 + d) ==
              doctest::Approx(d == 0 ? 0.3 : 0.0));
    }
}

TEST_CASE("runs contradict each other where two that ended, of one scale-out, are more than a factor of two apart") {
    detail::random_generator random(1);
    int contradictory = 0;
    for (int round = 0; round < 500; ++round) {
        std::vector<run> history;
        std::vector<std::uint32_t> contexts;
        for (int i = 0; i < 10; ++i) {
            contexts.push_back(static_cast<std::uint32_t>(random.below(3)));
            auto one = support::made_up_run(1 + contexts.back(), static_cast<int>(1 + random.below(4)));
            // Exactly a factor of two among them, which is none too many.
            one.runtime_s = std::array{10.0, 12.0, 20.0, 21.0}[random.below(4)];
            one.censored = random.below(4) == 0;
            history.push_back(one);
        }
        std::set<std::pair<std::uint32_t, int>> found;
        for (std::size_t i = 0; i < history.size(); ++i)
            for (std::size_t j = 0; j < history.size(); ++j)
                if (contexts[i] == contexts[j] && history[i].scale_out == history[j].scale_out && !history[i].censored &&
                    !history[j].censored && history[j].runtime_s > 2 * history[i].runtime_s)
                    found.insert({contexts[i], history[i].scale_out});
        CHECK(detail::count_contradictions(history, contexts) == found.size());
        for (std::uint32_t c = 0; c < 3; ++c) {
            std::vector<run> own;
            for (std::size_t i = 0; i < history.size(); ++i)
                if (contexts[i] == c) own.push_back(history[i]);
            const bool expected = std::any_of(found.begin(), found.end(), [&](const auto& each) { return each.first == c; });
            CHECK(detail::contradict_each_other(own) == expected);
            contradictory += expected ? 1 : 0;
        }
    }
    CHECK(contradictory > 100);
    CHECK(contradictory < 1400);
}
