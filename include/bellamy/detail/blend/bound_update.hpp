// A run that was killed tells a bound of its runtime: what that does to a normal distribution.
#ifndef BELLAMY_DETAIL_BLEND_BOUND_UPDATE_HPP
#define BELLAMY_DETAIL_BLEND_BOUND_UPDATE_HPP

#include <bellamy/detail/blend/observations.hpp>
#include <bellamy/detail/maths/mixture.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What one bound does: ln of its probability, and how the mean at its scale-out moves and the variance shrinks, each per
/// unit of covariance.
struct bound_update {
    double log_probability = 0;
    double mean_gain = 0;
    double variance_gain = 0;
};

/// Takes in one bound by matching the first two moments (assumed density filtering; Minka 2001).
[[nodiscard]] inline bound_update take_bound(const observation& bound, double mean, double variance) noexcept {
    // Either part of the run noise: ln of its share of the probability, hazard over deviation, and curvature.
    const std::array<double, 2> shares{1 - bound.straggler, bound.straggler};
    const std::array<double, 2> noises{bound.narrow_variance, bound.wide_variance};
    std::array<double, 2> logs{};
    std::array<double, 2> slopes{};
    std::array<double, 2> curves{};
    for (std::size_t i = 0; i < 2; ++i) {
        const double deviation = std::sqrt(variance + noises[i]);
        const double z = (mean + (i == 1 ? bound.delay : 0) - bound.log_runtime) / deviation;
        logs[i] = std::log((std::max)(shares[i], 1e-300)) + log_normal_cdf(z);
        slopes[i] = hazard(z) / deviation;
        curves[i] = slopes[i] * z / deviation;
    }
    bound_update made;
    made.log_probability = log_sum_exp(logs);
    double slope = 0;
    double curve = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const double part = std::exp(logs[i] - made.log_probability);
        slope += part * slopes[i];
        curve += part * curves[i];
    }
    made.mean_gain = slope;
    made.variance_gain = -(curve + slope * slope);
    if (variance + variance * variance * made.variance_gain < 1e-3 * variance) made.variance_gain = (1e-3 - 1) / variance;
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
