// Likelihood of observed runs: contaminated normal noise, right-censored runs, repeated runs merged to their centre; and
// whether a run is an outlier.
#ifndef BELLAMY_DETAIL_BLEND_RUN_LIKELIHOOD_HPP
#define BELLAMY_DETAIL_BLEND_RUN_LIKELIHOOD_HPP

#include <bellamy/detail/context/history.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Noise of a run's log-runtime around its configuration's median, a contaminated normal:
/// (1 - p) N(0, narrow) + p N(delay, wide), where the wide component is stragglers.
struct scale_out_noise {
    double log_scale_out = 0;
    /// Variance without the largest residuals; the history's points are weighted by it.
    double pooled_variance = 0;
    double narrow_variance = 0;
    double wide_variance = 0;
    /// p.
    double straggler_probability = 0;
    /// Mean of the wide component: stragglers are rarely faster.
    double straggler_delay = 0;
};

/// Prior without any history: standard deviation 3 %, and 4 % stragglers with 0.4.
inline constexpr scale_out_noise prior_noise{.log_scale_out = 0,
                                             .pooled_variance = 9e-4,
                                             .narrow_variance = 9e-4,
                                             .wide_variance = 0.16,
                                             .straggler_probability = 0.04,
                                             .straggler_delay = 0};
/// Lower bound of a variance of log-runtimes: clocks count whole seconds, of runs of about a minute.
inline constexpr double least_noise_variance = 0.008 * 0.008;

struct run_noise {
    /// Ascending scale-outs.
    std::vector<scale_out_noise> by_scale_out{};

    /// The noise at the scale-out of the history that is nearest in ln(scale-out); the prior without any.
    const scale_out_noise& nearest(double log_scale_out) const noexcept {
        const scale_out_noise* best = &prior_noise;
        double least = infinite;
        for (const auto& noise : by_scale_out) {
            const double distance = std::abs(noise.log_scale_out - log_scale_out);
            if (!(distance < least)) continue;
            least = distance;
            best = &noise;
        }
        return *best;
    }
};

/// Prior probability of a wrong record, and the variance of its log-runtime; more where it is off by more, since a wrong
/// unit may be any factor.
inline constexpr double wrong_probability = 0.002;
inline constexpr double wrong_variance = 4;
inline constexpr double uninformative_variance = 1e4;
/// Prior of a straggler's log-runtime relative to a usual run's.
inline constexpr double straggler_delay = 0.4;
inline constexpr double straggler_variance = 0.07;

/// Prior probability that the median of so many runs is an outlier: one straggler decides one run, two of three.
inline double prior_outlier_probability(double repetitions) noexcept {
    const double p = prior_noise.straggler_probability + wrong_probability;
    if (repetitions < 2.5) return repetitions < 1.5 ? p : 2 * p;
    return 3 * p * p;
}

/// Log-densities of a point's residual, each with its prior probability.
struct residual_log_densities {
    double usual = 0;
    double outlier = 0;

    double marginal() const noexcept { return log_sum_exp(std::array{usual, outlier}); }
    /// Posterior probability of an outlier.
    double outlier_probability() const noexcept { return 1 / (1 + std::exp((std::min)(usual - outlier, 700.0))); }
    bool is_improbable() const noexcept { return outlier_probability() >= 0.95; }
};

/// Log density of a normal distribution around zero, without its constant.
inline double log_density(double deviation, double variance) noexcept {
    return -0.5 * (std::log(variance) + deviation * deviation / variance);
}

/// Of a residual from a prediction of this variance (without noise): a usual run's has this noise variance, an outlier is a
/// straggler or a wrong record.
inline residual_log_densities log_densities_of(double residual, double variance, double noise_variance,
                                               double repetitions) noexcept {
    const double prior = prior_outlier_probability(repetitions);
    const double wrong_fraction = wrong_probability / prior_outlier_probability(1);
    const double usual = std::log1p(-prior) + log_density(residual, variance + noise_variance);
    const double straggler =
        std::log(prior * (1 - wrong_fraction)) + log_density(residual - straggler_delay, variance + straggler_variance);
    const double wrong =
        std::log(prior * wrong_fraction) + log_density(residual, variance + (std::max)(wrong_variance, residual * residual));
    return {.usual = usual, .outlier = log_sum_exp(std::array{straggler, wrong})};
}

/// One observed run, or the median of several, at one knot of the curve; its noise as in `scale_out_noise`.
struct observation {
    size_t knot = 0;
    double log_runtime = 0;
    double narrow_variance = 0;
    double wide_variance = 0;
    double straggler_probability = 0;
    double straggler_delay = 0;
    /// Right-censored: the true log-runtime is larger.
    bool censored = false;
};

/// Of so many, any up to half may be stragglers, in 256 sets; of more, those of one scale-out are merged.
inline constexpr size_t most_exact_observations = 9;
inline constexpr size_t most_straggler_sets = 256;
/// Of the sets that the posterior of the noise sums over.
inline constexpr size_t most_sets_of_noise = 46;

/// Some runs of one scale-out as one observation, and the log-density that they have beside that of their centre.
struct merged_observation {
    observation run{};
    double log_density = 0;
};

/// Uncensored runs of one scale-out as one observation of the centre that they scatter around, by expectation maximisation
/// between usual runs and stragglers, and by Laplace's approximation of their likelihood around it. As one, they are a
/// straggler where more than half of them are.
inline merged_observation merged_runs(const std::vector<observation>& runs) {
    constexpr int rounds = 4;
    const auto& noise = runs.front();
    const double p = std::clamp(noise.straggler_probability, 1e-9, 1 - 1e-9);
    const double log_usual_density = std::log1p(-p) - 0.5 * (log_two_pi + std::log(noise.narrow_variance));
    // A wrong record has a larger one than the others.
    auto wide_variances = values_of(runs, &observation::wide_variance);
    auto log_straggler_densities = wide_variances;
    for (size_t i = 0; i < runs.size(); ++i) {
        wide_variances[i] = (std::max)(wide_variances[i], 1.01 * noise.narrow_variance);
        log_straggler_densities[i] = std::log(p) - 0.5 * (log_two_pi + std::log(wide_variances[i]));
    }
    double centre = median_of(values_of(runs, &observation::log_runtime));
    const auto log_usual = [&](size_t i) {
        const double deviation = runs[i].log_runtime - centre;
        return log_usual_density - 0.5 * deviation * deviation / noise.narrow_variance;
    };
    const auto log_straggler = [&](size_t i) {
        const double beyond = runs[i].log_runtime - centre - noise.straggler_delay;
        return log_straggler_densities[i] - 0.5 * beyond * beyond / wide_variances[i];
    };
    double precision = 0;
    for (int round = 0; round < rounds; ++round) {
        precision = 0;
        double weighted = 0;
        for (size_t i = 0; i < runs.size(); ++i) {
            const double straggler = 1 / (1 + std::exp(log_usual(i) - log_straggler(i)));
            const double usual_precision = (1 - straggler) / noise.narrow_variance;
            const double straggler_precision = straggler / wide_variances[i];
            precision += usual_precision + straggler_precision;
            weighted +=
                usual_precision * runs[i].log_runtime + straggler_precision * (runs[i].log_runtime - noise.straggler_delay);
        }
        centre = weighted / precision;
    }
    merged_observation merged{.run = noise, .log_density = 0.5 * (log_two_pi - std::log(precision))};
    for (size_t i = 0; i < runs.size(); ++i) merged.log_density += log_sum_exp(std::array{log_usual(i), log_straggler(i)});
    const double wide = *std::min_element(wide_variances.begin(), wide_variances.end());
    merged.run.log_runtime = centre;
    merged.run.narrow_variance = 1 / precision;
    merged.run.wide_variance = (std::max)(wide / count_of(runs), 2 * merged.run.narrow_variance);
    merged.run.straggler_probability = std::pow(p, (count_of(runs) + 1) / 2);
    return merged;
}

/// Observations of which some stand for several runs, and the log-density that these have beside that of their centre.
struct merged_observations {
    std::vector<observation> runs{};
    double log_density = 0;
};

/// So many ended runs of one scale-out, or more, become one observation; of its right-censored runs only the largest lower
/// bound stays, which implies the others.
inline merged_observations merge_repeated(std::vector<observation> runs, size_t least) {
    sort_stably(runs, [](const auto& a, const auto& b) { return a.knot < b.knot; });
    merged_observations merged;
    merged.runs.reserve(runs.size());
    std::vector<observation> uncensored;
    for (size_t first = 0; first < runs.size();) {
        uncensored.clear();
        const observation* bound = nullptr;
        size_t last = first;
        for (; last < runs.size() && runs[last].knot == runs[first].knot; ++last) {
            if (!runs[last].censored) {
                uncensored.push_back(runs[last]);
            } else if (bound == nullptr || runs[last].log_runtime > bound->log_runtime) {
                bound = &runs[last];
            }
        }
        if (bound != nullptr) merged.runs.push_back(*bound);
        if (uncensored.size() >= least) {
            const auto centre = merged_runs(uncensored);
            merged.log_density += centre.log_density;
            uncensored = {centre.run};
        }
        append(merged.runs, uncensored);
        first = last;
    }
    return merged;
}

/// Where there are too many runs for all sets of stragglers, those of one scale-out are merged.
inline std::vector<observation> merge_observations(std::vector<observation> runs) {
    if (runs.size() <= most_exact_observations) return runs;
    return merge_repeated(std::move(runs), 3).runs;
}

/// Indices of the runs that are taken for stragglers, ascending; at most `most_exact_observations`.
class straggler_set {
public:
    bool empty() const noexcept { return size_ == 0; }
    size_t size() const noexcept { return size_; }
    size_t operator[](size_t i) const noexcept { return indices_[i]; }
    const std::uint16_t* begin() const noexcept { return indices_.data(); }
    const std::uint16_t* end() const noexcept { return indices_.data() + size_; }
    straggler_set with(size_t index) const noexcept {
        auto larger = *this;
        larger.indices_[larger.size_++] = static_cast<std::uint16_t>(index);
        return larger;
    }

private:
    std::array<std::uint16_t, most_exact_observations> indices_{};
    std::uint16_t size_ = 0;
};

/// All sets of stragglers among `count` runs, small sets first. At most half of the runs, or three, are stragglers: where
/// more are late, their context is. Of many runs only the sets up to the size that keeps them within `most_sets`.
inline std::vector<straggler_set> straggler_sets(size_t count, size_t most_sets = most_straggler_sets) {
    size_t most_stragglers = 0;
    const size_t limit = (std::min)(count, (std::max)(count / 2, size_t{3}));
    for (size_t total = 1, of_size = 1; most_stragglers < limit; ++most_stragglers) {
        of_size = of_size * (count - most_stragglers) / (most_stragglers + 1);
        total += of_size;
        if (total > most_sets) break;
    }
    std::vector<straggler_set> sets{{}};
    size_t first = 0;
    for (size_t size = 1; size <= most_stragglers; ++size) {
        const size_t last = sets.size();
        for (; first < last; ++first)
            for (size_t i = sets[first].empty() ? 0 : sets[first][size - 2] + 1; i < count; ++i)
                sets.push_back(sets[first].with(i));
    }
    return sets;
}

/// How a normal changes by an observation at one knot: its log evidence, and what mean and variance gain per unit of
/// covariance with that knot.
struct moment_update {
    double log_evidence = 0;
    double mean_gain = 0;
    double variance_gain = 0;
};

/// Moment-matched update of a normal by a right-censored run (assumed density filtering; Minka 2001).
inline moment_update censored_update(const observation& bound, double mean, double variance) noexcept {
    // For each component of the noise, by the mean: the derivative of the log evidence, and the second one of the evidence,
    // negative and relative to it.
    const std::array<double, 2> weights{1 - bound.straggler_probability, bound.straggler_probability};
    const std::array<double, 2> noise_variances{bound.narrow_variance, bound.wide_variance};
    const std::array<double, 2> noise_means{0, bound.straggler_delay};
    std::array<double, 2> log_evidences{};
    std::array<double, 2> slopes{};
    std::array<double, 2> curvatures{};
    for (size_t i = 0; i < 2; ++i) {
        const double sd = std::sqrt(variance + noise_variances[i]);
        const double z = (mean + noise_means[i] - bound.log_runtime) / sd;
        log_evidences[i] = std::log((std::max)(weights[i], 1e-300)) + log_normal_cdf(z);
        slopes[i] = inverse_mills_ratio(z) / sd;
        curvatures[i] = slopes[i] * z / sd;
    }
    moment_update update{.log_evidence = log_sum_exp(log_evidences)};
    double curvature = 0;
    for (size_t i = 0; i < 2; ++i) {
        const double responsibility = std::exp(log_evidences[i] - update.log_evidence);
        update.mean_gain += responsibility * slopes[i];
        curvature += responsibility * curvatures[i];
    }
    update.variance_gain = -(curvature + update.mean_gain * update.mean_gain);
    // The variance keeps at least a thousandth.
    if (variance + variance * variance * update.variance_gain < 1e-3 * variance)
        update.variance_gain = (1e-3 - 1) / variance;
    return update;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
