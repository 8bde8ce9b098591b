// The history of a made-up application, and models learned from it.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_APPLICATION_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_APPLICATION_HPP

#include <bellamy/application.hpp>

#include "made_up_traces.hpp"

namespace support {

/// Runs at 2, 4 and 8 units, each with every data size; without task durations.
[[nodiscard]] inline std::vector<bellamy::application_trace> etl_history(const std::vector<std::uint64_t>& sizes_mb = {
                                                                             500, 1000, 2000, 4000}) {
    std::vector<bellamy::application_trace> history;
    std::uint64_t seed = 0;
    for (const int x : {2, 4, 8})
        for (const std::uint64_t size_mb : sizes_mb) {
            // A slow day now and then, for all jobs of a run.
            const double slowness = ++seed % 3 == 0 ? 1.5 : 1;
            history.push_back(without_tasks(made_up_trace(seed, size_mb, x, slowness)));
        }
    return history;
}

[[nodiscard]] inline bellamy::result<bellamy::application_model> learned_from(
    const std::vector<bellamy::application_trace>& history, int threads = 1) {
    std::vector<const bellamy::application_trace*> pointers;
    pointers.reserve(history.size());
    for (const auto& each : history) pointers.push_back(&each);
    return bellamy::pretrain_application(pointers, {.threads = threads});
}

/// The first jobs of a run.
[[nodiscard]] inline bellamy::application_trace first_jobs(bellamy::application_trace run, std::size_t jobs) {
    run.outcome = bellamy::trace_outcome::unfinished;
    run.jobs.resize(jobs);
    return run;
}

}  // namespace support

#endif
