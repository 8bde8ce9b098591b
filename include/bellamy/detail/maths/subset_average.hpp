// Non-negative least squares by Lawson and Hanson's active-set method, and averaged over all subsets of the unknowns.
#ifndef BELLAMY_DETAIL_MATHS_SUBSET_AVERAGE_HPP
#define BELLAMY_DETAIL_MATHS_SUBSET_AVERAGE_HPP

#include <bellamy/detail/maths/dense.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The active-set solver.
template <size_t Unknowns>
class non_negative_least_squares {
public:
    using row = std::array<double, Unknowns>;

    /// Rows of A and right-hand sides; as many of both, at least one.
    non_negative_least_squares(std::span<const row> rows, std::span<const double> right) : rows_(rows), right_(right) {}

    row solve() {
        row weights{};
        // Each round frees one variable; the bound guards against cycles by rounding.
        for (size_t round = 0; round < 10 * Unknowns; ++round) {
            std::array<bool, Unknowns> refused{};
            const auto gradient = gradient_at(weights);
            size_t entered = Unknowns;
            row candidate{};
            while (entered == Unknowns) {
                const size_t best = steepest(gradient, refused);
                if (best == Unknowns) return weights;
                free_[best] = true;
                if (unconstrained(candidate) && candidate[best] > 0) {
                    entered = best;
                } else {  // numerically dependent on the free columns
                    free_[best] = false;
                    refused[best] = true;
                }
            }
            while (!non_negative(candidate)) {
                step_back(weights, candidate);
                if (!unconstrained(candidate)) return weights;
            }
            weights = candidate;
        }
        return weights;
    }

private:
    row gradient_at(const row& weights) const noexcept {
        row gradient{};
        for (size_t i = 0; i < rows_.size(); ++i) {
            double residual = right_[i];
            for (size_t j = 0; j < Unknowns; ++j) residual -= rows_[i][j] * weights[j];
            for (size_t j = 0; j < Unknowns; ++j) gradient[j] += rows_[i][j] * residual;
        }
        return gradient;
    }

    size_t steepest(const row& gradient, const std::array<bool, Unknowns>& refused) const noexcept {
        double size = 0;
        for (size_t i = 0; i < rows_.size(); ++i)
            for (size_t j = 0; j < Unknowns; ++j) size = (std::max)(size, std::abs(rows_[i][j] * right_[i]));
        size_t best = Unknowns;
        double largest = 1e-12 * size;  // below this a gradient is rounding
        for (size_t j = 0; j < Unknowns; ++j) {
            if (free_[j] || refused[j] || !(gradient[j] > largest)) continue;
            largest = gradient[j];
            best = j;
        }
        return best;
    }

    bool non_negative(const row& weights) const noexcept {
        for (size_t j = 0; j < Unknowns; ++j)
            if (free_[j] && !(weights[j] > 0)) return false;
        return true;
    }

    // Moves from feasible weights towards the candidate until the first weight reaches zero, and fixes that one.
    void step_back(row& weights, const row& candidate) noexcept {
        double step = 1;
        size_t first = 0;
        for (size_t j = 0; j < Unknowns; ++j) {
            if (!free_[j] || candidate[j] > 0) continue;
            const double reach = weights[j] > 0 ? weights[j] / (weights[j] - candidate[j]) : 0;
            if (reach <= step) {
                step = reach;
                first = j;
            }
        }
        for (size_t j = 0; j < Unknowns; ++j) weights[j] += step * (candidate[j] - weights[j]);
        weights[first] = 0;
        free_[first] = false;
        for (size_t j = 0; j < Unknowns; ++j) {
            if (weights[j] <= 0) {
                weights[j] = 0;
                free_[j] = false;
            }
        }
    }

    // Least squares over the free columns by modified Gram-Schmidt; false when they are dependent.
    bool unconstrained(row& solution) const {
        std::array<std::vector<double>, Unknowns> q;
        std::array<row, Unknowns> r{};
        std::vector<double> rest(right_.begin(), right_.end());
        row projected{};
        std::vector<size_t> used;
        for (size_t j = 0; j < Unknowns; ++j) {
            if (!free_[j]) continue;
            std::vector<double> column;
            for (const auto& coefficients : rows_) column.push_back(coefficients[j]);
            const double before = std::sqrt(dot(column.data(), column.data(), column.size()));
            for (const size_t k : used) {
                r[k][j] = dot(q[k].data(), column.data(), column.size());
                add_scaled(column.data(), q[k].data(), -r[k][j], column.size());
            }
            const double after = std::sqrt(dot(column.data(), column.data(), column.size()));
            if (!(after > 1e-10 * before)) return false;
            for (double& value : column) value /= after;
            r[j][j] = after;
            projected[j] = dot(column.data(), rest.data(), rest.size());
            add_scaled(rest.data(), column.data(), -projected[j], rest.size());
            q[j] = std::move(column);
            used.push_back(j);
        }
        solution = {};
        for (auto j = used.rbegin(); j != used.rend(); ++j) {
            double value = projected[*j];
            for (const size_t k : used)
                if (k > *j) value -= r[*j][k] * solution[k];
            solution[*j] = value / r[*j][*j];
        }
        return true;
    }

    std::span<const row> rows_;
    std::span<const double> right_;
    std::array<bool, Unknowns> free_{};
};

/// The normal equations of weighted least squares, summed row by row.
template <size_t Unknowns>
struct normal_equations {
    using row = std::array<double, Unknowns>;
    std::array<row, Unknowns> products{};  // lower triangle of A'A
    row moments{};                         // A'b
    double squares = 0;                    // b'b
    double count = 0;

    void add(const row& coefficients, double right, double weight) noexcept {
        for (size_t i = 0; i < Unknowns; ++i) {
            for (size_t j = 0; j <= i; ++j) products[i][j] += weight * coefficients[i] * coefficients[j];
            moments[i] += weight * coefficients[i] * right;
        }
        squares += weight * right * right;
        count += 1;
    }
};

/// Least squares over a subset of the unknowns.
template <size_t Unknowns>
class subset_solution {
public:
    subset_solution(const normal_equations<Unknowns>& equations, unsigned subset) noexcept : squares_(equations.squares) {
        std::array<size_t, Unknowns> column{};
        for (size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) column[size_++] = j;
        std::array<std::array<double, Unknowns>, Unknowns> factor{};
        std::array<double, Unknowns> half{};
        for (size_t i = 0; i < size_; ++i) {
            half[i] = equations.moments[column[i]];
            for (size_t j = 0; j <= i; ++j) {
                double value = equations.products[column[i]][column[j]];
                for (size_t k = 0; k < j; ++k) value -= factor[i][k] * factor[j][k];
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
        for (size_t i = size_; i-- > 0;) {
            double value = half[i];
            for (size_t k = i + 1; k < size_; ++k) value -= factor[k][i] * values[column[k]];
            values[column[i]] = value / factor[i][i];
            is_non_negative_ = is_non_negative_ && values[column[i]] > 0;
        }
    }

    /// Whether all unknowns of the subset are positive; other solutions belong to a smaller subset.
    bool is_non_negative() const noexcept { return is_non_negative_; }
    size_t size() const noexcept { return size_; }
    /// Sum of squared residuals.
    double squares() const noexcept { return (std::max)(squares_, 0.0); }

    std::array<double, Unknowns> values{};

private:
    double squares_ = 0;
    size_t size_ = 0;
    bool is_non_negative_ = false;
};

/// The mean of the solutions of all subsets of `usable` (a set of bits), each weighed by e^p n^-m (s + f^2)^(-n/2), s its
/// mean square of n residuals, m its number of unknowns and p the sum of their `prior_log_odds`: the posterior probability
/// of a subset by an information criterion that charges twice as much for an unknown as Schwarz's (1978), because
/// extrapolation magnifies what is not needed. f is a `least_deviation` of the residuals. A subset has at most one unknown
/// and 0.6 per row. All zero where no subset has a non-negative solution. Cost: 2^unknowns small Cholesky factors.
template <size_t Unknowns>
std::array<double, Unknowns> average_over_subsets(const normal_equations<Unknowns>& equations, unsigned usable,
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
        for (size_t j = 0; j < Unknowns; ++j)
            if ((subset >> j & 1U) != 0) score += prior_log_odds[j];
        if (score > best) {
            const double shrink = std::exp(best - score);
            for (double& value : sum) value *= shrink;
            weights *= shrink;
            best = score;
        }
        const double weight = std::exp(score - best);
        for (size_t j = 0; j < Unknowns; ++j) sum[j] += weight * solution.values[j];
        weights += weight;
    }
    for (double& value : sum) value = weights > 0 ? value / weights : 0;
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
