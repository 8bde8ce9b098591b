// The runtime's distribution over the scale-outs, on a few knots: what a bound curve reads from.
#ifndef BELLAMY_DETAIL_BLEND_KNOTS_HPP
#define BELLAMY_DETAIL_BLEND_KNOTS_HPP

#include <bellamy/detail/maths/mixture.hpp>

#include <array>
#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr std::size_t most_knots = 40;

/// Knots at the observed scale-outs, at the seen ones as far as they fit, between them in steps of a factor of at most 1.13,
/// and beyond them from a sixteenth to sixteen times. Ascending, distinct, at least 1. Many scale-outs are thinned evenly.
[[nodiscard]] inline std::vector<int> knot_scale_outs(std::vector<int> seen, std::span<const int> observed) {
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    std::vector<int> knots(observed.begin(), observed.end());
    std::sort(knots.begin(), knots.end());
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
    const auto thin = [](std::vector<int>& list, std::size_t most) {
        if (list.size() <= most) return;
        std::vector<int> kept;
        for (std::size_t i = 0; i < most; ++i) kept.push_back(list[i * (list.size() - 1) / (most - 1)]);
        list = std::move(kept);
    };
    thin(knots, most_knots / 2);
    const auto offer = [&](double scale_out) {
        if (knots.size() >= most_knots || scale_out < 1) return;
        const int x = static_cast<int>(std::lround(scale_out));
        const auto at = std::lower_bound(knots.begin(), knots.end(), x);
        if (at == knots.end() || *at != x) knots.insert(at, x);
    };
    if (seen.empty()) seen = knots;
    if (seen.empty()) seen.push_back(1);
    const double lowest = knots.empty() ? seen.front() : (std::min)(seen.front(), knots.front());
    const double highest = knots.empty() ? seen.back() : (std::max)(seen.back(), knots.back());
    offer(lowest);
    offer(highest);
    offer((std::max)(lowest / 4, 1.0));
    offer(highest * 4);
    offer((std::max)(lowest / 16, 1.0));
    offer(highest * 16);
    thin(seen, 16);
    for (const int x : seen) offer(x);
    offer(lowest / 2);
    offer(highest * 2);
    offer(highest * 1.25);
    offer(highest * 1.5);
    offer(highest * 3);
    // Splits the widest gap within the range first.
    while (knots.size() < most_knots) {
        double widest = 1.13;
        int middle = 0;
        for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
            if (knots[i + 1] - knots[i] < 2 || knots[i] < lowest || knots[i + 1] > highest) continue;
            const double ratio = static_cast<double>(knots[i + 1]) / knots[i];
            if (ratio <= widest) continue;
            widest = ratio;
            middle = static_cast<int>(std::lround(std::sqrt(static_cast<double>(knots[i]) * knots[i + 1])));
            middle = std::clamp(middle, knots[i] + 1, knots[i + 1] - 1);
        }
        if (middle == 0) break;
        offer(middle);
    }
    return knots;
}

/// Index of the knot nearest to a scale-out, the larger one of two. Precondition: at least one knot, ascending.
[[nodiscard]] inline std::size_t nearest_knot(std::span<const int> knots, int scale_out) noexcept {
    const auto at = std::lower_bound(knots.begin(), knots.end(), scale_out);
    const std::size_t above = (std::min)(static_cast<std::size_t>(at - knots.begin()), knots.size() - 1);
    return above > 0 && scale_out - knots[above - 1] < knots[above] - scale_out ? above - 1 : above;
}

/// Quantiles of the log-runtime at the knots; between them the median follows a monotone cubic over ln x (Fritsch, Carlson
/// 1980) and the distances between quantiles straight lines, so that quantiles never cross. Constant beyond the knots.
/// Holds its numbers inline; reading is noexcept and allocates nothing.
class knot_table {
public:
    knot_table() = default;

    /// Precondition: as many rows as scale-outs, 1 to `most_knots`, ascending scale-outs.
    knot_table(std::span<const int> scale_outs, std::span<const quantile_row> rows) noexcept : count_(scale_outs.size()) {
        for (std::size_t i = 0; i < count_; ++i) {
            x_[i] = std::log(static_cast<double>(scale_outs[i]));
            rows_[i] = rows[i];
        }
        choose_slopes();
    }

    /// Quantiles of the log-runtime at a scale-out.
    [[nodiscard]] quantile_row at(double scale_out) const noexcept {
        const double x = std::log(scale_out);
        if (count_ == 0 || x <= x_[0]) return rows_[0];
        if (x >= x_[count_ - 1]) return rows_[count_ - 1];
        std::size_t i = 1;
        while (x_[i] < x) ++i;
        if (x_[i] - x < 1e-12) return rows_[i];
        const double width = x_[i] - x_[i - 1];
        const double t = (x - x_[i - 1]) / width;
        const double s = 1 - t;
        const auto& a = rows_[i - 1];
        const auto& b = rows_[i];
        const double median = s * s * ((1 + 2 * t) * a[middle] + t * width * slope_[i - 1]) +
                              t * t * ((1 + 2 * s) * b[middle] - s * width * slope_[i]);
        quantile_row row{};
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = median + s * (a[k] - a[middle]) + t * (b[k] - b[middle]);
        return row;
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Makes medians non-increasing up to the turning point: the lowest knot from `smallest` to `largest`, or the last knot
    /// where that is at `largest`. Least squares weighted by inverse squared widths (pool adjacent violators: Ayer and
    /// others 1955); quantiles move with their median.
    void forbid_increase(int smallest, int largest) noexcept {
        const double from = std::log(static_cast<double>(smallest)) - 1e-9;
        const double to = std::log(static_cast<double>(largest)) + 1e-9;
        std::size_t turning = count_;
        std::size_t last_seen = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            if (x_[i] < from || x_[i] > to) continue;
            last_seen = i;
            if (turning == count_ || rows_[i][middle] < rows_[turning][middle]) turning = i;
        }
        if (turning == count_ || turning == last_seen) turning = count_ - 1;
        struct block {
            double mean = 0;
            double weight = 0;
            std::size_t size = 0;
        };
        std::array<block, most_knots> blocks{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < count_ && i <= turning; ++i) {
            const double width = rows_[i][middle + 2] - rows_[i][middle - 2];
            blocks[count++] = {.mean = rows_[i][middle], .weight = 1 / (width * width + 1e-12), .size = 1};
            for (; count > 1 && blocks[count - 1].mean > blocks[count - 2].mean; --count) {
                auto& left = blocks[count - 2];
                const auto& right = blocks[count - 1];
                left.mean = (left.mean * left.weight + right.mean * right.weight) / (left.weight + right.weight);
                left.weight += right.weight;
                left.size += right.size;
            }
        }
        std::size_t i = 0;
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t k = 0; k < blocks[b].size; ++k, ++i) {
                const double shift = blocks[b].mean - rows_[i][middle];
                for (double& each : rows_[i]) each += shift;
            }
        choose_slopes();
    }

private:
    static constexpr std::size_t middle = quantile_deviates.size() / 2;

    void choose_slopes() noexcept {
        slope_ = {};
        std::array<double, most_knots> secant{};
        for (std::size_t i = 0; i + 1 < count_; ++i)
            secant[i] = (rows_[i + 1][middle] - rows_[i][middle]) / (x_[i + 1] - x_[i]);
        for (std::size_t i = 1; i + 1 < count_; ++i) {
            const double a = secant[i - 1];
            const double b = secant[i];
            const double left = x_[i] - x_[i - 1];
            const double right = x_[i + 1] - x_[i];
            // Weighted harmonic mean of both secants; zero at a turning point.
            slope_[i] = a * b > 0 ? 3 * (left + right) / ((2 * right + left) / a + (right + 2 * left) / b) : 0.0;
        }
        if (count_ > 1) {
            slope_[0] = secant[0];
            slope_[count_ - 1] = secant[count_ - 2];
        }
    }

    std::size_t count_ = 0;
    std::array<double, most_knots> x_{};
    std::array<double, most_knots> slope_{};
    std::array<quantile_row, most_knots> rows_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
