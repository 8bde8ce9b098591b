// Medians, standard deviations and quantiles of small samples that may hold outliers.
#ifndef BELLAMY_DETAIL_MATHS_EMPIRICAL_HPP
#define BELLAMY_DETAIL_MATHS_EMPIRICAL_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/detail/maths/mixture.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The larger one of two in the middle. Precondition: the sample is not empty.
inline double upper_median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// 0 of an empty sample.
inline double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The value at which half of the weight is reached; 0 of an empty sample.
inline double weighted_median(std::vector<std::pair<double, double>> values_and_weights) {
    sort(values_and_weights);
    double total = 0;
    for (const auto& [value, weight] : values_and_weights) total += weight;
    double sum = 0;
    for (const auto& [value, weight] : values_and_weights)
        if ((sum += weight) >= total / 2) return value;
    return 0;
}

inline double root_mean_square(std::span<const double> values) noexcept {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return values.empty() ? 0 : std::sqrt(sum / count_of(values));
}
/// Standard deviation about 0 without the influence of outliers: 1.4826 medians of the magnitudes.
inline double robust_sd(std::span<const double> values) {
    std::vector<double> magnitudes;
    for (const double value : values) magnitudes.push_back(std::abs(value));
    return 1.4826 * median_of(std::move(magnitudes));
}

/// Quantiles of values with positive weights at the fixed probabilities, linear between the values: of n equal weights the
/// i-th value has the probability i / (n + 1). Beyond the values those of a normal's tail with the sample's standard
/// deviation, at least `least_sd`; of an empty sample those of N(0, least_sd^2).
inline quantile_row weighted_quantiles(std::vector<std::pair<double, double>> values_and_weights, double least_sd) {
    quantile_row row{};
    if (values_and_weights.empty()) {
        for (size_t i = 0; i < row.size(); ++i) row[i] = least_sd * standard_normal_quantiles[i];
        return row;
    }
    sort(values_and_weights);
    double total = 0;
    double mean = 0;
    for (const auto& [value, weight] : values_and_weights) {
        total += weight;
        mean += weight * value;
    }
    mean /= total;
    double variance = 0;
    for (const auto& [value, weight] : values_and_weights) variance += weight * (value - mean) * (value - mean) / total;
    const double sd = (std::max)(std::sqrt(variance), least_sd);
    const double mean_weight = total / count_of(values_and_weights);
    std::vector<double> probabilities;
    double sum = 0;
    for (const auto& [value, weight] : values_and_weights) {
        probabilities.push_back((sum + 0.5 * (weight + mean_weight)) / (total + mean_weight));
        sum += weight;
    }
    for (size_t i = 0; i < row.size(); ++i) {
        const double z = standard_normal_quantiles[i];
        const double p = normal_cdf(z);
        const auto above =
            static_cast<size_t>(std::upper_bound(probabilities.begin(), probabilities.end(), p) - probabilities.begin());
        if (above == 0) {
            row[i] = values_and_weights.front().first + sd * (std::min)(0.0, z - normal_quantile(probabilities.front()));
        } else if (above == probabilities.size()) {
            row[i] = values_and_weights.back().first + sd * (std::max)(0.0, z - normal_quantile(probabilities.back()));
        } else {
            const double fraction = (p - probabilities[above - 1]) / (probabilities[above] - probabilities[above - 1]);
            const double below = values_and_weights[above - 1].first;
            row[i] = below + fraction * (values_and_weights[above].first - below);
        }
    }
    return row;
}

/// The same of equal weights.
inline quantile_row sample_quantiles(const std::vector<double>& sample, double least_sd) {
    std::vector<std::pair<double, double>> values_and_weights;
    values_and_weights.reserve(sample.size());
    for (const double value : sample) values_and_weights.emplace_back(value, 1);
    return weighted_quantiles(std::move(values_and_weights), least_sd);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
