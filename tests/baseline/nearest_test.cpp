#include "../../bench/support/baselines.hpp"
#include "../support/compare.hpp"
#include "observed_runs.hpp"

using namespace bellamy;

TEST_CASE("nearest answers the mean of the nearest scale-out, of two as near that of the smaller") {
    const auto fitted = bench::nearest(support::observed_runs({{10, 50}, {4, 100}, {4, 110}, {4, 105}, {6, 80}}));
    REQUIRE(fitted);
    const std::vector<std::pair<int, double>> expected{{1, 105}, {4, 105}, {5, 105}, {6, 80},
                                                       {7, 80},  {8, 80},  {9, 50},  {1000, 50}};
    // The running mean of three rounds.
    for (const auto& each : expected)
        CHECK_MESSAGE(std::abs(fitted->at(each.first).median_s - each.second) <= 1e-12 * each.second, "scale-out ",
                      each.first);
}
