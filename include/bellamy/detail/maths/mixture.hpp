// The standard normal distribution, and mixtures of normal distributions with their quantiles at fixed probabilities.
#ifndef BELLAMY_DETAIL_MATHS_MIXTURE_HPP
#define BELLAMY_DETAIL_MATHS_MIXTURE_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/infinity.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr double log_two_pi = 1.83787706640934548;

inline double normal_density(double z) noexcept { return 0.39894228040143268 * std::exp(-0.5 * z * z); }
inline double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z * 0.70710678118654752); }

/// ln of the distribution function; far in the lower tail by its asymptotic series.
inline double log_normal_cdf(double z) noexcept {
    if (z > -25) return std::log(normal_cdf(z));
    const double s = 1 / (z * z);
    return -0.5 * (z * z + log_two_pi) - std::log(-z) + std::log1p(-s * (1 - 3 * s * (1 - 5 * s)));
}

/// Density over distribution function (inverse Mills ratio): the mean of a standard normal that is truncated below -z.
inline double inverse_mills_ratio(double z) noexcept { return std::exp(-0.5 * (z * z + log_two_pi) - log_normal_cdf(z)); }

/// Inverse of the distribution function; infinite at 0 and 1, NaN outside. Relative error below 1.2e-9 (Acklam 2003).
inline double normal_quantile(double p) noexcept {
    if (!(p >= 0 && p <= 1)) return not_a_number;
    if (p <= 0) return -infinite;
    if (p >= 1) return infinite;
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
        for (size_t i = 0; i < cells; ++i) {
            const double z = centre_of(i);
            values_[i] = {.cdf = normal_cdf(z), .density = normal_density(z)};
        }
    }
    /// Sets distribution function and density at z, a double or a pack of doubles.
    template <class Pack>
    void operator()(const Pack& z, Pack& cdf, Pack& density) const noexcept {
        constexpr size_t lanes = lanes_of<Pack>;
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
        BELLAMY_UNROLL_4 for (size_t i = 0; i < lanes; ++i) {
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
    static const normal_table& instance() noexcept {
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
    static constexpr size_t cells = 1025;  // the upper end begins one
    static constexpr double two_to_52 = 4503599627370496.0;
    static constexpr double centre_of(size_t cell) noexcept {
        return -reach + (static_cast<double>(cell) + 0.5) / cells_per_unit;
    }

    std::array<values, cells> values_{};
};

struct normal_component {
    double weight = 0;
    double mean = 0;
    /// Standard deviation.
    double sd = 0;
};

/// ln(sum exp(x)).
inline double log_sum_exp(std::span<const double> x) noexcept {
    double largest = -infinite;
    for (const double value : x) largest = (std::max)(largest, value);
    if (!std::isfinite(largest)) return largest;
    double sum = 0;
    for (const double value : x) sum += std::exp(value - largest);
    return largest + std::log(sum);
}

/// The fixed probabilities of all quantiles, as standard normal quantiles z: over z a normal's quantiles are linear, and a
/// mixture's nearly so.
inline constexpr std::array<double, 17> standard_normal_quantiles{
    -4.0, -3.0, -2.326, -1.645, -1.282, -0.95, -0.674, -0.33, 0.0, 0.33, 0.674, 0.95, 1.282, 1.645, 2.326, 3.0, 4.0};
using quantile_row = std::array<double, standard_normal_quantiles.size()>;
inline constexpr size_t median_index = standard_normal_quantiles.size() / 2;

/// Distribution function and density of a mixture, and the density's derivative; evaluates a few components at once.
class mixture_table {
public:
    struct values {
        double cdf;
        double density;
        double slope;
    };

    /// Components beyond `most_components` are ignored: a posterior has fewer.
    explicit mixture_table(std::span<const normal_component> mixture) noexcept
        : count_((std::min)(mixture.size(), most_components)) {
        for (size_t c = 0; c < count_; ++c) {
            weights_[c] = mixture[c].weight;
            means_[c] = mixture[c].mean;
            inverse_sds_[c] = 1 / mixture[c].sd;
        }
    }

    /// Always four partial sums, so that every build adds in the same order.
    values operator()(double x) const noexcept {
        const auto& table = normal_table::instance();
        constexpr size_t packs = sums / pack_lanes;
        std::array<pack, packs> cdf{};
        std::array<pack, packs> density{};
        std::array<pack, packs> slope{};
        for (size_t c = 0; c < count_; c += sums) BELLAMY_UNROLL_4 for (size_t p = 0; p < packs; ++p) {
                const size_t first = c + p * pack_lanes;
                pack weight;
                pack mean;
                pack inverse_sd;
                load(weight, weights_.data() + first);
                load(mean, means_.data() + first);
                load(inverse_sd, inverse_sds_.data() + first);
                pack component_cdf;
                pack standard_density;
                const pack z = (x - mean) * inverse_sd;
                table(z, component_cdf, standard_density);
                const pack component_density = weight * standard_density * inverse_sd;
                cdf[p] += weight * component_cdf;
                density[p] += component_density;
                slope[p] -= component_density * z * inverse_sd;
            }
        return {.cdf = sum_of(cdf), .density = sum_of(density), .slope = sum_of(slope)};
    }

private:
    static constexpr size_t most_components = 128;
    static constexpr size_t sums = 4;

    static double sum_of(const auto& packs) noexcept {
        std::array<double, sums> partial;
        std::memcpy(partial.data(), packs.data(), sizeof partial);
        return (partial[0] + partial[1]) + (partial[2] + partial[3]);
    }

    size_t count_;
    // Weight 0 where there is no component.
    std::array<double, most_components> weights_{};
    std::array<double, most_components> means_{};
    std::array<double, most_components> inverse_sds_{};
};

/// Second-order Taylor polynomial of a mixture's quantile as a function of its standard normal quantile z.
struct quantile_parabola {
    double z = 0;
    double quantile = 0;
    double first_derivative = 0;
    double second_derivative = 0;

    /// Precondition: a density > 0.
    static quantile_parabola at(double quantile, double z, const mixture_table::values& mixture) noexcept {
        const double first = normal_density(z) / mixture.density;
        return {.z = z,
                .quantile = quantile,
                .first_derivative = first,
                .second_derivative = -first * (z + first * mixture.slope / mixture.density)};
    }
    /// Whether the remainder is small at `other_z`: it grows with the third power of the step, and with the curvature, which
    /// is large beside a gap between components.
    bool is_exact_at(double other_z) const noexcept {
        const double step = std::abs(other_z - z);
        const double curvature = second_derivative / first_derivative;
        return step < 1e-3 || step * step * step * (1 + curvature * curvature) < 3e-6;
    }
    /// Without the second-order term where that would dominate.
    double operator()(double other_z) const noexcept {
        const double step = other_z - z;
        const double second_order = 0.5 * step * second_derivative;
        return quantile +
               step * (std::abs(second_order) < 0.5 * first_derivative ? first_derivative + second_order : first_derivative);
    }
};

/// Quantiles of one mixture (weights sum to 1) at the fixed probabilities, ascending. Bracketed Newton-like steps on z along
/// the parabola at the last point, each quantile from the one before; exact to 1e-3 in z, nearly always to 1e-5. Does not
/// allocate.
inline quantile_row quantiles_of(std::span<const normal_component> mixture) noexcept {
    const mixture_table table(mixture);
    double mean = 0;
    double second_moment = 0;
    double lowest = infinite;
    double highest = -lowest;
    for (const auto& component : mixture) {
        mean += component.weight * component.mean;
        second_moment += component.weight * (component.sd * component.sd + component.mean * component.mean);
        lowest = (std::min)(lowest, component.mean - 8 * component.sd);
        highest = (std::max)(highest, component.mean + 8 * component.sd);
    }
    const double sd = std::sqrt((std::max)(second_moment - mean * mean, 1e-12));
    quantile_row row{};
    double previous = lowest;
    quantile_parabola parabola{.quantile = mean, .first_derivative = sd};
    for (size_t i = 0; i < row.size(); ++i) {
        const double z = standard_normal_quantiles[i];
        double low = previous;
        double high = highest;
        double guess = parabola(z);
        for (int step = 0; step < 40; ++step) {
            if (!(guess > low && guess < high)) guess = 0.5 * (low + high);
            const auto values = table(guess);
            const double guess_z = normal_quantile(values.cdf);
            (z - guess_z > 0 ? low : high) = guess;
            if (high - low < 1e-9) break;
            // Bisects beyond the table's reach, or in a gap between components.
            if (!std::isfinite(guess_z) || !(values.density > 0)) {
                guess = 0.5 * (low + high);
                continue;
            }
            parabola = quantile_parabola::at(guess, guess_z, values);
            guess = parabola(z);
            // In a gap between components even a small step in z is a long one, and may leave the bracket.
            if (parabola.is_exact_at(z) && guess >= low && guess <= high) break;
        }
        row[i] = (std::max)(guess, previous);
        previous = row[i];
    }
    return row;
}

/// The log-runtime at a standard normal quantile z, linear between the fixed ones and beyond.
inline double quantile_at(const quantile_row& row, double z) noexcept {
    size_t i = 1;
    while (i + 1 < row.size() && standard_normal_quantiles[i] < z) ++i;
    const double fraction =
        (z - standard_normal_quantiles[i - 1]) / (standard_normal_quantiles[i] - standard_normal_quantiles[i - 1]);
    return row[i - 1] + fraction * (row[i] - row[i - 1]);
}

/// The largest z whose quantile is at most `log_runtime`, so that the probability of a runtime includes point mass on it;
/// minus infinity below a lowest quantile with point mass.
inline double z_score_at(const quantile_row& row, double log_runtime) noexcept {
    // A quantile that was converted to seconds and back differs by a rounding, which must not exclude its own point mass.
    const double limit = log_runtime + 1e-12;
    size_t i = 1;
    while (i + 1 < row.size() && row[i] <= limit) ++i;
    const double width = row[i] - row[i - 1];
    if (!(width > 0)) return limit < row[i - 1] ? -infinite : standard_normal_quantiles[i];
    return standard_normal_quantiles[i - 1] +
           (limit - row[i - 1]) / width * (standard_normal_quantiles[i] - standard_normal_quantiles[i - 1]);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
