// Fits the cold start's prior: weights of curve shapes by the likelihood of other jobs' curves, and their run noise.
#ifndef BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_FIT_HPP
#define BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_FIT_HPP

#include <bellamy/detail/blend/run_noise_fit.hpp>
#include <bellamy/detail/blend/shape_prior.hpp>
#include <bellamy/detail/maths/mixture_weights.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Gives half of each weight to the neighbours on the grid, because one unit of scale-out differs between clusters.
inline std::vector<double> blur(const std::vector<double>& weights) {
    constexpr size_t d = shape_residual_sds.size();
    constexpr size_t s = shape_ratios.size();
    constexpr size_t e = shape_exponents.size();
    std::vector<double> blurred(weights.size(), 0.0);
    for (size_t i = 0; i < e; ++i)
        for (size_t j = 0; j < s; ++j)
            for (size_t k = 0; k < d; ++k) {
                const double w = weights[(i * s + j) * d + k];
                const auto give = [&](size_t a, size_t b, double fraction) {
                    blurred[((a < e ? a : i) * s + (b < s ? b : j)) * d + k] += fraction * w;
                };
                give(i, j, 0.5);
                give(i - 1, j, 0.125);  // below 0 wraps to a large number: the weight stays at i
                give(i + 1, j, 0.125);
                give(i, j - 1, 0.125);
                give(i, j + 1, 0.125);
            }
    return blurred;
}

/// Log-density of one context's medians under a shape.
inline double log_density_of_curve(const curve_shape& shape, std::span<const double> log_scale_outs,
                                   std::span<const double> medians, std::span<const double> variances) {
    const size_t m = log_scale_outs.size();
    curve_level level{.log_scale_outs = {log_scale_outs.begin(), log_scale_outs.end()}};
    for (const double median : medians) level.log_runtime += median / static_cast<double>(m);
    // Of the medians; below, its mean holds their residuals, and its covariance the Cholesky factor.
    auto marginal = shape_prediction(shape, log_scale_outs, level, kernel_of(log_scale_outs, residual_covariance));
    for (size_t i = 0; i < m; ++i) {
        marginal.mean[i] = medians[i] - marginal.mean[i];
        marginal.covariance(i, i) += variances[i] + least_variance;
    }
    if (!factorise(marginal.covariance)) return -1e6;
    solve_transposed(marginal.covariance, std::span(marginal.mean));
    double log = -0.5 * dot(marginal.mean.data(), marginal.mean.data(), m);
    for (size_t i = 0; i < m; ++i) log -= std::log(marginal.covariance(i, i));
    return log;
}

/// Log-densities of each context's medians (rows) under each shape of the grid (columns).
inline matrix log_densities_of_curves(const history_view& view, std::span<const curve_shape> grid) {
    const auto noise = fit_run_noise(view);
    matrix log_densities(view.contexts.size(), grid.size());
    for (size_t first = 0; first < view.configurations.size();) {
        const size_t context = view.configurations[first].context;
        const double log_units = std::log(cores_of_unit(*view.contexts[context]) / usual_cores);
        std::vector<double> log_scale_outs;
        std::vector<double> medians;
        std::vector<double> variances;
        for (; first < view.configurations.size() && view.configurations[first].context == context; ++first) {
            const auto median = median_of(view.configurations[first]);
            log_scale_outs.push_back(std::log(view.configurations[first].scale_out));
            medians.push_back(median.value);
            variances.push_back(median_variance(median, noise.nearest(log_scale_outs.back())));
            log_scale_outs.back() += log_units;
        }
        for (size_t j = 0; j < grid.size(); ++j)
            log_densities(context, j) = log_density_of_curve(grid[j], log_scale_outs, medians, variances);
    }
    return log_densities;
}

/// Weights of the grid's shapes by maximum likelihood of the jobs' curves, each job counting alike, then blurred `blurs`
/// times and mixed with the fraction `uniform_fraction` of equal weights, so that no shape is excluded; and the pooled run
/// noise.
inline shape_prior fit_shape_prior(std::span<const std::span<const run>> jobs, double uniform_fraction = 0.5,
                                   int blurs = 3) {
    shape_prior fitted{.shapes = shape_grid()};
    const size_t count = fitted.shapes.size();
    const std::vector<double> pseudo_observations(count, 1 / static_cast<double>(count));
    std::vector<double> weights(count, 0.0);
    run_deviations deviations;
    for (const auto& job : jobs) {
        const auto view = group_runs(job);
        deviations.add(view);
        const auto shape_weights_of_job = mixture_weights(log_densities_of_curves(view, fitted.shapes), pseudo_observations);
        for (size_t j = 0; j < count; ++j) weights[j] += shape_weights_of_job[j] / count_of(jobs);
    }
    for (int round = 0; round < blurs; ++round) weights = blur(weights);
    for (size_t j = 0; j < count; ++j)
        fitted.shapes[j].weight = (1 - uniform_fraction) * weights[j] + uniform_fraction / static_cast<double>(count);
    fitted.noise = fit_common_noise(deviations);
    return fitted;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
