// Fifth step of blend_fit.hpp: prior weights of experts and their components; the variance between a property's texts.
#ifndef BELLAMY_DETAIL_BLEND_WEIGHTS_HPP
#define BELLAMY_DETAIL_BLEND_WEIGHTS_HPP

#include <bellamy/detail/blend/cluster_regression.hpp>
#include <bellamy/detail/blend/outliers.hpp>
#include <bellamy/detail/maths/mixture_weights.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The prior mixture's components: every fitted expert with several scales and deviations, which share its prior weight.
inline std::vector<blend_component> components_at_prior_weight(const fitted_processes& processes,
                                                               by_expert<bool> taking_part) {
    for (const auto kind : all_processes)
        if (!processes[kind]) taking_part[expert_of(kind)] = false;
    std::vector<blend_component> components;
    double sum = 0;
    for (const auto expert : all_experts) {
        if (!taking_part[expert]) continue;
        for (const double scale : {0.5, 1.5})
            for (const double deviation : {0.0, 0.1}) {
                const double weight = prior_weight(expert);
                components.push_back({.expert = expert, .scale = scale, .deviation_sd = deviation, .weight = weight});
                sum += weight;
            }
    }
    for (auto& component : components) component.weight /= sum;
    return components;
}

/// Weights of all components from their log-densities of contexts (rows): within each expert, then across experts, both
/// shrunk by so many pseudo-contexts: towards equal weights, and towards the experts' prior weights. Across experts the
/// prior has to be stronger, because a context's joint density is dominated by its worst points. Components of one expert
/// are contiguous.
inline std::vector<double> component_weights(const matrix& log_densities, const std::vector<blend_component>& components,
                                             double component_pseudo_contexts = 1, double expert_pseudo_contexts = 6) {
    std::vector<double> weights(components.size());
    std::vector<size_t> firsts;
    for (size_t j = 0; j < components.size(); ++j)
        if (j == 0 || components[j].expert != components[j - 1].expert) firsts.push_back(j);
    matrix of_experts(log_densities.rows(), firsts.size());
    for (size_t e = 0; e < firsts.size(); ++e) {
        const size_t first = firsts[e];
        const size_t count = (e + 1 < firsts.size() ? firsts[e + 1] : components.size()) - first;
        matrix within(log_densities.rows(), count);
        for (size_t h = 0; h < within.rows(); ++h) std::copy_n(log_densities.row(h) + first, count, within.row(h));
        const std::vector<double> pseudo_contexts(count, component_pseudo_contexts / static_cast<double>(count));
        const auto component_weight = mixture_weights(within, pseudo_contexts);
        std::copy(component_weight.begin(), component_weight.end(), weights.begin() + static_cast<std::ptrdiff_t>(first));
        for (size_t h = 0; h < within.rows(); ++h) {
            for (size_t j = 0; j < count; ++j) within(h, j) += std::log(component_weight[j]);
            of_experts(h, e) = log_sum_exp(std::span(within.row(h), count));
        }
    }
    std::vector<double> pseudo_contexts(firsts.size());
    for (size_t e = 0; e < firsts.size(); ++e) pseudo_contexts[e] = prior_weight(components[firsts[e]].expert);
    const double sum = sum_of(pseudo_contexts);
    for (double& count : pseudo_contexts) count *= expert_pseudo_contexts / sum;
    const auto expert_weight = mixture_weights(of_experts, pseudo_contexts);
    size_t e = 0;
    for (size_t j = 0; j < components.size(); ++j) {
        if (e + 1 < firsts.size() && j == firsts[e + 1]) ++e;
        weights[j] *= expert_weight[e];
    }
    return weights;
}

/// Log-densities of every context's points (rows) under every component (columns), the context left out, with growth trend
/// and hyper-parameters fitted to the other folds. To save time these fits start from the one to all contexts, so that they
/// are not quite independent of the fold; hence the stronger prior across experts.
inline matrix left_out_log_densities(const feature_map& features, const sample_fit& fit,
                                     const hierarchical_ernest_parameters& ernest_start,
                                     const std::vector<blend_component>& components, const blend_options& options) {
    constexpr size_t most_folds = 4;
    const auto& history = fit.sample.fitted();
    const double slope = fit.sample.pressure_slope();
    const auto order = shuffled_indices(history.contexts.size(), options.seed);
    const size_t folds = (std::min)(most_folds, order.size());
    matrix log_densities(order.size(), components.size());
    std::vector<std::vector<weighted_answer>> regression_predictions;
    if (has_expert(components, expert_kind::cluster_regression))
        regression_predictions = cluster_regression(features, history).predict_left_out_contexts(history);
    for_each_index(folds, options.threads, [&](size_t fold) {
        std::vector<size_t> others;
        for (size_t i = 0; i < order.size(); ++i)
            if (i % folds != fold) others.push_back(order[i]);
        sort(others);
        const auto rest = detrend(features, history_sample(select_contexts(history, others)), others.size());
        const detrended_sample all(history_sample(history), order.size(), rest.trend(), slope);
        by_process<std::vector<expert_answer>> process_predictions;
        for (const auto kind : all_processes) {
            if (!fit.processes[kind]) continue;
            const auto refit = fit_process(rest, kind, *fit.processes[kind], options.fold_iterations);
            process_predictions[kind] =
                process_fit(all.history_of(kind), slope, refit.objective).predict_left_out_contexts(refit.parameters);
        }
        const hierarchical_ernest ernest(fit_hierarchical_ernest(rest.residual(), slope, ernest_start, 20), all.residual(),
                                         slope);
        for (size_t i = fold; i < order.size(); i += folds) {
            const size_t c = order[i];
            const auto& context = history.contexts[c];
            const auto log_scale_outs = history.log_scale_outs_of(context);
            const auto ernest_prediction = ernest.without(all.residual(), c, question_about(context, slope, log_scale_outs));
            by_expert<std::vector<weighted_answer>> predictions{};
            for (const auto kind : all_processes)
                if (!process_predictions[kind].empty())
                    predictions[expert_of(kind)] = {{.answer = std::move(process_predictions[kind][c])}};
            predictions[expert_kind::hierarchical_ernest] = {{.answer = ernest_prediction}};
            if (!regression_predictions.empty()) predictions[expert_kind::cluster_regression] = regression_predictions[c];
            for (size_t j = 0; j < components.size(); ++j) {
                const auto& [expert, scale, deviation, weight] = components[j];
                std::vector<double> log_joints{-1e6};
                for (const auto& [probability, answer] : predictions[expert])
                    log_joints.push_back(std::log(probability) +
                                         log_density_of_points(all.history_of(expert), context, answer, scale, deviation));
                log_densities(c, j) = log_sum_exp(log_joints);
            }
        }
    });
    return log_densities;
}

/// Mean residual of the log-runtimes of one value of a text property from what all other values predict, and that
/// prediction's variance.
struct value_deviation {
    double deviation = 0;
    double variance = 0;
};

/// Scale of the standard deviation between values of a text property, and between machine types whose cores and memory are
/// known.
inline constexpr double scale_between_values = 0.3;
inline constexpr double scale_between_known_machines = 0.1;

/// Variance of a new value's log-runtimes around what V values predict: posterior mean of t^2 (1 + 1/V), t half-t with 4
/// degrees of freedom and this scale (Gelman 2006), on a grid. Each deviation is one from the mean of V - 1 others, so that
/// its variance is t^2 V / (V - 1) besides its own, and V of them count as V - 1. Without any value it is the prior's mean
/// within the grid, about 0.4 squared for a scale of 0.3.
inline double between_values_variance(std::span<const value_deviation> values, double scale = scale_between_values) {
    constexpr size_t steps = 60;
    constexpr double largest = 3;
    const double count = count_of(values);
    const double ratio = values.size() > 1 ? count / (count - 1) : 1;
    // Quadratic, so that small deviations have cells of their own, as wide as i + 1/2.
    const auto deviation_at = [](double i) { return largest * (i + 0.5) * (i + 0.5) / (steps * steps); };
    std::array<double, steps> log_densities{};
    for (size_t i = 0; i < steps; ++i) {
        const auto cell = static_cast<double>(i);
        const double t = deviation_at(cell);
        log_densities[i] = std::log(cell + 0.5) - 2.5 * std::log1p(t * t / (4 * scale * scale));
        for (const auto& value : values) {
            const double variance = value.variance + ratio * t * t;
            log_densities[i] += log_density(value.deviation, variance) / ratio;
        }
    }
    const double most = *std::max_element(log_densities.begin(), log_densities.end());
    double sum = 0;
    double weighted_squares = 0;
    for (size_t i = 0; i < steps; ++i) {
        const double weight = std::exp(log_densities[i] - most);
        const double t = deviation_at(static_cast<double>(i));
        sum += weight;
        weighted_squares += weight * t * t;
    }
    return weighted_squares / sum * (values.empty() ? 1 : 1 + 1 / count);
}

/// Leaves each value of a property out, and predicts its contexts by the process of the others as contexts of a value that
/// is not in the history. `value_of`: each context's value as an index, `columns`: the property's features. Cost: n^3/3
/// operations a value for n points.
inline std::vector<value_deviation> value_deviations(const gaussian_process_parameters& parameters,
                                                     const history_data& history, double pressure_slope,
                                                     std::span<const size_t> value_of, std::span<const size_t> columns,
                                                     size_t values) {
    std::vector<value_deviation> deviations;
    for (size_t value = 0; value < values; ++value) {
        std::vector<size_t> others;
        for (size_t c = 0; c < history.contexts.size(); ++c)
            if (value_of[c] != value) others.push_back(c);
        if (others.empty() || others.size() == history.contexts.size()) continue;
        const auto rest = select_contexts(history, others);
        const gaussian_process process(parameters, rest, pressure_slope);
        if (!process.usable()) continue;
        value_deviation sum;
        double count = 0;
        for (size_t c = 0; c < history.contexts.size(); ++c) {
            if (value_of[c] != value) continue;
            auto context = history.contexts[c];
            for (const auto column : columns) context.features[column] = 0;
            const auto log_scale_outs = history.log_scale_outs_of(context);
            const auto prediction = process(rest, question_about(context, pressure_slope, log_scale_outs));
            const auto m = static_cast<double>(context.count);
            for (size_t i = 0; i < context.count; ++i) {
                sum.deviation += (history.points[context.first + i].log_runtime - prediction.mean[i]) / m;
                sum.variance += history.points[context.first + i].variance / (m * m);
                for (size_t j = 0; j < context.count; ++j) sum.variance += prediction.covariance(i, j) / (m * m);
            }
            count += 1;
        }
        deviations.push_back({.deviation = sum.deviation / count, .variance = sum.variance / count});
    }
    return deviations;
}

/// The features with each text property's variance between its values, for values that are not in the history.
inline feature_map with_value_variances(feature_map features, const history_summary& summary, const sample_fit& fit) {
    constexpr size_t most_values = 8;
    const auto& process = fit.processes[process_kind::over_trend];
    for (auto& known : features.known) {
        std::vector<value_deviation> deviations;
        if (known.numbers_per_value == 0 && process) {
            std::vector<size_t> value_of;
            for (size_t c = 0; c < fit.sample.fitted_contexts(); ++c) {
                const auto& context = *summary.view.contexts[summary.view_contexts[c]];
                const auto* text = find_property(context, known.property)->value.text();
                const auto value =
                    text == nullptr ? known.values.end() : std::lower_bound(known.values.begin(), known.values.end(), *text);
                value_of.push_back(static_cast<size_t>(value - known.values.begin()));
            }
            std::vector<size_t> columns;
            for (size_t i = 0; i < features.columns.size(); ++i)
                if (features.columns[i].property == known.property) columns.push_back(i);
            deviations = value_deviations(process->parameters, fit.sample.residual(), fit.sample.pressure_slope(), value_of,
                                          columns, (std::min)(known.values.size(), most_values));
        }
        known.variance = between_values_variance(
            deviations, known.property == features.machine_type ? scale_between_known_machines : scale_between_values);
    }
    return features;
}

/// What completes the blend.
struct fitted_components {
    feature_map features{};
    hierarchical_ernest_parameters ernest{};
    std::vector<blend_component> components{};
};

/// Fifth step of the fit. With too few contexts to leave out the weights are the prior's.
inline fitted_components fit_weights(const history_summary& summary, const sample_fit& fit, const blend_options& options) {
    auto features = with_value_variances(summary.features, summary, fit);
    const auto ernest =
        fit_hierarchical_ernest(fit.sample.residual(), fit.sample.pressure_slope(), start_of_hierarchical_ernest());
    auto taking_part = options.experts;
    taking_part[expert_kind::cluster_regression] &= cluster_regression::is_for(features, fit.sample.fitted());
    auto components = components_at_prior_weight(fit.processes, taking_part);
    if (has_enough_to_leave_out(fit.sample)) {
        const auto weights =
            component_weights(left_out_log_densities(features, fit, ernest, components, options), components);
        for (size_t j = 0; j < weights.size(); ++j) components[j].weight = weights[j];
    }
    return {.features = std::move(features), .ernest = ernest, .components = std::move(components)};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
