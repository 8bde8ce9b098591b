// Traces of a made-up application: work that grows with the data and is shared by the units.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_TRACES_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_TRACES_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/trace.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace support {

/// Three jobs; the second has two stages side by side before a third. `slowness` is a factor of all its stages.
[[nodiscard]] inline bellamy::application_trace made_up_trace(std::uint64_t seed, std::uint64_t size_mb, int scale_out,
                                                              double slowness = 1) {
    bellamy::detail::random_generator random(seed);
    bellamy::application_trace made{
        .application = "etl", .run = std::to_string(seed), .scale_out = {{0, 0}, {1, scale_out}}};
    made.properties = {bellamy::natural("data_size_MB", size_mb).with_role(bellamy::property_role::data_size)};
    double now_s = 2;
    std::int64_t id = 0;
    for (std::int64_t job = 0; job < 3; ++job) {
        bellamy::job_trace one{.id = job, .submitted_s = now_s};
        const std::size_t stages = job == 1 ? 3 : 1;
        double side_s = now_s;
        for (std::size_t i = 0; i < stages; ++i) {
            bellamy::stage_trace stage{.id = id++, .name = "stage", .tasks = 8};
            if (i == 2) {
                now_s = side_s;
                stage.parents = {id - 3, id - 2};
            }
            double work_s = 0;
            for (int task = 0; task < 8; ++task) {
                stage.task_s.push_back(static_cast<double>(size_mb) / 1000 * slowness * (1 + 0.2 * random.uniform()));
                work_s += stage.task_s.back();
            }
            stage.first_wave = std::min(scale_out, 8);
            stage.submitted_s = now_s;
            stage.completed_s = now_s + work_s / scale_out * std::exp(0.03 * random.normal());
            stage.scale_out = {.at_start = scale_out, .at_end = scale_out};
            side_s = std::max(side_s, *stage.completed_s);
            if (stages == 1 || i == 2) now_s = *stage.completed_s;
            one.stages.push_back(stage);
        }
        one.completed_s = now_s;
        now_s += 0.5;
        made.jobs.push_back(one);
    }
    made.runtime_s = now_s;
    return made;
}

/// Without task durations, so that nothing can be replayed.
[[nodiscard]] inline bellamy::application_trace without_tasks(bellamy::application_trace trace) {
    for (auto& job : trace.jobs)
        for (auto& stage : job.stages) stage.task_s.clear();
    return trace;
}

}  // namespace support

#endif
