// Baselines that learn from the runs of one context alone: Bell, and the runtime observed at the nearest scale-out.
#ifndef BELLAMY_BENCH_BASELINES_HPP
#define BELLAMY_BENCH_BASELINES_HPP

#include <bellamy/baseline/ernest.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace bench {

namespace detail {

/// Local linear regression with Gaussian weights and a ridge of 1e-12, inside the observed range; Ernest outside of it.
struct local_regression_curve {
    bellamy::detail::observed_scale_outs observed;
    double bandwidth = 1;
    bellamy::detail::ernest_curve outside;

    [[nodiscard]] double operator()(double scale_out) const noexcept {
        const auto points = observed.points();
        const bool is_inside = scale_out >= points.front().scale_out && scale_out <= points.back().scale_out;
        return is_inside ? inside(scale_out) : outside(scale_out);
    }

    // Cramer's rule with every difference taken of two scale-outs, never of two sums: as one point's weight dwarfs the
    // others, the 2 x 2 normal equations lose all digits.
    [[nodiscard]] double inside(double scale_out) const noexcept {
        constexpr double ridge = 1e-12;
        const auto points = observed.points();
        std::array<double, bellamy::detail::observed_scale_outs::capacity> weight{};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double distance = (scale_out - points[i].scale_out) / bandwidth;
            weight[i] = points[i].runs * std::exp(-0.5 * distance * distance);
        }
        double determinant = ridge * ridge;
        double value = 0;
        for (std::size_t j = 0; j < points.size(); ++j) {
            const double x = points[j].scale_out;
            const double y = weight[j] * points[j].mean_runtime_s;
            determinant += ridge * weight[j] * (1 + x * x);
            value += ridge * y * (1 + x * scale_out);
            for (std::size_t i = 0; i < points.size(); ++i) {
                const double distance = points[i].scale_out - x;
                value += weight[i] * y * distance * (points[i].scale_out - scale_out);
                if (i < j) determinant += weight[i] * weight[j] * distance * distance;
            }
        }
        return value / determinant;
    }
};

/// The mean runtime at the nearest observed scale-out; of two as near, the smaller one.
struct nearest_curve {
    bellamy::detail::observed_scale_outs observed;

    [[nodiscard]] double operator()(double scale_out) const noexcept {
        const auto points = observed.points();
        const auto* nearest = points.data();
        for (const auto& point : points)
            if (std::abs(point.scale_out - scale_out) < std::abs(nearest->scale_out - scale_out)) nearest = &point;
        return nearest->mean_runtime_s;
    }
};

/// Leave-one-out cross-validation over scale-outs: mean relative error at each inner scale-out in turn; the smallest and the
/// largest are never left out.
template <class Fit>
[[nodiscard]] double leave_one_scale_out_out(std::span<const bellamy::detail::observed_point> points,
                                             std::span<const bellamy::run> runs, const Fit& fit) {
    double errors = 0;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const double left_out = points[i].scale_out;
        const double predicted = fit(i);
        double relative = 0;
        for (const auto& run : runs)
            if (run.scale_out == static_cast<int>(left_out)) relative += std::abs(predicted - run.runtime_s) / run.runtime_s;
        errors += relative / points[i].runs;
    }
    return errors / static_cast<double>(points.size() - 2);
}

}  // namespace detail

/// Local linear regression with the best bandwidth of 1..100, or Ernest where that is at least as good, where there are
/// fewer than three distinct scale-outs, and outside the observed range. Allocates.
/// Errors: those of `ernest`.
[[nodiscard]] inline bellamy::result<bellamy::curve> bell(std::span<const bellamy::run> observed) {
    const auto points = bellamy::detail::observed_scale_outs::of(observed);
    if (!points) return points.error();
    const auto all = points->points();
    const auto interval = bellamy::detail::interval_of(*points);
    const auto ernest = bellamy::detail::fit_ernest(all);
    if (all.size() < 3) return bellamy::curve(ernest, interval, static_cast<std::uint32_t>(observed.size()));

    std::vector<bellamy::detail::observed_scale_outs> without;
    for (const auto& point : all) {
        std::vector<bellamy::run> rest;
        for (const auto& run : observed)
            if (run.scale_out != static_cast<int>(point.scale_out))
                rest.push_back({.scale_out = run.scale_out, .runtime_s = run.runtime_s});
        without.push_back(*bellamy::detail::observed_scale_outs::of(rest));
    }
    double lowest = detail::leave_one_scale_out_out(
        all, observed, [&](std::size_t i) { return bellamy::detail::fit_ernest(without[i].points())(all[i].scale_out); });
    double best_bandwidth = 0;
    for (int bandwidth = 1; bandwidth <= 100; ++bandwidth) {
        const double error = detail::leave_one_scale_out_out(all, observed, [&](std::size_t i) {
            return detail::local_regression_curve{without[i], static_cast<double>(bandwidth), ernest}.inside(
                all[i].scale_out);
        });
        if (error < lowest) {
            lowest = error;
            best_bandwidth = bandwidth;
        }
    }
    if (best_bandwidth == 0) return bellamy::curve(ernest, interval, static_cast<std::uint32_t>(observed.size()));
    return bellamy::curve(detail::local_regression_curve{*points, best_bandwidth, ernest}, interval,
                          static_cast<std::uint32_t>(observed.size()));
}

/// Errors: those of `ernest`.
[[nodiscard]] inline bellamy::result<bellamy::curve> nearest(std::span<const bellamy::run> observed) {
    const auto points = bellamy::detail::observed_scale_outs::of(observed);
    if (!points) return points.error();
    return bellamy::curve(detail::nearest_curve{*points}, bellamy::detail::interval_of(*points),
                          static_cast<std::uint32_t>(observed.size()));
}

}  // namespace bench

#endif
