#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/kernels.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <vector>

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

TEST_CASE("exponentials of numbers up to zero are those of the standard library, wherever a number stands") {
    random_generator random(1);
    std::vector<double> exact{0, -1, -700, -0.5 * std::log(2.0), -1.5 * std::log(2.0)};
    for (int i = 0; i < 20'000; ++i) exact.push_back(-std::pow(10, -12 + 14.8 * random.uniform()));
    for (std::size_t shift = 0; shift < 4; ++shift) {
        auto found = exact;
        exponentials(std::span(found).subspan(shift));
        for (std::size_t i = shift; i < exact.size(); ++i) {
            CAPTURE(exact[i]);
            const double expected = std::exp(exact[i]);
            REQUIRE(std::abs(found[i] - expected) <= 4e-16 * expected);
            double alone = exact[i];
            exponentials({&alone, 1});
            REQUIRE(alone == found[i]);
        }
    }
}

TEST_CASE("exponentials of what is too small are zero, and of no number none") {
    std::vector<double> x{-701, -1e300, -std::numeric_limits<double>::infinity(), std::nan(""), -0.0};
    exponentials(x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(x[i] == 0);
    CHECK(std::isnan(x[3]));
    CHECK(x[4] == 1);
}
