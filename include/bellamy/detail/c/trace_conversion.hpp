// Converts traces of the C interface to values of C++.
#ifndef BELLAMY_DETAIL_C_TRACE_CONVERSION_HPP
#define BELLAMY_DETAIL_C_TRACE_CONVERSION_HPP

#include <bellamy/detail/c/conversion.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

/// An array of the caller; null is allowed where it is empty.
template <class Number>
result<std::span<const Number>> numbers_of(const Number* first, size_t count, std::string_view what) noexcept {
    if (count > most_rows) return fail(invalid_argument, "expected at most ", most_rows, " ", what, ", found ", count);
    if (count > 0 && first == nullptr) return null_pointer(what);
    return std::span(first, count);
}

inline std::optional<double> known_s(double seconds) noexcept {
    return std::isnan(seconds) ? std::nullopt : std::optional(seconds);
}
/// -1 is unknown; other negative numbers are refused by `validate`.
inline std::optional<std::int64_t> known_count(std::int64_t count) noexcept {
    return count == -1 ? std::nullopt : std::optional(count);
}

inline result<stage_trace> to_stage(const bellamy_stage_trace& stage) {
    const auto outcome = enumerator("an outcome", stage.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    const auto parents = numbers_of(stage.parents, stage.parent_count, "parents");
    if (!parents) return parents.error();
    const auto task_s = numbers_of(stage.task_s, stage.task_count, "durations of tasks");
    if (!task_s) return task_s.error();
    stage_trace converted{.id = stage.id,
                          .attempt = stage.attempt,
                          .name = stage.name == nullptr ? "" : stage.name,
                          .parents = {parents->begin(), parents->end()},
                          .tasks = known_count(stage.tasks),
                          .submitted_s = known_s(stage.submitted_s),
                          .completed_s = known_s(stage.completed_s),
                          .outcome = *outcome,
                          .task_s = {task_s->begin(), task_s->end()},
                          .first_wave = known_count(stage.first_wave)};
    if (stage.start_scale_out != -1 || stage.end_scale_out != -1)
        converted.scale_out = {.at_start = stage.start_scale_out, .at_end = stage.end_scale_out};
    return converted;
}

inline result<job_trace> to_job(const bellamy_job_trace& job) {
    const auto outcome = enumerator("an outcome", job.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    auto stages = to_values(job.stages, job.stage_count, "stage", to_stage);
    if (!stages) return stages.error();
    return job_trace{.id = job.id,
                     .submitted_s = known_s(job.submitted_s),
                     .completed_s = known_s(job.completed_s),
                     .outcome = *outcome,
                     .stages = *std::move(stages)};
}

inline result<scale_out_step> to_step(const bellamy_scale_out_step& step) noexcept {
    return scale_out_step{.at_s = step.at_s, .scale_out = step.scale_out};
}

inline result<application_trace> to_trace(const bellamy_application_trace& trace) {
    if (trace.application == nullptr) return null_pointer("the name of an application");
    const auto unit = enumerator("a unit", trace.unit, scale_out_unit::core);
    if (!unit) return unit.error();
    const auto outcome = enumerator("an outcome", trace.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    auto properties = to_values(trace.properties, trace.property_count, "property", to_property);
    if (!properties) return properties.error();
    auto steps = to_values(trace.steps, trace.step_count, "step", to_step);
    if (!steps) return steps.error();
    auto jobs = to_values(trace.jobs, trace.job_count, "job", to_job);
    if (!jobs) return jobs.error();
    return application_trace{.application = trace.application,
                             .run = trace.run == nullptr ? "" : trace.run,
                             .unit = *unit,
                             .runtime_s = trace.runtime_s,
                             .outcome = *outcome,
                             .properties = *std::move(properties),
                             .scale_out = *std::move(steps),
                             .jobs = *std::move(jobs)};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
