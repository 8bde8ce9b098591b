#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/exponentials.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace bellamy::detail;

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
