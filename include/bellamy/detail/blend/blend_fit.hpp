// Fits a blend to a history in five steps: summarise, detrend, fit the processes, down-weight outliers, fit the weights.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP

#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/weights.hpp>

#include <map>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Runs of the sample's configurations that are outliers with a probability of 0.95, in the order of the history.
inline std::vector<improbable_run> improbable_runs(const history_summary& summary, const history_sample& sample) {
    std::vector<improbable_run> runs;
    for (const auto& [point, inlier_variance, expected, expected_variance, outlier_probability] : sample.points) {
        const auto& configuration = summary.view.configurations[point.configuration];
        // Runs of a configuration whose median is none are compared with that.
        const bool outlier = outlier_probability > 0.5;
        const double centre = outlier ? expected : point.log_runtime;
        const double noise_variance = summary.noise.nearest(std::log(configuration.scale_out)).narrow_variance;
        for (size_t r = 0; r < configuration.runs.size(); ++r) {
            const double log_runtime = configuration.log_runtimes[r];
            const auto densities =
                log_densities_of(log_runtime - centre, outlier ? expected_variance : 0, noise_variance, 1);
            if (!(configuration.censored[r] && log_runtime < centre) && densities.is_improbable())
                runs.push_back(
                    {.run = configuration.runs[r], .found_s = std::exp(log_runtime), .expected_s = std::exp(centre)});
        }
    }
    sort(runs, [](const auto& a, const auto& b) { return a.run < b.run; });
    return runs;
}

/// What a fit stores.
inline blend_data blend_data_of(const history_summary& summary, const detrended_sample& all, fitted_components fitted,
                                const by_process<std::optional<gaussian_process_parameters>>& processes,
                                const blend_options& options) {
    const auto& sample = all.sample();
    blend_data data{.features = std::move(fitted.features),
                    .noise = summary.noise,
                    .history = sample.history(),
                    .process_contexts = contexts_within(sample.contexts, options.process_points),
                    .growth = all.trend().parameters(),
                    .processes = processes,
                    .ernest = fitted.ernest,
                    .components = std::move(fitted.components),
                    .seen_scale_outs = summary.seen_scale_outs,
                    .lowest_log_runtime = summary.range.lowest,
                    .highest_log_runtime = summary.range.highest,
                    .curvature = summary.curvature,
                    .report = {.contexts = static_cast<std::uint32_t>(sample.contexts.size()),
                               .points = static_cast<std::uint32_t>(sample.points.size()),
                               .fitted_contexts = static_cast<std::uint32_t>(summary.fitted_contexts)}};
    for (const size_t c : summary.view_contexts) data.context_hashes.push_back(identity_hash(*summary.view.contexts[c]));
    return data;
}

/// Precondition: valid runs (see `validate`), at least one of positive weight.
inline fitted_blend fit_blend(std::span<const run> history, const blend_options& options = {}) {
    const auto summary = summarise(group_runs(history), options);
    auto detrended = detrend(summary.features, summary.sample, summary.fitted_contexts);
    auto processes = fit_processes(detrended, options);
    const auto robust =
        down_weight_outliers(summary.features, {.sample = std::move(detrended), .processes = std::move(processes)}, options);
    by_process<std::optional<gaussian_process_parameters>> parameters;
    for (const auto kind : all_processes)
        if (const auto& process = robust.fitted.processes[kind]) parameters[kind] = process->parameters;
    auto data = blend_data_of(summary, robust.all, fit_weights(summary, robust.fitted, options), parameters, options);
    data.report.left_out = has_enough_to_leave_out(robust.fitted.sample);
    if (data.report.left_out) data.report.improbable_runs = improbable_runs(summary, robust.all.sample());
    return fitted_blend(std::move(data));
}

/// Gives features the standardisation and the variances between values of an earlier fit, so that its hyper-parameters mean
/// the same; false where they are other features.
inline bool keep_standardisation(feature_map& features, const feature_map& earlier) {
    const auto same_column = [](const feature_column& a, const feature_column& b) {
        return a.property == b.property && a.source == b.source && a.token == b.token && a.value == b.value &&
               a.logarithm == b.logarithm;
    };
    const auto same_property = [](const known_property& a, const known_property& b) { return a.property == b.property; };
    if (!std::equal(features.columns.begin(), features.columns.end(), earlier.columns.begin(), earlier.columns.end(),
                    same_column) ||
        !std::equal(features.known.begin(), features.known.end(), earlier.known.begin(), earlier.known.end(), same_property))
        return false;
    for (size_t i = 0; i < features.columns.size(); ++i) {
        features.columns[i].mean = earlier.columns[i].mean;
        features.columns[i].deviation = earlier.columns[i].deviation;
    }
    for (size_t i = 0; i < features.known.size(); ++i) features.known[i].variance = earlier.known[i].variance;
    return true;
}

/// Takes in a history with the hyper-parameters and weights of an earlier fit: features, noise, trend, medians and outliers
/// among the points are new, anomalous contexts stay what they were. Empty where the hyper-parameters have to be fitted:
/// for other features, or where the earlier history had fewer points than they are fitted to.
inline std::optional<fitted_blend> update_blend(const blend_data& earlier, std::span<const run> history) {
    const blend_options options;
    if (earlier.history.points.size() < options.fitted_points) return std::nullopt;
    auto view = group_runs(history);
    auto features = make_feature_map(view);
    if (!keep_standardisation(features, earlier.features)) return std::nullopt;
    auto summary = summarise(std::move(view), options, std::move(features));
    std::map<std::uint64_t, double> anomalies;
    for (size_t c = 0; c < earlier.context_hashes.size(); ++c)
        if (earlier.history.contexts[c].anomaly_variance > 0)
            anomalies[earlier.context_hashes[c]] = earlier.history.contexts[c].anomaly_variance;
    for (size_t c = 0; c < summary.view_contexts.size() && !anomalies.empty(); ++c)
        if (const auto known = anomalies.find(identity_hash(*summary.view.contexts[summary.view_contexts[c]]));
            known != anomalies.end())
            summary.sample.contexts[c].anomaly_variance = known->second;
    sample_fit fit{.sample = {summary.sample, 0, growth_trend(), summary.features.pressure_slope()}};
    for (const auto kind : all_processes)
        if (earlier.processes[kind]) fit.processes[kind] = process_fit_outcome{.parameters = *earlier.processes[kind]};
    // Many small parts cost less than few large ones: the cube of their points each.
    const auto robust = down_weight_other_contexts(summary.features, fit, {.fitted_points = 60});
    return fitted_blend::factorised_on_first_use(
        blend_data_of(summary, detrend(summary.features, robust, 0),
                      {.features = summary.features, .ernest = earlier.ernest, .components = earlier.components},
                      earlier.processes, options));
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
