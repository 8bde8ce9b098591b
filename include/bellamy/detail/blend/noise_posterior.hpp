// Posterior of the run noise of one context: its factor on the history's noise variance, on a grid, given the observed runs.
#ifndef BELLAMY_DETAIL_BLEND_NOISE_POSTERIOR_HPP
#define BELLAMY_DETAIL_BLEND_NOISE_POSTERIOR_HPP

#include <bellamy/detail/blend/conditioning.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A value that the noise of a context may have, relative to the history's.
struct noise_hypothesis {
    double variance_factor = 1;
    double weight = 1;
    /// See `prior_component`.
    bool differs = true;
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

/// So many repeated runs tell the noise as well as the prior does.
inline constexpr double pseudo_repeats = 5;

/// Probability that contexts differ by more than the growth trend says, given its residuals: prior odds that fall with the
/// number of contexts, as few do not show what they differ by, and the likelihood ratio at the likeliest of some
/// variances, less for that choice (BIC). It counts as far as repeated runs, or several points of a context, tell the noise
/// from a level.
inline double probability_of_difference(const history_data& residual, double history_repeats) {
    constexpr double even_contexts = 20;
    const double contexts = count_of(residual.contexts);
    const double degrees_of_freedom = count_of(residual.points) - contexts;
    std::vector<double> precisions;
    std::vector<double> sums;
    double squares = 0;
    for (const auto& context : residual.contexts) {
        double precision = 0;
        double sum = 0;
        for (const auto& point : residual.points_of(context)) {
            precision += 1 / point.variance;
            sum += point.log_runtime / point.variance;
            squares += point.log_runtime * point.log_runtime / point.variance;
        }
        squares -= sum * sum / precision;
        precisions.push_back(precision);
        sums.push_back(sum);
    }
    // Points' variances leave out the largest squares of their runs: those of two runs may be half of what they should be.
    const double noise = (std::max)(squares / (degrees_of_freedom + 1), 2.0);
    double most = 0;
    for (const double variance : {0.001, 0.01, 0.1, 1.0}) {
        double log_ratio = -0.5 * std::log(contexts);
        for (size_t c = 0; c < sums.size(); ++c) {
            const double total = noise + variance * precisions[c];
            log_ratio += 0.5 * (sums[c] * sums[c] * variance / (noise * total) - std::log(total / noise));
        }
        most = (std::max)(most, log_ratio);
    }
    const double told = history_repeats + degrees_of_freedom;
    return 1 / (1 + std::pow(contexts / even_contexts, 3) * std::exp(-most * told / (pseudo_repeats + told)));
}

/// Prior of a context's noise, ascending. Where contexts differ, which has the probability `difference_probability`, it is
/// log-normal around the history's, the wider the fewer repeated runs that rests on. Where they do not, what the experts
/// leave unexplained between them is noise, too, as far as repeated runs have not told it. `unexplained_factor`: noise with
/// all of that, relative to the history's alone.
inline std::vector<noise_hypothesis> noise_prior(double history_repeats, double unexplained_factor,
                                                 double difference_probability) {
    constexpr size_t count = 9;
    const double between = between_contexts_noise_sd * between_contexts_noise_sd;
    const double variance = between + 2 / (1 + history_repeats);
    const double unexplained = std::log(unexplained_factor);
    const double unexplained_weight = pseudo_repeats / (pseudo_repeats + history_repeats);
    const double lowest = -2 * std::sqrt(variance);
    const double highest = (std::max)(2 * std::sqrt(variance), unexplained + 2 * between_contexts_noise_sd);
    std::vector<double> factors;
    std::vector<double> usual;
    std::vector<double> with_unexplained;
    for (size_t i = 0; i < count; ++i) {
        const double log_factor = lowest + (highest - lowest) * static_cast<double>(i) / (count - 1);
        const double beyond = log_factor - unexplained;
        factors.push_back(std::exp(log_factor));
        usual.push_back(squared_exponential(log_factor * log_factor / variance));
        with_unexplained.push_back(squared_exponential(beyond * beyond / between));
    }
    std::vector<noise_hypothesis> prior;
    for (size_t i = 0; i < count; ++i) {
        const double usual_weight = usual[i] / sum_of(usual);
        const double shared_weight =
            usual_weight + unexplained_weight * (with_unexplained[i] / sum_of(with_unexplained) - usual_weight);
        if (difference_probability > 0)
            prior.push_back({.variance_factor = factors[i], .weight = difference_probability * usual_weight});
        if (difference_probability < 1)
            prior.push_back(
                {.variance_factor = factors[i], .weight = (1 - difference_probability) * shared_weight, .differs = false});
    }
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
    expert_answer moments{.mean = std::vector<double>(q), .covariance = matrix(q, q), .between_contexts = matrix(q, q)};
    const double total = log_sum_exp(values_of(priors, &prior_component::log_weight));
    for (const auto& prior : priors) {
        const double weight = std::exp(prior.log_weight - total);
        auto shared = prior;
        shared.differs = false;
        for (size_t i = 0; i < q; ++i) {
            const double mean = prior.prediction->mean[knots[i]];
            moments.mean[i] += weight * mean;
            for (size_t j = 0; j < q; ++j) {
                const double covariance = covariance_of(prior, kernel, knots[i], knots[j]);
                moments.between_contexts(i, j) += weight * (covariance - covariance_of(shared, kernel, knots[i], knots[j]));
                moments.covariance(i, j) += weight * (covariance + mean * prior.prediction->mean[knots[j]]);
            }
        }
    }
    for (size_t i = 0; i < q; ++i)
        for (size_t j = 0; j < q; ++j) moments.covariance(i, j) -= moments.mean[i] * moments.mean[j];
    return {.knots = std::move(knots), .moments = std::move(moments)};
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
                                                     std::vector<observation> runs) {
    prior_component common{.prediction = &predicted.moments};
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
        common.differs = hypothesis.differs;
        conditioned_component component(common, no_kernel, merged.runs);
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

/// At most two hypotheses in place of those of a grid where the context differs, or does not: one where the noise is known
/// well, else the lower seven tenths of the probability, and the rest. Each has the mean variance of those that it stands
/// for.
inline std::vector<noise_hypothesis> few_hypotheses(std::vector<noise_hypothesis> grid, bool differs) {
    constexpr double known_well = 0.35;
    constexpr double usual_share = 0.7;
    std::erase_if(grid, [&](const auto& hypothesis) { return hypothesis.differs != differs; });
    const double total = sum_of(values_of(grid, &noise_hypothesis::weight));
    double mean = 0;
    double squares = 0;
    for (const auto& hypothesis : grid) {
        const double log_factor = std::log(hypothesis.variance_factor);
        mean += hypothesis.weight / total * log_factor;
        squares += hypothesis.weight / total * log_factor * log_factor;
    }
    const bool one = squares - mean * mean < known_well * known_well;
    std::vector<noise_hypothesis> few;
    double covered = 0;
    double group_end = 0;
    for (const auto& hypothesis : grid) {
        const double middle = covered + 0.5 * hypothesis.weight;
        covered += hypothesis.weight;
        if (few.empty() || (!one && middle > group_end)) {
            group_end = middle < usual_share * total ? usual_share * total : total;
            few.push_back({.variance_factor = 0, .weight = 0, .differs = differs});
        }
        few.back().variance_factor += hypothesis.weight * hypothesis.variance_factor;
        few.back().weight += hypothesis.weight;
    }
    std::erase_if(few, [](const auto& hypothesis) { return hypothesis.weight < 0.02; });
    for (auto& hypothesis : few) hypothesis.variance_factor /= hypothesis.weight;
    return few;
}

/// Posterior of the log-runtime and of the run noise together, given the observed runs (with the history's noise): that of
/// each of a few noises by its weight. `predicted`: the priors' moments at the runs. `difference_probability`: see
/// `noise_prior`.
inline std::vector<posterior_component> condition_with_noise(std::vector<prior_component> priors, const matrix& kernel,
                                                             const std::vector<observation>& runs,
                                                             const knot_moments& predicted, double history_repeats,
                                                             double difference_probability) {
    auto ended = runs;
    std::erase_if(ended, [](const auto& run) { return run.censored; });
    if (ended.empty() || priors.empty()) return condition(priors, kernel, runs);
    const double noise_variance = sum_of(values_of(ended, &observation::narrow_variance)) / count_of(ended);
    const auto grid = noise_posterior(
        noise_prior(history_repeats, 1 + predicted.moments.between_contexts(0, 0) / noise_variance, difference_probability),
        predicted, ended);
    auto hypotheses = few_hypotheses(grid, true);
    append(hypotheses, few_hypotheses(grid, false));
    std::vector<posterior_component> posterior;
    double sum = 0;
    for (const auto& [factor, weight, differs] : hypotheses) {
        for (auto& prior : priors) prior.differs = differs;
        for (auto& component :
             condition(priors, kernel, with_noise(runs, factor), (std::max)(static_cast<size_t>(weight * 64), size_t{16}))) {
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
