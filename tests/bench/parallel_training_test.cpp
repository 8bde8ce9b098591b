#include "../../bench/support/regression.hpp"

#include <doctest/doctest.h>

using namespace bellamy;

TEST_CASE("local steps with a delayed average lose at most 3 % of synchronous training's loss") {
    const auto rows = bench::regression_rows::draw(4096, 5);
    const bench::regression_plan plan{.epochs = 15};
    const double synchronous = bench::synchronous_loss(rows, plan);
    // What is known of a mean alone costs more: mean and variance of the targets are about 0 and 3.
    CHECK(synchronous < 0.7);
    CHECK(synchronous > 0.4);
    const auto relative = [&](int period, int delay) {
        return bench::averaged_loss(rows, plan, {.workers = 4, .period = period, .delay = delay}, 2) / synchronous;
    };
    for (const auto& [period, delay] : {std::pair{4, 1}, {4, 2}, {4, 3}, {16, 8}}) CHECK(relative(period, delay) <= 1.03);
}

TEST_CASE("long periods lose at most 3 % where the network learns until the end, and more without slow momentum") {
    const auto rows = bench::regression_rows::draw(4096, 5, true);
    const bench::regression_plan plan{.epochs = 15};
    const double synchronous = bench::synchronous_loss(rows, plan);
    const auto relative = [&](std::optional<double> slow_momentum) {
        return bench::averaged_loss(rows, plan, {.workers = 4, .period = 16, .delay = 8, .slow_momentum = slow_momentum},
                                    2) /
               synchronous;
    };
    CHECK(relative({}) <= 1.03);
    CHECK(relative(0) > 1.03);
}
