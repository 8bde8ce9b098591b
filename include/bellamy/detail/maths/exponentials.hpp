// Vectorised exp of many non-positive numbers.
#ifndef BELLAMY_DETAIL_MATHS_EXPONENTIALS_HPP
#define BELLAMY_DETAIL_MATHS_EXPONENTIALS_HPP

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
    std::size_t i = 0;
    for (; i + pack_lanes <= x.size(); i += pack_lanes) {
        pack some;
        load(some, x.data() + i);
        exponential_of<pack, pack_bits>(some);
        store(x.data() + i, some);
    }
    for (; i < x.size(); ++i) exponential_of<double, std::int64_t>(x[i]);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
