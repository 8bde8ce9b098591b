// Definition of `measure_drift`: standardised residuals of runs, and a chi-squared test of them.
#ifndef BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP

#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/drift.hpp>

#include <cmath>

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

}}  // namespace bellamy::BELLAMY_ABI

#endif
