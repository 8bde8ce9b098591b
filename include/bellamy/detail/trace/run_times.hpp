// Runtimes of the parts of a recorded run.
#ifndef BELLAMY_DETAIL_TRACE_RUN_TIMES_HPP
#define BELLAMY_DETAIL_TRACE_RUN_TIMES_HPP

#include <bellamy/detail/trace/job_graph.hpp>
#include <bellamy/detail/trace/list_schedule.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Wall-clock time of a stage that has ended; where only its tasks are recorded, their list schedule on the slots that it
/// had. Empty where neither is known.
[[nodiscard]] inline std::optional<double> runtime_s(const stage_trace& stage) {
    if (stage.outcome == trace_outcome::unfinished) return std::nullopt;
    if (stage.submitted_s && stage.completed_s) return *stage.completed_s - *stage.submitted_s;
    if (stage.task_s.empty() || !stage.scale_out || stage.scale_out->at_start < 1) return std::nullopt;
    return list_schedule_s(stage.task_s, static_cast<std::size_t>(stage.scale_out->at_start));
}

/// Wall-clock time of a job that has ended, else empty.
[[nodiscard]] inline std::optional<double> runtime_s(const job_trace& job) {
    if (job.outcome == trace_outcome::unfinished || !job.submitted_s || !job.completed_s) return std::nullopt;
    return *job.completed_s - *job.submitted_s;
}

/// Path time of a job: the longest path of its stages' runtimes. Its wall-clock time where it has no stages, or one whose
/// runtime is not known.
[[nodiscard]] inline std::optional<double> path_time_s(const job_trace& job) {
    const auto stages = last_attempts(job);
    std::vector<double> time_s;
    for (const auto* each : stages) {
        const auto known_s = runtime_s(*each);
        if (!known_s) return runtime_s(job);
        time_s.push_back(*known_s);
    }
    return time_s.empty() ? runtime_s(job) : longest_path(graph_of(stages), time_s);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
