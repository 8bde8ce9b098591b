// Traces of C as values of C++.
#ifndef BELLAMY_DETAIL_C_TRACE_CONVERSION_HPP
#define BELLAMY_DETAIL_C_TRACE_CONVERSION_HPP

#include <bellamy/detail/c/conversion.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

/// Plain numbers of the caller's; none at all may be null.
template <class Number>
[[nodiscard]] result<std::span<const Number>> numbers_of(const Number* first, std::size_t count,
                                                         std::string_view what) noexcept {
    if (count > most_rows) return fail(invalid_argument, "expected at most ", most_rows, " ", what, ", found ", count);
    if (count > 0 && first == nullptr) return null_pointer(what);
    return std::span(first, count);
}

[[nodiscard]] inline std::optional<double> known_s(double seconds) noexcept {
    return std::isnan(seconds) ? std::nullopt : std::optional(seconds);
}
/// -1 is not known; other negative numbers are left to `validate`, which names them.
[[nodiscard]] inline std::optional<std::int64_t> known_count(std::int64_t count) noexcept {
    return count == -1 ? std::nullopt : std::optional(count);
}

[[nodiscard]] inline result<stage_trace> to_stage(const bellamy_stage_trace& from) {
    const auto outcome = enumerator("an outcome", from.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    const auto parents = numbers_of(from.parents, from.parent_count, "parents");
    if (!parents) return parents.error();
    const auto task_s = numbers_of(from.task_s, from.task_count, "durations of tasks");
    if (!task_s) return task_s.error();
    stage_trace made{.id = from.id,
                     .attempt = from.attempt,
                     .name = from.name == nullptr ? "" : from.name,
                     .parents = {parents->begin(), parents->end()},
                     .tasks = known_count(from.tasks),
                     .submitted_s = known_s(from.submitted_s),
                     .completed_s = known_s(from.completed_s),
                     .outcome = *outcome,
                     .task_s = {task_s->begin(), task_s->end()},
                     .first_wave = known_count(from.first_wave)};
    if (from.start_scale_out != -1 || from.end_scale_out != -1)
        made.scale_out = {.at_start = from.start_scale_out, .at_end = from.end_scale_out};
    return made;
}

[[nodiscard]] inline result<job_trace> to_job(const bellamy_job_trace& from) {
    const auto outcome = enumerator("an outcome", from.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    auto stages = to_values(from.stages, from.stage_count, "stage", to_stage);
    if (!stages) return stages.error();
    return job_trace{.id = from.id,
                     .submitted_s = known_s(from.submitted_s),
                     .completed_s = known_s(from.completed_s),
                     .outcome = *outcome,
                     .stages = *std::move(stages)};
}

[[nodiscard]] inline result<scale_out_step> to_step(const bellamy_scale_out_step& from) noexcept {
    return scale_out_step{.at_s = from.at_s, .scale_out = from.scale_out};
}

[[nodiscard]] inline result<application_trace> to_trace(const bellamy_application_trace& from) {
    if (from.application == nullptr) return null_pointer("the name of an application");
    const auto unit = enumerator("a unit", from.unit, scale_out_unit::core);
    if (!unit) return unit.error();
    const auto outcome = enumerator("an outcome", from.outcome, trace_outcome::unfinished);
    if (!outcome) return outcome.error();
    auto properties = to_values(from.properties, from.property_count, "property", to_property);
    if (!properties) return properties.error();
    auto steps = to_values(from.steps, from.step_count, "step", to_step);
    if (!steps) return steps.error();
    auto jobs = to_values(from.jobs, from.job_count, "job", to_job);
    if (!jobs) return jobs.error();
    return application_trace{.application = from.application,
                             .run = from.run == nullptr ? "" : from.run,
                             .unit = *unit,
                             .runtime_s = from.runtime_s,
                             .outcome = *outcome,
                             .properties = *std::move(properties),
                             .scale_out = *std::move(steps),
                             .jobs = *std::move(jobs)};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
