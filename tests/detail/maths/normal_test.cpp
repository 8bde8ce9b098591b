#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/mixture.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

// Upper tail over density (Mills' ratio) by Laplace's continued fraction, evaluated from far inside; for z > 1.
double mills_ratio(double z) {
    double fraction = z;
    for (int k = 4000; k > 0; --k) fraction = z + k / fraction;
    return 1 / fraction;
}

double simpson_cdf(double z) {
    constexpr int steps = 2000;
    const double width = (z + 12) / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
        const double at = -12 + width * i;
        sum += (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * std::exp(-0.5 * at * at);
    }
    return sum * width / 3 / std::sqrt(2 * 3.14159265358979324);
}

double quantile_by_bisection(double p) {
    double low = -40;
    double high = 40;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

TEST_CASE("the normal distribution function is the integral of its density") {
    for (const double z : {-6.0, -2.5, -1.0, 0.0, 0.3, 1.7, 5.0}) {
        CAPTURE(z);
        CHECK(std::abs(normal_cdf(z) - simpson_cdf(z)) < 1e-11);
        CHECK(normal_density(z) == doctest::Approx(std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979324)));
    }
}

TEST_CASE("the logarithm of the normal distribution function is right far in the tail") {
    for (double z = -2; z > -1e4; z *= 1.03) {
        CAPTURE(z);
        const double expected = -0.5 * z * z - 0.5 * std::log(2 * 3.14159265358979324) + std::log(mills_ratio(-z));
        CHECK(std::abs(log_normal_cdf(z) - expected) <= 1e-13 * std::abs(expected) + 1e-9);
    }
    CHECK(log_normal_cdf(0) == doctest::Approx(std::log(0.5)));
    CHECK(log_normal_cdf(9) == doctest::Approx(0));
}

TEST_CASE("the inverse Mills ratio is the slope of the logarithm of the distribution function") {
    for (double z = -2; z > -1e3; z *= 1.1) {
        CAPTURE(z);
        CHECK(inverse_mills_ratio(z) == doctest::Approx(1 / mills_ratio(-z)).epsilon(1e-9));
    }
    for (const double z : {-1.0, 0.0, 1.0, 3.0}) {
        CAPTURE(z);
        CHECK(inverse_mills_ratio(z) ==
              doctest::Approx((log_normal_cdf(z + 1e-5) - log_normal_cdf(z - 1e-5)) / 2e-5).epsilon(1e-6));
    }
}

TEST_CASE("normal quantiles are right to 1.2e-9 of their size") {
    random_generator random(1);
    for (int i = 0; i < 2000; ++i) {
        // All sizes of probability, from both ends.
        const double tail = 0.5 * std::pow(10, -12 * random.uniform() * random.uniform());
        for (const double p : {tail, 1 - tail}) {
            CAPTURE(p);
            const double expected = quantile_by_bisection(p);
            // What a double near 1 cannot say of its distance from 1 is not the quantile's error.
            const double unsayable = p > 0.5 ? 2e-16 / normal_density(expected) : 1e-15;
            CHECK(std::abs(normal_quantile(p) - expected) <= 1.2e-9 * std::abs(expected) + unsayable);
        }
    }
}

TEST_CASE("normal quantiles are infinite at 0 and 1, and NaN outside") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CHECK(normal_quantile(0) == -infinity);
    CHECK(normal_quantile(1) == infinity);
    CHECK(normal_quantile(0.5) == 0);
    for (const double p : {-1e-300, 1 + 1e-15, infinity, std::nan("")}) CHECK(std::isnan(normal_quantile(p)));
}

TEST_CASE("the table of the normal distribution is right to 1e-8, and complete") {
    random_generator random(2);
    struct values {
        double cdf = 0;
        double density = 0;
    };
    const auto values_at = [](double z) {
        values result;
        normal_table::instance()(z, result.cdf, result.density);
        return result;
    };
    for (int i = 0; i < 20'000; ++i) {
        const double z = 18 * random.uniform() - 9;
        CAPTURE(z);
        const auto found = values_at(z);
        CHECK(std::abs(found.cdf - normal_cdf(z)) < 1e-8);
        CHECK(std::abs(found.density - normal_density(z)) < 5e-7);
    }
    for (const double z : {8.0, 1e300, std::numeric_limits<double>::infinity()}) {
        CHECK(values_at(z).cdf == 1);
        CHECK(values_at(z).density == 0);
        CHECK(values_at(-z).cdf == 0);
        CHECK(values_at(-z).density == 0);
    }
    CHECK(values_at(std::nextafter(8.0, 0.0)).cdf == doctest::Approx(1));
    CHECK(values_at(std::nextafter(-8.0, 0.0)).cdf == doctest::Approx(0));
}
