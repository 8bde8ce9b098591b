#include <bellamy/baseline/ernest.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/subset_average.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using detail::non_negative_least_squares;

namespace {

template <std::size_t Unknowns>
struct problem {
    std::vector<std::array<double, Unknowns>> rows{};
    std::vector<double> right{};
};

// By how much weights miss the conditions of Karush, Kuhn and Tucker, which a minimum of this convex problem has and nothing
// else: no weight is negative, the gradient is zero along positive weights, and points out of what is allowed along the
// others. As a part of the largest term that the gradient sums.
template <std::size_t Unknowns>
double violation(const problem<Unknowns>& given, const std::array<double, Unknowns>& weights) {
    double worst = 0;
    for (std::size_t j = 0; j < Unknowns; ++j) {
        double downhill = 0;
        double size = 0;
        for (std::size_t i = 0; i < given.rows.size(); ++i) {
            double residual = given.right[i];
            for (std::size_t k = 0; k < Unknowns; ++k) {
                residual -= given.rows[i][k] * weights[k];
                size = (std::max)(size, std::abs(given.rows[i][j] * given.rows[i][k] * weights[k]));
            }
            downhill += given.rows[i][j] * residual;
            size = (std::max)(size, std::abs(given.rows[i][j] * given.right[i]));
        }
        if (weights[j] < 0) return std::numeric_limits<double>::infinity();
        worst = (std::max)(worst, (weights[j] > 0 ? std::abs(downhill) : downhill) / size);
    }
    return worst;
}

template <std::size_t Unknowns>
problem<Unknowns> random_problem(detail::random_generator& random) {
    problem<Unknowns> made;
    const auto size = 1 + random.below(8);
    for (std::size_t i = 0; i < size; ++i) {
        for (double& each : made.rows.emplace_back()) each = random.normal();
        made.right.push_back(100 * random.normal());
    }
    return made;
}

// Ernest's terms at random scale-outs, some of them repeated; runtimes without any law.
problem<4> random_ernest(detail::random_generator& random) {
    problem<4> made;
    const auto size = 1 + random.below(8);
    for (std::size_t i = 0; i < size; ++i) {
        made.rows.push_back(detail::terms_at(static_cast<double>(1 + random.below(12))));
        made.right.push_back(1000 * std::abs(random.normal()));
    }
    return made;
}

// Sums of a few terms lose some digits, and Ernest's columns are nearly dependent.
constexpr double rounding_error = 1e-11;

template <class Make>
void check_minimal(const Make& make) {
    detail::random_generator random(3);
    for (int i = 0; i < 2000; ++i) {
        const auto given = make(random);
        const auto weights = non_negative_least_squares(std::span(std::as_const(given.rows)), given.right).solve();
        const double found = violation(given, weights);
        CHECK_MESSAGE(found <= rounding_error, "problem ", i);
    }
}

}  // namespace

TEST_CASE("non-negative least squares of any problem are non-negative and least") {
    check_minimal(random_problem<1>);
    check_minimal(random_problem<2>);
    check_minimal(random_problem<4>);
}

TEST_CASE("Ernest's weights of any runs are non-negative and fit them best") { check_minimal(random_ernest); }

TEST_CASE("the largest gradient enters first, which decides where several weights fit as well") {
    // 77 s at 6 nodes: all four terms fit; 6 of [1, 1/6, ln 6, 6] is the largest.
    const std::vector rows{detail::terms_at(6)};
    const std::vector right{77.0};
    const auto weights = non_negative_least_squares<4>(rows, right).solve();
    CHECK(weights[0] == 0);
    CHECK(weights[1] == 0);
    CHECK(weights[2] == 0);
    CHECK(weights[3] == doctest::Approx(77.0 / 6).epsilon(1e-14));  // one division
}

TEST_CASE("a column that depends on the others up to rounding is refused, however steep it is") {
    constexpr double little = 2e-11;
    const std::vector<std::array<double, 2>> rows{{2, 1 + little}, {2, 1 - little}, {2, 1 + little}, {2, 1 - little}};
    const std::vector<double> right{103, -97, 103, -97};
    const auto weights = non_negative_least_squares<2>(rows, right).solve();
    CHECK(weights[0] == doctest::Approx(1.5));
    CHECK(weights[1] == 0);
}

TEST_CASE("equal columns are solved") {
    const std::vector<std::array<double, 2>> rows{{1, 1}, {2, 2}, {3, 3}};
    const std::vector<double> right{2, 4, 6};
    const auto weights = non_negative_least_squares<2>(rows, right).solve();
    CHECK(weights[0] + weights[1] == doctest::Approx(2).epsilon(1e-14));  // three exact products, one division
}
