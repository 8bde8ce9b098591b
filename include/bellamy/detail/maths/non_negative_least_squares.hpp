// min |A w - b| over w >= 0 for a few unknowns: Lawson and Hanson's active-set method (1974), least squares by QR.
#ifndef BELLAMY_DETAIL_MATHS_NON_NEGATIVE_LEAST_SQUARES_HPP
#define BELLAMY_DETAIL_MATHS_NON_NEGATIVE_LEAST_SQUARES_HPP

#include <bellamy/detail/maths/dense.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The active-set solver.
template <std::size_t Unknowns>
class non_negative_least_squares {
public:
    using row = std::array<double, Unknowns>;

    /// Rows of A and right-hand sides; as many of both, at least one.
    non_negative_least_squares(std::span<const row> rows, std::span<const double> right) : rows_(rows), right_(right) {}

    [[nodiscard]] row solve() {
        row weights{};
        // Each round frees one variable; the bound guards against cycles by rounding.
        for (std::size_t round = 0; round < 10 * Unknowns; ++round) {
            std::array<bool, Unknowns> refused{};
            const auto gradient = gradient_at(weights);
            std::size_t entered = Unknowns;
            row candidate{};
            while (entered == Unknowns) {
                const std::size_t best = steepest(gradient, refused);
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
    [[nodiscard]] row gradient_at(const row& weights) const noexcept {
        row gradient{};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            double residual = right_[i];
            for (std::size_t j = 0; j < Unknowns; ++j) residual -= rows_[i][j] * weights[j];
            for (std::size_t j = 0; j < Unknowns; ++j) gradient[j] += rows_[i][j] * residual;
        }
        return gradient;
    }

    [[nodiscard]] std::size_t steepest(const row& gradient, const std::array<bool, Unknowns>& refused) const noexcept {
        double size = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t j = 0; j < Unknowns; ++j) size = (std::max)(size, std::abs(rows_[i][j] * right_[i]));
        std::size_t best = Unknowns;
        double largest = 1e-12 * size;  // below this a gradient is rounding
        for (std::size_t j = 0; j < Unknowns; ++j) {
            if (free_[j] || refused[j] || !(gradient[j] > largest)) continue;
            largest = gradient[j];
            best = j;
        }
        return best;
    }

    [[nodiscard]] bool non_negative(const row& weights) const noexcept {
        for (std::size_t j = 0; j < Unknowns; ++j)
            if (free_[j] && !(weights[j] > 0)) return false;
        return true;
    }

    // Moves from feasible weights towards the candidate until the first weight reaches zero, and fixes that one.
    void step_back(row& weights, const row& candidate) noexcept {
        double step = 1;
        std::size_t first = 0;
        for (std::size_t j = 0; j < Unknowns; ++j) {
            if (!free_[j] || candidate[j] > 0) continue;
            const double reach = weights[j] > 0 ? weights[j] / (weights[j] - candidate[j]) : 0;
            if (reach <= step) {
                step = reach;
                first = j;
            }
        }
        for (std::size_t j = 0; j < Unknowns; ++j) weights[j] += step * (candidate[j] - weights[j]);
        weights[first] = 0;
        free_[first] = false;
        for (std::size_t j = 0; j < Unknowns; ++j) {
            if (weights[j] <= 0) {
                weights[j] = 0;
                free_[j] = false;
            }
        }
    }

    // Least squares over the free columns by modified Gram-Schmidt; false when they are dependent.
    [[nodiscard]] bool unconstrained(row& solution) const {
        std::array<std::vector<double>, Unknowns> q;
        std::array<row, Unknowns> r{};
        std::vector<double> rest(right_.begin(), right_.end());
        row projected{};
        std::vector<std::size_t> used;
        for (std::size_t j = 0; j < Unknowns; ++j) {
            if (!free_[j]) continue;
            std::vector<double> column;
            for (const auto& coefficients : rows_) column.push_back(coefficients[j]);
            const double before = std::sqrt(dot(column.data(), column.data(), column.size()));
            for (const std::size_t k : used) {
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
            for (const std::size_t k : used)
                if (k > *j) value -= r[*j][k] * solution[k];
            solution[*j] = value / r[*j][*j];
        }
        return true;
    }

    std::span<const row> rows_;
    std::span<const double> right_;
    std::array<bool, Unknowns> free_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
