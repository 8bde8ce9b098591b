// Learns which shapes other jobs' curves have.
#ifndef BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_FIT_HPP
#define BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_FIT_HPP

#include <bellamy/detail/blend/shape_prior.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Half of each weight goes to the neighbours on the grid: jobs on other clusters differ first of all by what one unit of
/// scale-out is.
[[nodiscard]] inline std::vector<double> blur(const std::vector<double>& weights) {
    constexpr std::size_t d = shape_deviations.size();
    constexpr std::size_t s = shape_shares.size();
    constexpr std::size_t e = shape_exponents.size();
    std::vector<double> blurred(weights.size(), 0.0);
    for (std::size_t i = 0; i < e; ++i)
        for (std::size_t j = 0; j < s; ++j)
            for (std::size_t k = 0; k < d; ++k) {
                const double w = weights[(i * s + j) * d + k];
                const auto give = [&](std::size_t a, std::size_t b, double part) {
                    blurred[((a < e ? a : i) * s + (b < s ? b : j)) * d + k] += part * w;
                };
                give(i, j, 0.5);
                give(i - 1, j, 0.125);  // wraps to a large number at 0, which stays where it is
                give(i + 1, j, 0.125);
                give(i, j - 1, 0.125);
                give(i, j + 1, 0.125);
            }
    return blurred;
}

/// ln of the density of one context's medians under a shape.
[[nodiscard]] inline double log_density_of_curve(const curve_shape& shape, std::span<const double> times,
                                                 std::span<const double> values, std::span<const double> noises) {
    const std::size_t m = times.size();
    double level = 0;
    for (const double value : values) level += value / static_cast<double>(m);
    auto prior = answer_of(shape, times, times, level);
    for (std::size_t i = 0; i < m; ++i) {
        prior.mean[i] = values[i] - prior.mean[i];
        prior.covariance(i, i) += noises[i] + least_variance;
    }
    if (!factorise(prior.covariance)) return -1e6;
    solve_transposed(prior.covariance, std::span(prior.mean));
    double log = -0.5 * dot(prior.mean.data(), prior.mean.data(), m);
    for (std::size_t i = 0; i < m; ++i) log -= std::log(prior.covariance(i, i));
    return log;
}

/// Weights of the grid's shapes such that the jobs' curves become most likely, each job counting alike; blurred, and with a
/// part of the weight left to shapes that none of them has.
[[nodiscard]] inline shape_prior fit_shape_prior(std::span<const std::span<const run>> jobs, double open = 0.5,
                                                 int blurs = 3) {
    auto grid = shape_grid();
    std::vector<double> weights(grid.size(), 0.0);
    for (const auto& job : jobs) {
        const auto view = group_runs(job);
        const auto noise = fit_run_noise(view);
        matrix densities(view.contexts.size(), grid.size());
        for (std::size_t first = 0; first < view.configurations.size();) {
            const std::size_t context = view.configurations[first].context;
            std::vector<double> times;
            std::vector<double> values;
            std::vector<double> noises;
            for (; first < view.configurations.size() && view.configurations[first].context == context; ++first) {
                const auto median = median_of(view.configurations[first]);
                times.push_back(std::log(static_cast<double>(view.configurations[first].scale_out)));
                values.push_back(median.value);
                noises.push_back(median_variance(median, noise.nearest(times.back())));
            }
            for (std::size_t j = 0; j < grid.size(); ++j)
                densities(context, j) = log_density_of_curve(grid[j], times, values, noises);
        }
        const std::vector<double> prior(grid.size(), 1 / static_cast<double>(grid.size()));
        const auto own = mixture_weights(densities, prior);
        for (std::size_t j = 0; j < grid.size(); ++j) weights[j] += own[j] / static_cast<double>(jobs.size());
    }
    shape_prior made;
    for (int times = 0; times < blurs; ++times) weights = blur(weights);
    for (std::size_t j = 0; j < grid.size(); ++j) {
        grid[j].weight = (1 - open) * weights[j] + open / static_cast<double>(grid.size());
        made.shapes.push_back(grid[j]);
    }
    return made;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
