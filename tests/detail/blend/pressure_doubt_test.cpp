#include <bellamy/detail/blend/pressure_doubt.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

std::vector<history_context> two_contexts() { return {{.features = {0, 1}}, {.features = {2, -1}}}; }

}  // namespace

TEST_CASE("the pressure of a context is in doubt by what sets it apart from the nearest of the history") {
    const double once = 1 / std::sqrt(direction_precision);
    CHECK(pressure_doubt(two_contexts(), std::vector<double>{0, 1}) == 0);
    CHECK(pressure_doubt(two_contexts(), std::vector<double>{0, 2}) == doctest::Approx(once));
    CHECK(pressure_doubt(two_contexts(), std::vector<double>{5, 3}) == doctest::Approx(5 * once));
    CHECK(pressure_doubt({}, std::vector<double>{5, 3}) == 0);
}

TEST_CASE("the hypotheses of a doubted pressure lie around it as a normal distribution does") {
    double sum = 0;
    double mean = 0;
    double variance = 0;
    for (const auto& each : pressure_hypotheses(1.5)) {
        sum += each.share;
        mean += each.share * each.shift;
        variance += each.share * each.shift * each.shift;
    }
    CHECK(sum == doctest::Approx(1));
    CHECK(mean == doctest::Approx(0));
    // What lies beyond two deviations is left out.
    CHECK(std::sqrt(variance) == doctest::Approx(1.5).epsilon(0.05));
    REQUIRE(pressure_hypotheses(0).size() == 1);
    CHECK(pressure_hypotheses(0)[0].shift == 0);
    CHECK(pressure_hypotheses(0)[0].share == 1);
}
