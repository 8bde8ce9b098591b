// From a line of an event log to the event it states.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_LINE_PARSER_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_LINE_PARSER_HPP

#include <memory>
#include <string_view>

#include "events.hpp"

namespace tools::event_log {

/// What a line is: an event, nothing at all, or something else.
enum class line_kind { event, blank, malformed };

/// Whether the reason of a task's failure or of an executor's end is a lack of memory: an OutOfMemoryError, a limit of YARN
/// or Kubernetes, or SIGKILL (exit code 137), by which the kernel and they enforce such limits.
[[nodiscard]] bool tells_out_of_memory(std::string_view reason);

/// Keeps its memory from line to line.
class line_parser {
public:
    line_parser();
    line_parser(line_parser&&) = delete;
    ~line_parser();

    /// Tells the listener what the line states, unless a part of the line is no JSON. `line_splitter::padding` bytes behind
    /// the line must be readable.
    line_kind parse(std::string_view line, listener& to);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace tools::event_log

#endif
