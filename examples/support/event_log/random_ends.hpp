// Runs of one application whose names end at random, where an end alone does not tell that it is no word.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_RANDOM_ENDS_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_RANDOM_ENDS_HPP

#include <map>
#include <span>
#include <string>

#include "run_row.hpp"

namespace tools::event_log {

/// Joins runs whose names differ in a random end alone: 8 letters and digits, or 5 that spell no word. An end that could be
/// a word or a version (one in six of 8, more than half of 5) is taken for random where its name has one run, three names or
/// more differ so, and enough of their ends are random beyond doubt: three of 8 characters, one of 5. Returns which
/// application became which.
std::map<std::string, std::string> join_random_ends(std::span<run_row* const> rows);

}  // namespace tools::event_log

#endif
