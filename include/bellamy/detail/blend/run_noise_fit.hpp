// Learns the noise between runs from the configurations that were run more than once.
#ifndef BELLAMY_DETAIL_BLEND_RUN_NOISE_FIT_HPP
#define BELLAMY_DETAIL_BLEND_RUN_NOISE_FIT_HPP

#include <bellamy/detail/blend/run_likelihood.hpp>
#include <bellamy/detail/context/history.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

[[nodiscard]] inline std::vector<double> squared(std::vector<double> values) {
    for (double& each : values) each *= each;
    return values;
}

// Mean of the squares without the largest 5 %.
[[nodiscard]] inline double trimmed_mean(std::vector<double> squares) {
    std::sort(squares.begin(), squares.end());
    const auto keep =
        (std::max)(std::size_t{1}, static_cast<std::size_t>(std::lround(0.95 * static_cast<double>(squares.size()))));
    double sum = 0;
    for (std::size_t i = 0; i < keep; ++i) sum += squares[i];
    return sum / static_cast<double>(keep);
}

// Both parts by expectation maximisation, with pseudo-counts: 20 on p = 0.04; 5 on stragglers with delay 0.4 and standard
// deviation 0.26, which are rarely faster than the median; 5 on the pooled variance (at most 0.05 squared) for the narrow
// one.
inline void fit_two_parts(scale_out_noise& noise, const std::vector<double>& deviations) {
    const double start = (std::min)(noise.pooled_variance, 0.05 * 0.05);
    constexpr double usual_delay = 0.4;
    constexpr double usual_wide = 0.07;
    noise.narrow_variance = start;
    noise.wide_variance = usual_wide;
    noise.straggler_probability = prior_noise.straggler_probability;
    noise.straggler_delay = usual_delay;
    for (int round = 0; round < 50; ++round) {
        double heavy = 0;
        double heavy_squares = 0;
        double heavy_sum = 0;
        double light_squares = 0;
        for (const double d : deviations) {
            const double d2 = d * d;
            const double distance2 = (d - noise.straggler_delay) * (d - noise.straggler_delay);
            const double a = std::log(noise.straggler_probability) - 0.5 * std::log(noise.wide_variance) -
                             0.5 * distance2 / noise.wide_variance;
            const double b = std::log1p(-noise.straggler_probability) - 0.5 * std::log(noise.narrow_variance) -
                             0.5 * d2 / noise.narrow_variance;
            const double share = 1 / (1 + std::exp(b - a));
            heavy += share;
            heavy_squares += share * distance2;
            heavy_sum += share * d;
            light_squares += (1 - share) * d2;
        }
        const auto count = static_cast<double>(deviations.size());
        noise.straggler_probability = (heavy + prior_noise.straggler_probability * 20) / (count + 20);
        noise.straggler_delay = (heavy_sum + 5 * usual_delay) / (heavy + 5);
        noise.wide_variance = (heavy_squares + 5 * usual_wide) / (heavy + 5);
        noise.narrow_variance = (std::max)((light_squares + 5 * start) / (count - heavy + 5), least_noise_variance);
    }
}

/// How far ended runs lie from their configuration's median, where there are two or more, corrected for the median being
/// the runs' own.
struct run_deviations {
    /// By scale-out of the history; empty where no configuration was repeated.
    std::map<int, std::vector<double>> of{};
    std::vector<double> squares{};

    void add(const history_view& history) {
        for (const auto& each : history.configurations) {
            auto& here = of[each.scale_out];
            const auto median = median_of(each);
            const auto ended = std::count(each.censored.begin(), each.censored.end(), false);
            if (ended < 2 || median.only_censored) continue;
            const double correct = static_cast<double>(ended) / static_cast<double>(ended - 1);
            for (std::size_t i = 0; i < each.log_runtimes.size(); ++i) {
                if (each.censored[i]) continue;
                const double d = each.log_runtimes[i] - median.value;
                here.push_back(std::sqrt(correct) * d);
                squares.push_back(correct * d * d);
            }
        }
    }

    /// The variance of all, shrunk towards the usual one with five pseudo-counts.
    [[nodiscard]] double pooled_variance() const {
        if (squares.empty()) return prior_noise.pooled_variance;
        const auto count = static_cast<double>(squares.size());
        return (trimmed_mean(squares) * count + 5 * prior_noise.pooled_variance) / (count + 5);
    }
};

/// Learns the noise of each scale-out from the configurations that were run more than once. A scale-out's variance is
/// shrunk towards the pooled one with `few` pseudo-counts, so that rarely repeated scale-outs borrow.
[[nodiscard]] inline run_noise fit_run_noise(const history_view& history) {
    constexpr double few = 2;
    run_deviations deviations;
    deviations.add(history);
    const double pooled = deviations.pooled_variance();
    run_noise noise;
    for (const auto& [scale_out, here] : deviations.of) {
        scale_out_noise one{.log_scale_out = std::log(static_cast<double>(scale_out))};
        const auto count = static_cast<double>(here.size());
        one.pooled_variance = here.empty() ? pooled : (trimmed_mean(squared(here)) * count + few * pooled) / (count + few);
        one.pooled_variance = (std::max)(one.pooled_variance, least_noise_variance);
        fit_two_parts(one, here);
        noise.by_scale_out.push_back(one);
    }
    return noise;
}

/// One noise for all scale-outs.
[[nodiscard]] inline scale_out_noise fit_common_noise(const run_deviations& deviations) {
    std::vector<double> all;
    for (const auto& [scale_out, here] : deviations.of) all.insert(all.end(), here.begin(), here.end());
    scale_out_noise noise{.pooled_variance = (std::max)(deviations.pooled_variance(), least_noise_variance)};
    fit_two_parts(noise, all);
    return noise;
}

/// Variance of a configuration's median: its own squared deviations shrunk towards the pooled variance (four pseudo-counts),
/// times 1.5, about the ratio of a median's variance to a mean's.
[[nodiscard]] inline double median_variance(const configuration_median& median, const scale_out_noise& noise) noexcept {
    if (median.only_censored) return beyond_bound_variance;
    const double r = (std::max)(median.repetitions, 1e-3);
    return 1.5 * (4 * noise.pooled_variance + median.squares) / (4 + r) / r;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
