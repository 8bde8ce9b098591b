// Fits a blend to a history in five steps: summarise, detrend, fit the processes, down-weight outliers, fit the weights.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP

#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/weights.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Runs of the sample's configurations that are outliers with a probability of 0.95, in the order of the history.
inline std::vector<improbable_run> improbable_runs(const history_summary& summary, const history_sample& sample) {
    std::vector<improbable_run> runs;
    for (const auto& [point, prior_variance, expected, expected_variance, outlier_probability] : sample.points) {
        const size_t context = summary.view_contexts[point.context];
        const double relative_cores = summary.features(*summary.view.contexts[context]).relative_cores;
        const std::pair key(context, static_cast<int>(std::lround(point.scale_out / relative_cores)));
        const auto configuration =
            std::lower_bound(summary.view.configurations.begin(), summary.view.configurations.end(), key,
                             [](const auto& a, const auto& b) { return std::pair(a.context, a.scale_out) < b; });
        // Runs of a configuration whose median is none are compared with that.
        const bool outlier = outlier_probability > 0.5;
        const double centre = outlier ? expected : point.log_runtime;
        const double noise_variance = summary.noise.nearest(std::log(key.second)).narrow_variance;
        for (size_t r = 0; r < configuration->runs.size(); ++r) {
            const double log_runtime = configuration->log_runtimes[r];
            const auto densities =
                log_densities_of(log_runtime - centre, outlier ? expected_variance : 0, noise_variance, 1);
            if (!configuration->censored[r] && densities.outlier_probability() >= 0.95)
                runs.push_back(
                    {.run = configuration->runs[r], .found_s = std::exp(log_runtime), .expected_s = std::exp(centre)});
        }
    }
    std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.run < b.run; });
    return runs;
}

/// Precondition: valid runs (see `validate`), at least one of positive weight.
inline fitted_blend fit_blend(std::span<const run> history, const blend_options& options = {}) {
    const auto summary = summarise(group_runs(history), options);
    auto detrended = detrend(summary.features, summary.sample, summary.fitted_contexts);
    auto processes = fit_processes(detrended, options);
    const auto robust =
        down_weight_outliers(summary.features, {.sample = std::move(detrended), .processes = std::move(processes)}, options);
    auto weights = fit_weights(summary, robust.fitted, options);

    const auto& sample = robust.all.sample();
    const bool left_out = has_enough_to_leave_out(robust.fitted.sample);
    blend_data data{.features = std::move(weights.features),
                    .noise = summary.noise,
                    .history = sample.history(),
                    .process_contexts = contexts_within(sample.contexts, options.process_points),
                    .growth = robust.all.trend().parameters(),
                    .ernest = weights.ernest,
                    .components = std::move(weights.components),
                    .seen_scale_outs = summary.seen_scale_outs,
                    .lowest_log_runtime = summary.range.lowest,
                    .highest_log_runtime = summary.range.highest,
                    .curvature = summary.curvature,
                    .report = {.contexts = static_cast<std::uint32_t>(sample.contexts.size()),
                               .points = static_cast<std::uint32_t>(sample.points.size()),
                               .fitted_contexts = static_cast<std::uint32_t>(summary.fitted_contexts),
                               .left_out = left_out}};
    for (const size_t c : summary.view_contexts) data.context_hashes.push_back(identity_hash(*summary.view.contexts[c]));
    for (const auto kind : all_processes)
        if (const auto& process = robust.fitted.processes[kind]) data.processes[kind] = process->parameters;
    if (left_out) data.report.improbable_runs = improbable_runs(summary, sample);
    return fitted_blend(std::move(data));
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
