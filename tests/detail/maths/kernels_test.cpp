#include <bellamy/detail/maths/kernels.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace bellamy::detail;

TEST_CASE("Matern 5/2 is one without a distance, and has the value of its formula") {
    CHECK(matern(0) == 1);
    for (const double d : {0.1, 1.0, 3.0}) {
        const double formula = (1 + std::sqrt(5.0) * d + 5 * d * d / 3) * std::exp(-std::sqrt(5.0) * d);
        CHECK(matern(d) == doctest::Approx(formula));
        CHECK(matern(-d) == matern(d));
    }
}

TEST_CASE("the derivative of Matern 5/2 by the logarithm of its length is that of its value") {
    constexpr double step = 1e-5;
    for (const double d : {0.0, 0.3, 1.0, 4.0})
        for (const double length : {0.5, 1.0, 7.0}) {
            const double r = root_five * d / length;
            const double above = matern(d / (length * std::exp(step)));
            const double below = matern(d / (length * std::exp(-step)));
            CHECK(matern_slope(r, std::exp(-r)) == doctest::Approx((above - below) / (2 * step)).epsilon(1e-6));
        }
}

TEST_CASE("deviations and anomalies are one at the same scale-out, but for what every scale-out has by itself") {
    CHECK(deviation_covariance(2, 2) == 1);
    CHECK(anomaly_covariance(2, 2) == doctest::Approx(1.3));
    for (const double u : {0.5, 1.9, 2.1, 9.0}) {
        CHECK(deviation_covariance(2, u) == doctest::Approx((1 + 0.5 * matern(2 * (2 - u))) / 1.5));
        CHECK(anomaly_covariance(2, u) == deviation_covariance(2, u));
    }
}

TEST_CASE("the squared exponential and the work trend fall with half the square of the distance in lengths") {
    CHECK(squared_exponential(2) == doctest::Approx(std::exp(-1.0)));
    CHECK(work_trend(3) == doctest::Approx(std::exp(-0.5)));
    CHECK(work_trend(-6) == doctest::Approx(std::exp(-2.0)));
}
