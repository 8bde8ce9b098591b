// Fits the best mode to a history.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/anomaly.hpp>
#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/hierarchical_ernest_fit.hpp>
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
    /// By marginal likelihood, by leaving contexts out, and likewise with the pressure as measured.
    std::array<int, process_kinds> process_iterations{40, 100, 25};
    int fold_iterations = 10;
    /// Once more where contexts turn out to be anomalous.
    int robust_iterations = 20;
    int ernest_rounds = 60;
    int fold_ernest_rounds = 20;
    std::size_t folds = 4;
    std::uint64_t seed = 1;
    /// For fits that do not depend on each other; the result does not depend on it.
    std::size_t threads = 1;
    /// Which experts take part.
    std::array<bool, expert_kinds> experts{true, true, true, true};
    /// Learn the prior weights, or leave them equal.
    bool learn_weights = true;
    /// Contexts' worth of equal weights, within an expert and between experts.
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

[[nodiscard]] inline std::vector<std::size_t> first_indices(std::size_t count) {
    std::vector<std::size_t> indices(count);
    for (std::size_t i = 0; i < count; ++i) indices[i] = i;
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

struct fitted {
    std::array<std::optional<process_fit_outcome>, process_kinds> processes{};
    hierarchical_ernest_parameters ernest{};
};

[[nodiscard]] constexpr process_objective objective_of(std::size_t kind) noexcept {
    constexpr std::array objectives{process_objective::marginal_likelihood, process_objective::leave_context_out,
                                    process_objective::leave_context_out_measured};
    return objectives[kind];
}

// Looks for anomalous contexts, fits the processes again without their pull, and looks once more with eyes that they did
// not blur. Nothing changes where there are none. Hierarchical Ernest shares too little between contexts to be misled.
inline void set_anomalies_apart(history_data& learned, double slope, fitted& whole, const blend_options& options) {
    const std::size_t judge = whole.processes[1] ? 1 : 0;
    if (!whole.processes[judge]) return;
    if (!find_anomalies(learned, slope, objective_of(judge), whole.processes[judge]->parameters)) return;
    for (std::size_t k = 0; k < process_kinds; ++k) {
        if (!whole.processes[k]) continue;
        auto again = fit_gaussian_process(learned, slope, objective_of(k), whole.processes[k]->packed,
                                          {.iterations = options.robust_iterations});
        if (std::isfinite(again.optimiser.value)) whole.processes[k] = std::move(again);
    }
    find_anomalies(learned, slope, objective_of(judge), whole.processes[judge]->parameters);
}

// ln densities of every context's points (rows) under every component (columns), the context left out, with
// hyper-parameters fitted to the other folds. To save time these fits start from the one to all contexts and remember
// something of it, which is one reason for the stronger prior between the experts.
[[nodiscard]] inline matrix left_out_densities(const history_data& data, double slope, const fitted& whole,
                                               const std::vector<blend_component>& components,
                                               const blend_options& options) {
    const std::size_t contexts = data.contexts.size();
    const std::size_t folds = (std::min)(options.folds, contexts);
    auto order = first_indices(contexts);
    random_generator random(options.seed);
    random.shuffle(std::span(order));
    matrix densities(contexts, components.size());
    for_each_index(folds, options.threads, [&](std::size_t fold) {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < contexts; ++i)
            if (i % folds != fold) others.push_back(order[i]);
        std::sort(others.begin(), others.end());
        const auto rest = select_contexts(data, others);
        std::array<std::vector<expert_answer>, process_kinds> answers;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!whole.processes[k]) continue;
            const auto fit = fit_gaussian_process(rest, slope, objective_of(k), whole.processes[k]->packed,
                                                  {.iterations = options.fold_iterations});
            answers[k] = process_fit(data, slope, objective_of(k)).without_each(fit.parameters);
        }
        const hierarchical_ernest ernest(fit_hierarchical_ernest(rest, slope, whole.ernest, options.fold_ernest_rounds),
                                         data, slope);
        for (std::size_t i = fold; i < contexts; i += folds) {
            const auto& own = data.contexts[order[i]];
            std::vector<double> times;
            for (std::size_t p = 0; p < own.count; ++p) times.push_back(std::log(data.points[own.first + p].scale_out));
            const auto ernest_answer = ernest.without(
                data, order[i],
                {.features = own.features, .pressure = own.pressure, .pressure_slope = slope, .log_scale_outs = times});
            for (std::size_t j = 0; j < components.size(); ++j) {
                const auto kind = static_cast<std::size_t>(components[j].expert);
                const bool process = kind < process_kinds;
                if (process && answers[kind].empty()) {
                    densities(order[i], j) = -1e6;
                    continue;
                }
                const auto& answer = process ? answers[kind][order[i]] : ernest_answer;
                densities(order[i], j) = log_density_of_points(data, own, components[j], answer);
            }
        }
    });
    return densities;
}

}  // namespace blend_fitting

/// Precondition: valid runs (see `validate`), at least one of positive weight.
[[nodiscard]] inline best_model fit_blend(std::span<const run> history, const blend_options& options = {}) {
    blend_data data;
    const auto view = group_runs(history);
    data.features = make_feature_map(view);
    data.noise = fit_run_noise(view);
    data.history = blend_fitting::points_of(view, data.features, data.noise);
    data.bend = bend_of(data.history);
    const double slope = data.features.pressure_slope();
    data.lowest_log_runtime = data.history.points.front().log_runtime;
    data.highest_log_runtime = data.lowest_log_runtime;
    for (const auto& each : data.history.points) {
        data.lowest_log_runtime = (std::min)(data.lowest_log_runtime, each.log_runtime);
        data.highest_log_runtime = (std::max)(data.highest_log_runtime, each.log_runtime);
        data.seen_scale_outs.push_back(static_cast<int>(each.scale_out));
    }
    std::sort(data.seen_scale_outs.begin(), data.seen_scale_outs.end());
    data.seen_scale_outs.erase(std::unique(data.seen_scale_outs.begin(), data.seen_scale_outs.end()),
                               data.seen_scale_outs.end());

    // A history that is too large: contexts at random, so that the ones used first are any.
    auto order = blend_fitting::first_indices(data.history.contexts.size());
    if (data.history.points.size() > options.fitted_points) {
        data.history = blend_fitting::thinned(data.history, options.context_points);
        random_generator random(options.seed);
        random.shuffle(std::span(order));
        data.history = select_contexts(data.history, order);
        order.resize(blend_fitting::contexts_within(data.history, options.kept_points));
        data.history = select_contexts(data.history, blend_fitting::first_indices(order.size()));
    }
    for (const std::size_t c : order) data.context_hashes.push_back(identity_hash(*view.contexts[c]));
    data.process_contexts = blend_fitting::contexts_within(data.history, options.process_points);
    auto learned = select_contexts(
        data.history, blend_fitting::first_indices(blend_fitting::contexts_within(data.history, options.fitted_points)));

    auto& report = data.report;
    report.contexts = static_cast<std::uint32_t>(data.history.contexts.size());
    report.points = static_cast<std::uint32_t>(data.history.points.size());
    report.process_contexts = static_cast<std::uint32_t>(data.process_contexts);
    report.fitted_contexts = static_cast<std::uint32_t>(learned.contexts.size());
    report.left_out = learned.contexts.size() >= 3;

    blend_fitting::fitted whole;
    whole.ernest = fit_hierarchical_ernest(learned, slope, start_of_hierarchical_ernest(), options.ernest_rounds);
    data.ernest = whole.ernest;
    for_each_index(process_kinds, options.threads, [&](std::size_t k) {
        if (options.experts[k] && (k == 0 || report.left_out))
            whole.processes[k] = fit_gaussian_process(learned, slope, blend_fitting::objective_of(k), {},
                                                      {.iterations = options.process_iterations[k]});
    });
    for (auto& each : whole.processes) {
        if (!each) continue;
        if (!std::isfinite(each->optimiser.value)) each.reset();
    }
    if (report.left_out) blend_fitting::set_anomalies_apart(learned, slope, whole, options);
    for (std::size_t c = 0; c < learned.contexts.size(); ++c) data.history.contexts[c].anomaly = learned.contexts[c].anomaly;
    for (std::size_t k = 0; k < process_kinds; ++k)
        if (whole.processes[k]) data.processes[k] = whole.processes[k]->parameters;

    for (std::size_t k = 0; k < expert_kinds; ++k) {
        if (!options.experts[k] || (k < process_kinds && !whole.processes[k])) continue;
        for (const double scale : options.scales)
            for (const double deviation : options.deviations)
                data.components.push_back({.expert = static_cast<expert_kind>(k), .scale = scale, .deviation = deviation});
    }
    const auto share = 1 / static_cast<double>(data.components.size());
    for (auto& each : data.components) each.weight = share;
    if (report.left_out && options.learn_weights) {
        const auto weights =
            component_weights(blend_fitting::left_out_densities(learned, slope, whole, data.components, options),
                              data.components, options.component_prior, options.expert_prior);
        for (std::size_t j = 0; j < weights.size(); ++j) data.components[j].weight = weights[j];
    }
    return best_model(std::move(data));
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
