#include "../../bench/support/decision_scores.hpp"

#include <doctest/doctest.h>

#include <vector>

using bench::regret_at;
using bench::sweep_point;

TEST_CASE("statements are binned by what was stated, and both means are those of the bin") {
    const std::vector<bench::stated_and_realised> statements{{0, 0.2}, {0.19, 0}, {0.2, 1}, {0.9, 1}, {0.8, 0.5}, {1, 0.75}};
    const auto bins = bench::reliability(statements);
    CHECK(bins[0].count == 2);
    CHECK(bins[0].stated == doctest::Approx(0.095));
    CHECK(bins[0].realised == doctest::Approx(0.1));
    CHECK(bins[1].count == 1);  // the lower end belongs to a bin
    CHECK(bins[1].stated == doctest::Approx(0.2));
    CHECK(bins[1].realised == 1);
    CHECK(bins[2].count == 0);
    CHECK(bins[2].realised == 0);
    CHECK(bins[4].count == 3);  // certainty belongs to the last
    CHECK(bins[4].stated == doctest::Approx(0.9));
    CHECK(bins[4].realised == doctest::Approx(0.75));
}

TEST_CASE("regret at a hit rate is linear between the settings around it") {
    const std::vector<sweep_point> sweep{{0.5, 0.4}, {0.7, 0.2}, {0.9, 0.3}};
    CHECK(*regret_at(sweep, 0.6) == doctest::Approx(0.3));
    CHECK(*regret_at(sweep, 0.85) == doctest::Approx(0.275));
    CHECK(*regret_at(sweep, 0.7) == doctest::Approx(0.2));
    CHECK(*regret_at(sweep, 0.5) == doctest::Approx(0.4));
    CHECK(*regret_at(sweep, 0.9) == doctest::Approx(0.3));
}

TEST_CASE("a hit rate that the sweep does not reach has no regret") {
    const std::vector<sweep_point> sweep{{0.5, 0.4}, {0.7, 0.2}};
    CHECK(!regret_at(sweep, 0.49));
    CHECK(!regret_at(sweep, 0.71));
    CHECK(!regret_at({}, 0.5));
    const std::vector<sweep_point> without_margin{{0.8, 0.6}};
    CHECK(*regret_at(without_margin, 0.8) == 0.6);
    CHECK(!regret_at(without_margin, 0.79));
}

TEST_CASE("where a sweep passes a hit rate several times, its least regret counts") {
    // A careful margin that pays more for the same: up to 0.8 and back.
    const std::vector<sweep_point> sweep{{0.6, 0.2}, {0.8, 0.1}, {0.6, 0.5}};
    CHECK(*regret_at(sweep, 0.7) == doctest::Approx(0.15));
    CHECK(*regret_at(sweep, 0.6) == doctest::Approx(0.2));
}
