// Walks through an application's runs forward in time and predicts each from those that had ended before it began.
#ifndef BELLAMY_EXAMPLES_BACKTEST_WALK_HPP
#define BELLAMY_EXAMPLES_BACKTEST_WALK_HPP

#include <functional>
#include <optional>
#include <vector>

#include "advice.hpp"
#include "backtest_score.hpp"

namespace tools {

/// Another method that is compared: predicts seconds of a context at a scale-out from the runs that had ended.
using walking_peer = std::function<std::optional<double>(const std::vector<bellamy::run>& ended,
                                                         const bellamy::context& subject, int scale_out)>;

/// As `recommend` would have predicted and proposed, had it been asked before each run. Runs that failed or were killed are
/// learned from, as lower bounds, and not predicted: nobody knows how long they would take. `peer` may be empty;
/// `after_run` is called once for each run.
[[nodiscard]] backtested walk(const application_history& history, const advice_request& wanted, const walking_peer& peer,
                              const std::function<void()>& after_run);

}  // namespace tools

#endif
