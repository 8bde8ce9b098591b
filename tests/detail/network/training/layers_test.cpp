#include "support/compare.hpp"
#include "support/golden.hpp"

#include <bellamy/detail/network/training/layers.hpp>

using namespace bellamy::detail;

TEST_CASE_TEMPLATE("alpha dropout gives the golden values", Scalar, double, float) {
    // 1e-12 is demanded of double; float rounds numbers around 2 a few times.
    const double tolerance = std::is_same_v<Scalar, double> ? 1e-12 : 1e-6;
    const auto file = support::golden("alpha_dropout.json");
    const alpha_dropout<Scalar> dropout(file.at("p").get<double>());
    const auto keep = file.at("keep").get<std::vector<Scalar>>();
    auto values = file.at("input").get<std::vector<Scalar>>();
    dropout.forward(keep, std::span(values));
    CHECK(support::largest_difference(values, support::numbers(file.at("output"))) <= tolerance);
}

TEST_CASE("alpha dropout drops the share it is asked for and keeps mean and variance") {
    const alpha_dropout<double> dropout(0.2);
    random_generator random(11);
    constexpr std::size_t count = 100000;
    std::vector<double> mask(count);
    std::vector<double> values(count);
    for (double& each : values) each = random.normal();
    dropout.draw(random, std::span(mask));
    dropout.forward(mask, std::span(values));
    double kept = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        kept += mask[i] / count;
        sum += values[i] / count;
        squares += values[i] * values[i] / count;
    }
    // Four standard errors of n = 100000 samples; kurtosis adds a little to that of the variance.
    CHECK(kept == doctest::Approx(0.8).epsilon(0.01));
    CHECK(std::abs(sum) <= 0.015);
    CHECK(squares == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("vectorised activations are those of the network") {
    std::vector<double> inputs;
    for (double z = -30; z <= 30; z += 0.25) inputs.push_back(z);
    auto selus = inputs;
    auto tanhs = inputs;
    std::vector<float> float_tanhs(inputs.begin(), inputs.end());
    selu_forward<double>(selus);
    tanh_forward<double>(tanhs);
    tanh_forward<float>(float_tanhs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double z = inputs[i];
        CAPTURE(z);
        CHECK(std::abs(selus[i] - selu(z)) <= 1e-13);  // a few units in the last place of numbers up to 32
        CHECK(std::abs(tanhs[i] - std::tanh(z)) <= 1e-15);
        CHECK(std::abs(static_cast<double>(float_tanhs[i]) - std::tanh(z)) <= 5e-7);  // Eigen's rational approximation
    }
}
