// Definitions of drift.hpp: standardised residuals of runs with a chi-squared test of them, and improbable observed runs.
#ifndef BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP

#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/drift.hpp>

#include <cmath>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Probability that a chi-squared variable exceeds `sum` (Wilson, Hilferty 1931).
[[nodiscard]] inline double chi_squared_p_value(double sum, std::uint32_t degrees_of_freedom) noexcept {
    if (degrees_of_freedom == 0) return 1;
    const double variance = 2 / (9.0 * degrees_of_freedom);
    return normal_cdf(-(std::cbrt(sum / degrees_of_freedom) - (1 - variance)) / std::sqrt(variance));
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<drift> measure_drift(const model& fitted, std::span<const run> recent) {
    // A model that cannot be conditioned is an error without any run too.
    auto conditioned = fitted.condition(recent.first(0));
    if (!conditioned) return conditioned.error();
    if (auto valid = detail::validate_observed(fitted.schema(), recent); !valid) return valid.error();
    drift measured;
    double sum = 0;
    double squares = 0;
    for (const auto& run : recent) {
        if (!run.censored) {
            const auto runtimes = conditioned->bind(run.context);
            if (!runtimes) return runtimes.error();
            const auto predicted = runtimes->at(run.scale_out);
            const double residual = detail::z_score_at(predicted.log_quantiles, std::log(run.runtime_s));
            sum += residual;
            squares += residual * residual;
            ++measured.runs;
        }
        conditioned = conditioned->condition(std::span(&run, 1));
        if (!conditioned) return conditioned.error();
    }
    if (measured.runs == 0) return measured;
    measured.mean_deviate = sum / measured.runs;
    measured.mean_square_deviate = squares / measured.runs;
    measured.probability = detail::chi_squared_p_value(squares, measured.runs);
    return measured;
}

BELLAMY_PUBLIC_INLINE result<std::vector<improbable_run>> improbable_runs(const model& fitted) {
    constexpr double log_ten_times = 2.302585092994046;
    constexpr double most_deviations = 6;
    // A model that cannot be conditioned is an error.
    const auto general = fitted.general().condition({});
    if (!general) return general.error();
    const auto observed = fitted.observed();
    std::vector<improbable_run> improbable;
    std::optional<curve> runtimes;
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (i == 0 || observed[i].context != observed[i - 1].context) {
            const auto bound = general->bind(observed[i].context);
            if (!bound) return bound.error();
            runtimes = *bound;
        }
        if (observed[i].censored) continue;
        const auto predicted = runtimes->at(observed[i].scale_out);
        const auto half = predicted.interval_s(0.5);
        const double sd = std::log(half.high_s / half.low_s) / (2 * 0.674);
        const double residual = std::abs(std::log(observed[i].runtime_s / predicted.median_s));
        if (residual > log_ten_times && residual > most_deviations * sd)
            improbable.push_back({.run = i, .found_s = observed[i].runtime_s, .expected_s = predicted.median_s});
    }
    return improbable;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
