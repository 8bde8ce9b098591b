// Defines the functions of bellamy/c/application.h, the types of their handles, and how traces become values of C++.
#ifndef BELLAMY_DETAIL_C_APPLICATION_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_APPLICATION_FUNCTIONS_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/detail/c/conversion.hpp>
#include <bellamy/detail/c/prediction_functions.hpp>
#include <bellamy/rescale.hpp>
#include <bellamy/trace.hpp>

struct bellamy_application : bellamy::detail::c::shared<bellamy::application_model> {
    static constexpr std::string_view what = "an application";
    using shared::shared;
};
struct bellamy_forecast : bellamy::detail::c::shared<bellamy::forecast> {
    static constexpr std::string_view what = "a forecast";
    using shared::shared;
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

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

inline result<application_options> to_options(const bellamy_application_options* options) noexcept {
    if (options == nullptr) return application_options{};
    const auto given = read(options);
    if (!given) return given.error();
    return application_options{.seed = given->seed, .threads = given->threads == 0 ? 1 : given->threads};
}

inline result<application_model> pretrain(const bellamy_application_trace* runs, size_t count,
                                          const bellamy_application_options* options) {
    const auto given = to_options(options);
    if (!given) return given.error();
    const auto history = to_values(runs, count, "run", to_trace);
    if (!history) return history.error();
    std::vector<const application_trace*> pointers;
    pointers.reserve(count);
    for (const auto& run : *history) pointers.push_back(&run);
    return pretrain_application(pointers, *given);
}

/// One row for each scale-out: the prediction that `predict` returns.
result<void> write_rows(const std::int32_t* scale_outs, size_t count, bellamy_prediction* rows,
                        const auto& predict) noexcept {
    const auto table = array_of(rows, count);
    if (!table) return table.error();
    const auto candidates = numbers_of(scale_outs, count, "scale-outs");
    if (!candidates) return candidates.error();
    for (const int scale_out : *candidates)
        if (scale_out < 0 || scale_out > largest_scale_out)
            return fail(errc::invalid_scale_out, "expected a scale-out from 1 to ", largest_scale_out,
                        ", or 0 where it is not known, found ", scale_out);
    for (size_t i = 0; i < count; ++i) write_prediction(predict((*candidates)[i]), table->row_at(i));
    return {};
}

inline result<void> write_stage_counts(const forecast& predictions, size_t* stages, size_t capacity,
                                       size_t* count) noexcept {
    if (count == nullptr) return null_pointer("a place for the number of jobs");
    *count = predictions.jobs();
    if (capacity == 0) return {};
    if (stages == nullptr) return null_pointer("a place for the numbers of stages");
    if (capacity < predictions.jobs())
        return fail(errc::buffer_too_small, "expected room for ", predictions.jobs(), " jobs, found ", capacity);
    for (size_t job = 0; job < predictions.jobs(); ++job) stages[job] = predictions.stages(job);
    return {};
}

inline result<rescale_request> to_rescale_request(const bellamy_rescale_request* request) noexcept {
    const auto given = read(request);
    if (!given) return given.error();
    return rescale_request{.deadline_s = given->deadline_s,
                           .elapsed_s = given->elapsed_s,
                           .probability = given->probability,
                           .scale_out = given->scale_out,
                           .cost_of_change = given->cost_of_change,
                           .cost_of_missing = given->cost_of_missing};
}

inline bellamy_rescale_assessment from_rescale_assessment(const rescale_assessment& assessment,
                                                          double probability) noexcept {
    bellamy_rescale_assessment row{};
    row.median_s = assessment.rest.median_s;
    row.quantile_s = assessment.rest.quantile_s(probability);
    row.probability = assessment.probability;
    row.expected_cost = assessment.expected_cost;
    row.flags = flags_of(assessment.rest);
    row.scale_out = assessment.scale_out;
    row.verdict = number_of(assessment.why);
    return row;
}

inline result<void> rescale(const forecast& predictions, const std::int32_t* scale_outs, size_t count,
                            const bellamy_price* price, const bellamy_rescale_request* request,
                            bellamy_rescale_decision* decision, bellamy_rescale_assessment* rows, size_t capacity) {
    const auto size = validated_size(decision);
    if (!size) return size.error();
    const auto given = to_rescale_request(request);
    if (!given) return given.error();
    const auto costs = to_price(price);
    if (!costs) return costs.error();
    const auto candidates = numbers_of(scale_outs, count, "scale-outs");
    if (!candidates) return candidates.error();
    const auto buffer = table_for(count, rows, capacity);
    if (!buffer) return buffer.error();
    std::vector<rescale_assessment> table(buffer->size());
    const auto chosen = bellamy::rescale(predictions, *candidates, *costs, *given, table);
    if (!chosen) return chosen.error();

    bellamy_rescale_decision written{};
    written.candidate = -1;
    if (const auto& best = chosen->candidate) {
        written.candidate = static_cast<std::int64_t>(best->candidate);
        written.probability = best->probability;
        written.expected_cost = best->expected_cost;
    }
    written.scale_out = chosen->scale_out;
    written.changes = chosen->changes ? 1 : 0;
    written.outcome = number_of(chosen->outcome);
    write(written, *size, decision);
    for (size_t i = 0; i < table.size(); ++i) buffer->write_at(i, from_rescale_assessment(table[i], given->probability));
    return {};
}

// Defined in this namespace for its helpers: a function of C is the same in every namespace.
extern "C" {

BELLAMY_C_API int32_t bellamy_application_pretrain(const bellamy_application_trace* runs, size_t count,
                                                   const bellamy_application_options* options, bellamy_application** result,
                                                   bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&] { return pretrain(runs, count, options); });
}

BELLAMY_C_API int32_t bellamy_application_load(const char* path, bellamy_application** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::application_model> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::load_application(path);
    });
}

BELLAMY_C_API int32_t bellamy_application_from_bytes(const void* bytes, size_t size, bellamy_application** result,
                                                     bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::application_model> {
        if (bytes == nullptr) return null_pointer("bytes");
        return bellamy::application_from_bytes(std::span(static_cast<const std::byte*>(bytes), size));
    });
}

BELLAMY_C_API int32_t bellamy_application_save(const bellamy_application* application, const char* path,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, application, [&](const auto& model) -> result<void> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::save(model, path);
    });
}

BELLAMY_C_API int32_t bellamy_application_to_bytes(const bellamy_application* application, void* buffer, size_t capacity,
                                                   size_t* size, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, application, [&](const auto& model) -> result<void> {
        const auto bytes = bellamy::to_bytes(model);
        if (!bytes) return bytes.error();
        return write_bytes(*bytes, buffer, capacity, size);
    });
}

BELLAMY_C_API bellamy_application* bellamy_application_retain(const bellamy_application* application) BELLAMY_C_NOEXCEPT {
    return retain(application);
}
BELLAMY_C_API void bellamy_application_release(bellamy_application** application) BELLAMY_C_NOEXCEPT {
    release(application);
}

BELLAMY_C_API int32_t bellamy_application_describe(const bellamy_application* application,
                                                   bellamy_application_description* description,
                                                   bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, application, [&](const auto& model) {
        const auto [smallest, largest] = model.seen_scale_outs();
        const bellamy_application_description written{sizeof(written), model.application().c_str(), smallest, largest};
        return store(written, description);
    });
}

BELLAMY_C_API int32_t bellamy_application_bind(const bellamy_application* application, const bellamy_property* properties,
                                               size_t count, bellamy_forecast** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, application, [&](const auto& model) -> bellamy::result<bellamy::forecast> {
        const auto values = to_values(properties, count, "property", to_property);
        if (!values) return values.error();
        return model.bind(*values);
    });
}

BELLAMY_C_API bellamy_forecast* bellamy_forecast_retain(const bellamy_forecast* forecast) BELLAMY_C_NOEXCEPT {
    return retain(forecast);
}
BELLAMY_C_API void bellamy_forecast_release(bellamy_forecast** forecast) BELLAMY_C_NOEXCEPT { release(forecast); }

BELLAMY_C_API int32_t bellamy_forecast_observe(const bellamy_forecast* forecast, const bellamy_application_trace* so_far,
                                               bellamy_forecast** result, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, forecast, [&](const auto& predictions) -> bellamy::result<bellamy::forecast> {
        const auto given = read(so_far);
        if (!given) return given.error();
        const auto finished = to_trace(*given);
        if (!finished) return finished.error();
        return predictions.observe(*finished);
    });
}

BELLAMY_C_API int32_t bellamy_forecast_describe(const bellamy_forecast* forecast, bellamy_forecast_description* description,
                                                bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, [&](const auto& predictions) {
        const bellamy_forecast_description written{sizeof(written),
                                                   predictions.jobs(),
                                                   predictions.finished_jobs(),
                                                   predictions.run_factor(0.5),
                                                   predictions.run_factor(0.05),
                                                   predictions.run_factor(0.95)};
        return store(written, description);
    });
}

BELLAMY_C_API int32_t bellamy_forecast_stage_counts(const bellamy_forecast* forecast, size_t* stages, size_t capacity,
                                                    size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, write_stage_counts, stages, capacity, count);
}

BELLAMY_C_API int32_t bellamy_forecast_run(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                           bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, [&](const auto& predictions) {
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return predictions.run(x); });
    });
}

BELLAMY_C_API int32_t bellamy_forecast_remaining(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                                 bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, [&](const auto& predictions) {
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return predictions.remaining(x); });
    });
}

BELLAMY_C_API int32_t bellamy_forecast_job(const bellamy_forecast* forecast, size_t job, const int32_t* scale_outs,
                                           size_t count, bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, [&](const auto& predictions) {
        if (auto valid = check_part("jobs", job, predictions.jobs()); !valid) return valid;
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return predictions.job(job, x); });
    });
}

BELLAMY_C_API int32_t bellamy_forecast_stage(const bellamy_forecast* forecast, size_t job, size_t stage,
                                             const int32_t* scale_outs, size_t count, bellamy_prediction* rows,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, [&](const auto& predictions) {
        if (auto valid = check_part("jobs", job, predictions.jobs()); !valid) return valid;
        if (auto valid = check_part("stages", stage, predictions.stages(job)); !valid) return valid;
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return predictions.stage(job, stage, x); });
    });
}

BELLAMY_C_API int32_t bellamy_forecast_rescale(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                               const bellamy_price* price, const bellamy_rescale_request* request,
                                               bellamy_rescale_decision* decision, bellamy_rescale_assessment* rows,
                                               size_t capacity, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, forecast, rescale, scale_outs, count, price, request, decision, rows, capacity);
}

BELLAMY_C_API const char* bellamy_rescale_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(verdict, rescale_verdict::not_worth_the_change);
}
BELLAMY_C_API const char* bellamy_rescale_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(outcome, rescale_outcome::costs_least);
}

}  // extern "C"

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
