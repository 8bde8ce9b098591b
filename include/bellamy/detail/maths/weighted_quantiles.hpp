// Quantiles of a sample whose values count differently.
#ifndef BELLAMY_DETAIL_MATHS_WEIGHTED_QUANTILES_HPP
#define BELLAMY_DETAIL_MATHS_WEIGHTED_QUANTILES_HPP

#include <bellamy/detail/maths/empirical.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Quantiles of values with positive weights at the fixed deviates. Of n equal weights the i-th value stands at i / (n + 1),
/// as in `sample_quantiles`; beyond the values there is a normal's tail with their deviation, at least `least_deviation`.
[[nodiscard]] inline quantile_row weighted_quantiles(std::vector<std::pair<double, double>> values_and_weights,
                                                     double least_deviation) {
    if (values_and_weights.empty()) return sample_quantiles({}, least_deviation);
    std::sort(values_and_weights.begin(), values_and_weights.end());
    double all = 0;
    double mean = 0;
    for (const auto& [value, weight] : values_and_weights) {
        all += weight;
        mean += weight * value;
    }
    mean /= all;
    double variance = 0;
    for (const auto& [value, weight] : values_and_weights) variance += weight * (value - mean) * (value - mean) / all;
    const double deviation = (std::max)(std::sqrt(variance), least_deviation);
    const double usual = all / static_cast<double>(values_and_weights.size());
    std::vector<double> places;
    double sum = 0;
    for (const auto& each : values_and_weights) {
        places.push_back((sum + 0.5 * (each.second + usual)) / (all + usual));
        sum += each.second;
    }
    quantile_row row{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double z = standard_normal_quantiles[i];
        const double p = normal_cdf(z);
        const auto above = static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), p) - places.begin());
        if (above == 0) {
            row[i] = values_and_weights.front().first + deviation * (std::min)(0.0, z - normal_quantile(places.front()));
        } else if (above == places.size()) {
            row[i] = values_and_weights.back().first + deviation * (std::max)(0.0, z - normal_quantile(places.back()));
        } else {
            const double share = (p - places[above - 1]) / (places[above] - places[above - 1]);
            const double below = values_and_weights[above - 1].first;
            row[i] = below + share * (values_and_weights[above].first - below);
        }
    }
    return row;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
