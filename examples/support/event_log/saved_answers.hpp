// Answers of Spark's /api/v1 that somebody saved, where no log is left: as the events that they come from, but for single
// tasks.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_SAVED_ANSWERS_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_SAVED_ANSWERS_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "application_log.hpp"

namespace tools::event_log {

/// What an answer tells of: /applications/ID, and /stages, /jobs, /executors or /allexecutors and /environment below it.
enum class answer_kind : std::uint8_t { none, application, stages, jobs, executors, environment };

/// By its first bytes, a few kilobytes of them.
[[nodiscard]] answer_kind kind_of_answer(std::string_view first_bytes);

/// The answers about one attempt at one application, as whole texts, become its log: which stage waits for which, the tasks
/// of a stage one by one and SQL executions are not told. Says in words what the server had forgotten, as it keeps a
/// thousand stages; empty where nothing is missing. Errors: no_application where none tells of it, other_answer.
[[nodiscard]] std::string read_answers(std::span<const std::string> texts, application_log& to);

}  // namespace tools::event_log

#endif
