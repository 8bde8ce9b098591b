// Runs that took many times longer or shorter than the others explain: written down in another unit, or exceptions.
#ifndef BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP
#define BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP

#include <string>
#include <vector>

#include "history.hpp"

namespace tools {

/// A sentence about each of them. Only of runs that succeeded, and where at least four did.
[[nodiscard]] std::vector<std::string> unusual_runs(const application_history& of);

}  // namespace tools

#endif
