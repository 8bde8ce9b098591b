// Covariance functions with their derivatives by ln(length), and the vectorised exp that they share.
#ifndef BELLAMY_DETAIL_MATHS_KERNELS_HPP
#define BELLAMY_DETAIL_MATHS_KERNELS_HPP

#include <bellamy/detail/maths/pack.hpp>

#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// exp of anything below counts as zero: no such covariance matters.
inline constexpr double least_exponent = -700;

/// exp of x <= 0: exp(x - n ln 2) by its Taylor series, times 2^n. NaN gives NaN.
template <class Pack, class Bits>
void exponential_of(Pack& x) noexcept {
    constexpr double per_log_two = 1.4426950408889634;
    constexpr double log_two_high = 0.693147180369123816490;  // 32 bits, so that n times it is exact
    constexpr double log_two_low = 1.90821492927058770002e-10;
    constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52: the sum's lowest bits are the nearest integer
    const Pack limited = x < least_exponent ? Pack{} + least_exponent : x;
    const Pack shifted = limited * per_log_two + to_integer;
    const Pack n = shifted - to_integer;
    const Pack r = (limited - n * log_two_high) - n * log_two_low;
    Pack series = Pack{} + 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = series * r + 1.0;
    series = series * r + 1.0;
    Bits power;
    Bits bits;
    std::memcpy(&power, &shifted, sizeof power);
    std::memcpy(&bits, &series, sizeof bits);
    bits = bits + (power << 52);
    std::memcpy(&series, &bits, sizeof series);
    x = x < least_exponent ? Pack{} : series;
}

/// Replaces each x <= 0 by exp(x), with a relative error below 4e-16, the same at every position.
inline void exponentials(std::span<double> x) noexcept {
    size_t i = 0;
    for (; i + pack_lanes <= x.size(); i += pack_lanes) {
        pack some;
        load(some, x.data() + i);
        exponential_of<pack, pack_bits>(some);
        store(x.data() + i, some);
    }
    for (; i < x.size(); ++i) exponential_of<double, std::int64_t>(x[i]);
}

inline constexpr double root_five = 2.23606797749978969;

/// Matern 5/2 of r = sqrt(5) |x - y| / length, with `decay` = exp(-r). Numbers, or arrays of them that outlive the result.
auto matern_value(const auto& r, const auto& decay) { return (1 + r + r * r / 3) * decay; }

/// Its derivative by ln(length).
auto matern_slope(const auto& r, const auto& decay) { return r * r / 3 * (1 + r) * decay; }

/// The exponent -r of Matern 5/2, of a distance in lengths.
inline double matern_exponent(double distance) noexcept { return -root_five * std::abs(distance); }

/// Matern 5/2 of a distance in lengths.
inline double matern(double distance) noexcept {
    const double r = root_five * std::abs(distance);
    return matern_value(r, std::exp(-r));
}

/// Of the sum of squared distances in lengths; its derivative by a dimension's ln(length) is the value times that
/// dimension's summand.
inline double squared_exponential(double squares) noexcept { return std::exp(-0.5 * squares); }

/// Trend of a changing slope over the memory pressure: squared exponential of the fixed length 3.
inline double work_exponent(double difference) noexcept { return -difference * difference / 18; }
inline double work_trend(double difference) noexcept { return std::exp(work_exponent(difference)); }

/// Of a context's deviation from its prediction, at two ln(scale-out): a level, and a shape.
inline double deviation_covariance(double t, double u) noexcept { return (1 + 0.5 * matern((t - u) / 0.5)) / 1.5; }

/// Of an anomalous context's deviation: that, and independent noise of each scale-out.
inline double anomaly_covariance(double t, double u) noexcept { return deviation_covariance(t, u) + (t == u ? 0.3 : 0.0); }

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
