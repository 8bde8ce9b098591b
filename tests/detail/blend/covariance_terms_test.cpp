#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/covariance_terms.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

std::vector<history_context> two_contexts() { return {{.features = {0, 1}}, {.features = {2, -1}}}; }

}  // namespace

TEST_CASE("the pressure of a context is uncertain by what sets it apart from the nearest of the history") {
    const double once = 1 / std::sqrt(direction_precision);
    CHECK(pressure_deviation(two_contexts(), std::vector<double>{0, 1}) == 0);
    CHECK(pressure_deviation(two_contexts(), std::vector<double>{0, 2}) == doctest::Approx(once));
    CHECK(pressure_deviation(two_contexts(), std::vector<double>{5, 3}) == doctest::Approx(5 * once));
    CHECK(pressure_deviation({}, std::vector<double>{5, 3}) == 0);
}

TEST_CASE("the hypotheses of an uncertain pressure lie around it as a normal distribution does") {
    double sum = 0;
    double mean = 0;
    double variance = 0;
    for (const auto& each : pressure_hypotheses(1.5)) {
        sum += each.probability;
        mean += each.probability * each.shift;
        variance += each.probability * each.shift * each.shift;
    }
    CHECK(sum == doctest::Approx(1));
    CHECK(mean == doctest::Approx(0));
    // What lies beyond two deviations is left out.
    CHECK(std::sqrt(variance) == doctest::Approx(1.5).epsilon(0.05));
    REQUIRE(pressure_hypotheses(0).size() == 1);
    CHECK(pressure_hypotheses(0)[0].shift == 0);
    CHECK(pressure_hypotheses(0)[0].probability == 1);
}

TEST_CASE("the pressure's term is Matern of the pressures' distance, near and farther than exponentials reach") {
    random_generator random(1);
    const std::vector<double> log_scale_outs{0, std::log(2), std::log(7), std::log(30), std::log(1e6)};
    for (const double length : {1e-3, 0.02, 0.3, 4.0, 50.0})
        for (const double slope : {-1.0, 0.0})
            for (int round = 0; round < 50; ++round) {
                const double gap = round == 0 ? 0 : random.normal() * (round % 5 == 0 ? 500 : 3);
                const double t = round % 2 == 0 ? log_scale_outs[2] : 10 * random.uniform();
                std::vector<double> found(log_scale_outs.size(), 1);
                const std::array rows{covariance_row{.covariances = found.data(), .log_scale_out = t, .materns = nullptr}};
                pressure_term(length, slope, log_scale_outs).add_to(rows, gap, 0.25);
                for (std::size_t k = 0; k < found.size(); ++k) {
                    CAPTURE(length);
                    CAPTURE(gap);
                    const double expected = 1 + 0.25 * matern((gap + slope * (t - log_scale_outs[k])) / length);
                    // Rounding of exponents up to 300.
                    CHECK(std::abs(found[k] - expected) < 1e-13);
                }
            }
}
