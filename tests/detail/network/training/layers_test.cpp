#include "support/compare.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>
#include <bellamy/detail/network/training/layers.hpp>
#include <initializer_list>

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

namespace {

template <class Scalar>
[[nodiscard]] std::vector<Scalar> random_values(std::size_t count, random_generator& random) {
    std::vector<Scalar> values(count);
    for (Scalar& each : values) each = static_cast<Scalar>(random.normal());
    return values;
}

// y = W x + b and both backward passes, number by number.
template <class Scalar, std::size_t In, std::size_t Out>
void check_linear_layer(const linear_layer<Scalar, In, Out, true>& layer, std::size_t inputs, std::size_t columns) {
    CAPTURE(inputs);
    CAPTURE(columns);
    random_generator random(3);
    REQUIRE(layer.parameter_count() == (inputs + 1) * Out);
    const auto w = random_values<Scalar>((inputs + 1) * Out, random);
    const auto x = random_values<Scalar>(inputs * columns, random);
    const auto dy = random_values<Scalar>(Out * columns, random);
    std::vector<double> y(Out * columns);
    std::vector<double> dw(w.size());
    std::vector<double> dx(x.size());
    for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t o = 0; o < Out; ++o) {
            y[c * Out + o] += w[inputs * Out + o];
            dw[inputs * Out + o] += dy[c * Out + o];
            for (std::size_t i = 0; i < inputs; ++i) {
                y[c * Out + o] += double{w[i * Out + o]} * double{x[c * inputs + i]};
                dw[i * Out + o] += double{dy[c * Out + o]} * double{x[c * inputs + i]};
                dx[c * inputs + i] += double{w[i * Out + o]} * double{dy[c * Out + o]};
            }
        }
    const double tolerance = std::is_same_v<Scalar, double> ? 1e-13 : 1e-4;  // of sums of up to 40 numbers around 1
    std::vector<Scalar> found(y.size());
    layer.forward(w.data(), x, found);
    CHECK(support::largest_difference(found, y) <= tolerance);
    found.assign(w.size(), Scalar(7));
    layer.backward_parameters(found.data(), x, dy);
    CHECK(support::largest_difference(found, dw) <= tolerance);
    found.assign(x.size(), Scalar(7));
    layer.backward_input(w.data(), dy, found);
    CHECK(support::largest_difference(found, dx) <= tolerance);
    // The gradient of the first input alone.
    found.assign(columns, Scalar(0));
    layer.add_backward_input(w.data(), dy, found);
    for (std::size_t c = 0; c < columns; ++c) CHECK(std::abs(double{found[c]} - dx[c * inputs]) <= tolerance);
}

}  // namespace

TEST_CASE_TEMPLATE("a linear layer is W x + b, forward and backward, for any widths and number of columns", Scalar, double,
                   float) {
    for (const std::size_t columns : {0U, 1U, 3U, 4U, 7U, 40U}) {
        check_linear_layer(linear_layer<Scalar, 40, 8, true>(), 40, columns);
        check_linear_layer(linear_layer<Scalar, 8, 40, true>(), 8, columns);
        check_linear_layer(linear_layer<Scalar, 5, 33, true>(), 5, columns);
        check_linear_layer(linear_layer<Scalar, 16, 1, true>(), 16, columns);
        check_linear_layer(linear_layer<Scalar, std::dynamic_extent, 6, true>(13), 13, columns);
    }
}

TEST_CASE("smooth L1 is quadratic up to one second and linear beyond, with the derivative to match") {
    struct row {
        double residual, loss, derivative;
    };
    for (const auto& each :
         {row{0, 0, 0}, row{0.5, 0.125, 0.5}, row{-0.5, 0.125, -0.5}, row{1, 0.5, 1}, row{3, 2.5, 1}, row{-3, 2.5, -1}}) {
        CAPTURE(each.residual);
        CHECK(smooth_l1(each.residual) == each.loss);
        CHECK(smooth_l1_derivative(each.residual) == each.derivative);
    }
}

TEST_CASE("a prediction above the time at which a run was killed is no error") {
    CHECK(residual_of(120.0, 100.0, true) == 0);
    CHECK(residual_of(80.0, 100.0, true) == -20);
    CHECK(residual_of(120.0, 100.0, false) == 20);
}
