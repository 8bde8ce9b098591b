// The facts of one log: counted straight from its events, with names, units and definitions of their own.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_FACTS_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_FACTS_HPP

#include <nlohmann/json.hpp>

#include "log_reader.hpp"

namespace tools::event_log {

/// Of the files alone: bytes, parts and codecs.
[[nodiscard]] nlohmann::ordered_json file_facts_of(const read_counts& counts);

/// All facts of a log that was read. Times are seconds from the start of the application.
[[nodiscard]] nlohmann::ordered_json facts_of(const log_reader& read);

/// Thousandths, as Spark's times are: no digits that a sum of doubles would bring.
[[nodiscard]] double to_seconds(milliseconds duration) noexcept;

}  // namespace tools::event_log

#endif
