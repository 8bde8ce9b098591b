// Whether runs fit a model: drift by a test of their standardised residuals, and observed runs that are improbable.
#ifndef BELLAMY_DRIFT_HPP
#define BELLAMY_DRIFT_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Standardised residuals of runs, each predicted from the model conditioned on the runs before it. A residual is the
/// standard normal quantile of the predicted probability to take at most as long. For a model that fits, residuals are
/// independent with mean 0 and mean square 1. A context without observed runs may well be slower than others: a smaller
/// drift is seen in contexts of which the model has observed runs. A model that `learn` returns has none: condition it on
/// the next runs first. Where the model has observed the recent runs, too (from `observed()[n]` on), the model before them
/// is `general().condition(observed().first(n))`. A wrong record looks like drift: leave out first what
/// `improbable_runs(fitted.condition(recent))` shows to be one. The first run after a drift looks the same: which of both it
/// is, the runs after it tell.
///
/// After drift, answers of contexts that run again are those of `fitted.general().condition(recent)`; where the model has
/// observed the recent runs already, of `fitted.general(since_s)`, the time of the first run after the change: with an older
/// run among them, answers are wider. Older runs of the context, and those without a timestamp, are left behind. Where every
/// run is a context of its own (another data size each), that helps no other context: `learn` from the older runs, each
/// times `factor`, and the recent ones. So that a later `learn` does not bring the old runs back, change them in the
/// history.
struct drift {
    /// Runs with a residual: right-censored runs have none.
    std::uint32_t runs = 0;
    /// Positive: slower than predicted.
    double mean_deviate = 0;
    double mean_square_deviate = 0;
    /// p-value: the probability of runs that differ as much, if the model fits. Small: it no longer does. Runs of a context
    /// of which enough others were observed (six beside eight) are compared with these along one curve by a rank-sum test
    /// (its mid-p-value); the others by a chi-squared test of each context's mean deviation, in standard deviations: of the
    /// context's level, and of the noise that the runs themselves show.
    double probability = 1;
    /// Median of what the recent runs took, relative to what `fitted` alone predicts for their contexts; 1 without such
    /// runs.
    double factor = 1;
};

/// Drift of runs in the order in which they happened; they may be of several contexts. `fitted` must not know them: to a
/// model that was conditioned on them, or learned from them, they are no surprise. Allocates; takes about a millisecond per
/// run, more for hundreds of one context. Errors: those of `model::condition`.
result<drift> measure_drift(const model& fitted, std::span<const run> recent);
/// The same for runs in braces.
inline result<drift> measure_drift(const model& fitted, std::initializer_list<run> recent) {
    return measure_drift(fitted, std::span(recent.begin(), recent.size()));
}

/// The observed runs that are outliers, stragglers or wrong records, with a probability of 0.95, as in the report of
/// `pretrain`, given the other observed runs of their context, and given all of them. `run` is the index in `observed()`.
/// Allocates; takes about a millisecond per run, more for hundreds of one context. Errors: those of `model::bind`;
/// not_conditionable for a network.
result<std::vector<improbable_run>> improbable_runs(const model& fitted);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/drift_impl.hpp>  // IWYU pragma: export
#endif

#endif
