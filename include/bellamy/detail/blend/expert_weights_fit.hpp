// Learns the experts' prior weights from the history's own contexts.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_FIT_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_FIT_HPP

#include <bellamy/detail/blend/expert_weights.hpp>

#include <numeric>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// ln of the density of a context's points under one component whose answer speaks about exactly these points.
[[nodiscard]] inline double log_density_of_points(const history_data& history, const history_context& own,
                                                  const blend_component& component, const expert_answer& answer) {
    const std::size_t m = own.count;
    matrix covariance = deviation_kernel(history.log_scale_outs_of(own));
    std::vector<double> residual(m);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j)
            covariance(i, j) = covariance(i, j) * component.deviation_sd * component.deviation_sd +
                               answer.covariance(i, j) * component.scale * component.scale;
        covariance(i, i) += history.points[own.first + i].variance;
        residual[i] = history.points[own.first + i].log_runtime - answer.mean[i];
    }
    matrix factor;
    if (factorise_with_jitter(covariance, factor) < 0) return -1e6;
    solve_transposed(factor, residual);
    double log = -0.5 * dot(residual.data(), residual.data(), m) - 0.5 * log_two_pi * static_cast<double>(m);
    for (std::size_t i = 0; i < m; ++i) log -= std::log(factor(i, i));
    return log;
}

/// Maximises sum_h ln sum_j w_j exp(logs(h, j)) + prior_j ln w_j by expectation maximisation; rows are contexts.
[[nodiscard]] inline std::vector<double> mixture_weights(const matrix& logs, std::span<const double> prior,
                                                         int rounds = 300) {
    const std::size_t count = prior.size();
    std::vector<double> weights(prior.begin(), prior.end());
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    std::vector<double> terms(count);
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(prior.begin(), prior.end());
        for (std::size_t h = 0; h < logs.rows(); ++h) {
            for (std::size_t j = 0; j < count; ++j) terms[j] = logs(h, j) + std::log(weights[j]);
            const double total = log_sum_exp(terms);
            if (!std::isfinite(total)) continue;
            for (std::size_t j = 0; j < count; ++j) next[j] += std::exp(terms[j] - total);
        }
        sum = 0;
        for (const double w : next) sum += w;
        for (std::size_t j = 0; j < count; ++j) weights[j] = next[j] / sum;
    }
    return weights;
}

/// Weights of all components from the contexts' log-densities (rows of `logs`): within each expert, then across experts,
/// both shrunk by so many pseudo-contexts: towards equal weights, and towards the experts' prior shares. Across experts the
/// prior has to be stronger, because a context's joint density is dominated by its worst points. Components of one expert
/// are contiguous.
[[nodiscard]] inline std::vector<double> component_weights(const matrix& logs, std::span<const blend_component> components,
                                                           double component_prior, double expert_prior) {
    std::vector<double> weights(components.size());
    std::vector<std::size_t> firsts;
    for (std::size_t j = 0; j < components.size(); ++j)
        if (j == 0 || components[j].expert != components[j - 1].expert) firsts.push_back(j);
    matrix of_experts(logs.rows(), firsts.size());
    for (std::size_t e = 0; e < firsts.size(); ++e) {
        const std::size_t first = firsts[e];
        const std::size_t count = (e + 1 < firsts.size() ? firsts[e + 1] : components.size()) - first;
        matrix own(logs.rows(), count);
        for (std::size_t h = 0; h < logs.rows(); ++h) std::copy_n(logs.row(h) + first, count, own.row(h));
        const std::vector<double> prior(count, component_prior / static_cast<double>(count));
        const auto within = mixture_weights(own, prior);
        std::copy(within.begin(), within.end(), weights.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::size_t h = 0; h < logs.rows(); ++h) {
            for (std::size_t j = 0; j < count; ++j) own(h, j) += std::log(within[j]);
            of_experts(h, e) = log_sum_exp(std::span(own.row(h), count));
        }
    }
    std::vector<double> prior(firsts.size());
    for (std::size_t i = 0; i < firsts.size(); ++i) prior[i] = prior_weight(components[firsts[i]].expert);
    const double shares = std::accumulate(prior.begin(), prior.end(), 0.0);
    for (double& each : prior) each *= expert_prior / shares;
    const auto between = mixture_weights(of_experts, prior);
    std::size_t e = 0;
    for (std::size_t j = 0; j < components.size(); ++j) {
        if (e + 1 < firsts.size() && j == firsts[e + 1]) ++e;
        weights[j] *= between[e];
    }
    return weights;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
