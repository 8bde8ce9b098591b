// Runs that took many times longer or shorter than the others explain: written down in another unit, or exceptions.
#ifndef BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP
#define BELLAMY_EXAMPLES_UNUSUAL_RUNS_HPP

#include "history.hpp"

namespace tools {

/// Names them in `of.unusual`. Of a table that a person wrote, those that are off by a factor of twenty and more, by which
/// no batch job scatters, are left out: they are in another unit. Only of runs that succeeded, where at least four did, and
/// where three of four are as expected.
void take_out_unusual_runs(application_history& of, bool is_written_by_hand);

}  // namespace tools

#endif
