// Posterior of the run noise of one context: its factor on the history's noise variance, on a grid, given the observed runs.
#ifndef BELLAMY_DETAIL_BLEND_NOISE_POSTERIOR_HPP
#define BELLAMY_DETAIL_BLEND_NOISE_POSTERIOR_HPP

#include <bellamy/detail/blend/conditioning.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A value that the noise of a context may have, relative to the history's.
struct noise_hypothesis {
    double variance_factor = 1;
    double weight = 1;
};

/// Runs of a history that repeat a configuration, by its points' variances: a point of one run has 1.2 times the pooled
/// variance, the median of r runs about 1.2 / r of it.
inline double count_repeats(const history_data& history, const run_noise& noise) noexcept {
    double history_repeats = 0;
    for (const auto& point : history.points) {
        const double pooled = noise.nearest(std::log(point.scale_out)).pooled_variance;
        history_repeats += (std::max)(1.2 * pooled / point.variance - 1, 0.0);
    }
    return history_repeats;
}

/// Standard deviation between contexts of the logarithm of their noise variance.
inline constexpr double between_contexts_noise_sd = 0.6;

/// Prior of a context's noise: log-normal around the history's, the wider the fewer repeated runs that rests on; beside it,
/// that what the experts leave unexplained between configurations is noise, which only repeated runs can tell.
/// `unexplained_factor`: noise with all of that, relative to the history's noise alone.
inline std::vector<noise_hypothesis> noise_prior(double history_repeats, double unexplained_factor) {
    constexpr size_t count = 9;
    constexpr double pseudo_repeats = 5;
    constexpr double most_unexplained_weight = 0.5;
    const double between = between_contexts_noise_sd * between_contexts_noise_sd;
    const double variance = between + 2 / (1 + history_repeats);
    const double unexplained = std::log(unexplained_factor);
    const double unexplained_weight = most_unexplained_weight * pseudo_repeats / (pseudo_repeats + history_repeats);
    const double lowest = -2 * std::sqrt(variance);
    const double highest = (std::max)(2 * std::sqrt(variance), unexplained + 2 * between_contexts_noise_sd);
    std::vector<noise_hypothesis> prior(count);
    double usual_sum = 0;
    double unexplained_sum = 0;
    std::array<double, count> unexplained_weights{};
    for (size_t i = 0; i < count; ++i) {
        const double log_factor = lowest + (highest - lowest) * static_cast<double>(i) / (count - 1);
        prior[i].variance_factor = std::exp(log_factor);
        usual_sum += prior[i].weight = squared_exponential(log_factor * log_factor / variance);
        const double beyond = log_factor - unexplained;
        unexplained_sum += unexplained_weights[i] = squared_exponential(beyond * beyond / between);
    }
    for (size_t i = 0; i < count; ++i)
        prior[i].weight = (1 - unexplained_weight) * prior[i].weight / usual_sum +
                          unexplained_weight * unexplained_weights[i] / unexplained_sum;
    return prior;
}

/// The runs as they are where a context's noise is so much larger than the history's. Stragglers scatter no less than usual
/// runs.
inline std::vector<observation> with_noise(std::vector<observation> runs, double variance_factor) {
    for (auto& run : runs) {
        run.narrow_variance *= variance_factor;
        run.wide_variance = (std::max)(run.wide_variance, 2 * run.narrow_variance);
    }
    return runs;
}

/// The prior where noise takes a part of the variance that the history cannot tell from it: first of the configurations',
/// then of the level's, so that one run has the variance that it had. `noise_variance`: the history's.
inline prior_component with_noise(prior_component prior, double variance_factor, double noise_variance) {
    constexpr double largest_part = 0.98;
    const double squared_scale = prior.scale * prior.scale;
    const double added = (std::max)(variance_factor - 1, 0.0) * noise_variance;
    const double from_configurations =
        (std::min)(added, largest_part * squared_scale * prior.confounded_with_noise.configuration);
    const double from_level =
        (std::min)(added - from_configurations, largest_part * squared_scale * prior.confounded_with_noise.level);
    prior.configuration_variance -= from_configurations;
    prior.level_variance -= from_level;
    return prior;
}

/// Mean and covariance of the log-runtime at the knots of some runs, without run noise.
struct knot_moments {
    std::vector<size_t> knots{};  // ascending
    expert_answer moments{};

    /// Precondition: the knot is one of these.
    size_t index_of(size_t knot) const noexcept {
        return static_cast<size_t>(std::lower_bound(knots.begin(), knots.end(), knot) - knots.begin());
    }
};

/// Those of a mixture of priors.
inline knot_moments moments_of(const std::vector<prior_component>& priors, const matrix& kernel,
                               const std::vector<observation>& runs) {
    auto knots = values_of(runs, &observation::knot);
    sort_distinct(knots);
    const size_t q = knots.size();
    expert_answer moments{.mean = std::vector<double>(q), .covariance = matrix(q, q)};
    const double total = log_sum_exp(values_of(priors, &prior_component::log_weight));
    for (const auto& prior : priors) {
        const double weight = std::exp(prior.log_weight - total);
        for (size_t i = 0; i < q; ++i) {
            const double mean = prior.prediction->mean[knots[i]];
            moments.mean[i] += weight * mean;
            for (size_t j = 0; j < q; ++j)
                moments.covariance(i, j) +=
                    weight * (covariance_of(prior, kernel, knots[i], knots[j]) + mean * prior.prediction->mean[knots[j]]);
        }
    }
    for (size_t i = 0; i < q; ++i)
        for (size_t j = 0; j < q; ++j) moments.covariance(i, j) -= moments.mean[i] * moments.mean[j];
    return {.knots = std::move(knots), .moments = std::move(moments)};
}

/// Mean over the priors of what each leaves to a context or a configuration alone.
inline confounded_variances mean_confounded(const std::vector<prior_component>& priors) noexcept {
    confounded_variances mean;
    double sum = 0;
    for (const auto& prior : priors) {
        const double weight = std::exp(prior.log_weight);
        mean.configuration += weight * prior.scale * prior.scale * prior.confounded_with_noise.configuration;
        mean.level += weight * prior.scale * prior.scale * prior.confounded_with_noise.level;
        sum += weight;
    }
    mean.configuration /= sum;
    mean.level /= sum;
    return mean;
}

/// Runs that took less than a tenth, or more than ten times, of what all priors together predict, beyond six standard
/// deviations: wrong records rather than stragglers. As stragglers they may take any time, so that they count as little. Of
/// killed runs one alone is: bounds do not contradict each other, and several far ones are a job that takes longer.
struct assessed_runs {
    std::vector<observation> runs{};
    size_t improbable = 0;
};

inline assessed_runs with_wide_improbable(std::vector<observation> runs, const knot_moments& predicted) {
    const auto residual_of = [&](const observation& run) {
        return run.log_runtime - predicted.moments.mean[predicted.index_of(run.knot)];
    };
    size_t far_bounds = 0;
    for (const auto& run : runs)
        if (run.censored && residual_of(run) > improbable_log_ratio) ++far_bounds;
    size_t count = 0;
    for (auto& run : runs) {
        const size_t i = predicted.index_of(run.knot);
        const double residual = residual_of(run);
        if (run.censored && (residual < 0 || far_bounds > 1)) continue;
        const double sd = std::sqrt(predicted.moments.covariance(i, i) + run.narrow_variance);
        if (std::abs(residual) <= improbable_distance(sd)) continue;
        run.wide_variance = (std::max)(run.wide_variance, residual * residual);
        ++count;
    }
    return {.runs = std::move(runs), .improbable = count};
}

/// Weights of the hypotheses given runs that ended, any of which may be a straggler, under what is predicted of them.
inline std::vector<noise_hypothesis> noise_posterior(std::vector<noise_hypothesis> hypotheses, const knot_moments& predicted,
                                                     const confounded_variances& confounded, std::vector<observation> runs,
                                                     double noise_variance) {
    const prior_component common{.prediction = &predicted.moments, .confounded_with_noise = confounded};
    const matrix no_kernel(predicted.knots.size(), predicted.knots.size());
    for (auto& run : runs) run.knot = predicted.index_of(run.knot);
    // How many runs there are once merged, and their probabilities to be stragglers, are those of any hypothesis.
    std::vector<straggler_set> sets;
    std::vector<double> log_set_probabilities;
    std::vector<double> log_joints;
    std::vector<double> log_weights;
    for (const auto& hypothesis : hypotheses) {
        const auto merged = merge_repeated(with_noise(runs, hypothesis.variance_factor), 3);
        if (sets.empty()) {
            sets = straggler_sets(merged.runs.size(), most_sets_of_noise);
            log_set_probabilities = log_prior_probabilities(sets, merged.runs);
            log_joints.resize(sets.size());
        }
        conditioned_component component(with_noise(common, hypothesis.variance_factor, noise_variance), no_kernel,
                                        merged.runs);
        double log_evidence = -infinite;
        if (component.usable()) {
            for (size_t s = 0; s < sets.size(); ++s)
                log_joints[s] = log_set_probabilities[s] + component.log_evidence(sets[s]);
            log_evidence = merged.log_density + log_sum_exp(log_joints);
        }
        log_weights.push_back(std::log(hypothesis.weight) + log_evidence);
    }
    const double total = log_sum_exp(log_weights);
    if (!std::isfinite(total)) return hypotheses;
    for (size_t i = 0; i < hypotheses.size(); ++i) hypotheses[i].weight = std::exp(log_weights[i] - total);
    return hypotheses;
}

/// At most two hypotheses in place of a grid: one where the noise is known well, else the lower seven tenths of the
/// probability, and the rest. Each has the mean variance of those that it stands for.
inline std::vector<noise_hypothesis> few_hypotheses(const std::vector<noise_hypothesis>& grid) {
    constexpr double known_well = 0.35;
    constexpr double usual_share = 0.7;
    double mean = 0;
    double squares = 0;
    for (const auto& hypothesis : grid) {
        const double log_factor = std::log(hypothesis.variance_factor);
        mean += hypothesis.weight * log_factor;
        squares += hypothesis.weight * log_factor * log_factor;
    }
    const bool one = squares - mean * mean < known_well * known_well;
    std::vector<noise_hypothesis> few;
    double covered = 0;
    double group_end = 0;
    for (const auto& hypothesis : grid) {
        const double middle = covered + 0.5 * hypothesis.weight;
        covered += hypothesis.weight;
        if (few.empty() || (!one && middle > group_end)) {
            group_end = middle < usual_share ? usual_share : 1.0;
            few.push_back({.variance_factor = 0, .weight = 0});
        }
        few.back().variance_factor += hypothesis.weight * hypothesis.variance_factor;
        few.back().weight += hypothesis.weight;
    }
    std::erase_if(few, [](const auto& hypothesis) { return hypothesis.weight < 1e-4; });
    for (auto& hypothesis : few) hypothesis.variance_factor /= hypothesis.weight;
    return few;
}

/// Posterior of the log-runtime and of the run noise together, given the observed runs (with the history's noise): that of
/// each of a few noises by its weight. At most `most_components`. `predicted`: the priors' moments at the runs.
inline std::vector<posterior_component> condition_with_noise(const std::vector<prior_component>& priors,
                                                             const matrix& kernel, const std::vector<observation>& runs,
                                                             const knot_moments& predicted, double history_repeats,
                                                             size_t most_components = 64) {
    auto ended = runs;
    std::erase_if(ended, [](const auto& run) { return run.censored; });
    if (ended.empty() || priors.empty()) return condition(priors, kernel, runs, most_components);
    const auto confounded = mean_confounded(priors);
    // One run has a scatter only together with a level that may be noise.
    const double unexplained = confounded.configuration + confounded.level;
    if (ended.size() == 1 && !(unexplained > 0)) return condition(priors, kernel, runs, most_components);
    double noise_variance = 0;
    for (const auto& run : ended) noise_variance += run.narrow_variance / count_of(ended);
    const auto prior = noise_prior(history_repeats, 1 + unexplained / noise_variance);
    const auto hypotheses = few_hypotheses(noise_posterior(prior, predicted, confounded, ended, noise_variance));
    std::vector<posterior_component> posterior;
    double sum = 0;
    for (const auto& [factor, weight] : hypotheses) {
        auto noisy_priors = priors;
        for (auto& component : noisy_priors) component = with_noise(component, factor, noise_variance);
        const auto share = static_cast<size_t>(weight * static_cast<double>(most_components));
        for (auto& component : condition(noisy_priors, kernel, with_noise(runs, factor),
                                         std::clamp(share, most_components / 4, most_components))) {
            component.weight *= weight;
            component.noise_factor = factor;
            sum += component.weight;
            posterior.push_back(std::move(component));
        }
    }
    for (auto& component : posterior) component.weight /= sum;
    return posterior;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
