// What a user would draw through a history by hand: lines over data size and scale-out.
#ifndef BELLAMY_BENCH_GROWTH_LINES_HPP
#define BELLAMY_BENCH_GROWTH_LINES_HPP

#include <bellamy/detail/maths/non_negative_least_squares.hpp>

#include "history_case.hpp"

#include <algorithm>
#include <span>

namespace bench {

/// Ernest's columns with the data size (Venkataraman et al. 2016): 1, s/x, ln x, x, 1/x, s.
[[nodiscard]] inline growth_row ernest_columns(double size_mb, double x) {
    return {1, size_mb / x, std::log(x), x, 1 / x, size_mb};
}
/// t = c s/x.
[[nodiscard]] inline growth_row work_columns(double size_mb, double x) { return {size_mb / x}; }

/// Multiples of the columns by non-negative least squares of relative errors: each row divided by its runtime.
class fitted_law {
public:
    fitted_law(growth_columns columns, std::span<const bellamy::run> history) : columns_(columns) {
        std::vector<growth_row> rows;
        for (const auto& each : history) {
            rows.push_back(columns(data_size_of(each.context), each.scale_out));
            for (double& value : rows.back()) value /= each.runtime_s;
        }
        // Columns of one size, so that none counts as rounding beside another.
        for (std::size_t j = 0; j < scale_.size(); ++j) {
            double largest = 0;
            for (const auto& row : rows) largest = (std::max)(largest, row[j]);
            scale_[j] = largest > 0 ? 1 / largest : 0;
            for (auto& row : rows) row[j] *= scale_[j];
        }
        const std::vector<double> ones(rows.size(), 1.0);
        weights_ = bellamy::detail::non_negative_least_squares<std::tuple_size_v<growth_row>>(rows, ones).solve();
    }

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& subject, int scale_out) const {
        const auto row = columns_(data_size_of(subject), scale_out);
        double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) sum += weights_[j] * scale_[j] * row[j];
        return sum;
    }

private:
    growth_columns columns_;
    growth_row scale_{};
    growth_row weights_{};
};

/// ln t = a + b ln s + c ln x by least squares; what the history does not vary has no slope.
class log_linear {
public:
    explicit log_linear(std::span<const bellamy::run> history) {
        const auto count = static_cast<double>(history.size());
        for (const auto& each : history) {
            mean_size_ += std::log(data_size_of(each.context)) / count;
            mean_scale_out_ += std::log(static_cast<double>(each.scale_out)) / count;
            mean_ += std::log(each.runtime_s) / count;
        }
        double ss = 0;
        double sx = 0;
        double xx = 0;
        double sy = 0;
        double xy = 0;
        for (const auto& each : history) {
            const double s = std::log(data_size_of(each.context)) - mean_size_;
            const double x = std::log(static_cast<double>(each.scale_out)) - mean_scale_out_;
            const double y = std::log(each.runtime_s) - mean_;
            ss += s * s;
            sx += s * x;
            xx += x * x;
            sy += s * y;
            xy += x * y;
        }
        const double ridge = 1e-9 * count;  // against sizes and scale-outs that go together
        ss += ridge;
        xx += ridge;
        const double determinant = ss * xx - sx * sx;
        size_slope_ = (xx * sy - sx * xy) / determinant;
        scale_out_slope_ = (ss * xy - sx * sy) / determinant;
    }

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& subject, int scale_out) const {
        return std::exp(mean_ + size_slope_ * (std::log(data_size_of(subject)) - mean_size_) +
                        scale_out_slope_ * (std::log(static_cast<double>(scale_out)) - mean_scale_out_));
    }

private:
    double mean_ = 0;
    double mean_size_ = 0;
    double mean_scale_out_ = 0;
    double size_slope_ = 0;
    double scale_out_slope_ = 0;
};

}  // namespace bench

#endif
