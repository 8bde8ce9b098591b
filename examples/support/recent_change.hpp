// Whether the latest runs of an application take other times than those before them predict, and by what factor.
#ifndef BELLAMY_EXAMPLES_RECENT_CHANGE_HPP
#define BELLAMY_EXAMPLES_RECENT_CHANGE_HPP

#include <bellamy/drift.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "history.hpp"

namespace tools {

/// A step in the runtimes, between two runs.
struct recent_change {
    bellamy::model before;  // learned from the runs before it
    bellamy::drift test{};  // of the runs since that are no outliers
    std::size_t runs = 0;   // since, those that did not succeed included
    /// Mean of ln(runtime / predicted median) of the runs since that are no outliers, and the standard error of that mean.
    double log_factor = 0;
    double log_factor_error = 0;
    /// Probability that the next run takes that factor, too: one run may be an accident, each further one halves the doubt.
    double stays = 0;
};

/// How the latest runs fit those before them.
struct latest_fit {
    /// Of the latest quarter of the runs, at least three and at most ten; empty where there are too few.
    std::optional<bellamy::drift> test{};
    /// The likeliest step that has at least three runs before it; empty where the latest runs fit (p >= 0.01, corrected for
    /// the places that were tried) or are too few. A step by a quarter and more counts from p < 0.05 on, of the last run
    /// alone without that correction.
    std::optional<recent_change> change{};
};

/// Learns a model for each place of a step that is tried: the last run, the latest quarter, where larger or smaller sizes
/// than ever before begin, where the present size begins, and where residuals differ clearly; more where one of these is
/// doubtful. A run that was killed later than any that succeeded had ended counts as if it had ended then; other runs that
/// did not succeed tell nothing.
[[nodiscard]] latest_fit fit_latest(std::span<const bellamy::run> runs, const learner& learning);

/// The runtimes of a curve that was learned from the runs before a change, after it: as many cases of the factor as stand
/// for its error, and with the doubt's probability none.
[[nodiscard]] bellamy::curve after_change(const bellamy::curve& before, const recent_change& change);

/// "the last 3 runs took 1.97 times what the runs before them predict (p = 0.0002)".
[[nodiscard]] std::string describe(const recent_change& change);

}  // namespace tools

#endif
