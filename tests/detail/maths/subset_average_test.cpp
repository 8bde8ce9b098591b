#include <bellamy/detail/maths/subset_average.hpp>

#include <doctest/doctest.h>

#include <bellamy/detail/base/random.hpp>

using namespace bellamy::detail;

namespace {

// b = 2 + 3 u with noise; the third column is v, which b does not depend on, and the fourth is u again.
normal_equations<4> equations_of(int rows, double noise) {
    random_generator random(5);
    normal_equations<4> made;
    for (int i = 0; i < rows; ++i) {
        const double u = random.uniform();
        const double v = random.uniform();
        made.add({1, u, v, u}, 2 + 3 * u + noise * random.normal(), 1);
    }
    return made;
}

}  // namespace

TEST_CASE("averaged over subsets, exact data give their law and nothing to what they do not need") {
    const auto found = average_over_subsets(equations_of(20, 0), 0b0111, 1e-3, {});
    CHECK(found[0] == doctest::Approx(2).epsilon(1e-3));
    CHECK(found[1] == doctest::Approx(3).epsilon(1e-3));
    CHECK(found[2] < 1e-3);
    CHECK(found[3] == 0);
}

TEST_CASE("averaged over subsets, an unknown that noise alone asks for counts for little") {
    const auto equations = equations_of(20, 0.1);
    const auto found = average_over_subsets(equations, 0b0111, 1e-3, {});
    CHECK(found[0] + 0.5 * found[1] == doctest::Approx(3.5).epsilon(0.03));
    CHECK(found[2] < 0.05);
}

TEST_CASE("columns that depend on each other share what one of them explains") {
    const auto found = average_over_subsets(equations_of(20, 0), 0b1111, 1e-3, {});
    CHECK(found[1] + found[3] == doctest::Approx(3).epsilon(1e-3));
    CHECK(found[1] == doctest::Approx(found[3]));
}

TEST_CASE("of unknowns that explain the same, the one with the higher prior odds has the larger share by as much") {
    const auto found = average_over_subsets(equations_of(20, 0), 0b1111, 1e-3, {0, 0, 0, -1});
    CHECK(found[1] + found[3] == doctest::Approx(3).epsilon(1e-3));
    CHECK(found[3] / found[1] == doctest::Approx(std::exp(-1)).epsilon(1e-6));
}

TEST_CASE("no solution is negative") {
    normal_equations<2> falling;
    for (const double u : {1.0, 2.0, 3.0}) falling.add({1, u}, 5 - u, 1);
    const auto found = average_over_subsets(falling, 0b11, 1e-3, {});
    CHECK(found[0] > 2.5);
    CHECK(found[1] >= 0);
    normal_equations<1> below;
    below.add({1}, -1, 1);
    CHECK(average_over_subsets(below, 0b1, 1e-3, {})[0] == 0);
}
