// How far the data may grow until a proposed size no longer meets its deadline.
#ifndef BELLAMY_EXAMPLES_HELD_SIZES_HPP
#define BELLAMY_EXAMPLES_HELD_SIZES_HPP

#include <optional>
#include <string>

#include "advice.hpp"

namespace tools {

/// Data sizes of the next run, were it known, with which the proposal meets the deadline with the required probability.
struct held_sizes {
    double next_mb = 0;          // the most probable size of the next run
    double largest_seen_mb = 0;  // of past runs
    /// Up to this size; 0 where not even the most probable one is met.
    double up_to_mb = 0;
    /// Nothing larger was tried: twice the largest of the next and those that were seen.
    bool is_end = false;
};

/// Empty without a proposal, or where the runs tell no data size.
[[nodiscard]] std::optional<held_sizes> sizes_held(const application_history& of, const advice& made);

/// "up to 12300 MB (1.5 times that of the next run)".
[[nodiscard]] std::string describe(const held_sizes& sizes, const std::string& unit);

}  // namespace tools

#endif
