// Statistics of a handful of numbers that may hold gross outliers.
#ifndef BELLAMY_DETAIL_MATHS_EMPIRICAL_HPP
#define BELLAMY_DETAIL_MATHS_EMPIRICAL_HPP

#include <bellamy/detail/maths/mixture.hpp>
#include <bellamy/detail/maths/normal.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// 0 of nothing.
[[nodiscard]] inline double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The value at which half of the weight is reached; 0 of nothing.
[[nodiscard]] inline double weighted_median(std::vector<std::pair<double, double>> values_and_weights) {
    std::sort(values_and_weights.begin(), values_and_weights.end());
    double all = 0;
    for (const auto& each : values_and_weights) all += each.second;
    double sum = 0;
    for (const auto& each : values_and_weights)
        if ((sum += each.second) >= all / 2) return each.first;
    return 0;
}

/// Standard deviation about 0 of the values, and of what they would have without outliers (1.4826 medians of the
/// magnitudes).
[[nodiscard]] inline double deviation_of(std::span<const double> values) noexcept {
    double sum = 0;
    for (const double each : values) sum += each * each;
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}
[[nodiscard]] inline double robust_deviation_of(std::span<const double> values) {
    std::vector<double> magnitudes;
    for (const double each : values) magnitudes.push_back(std::abs(each));
    return 1.4826 * median_of(std::move(magnitudes));
}

/// Quantiles of a sample at the fixed deviates: between the order statistics at p (n + 1), beyond them a normal's tail with
/// the sample's deviation, at least `least_deviation`. A sample of nothing is normal about 0 with that deviation.
[[nodiscard]] inline quantile_row sample_quantiles(std::vector<double> sample, double least_deviation) {
    std::sort(sample.begin(), sample.end());
    const auto n = static_cast<double>(sample.size());
    double mean = 0;
    for (const double each : sample) mean += each / n;
    double variance = 0;
    for (const double each : sample) variance += (each - mean) * (each - mean) / n;
    const double deviation = (std::max)(std::sqrt(variance), least_deviation);
    quantile_row row{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double z = standard_normal_quantiles[i];
        if (sample.empty()) {
            row[i] = deviation * z;
            continue;
        }
        const double place = normal_cdf(z) * (n + 1) - 1;
        if (place <= 0) {
            row[i] = sample.front() + deviation * (std::min)(0.0, z - normal_quantile(1 / (n + 1)));
        } else if (place >= n - 1) {
            row[i] = sample.back() + deviation * (std::max)(0.0, z - normal_quantile(n / (n + 1)));
        } else {
            const auto below = static_cast<std::size_t>(place);
            row[i] = sample[below] + (place - std::floor(place)) * (sample[below + 1] - sample[below]);
        }
    }
    return row;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
