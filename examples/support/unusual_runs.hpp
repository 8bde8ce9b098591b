// Runs that took many times longer or shorter than the others explain: written down in another unit, or exceptions.
#ifndef BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP
#define BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP

#include <string>

#include "history.hpp"

namespace tools {

/// "the run in line 6 took 3638 s, where about 61 s are expected, 60 times that: if this is another unit, correct it".
[[nodiscard]] std::string describe(const unusual_run& run);

/// Notes in `of.unusual` the runs that are off by a factor of five and more and beyond 99.9 % of what is predicted of them,
/// of those that succeeded, where at least four did and three of four are not far from the median. A single one of a table
/// that a person wrote is left out beyond a factor of twenty, where the others had such properties and sizes: another unit
/// explains it better than scatter.
void take_out_unusual_runs(application_history& of, bool is_written_by_hand);

}  // namespace tools

#endif
