// The trace of the run that a log tells of.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_TO_TRACE_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_TO_TRACE_HPP

#include <bellamy/trace.hpp>

#include "application_log.hpp"
#include "names.hpp"

namespace tools::event_log {

/// Requires a log with an application start. Times before the start count as the start, and ends before their beginnings as
/// these: clocks may run backwards. What a stage's record needs and the log does not state is absent.
[[nodiscard]] bellamy::application_trace to_trace(const application_log& log, const name_rule& rule);

/// "8g" in the spelling of Spark's sizes as MB; a number alone counts MB; empty where it is none.
[[nodiscard]] std::optional<std::int64_t> to_megabytes(std::string_view spelled);

}  // namespace tools::event_log

#endif
