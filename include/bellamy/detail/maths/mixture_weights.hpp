// Weights of a mixture's components by expectation maximisation.
#ifndef BELLAMY_DETAIL_MATHS_MIXTURE_WEIGHTS_HPP
#define BELLAMY_DETAIL_MATHS_MIXTURE_WEIGHTS_HPP

#include <bellamy/detail/maths/dense.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Maximises sum_h ln sum_j w_j exp(log_densities(h, j)) + pseudo_observations_j ln w_j; rows are observations.
inline std::vector<double> mixture_weights(const matrix& log_densities, std::span<const double> pseudo_observations) {
    constexpr int rounds = 300;
    const size_t count = pseudo_observations.size();
    // Relative to each observation's largest, so that none overflows.
    auto densities = log_densities;
    for (size_t h = 0; h < densities.rows(); ++h) {
        double* of_row = densities.row(h);
        const double largest = *std::max_element(of_row, of_row + count);
        for (size_t j = 0; j < count; ++j) of_row[j] = std::exp(of_row[j] - largest);
    }
    std::vector<double> weights(pseudo_observations.begin(), pseudo_observations.end());
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(pseudo_observations.begin(), pseudo_observations.end());
        for (size_t h = 0; h < densities.rows(); ++h) {
            const double total = dot(densities.row(h), weights.data(), count);
            if (!(total > 0)) continue;  // no finite density
            for (size_t j = 0; j < count; ++j) next[j] += densities(h, j) * weights[j] / total;
        }
        weights = std::move(next);
    }
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    return weights;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
