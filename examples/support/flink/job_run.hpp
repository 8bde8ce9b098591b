// A job of Flink as a trace and as a row of the table of runs.
#ifndef BELLAMY_EXAMPLES_FLINK_JOB_RUN_HPP
#define BELLAMY_EXAMPLES_FLINK_JOB_RUN_HPP

#include <bellamy/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "../event_log/names.hpp"
#include "../event_log/run_row.hpp"
#include "job_archive.hpp"

namespace tools::flink {

/// The largest parallelism of a vertex, which is the scale-out of the run; 0 of a job without vertices.
[[nodiscard]] std::int64_t parallelism_of(const archived_job& job) noexcept;

/// The slots that were in use at a time at most: vertices of one slot sharing group share theirs, and those of a vertex that
/// has ended are free for others.
[[nodiscard]] std::int64_t slots_of(const archived_job& job);

/// One job whose stages are the vertices. They state how many subtasks they had, but not the durations of these: at another
/// parallelism there would be as many others. The scale-out counts slots, from when tasks were scheduled first.
[[nodiscard]] bellamy::application_trace to_trace(const archived_job& job, const event_log::name_rule& rule);

/// What the trace does not tell of the run: what `event_log::facts_beside` makes of it stands beside the trace.
/// `executors` are TaskManagers, and `executor_cores` their slots. The data size is what the sources read in bytes, else in
/// records; where some source counts neither, what the sources wrote for others (`first_shuffle_mb`), or nothing where a
/// source is chained to a sink.
[[nodiscard]] event_log::run_row facts_of_row(const archived_job& job);

/// What is unusual about the run, a sentence each.
[[nodiscard]] std::vector<std::string> notes_on(const archived_job& job);

}  // namespace tools::flink

#endif
