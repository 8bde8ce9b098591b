// Third step of blend_fit.hpp: hyper-parameters of the experts, the Gaussian processes above all.
#ifndef BELLAMY_DETAIL_BLEND_PROCESSES_HPP
#define BELLAMY_DETAIL_BLEND_PROCESSES_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/growth_trend_fit.hpp>
#include <bellamy/detail/blend/hierarchical_ernest.hpp>
#include <bellamy/detail/blend/summary.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A sample, its growth trend, and the histories that processes are fitted to.
class detrended_sample {
public:
    detrended_sample(history_sample sample, size_t fitted_contexts, const growth_trend& trend, double pressure_slope)
        : sample_(std::move(sample)),
          trend_(trend),
          pressure_slope_(pressure_slope),
          fitted_(sample_.slice(0, fitted_contexts).history()),
          residual_(trend_.residual(fitted_)) {}

    /// The same trend of the same contexts, whose variances may differ.
    detrended_sample with(history_sample sample) const {
        return {std::move(sample), fitted_contexts(), trend_, pressure_slope_};
    }

    const history_sample& sample() const noexcept { return sample_; }
    const growth_trend& trend() const noexcept { return trend_; }
    double pressure_slope() const noexcept { return pressure_slope_; }
    /// The leading contexts, that hyper-parameters are fitted to; and their residuals.
    const history_data& fitted() const noexcept { return fitted_; }
    const history_data& residual() const noexcept { return residual_; }
    size_t fitted_contexts() const noexcept { return fitted_.contexts.size(); }
    /// What an expert is fitted to.
    const history_data& history_of(expert_kind kind) const noexcept { return uses_growth_trend(kind) ? residual_ : fitted_; }
    const history_data& history_of(process_kind kind) const noexcept { return history_of(expert_of(kind)); }

private:
    history_sample sample_;
    growth_trend trend_;
    double pressure_slope_;
    history_data fitted_;
    history_data residual_;
};

/// Second step of the fit. The trend is fitted to all contexts of the sample.
inline detrended_sample detrend(const feature_map& features, history_sample sample, size_t fitted_contexts) {
    const auto trend = fit_growth_trend(features, sample.history());
    return {std::move(sample), fitted_contexts, trend, features.pressure_slope()};
}

/// Whether contexts are left out, to fit prior weights and to find outliers.
inline bool has_enough_to_leave_out(const detrended_sample& sample) noexcept { return sample.fitted_contexts() >= 3; }

/// Empty for a process that does not take part, or whose likelihood is not finite.
using fitted_processes = by_process<std::optional<process_fit_outcome>>;

/// Contexts that the process without a trend needs to be fitted by leaving them out, with a fitted direction of the
/// pressure. From fewer, the direction follows single contexts: one with a memory cliff makes the others have it too.
inline constexpr size_t least_contexts_of_direction = 16;

constexpr process_objective objective_of(process_kind kind, size_t contexts) noexcept {
    return kind == process_kind::without_trend && contexts >= least_contexts_of_direction
               ? process_objective::left_out_likelihood
               : process_objective::marginal_likelihood;
}

/// Amplitudes at the centre of the prior, relative to the default. Where contexts differ in their data size alone, the
/// growth trend says nearly all that they share; the default would take noise of few runs for what it leaves.
inline double prior_amplitudes_of(process_kind kind, const growth_trend& trend) noexcept {
    return trend.varies_in_size_only() && kind == process_kind::over_trend ? 0.1 : 1;
}

// Of few contexts that differ in their data size alone, the growth trend says all that they share, a memory cliff too.
inline bool takes_part(process_kind kind, const detrended_sample& sample, const blend_options& options) noexcept {
    const bool few = sample.fitted_contexts() < least_contexts_of_direction;
    const bool without_trend = has_enough_to_leave_out(sample) && !(few && sample.trend().varies_in_size_only());
    return options.experts[expert_of(kind)] && (kind == process_kind::over_trend || without_trend);
}

/// From the optimiser's vector of `start`, with its objective.
inline process_fit_outcome fit_process(const detrended_sample& sample, process_kind kind, const process_fit_outcome& start,
                                       int iterations) {
    return fit_gaussian_process(sample.history_of(kind), sample.pressure_slope(), start.objective, start.packed,
                                {.iterations = iterations, .prior_amplitudes = prior_amplitudes_of(kind, sample.trend())});
}

/// Third step of the fit.
inline fitted_processes fit_processes(const detrended_sample& sample, const blend_options& options) {
    fitted_processes processes;
    for_each_index(process_kinds, options.threads, [&](size_t i) {
        const auto kind = all_processes[i];
        if (!takes_part(kind, sample, options)) return;
        auto fit = fit_process(sample, kind, {.objective = objective_of(kind, sample.fitted_contexts())},
                               options.process_iterations[kind]);
        if (std::isfinite(fit.value)) processes[kind] = std::move(fit);
    });
    return processes;
}

/// A few steps of the optimiser from where the processes are.
inline fitted_processes refit_processes(const detrended_sample& sample, fitted_processes processes,
                                        const blend_options& options) {
    for_each_index(process_kinds, options.threads, [&](size_t i) {
        auto& process = processes[all_processes[i]];
        if (!process) return;
        auto fit = fit_process(sample, all_processes[i], *process, options.robust_iterations);
        if (std::isfinite(fit.value)) process = std::move(fit);
    });
    return processes;
}

/// Standard deviations of 0.2 for the level and 0.3, 0.1, 0.1 for the terms; 1 % between configurations.
inline hierarchical_ernest_parameters start_of_hierarchical_ernest() noexcept {
    hierarchical_ernest_parameters start;
    constexpr std::array<double, ernest_term_count> deviations{0.2, 0.3, 0.1, 0.1};
    for (size_t p = 0; p < ernest_term_count; ++p)
        start.covariance[p * ernest_term_count + p] = deviations[p] * deviations[p];
    return start;
}

/// Posterior second moment of what B leaves of a context's points: residuals, and B's own uncertainty.
inline matrix second_moment(const hierarchical_ernest& now, const hierarchical_ernest::block& block,
                            std::span<const history_point> points) {
    const size_t m = points.size();
    const size_t size = block.design.columns();
    std::vector<double> residual(m);
    for (size_t i = 0; i < m; ++i)
        residual[i] = points[i].log_runtime - dot(block.design.row(i), now.coefficients().data(), size);
    matrix second(m, m);
    std::vector<double> half(size);
    for (size_t i = 0; i < m; ++i) {
        half.assign(size, 0.0);
        add_combination(half, now.coefficient_covariance(), block.design.row(i));
        for (size_t j = 0; j < m; ++j)
            second(i, j) = residual[i] * residual[j] + dot(half.data(), block.design.row(j), size);
    }
    return second;
}

/// Adds a context's E[u u'] = G R G' + S - G phi S, with R the second moment, C the points' precision and G = S phi' C.
inline void add_coefficient_moment(const hierarchical_ernest::block& block, const matrix& second, const matrix& prior,
                                   matrix& covariance) {
    const size_t m = second.rows();
    matrix loaded(m, ernest_term_count);  // phi S
    for (size_t i = 0; i < m; ++i)
        for (size_t a = 0; a < ernest_term_count; ++a)
            add_scaled(loaded.row(i), prior.row(a), block.terms(i, a), ernest_term_count);
    matrix gain(m, ernest_term_count);  // G'
    add_product(gain, block.precision, loaded);
    matrix spread(m, ernest_term_count);  // R G'
    add_product(spread, second, gain);
    add_product(covariance, gain, spread);
    add_product(covariance, gain, loaded, -1);
    for (size_t a = 0; a < ernest_term_count; ++a) add_scaled(covariance.row(a), prior.row(a), 1, ernest_term_count);
}

/// Adds a context's E[e^2], like E[u u'] with the noise's diagonal in place of S phi', less the run noise.
inline void add_excess_variance(const hierarchical_ernest::block& block, const matrix& second,
                                std::span<const history_point> points, double nugget_variance, double& excess) {
    const size_t m = points.size();
    matrix inner(m, m);  // R C
    add_product(inner, second, block.precision);
    for (size_t i = 0; i < m; ++i) {
        const double noise = points[i].variance;
        const double total = noise + nugget_variance;
        double explained = 0;
        for (size_t j = 0; j < m; ++j) explained += block.precision(i, j) * inner(j, i);
        excess += total * total * (explained - block.precision(i, i)) + total - noise;
    }
}

/// One round: posterior second moments of the contexts' coefficients and of the configurations' residuals, then their means.
/// S is shrunk by one pseudo-context of zero, and its diagonal raised by 1e-4 over the count.
inline hierarchical_ernest_parameters improve(const hierarchical_ernest& now, const history_data& history) {
    constexpr size_t terms = ernest_term_count;
    const auto& before = now.parameters();
    matrix covariance(terms, terms);
    matrix prior(terms, terms);
    std::copy(before.covariance.begin(), before.covariance.end(), prior.values().begin());
    double excess = 0;
    for (const auto& context : history.contexts) {
        const auto block = now.block_of(history, context);
        const auto points = history.points_of(context);
        const auto second = second_moment(now, block, points);
        add_coefficient_moment(block, second, prior, covariance);
        add_excess_variance(block, second, points, before.nugget_variance, excess);
    }
    hierarchical_ernest_parameters next;
    const double shrink = 1 / (count_of(history.contexts) + 1);
    for (size_t a = 0; a < terms; ++a)
        for (size_t b = 0; b < terms; ++b)
            next.covariance[a * terms + b] = 0.5 * (covariance(a, b) + covariance(b, a) + (a == b ? 2e-4 : 0)) * shrink;
    next.nugget_variance = (std::max)(excess / count_of(history.points), 1e-5);
    return next;
}

/// Cost per round: contexts x (4 d)^2 operations for d features.
inline hierarchical_ernest_parameters fit_hierarchical_ernest(const history_data& history, double pressure_slope,
                                                              hierarchical_ernest_parameters start, int rounds = 60) {
    for (int round = 0; round < rounds; ++round) {
        const hierarchical_ernest now(start, history, pressure_slope);
        if (!now.usable()) return start;
        start = improve(now, history);
    }
    return start;
}

/// Log-density of a context's points under an expert's prediction for exactly these points, its covariance scaled by `scale`
/// squared, plus `deviation` squared times the deviation kernel.
inline double log_density_of_points(const history_data& history, const history_context& context,
                                    const expert_answer& prediction, double scale = 1, double deviation = 0) {
    const size_t m = context.count;
    matrix covariance = deviation_kernel(history.log_scale_outs_of(context));
    std::vector<double> residual(m);
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < m; ++j)
            covariance(i, j) = covariance(i, j) * deviation * deviation + prediction.covariance(i, j) * scale * scale;
        covariance(i, i) += history.points[context.first + i].variance;
        residual[i] = history.points[context.first + i].log_runtime - prediction.mean[i];
    }
    matrix factor;
    if (factorise_with_jitter(covariance, factor) < 0) return -1e6;
    solve_transposed(factor, residual);
    double log = -0.5 * dot(residual.data(), residual.data(), m) - 0.5 * log_two_pi * static_cast<double>(m);
    for (size_t i = 0; i < m; ++i) log -= std::log(factor(i, i));
    return log;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
