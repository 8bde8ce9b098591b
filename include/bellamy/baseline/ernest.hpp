// Ernest (Venkataraman et al., NSDI'16), as the paper uses it: a non-negative fit to the runs of one context.
#ifndef BELLAMY_BASELINE_ERNEST_HPP
#define BELLAMY_BASELINE_ERNEST_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/baseline/curves.hpp>
#include <bellamy/detail/maths/subset_average.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

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
