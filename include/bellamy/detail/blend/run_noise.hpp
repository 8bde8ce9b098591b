// Noise between runs of one configuration, per scale-out: usual runs and stragglers.
#ifndef BELLAMY_DETAIL_BLEND_RUN_NOISE_HPP
#define BELLAMY_DETAIL_BLEND_RUN_NOISE_HPP

#include <bellamy/detail/context/history.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Noise of a run's log-runtime around its configuration's median: (1 - p) N(0, narrow) + p N(delay, wide), by variances.
struct scale_out_noise {
    double log_scale_out = 0;
    /// Of all runs but the largest deviations; weighs the history's points.
    double pooled_variance = 0;
    double narrow_variance = 0;
    double wide_variance = 0;
    /// Probability p of a straggler.
    double straggler = 0;
    /// How much longer stragglers take on average; they are rarely faster.
    double delay = 0;
};

/// Without any history: standard deviation 3 %, and 4 % of the runs are stragglers with 0.4.
inline constexpr scale_out_noise usual_noise{.log_scale_out = 0,
                                             .pooled_variance = 9e-4,
                                             .narrow_variance = 9e-4,
                                             .wide_variance = 0.16,
                                             .straggler = 0.04,
                                             .delay = 0};
/// Least variance, because clocks count whole seconds.
inline constexpr double least_noise = 0.008 * 0.008;

/// Sorted by scale-out.
struct run_noise {
    std::vector<scale_out_noise> at{};

    /// The noise at the seen scale-out that is nearest in ln x.
    [[nodiscard]] const scale_out_noise& nearest(double log_scale_out) const noexcept {
        if (at.empty()) return usual_noise;
        const scale_out_noise* best = &at.front();
        for (const auto& each : at)
            if (std::abs(each.log_scale_out - log_scale_out) < std::abs(best->log_scale_out - log_scale_out)) best = &each;
        return *best;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
