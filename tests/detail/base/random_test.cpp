#include "support/compare.hpp"

#include <bellamy/detail/base/random.hpp>

#include <numeric>
#include <vector>

using bellamy::detail::random_generator;

// Known answers, from a second implementation. Every trained model depends on these: changing them is a decision.

TEST_CASE("the same seed gives the same random bits everywhere") {
    random_generator zero(0);
    for (const std::uint64_t expected : {0x53175d61490b23dfU, 0x61da6f3dc380d507U, 0x5c0fdf91ec9a7bfcU, 0x02eebf8c3bbe5e1aU})
        CHECK(zero.bits() == expected);
    random_generator answer(42);
    for (const std::uint64_t expected : {0xd0764d4f4476689fU, 0x519e4174576f3791U, 0xfbe07cfb0c24ed8cU, 0xb37d9f600cd835b8U})
        CHECK(answer.bits() == expected);
}

TEST_CASE("uniform and normal numbers and shuffles follow from the bits") {
    random_generator uniform(0);
    CHECK(uniform.uniform() == 0.3245752680314067);
    CHECK(uniform.uniform() == 0.38223929651167343);

    random_generator normal(1);
    const std::vector drawn{normal.normal(), normal.normal(), normal.normal(), normal.normal()};
    const std::vector expected{0.7497765692000015, 0.5945638545653684, -0.42669737721760126, 0.26274935681340256};
    CHECK(support::largest_difference(drawn, expected) <= 1e-15);  // log and sqrt may differ in the last bit

    std::vector<int> order(10);
    std::iota(order.begin(), order.end(), 0);
    random_generator shuffling(7);
    shuffling.shuffle(std::span(order));
    CHECK(order == std::vector{3, 8, 9, 4, 6, 7, 2, 5, 1, 0});
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
    random_generator random(5);
    constexpr int count = 100000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; ++i) {
        const double value = random.normal();
        sum += value;
        squares += value * value;
    }
    // Four standard errors: 1/sqrt(n) of the mean, sqrt(2/n) of the variance.
    CHECK(std::abs(sum / count) <= 4 * std::sqrt(1.0 / count));
    CHECK(std::abs(squares / count - 1) <= 4 * std::sqrt(2.0 / count));
}

TEST_CASE("below stays below its bound and reaches all of it") {
    random_generator random(3);
    std::vector<int> seen(7);
    for (int i = 0; i < 1000; ++i) ++seen.at(random.below(seen.size()));
    for (const int count : seen) CHECK(count > 0);
}
