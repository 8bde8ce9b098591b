// Fourth step of blend_fit.hpp: down-weights stragglers, wrong records and anomalous contexts, so that they mislead
// little.
#ifndef BELLAMY_DETAIL_BLEND_OUTLIERS_HPP
#define BELLAMY_DETAIL_BLEND_OUTLIERS_HPP

#include <bellamy/detail/blend/processes.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A point's noise variance as the mixture of a usual run and an outlier has it, by precision. The larger an outlier's
/// residual, the less it counts.
inline double inflated_variance(double noise_variance, double outlier_probability, double residual) noexcept {
    const double wide = (std::max)(straggler_variance + straggler_delay * straggler_delay, residual * residual);
    return 1 / ((1 - outlier_probability) / noise_variance + outlier_probability / (std::max)(wide, noise_variance));
}

/// How far each point of a trend's residuals is from the others, where that is so far that it may pull the fit to itself,
/// else 0: a context's median from the other contexts', and a point from the others of its context, if it has two.
inline std::vector<double> far_deviations(const history_data& residual) {
    static constexpr double robust_deviations = 5;
    static constexpr double factor_of_two = 0.7;
    std::vector<double> deviations(residual.points.size());
    std::vector<double> levels;
    std::vector<double> within;
    for (const auto& context : residual.contexts) {
        const auto values = values_of(residual.points_of(context), &history_point::log_runtime);
        levels.push_back(median_of(values));
        for (size_t i = 0; i < values.size(); ++i) {
            deviations[context.first + i] = values[i] - levels.back();
            if (values.size() >= 3) within.push_back(deviations[context.first + i]);
        }
    }
    const double middle = median_of(levels);
    for (double& level : levels) level -= middle;
    const auto threshold = [](std::span<const double> values) {
        return (std::max)(robust_deviations * robust_sd(values), factor_of_two);
    };
    const double level_threshold = threshold(levels);
    const double point_threshold = threshold(within);
    const auto beyond = [](double deviation, double least) { return std::abs(deviation) > least ? deviation : 0.0; };
    for (size_t i = 0; i < deviations.size(); ++i) {
        const size_t context = residual.points[i].context;
        const bool has_others = residual.contexts[context].count >= 3;
        deviations[i] =
            beyond(levels[context], level_threshold) + (has_others ? beyond(deviations[i], point_threshold) : 0.0);
    }
    return deviations;
}

/// A sample and the processes that were fitted to its leading contexts.
struct sample_fit {
    detrended_sample sample;
    fitted_processes processes{};
};

/// Leave-one-out predictions and outlier probabilities of the leading contexts' points, by the process over the growth
/// trend: the other one, fitted to leave contexts out, follows stragglers where contexts have few points. Without that
/// process there are no outliers.
inline history_sample assess_points(const sample_fit& fit) {
    auto sample = fit.sample.sample();
    const auto& reference = fit.processes[process_kind::over_trend];
    const auto& residual = fit.sample.residual();
    std::vector<point_prediction> predictions;
    if (reference)
        predictions =
            process_fit(residual, fit.sample.pressure_slope(), reference->objective).leave_points_out(reference->parameters);
    for (size_t i = 0; i < residual.points.size(); ++i) {
        auto& assessed = sample.points[i];
        assessed.expected = assessed.expected_variance = assessed.outlier_probability = 0;
        if (predictions.empty()) continue;
        const double deviation = residual.points[i].log_runtime - predictions[i].mean;
        assessed.expected = assessed.point.log_runtime - deviation;
        assessed.expected_variance = predictions[i].variance;
        // A lower bound (no run has ended) below what is expected tells nothing: an outlier without weight in the refit.
        if (assessed.point.repetitions == 0 && deviation < 0) {
            assessed.inlier_variance = uninformative_variance;
            assessed.outlier_probability = 1;
            continue;
        }
        assessed.outlier_probability =
            log_densities_of(deviation, predictions[i].variance, assessed.inlier_variance, assessed.point.repetitions)
                .outlier_probability();
    }
    return sample;
}

/// Inflates the noise variances of so many leading points by their outlier probabilities.
inline history_sample down_weight_assessed(history_sample sample, size_t points) {
    for (auto& assessed : std::span(sample.points).first(points))
        assessed.point.variance = inflated_variance(assessed.inlier_variance, assessed.outlier_probability,
                                                    assessed.point.log_runtime - assessed.expected);
    return sample;
}

/// Sum of the leave-one-out log-densities of all points, any of which may be an outlier, under the best process.
inline double leave_one_out_log_density(const sample_fit& fit) {
    double best = -infinite;
    for (const auto kind : all_processes) {
        const auto& process = fit.processes[kind];
        if (!process) continue;
        const auto& history = fit.sample.history_of(kind);
        const auto predictions =
            process_fit(history, fit.sample.pressure_slope(), process->objective).leave_points_out(process->parameters);
        if (predictions.empty()) continue;
        double sum = 0;
        for (size_t i = 0; i < predictions.size(); ++i)
            sum += log_densities_of(history.points[i].log_runtime - predictions[i].mean, predictions[i].variance,
                                    fit.sample.sample().points[i].inlier_variance, history.points[i].repetitions)
                       .marginal();
        best = (std::max)(best, sum);
    }
    return best;
}

/// Residuals from a growth trend that is fitted repeatedly, each point down-weighted by its last residual. `trend`: as
/// `fit_growth_trend` gives it for the history.
inline history_data robust_residual(const feature_map& features, const history_data& history, growth_trend trend) {
    constexpr int rounds = 5;
    auto weighted = history;
    for (int round = 0;; ++round) {
        auto residual = trend.residual(history);
        if (round == rounds) return residual;
        const auto values = values_of(residual.points, &history_point::log_runtime);
        const double middle = median_of(values);
        for (size_t i = 0; i < values.size(); ++i)
            weighted.points[i].variance = history.points[i].variance + (values[i] - middle) * (values[i] - middle);
        trend = fit_growth_trend(features, weighted);
    }
}

/// Searches for outliers among the points; the second one finds those that the worst ones masked.
inline constexpr int outlier_rounds = 2;

/// Whether another fit replaced the first one.
struct far_point_refit {
    sample_fit fit;
    bool replaced = false;
};

/// Outliers can mask themselves: where points are far from a robust trend, refits with those down-weighted, and keeps the
/// fit of the higher leave-one-out density.
inline far_point_refit refit_without_far_points(const feature_map& features, const sample_fit& fit,
                                                const blend_options& options) {
    auto sample = fit.sample.sample();
    const auto deviations = far_deviations(robust_residual(features, sample.history(), fit.sample.trend()));
    if (all_of(deviations, [](double deviation) { return deviation == 0; })) return {fit};
    for (size_t i = 0; i < deviations.size(); ++i) sample.points[i].point.variance += deviations[i] * deviations[i];
    auto detrended = detrend(features, sample, fit.sample.fitted_contexts());
    auto processes = fit_processes(detrended, options);
    sample_fit refit{.sample = std::move(detrended), .processes = std::move(processes)};
    if (leave_one_out_log_density(refit) > leave_one_out_log_density(fit)) return {std::move(refit), true};
    // Points beyond the leading contexts stay down-weighted until they are assessed.
    for (auto& sampled : std::span(sample.points).first(fit.sample.fitted().points.size()))
        sampled.point.variance = sampled.inlier_variance;
    return {{.sample = fit.sample.with(std::move(sample)), .processes = fit.processes}};
}

/// Assesses the leading contexts' points, down-weights the outliers and refits trend and processes, until none is found.
inline sample_fit down_weight_points(const feature_map& features, const sample_fit& first, const blend_options& options) {
    auto [fit, replaced] = refit_without_far_points(features, first, options);
    for (int round = 0; round < outlier_rounds; ++round) {
        auto assessed = assess_points(fit);
        const bool any = any_of(assessed.points, [](const auto& sampled) { return sampled.outlier_probability > 0.5; });
        if (!any && !(round == 0 && replaced)) {
            fit.sample = fit.sample.with(std::move(assessed));
            break;
        }
        const size_t points = fit.sample.fitted().points.size();
        fit.sample = detrend(features, down_weight_assessed(std::move(assessed), points), fit.sample.fitted_contexts());
        fit.processes = refit_processes(fit.sample, std::move(fit.processes), options);
    }
    return fit;
}

/// Sets each context's anomaly variance: the candidate of the highest likelihood of its points given all other contexts',
/// where that beats none by more than the prior log-odds, else 0 (spike and slab prior: Mitchell, Beauchamp 1988). Greedy
/// from the worst context, because an anomaly makes its neighbours look anomalous; at most a quarter of the contexts. Cost:
/// n^3 operations for n points, once more than there are anomalies.
inline history_data find_anomalies(history_data history, double pressure_slope, process_objective objective,
                                   const gaussian_process_parameters& parameters) {
    constexpr double prior_log_odds = 4;  // against an anomaly: 55 to 1
    constexpr std::array candidate_deviations{0.04, 0.08, 0.16, 0.32, 0.64, 1.28};
    for (auto& context : history.contexts) context.anomaly_variance = 0;
    process_fit process(history, pressure_slope, objective);
    for (size_t left = history.contexts.size() / 4; left > 0; --left) {
        const auto predictions = process.predict_left_out_contexts(parameters);
        if (predictions.empty()) break;
        history_context* worst = nullptr;
        double highest_gain = prior_log_odds;
        double variance = 0;
        for (size_t c = 0; c < history.contexts.size(); ++c) {
            auto& context = history.contexts[c];
            if (context.anomaly_variance > 0) continue;
            const double without_anomaly = log_density_of_points(history, context, predictions[c]);
            const auto log_scale_outs = history.log_scale_outs_of(context);
            for (const double deviation : candidate_deviations) {
                auto wider = predictions[c];
                for (size_t i = 0; i < context.count; ++i)
                    for (size_t j = 0; j < context.count; ++j)
                        wider.covariance(i, j) +=
                            deviation * deviation * anomaly_covariance(log_scale_outs[i], log_scale_outs[j]);
                const double gain = log_density_of_points(history, context, wider) - without_anomaly;
                if (gain <= highest_gain) continue;
                worst = &context;
                highest_gain = gain;
                variance = deviation * deviation;
            }
        }
        if (worst == nullptr) break;
        worst->anomaly_variance = variance;
    }
    return history;
}

/// Finds anomalous contexts, refits the processes with those down-weighted, and repeats the search. Hierarchical Ernest
/// shares too little between contexts to be misled.
inline sample_fit down_weight_contexts(sample_fit fit, const blend_options& options) {
    const auto kind = fit.processes[process_kind::without_trend] ? process_kind::without_trend : process_kind::over_trend;
    if (!fit.processes[kind]) return fit;
    const auto mark_anomalies = [&] {
        const auto history = find_anomalies(fit.sample.history_of(kind), fit.sample.pressure_slope(),
                                            fit.processes[kind]->objective, fit.processes[kind]->parameters);
        auto sample = fit.sample.sample();
        // The history's contexts are the leading ones of the sample, in the same order.
        std::copy(history.contexts.begin(), history.contexts.end(), sample.contexts.begin());
        fit.sample = fit.sample.with(std::move(sample));
        return any_of(history.contexts, [](const auto& context) { return context.anomaly_variance > 0; });
    };
    if (!mark_anomalies()) return fit;
    fit.processes = refit_processes(fit.sample, std::move(fit.processes), options);
    mark_anomalies();
    return fit;
}

/// Down-weights outliers among the points that no hyper-parameters were fitted to: in parts of equal size, each assessed by
/// the processes conditioned on it. Contexts of a large history are in random order, so that each part is a sample.
inline history_sample down_weight_other_contexts(const feature_map& features, const sample_fit& fit,
                                                 const blend_options& options) {
    const auto& all = fit.sample.sample();
    const size_t leading = fit.sample.fitted_contexts();
    const size_t contexts = all.contexts.size() - leading;
    const size_t points = all.points.size() - fit.sample.fitted().points.size();
    const auto trend = fit_growth_trend(features, all.history());
    const size_t count = (points + options.fitted_points - 1) / options.fitted_points;
    std::vector<history_sample> parts(count);
    for_each_index(count, options.threads, [&](size_t p) {
        const size_t begin = leading + contexts * p / count;
        const size_t end = leading + contexts * (p + 1) / count;
        auto& part = parts[p];
        part = all.slice(begin, end - begin);
        for (int round = 0; round < outlier_rounds; ++round)
            part = down_weight_assessed(assess_points({.sample = {part, end - begin, trend, fit.sample.pressure_slope()},
                                                       .processes = fit.processes}),
                                        part.points.size());
    });
    auto sample = all.slice(0, leading);
    for (const auto& part : parts)
        for (size_t c = 0; c < part.contexts.size(); ++c) sample.append(part, c);
    return sample;
}

/// The processes, and the whole sample over the trend that is stored.
struct robust_fit {
    sample_fit fitted;
    detrended_sample all;
};

/// Fourth step of the fit. Without contexts to leave out there are no outliers.
inline robust_fit down_weight_outliers(const feature_map& features, sample_fit fit, const blend_options& options) {
    if (has_enough_to_leave_out(fit.sample)) {
        fit = down_weight_contexts(down_weight_points(features, fit, options), options);
        if (fit.sample.fitted_contexts() < fit.sample.sample().contexts.size())
            return {fit,
                    detrend(features, down_weight_other_contexts(features, fit, options), fit.sample.fitted_contexts())};
    }
    return {fit, fit.sample};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
