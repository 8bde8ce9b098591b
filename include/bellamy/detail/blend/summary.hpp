// First step of blend_fit.hpp: features, run noise and medians of a history, and the sample that experts are fitted to.
#ifndef BELLAMY_DETAIL_BLEND_SUMMARY_HPP
#define BELLAMY_DETAIL_BLEND_SUMMARY_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/knots.hpp>
#include <bellamy/detail/blend/mixture_binding.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>
#include <bellamy/detail/context/features_fit.hpp>

#include <optional>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct blend_options {
    /// Points that hyper-parameters are fitted to, that the processes are factorised on, and that trend and hierarchical
    /// Ernest take. A larger history is represented by randomly chosen contexts.
    size_t fitted_points = 180;
    size_t process_points = 512;
    size_t kept_points = 4000;
    by_process<int> process_iterations{40, 100};
    int fold_iterations = 10;
    /// Of the refit where points or contexts turn out to be outliers.
    int robust_iterations = 20;
    std::uint64_t seed = 1;
    /// For independent fits; the result does not depend on it.
    size_t threads = 1;
    /// Which experts take part.
    by_expert<bool> experts{true, true, true, true};
};

/// A point of the sample, with what the fit finds out about it.
struct sample_point {
    /// Its noise variance is inflated where it is an outlier.
    history_point point{};
    /// Noise variance where it is none.
    double inlier_variance = 0;
    /// Leave-one-out prediction of the log-runtime, and that prediction's variance without run noise.
    double expected = 0;
    double expected_variance = 0;
    double outlier_probability = 0;
};

/// The contexts that represent a history; points of one context are contiguous.
struct history_sample {
    std::vector<history_context> contexts{};
    std::vector<sample_point> points{};

    history_sample() = default;
    explicit history_sample(const history_data& history) : contexts(history.contexts) {
        for (const auto& point : history.points) points.push_back({.point = point, .inlier_variance = point.variance});
    }

    /// As an expert sees it.
    history_data history() const {
        history_data data{.contexts = contexts};
        for (const auto& sampled : points) data.points.push_back(sampled.point);
        return data;
    }

    /// So many contexts from number `first` on.
    history_sample slice(size_t first, size_t count) const {
        history_sample part;
        for (size_t c = first; c < first + count; ++c) part.append(*this, c);
        return part;
    }

    /// Appends one context of another sample.
    void append(const history_sample& other, size_t number) {
        auto context = other.contexts[number];
        const auto first = std::exchange(context.first, points.size());
        for (size_t i = first; i < first + context.count; ++i) {
            points.push_back(other.points[i]);
            points.back().point.context = contexts.size();
        }
        contexts.push_back(std::move(context));
    }
};

/// What the later steps need to know of a history.
struct history_summary {
    history_view view{};
    feature_map features{};
    run_noise noise{};
    /// Distinct scale-outs of the whole history, ascending, and its range of log-runtimes.
    std::vector<int> seen_scale_outs{};
    log_range range{};
    /// See `typical_curvature`.
    double curvature = 0;
    history_sample sample{};
    /// The sample's contexts, as numbers of the view's.
    std::vector<size_t> view_contexts{};
    /// Leading contexts of the sample that hyper-parameters are fitted to.
    size_t fitted_contexts = 0;
};

/// 0, 1, .. in random order.
inline std::vector<size_t> shuffled_indices(size_t count, std::uint64_t seed) {
    auto indices = first_indices(count);
    random_generator random(seed);
    random.shuffle(std::span(indices));
    return indices;
}

/// Number of leading contexts that together have at most `most` points, but at least one.
inline size_t contexts_within(const std::vector<history_context>& contexts, size_t most) {
    size_t points = 0;
    for (size_t c = 0; c < contexts.size(); ++c) {
        points += contexts[c].count;
        if (points > most) return (std::max)(c, size_t{1});
    }
    return contexts.size();
}

/// Of every context at most `most` points, spread evenly from its smallest scale-out to its largest: many contexts tell more
/// than many points of a curve, which is smooth. Precondition: most >= 2.
inline history_data thinned(const history_data& all, size_t most) {
    history_data some;
    for (auto context : all.contexts) {
        const size_t count = (std::min)(context.count, most);
        const auto first = std::exchange(context.first, some.points.size());
        for (size_t i = 0; i < count; ++i)
            some.points.push_back(all.points[first + (count < context.count ? i * (context.count - 1) / (count - 1) : i)]);
        context.count = count;
        some.contexts.push_back(std::move(context));
    }
    return some;
}

/// One point per configuration: its median log-runtime, and the variance of its noise. Scale-outs are those that experts
/// see.
inline history_data medians_of(const history_view& view, const feature_map& features, const run_noise& noise) {
    history_data medians;
    std::vector<double> relative_cores;
    for (const auto* context : view.contexts) {
        auto encoded = features(*context);
        medians.contexts.push_back({.features = std::move(encoded.values), .pressure = encoded.pressure});
        relative_cores.push_back(encoded.relative_cores);
    }
    for (const auto& configuration : view.configurations) {
        auto& context = medians.contexts[configuration.context];
        if (context.count == 0) context.first = medians.points.size();
        ++context.count;
        const auto median = median_of(configuration);
        const auto scale_out = static_cast<double>(configuration.scale_out);
        medians.points.push_back({.context = configuration.context,
                                  .scale_out = scale_out * relative_cores[configuration.context],
                                  .log_runtime = median.value,
                                  .variance = median_variance(median, noise.nearest(std::log(scale_out))),
                                  .repetitions = median.repetitions,
                                  .configuration = static_cast<size_t>(&configuration - view.configurations.data())});
    }
    return medians;
}

/// Of a large history keeps contexts at random, in random order, so that the leading ones are a sample too. `given`: the
/// features, where they are not to be fitted.
inline history_summary summarise(history_view view, const blend_options& options,
                                 std::optional<feature_map> given = std::nullopt) {
    constexpr size_t most_points_of_context = 8;
    auto features = given ? *std::move(given) : make_feature_map(view);
    auto noise = fit_run_noise(view);
    auto medians = medians_of(view, features, noise);
    log_range range;
    for (const auto& point : medians.points) range.include(point.log_runtime);
    auto seen = values_of(view.configurations, &configuration::scale_out);
    sort_distinct(seen);
    const double curvature = typical_curvature(medians);

    auto contexts = first_indices(medians.contexts.size());
    if (medians.points.size() > options.fitted_points) {
        contexts = shuffled_indices(contexts.size(), options.seed);
        medians = select_contexts(thinned(medians, most_points_of_context), contexts);
        contexts.resize(contexts_within(medians.contexts, options.kept_points));
        medians = leading_contexts(medians, contexts.size());
    }
    const size_t fitted_contexts = contexts_within(medians.contexts, options.fitted_points);
    return {.view = std::move(view),
            .features = std::move(features),
            .noise = std::move(noise),
            .seen_scale_outs = std::move(seen),
            .range = range,
            .curvature = curvature,
            .sample = history_sample(medians),
            .view_contexts = std::move(contexts),
            .fitted_contexts = fitted_contexts};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
