// The graph of a job: its stages in the order of their ids, and what each waits for.
#ifndef BELLAMY_DETAIL_TRACE_JOB_GRAPH_HPP
#define BELLAMY_DETAIL_TRACE_JOB_GRAPH_HPP

#include <bellamy/detail/trace/stage_graph.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Of each stage the last attempt, in the order of ids.
[[nodiscard]] inline std::vector<const stage_trace*> last_attempts(const job_trace& job) {
    std::vector<const stage_trace*> all;
    all.reserve(job.stages.size());
    for (const auto& each : job.stages) all.push_back(&each);
    std::sort(all.begin(), all.end(), [](const stage_trace* a, const stage_trace* b) {
        return a->id != b->id ? a->id < b->id : a->attempt > b->attempt;
    });
    all.erase(std::unique(all.begin(), all.end(), [](const stage_trace* a, const stage_trace* b) { return a->id == b->id; }),
              all.end());
    return all;
}

/// Parents that are not among the stages are left out.
[[nodiscard]] inline stage_graph graph_of(std::span<const stage_trace* const> stages) {
    stage_graph parents(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const auto id : stages[i]->parents) {
            const auto found =
                std::lower_bound(stages.begin(), stages.end(), id,
                                 [](const stage_trace* each, std::int64_t wanted) { return each->id < wanted; });
            if (found != stages.end() && (*found)->id == id)
                parents[i].push_back(static_cast<std::size_t>(found - stages.begin()));
        }
        std::sort(parents[i].begin(), parents[i].end());
        parents[i].erase(std::unique(parents[i].begin(), parents[i].end()), parents[i].end());
    }
    return parents;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
