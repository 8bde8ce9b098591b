// Mixtures of normal distributions of a log-runtime, and their quantiles at fixed probabilities.
#ifndef BELLAMY_DETAIL_MATHS_MIXTURE_HPP
#define BELLAMY_DETAIL_MATHS_MIXTURE_HPP

#include <bellamy/detail/maths/normal.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct normal_component {
    double weight = 0;
    double mean = 0;
    double deviation = 0;
};

/// ln(sum exp(x)).
[[nodiscard]] inline double log_sum_exp(std::span<const double> x) noexcept {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double each : x) largest = (std::max)(largest, each);
    if (!std::isfinite(largest)) return largest;
    double sum = 0;
    for (const double each : x) sum += std::exp(each - largest);
    return largest + std::log(sum);
}

/// Probabilities as standard normal deviates, over which a normal's quantiles are linear and a mixture's nearly so.
inline constexpr std::array<double, 17> quantile_deviates{-4.0, -3.0,  -2.326, -1.645, -1.282, -0.95, -0.674, -0.33, 0.0,
                                                          0.33, 0.674, 0.95,   1.282,  1.645,  2.326, 3.0,    4.0};
using quantile_row = std::array<double, quantile_deviates.size()>;

/// Distribution function, density and its derivative of a mixture, a few components at once.
class mixture_table {
public:
    struct values {
        double cdf;
        double density;
        double slope;
    };

    /// Components beyond `most_components` do not count: conditioning gives fewer.
    explicit mixture_table(std::span<const normal_component> mixture) noexcept
        : count_((std::min)(mixture.size(), most_components)) {
        for (std::size_t c = 0; c < count_; ++c) {
            weight_[c] = mixture[c].weight;
            mean_[c] = mixture[c].mean;
            inverse_[c] = 1 / mixture[c].deviation;
        }
    }

    /// Always four partial sums, so that every build adds in the same order.
    [[nodiscard]] values operator()(double x) const noexcept {
        const auto& table = normal_table::instance();
        constexpr std::size_t packs = sums / pack_lanes;
        std::array<pack, packs> cdf{};
        std::array<pack, packs> density{};
        std::array<pack, packs> slope{};
        for (std::size_t c = 0; c < count_; c += sums) BELLAMY_UNROLL_4 for (std::size_t p = 0; p < packs; ++p) {
                const std::size_t first = c + p * pack_lanes;
                pack weight;
                pack mean;
                pack inverse;
                load(weight, weight_.data() + first);
                load(mean, mean_.data() + first);
                load(inverse, inverse_.data() + first);
                pack own_cdf;
                pack own_density;
                const pack z = (x - mean) * inverse;
                table(z, own_cdf, own_density);
                const pack part = weight * own_density * inverse;
                cdf[p] += weight * own_cdf;
                density[p] += part;
                slope[p] -= part * z * inverse;
            }
        return {.cdf = sum_of(cdf), .density = sum_of(density), .slope = sum_of(slope)};
    }

private:
    static constexpr std::size_t most_components = 128;
    static constexpr std::size_t sums = 4;

    template <class Packs>
    [[nodiscard]] static double sum_of(const Packs& packs) noexcept {
        std::array<double, sums> of;
        std::memcpy(of.data(), packs.data(), sizeof of);
        return (of[0] + of[1]) + (of[2] + of[3]);
    }

    std::size_t count_;
    // Weight 0 where there is no component.
    std::array<double, most_components> weight_{};
    std::array<double, most_components> mean_{};
    std::array<double, most_components> inverse_{};
};

/// A quantile as a function of its normal deviate near one: a parabola, since for mixtures it is nearly a line.
struct quantile_parabola {
    double deviate = 0;
    double quantile = 0;
    double first = 0;   // derivative
    double second = 0;  // and second derivative

    /// Precondition: a density > 0.
    static quantile_parabola at(double quantile, double deviate, const mixture_table::values& of) noexcept {
        const double first = normal_density(deviate) / of.density;
        return {.deviate = deviate,
                .quantile = quantile,
                .first = first,
                .second = -first * (deviate + first * of.slope / of.density)};
    }
    /// Whether it is exact enough there: what a parabola leaves out grows with the third power of the step, and with the
    /// bend, which is strong beside a gap between components.
    [[nodiscard]] bool is_near(double at) const noexcept {
        const double step = std::abs(at - deviate);
        const double bend = second / first;
        return step < 1e-3 || step * step * step * (1 + bend * bend) < 3e-6;
    }
    [[nodiscard]] double operator()(double at) const noexcept {
        const double step = at - deviate;
        const double bend = 0.5 * step * second;
        return quantile + step * (std::abs(bend) < 0.5 * first ? first + bend : first);
    }
};

/// Quantiles of one mixture (weights sum to 1) at the fixed deviates, ascending. Bracketed steps to where the parabola
/// through the last point has the deviate that is looked for, each quantile from the one before; exact to 1e-3 deviates,
/// nearly always to 1e-5. Does not allocate.
[[nodiscard]] inline quantile_row quantiles_of(std::span<const normal_component> mixture) noexcept {
    const mixture_table table(mixture);
    double mean = 0;
    double second = 0;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const auto& each : mixture) {
        mean += each.weight * each.mean;
        second += each.weight * (each.deviation * each.deviation + each.mean * each.mean);
        lowest = (std::min)(lowest, each.mean - 8 * each.deviation);
        highest = (std::max)(highest, each.mean + 8 * each.deviation);
    }
    const double spread = std::sqrt((std::max)(second - mean * mean, 1e-12));
    quantile_row row{};
    double from = lowest;
    quantile_parabola near_last{.quantile = mean, .first = spread};
    for (std::size_t i = 0; i < row.size(); ++i) {
        double low = from;
        double high = highest;
        double guess = near_last(quantile_deviates[i]);
        for (int step = 0; step < 40; ++step) {
            if (!(guess > low && guess < high)) guess = 0.5 * (low + high);
            const auto found = table(guess);
            const double reached = normal_quantile(found.cdf);
            const double missing = quantile_deviates[i] - reached;
            (missing > 0 ? low : high) = guess;
            if (high - low < 1e-9) break;
            // Too far out for the table to see anything, or in a gap between components.
            if (!std::isfinite(reached) || !(found.density > 0)) {
                guess = 0.5 * (low + high);
                continue;
            }
            near_last = quantile_parabola::at(guess, reached, found);
            guess = near_last(quantile_deviates[i]);
            // In a gap between components even a short way in deviates is a long one, and may leave the bracket.
            if (near_last.is_near(quantile_deviates[i]) && guess >= low && guess <= high) break;
        }
        row[i] = (std::max)(guess, from);
        from = row[i];
    }
    return row;
}

/// The log-runtime at a standard normal deviate, on straight lines between the fixed ones and beyond.
[[nodiscard]] inline double quantile_at(const quantile_row& row, double deviate) noexcept {
    std::size_t i = 1;
    while (i + 1 < row.size() && quantile_deviates[i] < deviate) ++i;
    const double share = (deviate - quantile_deviates[i - 1]) / (quantile_deviates[i] - quantile_deviates[i - 1]);
    return row[i - 1] + share * (row[i] - row[i - 1]);
}

/// The largest deviate whose quantile is at most `log_runtime`, so that the probability of a runtime includes point mass on
/// it; minus infinity below a lowest quantile with point mass.
[[nodiscard]] inline double deviate_at(const quantile_row& row, double log_runtime) noexcept {
    // Going to seconds and back moves a quantile by a rounding, which must not put it on the other side of its own mass.
    const double reached = log_runtime + 1e-12;
    std::size_t i = 1;
    while (i + 1 < row.size() && row[i] <= reached) ++i;
    const double width = row[i] - row[i - 1];
    if (!(width > 0)) return reached < row[i - 1] ? -std::numeric_limits<double>::infinity() : quantile_deviates[i];
    return quantile_deviates[i - 1] + (reached - row[i - 1]) / width * (quantile_deviates[i] - quantile_deviates[i - 1]);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
