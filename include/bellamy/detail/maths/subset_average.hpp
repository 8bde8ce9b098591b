// Non-negative least squares averaged over the subsets of a few unknowns, by how well each explains the data for its size.
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

/// Sums of products of the rows of A and of b, from which least squares follow.
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
    subset_solution(const normal_equations<Unknowns>& from, unsigned subset) noexcept : squares_(from.squares) {
        std::array<std::size_t, Unknowns> at{};
        for (std::size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) at[size_++] = j;
        std::array<std::array<double, Unknowns>, Unknowns> factor{};
        std::array<double, Unknowns> half{};
        for (std::size_t i = 0; i < size_; ++i) {
            half[i] = from.moments[at[i]];
            for (std::size_t j = 0; j <= i; ++j) {
                double value = from.products[at[i]][at[j]];
                for (std::size_t k = 0; k < j; ++k) value -= factor[i][k] * factor[j][k];
                if (j < i) {
                    factor[i][j] = value / factor[j][j];
                    half[i] -= factor[i][j] * half[j];
                } else {
                    if (!(value > 1e-12 * from.products[at[i]][at[i]])) return;  // dependent columns
                    factor[i][i] = std::sqrt(value);
                }
            }
            half[i] /= factor[i][i];
            squares_ -= half[i] * half[i];
        }
        is_non_negative_ = true;
        for (std::size_t i = size_; i-- > 0;) {
            double value = half[i];
            for (std::size_t k = i + 1; k < size_; ++k) value -= factor[k][i] * values[at[k]];
            values[at[i]] = value / factor[i][i];
            is_non_negative_ = is_non_negative_ && values[at[i]] > 0;
        }
    }

    /// Whether there is a solution, all of it positive: the others are those of a smaller subset.
    [[nodiscard]] bool is_non_negative() const noexcept { return is_non_negative_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Of the residuals.
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
[[nodiscard]] std::array<double, Unknowns> average_over_subsets(const normal_equations<Unknowns>& from, unsigned usable,
                                                                double least_deviation,
                                                                const std::array<double, Unknowns>& prior_log_odds) {
    std::array<double, Unknowns> sum{};
    double weights = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (unsigned subset = usable; subset != 0; subset = (subset - 1) & usable) {
        const subset_solution<Unknowns> solution(from, subset);
        const auto size = static_cast<double>(solution.size());
        if (!solution.is_non_negative() || size > 1 + 0.6 * from.count) continue;
        double score = -size * std::log(from.count) -
                       0.5 * from.count * std::log(solution.squares() / from.count + least_deviation * least_deviation);
        for (std::size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) score += prior_log_odds[j];
        if (score > best) {
            const double shrink = std::exp(best - score);
            for (double& each : sum) each *= shrink;
            weights *= shrink;
            best = score;
        }
        const double weight = std::exp(score - best);
        for (std::size_t j = 0; j < Unknowns; ++j) sum[j] += weight * solution.values[j];
        weights += weight;
    }
    for (double& each : sum) each = weights > 0 ? each / weights : 0;
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
