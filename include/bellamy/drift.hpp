// Whether new runs still fit a model: a statistic of residuals, reported and never acted on.
#ifndef BELLAMY_DRIFT_HPP
#define BELLAMY_DRIFT_HPP

#include <bellamy/model.hpp>

namespace bellamy::inline BELLAMY_ABI {

/// How far runs lie from their predictions. Every run is predicted from the model and the runs before it; its deviate is the
/// normal one of the predicted probability to take at most as long. For a model that fits, deviates are independent, of mean
/// 0 and mean square 1. A context whose runs it has not seen may well be slower than others: what drifts is one that it has
/// been conditioned on.
struct drift {
    /// Runs looked at; ones that were killed tell only a bound and are left out.
    std::uint32_t runs = 0;
    /// Positive: slower than predicted.
    double mean_deviate = 0;
    double mean_square_deviate = 0;
    /// Probability that runs of a model that fits deviate as much or more, in the sum of squares. Small: they fit no longer.
    double probability = 1;
};

namespace detail {

/// Probability that the squares of `count` standard normal numbers sum to more than `sum` (Wilson, Hilferty 1931).
[[nodiscard]] inline double probability_of_more(double sum, std::uint32_t count) noexcept {
    if (count == 0) return 1;
    const double variance = 2 / (9.0 * count);
    return normal_cdf(-(std::cbrt(sum / count) - (1 - variance)) / std::sqrt(variance));
}

}  // namespace detail

/// The drift of runs in the order in which they happened; they may be of several contexts. Allocates; takes about a
/// millisecond per run, more for hundreds of one context. Errors: those of `model::condition`.
[[nodiscard]] inline result<drift> measure_drift(const model& subject, std::span<const run> recent) {
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
            const double deviate = detail::deviate_at(predicted.log_quantiles, std::log(each.runtime_s));
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

}  // namespace bellamy::inline BELLAMY_ABI

#endif
