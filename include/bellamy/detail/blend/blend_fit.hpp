// Fits the best mode to a history.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_FIT_HPP

#include <bellamy/detail/blend/left_out_densities.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>
#include <bellamy/detail/blend/value_variance_fit.hpp>
#include <bellamy/detail/context/features_fit.hpp>

#include <numeric>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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

// Features, noise, points and what was seen, of the whole history.
[[nodiscard]] inline blend_data summarise(const history_view& view) {
    blend_data data;
    data.features = make_feature_map(view);
    data.noise = fit_run_noise(view);
    data.history = points_of(view, data.features, data.noise);
    data.curvature = typical_curvature(data.history);
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

// The runs that are improbable given the others, of the configurations that were learned from. `order`: of the history's
// contexts, as numbers of the view's.
[[nodiscard]] inline std::vector<improbable_run> improbable_runs(const history_view& view,
                                                                 std::span<const std::size_t> order,
                                                                 const history_data& history, const run_noise& noise,
                                                                 std::span<const judged_point> judged) {
    std::vector<improbable_run> found;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const auto& point = history.points[i];
        const std::pair key(order[point.context], static_cast<int>(point.scale_out));
        const auto own = std::lower_bound(
            view.configurations.begin(), view.configurations.end(), key,
            [](const auto& each, const auto& wanted) { return std::pair(each.context, each.scale_out) < wanted; });
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

// Sets each text property's variance between values, which a value never seen adds. `order`: of the history's contexts, as
// numbers of the view's.
inline void learn_value_variances(feature_map& features, const history_view& view, std::span<const std::size_t> order,
                                  const detrended_history& learned, const fitted& whole) {
    constexpr std::size_t most_values = 8;
    constexpr auto judge = static_cast<std::size_t>(expert_kind::process_over_trend);
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
[[nodiscard]] inline fitted_blend fit_blend(std::span<const run> history, const blend_options& options = {}) {
    const auto view = group_runs(history);
    auto data = summarise(view);
    const auto order = sample(data, view, options);
    const double slope = data.features.pressure_slope();
    detrended_history learned(leading_contexts(data.history, contexts_within(data.history, options.fitted_points)),
                              fit_growth_trend(data.features, data.history));
    const std::size_t contexts = learned.whole().contexts.size();
    const bool left_out = contexts >= 3;
    data.report = {.contexts = static_cast<std::uint32_t>(data.history.contexts.size()),
                   .points = static_cast<std::uint32_t>(data.history.points.size()),
                   .process_contexts = static_cast<std::uint32_t>(data.process_contexts),
                   .fitted_contexts = static_cast<std::uint32_t>(contexts),
                   .left_out = left_out};

    const auto whole = fit_experts(data, learned, slope, left_out, options);
    data.growth = fit_growth_trend(data.features, data.history).parameters();
    data.ernest = whole.ernest;
    for (std::size_t k = 0; k < process_kinds; ++k)
        if (whole.processes[k]) data.processes[k] = whole.processes[k]->parameters;
    for (std::size_t c = 0; c < contexts; ++c)
        data.history.contexts[c].anomaly_variance = learned.whole().contexts[c].anomaly_variance;

    data.report.improbable_runs = improbable_runs(view, order, data.history, data.noise, whole.judged);
    learn_value_variances(data.features, view, order, learned, whole);
    data.components = components_of(whole, options);
    if (left_out && options.learn_weights) {
        const auto densities = left_out_densities(learned.whole(), data.features, whole, data.components, options)();
        const auto weights = component_weights(densities, data.components, options.component_prior, options.expert_prior);
        for (std::size_t j = 0; j < weights.size(); ++j) data.components[j].weight = weights[j];
    }
    return fitted_blend(std::move(data));
}

}  // namespace blend_fitting

using blend_fitting::fit_blend;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
