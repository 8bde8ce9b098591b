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
#include <bellamy/detail/blend/run_noise_fit.hpp>
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
    /// Of the refit where contexts turn out to be anomalous.
    int robust_iterations = 20;
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
                               .variance = median_variance(median, noise.nearest(std::log(x)))});
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
};

[[nodiscard]] constexpr process_objective objective_of(std::size_t kind) noexcept {
    constexpr std::array objectives{process_objective::marginal_likelihood, process_objective::leave_context_out,
                                    process_objective::leave_context_out};
    return objectives[kind];
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
    for (std::size_t k = 0; k < process_kinds; ++k) {
        if (!whole.processes[k]) continue;
        auto again = fit_gaussian_process(learned.of(k), slope, objective_of(k), whole.processes[k]->packed,
                                          {.iterations = options.robust_iterations});
        if (std::isfinite(again.value)) whole.processes[k] = std::move(again);
    }
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

// Of a history that is too large keeps contexts at random, in random order: the first ones are a sample too.
inline void sample(blend_data& data, const history_view& view, const blend_options& options) {
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
}

[[nodiscard]] inline fitted fit_experts(detrended_history& learned, double slope, bool left_out,
                                        const blend_options& options) {
    fitted whole;
    whole.ernest = fit_hierarchical_ernest(learned.of(expert_kind::hierarchical_ernest), slope,
                                           start_of_hierarchical_ernest(), options.ernest_rounds);
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (!options.experts[k] || (k != 0 && !left_out)) return;
        auto fit =
            fit_gaussian_process(learned.of(k), slope, objective_of(k), {}, {.iterations = options.process_iterations[k]});
        if (std::isfinite(fit.value)) whole.processes[k] = std::move(fit);
    });
    if (left_out) down_weight_anomalies(learned, slope, whole, options);
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

/// Precondition: valid runs (see `validate`), at least one of positive weight.
[[nodiscard]] inline best_model fit_blend(std::span<const run> history, const blend_options& options = {}) {
    const auto view = group_runs(history);
    auto data = summarise(view);
    sample(data, view, options);
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

    const auto whole = fit_experts(learned, slope, left_out, options);
    data.ernest = whole.ernest;
    for (std::size_t k = 0; k < process_kinds; ++k)
        if (whole.processes[k]) data.processes[k] = whole.processes[k]->parameters;
    for (std::size_t c = 0; c < contexts; ++c)
        data.history.contexts[c].anomaly_variance = learned.whole().contexts[c].anomaly_variance;

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
