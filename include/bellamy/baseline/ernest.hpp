// Ernest (Venkataraman et al., NSDI'16), as the paper uses it: a non-negative fit to the runs of one context.
#ifndef BELLAMY_BASELINE_ERNEST_HPP
#define BELLAMY_BASELINE_ERNEST_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/maths/subset_average.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// The runs at one scale-out.
struct observed_point {
    double scale_out = 0;
    double runs = 0;
    double mean_runtime_s = 0;
};

/// The runs of one context by ascending scale-out; of bounded size, so that a curve can hold it inline.
class observed_scale_outs {
public:
    static constexpr size_t capacity = 64;

    /// Errors: empty_history, too_many_scale_outs, those of `validate`, which checks the context and the weight too.
    static result<observed_scale_outs> of(std::span<const run> runs) {
        if (runs.empty()) return fail(errc::empty_history, "expected at least one run, found none");
        observed_scale_outs all;
        for (const auto& run : runs) {
            if (auto valid = validate(run); !valid) return valid.error();
            const double x = run.scale_out;
            auto* point = std::find_if(all.begin(), all.end(), [=](const observed_point& p) { return p.scale_out >= x; });
            if (point == all.end() || point->scale_out > x) {
                if (all.size_ == capacity)
                    return fail(errc::too_many_scale_outs, "expected runs at no more than ", capacity,
                                " distinct scale-outs, found more");
                std::move_backward(point, all.end(), all.end() + 1);
                *point = {.scale_out = x};
                ++all.size_;
            }
            point->runs += 1;
            point->mean_runtime_s += (run.runtime_s - point->mean_runtime_s) / point->runs;
        }
        return all;
    }

    std::span<const observed_point> points() const noexcept { return {points_.data(), size_}; }

private:
    observed_point* begin() noexcept { return points_.data(); }
    observed_point* end() noexcept { return points_.data() + size_; }

    std::array<observed_point, capacity> points_{};
    size_t size_ = 0;
};

/// Ernest's terms: fixed work, work that divides, aggregation in a tree, aggregation per node.
inline std::array<double, 4> terms_at(double scale_out) noexcept {
    return {1, 1 / scale_out, std::log(scale_out), scale_out};
}

/// Runtime as a non-negative combination of Ernest's terms.
struct ernest_curve {
    std::array<double, 4> weights{};

    double operator()(double scale_out) const noexcept {
        const auto terms = terms_at(scale_out);
        double sum = 0;
        for (size_t i = 0; i < terms.size(); ++i) sum += weights[i] * terms[i];
        return sum;
    }
};

[[nodiscard]] inline ernest_curve fit_ernest(std::span<const observed_point> points) {
    std::vector<std::array<double, 4>> rows;
    std::vector<double> right;
    for (const auto& point : points) {
        // Least squares over the runs equal least squares over the means, weighted by the number of runs.
        const double weight = std::sqrt(point.runs);
        auto terms = terms_at(point.scale_out);
        for (double& term : terms) term *= weight;
        rows.push_back(terms);
        right.push_back(point.mean_runtime_s * weight);
    }
    return {.weights = non_negative_least_squares<4>(rows, right).solve()};
}

[[nodiscard]] inline scale_out_interval interval_of(const observed_scale_outs& observed) noexcept {
    const auto points = observed.points();
    return {.smallest = static_cast<int>(points.front().scale_out), .largest = static_cast<int>(points.back().scale_out)};
}

}  // namespace detail

namespace baseline {

/// Runtime = w1 + w2/x + w3 ln x + w4 x with weights >= 0, fitted by least squares. Allocates.
/// Errors: empty_history, invalid_runtime, invalid_scale_out, too_many_scale_outs, and others of `validate`.
inline result<curve> ernest(std::span<const run> observed) {
    const auto points = detail::observed_scale_outs::of(observed);
    if (!points) return points.error();
    return curve(detail::fit_ernest(points->points()), detail::interval_of(*points),
                 static_cast<std::uint32_t>(observed.size()));
}

}  // namespace baseline
}}  // namespace bellamy::BELLAMY_ABI

#endif
