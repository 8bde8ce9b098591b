// Covariance functions: values, and derivatives by the logarithm of the length where that is fitted.
#ifndef BELLAMY_DETAIL_MATHS_KERNELS_HPP
#define BELLAMY_DETAIL_MATHS_KERNELS_HPP

#include <bellamy/version.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr double root_five = 2.23606797749978969;

/// Matern 5/2 of r = sqrt(5) |x - y| / length, with `decay` = exp(-r). Numbers, or arrays of them that outlive the result.
template <class Number, class Decay>
[[nodiscard]] auto matern_value(const Number& r, const Decay& decay) {
    return (1 + r + r * r / 3) * decay;
}

/// Its derivative by ln(length).
template <class Number, class Decay>
[[nodiscard]] auto matern_slope(const Number& r, const Decay& decay) {
    return r * r / 3 * (1 + r) * decay;
}

/// The exponent -r of Matern 5/2, of a distance in lengths.
[[nodiscard]] inline double matern_exponent(double distance) noexcept { return -root_five * std::abs(distance); }

/// Matern 5/2 of a distance in lengths.
[[nodiscard]] inline double matern(double distance) noexcept {
    const double r = root_five * std::abs(distance);
    return matern_value(r, std::exp(-r));
}

/// Of the sum of squared distances in lengths; its derivative by a dimension's ln(length) is the value times that
/// dimension's summand.
[[nodiscard]] inline double squared_exponential(double squares) noexcept { return std::exp(-0.5 * squares); }

/// Trend of a changing slope over the memory pressure: squared exponential of the fixed length 3.
[[nodiscard]] inline double work_exponent(double difference) noexcept { return -difference * difference / 18; }
[[nodiscard]] inline double work_trend(double difference) noexcept { return std::exp(work_exponent(difference)); }

/// Of a context's deviation from its prediction, at two ln(scale-out): a level, and a shape.
[[nodiscard]] inline double deviation_covariance(double t, double u) noexcept {
    return (1 + 0.5 * matern((t - u) / 0.5)) / 1.5;
}

/// Of an anomalous context's deviation: that, and independent noise of each scale-out.
[[nodiscard]] inline double anomaly_covariance(double t, double u) noexcept {
    return deviation_covariance(t, u) + (t == u ? 0.3 : 0.0);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
