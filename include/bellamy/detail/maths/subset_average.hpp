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
    row gradient_at(const row& weights) const {
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

/// Least squares over all subsets of the unknowns, of at most 0.6 unknowns a row. Each subset is one without its last
/// unknown, with one more row of the Cholesky factor.
template <size_t Unknowns>
class subset_average {
public:
    using row = std::array<double, Unknowns>;

    /// `usable`: a bit for each unknown.
    subset_average(const normal_equations<Unknowns>& equations, unsigned usable, double least_deviation,
                   const row& prior_log_odds)
        : equations_(equations), usable_(usable), least_square_(least_deviation * least_deviation) {
        for (size_t j = 0; j < Unknowns; ++j) log_odds_[j] = prior_log_odds[j] - std::log(equations.count);
        extend(0, 0, equations.squares, 0);
        for (double& value : sum_) value = weights_ > 0 ? value / weights_ : 0;
    }
    const row& operator()() const { return sum_; }

private:
    // Adds each of the unknowns from `first` on to a subset of this size, sum of squared residuals and log-odds.
    void extend(size_t size, size_t first, double squares, double log_odds) {
        if (static_cast<double>(size) > 0.6 * equations_.count) return;
        for (size_t j = first; j < Unknowns; ++j) {
            if ((usable_ >> j & 1U) == 0) continue;
            auto& added = factor_[size];
            double square = equations_.products[j][j];
            double moment = equations_.moments[j];
            for (size_t k = 0; k < size; ++k) {
                double value = equations_.products[j][columns_[k]];
                for (size_t l = 0; l < k; ++l) value -= added[l] * factor_[k][l];
                added[k] = value * inverse_[k];
                square -= added[k] * added[k];
                moment -= added[k] * half_[k];
            }
            if (!(square > 1e-12 * equations_.products[j][j])) continue;  // dependent columns
            columns_[size] = j;
            inverse_[size] = 1 / std::sqrt(square);
            half_[size] = moment * inverse_[size];
            const double rest = squares - half_[size] * half_[size];
            add_solution(size + 1, rest, log_odds + log_odds_[j]);
            extend(size + 1, j + 1, rest, log_odds + log_odds_[j]);
        }
    }

    // Solutions with a value that is not positive belong to a smaller subset.
    void add_solution(size_t size, double squares, double log_odds) {
        row values{};
        for (size_t i = size; i-- > 0;) {
            double value = half_[i];
            for (size_t k = i + 1; k < size; ++k) value -= factor_[k][i] * values[k];
            values[i] = value * inverse_[i];
            if (!(values[i] > 0)) return;
        }
        const double mean_square = (std::max)(squares, 0.0) / equations_.count;
        const double score = log_odds - 0.5 * equations_.count * std::log(mean_square + least_square_);
        if (score > best_) {
            const double shrink = std::exp(best_ - score);
            for (double& value : sum_) value *= shrink;
            weights_ *= shrink;
            best_ = score;
        }
        const double weight = std::exp(score - best_);
        for (size_t i = 0; i < size; ++i) sum_[columns_[i]] += weight * values[i];
        weights_ += weight;
    }

    const normal_equations<Unknowns>& equations_;
    unsigned usable_;
    double least_square_;
    row log_odds_{};
    // Of the subset: its unknowns, the factor below its diagonal, the inverse of its diagonal, and what is solved forwards.
    std::array<size_t, Unknowns> columns_{};
    std::array<row, Unknowns> factor_{};
    row inverse_{};
    row half_{};
    row sum_{};
    double weights_ = 0;
    double best_ = -std::numeric_limits<double>::infinity();
};

/// The mean of the solutions of all subsets of `usable` (a set of bits), each weighed by e^p n^-m (s + f^2)^(-n/2), s its
/// mean square of n residuals, m its number of unknowns and p the sum of their `prior_log_odds`: the posterior probability
/// of a subset by an information criterion that charges twice as much for an unknown as Schwarz's (1978), because
/// extrapolation magnifies what is not needed. f is a `least_deviation` of the residuals. A subset has at most one unknown
/// and 0.6 per row. All zero where no subset has a non-negative solution. Cost: m^2 operations for each of 2^unknowns
/// subsets.
template <size_t Unknowns>
std::array<double, Unknowns> average_over_subsets(const normal_equations<Unknowns>& equations, unsigned usable,
                                                  double least_deviation,
                                                  const std::array<double, Unknowns>& prior_log_odds) {
    return subset_average<Unknowns>(equations, usable, least_deviation, prior_log_odds)();
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
