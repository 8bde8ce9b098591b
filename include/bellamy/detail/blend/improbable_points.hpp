// Finds points of a history that the others make improbable: stragglers and wrong records, so that they count for less.
#ifndef BELLAMY_DETAIL_BLEND_IMPROBABLE_POINTS_HPP
#define BELLAMY_DETAIL_BLEND_IMPROBABLE_POINTS_HPP

#include <bellamy/detail/blend/gaussian_process_fit.hpp>
#include <bellamy/detail/blend/run_noise.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Prior probability of a run that is neither usual nor a straggler but wrong, and the variance of its log-runtime.
inline constexpr double wrong_probability = 0.002;
inline constexpr double wrong_variance = 4;
/// Of a straggler's log-runtime around the usual one, before any is known.
inline constexpr double straggler_delay = 0.4;
inline constexpr double straggler_variance = 0.07;

/// Probability that the median of so many runs is not a usual run's: one straggler decides one run, two of three.
[[nodiscard]] inline double improbable_prior(double repetitions) noexcept {
    const double p = usual_noise.straggler + wrong_probability;
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

/// Posterior probability that a point is not usual, from its deviation, the variance of what it deviates from and its noise.
[[nodiscard]] inline double improbability(double deviation, double variance, double noise, double repetitions) noexcept {
    const auto log_density = [](double d, double v) { return -0.5 * (std::log(v) + d * d / v); };
    const double prior = improbable_prior(repetitions);
    const double share = wrong_probability / (usual_noise.straggler + wrong_probability);
    const double usual = std::log1p(-prior) + log_density(deviation, variance + noise);
    const double straggler =
        std::log(prior * (1 - share)) + log_density(deviation - straggler_delay, variance + straggler_variance);
    const double wrong = std::log(prior * share) + log_density(deviation, variance + wrong_variance);
    const double most = (std::max)(straggler, wrong);
    const double other = most + std::log(std::exp(straggler - most) + std::exp(wrong - most));
    return 1 / (1 + std::exp((std::min)(usual - other, 700.0)));
}

/// The variance of a point's noise as the mixture of a usual run and another one has it, by precision.
[[nodiscard]] inline double widened(double noise, double improbable) noexcept {
    const double wide = straggler_variance + straggler_delay * straggler_delay;
    return 1 / ((1 - improbable) / noise + improbable / (std::max)(wide, noise));
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
