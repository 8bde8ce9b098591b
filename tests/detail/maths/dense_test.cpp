#include <bellamy/detail/maths/dense.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/naive_algebra.hpp"

#include <algorithm>

using namespace bellamy::detail;

namespace {

matrix random_matrix(std::size_t rows, std::size_t columns, random_generator& random) {
    matrix made(rows, columns);
    for (double& each : made.values()) each = random.normal();
    return made;
}

matrix naive_product(const matrix& a, const matrix& b) {
    matrix made(a.rows(), b.columns());
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = 0; j < b.columns(); ++j)
            for (std::size_t k = 0; k < a.columns(); ++k) made(i, j) += a(i, k) * b(k, j);
    return made;
}

matrix transposed(const matrix& a) {
    matrix made(a.columns(), a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = 0; j < a.columns(); ++j) made(j, i) = a(i, j);
    return made;
}

// The upper triangle, which is all that a factor consists of.
matrix upper_of(const matrix& a) {
    matrix made(a.rows(), a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = i; j < a.rows(); ++j) made(i, j) = a(i, j);
    return made;
}

}  // namespace

TEST_CASE("a Cholesky factor times its transpose is the matrix, which is taken from the diagonal and above it") {
    random_generator random(1);
    for (std::size_t n = 1; n <= 8; ++n) {
        CAPTURE(n);
        const auto a = support::random_covariance(n, 0.1, random);
        auto factor = a;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) factor(i, j) = std::nan("");
        REQUIRE(factorise(factor));
        const auto upper = upper_of(factor);
        CHECK(support::largest_difference(naive_product(transposed(upper), upper).values(), a.values()) < 1e-12);
    }
}

TEST_CASE("what is not positive definite or not finite has no Cholesky factor") {
    const auto of = [](double first, double off, double second) {
        matrix a(2, 2);
        a(0, 0) = first;
        a(0, 1) = a(1, 0) = off;
        a(1, 1) = second;
        return factorise(a);
    };
    CHECK(of(1, 0.5, 1));
    CHECK_FALSE(of(0, 0, 1));
    CHECK_FALSE(of(-1, 0, 1));
    CHECK_FALSE(of(1, 2, 1));
    CHECK_FALSE(of(1, 1, 1));
    CHECK_FALSE(of(std::nan(""), 0, 1));
    CHECK_FALSE(of(std::numeric_limits<double>::infinity(), 0, 1));
}

TEST_CASE("triangular solves and the inverse by a factor are those of elimination") {
    random_generator random(2);
    for (std::size_t n = 1; n <= 8; ++n) {
        CAPTURE(n);
        const auto a = support::random_covariance(n, 0.1, random);
        const auto exact = support::invert(a).inverse;
        matrix factor;
        REQUIRE(factorise_with_jitter(a, factor) == 0);
        CHECK(support::largest_difference(inverse_of_factorised(factor).values(), exact.values()) < 1e-10);

        const auto upper = upper_of(factor);
        const auto right = random_matrix(n, 3, random);
        auto solved = right;
        solve_transposed(factor, solved);
        CHECK(support::largest_difference(naive_product(transposed(upper), solved).values(), right.values()) < 1e-12);

        const auto one = random_matrix(n, 1, random);
        auto half = one;
        solve_transposed(factor, half.values());
        CHECK(support::largest_difference(naive_product(transposed(upper), half).values(), one.values()) < 1e-12);
        auto other_half = one;
        solve_upper(factor, other_half.values());
        CHECK(support::largest_difference(naive_product(upper, other_half).values(), one.values()) < 1e-12);
    }
}

TEST_CASE("factors, solves and products of several rows and columns at a time have the bits of one row after the other") {
    random_generator random(7);
    for (std::size_t n = 1; n <= 27; ++n) {
        CAPTURE(n);
        const auto a = support::random_covariance(n, 0.1, random);
        const auto right = random_matrix(n, 1 + n % 17, random);
        auto expected = a;
        for (std::size_t k = 0; k < n; ++k) {
            const double root = std::sqrt(expected(k, k));
            expected(k, k) = root;
            for (std::size_t j = k + 1; j < n; ++j) expected(k, j) /= root;
            for (std::size_t i = k + 1; i < n; ++i)
                add_scaled(expected.row(i) + i, expected.row(k) + i, -expected(k, i), n - i);
        }
        auto solved = right;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < right.columns(); ++c) solved(i, c) /= expected(i, i);
            for (std::size_t j = i + 1; j < n; ++j)
                add_scaled(solved.row(j), solved.row(i), -expected(i, j), right.columns());
        }
        matrix product(n, right.columns(), 0.5);
        std::vector<double> sum(right.columns(), 0.25);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) add_scaled(product.row(i), right.row(k), -a(k, i), right.columns());
            add_scaled(sum.data(), right.row(k), a(0, k), right.columns());
        }

        auto factor = a;
        REQUIRE(factorise(factor));
        CHECK(std::ranges::equal(upper_of(factor).values(), upper_of(expected).values()));
        auto found = right;
        solve_transposed(factor, found);
        CHECK(std::ranges::equal(found.values(), solved.values()));
        auto packed = right;
        solve_transposed(upper_triangle(factor), packed);
        CHECK(std::ranges::equal(packed.values(), solved.values()));
        std::vector<double> whole(right.values().begin(), right.values().begin() + 1);
        whole.resize(n, 0.5);
        auto half = whole;
        solve_transposed(factor, std::span(whole));
        solve_upper(factor, std::span(whole));
        solve_transposed(upper_triangle(factor), std::span(half));
        solve_upper(upper_triangle(factor), std::span(half));
        CHECK(half == whole);
        matrix added(n, right.columns(), 0.5);
        add_product(added, a, right, -1);
        CHECK(std::ranges::equal(added.values(), product.values()));
        std::vector<double> combined(right.columns(), 0.25);
        add_combination(combined, right, a.row(0));
        CHECK(combined == sum);
        std::vector<double> last(1, 0.25);
        add_combination(last, right, a.row(0), right.columns() - 1);
        CHECK(last.front() == sum.back());
    }
}

TEST_CASE("the product of a transpose is added with its sign") {
    random_generator random(3);
    const auto a = random_matrix(4, 2, random);
    const auto b = random_matrix(4, 3, random);
    const auto before = random_matrix(2, 3, random);
    const auto product = naive_product(transposed(a), b);
    for (const double sign : {1.0, -1.0}) {
        auto c = before;
        add_product(c, a, b, sign);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j) CHECK(c(i, j) == doctest::Approx(before(i, j) + sign * product(i, j)));
    }
    auto once = before;
    add_product(once, a, b);
    CHECK(once(1, 2) == doctest::Approx(before(1, 2) + product(1, 2)));
}

TEST_CASE("rows stand one after the other") {
    matrix a(2, 3, 7);
    CHECK(a.rows() == 2);
    CHECK(a.columns() == 3);
    CHECK(a.values().size() == 6);
    CHECK(a(1, 2) == 7);
    a(1, 0) = 5;
    CHECK(a.row(1) == a.values().data() + 3);
}

TEST_CASE("a singular covariance is factorised with the least jitter that works, an indefinite one not at all") {
    random_generator random(4);
    // Two rows that are the same up to rounding of one part in 1e7, and a mean diagonal of 2.
    const auto nearly = [](double below) {
        matrix a(2, 2, 2);
        a(1, 1) -= below;
        return a;
    };
    matrix factor;
    const auto jitter_of = [&](double below) { return factorise_with_jitter(nearly(below), factor); };
    CHECK(jitter_of(-1) == 0);
    CHECK(support::relative_difference(jitter_of(3e-9), 2e-9) < 1e-6);
    CHECK(support::relative_difference(jitter_of(3e-7), 2e-7) < 1e-6);
    CHECK(support::relative_difference(jitter_of(3e-4), 2e-4) < 1e-3);
    CHECK(support::relative_difference(jitter_of(3e-3), 2e-3) < 1e-2);
    CHECK(jitter_of(3e-2) < 0);
    // The factor is that of the matrix with its jitter.
    const double jitter = jitter_of(3e-7);
    const auto upper = upper_of(factor);
    CHECK(naive_product(transposed(upper), upper)(1, 1) == doctest::Approx(2 - 3e-7 + jitter).epsilon(1e-14));
}
