// Interpolates unseen scale-outs, widening quantiles by the typical curvature.
#ifndef BELLAMY_DETAIL_BLEND_INTERPOLATION_HPP
#define BELLAMY_DETAIL_BLEND_INTERPOLATION_HPP

#include <bellamy/detail/blend/knots.hpp>
#include <bellamy/detail/context/history.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Largest ratio of neighbours that are interpolated between; beyond it the experts answer.
inline constexpr double widest_interpolation = 2.01;

/// Typical curvature between neighbouring scale-outs: a point's distance from the straight line over ln x between its two
/// neighbours, divided by the product of its distances to them. A standard deviation over the history, estimated by the
/// median because a few curves have cliffs; 0 without such points.
[[nodiscard]] inline double bend_of(const history_data& history) {
    std::vector<double> bends;
    for (const auto& own : history.contexts) {
        const auto points = std::span(history.points).subspan(own.first, own.count);
        for (std::size_t i = 1; i + 1 < points.size(); ++i) {
            const double left = std::log(points[i].scale_out / points[i - 1].scale_out);
            const double right = std::log(points[i + 1].scale_out / points[i].scale_out);
            const double line = (points[i - 1].log_runtime * right + points[i + 1].log_runtime * left) / (left + right);
            bends.push_back(std::abs(points[i].log_runtime - line) / (left * right));
        }
    }
    if (bends.empty()) return 0;
    const auto middle = bends.begin() + static_cast<std::ptrdiff_t>(bends.size() / 2);
    std::nth_element(bends.begin(), middle, bends.end());
    return *middle / 0.6744897501960817;  // median of |z|, z standard normal
}

/// Which knots are interpolated: those neither seen nor observed whose near neighbours on both sides were.
[[nodiscard]] inline std::vector<bool> interpolated_knots(std::span<const int> knots, std::span<const int> seen,
                                                          std::span<const int> observed) {
    const auto known = [&](int x) {
        return std::find(seen.begin(), seen.end(), x) != seen.end() ||
               std::find(observed.begin(), observed.end(), x) != observed.end();
    };
    std::vector<bool> marked(knots.size(), false);
    for (std::size_t i = 0; i < knots.size(); ++i) {
        if (known(knots[i])) continue;
        std::size_t below = i;
        while (below > 0 && !known(knots[below])) --below;
        std::size_t above = i;
        while (above + 1 < knots.size() && !known(knots[above])) ++above;
        marked[i] = known(knots[below]) && known(knots[above]) && knots[above] <= widest_interpolation * knots[below];
    }
    return marked;
}

/// Replaces the marked rows by interpolation of their neighbours, and widens them. Precondition: neither the first nor the
/// last is marked.
inline void interpolate(std::span<const int> knots, std::span<quantile_row> rows, const std::vector<bool>& marked,
                        double bend) {
    std::vector<int> kept;
    std::vector<quantile_row> kept_rows;
    for (std::size_t i = 0; i < knots.size(); ++i) {
        if (marked[i]) continue;
        kept.push_back(knots[i]);
        kept_rows.push_back(rows[i]);
    }
    const knot_table sure(kept, kept_rows);
    for (std::size_t i = 0; i < knots.size(); ++i) {
        if (!marked[i]) continue;
        const auto above = std::upper_bound(kept.begin(), kept.end(), knots[i]);
        const double x = knots[i];
        const double deviation = bend * std::log(x / *(above - 1)) * std::log(*above / x);
        rows[i] = sure.at(x);
        const double median = rows[i][quantile_deviates.size() / 2];
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            const double width = std::hypot(rows[i][k] - median, quantile_deviates[k] * deviation);
            rows[i][k] = median + std::copysign(width, quantile_deviates[k]);
        }
    }
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
