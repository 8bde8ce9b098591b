// Fits the best mode to a history.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/anomaly.hpp>
#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/expert_weights_fit.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/hierarchical_ernest_fit.hpp>
#include <bellamy/detail/blend/improbable_points.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>
#include <bellamy/detail/blend/value_variance_fit.hpp>
#include <bellamy/detail/context/features_fit.hpp>

#include <utility>

namespace bellamy::inline BELLAMY_ABI::detail {

struct blend_options {
    /// Points that hyper-parameters are fitted to, that the processes are conditioned on, and that are kept at all. A
    /// larger history is represented by randomly chosen contexts, of each at most so many points.
    std::size_t context_points = 8;
    std::size_t fitted_points = 180;
    std::size_t process_points = 512;
    std::size_t kept_points = 4000;
    /// By marginal likelihood, and by leaving contexts out, without the growth trend and over it.
    std::array<int, process_kinds> process_iterations{40, 100, 100};
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
    std::array<bool, expert_kinds> experts{true, true, true, true};
    /// Learn the prior weights, or leave them equal.
    bool learn_weights = true;
    /// Prior strength of equal weights, in pseudo-contexts: per expert, across experts.
    double component_prior = 1;
    double expert_prior = 6;
    std::vector<double> scales{0.5, 1, 2};
    std::vector<double> deviations{0, 0.1};
};

namespace blend_fitting {

// Number of leading contexts that together have at most `most` points, but at least one.
[[nodiscard]] inline std::size_t contexts_within(const history_data& all, std::size_t most) {
    std::size_t points = 0;
    for (std::size_t c = 0; c < all.contexts.size(); ++c) {
        points += all.contexts[c].count;
        if (points > most) return (std::max)(c, std::size_t{1});
    }
    return all.contexts.size();
}

// Of every context at most `most` points, spread evenly from its smallest scale-out to its largest: many contexts tell more
// than many points of a curve, which is smooth. Precondition: most >= 2.
[[nodiscard]] inline history_data thinned(const history_data& all, std::size_t most) {
    history_data some;
    for (auto context : all.contexts) {
        const std::size_t count = (std::min)(context.count, most);
        const auto first = std::exchange(context.first, some.points.size());
        for (std::size_t i = 0; i < count; ++i)
            some.points.push_back(all.points[first + (count < context.count ? i * (context.count - 1) / (count - 1) : i)]);
        context.count = count;
        some.contexts.push_back(std::move(context));
    }
    return some;
}

// 0, 1, .. in random order.
[[nodiscard]] inline std::vector<std::size_t> shuffled_indices(std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    random_generator random(seed);
    random.shuffle(std::span(indices));
    return indices;
}

[[nodiscard]] inline history_data points_of(const history_view& view, const feature_map& features, const run_noise& noise) {
    history_data data;
    for (const auto* each : view.contexts) {
        auto made = features(*each);
        data.contexts.push_back({.features = std::move(made.values), .pressure = made.pressure});
    }
    for (const auto& each : view.configurations) {
        auto& own = data.contexts[each.context];
        if (own.count == 0) own.first = data.points.size();
        ++own.count;
        const auto median = median_of(each);
        const auto x = static_cast<double>(each.scale_out);
        data.points.push_back({.context = each.context,
                               .scale_out = x,
                               .log_runtime = median.value,
                               .variance = median_variance(median, noise.nearest(std::log(x))),
                               .repetitions = median.repetitions});
    }
    return data;
}

/// A history, and what a growth trend leaves of it.
class detrended_history {
public:
    detrended_history(history_data all, const growth_trend& trend)
        : whole_(std::move(all)), residual_(trend.residual(whole_)) {}

    /// What an expert learns from.
    [[nodiscard]] const history_data& of(expert_kind kind) const noexcept {
        return over_growth_trend(kind) ? residual_ : whole_;
    }
    [[nodiscard]] const history_data& of(std::size_t kind) const noexcept { return of(static_cast<expert_kind>(kind)); }
    [[nodiscard]] const history_data& whole() const noexcept { return whole_; }

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
};

struct fitted {
    std::array<std::optional<process_fit_outcome>, process_kinds> processes{};
    hierarchical_ernest_parameters ernest{};
    /// What the others say of each point; empty for fewer than three contexts.
    std::vector<judged_point> judged{};
};

[[nodiscard]] constexpr process_objective objective_of(std::size_t kind) noexcept {
    constexpr std::array objectives{process_objective::marginal_likelihood, process_objective::leave_context_out,
                                    process_objective::leave_context_out};
    return objectives[kind];
}

// A few steps from where they are.
inline void refit_processes(const detrended_history& learned, double slope, fitted& whole, const blend_options& options) {
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (!whole.processes[k]) return;
        auto again = fit_gaussian_process(learned.of(k), slope, objective_of(k), whole.processes[k]->packed,
                                          {.iterations = options.robust_iterations});
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
        const bool any = find_anomalies(judged, slope, objective_of(judge), whole.processes[judge]->parameters);
        for (std::size_t c = 0; c < judged.contexts.size(); ++c)
            learned.set_anomaly_variance(c, judged.contexts[c].anomaly_variance);
        return any;
    };
    if (!search()) return;
    refit_processes(learned, slope, whole, options);
    search();
}

// ln densities of every context's points (rows) under every component (columns), the context left out, with
// growth trend and hyper-parameters fitted to the other folds. To save time these fits start from the one to all contexts,
// so that they are not quite independent of the fold; hence the stronger prior between the experts.
class left_out_densities {
public:
    left_out_densities(const history_data& data, const feature_map& features, const fitted& whole,
                       const std::vector<blend_component>& components, const blend_options& options)
        : data_(data),
          features_(features),
          slope_(features.pressure_slope()),
          whole_(whole),
          components_(components),
          options_(options),
          order_(shuffled_indices(data.contexts.size(), options.seed)),
          folds_((std::min)(options.folds, data.contexts.size())) {}

    [[nodiscard]] matrix operator()() const {
        matrix densities(order_.size(), components_.size());
        for_each_index(folds_, options_.threads, [&](std::size_t fold) { fill(fold, densities); });
        return densities;
    }

private:
    // Rows of the fold's contexts.
    void fill(std::size_t fold, matrix& densities) const {
        const auto others = all_but(fold);
        const growth_trend trend(features_, others);
        const detrended_history rest(others, trend);
        const detrended_history all(data_, trend);
        std::array<std::vector<expert_answer>, process_kinds> answers;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!whole_.processes[k]) continue;
            const auto fit = fit_gaussian_process(rest.of(k), slope_, objective_of(k), whole_.processes[k]->packed,
                                                  {.iterations = options_.fold_iterations});
            answers[k] = process_fit(all.of(k), slope_, objective_of(k)).without_each(fit.parameters);
        }
        constexpr auto ernest_kind = expert_kind::hierarchical_ernest;
        const hierarchical_ernest ernest(
            fit_hierarchical_ernest(rest.of(ernest_kind), slope_, whole_.ernest, options_.fold_ernest_rounds),
            all.of(ernest_kind), slope_);
        for (std::size_t i = fold; i < order_.size(); i += folds_) {
            const auto& own = data_.contexts[order_[i]];
            const auto log_scale_outs = data_.log_scale_outs_of(own);
            const auto ernest_answer =
                ernest.without(all.of(ernest_kind), order_[i], question_about(own, slope_, log_scale_outs));
            for (std::size_t j = 0; j < components_.size(); ++j) {
                const auto kind = static_cast<std::size_t>(components_[j].expert);
                const bool process = kind < process_kinds;
                const auto* answer = !process ? &ernest_answer : answers[kind].empty() ? nullptr : &answers[kind][order_[i]];
                densities(order_[i], j) =
                    answer == nullptr ? -1e6 : log_density_of_points(all.of(kind), own, components_[j], *answer);
            }
        }
    }

    [[nodiscard]] history_data all_but(std::size_t fold) const {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < order_.size(); ++i)
            if (i % folds_ != fold) others.push_back(order_[i]);
        std::sort(others.begin(), others.end());
        return select_contexts(data_, others);
    }

    const history_data& data_;
    const feature_map& features_;
    double slope_;
    const fitted& whole_;
    const std::vector<blend_component>& components_;
    const blend_options& options_;
    std::vector<std::size_t> order_;
    std::size_t folds_;
};

// Features, noise, points and what was seen, of the whole history.
[[nodiscard]] inline blend_data summarise(const history_view& view) {
    blend_data data;
    data.features = make_feature_map(view);
    data.noise = fit_run_noise(view);
    data.history = points_of(view, data.features, data.noise);
    data.bend = bend_of(data.history);
    log_runtime_range range;
    for (const auto& each : data.history.points) {
        range.include(each.log_runtime);
        data.seen_scale_outs.push_back(static_cast<int>(each.scale_out));
    }
    data.lowest_log_runtime = range.lowest;
    data.highest_log_runtime = range.highest;
    auto& seen = data.seen_scale_outs;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    return data;
}

// Of a history that is too large keeps contexts at random, in random order: the first ones are a sample too. Returns the
// numbers of those kept.
[[nodiscard]] inline std::vector<std::size_t> sample(blend_data& data, const history_view& view,
                                                     const blend_options& options) {
    std::vector<std::size_t> order(data.history.contexts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (data.history.points.size() > options.fitted_points) {
        data.history = thinned(data.history, options.context_points);
        order = shuffled_indices(order.size(), options.seed);
        data.history = select_contexts(data.history, order);
        order.resize(contexts_within(data.history, options.kept_points));
        data.history = leading_contexts(data.history, order.size());
    }
    for (const std::size_t c : order) data.context_hashes.push_back(identity_hash(*view.contexts[c]));
    data.process_contexts = contexts_within(data.history, options.process_points);
    return order;
}

// What the others say of each point: the answer of the process that finds it least improbable, because each may be blind to
// what another sees. `usual` are the noise variances of points that are not improbable.
[[nodiscard]] inline std::vector<judged_point> judge_points(const detrended_history& learned, double slope,
                                                            const fitted& whole, std::span<const double> usual) {
    std::vector<judged_point> judged(usual.size(), {.improbability = 2});
    for (std::size_t k = 0; k < process_kinds; ++k) {
        if (!whole.processes[k]) continue;
        const auto& history = learned.of(k);
        const auto answers = process_fit(history, slope, objective_of(k)).without_each_point(whole.processes[k]->parameters);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const double deviation = history.points[i].log_runtime - answers[i].mean;
            const double found = improbability(deviation, answers[i].variance, usual[i], history.points[i].repetitions);
            if (found < judged[i].improbability)
                judged[i] = {.improbability = found,
                             .expected = learned.whole().points[i].log_runtime - deviation,
                             .variance = answers[i].variance};
        }
    }
    for (auto& each : judged)
        if (each.improbability > 1) each = {};
    return judged;
}

// Widens the noise of improbable points, in `data` too, and refits trend and processes.
[[nodiscard]] inline std::vector<judged_point> down_weight_improbable(blend_data& data, detrended_history& learned,
                                                                      double slope, fitted& whole,
                                                                      const blend_options& options) {
    std::vector<double> usual;
    for (const auto& each : learned.whole().points) usual.push_back(each.variance);
    std::vector<judged_point> judged;
    for (int round = 0; round < options.improbable_rounds; ++round) {
        judged = judge_points(learned, slope, whole, usual);
        if (std::none_of(judged.begin(), judged.end(), [](const auto& each) { return each.improbability > 0.5; })) break;
        for (std::size_t i = 0; i < judged.size(); ++i) {
            data.history.points[i].variance = widened(usual[i], judged[i].improbability);
            learned.set_noise_variance(i, data.history.points[i].variance);
        }
        learned = learned.over(growth_trend(data.features, data.history));
        refit_processes(learned, slope, whole, options);
    }
    return judged;
}

// The runs that are improbable given the others, of the configurations that were learned from. `order`: of the history's
// contexts, as numbers of the view's.
[[nodiscard]] inline std::vector<improbable_run> improbable_runs(const history_view& view,
                                                                 std::span<const std::size_t> order,
                                                                 const history_data& history, const run_noise& noise,
                                                                 std::span<const judged_point> judged) {
    std::vector<improbable_run> found;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const auto& point = history.points[i];
        const auto own = std::find_if(view.configurations.begin(), view.configurations.end(), [&](const auto& each) {
            return each.context == order[point.context] && each.scale_out == static_cast<int>(point.scale_out);
        });
        const bool improbable = judged[i].improbability > 0.5;
        const double expected = improbable ? judged[i].expected : point.log_runtime;
        const double variance = noise.nearest(std::log(point.scale_out)).narrow_variance;
        for (std::size_t r = 0; r < own->runs.size(); ++r) {
            const double deviation = own->log_runtimes[r] - expected;
            if (own->censored[r] || improbability(deviation, improbable ? judged[i].variance : 0, variance, 1) < 0.95)
                continue;
            found.push_back(
                {.run = own->runs[r], .found_s = std::exp(own->log_runtimes[r]), .expected_s = std::exp(expected)});
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.run < b.run; });
    return found;
}

[[nodiscard]] inline fitted fit_experts(blend_data& data, detrended_history& learned, double slope, bool left_out,
                                        const blend_options& options) {
    fitted whole;
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (!options.experts[k] || (k != 0 && !left_out)) return;
        auto fit =
            fit_gaussian_process(learned.of(k), slope, objective_of(k), {}, {.iterations = options.process_iterations[k]});
        if (std::isfinite(fit.value)) whole.processes[k] = std::move(fit);
    });
    if (left_out) whole.judged = down_weight_improbable(data, learned, slope, whole, options);
    if (left_out) down_weight_anomalies(learned, slope, whole, options);
    whole.ernest = fit_hierarchical_ernest(learned.of(expert_kind::hierarchical_ernest), slope,
                                           start_of_hierarchical_ernest(), options.ernest_rounds);
    return whole;
}

// Every fitted expert with every scale and deviation, at equal weights.
[[nodiscard]] inline std::vector<blend_component> components_of(const fitted& whole, const blend_options& options) {
    std::vector<blend_component> components;
    for (std::size_t k = 0; k < expert_kinds; ++k) {
        if (!options.experts[k] || (k < process_kinds && !whole.processes[k])) continue;
        for (const double scale : options.scales)
            for (const double deviation : options.deviations)
                components.push_back({.expert = static_cast<expert_kind>(k), .scale = scale, .deviation = deviation});
    }
    for (auto& each : components) each.weight = 1 / static_cast<double>(components.size());
    return components;
}

// Sets each text property's variance between values, which a value never seen adds. `order`: of the history's contexts, as
// numbers of the view's.
inline void learn_value_variances(feature_map& features, const history_view& view, std::span<const std::size_t> order,
                                  const detrended_history& learned, const fitted& whole) {
    constexpr std::size_t most_values = 8;
    constexpr auto over_trend = static_cast<std::size_t>(expert_kind::process_left_out_growth);
    const std::size_t judge = whole.processes[over_trend] ? over_trend : 0;
    for (auto& known : features.known) {
        std::vector<value_deviation> found;
        if (known.numbers == 0 && whole.processes[judge]) {
            std::vector<std::size_t> value_of;
            for (const std::size_t c : order.first(learned.whole().contexts.size())) {
                const auto* words = std::get_if<std::string>(&find_property(*view.contexts[c], known.property)->value);
                value_of.push_back(words == nullptr ? known.values.size()
                                                    : static_cast<std::size_t>(std::lower_bound(known.values.begin(),
                                                                                                known.values.end(), *words) -
                                                                               known.values.begin()));
            }
            std::vector<std::size_t> columns;
            for (std::size_t i = 0; i < features.columns.size(); ++i)
                if (features.columns[i].property == known.property) columns.push_back(i);
            found = value_deviations(whole.processes[judge]->parameters, learned.of(judge), features.pressure_slope(),
                                     value_of, columns, (std::min)(known.values.size(), most_values));
        }
        known.variance = between_values_variance(found);
    }
}

/// Precondition: valid runs (see `validate`), at least one of positive weight.
[[nodiscard]] inline best_model fit_blend(std::span<const run> history, const blend_options& options = {}) {
    const auto view = group_runs(history);
    auto data = summarise(view);
    const auto order = sample(data, view, options);
    const double slope = data.features.pressure_slope();
    detrended_history learned(leading_contexts(data.history, contexts_within(data.history, options.fitted_points)),
                              growth_trend(data.features, data.history));
    const std::size_t contexts = learned.whole().contexts.size();
    const bool left_out = contexts >= 3;
    data.report = {.contexts = static_cast<std::uint32_t>(data.history.contexts.size()),
                   .points = static_cast<std::uint32_t>(data.history.points.size()),
                   .process_contexts = static_cast<std::uint32_t>(data.process_contexts),
                   .fitted_contexts = static_cast<std::uint32_t>(contexts),
                   .left_out = left_out};

    const auto whole = fit_experts(data, learned, slope, left_out, options);
    data.ernest = whole.ernest;
    for (std::size_t k = 0; k < process_kinds; ++k)
        if (whole.processes[k]) data.processes[k] = whole.processes[k]->parameters;
    for (std::size_t c = 0; c < contexts; ++c)
        data.history.contexts[c].anomaly_variance = learned.whole().contexts[c].anomaly_variance;

    data.report.improbable_runs = improbable_runs(view, order, learned.whole(), data.noise, whole.judged);
    learn_value_variances(data.features, view, order, learned, whole);
    data.components = components_of(whole, options);
    if (left_out && options.learn_weights) {
        const auto densities = left_out_densities(learned.whole(), data.features, whole, data.components, options)();
        const auto weights = component_weights(densities, data.components, options.component_prior, options.expert_prior);
        for (std::size_t j = 0; j < weights.size(); ++j) data.components[j].weight = weights[j];
    }
    return best_model(std::move(data));
}

}  // namespace blend_fitting

using blend_fitting::fit_blend;

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
