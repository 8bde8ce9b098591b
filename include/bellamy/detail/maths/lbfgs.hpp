// Minimises a smooth function of a few dozen variables: limited-memory BFGS with a strong Wolfe line search
// (Nocedal, Wright: Numerical Optimization, algorithms 7.4, 3.5 and 3.6).
#ifndef BELLAMY_DETAIL_MATHS_LBFGS_HPP
#define BELLAMY_DETAIL_MATHS_LBFGS_HPP

#include <bellamy/detail/base/infinity.hpp>
#include <bellamy/detail/maths/dense.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Limits and tolerances.
struct lbfgs_options {
    int iterations = 60;
    size_t memory = 20;
    int evaluations_per_search = 12;
    /// Stops where an iteration lowers the value by less than this, or where every component of the gradient is smaller.
    double least_gain = 1e-7;
    double least_gradient = 1e-6;
};

/// The minimum, and the number of iterations.
struct lbfgs_outcome {
    double value = 0;
    int iterations = 0;
};

/// `function(x, gradient)` returns the value and writes the gradient; a value that is not finite counts as infinite.
template <class Function>
class lbfgs {
public:
    lbfgs(Function& function, std::vector<double>& x, const lbfgs_options& options)
        : function_(function), x_(x), options_(options), gradient_(x.size()), direction_(x.size()) {}

    /// Leaves the best point in `x`.
    lbfgs_outcome run() {
        lbfgs_outcome outcome;
        value_ = evaluate(x_, gradient_);
        if (!std::isfinite(value_)) return {.value = value_};
        for (; outcome.iterations < options_.iterations; ++outcome.iterations) {
            double largest = 0;
            for (const double g : gradient_) largest = (std::max)(largest, std::abs(g));
            if (largest < options_.least_gradient) break;
            set_direction();
            const double before = value_;
            if (!search(steps_.empty() ? first_step() : 1.0)) {
                if (steps_.empty()) break;
                steps_.clear();  // forgets the curvature and retries along the gradient
                changes_.clear();
                continue;
            }
            if (before - value_ < options_.least_gain) break;
        }
        outcome.value = value_;
        return outcome;
    }

private:
    double evaluate(const std::vector<double>& point, std::vector<double>& gradient) {
        const double value = function_(point, gradient);
        for (const double g : gradient)
            if (!std::isfinite(g)) return infinite;
        if (!std::isfinite(value)) return infinite;
        return value;
    }

    double first_step() const noexcept {
        double sum = 0;
        for (const double g : gradient_) sum += std::abs(g);
        return (std::min)(1.0, 1 / sum);
    }

    // The two-loop recursion: minus the gradient times the approximate inverse Hessian.
    void set_direction() {
        const size_t n = x_.size();
        for (size_t i = 0; i < n; ++i) direction_[i] = -gradient_[i];
        std::vector<double> alpha(steps_.size());
        for (size_t m = steps_.size(); m-- > 0;) {
            alpha[m] = dot(steps_[m].data(), direction_.data(), n) / dot(steps_[m].data(), changes_[m].data(), n);
            add_scaled(direction_.data(), changes_[m].data(), -alpha[m], n);
        }
        if (!steps_.empty()) {
            const auto& y = changes_.back();
            const double scale = dot(steps_.back().data(), y.data(), n) / dot(y.data(), y.data(), n);
            for (double& d : direction_) d *= scale;
        }
        for (size_t m = 0; m < steps_.size(); ++m) {
            const double beta = dot(changes_[m].data(), direction_.data(), n) / dot(steps_[m].data(), changes_[m].data(), n);
            add_scaled(direction_.data(), steps_[m].data(), alpha[m] - beta, n);
        }
        if (dot(direction_.data(), gradient_.data(), n) >= 0) {
            steps_.clear();
            changes_.clear();
            for (size_t i = 0; i < n; ++i) direction_[i] = -gradient_[i];
        }
    }

    struct trial {
        double step = 0;
        double value = 0;
        double slope = 0;
    };

    // Value and slope at this step along the direction.
    trial evaluate_step(double step) {
        point_ = x_;
        add_scaled(point_.data(), direction_.data(), step, x_.size());
        trial_gradient_.resize(x_.size());
        trial result{.step = step, .value = evaluate(point_, trial_gradient_), .slope = 0};
        result.slope = std::isfinite(result.value) ? dot(direction_.data(), trial_gradient_.data(), x_.size()) : infinite;
        return result;
    }

    // Minimum of the cubic through both ends, kept away from the ends.
    static double interpolate(const trial& a, const trial& b) noexcept {
        const double low = (std::min)(a.step, b.step);
        const double width = std::abs(b.step - a.step);
        double step = low + 0.5 * width;
        if (std::isfinite(a.value) && std::isfinite(b.value)) {
            const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
            const double square = d1 * d1 - a.slope * b.slope;
            if (square >= 0) {
                const double d2 = std::copysign(std::sqrt(square), b.step - a.step);
                step = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
            }
        }
        if (!std::isfinite(step)) step = low + 0.5 * width;
        return std::clamp(step, low + 0.1 * width, low + 0.9 * width);
    }

    // Line search for the strong Wolfe conditions.
    bool search(double step) {
        constexpr double decrease = 1e-4;
        constexpr double curvature = 0.9;
        const trial start{.step = 0, .value = value_, .slope = dot(direction_.data(), gradient_.data(), x_.size())};
        trial low = start;
        trial high;
        bool bracketed = false;
        std::vector<double> low_gradient = gradient_;
        for (int tries = 0; tries < options_.evaluations_per_search; ++tries) {
            const trial now = evaluate_step(bracketed ? interpolate(low, high) : step);
            const bool rises = !(now.value <= start.value + decrease * now.step * start.slope) || now.value >= low.value;
            if (rises && (low.step > 0 || bracketed || now.value > start.value + decrease * now.step * start.slope)) {
                high = now;
                bracketed = true;
                continue;
            }
            if (std::abs(now.slope) <= -curvature * start.slope) return accept(now, trial_gradient_);
            if (bracketed ? now.slope * (high.step - low.step) >= 0 : now.slope >= 0) {
                high = low;
                bracketed = true;
            }
            low = now;
            low_gradient = trial_gradient_;
            if (!bracketed) step *= 2.5;
        }
        return low.step > 0 && accept(low, low_gradient);
    }

    // Moves to the trial and remembers the step and the change of the gradient.
    bool accept(const trial& chosen, const std::vector<double>& gradient) {
        const size_t n = x_.size();
        std::vector<double> step(n);
        std::vector<double> change(n);
        for (size_t i = 0; i < n; ++i) {
            step[i] = chosen.step * direction_[i];
            change[i] = gradient[i] - gradient_[i];
            x_[i] += step[i];
        }
        if (dot(step.data(), change.data(), n) > 1e-10 * dot(change.data(), change.data(), n)) {
            if (steps_.size() == options_.memory) {
                steps_.erase(steps_.begin());
                changes_.erase(changes_.begin());
            }
            steps_.push_back(std::move(step));
            changes_.push_back(std::move(change));
        }
        value_ = chosen.value;
        gradient_ = gradient;
        return true;
    }

    Function& function_;
    std::vector<double>& x_;
    lbfgs_options options_;
    std::vector<double> gradient_;
    std::vector<double> direction_;
    std::vector<double> point_;
    std::vector<double> trial_gradient_;
    std::vector<std::vector<double>> steps_;
    std::vector<std::vector<double>> changes_;
    double value_ = 0;
};

/// Minimises from `x`, and leaves the best point there.
template <class Function>
lbfgs_outcome minimise(Function& function, std::vector<double>& x, const lbfgs_options& options = {}) {
    return lbfgs<Function>(function, x, options).run();
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
