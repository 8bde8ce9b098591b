// Quantiles of the runtime at a few scale-outs (knots), interpolated between them: what a bound curve of the blend holds.
#ifndef BELLAMY_DETAIL_BLEND_KNOTS_HPP
#define BELLAMY_DETAIL_BLEND_KNOTS_HPP

#include <bellamy/detail/context/history.hpp>
#include <bellamy/prediction.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr size_t most_knots = 40;

/// Log-runtimes stay below, so that seconds neither overflow nor become zero.
inline constexpr double largest_log_runtime = 700;

inline std::vector<int> sorted_distinct(std::vector<int> scale_outs) {
    sort_distinct(scale_outs);
    return scale_outs;
}

/// At most `most` of the scale-outs, evenly by rank, both ends included. Precondition: most >= 2.
inline std::vector<int> evenly_thinned(const std::vector<int>& scale_outs, size_t most) {
    if (scale_outs.size() <= most) return scale_outs;
    std::vector<int> kept;
    for (size_t i = 0; i < most; ++i) kept.push_back(scale_outs[i * (scale_outs.size() - 1) / (most - 1)]);
    return kept;
}

/// The geometric middle of the widest gap between knots from `lowest` to `highest`; 0 where no gap is wider than 1.13.
inline int middle_of_widest_gap(std::span<const int> knots, double lowest, double highest) noexcept {
    double widest = 1.13;
    int middle = 0;
    for (size_t i = 0; i + 1 < knots.size(); ++i) {
        if (knots[i + 1] - knots[i] < 2 || knots[i] < lowest || knots[i + 1] > highest) continue;
        const double ratio = static_cast<double>(knots[i + 1]) / knots[i];
        if (ratio <= widest) continue;
        widest = ratio;
        middle = static_cast<int>(std::lround(std::sqrt(static_cast<double>(knots[i]) * knots[i + 1])));
        middle = std::clamp(middle, knots[i] + 1, knots[i + 1] - 1);
    }
    return middle;
}

/// Knots at the observed scale-outs, at the seen ones as far as they fit, between them in steps of a factor of at most 1.13,
/// and beyond them from a sixteenth to sixteen times. Ascending, distinct, at least 1. Many scale-outs are thinned evenly.
inline std::vector<int> knot_scale_outs(std::span<const int> seen, std::span<const int> observed) {
    auto knots = evenly_thinned(sorted_distinct({observed.begin(), observed.end()}), most_knots / 2);
    auto seen_knots = seen.empty() ? knots : sorted_distinct({seen.begin(), seen.end()});
    if (seen_knots.empty()) seen_knots.push_back(1);
    const double lowest = knots.empty() ? seen_knots.front() : (std::min)(seen_knots.front(), knots.front());
    const double highest = knots.empty() ? seen_knots.back() : (std::max)(seen_knots.back(), knots.back());

    // The range and what lies far beyond first, because the number of knots is limited.
    std::vector<double> by_priority{
        lowest, highest, (std::max)(lowest / 4, 1.0), highest * 4, (std::max)(lowest / 16, 1.0), highest * 16};
    for (const int scale_out : evenly_thinned(seen_knots, 16)) by_priority.push_back(scale_out);
    for (const double scale_out : {lowest / 2, highest * 2, highest * 1.25, highest * 1.5, highest * 3})
        by_priority.push_back(scale_out);
    for (const double scale_out : by_priority) {
        if (knots.size() >= most_knots || scale_out < 1) continue;
        const int knot = static_cast<int>(std::lround(scale_out));
        const auto position = std::lower_bound(knots.begin(), knots.end(), knot);
        if (position == knots.end() || *position != knot) knots.insert(position, knot);
    }
    while (knots.size() < most_knots) {
        const int knot = middle_of_widest_gap(knots, lowest, highest);
        if (knot == 0) break;
        knots.insert(std::lower_bound(knots.begin(), knots.end(), knot), knot);
    }
    return knots;
}

/// Index of the knot nearest to a scale-out, the larger one of two. Precondition: at least one knot, ascending.
inline size_t nearest_knot(std::span<const int> knots, int scale_out) noexcept {
    const auto position = std::lower_bound(knots.begin(), knots.end(), scale_out);
    const size_t above = (std::min)(static_cast<size_t>(position - knots.begin()), knots.size() - 1);
    return above > 0 && scale_out - knots[above - 1] < knots[above] - scale_out ? above - 1 : above;
}

/// Quantiles of the log-runtime at the knots; between them the median follows a monotone cubic over ln x (Fritsch, Carlson
/// 1980) and the distances between quantiles straight lines, so that quantiles never cross. Beyond the knots the median
/// follows its last slope, and intervals are twice as wide for each further factor of four.
/// Holds its numbers inline; reading is noexcept and allocates nothing.
class knot_table {
public:
    knot_table() = default;

    /// Precondition: as many rows as scale-outs, 1 to `most_knots`, ascending scale-outs.
    knot_table(std::span<const int> scale_outs, std::span<const quantile_row> rows) noexcept : count_(scale_outs.size()) {
        for (size_t i = 0; i < count_; ++i) {
            log_scale_outs_[i] = std::log(scale_outs[i]);
            rows_[i] = rows[i];
        }
        compute_slopes();
    }

    /// Quantiles of the log-runtime at a scale-out.
    quantile_row at(double scale_out) const noexcept {
        const auto& x = log_scale_outs_;
        const double log_scale_out = std::log(scale_out);
        if (count_ == 0 || log_scale_out == x[0]) return rows_[0];
        if (log_scale_out < x[0]) return beyond(0, log_scale_out - x[0]);
        if (log_scale_out >= x[count_ - 1]) return beyond(count_ - 1, log_scale_out - x[count_ - 1]);
        size_t i = 1;
        while (x[i] < log_scale_out) ++i;
        if (x[i] - log_scale_out < 1e-12) return rows_[i];
        const double width = x[i] - x[i - 1];
        const double t = (log_scale_out - x[i - 1]) / width;
        const double s = 1 - t;
        const auto& left = rows_[i - 1];
        const auto& right = rows_[i];
        const double median = s * s * ((1 + 2 * t) * left[median_index] + t * width * slopes_[i - 1]) +
                              t * t * ((1 + 2 * s) * right[median_index] - s * width * slopes_[i]);
        quantile_row row{};
        for (size_t k = 0; k < row.size(); ++k)
            row[k] = median + s * (left[k] - left[median_index]) + t * (right[k] - right[median_index]);
        return row;
    }

    size_t count() const noexcept { return count_; }

    /// Makes medians non-increasing up to the turning point: the lowest knot from `smallest` to `largest`, or the last knot
    /// where that is at `largest`. Least squares weighted by inverse squared widths (pool adjacent violators: Ayer and
    /// others 1955); quantiles move with their median.
    void forbid_increase(int smallest, int largest) noexcept {
        struct block {
            double mean = 0;
            double weight = 0;
            size_t size = 0;
        };
        std::array<block, most_knots> blocks{};
        const size_t turning = turning_point(smallest, largest);
        size_t count = 0;
        for (size_t i = 0; i < count_ && i <= turning; ++i) {
            const double width = rows_[i][median_index + 2] - rows_[i][median_index - 2];
            blocks[count++] = {.mean = rows_[i][median_index], .weight = 1 / (width * width + 1e-12), .size = 1};
            for (; count > 1 && blocks[count - 1].mean > blocks[count - 2].mean; --count) {
                auto& left = blocks[count - 2];
                const auto& right = blocks[count - 1];
                left.mean = (left.mean * left.weight + right.mean * right.weight) / (left.weight + right.weight);
                left.weight += right.weight;
                left.size += right.size;
            }
        }
        size_t i = 0;
        for (size_t b = 0; b < count; ++b)
            for (size_t k = 0; k < blocks[b].size; ++k, ++i) {
                const double shift = blocks[b].mean - rows_[i][median_index];
                for (double& quantile : rows_[i]) quantile += shift;
            }
        compute_slopes();
    }

private:
    // At a distance from the first or the last knot.
    quantile_row beyond(size_t end, double distance) const noexcept {
        auto row = rows_[end];
        const double median = row[median_index];
        const double wider = 1 + std::abs(distance) / std::log(4.0);
        for (double& quantile : row)
            quantile = std::clamp(median + slopes_[end] * distance + wider * (quantile - median), -largest_log_runtime,
                                  largest_log_runtime);
        return row;
    }

    // See `forbid_increase`.
    size_t turning_point(int smallest, int largest) const noexcept {
        const double lower = std::log(smallest) - 1e-9;
        const double upper = std::log(largest) + 1e-9;
        size_t lowest = count_;
        size_t last_seen = 0;
        for (size_t i = 0; i < count_; ++i) {
            if (log_scale_outs_[i] < lower || log_scale_outs_[i] > upper) continue;
            last_seen = i;
            if (lowest == count_ || rows_[i][median_index] < rows_[lowest][median_index]) lowest = i;
        }
        return lowest == count_ || lowest == last_seen ? count_ - 1 : lowest;
    }

    // Derivatives of the median at the knots.
    void compute_slopes() noexcept {
        slopes_ = {};
        std::array<double, most_knots> secants{};
        for (size_t i = 0; i + 1 < count_; ++i)
            secants[i] =
                (rows_[i + 1][median_index] - rows_[i][median_index]) / (log_scale_outs_[i + 1] - log_scale_outs_[i]);
        for (size_t i = 1; i + 1 < count_; ++i) {
            const double a = secants[i - 1];
            const double b = secants[i];
            const double left = log_scale_outs_[i] - log_scale_outs_[i - 1];
            const double right = log_scale_outs_[i + 1] - log_scale_outs_[i];
            // Weighted harmonic mean of both secants; zero at a turning point.
            slopes_[i] = a * b > 0 ? 3 * (left + right) / ((2 * right + left) / a + (right + 2 * left) / b) : 0.0;
        }
        if (count_ > 1) {
            slopes_[0] = secants[0];
            slopes_[count_ - 1] = secants[count_ - 2];
        }
    }

    size_t count_ = 0;
    std::array<double, most_knots> log_scale_outs_{};
    std::array<double, most_knots> slopes_{};
    std::array<quantile_row, most_knots> rows_{};
};

/// Largest ratio of neighbouring scale-outs that are interpolated between; across wider gaps the experts predict.
inline constexpr double widest_interpolation = 2.01;

/// Typical curvature between neighbouring scale-outs: a point's distance from the straight line over ln(scale-out) between
/// its two neighbours, divided by the product of its distances to them. A standard deviation over the history, estimated by
/// the median because a few curves have cliffs; 0 without such points.
inline double typical_curvature(const history_data& history) {
    std::vector<double> curvatures;
    for (const auto& context : history.contexts) {
        const auto points = history.points_of(context);
        for (size_t i = 1; i + 1 < points.size(); ++i) {
            const double left = std::log(points[i].scale_out / points[i - 1].scale_out);
            const double right = std::log(points[i + 1].scale_out / points[i].scale_out);
            const double line = (points[i - 1].log_runtime * right + points[i + 1].log_runtime * left) / (left + right);
            if (left * right > 0) curvatures.push_back(std::abs(points[i].log_runtime - line) / (left * right));
        }
    }
    return median_of(std::move(curvatures)) / 0.6744897501960817;  // median of |z|, z standard normal
}

/// Knots at which the experts predict: all but those neither seen nor observed that have near neighbours on both sides that
/// are. The others are interpolated.
inline std::vector<int> predicted_knots(std::span<const int> knots, std::span<const int> seen,
                                        std::span<const int> observed) {
    const auto known = [&](int x) { return contains(seen, x) || contains(observed, x); };
    std::vector<int> predicted;
    for (size_t i = 0; i < knots.size(); ++i) {
        size_t below = i;
        while (below > 0 && !known(knots[below])) --below;
        size_t above = i;
        while (above + 1 < knots.size() && !known(knots[above])) ++above;
        const bool between =
            known(knots[below]) && known(knots[above]) && knots[above] <= widest_interpolation * knots[below];
        if (known(knots[i]) || !between) predicted.push_back(knots[i]);
    }
    return predicted;
}

/// Table of all knots from the rows of the predicted ones. The others are interpolated, with intervals widened by the
/// typical curvature. Precondition: the first and the last knot are predicted.
inline knot_table interpolated_table(std::span<const int> knots, std::span<const int> predicted,
                                     std::span<const quantile_row> rows, double curvature) {
    const knot_table predicted_table(predicted, rows);
    std::vector<quantile_row> all;
    for (const int knot : knots) {
        auto& row = all.emplace_back(predicted_table.at(knot));
        const auto above = std::lower_bound(predicted.begin(), predicted.end(), knot);
        if (*above == knot) continue;
        const double x = knot;
        const double curvature_sd = curvature * std::log(x / *(above - 1)) * std::log(*above / x);
        const double median = row[median_index];
        for (size_t k = 0; k < row.size(); ++k) {
            const double width = std::hypot(row[k] - median, standard_normal_quantiles[k] * curvature_sd);
            row[k] = median + std::copysign(width, standard_normal_quantiles[k]);
        }
    }
    return {knots, all};
}

/// A context bound to a blend or to a prior of shapes, given its observed runs.
struct blend_curve {
    knot_table table{};
    bool unlike_any_seen = false;
    bool outside_seen_sizes = false;
    /// Below this scale-out the data are more for the cluster's memory than any that were seen, and do not fit into it.
    double fewest_with_memory = 0;
    /// Observed runs of one scale-out are far apart, or one is improbable.
    bool contradictory_runs = false;

    prediction operator()(int scale_out) const noexcept {
        prediction predicted{.outside_seen_data_sizes = outside_seen_sizes || scale_out < fewest_with_memory,
                             .unlike_any_seen_context = unlike_any_seen,
                             .contradictory_observed_runs = contradictory_runs,
                             .is_point = false,
                             .log_quantiles = table.at(scale_out)};
        predicted.median_s = std::exp(predicted.log_quantiles[median_index]);
        return predicted;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
