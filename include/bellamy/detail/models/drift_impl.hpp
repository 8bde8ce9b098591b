// Definitions of what drift.hpp declares.
#ifndef BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP

#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/drift.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Probability that the squares of `count` standard normal numbers sum to more than `sum` (Wilson, Hilferty 1931).
[[nodiscard]] inline double probability_of_more(double sum, std::uint32_t count) noexcept {
    if (count == 0) return 1;
    const double variance = 2 / (9.0 * count);
    return normal_cdf(-(std::cbrt(sum / count) - (1 - variance)) / std::sqrt(variance));
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<drift> measure_drift(const model& subject, std::span<const run> recent) {
    drift found;
    auto wiser = subject.condition(recent.first(0));
    if (!wiser) return wiser.error();
    if (auto valid = detail::validate_observed(subject.schema(), recent); !valid) return valid.error();
    double sum = 0;
    double squares = 0;
    for (const auto& each : recent) {
        if (!each.censored) {
            const auto runtimes = wiser->bind(each.context);
            if (!runtimes) return runtimes.error();
            const auto predicted = runtimes->at(each.scale_out);
            const double deviate = detail::z_score_at(predicted.log_quantiles, std::log(each.runtime_s));
            sum += deviate;
            squares += deviate * deviate;
            ++found.runs;
        }
        wiser = wiser->condition(std::span(&each, 1));
        if (!wiser) return wiser.error();
    }
    if (found.runs == 0) return found;
    found.mean_deviate = sum / found.runs;
    found.mean_square_deviate = squares / found.runs;
    found.probability = detail::probability_of_more(squares, found.runs);
    return found;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
