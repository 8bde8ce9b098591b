// The standard normal distribution: density, distribution function with logarithm and inverse, and a table for SIMD.
#ifndef BELLAMY_DETAIL_MATHS_NORMAL_HPP
#define BELLAMY_DETAIL_MATHS_NORMAL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr double log_two_pi = 1.83787706640934548;

[[nodiscard]] inline double normal_density(double z) noexcept { return 0.39894228040143268 * std::exp(-0.5 * z * z); }
[[nodiscard]] inline double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z * 0.70710678118654752); }

/// ln of the distribution function; far in the lower tail by its asymptotic series.
[[nodiscard]] inline double log_normal_cdf(double z) noexcept {
    if (z > -25) return std::log(normal_cdf(z));
    const double s = 1 / (z * z);
    return -0.5 * (z * z + log_two_pi) - std::log(-z) + std::log1p(-s * (1 - 3 * s * (1 - 5 * s)));
}

/// Density over distribution function (inverse Mills ratio): the mean of a standard normal that is truncated below -z.
[[nodiscard]] inline double hazard(double z) noexcept { return std::exp(-0.5 * (z * z + log_two_pi) - log_normal_cdf(z)); }

/// Inverse of the distribution function; infinite at 0 and 1, NaN outside. Relative error below 1.2e-9 (Acklam 2003).
[[nodiscard]] inline double normal_quantile(double p) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
    if (p <= 0) return -infinity;
    if (p >= 1) return infinity;
    constexpr std::array<double, 6> a{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                                      1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr std::array<double, 5> b{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                                      6.680131188771972e+01, -1.328068155288572e+01};
    constexpr std::array<double, 6> c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                      -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    constexpr std::array<double, 4> d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                                      3.754408661907416e+00};
    const double tail = p < 0.5 ? p : 1 - p;
    if (tail < 0.02425) {
        const double q = std::sqrt(-2 * std::log(tail));
        const double z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                         ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
        return p < 0.5 ? z : -z;
    }
    const double q = p - 0.5;
    const double r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

/// Table of distribution function and density with third-order Taylor series between its entries; error below 1e-8.
class normal_table {
public:
    normal_table() noexcept {
        for (std::size_t i = 0; i < cells; ++i) {
            const double z = centre_of(i);
            values_[i] = {.cdf = normal_cdf(z), .density = normal_density(z)};
        }
    }
    /// Sets distribution function and density at z, a double or a pack of doubles.
    template <class Pack>
    void operator()(const Pack& z, Pack& cdf, Pack& density) const noexcept {
        constexpr std::size_t lanes = lanes_of<Pack>;
        const Pack clamped = z > -reach ? (z < reach ? z : Pack{} + reach) : Pack{} - reach;  // NaN gets a cell too
        // Floor of the position: adding 2^52 rounds it to the nearest integer and puts that into the lowest bits.
        const Pack position = (clamped + reach) * cells_per_unit;
        const Pack rounded = (position + two_to_52) - two_to_52;
        const Pack cell = rounded > position ? rounded - 1 : rounded;
        const Pack shifted = cell + two_to_52;
        std::array<std::uint64_t, lanes> cell_bits;
        std::memcpy(cell_bits.data(), &shifted, sizeof shifted);
        std::array<double, lanes> cdfs;
        std::array<double, lanes> densities;
        BELLAMY_UNROLL_4 for (std::size_t i = 0; i < lanes; ++i) {
            const auto& centre = values_[cell_bits[i] & 2047U];
            cdfs[i] = centre.cdf;
            densities[i] = centre.density;
        }
        load(cdf, cdfs.data());
        load(density, densities.data());
        // Taylor series at the centre of the cell.
        const Pack x = (cell + 0.5) / cells_per_unit - reach;
        const Pack h = z - x;
        const Pack second_derivative = x * x - 1;
        const Pack series_cdf = cdf + density * h * (1 - h * (0.5 * x - h * second_derivative / 6));
        const Pack series_density = density * (1 - h * (x - 0.5 * h * second_derivative));
        cdf = z <= -reach ? Pack{} : (z >= reach ? Pack{} + 1 : series_cdf);
        density = z <= -reach ? Pack{} : (z >= reach ? Pack{} : series_density);
    }
    [[nodiscard]] static const normal_table& instance() noexcept {
        static const normal_table table;
        return table;
    }

private:
    struct values {
        double cdf;
        double density;
    };
    static constexpr double reach = 8;
    static constexpr double cells_per_unit = 64;
    static constexpr std::size_t cells = 1025;  // the upper end begins one
    static constexpr double two_to_52 = 4503599627370496.0;
    [[nodiscard]] static constexpr double centre_of(std::size_t cell) noexcept {
        return -reach + (static_cast<double>(cell) + 0.5) / cells_per_unit;
    }

    std::array<values, cells> values_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
