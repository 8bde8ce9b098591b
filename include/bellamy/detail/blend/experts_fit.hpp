// Fits the experts of best mode, with improbable points and anomalous contexts down-weighted.
#ifndef BELLAMY_DETAIL_BLEND_EXPERTS_FIT_HPP
#define BELLAMY_DETAIL_BLEND_EXPERTS_FIT_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/blend/anomaly.hpp>
#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/growth_trend_fit.hpp>
#include <bellamy/detail/blend/hierarchical_ernest_fit.hpp>
#include <bellamy/detail/blend/improbable_points.hpp>

#include <numeric>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct blend_options {
    /// Points that hyper-parameters are fitted to, that the processes are conditioned on, and that are kept at all. A
    /// larger history is represented by randomly chosen contexts, of each at most so many points.
    std::size_t context_points = 8;
    std::size_t fitted_points = 180;
    std::size_t process_points = 512;
    std::size_t kept_points = 4000;
    /// Over the growth trend, and without it.
    std::array<int, process_kinds> process_iterations{40, 100};
    int fold_iterations = 10;
    /// Of the refit where points turn out to be improbable, or contexts anomalous.
    int robust_iterations = 20;
    /// Searches for improbable points; the second one sees what the worst ones hid.
    int improbable_rounds = 2;
    int ernest_rounds = 60;
    int fold_ernest_rounds = 20;
    std::size_t folds = 4;
    std::uint64_t seed = 1;
    /// For independent fits; the result does not depend on it.
    std::size_t threads = 1;
    /// Which experts take part.
    std::array<bool, expert_kinds> experts{true, true, true};
    /// Learn the prior weights, or leave them as they are without a history.
    bool learn_weights = true;
    /// Prior strength, in pseudo-contexts: per expert, across experts.
    double component_prior = 1;
    double expert_prior = 6;
    std::vector<double> scales{0.5, 1.5};
    std::vector<double> deviations{0, 0.1};
};

namespace blend_fitting {

/// A history, and what a growth trend leaves of it.
class detrended_history {
public:
    detrended_history(history_data all, const growth_trend& trend)
        : whole_(std::move(all)), residual_(trend.residual(whole_)), of_sizes_alone_(trend.varies_in_size_only()) {}

    /// What an expert learns from.
    [[nodiscard]] const history_data& of(expert_kind kind) const noexcept {
        return uses_growth_trend(kind) ? residual_ : whole_;
    }
    [[nodiscard]] const history_data& of(std::size_t kind) const noexcept { return of(static_cast<expert_kind>(kind)); }
    [[nodiscard]] const history_data& whole() const noexcept { return whole_; }
    /// Whether contexts differ in their data size and in nothing else.
    [[nodiscard]] bool of_sizes_alone() const noexcept { return of_sizes_alone_; }

    [[nodiscard]] detrended_history over(const growth_trend& trend) const { return {whole_, trend}; }

    void set_noise_variance(std::size_t point, double variance) noexcept {
        whole_.points[point].variance = variance;
        residual_.points[point].variance = variance;
    }

    void set_anomaly_variance(std::size_t context, double variance) noexcept {
        whole_.contexts[context].anomaly_variance = variance;
        residual_.contexts[context].anomaly_variance = variance;
    }

private:
    history_data whole_;
    history_data residual_;
    bool of_sizes_alone_;
};

struct fitted {
    std::array<std::optional<process_fit_outcome>, process_kinds> processes{};
    hierarchical_ernest_parameters ernest{};
    /// What the others say of each point; empty for fewer than three contexts.
    std::vector<judged_point> judged{};
};

/// Contexts that the process without a trend needs to be fitted by leaving them out, with a learned direction of the
/// pressure. From fewer, the direction follows single contexts: one with a memory cliff makes the others have it too.
inline constexpr std::size_t least_left_out_contexts = 16;

[[nodiscard]] constexpr process_objective objective_of(std::size_t kind, std::size_t contexts) noexcept {
    return static_cast<expert_kind>(kind) == expert_kind::process_without_trend && contexts >= least_left_out_contexts
               ? process_objective::leave_context_out
               : process_objective::marginal_likelihood;
}

/// Amplitudes at the centre of the prior, over the usual ones. Where contexts differ in their data size alone, the growth
/// trend says nearly all that they share; the usual ones would take noise of few runs for what it leaves.
[[nodiscard]] inline double prior_amplitudes_of(std::size_t kind, const detrended_history& learned) noexcept {
    return learned.of_sizes_alone() && uses_growth_trend(static_cast<expert_kind>(kind)) ? 0.1 : 1;
}

// Of few contexts that differ in their data size alone, the growth trend says all that they share, a memory cliff too.
[[nodiscard]] inline bool takes_part(std::size_t kind, const detrended_history& learned, bool left_out,
                                     const blend_options& options) noexcept {
    const bool few = learned.whole().contexts.size() < least_left_out_contexts;
    const bool without_trend = left_out && !(few && learned.of_sizes_alone());
    return options.experts[kind] && (uses_growth_trend(static_cast<expert_kind>(kind)) || without_trend);
}

[[nodiscard]] inline std::array<std::optional<process_fit_outcome>, process_kinds> fit_processes(
    const detrended_history& learned, double slope, bool left_out, const blend_options& options) {
    std::array<std::optional<process_fit_outcome>, process_kinds> processes;
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (!takes_part(k, learned, left_out, options)) return;
        auto fit = fit_gaussian_process(
            learned.of(k), slope, objective_of(k, learned.whole().contexts.size()), {},
            {.iterations = options.process_iterations[k], .prior_amplitudes = prior_amplitudes_of(k, learned)});
        if (std::isfinite(fit.value)) processes[k] = std::move(fit);
    });
    return processes;
}

// A few steps from where they are.
inline void refit_processes(const detrended_history& learned, double slope, fitted& whole, const blend_options& options) {
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (!whole.processes[k]) return;
        const auto& before = *whole.processes[k];
        auto again = fit_gaussian_process(
            learned.of(k), slope, before.objective, before.packed,
            {.iterations = options.robust_iterations, .prior_amplitudes = prior_amplitudes_of(k, learned)});
        if (std::isfinite(again.value)) whole.processes[k] = std::move(again);
    });
}

// Finds anomalous contexts, refits the processes with those down-weighted, and repeats the search. Hierarchical Ernest
// shares too little between contexts to be misled.
inline void down_weight_anomalies(detrended_history& learned, double slope, fitted& whole, const blend_options& options) {
    const std::size_t judge = whole.processes[1] ? 1 : 0;
    if (!whole.processes[judge]) return;
    const auto search = [&] {
        auto judged = learned.of(judge);
        const bool any =
            find_anomalies(judged, slope, whole.processes[judge]->objective, whole.processes[judge]->parameters);
        for (std::size_t c = 0; c < judged.contexts.size(); ++c)
            learned.set_anomaly_variance(c, judged.contexts[c].anomaly_variance);
        return any;
    };
    if (!search()) return;
    refit_processes(learned, slope, whole, options);
    search();
}

// What the others say of each point, by the process over the growth trend: the other one, fitted to leave single contexts
// out, bends to stragglers where contexts have few points. `usual` are the noise variances of points that are not
// improbable. Nothing is improbable without that process.
[[nodiscard]] inline std::vector<judged_point> judge_points(const detrended_history& learned, double slope,
                                                            const fitted& whole, std::span<const double> usual) {
    constexpr auto judge = static_cast<std::size_t>(expert_kind::process_over_trend);
    std::vector<judged_point> judged(usual.size());
    if (!whole.processes[judge]) return judged;
    const auto& history = learned.of(judge);
    const auto answers = process_fit(history, slope, whole.processes[judge]->objective)
                             .without_each_point(whole.processes[judge]->parameters);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const double deviation = history.points[i].log_runtime - answers[i].mean;
        judged[i] = {.improbability = improbability(deviation, answers[i].variance, usual[i], history.points[i].repetitions),
                     .expected = learned.whole().points[i].log_runtime - deviation,
                     .variance = answers[i].variance};
    }
    return judged;
}

// How well the processes foretell each point from the others, a few of which may be improbable: the best one's sum of
// log-densities. `usual` as above.
[[nodiscard]] inline double left_out_log_density(const detrended_history& learned, double slope, const fitted& whole,
                                                 std::span<const double> usual) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < process_kinds; ++k) {
        if (!whole.processes[k]) continue;
        const auto& history = learned.of(k);
        const auto& fit = *whole.processes[k];
        const auto answers = process_fit(history, slope, fit.objective).without_each_point(fit.parameters);
        if (answers.empty()) continue;
        double sum = 0;
        for (std::size_t i = 0; i < answers.size(); ++i)
            sum += log_densities_of(history.points[i].log_runtime - answers[i].mean, answers[i].variance, usual[i],
                                    history.points[i].repetitions)
                       .of_either();
        best = (std::max)(best, sum);
    }
    return best;
}

// What a trend leaves of a history, fitted again with each point counting the less the farther it is from the last one.
[[nodiscard]] inline history_data robust_residual(const feature_map& features, history_data history) {
    constexpr int rounds = 5;
    const auto own = history;
    for (int round = 0;; ++round) {
        auto residual = fit_growth_trend(features, history).residual(own);
        if (round == rounds) return residual;
        std::vector<double> values;
        for (const auto& each : residual.points) values.push_back(each.log_runtime);
        const double middle = median_of(values);
        for (std::size_t i = 0; i < values.size(); ++i)
            history.points[i].variance = own.points[i].variance + (values[i] - middle) * (values[i] - middle);
    }
}

// Widens the noise of points that are far from such a trend; whether there are any.
[[nodiscard]] inline bool widen_far_points(blend_data& data) {
    const auto deviations = far_deviations(robust_residual(data.features, data.history));
    for (std::size_t i = 0; i < deviations.size(); ++i) data.history.points[i].variance += deviations[i] * deviations[i];
    return std::any_of(deviations.begin(), deviations.end(), [](double each) { return each != 0; });
}

// What is fitted to a wrong record bends to it until the record looks usual. Where points are far from a trend, fits again
// with those counting for little, and keeps the fit that foretells all points better from the others.
[[nodiscard]] inline bool fit_without_far_points(blend_data& data, detrended_history& learned, double slope, fitted& whole,
                                                 std::span<const double> usual, const blend_options& options) {
    if (!widen_far_points(data)) return false;
    auto without = learned;
    for (std::size_t i = 0; i < without.whole().points.size(); ++i)
        without.set_noise_variance(i, data.history.points[i].variance);
    without = without.over(fit_growth_trend(data.features, data.history));
    fitted other{.processes = fit_processes(without, slope, true, options)};
    const bool better =
        left_out_log_density(without, slope, other, usual) > left_out_log_density(learned, slope, whole, usual);
    if (better) {
        learned = std::move(without);
        whole = std::move(other);
    } else {
        for (std::size_t i = 0; i < learned.whole().points.size(); ++i) data.history.points[i].variance = usual[i];
    }
    return better;
}

// Widens the noise of improbable points, in `data` too, and refits trend and processes.
[[nodiscard]] inline std::vector<judged_point> down_weight_improbable(blend_data& data, detrended_history& learned,
                                                                      double slope, fitted& whole,
                                                                      std::span<const double> usual,
                                                                      const blend_options& options) {
    std::vector<judged_point> judged;
    bool widened_before =
        options.improbable_rounds > 0 && fit_without_far_points(data, learned, slope, whole, usual, options);
    usual = usual.first(learned.whole().points.size());
    for (int round = 0; round < options.improbable_rounds; ++round) {
        judged = judge_points(learned, slope, whole, usual);
        const auto improbable = [](const auto& each) { return each.improbability > 0.5; };
        if (!std::exchange(widened_before, false) && std::none_of(judged.begin(), judged.end(), improbable)) break;
        for (std::size_t i = 0; i < judged.size(); ++i) {
            auto& point = data.history.points[i];
            point.variance = widened(point, usual[i], judged[i]);
            learned.set_noise_variance(i, point.variance);
        }
        learned = learned.over(fit_growth_trend(data.features, data.history));
        refit_processes(learned, slope, whole, options);
    }
    return judged;
}

// The same for the contexts that no hyper-parameters were fitted to, from number `first` on: in parts of equal size, each
// judged by the processes conditioned on it. Contexts of a large history are in random order, so that each part is a sample.
inline void down_weight_improbable_rest(blend_data& data, std::size_t first, double slope, fitted& whole,
                                        std::span<const double> usual_of_all, const blend_options& options) {
    const auto& contexts = data.history.contexts;
    const auto trend = fit_growth_trend(data.features, data.history);
    const std::size_t points = data.history.points.size() - contexts[first].first;
    const std::size_t parts = (points + options.fitted_points - 1) / options.fitted_points;
    std::vector<std::vector<judged_point>> judged(parts);
    for_each_index(parts, options.threads, [&](std::size_t part) {
        std::vector<std::size_t> chosen((contexts.size() - first) * (part + 1) / parts -
                                        (contexts.size() - first) * part / parts);
        std::iota(chosen.begin(), chosen.end(), first + (contexts.size() - first) * part / parts);
        detrended_history own(select_contexts(data.history, chosen), trend);
        const auto usual = usual_of_all.subspan(contexts[chosen.front()].first, own.whole().points.size());
        for (int round = 0; round < options.improbable_rounds; ++round) {
            judged[part] = judge_points(own, slope, whole, usual);
            for (std::size_t i = 0; i < usual.size(); ++i)
                own.set_noise_variance(i, widened(own.whole().points[i], usual[i], judged[part][i]));
        }
    });
    for (const auto& part : judged)
        for (const auto& each : part) {
            const std::size_t i = whole.judged.size();
            auto& point = data.history.points[i];
            point.variance = widened(point, usual_of_all[i], each);
            whole.judged.push_back(each);
        }
}

[[nodiscard]] inline fitted fit_experts(blend_data& data, detrended_history& learned, double slope, bool left_out,
                                        const blend_options& options) {
    fitted whole{.processes = fit_processes(learned, slope, left_out, options)};
    std::vector<double> usual;
    for (const auto& each : data.history.points) usual.push_back(each.variance);
    if (left_out) whole.judged = down_weight_improbable(data, learned, slope, whole, usual, options);
    if (left_out) down_weight_anomalies(learned, slope, whole, options);
    const std::size_t fitted_to = learned.whole().contexts.size();
    if (!whole.judged.empty() && fitted_to < data.history.contexts.size())
        down_weight_improbable_rest(data, fitted_to, slope, whole, usual, options);
    whole.ernest = fit_hierarchical_ernest(learned.of(expert_kind::hierarchical_ernest), slope,
                                           start_of_hierarchical_ernest(), options.ernest_rounds);
    return whole;
}

// Every fitted expert with every scale and deviation, which share what the expert is believed before any history.
[[nodiscard]] inline std::vector<blend_component> components_of(const fitted& whole, const blend_options& options) {
    std::vector<blend_component> components;
    for (std::size_t k = 0; k < expert_kinds; ++k) {
        if (!options.experts[k] || (k < process_kinds && !whole.processes[k])) continue;
        for (const double scale : options.scales)
            for (const double deviation : options.deviations)
                components.push_back({.expert = static_cast<expert_kind>(k),
                                      .scale = scale,
                                      .deviation_sd = deviation,
                                      .weight = prior_weight(static_cast<expert_kind>(k))});
    }
    double sum = 0;
    for (const auto& each : components) sum += each.weight;
    for (auto& each : components) each.weight /= sum;
    return components;
}

}  // namespace blend_fitting

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
