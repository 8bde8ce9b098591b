// How runs of one configuration scatter in made-up histories, and the exact distribution of a runtime given law and noise.
#ifndef BELLAMY_BENCH_NOISE_LAWS_HPP
#define BELLAMY_BENCH_NOISE_LAWS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/prediction.hpp>

#include "growth_laws.hpp"

namespace bench {

/// Normal; Student's t with 3 degrees of freedom; with the root of the scale-out; with a factor of the context that varies
/// by half (standard deviation of the logarithm).
enum class noise_shape : std::uint8_t { normal, heavy_tailed, growing, by_context };
inline constexpr std::array<std::string_view, 4> noise_shape_names{"normal", "heavy", "growing", "contexts"};

/// Distribution function of Student's t with 3 degrees of freedom.
[[nodiscard]] inline double student_cdf(double t) noexcept {
    const double u = t / std::sqrt(3.0);
    return 0.5 + (std::atan(u) + u / (1 + u * u)) / 3.14159265358979324;
}

/// Its inverse, by bisection. Precondition: 0 < p < 1, not beyond four standard normal deviates.
[[nodiscard]] inline double student_quantile(double p) noexcept {
    double low = -100;
    double high = 100;
    for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (student_cdf(middle) < p ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Noise of the log-runtimes of one context; its standard deviation at scale-out 6 is `scatter`.
struct noise_law {
    noise_shape shape = noise_shape::normal;
    double scatter = 0.03;

    [[nodiscard]] double sd_at(int scale_out) const noexcept {
        return shape == noise_shape::growing ? scatter * std::sqrt(scale_out / 6.0) : scatter;
    }
    /// The noise at a standard normal deviate.
    [[nodiscard]] double noise_at(double z, int scale_out) const noexcept {
        if (shape != noise_shape::heavy_tailed) return sd_at(scale_out) * z;
        return scatter * student_quantile(bellamy::detail::normal_cdf(z)) / std::sqrt(3.0);
    }
    /// A context's noise, where contexts differ.
    [[nodiscard]] noise_law of_context(bellamy::detail::random_generator& random) const noexcept {
        const double z = random.normal();
        return {.shape = shape, .scatter = shape == noise_shape::by_context ? scatter * std::exp(0.5 * z) : scatter};
    }
};

/// What an oracle says that knows law and noise.
[[nodiscard]] inline bellamy::prediction true_distribution(double median_s, const noise_law& noise, int scale_out) {
    bellamy::prediction exact{.median_s = median_s, .is_point = false};
    for (std::size_t i = 0; i < exact.log_quantiles.size(); ++i)
        exact.log_quantiles[i] =
            std::log(median_s) + noise.noise_at(bellamy::detail::standard_normal_quantiles[i], scale_out);
    return exact;
}

}  // namespace bench

#endif
