// Bell (Thamsen et al., IPCCC'16): Ernest or local regression, whichever predicts left-out scale-outs better.
#ifndef BELLAMY_BASELINE_BELL_HPP
#define BELLAMY_BASELINE_BELL_HPP

#include <bellamy/baseline/ernest.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Leave-one-out cross-validation over scale-outs: mean relative error at each inner scale-out in turn; the smallest and the
/// largest are never left out.
template <class Fit>
[[nodiscard]] double leave_one_scale_out_out(std::span<const observed_point> points, std::span<const run> runs,
                                             const Fit& fit) {
    double errors = 0;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const double left_out = points[i].scale_out;
        const double predicted = fit(left_out);
        double relative = 0;
        for (const auto& run : runs)
            if (run.scale_out == static_cast<int>(left_out)) relative += std::abs(predicted - run.runtime_s) / run.runtime_s;
        errors += relative / points[i].runs;
    }
    return errors / static_cast<double>(points.size() - 2);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

namespace bellamy { inline namespace BELLAMY_ABI { namespace baseline {

/// Local linear regression with the best bandwidth of 1..100, or Ernest where that is at least as good, where there are
/// fewer than three distinct scale-outs, and outside the observed range. Allocates.
/// Errors: those of `ernest`.
[[nodiscard]] inline result<curve> bell(std::span<const run> observed) {
    const auto points = detail::observed_scale_outs::of(observed);
    if (!points) return points.error();
    const auto all = points->points();
    const auto interval = detail::interval_of(*points);
    const auto ernest = detail::fit_ernest(all);
    if (all.size() < 3) return curve(ernest, interval, static_cast<std::uint32_t>(observed.size()));

    double lowest = detail::leave_one_scale_out_out(all, observed, [&](double x) { return detail::fit_ernest(all, x)(x); });
    double best_bandwidth = 0;
    for (int bandwidth = 1; bandwidth <= 100; ++bandwidth) {
        const double error = detail::leave_one_scale_out_out(all, observed, [&](double x) {
            return detail::local_regression_curve{points->without(x), static_cast<double>(bandwidth), ernest}.inside(x);
        });
        if (error < lowest) {
            lowest = error;
            best_bandwidth = bandwidth;
        }
    }
    if (best_bandwidth == 0) return curve(ernest, interval, static_cast<std::uint32_t>(observed.size()));
    return curve(detail::local_regression_curve{*points, best_bandwidth, ernest}, interval,
                 static_cast<std::uint32_t>(observed.size()));
}

}}}  // namespace bellamy::BELLAMY_ABI::baseline

#endif
