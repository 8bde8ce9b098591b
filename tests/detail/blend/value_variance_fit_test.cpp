#include <bellamy/detail/blend/value_variance_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy::detail;

namespace {

// Exactly known deviations of that size in both directions.
double variance_of(std::size_t values, double deviation, double variance = 1e-4) {
    std::vector<value_deviation> made;
    for (std::size_t i = 0; i < values; ++i)
        made.push_back({.deviation = i % 2 == 0 ? deviation : -deviation, .variance = variance});
    return between_values_variance(made);
}

}  // namespace

TEST_CASE("where no value was left out, the variance between values is the prior's") {
    // Mean of a half-t with 4 degrees of freedom and scale 0.3, below 3, by trapezoids.
    double sum = 0;
    double weighed = 0;
    for (double t = 0; t <= 3; t += 1e-4) {
        const double density = std::pow(1 + t * t / (4 * 0.09), -2.5);
        sum += density;
        weighed += density * t * t;
    }
    CHECK(between_values_variance({}) == doctest::Approx(weighed / sum).epsilon(0.02));
}

TEST_CASE("many values tell the variance between them, few share it with the prior") {
    CHECK(variance_of(40, 0.5) == doctest::Approx(0.25).epsilon(0.1));
    CHECK(variance_of(40, 0.05) == doctest::Approx(0.0025).epsilon(0.2));
    CHECK(variance_of(2, 0.05) > variance_of(40, 0.05));
    CHECK(variance_of(2, 0.05) < between_values_variance({}));
    CHECK(variance_of(2, 0.8) > between_values_variance({}));
}

TEST_CASE("deviations that the prediction's own variance explains are no variance between values") {
    CHECK(variance_of(20, 0.5, 0.25) < 0.5 * variance_of(20, 0.5));
}

TEST_CASE("a value is left out together with the features that stand for it") {
    // Three values, each a feature of its own and a level of its own; contexts and scale-outs differ in nothing else.
    history_data history;
    const std::array levels{0.0, 0.4, -0.4};
    for (std::size_t c = 0; c < 9; ++c) {
        const std::size_t value = c % 3;
        history_context own{.features = std::vector<double>(3, -0.5), .pressure = std::nan(""), .first = 2 * c, .count = 2};
        own.features[value] = 1;
        for (const double x : {2.0, 8.0})
            history.points.push_back(
                {.context = c, .scale_out = x, .log_runtime = 5 + levels[value] - 0.5 * std::log(x), .variance = 1e-4});
        history.contexts.push_back(std::move(own));
    }
    gaussian_process_parameters parameters{.mean = 4};
    parameters.amplitude[static_cast<std::size_t>(process_term::constant)] = 1;
    parameters.amplitude[static_cast<std::size_t>(process_term::level)] = 0.5;
    parameters.amplitude[static_cast<std::size_t>(process_term::shape)] = 1;
    parameters.level_lengths = parameters.joint_lengths = std::vector<double>(3, 1.0);
    std::vector<std::size_t> value_of;
    for (std::size_t c = 0; c < 9; ++c) value_of.push_back(c % 3);
    const std::array<std::size_t, 3> columns{0, 1, 2};
    const auto found = value_deviations(parameters, history, 0, value_of, columns, 3);
    REQUIRE(found.size() == 3);
    CHECK(found[0].deviation == doctest::Approx(0).epsilon(0.05));
    CHECK(found[1].deviation > 0.3);
    CHECK(found[2].deviation < -0.3);
    for (const auto& each : found) CHECK(each.variance > 0);
}
