#include <bellamy/detail/network/training/loss.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace bellamy::detail;

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
