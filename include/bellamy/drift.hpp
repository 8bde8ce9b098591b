// Whether new runs still fit a model: a statistic of residuals, reported and never acted on.
#ifndef BELLAMY_DRIFT_HPP
#define BELLAMY_DRIFT_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

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

/// The drift of runs in the order in which they happened; they may be of several contexts. Allocates; takes about a
/// millisecond per run, more for hundreds of one context. Errors: those of `model::condition`.
[[nodiscard]] result<drift> measure_drift(const model& subject, std::span<const run> recent);
/// The same for runs in braces.
[[nodiscard]] inline result<drift> measure_drift(const model& subject, std::initializer_list<run> recent) {
    return measure_drift(subject, std::span(recent.begin(), recent.size()));
}

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/drift_impl.hpp>  // IWYU pragma: export
#endif

#endif
