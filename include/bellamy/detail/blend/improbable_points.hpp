// Finds points of a history that the others make improbable: stragglers and wrong records, so that they count for less.
#ifndef BELLAMY_DETAIL_BLEND_IMPROBABLE_POINTS_HPP
#define BELLAMY_DETAIL_BLEND_IMPROBABLE_POINTS_HPP

#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/run_likelihood.hpp>
#include <bellamy/detail/maths/empirical.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior probability of a run that is neither usual nor a straggler but wrong, and the variance of its log-runtime; more
/// where it is off by more, since a wrong unit may be any factor.
inline constexpr double wrong_probability = 0.002;
inline constexpr double wrong_variance = 4;
/// Of a straggler's log-runtime around the usual one, before any is known.
inline constexpr double straggler_delay = 0.4;
inline constexpr double straggler_variance = 0.07;
/// A point is far from so many robust deviations on, and from a factor of two.
inline constexpr double far_deviations_at = 5;
inline constexpr double least_far = 0.7;

/// Probability that the median of so many runs is not a usual run's: one straggler decides one run, two of three.
[[nodiscard]] inline double improbable_prior(double repetitions) noexcept {
    const double p = prior_noise.straggler_probability + wrong_probability;
    if (repetitions < 2.5) return repetitions < 1.5 ? p : 2 * p;
    return 3 * p * p;
}

/// What the other points of a history say of one: how probably it is neither usual nor a median of usual runs, and the
/// log-runtime to expect instead, with its variance without noise.
struct judged_point {
    double improbability = 0;
    double expected = 0;
    double variance = 0;
};

/// Log-density of a point's deviation as a usual run's, and as a straggler's or wrong run's.
struct point_log_densities {
    double usual = 0;
    double other = 0;

    [[nodiscard]] double of_either() const noexcept { return log_sum_exp(std::array{usual, other}); }
};

/// From the deviation, the variance of what it deviates from and the point's noise.
[[nodiscard]] inline point_log_densities log_densities_of(double deviation, double variance, double noise,
                                                          double repetitions) noexcept {
    const auto log_density = [](double d, double v) { return -0.5 * (std::log(v) + d * d / v); };
    const double prior = improbable_prior(repetitions);
    const double share = wrong_probability / (prior_noise.straggler_probability + wrong_probability);
    const double usual = std::log1p(-prior) + log_density(deviation, variance + noise);
    const double straggler =
        std::log(prior * (1 - share)) + log_density(deviation - straggler_delay, variance + straggler_variance);
    const double wrong =
        std::log(prior * share) + log_density(deviation, variance + (std::max)(wrong_variance, deviation * deviation));
    return {.usual = usual, .other = log_sum_exp(std::array{straggler, wrong})};
}

/// Posterior probability that a point is not usual.
[[nodiscard]] inline double improbability(double deviation, double variance, double noise, double repetitions) noexcept {
    const auto densities = log_densities_of(deviation, variance, noise, repetitions);
    return 1 / (1 + std::exp((std::min)(densities.usual - densities.other, 700.0)));
}

/// The variance of a point's noise as the mixture of a usual run and another one has it, by precision. The farther an
/// improbable one is from what the others say, the less it counts.
[[nodiscard]] inline double widened(double noise, double improbable, double deviation) noexcept {
    const double wide = (std::max)(straggler_variance + straggler_delay * straggler_delay, deviation * deviation);
    return 1 / ((1 - improbable) / noise + improbable / (std::max)(wide, noise));
}

/// The same of a judged point of a history.
[[nodiscard]] inline double widened(const history_point& point, double noise, const judged_point& judged) noexcept {
    return widened(noise, judged.improbability, point.log_runtime - judged.expected);
}

/// How far each point of a trend's residual is from the others, where that is so far that whatever is fitted to them may
/// bend to it, else 0: a context from the other contexts, and a point from the others of its context, if it has two.
[[nodiscard]] inline std::vector<double> far_deviations(const history_data& residual) {
    std::vector<double> deviations(residual.points.size());
    std::vector<double> levels;
    std::vector<double> within;
    for (const auto& own : residual.contexts) {
        std::vector<double> values;
        for (std::size_t i = own.first; i < own.first + own.count; ++i) values.push_back(residual.points[i].log_runtime);
        levels.push_back(median_of(values));
        for (std::size_t k = 0; k < values.size(); ++k) {
            deviations[own.first + k] = values[k] - levels.back();
            if (values.size() >= 3) within.push_back(deviations[own.first + k]);
        }
    }
    const double middle = median_of(levels);
    for (double& each : levels) each -= middle;
    const auto far_from = [](std::span<const double> all) {
        return (std::max)(far_deviations_at * robust_sd(all), least_far);
    };
    const double far_level = far_from(levels);
    const double far_within = far_from(within);
    const auto beyond = [](double deviation, double least) { return std::abs(deviation) > least ? deviation : 0.0; };
    for (std::size_t i = 0; i < deviations.size(); ++i) {
        const std::size_t context = residual.points[i].context;
        const bool has_others = residual.contexts[context].count >= 3;
        deviations[i] = beyond(levels[context], far_level) + (has_others ? beyond(deviations[i], far_within) : 0.0);
    }
    return deviations;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
