// Linear algebra as in a textbook, to compare with: Gauss-Jordan elimination with pivoting, and the density of a normal
// vector.
#ifndef BELLAMY_TESTS_SUPPORT_NAIVE_ALGEBRA_HPP
#define BELLAMY_TESTS_SUPPORT_NAIVE_ALGEBRA_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/dense.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace support {

struct inverse_and_determinant {
    bellamy::detail::matrix inverse{};
    double log_determinant = 0;  // ln |det|
};

[[nodiscard]] inline inverse_and_determinant invert(bellamy::detail::matrix a) {
    const std::size_t n = a.rows();
    bellamy::detail::matrix inverse(n, n);
    for (std::size_t i = 0; i < n; ++i) inverse(i, i) = 1;
    double log_determinant = 0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
        for (std::size_t j = 0; j < n; ++j) {
            std::swap(a(k, j), a(pivot, j));
            std::swap(inverse(k, j), inverse(pivot, j));
        }
        const double divisor = a(k, k);
        log_determinant += std::log(std::abs(divisor));
        for (std::size_t j = 0; j < n; ++j) {
            a(k, j) /= divisor;
            inverse(k, j) /= divisor;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = a(i, k);
            for (std::size_t j = 0; j < n; ++j) {
                a(i, j) -= factor * a(k, j);
                inverse(i, j) -= factor * inverse(k, j);
            }
        }
    }
    return {.inverse = std::move(inverse), .log_determinant = log_determinant};
}

/// ln of the normal density with mean 0.
[[nodiscard]] inline double log_normal_density(const std::vector<double>& at, const bellamy::detail::matrix& covariance) {
    const auto inverted = invert(covariance);
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = 0; j < at.size(); ++j) square += at[i] * inverted.inverse(i, j) * at[j];
    return -0.5 * (square + inverted.log_determinant + std::log(2 * 3.14159265358979324) * static_cast<double>(at.size()));
}

/// A'A of a random A, with `ridge` added to the diagonal.
[[nodiscard]] inline bellamy::detail::matrix random_covariance(std::size_t n, double ridge,
                                                               bellamy::detail::random_generator& random) {
    bellamy::detail::matrix factors(n, n);
    for (double& each : factors.values()) each = random.normal() / std::sqrt(static_cast<double>(n));
    bellamy::detail::matrix made(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) made(i, j) += factors(k, i) * factors(k, j);
            if (i == j) made(i, j) += ridge;
        }
    return made;
}

}  // namespace support

#endif
