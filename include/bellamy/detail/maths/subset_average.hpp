// Model averaging: non-negative least squares over all subsets of a few unknowns, weighted by an information criterion.
#ifndef BELLAMY_DETAIL_MATHS_SUBSET_AVERAGE_HPP
#define BELLAMY_DETAIL_MATHS_SUBSET_AVERAGE_HPP

#include <bellamy/detail/maths/dense.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The normal equations of weighted least squares, summed row by row.
template <std::size_t Unknowns>
struct normal_equations {
    using row = std::array<double, Unknowns>;
    std::array<row, Unknowns> products{};  // lower triangle of A'A
    row moments{};                         // A'b
    double squares = 0;                    // b'b
    double count = 0;

    void add(const row& coefficients, double right, double weight) noexcept {
        for (std::size_t i = 0; i < Unknowns; ++i) {
            for (std::size_t j = 0; j <= i; ++j) products[i][j] += weight * coefficients[i] * coefficients[j];
            moments[i] += weight * coefficients[i] * right;
        }
        squares += weight * right * right;
        count += 1;
    }
};

/// Least squares over a subset of the unknowns.
template <std::size_t Unknowns>
class subset_solution {
public:
    subset_solution(const normal_equations<Unknowns>& equations, unsigned subset) noexcept : squares_(equations.squares) {
        std::array<std::size_t, Unknowns> column{};
        for (std::size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) column[size_++] = j;
        std::array<std::array<double, Unknowns>, Unknowns> factor{};
        std::array<double, Unknowns> half{};
        for (std::size_t i = 0; i < size_; ++i) {
            half[i] = equations.moments[column[i]];
            for (std::size_t j = 0; j <= i; ++j) {
                double value = equations.products[column[i]][column[j]];
                for (std::size_t k = 0; k < j; ++k) value -= factor[i][k] * factor[j][k];
                if (j < i) {
                    factor[i][j] = value / factor[j][j];
                    half[i] -= factor[i][j] * half[j];
                } else {
                    if (!(value > 1e-12 * equations.products[column[i]][column[i]])) return;  // dependent columns
                    factor[i][i] = std::sqrt(value);
                }
            }
            half[i] /= factor[i][i];
            squares_ -= half[i] * half[i];
        }
        is_non_negative_ = true;
        for (std::size_t i = size_; i-- > 0;) {
            double value = half[i];
            for (std::size_t k = i + 1; k < size_; ++k) value -= factor[k][i] * values[column[k]];
            values[column[i]] = value / factor[i][i];
            is_non_negative_ = is_non_negative_ && values[column[i]] > 0;
        }
    }

    /// Whether all unknowns of the subset are positive; other solutions belong to a smaller subset.
    [[nodiscard]] bool is_non_negative() const noexcept { return is_non_negative_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Sum of squared residuals.
    [[nodiscard]] double squares() const noexcept { return (std::max)(squares_, 0.0); }

    std::array<double, Unknowns> values{};

private:
    double squares_ = 0;
    std::size_t size_ = 0;
    bool is_non_negative_ = false;
};

/// The mean of the solutions of all subsets of `usable` (a set of bits), each weighed by e^p n^-m (s + f^2)^(-n/2), s its
/// mean square of n residuals, m its number of unknowns and p the sum of their `prior_log_odds`: the posterior probability
/// of a subset by an information criterion that charges twice as much for an unknown as Schwarz's (1978), because
/// extrapolation magnifies what is not needed. f is a `least_deviation` of the residuals. A subset has at most one unknown
/// and 0.6 per row. All zero where no subset has a non-negative solution. Cost: 2^unknowns small Cholesky factors.
template <std::size_t Unknowns>
[[nodiscard]] std::array<double, Unknowns> average_over_subsets(const normal_equations<Unknowns>& equations, unsigned usable,
                                                                double least_deviation,
                                                                const std::array<double, Unknowns>& prior_log_odds) {
    std::array<double, Unknowns> sum{};
    double weights = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (unsigned subset = usable; subset != 0; subset = (subset - 1) & usable) {
        const subset_solution<Unknowns> solution(equations, subset);
        const auto size = static_cast<double>(solution.size());
        if (!solution.is_non_negative() || size > 1 + 0.6 * equations.count) continue;
        double score =
            -size * std::log(equations.count) -
            0.5 * equations.count * std::log(solution.squares() / equations.count + least_deviation * least_deviation);
        for (std::size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) score += prior_log_odds[j];
        if (score > best) {
            const double shrink = std::exp(best - score);
            for (double& value : sum) value *= shrink;
            weights *= shrink;
            best = score;
        }
        const double weight = std::exp(score - best);
        for (std::size_t j = 0; j < Unknowns; ++j) sum[j] += weight * solution.values[j];
        weights += weight;
    }
    for (double& value : sum) value = weights > 0 ? value / weights : 0;
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
