// What a forecast that rests on one past run does not know: how runs differ from each other.
#ifndef BELLAMY_EXAMPLES_LONE_RUN_HPP
#define BELLAMY_EXAMPLES_LONE_RUN_HPP

#include <fmt/format.h>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/trace.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tools {

/// Finished jobs of a run beside those of the only past run.
struct lone_run {
    /// Sentences on what the forecast does not know.
    std::vector<std::string> warnings{};
    /// Tasks of the finished jobs over those that they had in the past run, where one of them had others; else 1. The rest
    /// may have grown as they did.
    double work_ratio = 1;
};

namespace detail {

[[nodiscard]] inline double tasks_of(const bellamy::job_trace& job) {
    double tasks = 0;
    for (const auto* stage : bellamy::detail::last_attempts(job)) tasks += static_cast<double>(stage->tasks.value_or(0));
    return tasks;
}

}  // namespace detail

/// Numbers of tasks within a tenth count as equal; jobs of which either number is not known are passed over.
[[nodiscard]] inline lone_run compare_with_only_run(const bellamy::application_trace& past,
                                                    const bellamy::application_trace& so_far) {
    lone_run made{.warnings = {"it rests on one past run, which does not tell how runs differ"}};
    double had = 0;
    double has = 0;
    bool differs = false;
    for (std::size_t job = 0; job < std::min(past.jobs.size(), so_far.jobs.size()); ++job) {
        const double before = detail::tasks_of(past.jobs[job]);
        const double now = detail::tasks_of(so_far.jobs[job]);
        if (!so_far.jobs[job].completed_s || !(before > 0) || !(now > 0)) continue;
        had += before;
        has += now;
        if (std::abs(std::log(now / before)) <= std::log(1.1)) continue;
        differs = true;
        made.warnings.push_back(
            fmt::format("job {} had {:.0f} tasks, {:.0f} in the past run: the rest may have grown as the finished jobs did",
                        job, now, before));
    }
    if (differs) made.work_ratio = has / had;
    return made;
}

}  // namespace tools

#endif
