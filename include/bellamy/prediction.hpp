// Predicted runtime at one scale-out: median, quantiles, probability of a limit, and flags.
#ifndef BELLAMY_PREDICTION_HPP
#define BELLAMY_PREDICTION_HPP

#include <bellamy/detail/maths/mixture.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Log-runtimes at fixed probabilities, ascending: quantiles at the standard normal deviates -4, -3, -2.326, -1.645, -1.282,
/// -0.95, -0.674, -0.33, 0 and the same above it.
using log_runtime_quantiles = std::array<double, 17>;

/// Lower and upper end of a range of runtimes.
struct runtime_interval {
    double low_s = 0;
    double high_s = 0;
};

/// Predicted runtime at one scale-out, how sure that is, and what the caller should know about it. Never allocates.
struct prediction {
    /// The runtime in seconds that is as likely to be exceeded as not. The published network gives a point only, which can
    /// be zero or negative: see `usable`. NaN where the question itself was not valid.
    double median_s = std::numeric_limits<double>::quiet_NaN();
    /// Runs of this very context that the answer rests on.
    std::uint32_t observed_runs = 0;
    /// The scale-out lies below or above every one that the model has seen: the answer is an extrapolation.
    bool outside_seen_scale_outs = false;
    /// The data size lies below or above every one of the history (best mode, cold start): an extrapolation over data size.
    /// Or the cluster has less memory for its data than any that ran, and less than twice the data (best mode, where both
    /// have roles and one unit).
    bool outside_seen_data_sizes = false;
    /// The context has a text that no run of the history had, or a number far from theirs. After a cold start: no run of it
    /// was observed, and of those that ended and differ in their data size alone, none has at least half, or none has at
    /// most twice its size.
    bool unlike_any_seen_context = false;
    /// Runs of this context at one scale-out differ by more than a factor of two: the interval spans both, or one of them is
    /// taken for a straggler. Or a run took less than a tenth or more than ten times of what the history lets expect (best
    /// mode): a wrong record, which counts as little.
    bool contradictory_observed_runs = false;
    /// Only the median is known (published network, baselines): it is then taken for certain.
    bool is_point = true;
    /// The whole distribution, where it is not a point.
    log_runtime_quantiles log_quantiles{};

    /// Whether this can be a runtime: finite and greater than zero. What is not usable is never chosen.
    [[nodiscard]] constexpr bool usable() const noexcept {
        return median_s > 0 && median_s <= (std::numeric_limits<double>::max)();
    }

    /// The runtime in seconds that is exceeded with probability 1 - p. NaN unless 0 < p < 1.
    [[nodiscard]] double quantile_s(double p) const noexcept {
        if (!(p > 0 && p < 1)) return std::numeric_limits<double>::quiet_NaN();
        return is_point ? median_s : std::exp(detail::quantile_at(log_quantiles, detail::normal_quantile(p)));
    }

    /// Probability that the run takes at most `limit_s` seconds.
    [[nodiscard]] double probability_within(double limit_s) const noexcept {
        if (!(limit_s > 0) || !usable()) return 0;
        if (is_point) return median_s <= limit_s ? 1 : 0;
        return detail::normal_cdf(detail::z_score_at(log_quantiles, std::log(limit_s)));
    }

    /// The central range that holds the runtime with this probability.
    [[nodiscard]] runtime_interval interval_s(double probability) const noexcept {
        return {.low_s = quantile_s((1 - probability) / 2), .high_s = quantile_s((1 + probability) / 2)};
    }

    /// Width of the 50 % interval as a share of the median; 0 for a point.
    [[nodiscard]] double spread() const noexcept {
        const auto half = interval_s(0.5);
        return (half.high_s - half.low_s) / median_s;
    }
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
