// Weights of a mixture's components by expectation maximisation.
#ifndef BELLAMY_DETAIL_MATHS_MIXTURE_WEIGHTS_HPP
#define BELLAMY_DETAIL_MATHS_MIXTURE_WEIGHTS_HPP

#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/maths/mixture.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Maximises sum_h ln sum_j w_j exp(log_densities(h, j)) + prior_j ln w_j; rows are observations, `prior`
/// pseudo-observations.
inline std::vector<double> mixture_weights(const matrix& log_densities, std::span<const double> prior) {
    constexpr int rounds = 300;
    const size_t count = prior.size();
    std::vector<double> weights(prior.begin(), prior.end());
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    std::vector<double> terms(count);
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(prior.begin(), prior.end());
        for (size_t h = 0; h < log_densities.rows(); ++h) {
            for (size_t j = 0; j < count; ++j) terms[j] = log_densities(h, j) + std::log(weights[j]);
            const double total = log_sum_exp(terms);
            if (!std::isfinite(total)) continue;
            for (size_t j = 0; j < count; ++j) next[j] += std::exp(terms[j] - total);
        }
        sum = 0;
        for (const double w : next) sum += w;
        for (size_t j = 0; j < count; ++j) weights[j] = next[j] / sum;
    }
    return weights;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
