// Reasons to doubt an advice, in words.
#ifndef BELLAMY_EXAMPLES_ADVICE_WARNINGS_HPP
#define BELLAMY_EXAMPLES_ADVICE_WARNINGS_HPP

#include <string>
#include <vector>

#include "advice.hpp"

namespace tools {

/// A sentence, without its full stop, for each: what of the history was left out or replaced, a change, sizes that never
/// ran, memory that will not do, flags of the runs.
[[nodiscard]] std::vector<std::string> warnings_of(const application_history& of, const advice& made);

/// Where the deadline is so far from all runtimes that it may be in another unit, which any size or none meets; else empty.
[[nodiscard]] std::string doubt_of_unit(const application_history& of, const advice& made);

}  // namespace tools

#endif
