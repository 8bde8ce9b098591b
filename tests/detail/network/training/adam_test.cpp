#include "support/compare.hpp"
#include "support/golden.hpp"

#include <bellamy/detail/network/training/adam.hpp>

using bellamy::detail::adam;

TEST_CASE_TEMPLATE("Adam takes the golden steps", Scalar, double, float) {
    // 1e-12 is demanded of double; float adds a rounding of numbers up to 2 per step.
    const double tolerance = std::is_same_v<Scalar, double> ? 1e-12 : 1e-6;
    const auto file = support::golden("adam.json");
    auto parameters = file.at("start").get<std::vector<Scalar>>();
    adam<Scalar> optimiser(parameters.size(), file.at("weight_decay").get<Scalar>());
    for (const auto& step : file.at("steps")) {
        auto gradient = step.at("gradient").get<std::vector<Scalar>>();
        optimiser.step(parameters, gradient, file.at("learning_rate").get<Scalar>());
        CHECK(support::largest_difference(parameters, support::numbers(step.at("parameters"))) <= tolerance);
    }
}
