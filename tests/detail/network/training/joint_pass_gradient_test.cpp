// Apart from joint_pass_test.cpp, because the pass takes long to compile for each scalar and dimensions.
#include "support/networks.hpp"
#include "support/varied_runs.hpp"

#include <bellamy/detail/network/training/joint_pass.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using support::varied_runs;

namespace {

constexpr dimensions odd{
    .encoding = 12, .encoder_hidden = 5, .code = 3, .scale_out_hidden = 7, .scale_out_code = 4, .head_hidden = 6};

void check_gradient(const std::vector<run>& history, double dropout, std::uint64_t seed) {
    CAPTURE(dropout);
    CAPTURE(seed);
    const auto set = detail::make_training_set<double, odd>(history);
    const auto subject = support::random_network<double, odd>(set.essential_count, seed);
    const auto runs = support::all_of(set.size());
    detail::joint_pass<double, odd> pass(set, subject.runtime.scaler, set.size(), dropout);
    // The same generator every time, so that dropout is a fixed choice and the loss a function of the parameters.
    const auto loss = [&](const std::vector<double>& parameters) {
        detail::random_generator random(17);
        return pass.forward(parameters.data(), runs, set.runtimes_s, random).total();
    };

    auto parameters = subject.parameters();
    std::vector<double> gradient(parameters.size(), std::nan(""));
    (void)loss(parameters);
    pass.backward(parameters.data(), gradient.data(), runs);

    double size = 0;
    for (const double each : gradient) size = (std::max)(size, std::abs(each));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        constexpr double step = 1e-5;
        const double at = parameters[i];
        parameters[i] = at + step;
        const double above = loss(parameters);
        parameters[i] = at - step;
        const double below = loss(parameters);
        parameters[i] = at;
        // A central difference is off by step^2 times a third derivative, and by 1e-16 times the loss over the step.
        CHECK_MESSAGE(std::abs((above - below) / (2 * step) - gradient[i]) <= 1e-7 * size, i);
    }
}

}  // namespace

TEST_CASE("the gradient is that of the loss by finite differences for other dimensions and any mix of runs") {
    for (const double dropout : {0.0, 0.3})
        for (const std::uint64_t seed : {1U, 2U}) check_gradient(varied_runs(), dropout, seed);
    auto no_optional = varied_runs();
    for (auto& each : no_optional) each.context.optional.clear();
    check_gradient(no_optional, 0.0, 3);
    auto no_essential = varied_runs();
    for (auto& each : no_essential) each.context.essential.clear();
    check_gradient(no_essential, 0.0, 4);
}
