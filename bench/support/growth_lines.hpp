// What a user would draw through a history by hand: lines over data size and scale-out.
#ifndef BELLAMY_BENCH_GROWTH_LINES_HPP
#define BELLAMY_BENCH_GROWTH_LINES_HPP

#include <bellamy/detail/maths/subset_average.hpp>

#include "history_case.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace bench {

/// Ernest's columns with the data size (Venkataraman et al. 2016): 1, s/x, ln x, x, 1/x, s.
[[nodiscard]] inline growth_row ernest_columns(double size_mb, double x, double) {
    return {1, size_mb / x, std::log(x), x, 1 / x, size_mb};
}
/// t = c s/x.
[[nodiscard]] inline growth_row work_columns(double size_mb, double x, double) { return {size_mb / x}; }

/// Multiples of the columns by non-negative least squares of relative errors: each row divided by its runtime. Where the
/// columns have a cliff, it lies where they fit best, half-way between two runs.
class fitted_law {
public:
    fitted_law(growth_columns columns, std::span<const bellamy::run> history) : columns_(columns) {
        double least = std::numeric_limits<double>::infinity();
        for (const double cliff : places_of_cliff(history)) {
            const auto fit = fitted(history, cliff);
            double squares = 0;
            for (const auto& each : history)
                squares += std::pow(seconds(fit, data_size_of(each.context), each.scale_out) / each.runtime_s - 1, 2);
            if (!(squares < least)) continue;
            least = squares;
            best_ = fit;
        }
    }

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& subject, int scale_out) const {
        return seconds(best_, data_size_of(subject), scale_out);
    }

private:
    struct solution {
        growth_row multiples{};
        double cliff_mb = 0;
    };

    // Half-way between neighbouring ln(s/x) where that makes a difference, else any place.
    [[nodiscard]] std::vector<double> places_of_cliff(std::span<const bellamy::run> history) const {
        if (columns_(2, 1, 1) == columns_(2, 1, 3)) return {0};
        std::vector<double> works;
        for (const auto& each : history) works.push_back(data_size_of(each.context) / each.scale_out);
        std::ranges::sort(works);
        std::vector<double> places;
        for (std::size_t i = 1; i < works.size(); ++i) places.push_back(std::sqrt(works[i - 1] * works[i]));
        return places;
    }

    [[nodiscard]] solution fitted(std::span<const bellamy::run> history, double cliff_mb) const {
        std::vector<growth_row> rows;
        for (const auto& each : history) {
            rows.push_back(columns_(data_size_of(each.context), each.scale_out, cliff_mb));
            for (double& value : rows.back()) value /= each.runtime_s;
        }
        // Columns of one size, so that none counts as rounding beside another.
        growth_row scale{};
        for (std::size_t j = 0; j < scale.size(); ++j) {
            double largest = 0;
            for (const auto& row : rows) largest = (std::max)(largest, row[j]);
            scale[j] = largest > 0 ? 1 / largest : 0;
            for (auto& row : rows) row[j] *= scale[j];
        }
        const std::vector<double> ones(rows.size(), 1.0);
        solution made{
            .multiples = bellamy::detail::non_negative_least_squares<std::tuple_size_v<growth_row>>(rows, ones).solve(),
            .cliff_mb = cliff_mb};
        for (std::size_t j = 0; j < scale.size(); ++j) made.multiples[j] *= scale[j];
        return made;
    }

    [[nodiscard]] double seconds(const solution& fit, double size_mb, int scale_out) const {
        const auto row = columns_(size_mb, scale_out, fit.cliff_mb);
        return std::inner_product(row.begin(), row.end(), fit.multiples.begin(), 0.0);
    }

    growth_columns columns_;
    solution best_{};
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
