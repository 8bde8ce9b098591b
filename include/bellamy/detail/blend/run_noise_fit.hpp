// Fits the run noise, usual runs and stragglers, to configurations that were run more than once.
#ifndef BELLAMY_DETAIL_BLEND_RUN_NOISE_FIT_HPP
#define BELLAMY_DETAIL_BLEND_RUN_NOISE_FIT_HPP

#include <bellamy/detail/blend/run_likelihood.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline std::vector<double> squared(std::vector<double> values) {
    for (double& value : values) value *= value;
    return values;
}

// Mean of the squares without the largest 5 %.
inline double trimmed_mean(std::vector<double> squares) {
    sort(squares);
    squares.resize((std::max)(size_t{1}, static_cast<size_t>(std::lround(0.95 * count_of(squares)))));
    return sum_of(squares) / count_of(squares);
}

// Prior of the components' fit: the narrow variance is that of the runs that took no longer than their median, because
// stragglers are rarely faster; without their largest fiftieth, which may be wrong records.
inline scale_out_noise prior_components(double pooled_variance, const std::vector<double>& deviations) {
    std::vector<double> squares;
    for (const double deviation : deviations)
        if (deviation < 0) squares.push_back(deviation * deviation);
    sort(squares);
    const auto count = static_cast<size_t>(std::lround(0.98 * count_of(squares)));
    constexpr double pseudo_count = 2;
    double sum = pseudo_count * prior_noise.narrow_variance;
    for (size_t i = 0; i < count; ++i) sum += squares[i];
    return {.pooled_variance = pooled_variance,
            .narrow_variance = (std::max)(sum / (static_cast<double>(count) + pseudo_count), least_noise_variance),
            .wide_variance = 0.07,
            .straggler_probability = prior_noise.straggler_probability,
            .straggler_delay = 0.4};
}

// Fits both components of the noise, narrow of usual runs and wide of stragglers, by expectation maximisation with
// pseudo-counts of the prior: 20 on the stragglers' probability, 5 on their delay and variance, 10 on the narrow variance.
inline scale_out_noise with_components(const scale_out_noise& prior, const std::vector<double>& deviations) {
    auto noise = prior;
    for (int round = 0; round < 50; ++round) {
        double stragglers = 0;
        double wide_squares = 0;
        double straggler_sum = 0;
        double narrow_squares = 0;
        for (const double deviation : deviations) {
            const double beyond = deviation - noise.straggler_delay;
            const double log_straggler = std::log(noise.straggler_probability) + log_density(beyond, noise.wide_variance);
            const double log_usual =
                std::log1p(-noise.straggler_probability) + log_density(deviation, noise.narrow_variance);
            const double probability = 1 / (1 + std::exp(log_usual - log_straggler));
            stragglers += probability;
            wide_squares += probability * beyond * beyond;
            straggler_sum += probability * deviation;
            narrow_squares += (1 - probability) * deviation * deviation;
        }
        const double count = count_of(deviations);
        noise.straggler_probability = (stragglers + prior.straggler_probability * 20) / (count + 20);
        noise.straggler_delay = (straggler_sum + 5 * prior.straggler_delay) / (stragglers + 5);
        noise.wide_variance = (wide_squares + 5 * prior.wide_variance) / (stragglers + 5);
        noise.narrow_variance =
            (std::max)((narrow_squares + 10 * prior.narrow_variance) / (count - stragglers + 10), least_noise_variance);
    }
    return noise;
}

/// Deviations of ended runs from their configuration's median, where it has two or more, corrected for the median being a
/// statistic of the same runs.
struct run_deviations {
    /// Empty at a scale-out where no configuration was repeated.
    std::map<int, std::vector<double>> by_scale_out{};
    std::vector<double> squares{};

    void add(const history_view& history) {
        for (const auto& configuration : history.configurations) {
            auto& deviations = by_scale_out[configuration.scale_out];
            const auto median = median_of(configuration);
            const auto ended = std::count(configuration.censored.begin(), configuration.censored.end(), false);
            if (ended < 2 || median.only_censored) continue;
            const double correction = static_cast<double>(ended) / static_cast<double>(ended - 1);
            for (size_t i = 0; i < configuration.log_runtimes.size(); ++i) {
                if (configuration.censored[i]) continue;
                const double deviation = configuration.log_runtimes[i] - median.value;
                deviations.push_back(std::sqrt(correction) * deviation);
                squares.push_back(correction * deviation * deviation);
            }
        }
    }

    /// Variance at all scale-outs, shrunk towards the prior's with five pseudo-counts.
    double pooled_variance() const {
        if (squares.empty()) return prior_noise.pooled_variance;
        const double count = count_of(squares);
        return (trimmed_mean(squares) * count + 5 * prior_noise.pooled_variance) / (count + 5);
    }
};

/// One noise for all scale-outs.
inline scale_out_noise fit_common_noise(const run_deviations& all) {
    std::vector<double> pooled;
    for (const auto& [scale_out, deviations] : all.by_scale_out) append(pooled, deviations);
    return with_components(prior_components((std::max)(all.pooled_variance(), least_noise_variance), pooled), pooled);
}

/// The noise of each scale-out, its components shrunk towards those of all. Its pooled variance is shrunk towards the common
/// one with two pseudo-counts, so that rarely repeated scale-outs borrow from the others.
inline run_noise fit_run_noise(const history_view& history) {
    constexpr double pseudo_count = 2;
    run_deviations all;
    all.add(history);
    const double pooled = all.pooled_variance();
    const auto common = fit_common_noise(all);
    run_noise noise;
    for (const auto& [scale_out, deviations] : all.by_scale_out) {
        const double count = count_of(deviations);
        const double variance = deviations.empty() ? pooled
                                                   : (trimmed_mean(squared(deviations)) * count + pseudo_count * pooled) /
                                                         (count + pseudo_count);
        auto prior = common;
        prior.log_scale_out = std::log(scale_out);
        prior.pooled_variance = (std::max)(variance, least_noise_variance);
        noise.by_scale_out.push_back(with_components(prior, deviations));
    }
    return noise;
}

/// Variance of a configuration's median: its squared deviations shrunk towards the pooled variance (four pseudo-counts),
/// times 1.5, about the ratio of a median's variance to a mean's.
inline double median_variance(const configuration_median& median, const scale_out_noise& noise) noexcept {
    if (median.only_censored) return beyond_bound_variance;
    const double repetitions = (std::max)(median.repetitions, 1e-3);
    return 1.5 * (4 * noise.pooled_variance + median.squares) / (4 + repetitions) / repetitions;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
