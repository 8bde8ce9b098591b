// Defines the functions of bellamy/c/application.h, and what their handles point to.
#ifndef BELLAMY_DETAIL_C_APPLICATION_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_APPLICATION_FUNCTIONS_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/detail/c/prediction_functions.hpp>
#include <bellamy/detail/c/trace_conversion.hpp>
#include <bellamy/rescale.hpp>

struct bellamy_application : bellamy::detail::c::shared<bellamy::application_model> {
    static constexpr std::string_view what = "an application";
    using shared::shared;
};
struct bellamy_forecast : bellamy::detail::c::shared<bellamy::forecast> {
    static constexpr std::string_view what = "a forecast";
    using shared::shared;
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

[[nodiscard]] inline result<application_options> to_options(const bellamy_application_options* from) noexcept {
    if (from == nullptr) return application_options{};
    const auto given = read(from);
    if (!given) return given.error();
    return application_options{.seed = given->seed, .threads = given->threads == 0 ? 1 : given->threads};
}

[[nodiscard]] inline result<application_model> learn(const bellamy_application_trace* runs, std::size_t count,
                                                     const bellamy_application_options* options) {
    const auto wanted = to_options(options);
    if (!wanted) return wanted.error();
    const auto history = to_values(runs, count, "run", to_trace);
    if (!history) return history.error();
    std::vector<const application_trace*> pointers;
    pointers.reserve(count);
    for (const auto& each : *history) pointers.push_back(&each);
    return pretrain_application(pointers, *wanted);
}

[[nodiscard]] inline result<void> check_part(std::string_view what, std::size_t number, std::size_t count) noexcept {
    if (number < count) return {};
    return fail(invalid_argument, "expected the number of one of ", count, " ", what, ", found ", number);
}

/// One row for each scale-out, of what `ask` answers.
template <class Ask>
[[nodiscard]] result<void> write_rows(const std::int32_t* scale_outs, std::size_t count, bellamy_prediction* rows,
                                      const Ask& ask) noexcept {
    const auto room = array_of(rows, count);
    if (!room) return room.error();
    const auto asked = numbers_of(scale_outs, count, "scale-outs");
    if (!asked) return asked.error();
    for (const int each : *asked)
        if (each < 0 || each > largest_scale_out)
            return fail(errc::invalid_scale_out, "expected a scale-out from 1 to ", largest_scale_out,
                        ", or 0 where it is not known, found ", each);
    for (std::size_t i = 0; i < count; ++i) write_prediction(ask((*asked)[i]), room->row_at(i));
    return {};
}

[[nodiscard]] inline result<void> write_stage_counts(const forecast& subject, std::size_t* stages, std::size_t capacity,
                                                     std::size_t* count) noexcept {
    if (count == nullptr) return null_pointer("a place for the number of jobs");
    *count = subject.jobs();
    if (capacity == 0) return {};
    if (stages == nullptr) return null_pointer("a place for the numbers of stages");
    if (capacity < subject.jobs())
        return fail(errc::buffer_too_small, "expected room for ", subject.jobs(), " jobs, found ", capacity);
    for (std::size_t job = 0; job < subject.jobs(); ++job) stages[job] = subject.stages(job);
    return {};
}

[[nodiscard]] inline result<rescale_request> to_rescale_request(const bellamy_rescale_request* from) noexcept {
    const auto given = read(from);
    if (!given) return given.error();
    return rescale_request{.deadline_s = given->deadline_s,
                           .elapsed_s = given->elapsed_s,
                           .probability = given->probability,
                           .scale_out = given->scale_out,
                           .cost_of_change = given->cost_of_change,
                           .cost_of_missing = given->cost_of_missing};
}

[[nodiscard]] inline bellamy_rescale_assessment from_rescale_assessment(const rescale_assessment& subject,
                                                                        double probability) noexcept {
    bellamy_rescale_assessment row{};
    row.median_s = subject.rest.median_s;
    row.quantile_s = subject.rest.quantile_s(probability);
    row.probability = subject.probability;
    row.expected_cost = subject.expected_cost;
    row.flags = flags_of(subject.rest);
    row.scale_out = subject.scale_out;
    row.verdict = static_cast<std::int32_t>(subject.why);
    return row;
}

[[nodiscard]] inline result<void> rescale(const forecast& subject, const std::int32_t* scale_outs, std::size_t count,
                                          const bellamy_price* price, const bellamy_rescale_request* request,
                                          bellamy_rescale_decision* decision, bellamy_rescale_assessment* rows,
                                          std::size_t capacity) {
    const auto size = size_of(decision);
    if (!size) return size.error();
    const auto wanted = to_rescale_request(request);
    if (!wanted) return wanted.error();
    const auto costs = to_price(price);
    if (!costs) return costs.error();
    const auto candidates = numbers_of(scale_outs, count, "scale-outs");
    if (!candidates) return candidates.error();
    const auto room = table_for(count, rows, capacity);
    if (!room) return room.error();
    std::vector<rescale_assessment> table(room->size());
    const auto chosen = bellamy::rescale(subject, std::span<const int>(*candidates), *costs, *wanted, table);
    if (!chosen) return chosen.error();

    bellamy_rescale_decision told{};
    told.candidate = -1;
    if (const auto& best = chosen->candidate) {
        told.candidate = static_cast<std::int64_t>(best->candidate);
        told.probability = best->probability;
        told.expected_cost = best->expected_cost;
    }
    told.scale_out = chosen->scale_out;
    told.changes = chosen->changes ? 1 : 0;
    told.outcome = static_cast<std::int32_t>(chosen->outcome);
    write(told, *size, decision);
    for (std::size_t i = 0; i < table.size(); ++i) room->write_at(i, from_rescale_assessment(table[i], wanted->probability));
    return {};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

extern "C" {

int32_t bellamy_application_pretrain(const bellamy_application_trace* runs, size_t count,
                                     const bellamy_application_options* options, bellamy_application** made,
                                     bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&] { return learn(runs, count, options); });
}

int32_t bellamy_application_load(const char* path, bellamy_application** made, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::application_model> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::load_application(path);
    });
}

int32_t bellamy_application_from_bytes(const void* bytes, size_t size, bellamy_application** made,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::application_model> {
        if (bytes == nullptr) return null_pointer("bytes");
        return bellamy::application_from_bytes(std::span(static_cast<const std::byte*>(bytes), size));
    });
}

int32_t bellamy_application_save(const bellamy_application* application, const char* path,
                                 bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, application, [&](const bellamy::application_model& subject) -> bellamy::result<void> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::save(subject, path);
    });
}

int32_t bellamy_application_to_bytes(const bellamy_application* application, void* buffer, size_t capacity, size_t* size,
                                     bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, application, [&](const bellamy::application_model& subject) -> bellamy::result<void> {
        const auto bytes = bellamy::to_bytes(subject);
        if (!bytes) return bytes.error();
        return write_bytes(*bytes, buffer, capacity, size);
    });
}

bellamy_application* bellamy_application_retain(const bellamy_application* application) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::retain(application);
}
void bellamy_application_release(bellamy_application** application) BELLAMY_C_NOEXCEPT {
    bellamy::detail::c::release(application);
}

int32_t bellamy_application_describe(const bellamy_application* application, bellamy_application_description* description,
                                     bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, application, [&](const bellamy::application_model& subject) -> bellamy::result<void> {
        const auto size = size_of(description);
        if (!size) return size.error();
        bellamy_application_description told{};
        told.application = subject.application().c_str();
        told.smallest_seen_scale_out = subject.seen_scale_outs().smallest;
        told.largest_seen_scale_out = subject.seen_scale_outs().largest;
        write(told, *size, description);
        return {};
    });
}

int32_t bellamy_application_bind(const bellamy_application* application, const bellamy_property* properties, size_t count,
                                 bellamy_forecast** made, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::forecast> {
        if (auto valid = check_handle(application); !valid) return valid.error();
        const auto known = to_values(properties, count, "property", to_property);
        if (!known) return known.error();
        return application->value.bind(*known);
    });
}

bellamy_forecast* bellamy_forecast_retain(const bellamy_forecast* forecast) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::retain(forecast);
}
void bellamy_forecast_release(bellamy_forecast** forecast) BELLAMY_C_NOEXCEPT { bellamy::detail::c::release(forecast); }

int32_t bellamy_forecast_observe(const bellamy_forecast* forecast, const bellamy_application_trace* so_far,
                                 bellamy_forecast** made, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::forecast> {
        if (auto valid = check_handle(forecast); !valid) return valid.error();
        const auto given = read(so_far);
        if (!given) return given.error();
        const auto progress = to_trace(*given);
        if (!progress) return progress.error();
        return forecast->value.observe(*progress);
    });
}

int32_t bellamy_forecast_describe(const bellamy_forecast* forecast, bellamy_forecast_description* description,
                                  bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const bellamy::forecast& subject) -> bellamy::result<void> {
        const auto size = size_of(description);
        if (!size) return size.error();
        const bellamy_forecast_description told{*size,
                                                subject.jobs(),
                                                subject.finished_jobs(),
                                                subject.run_factor(0.5),
                                                subject.run_factor(0.05),
                                                subject.run_factor(0.95)};
        write(told, *size, description);
        return {};
    });
}

int32_t bellamy_forecast_stage_counts(const bellamy_forecast* forecast, size_t* stages, size_t capacity, size_t* count,
                                      bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast,
                   [&](const auto& subject) { return write_stage_counts(subject, stages, capacity, count); });
}

int32_t bellamy_forecast_run(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                             bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const bellamy::forecast& subject) {
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return subject.run(x); });
    });
}

int32_t bellamy_forecast_remaining(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                   bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const bellamy::forecast& subject) {
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return subject.remaining(x); });
    });
}

int32_t bellamy_forecast_job(const bellamy_forecast* forecast, size_t job, const int32_t* scale_outs, size_t count,
                             bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const bellamy::forecast& subject) {
        if (auto valid = check_part("jobs", job, subject.jobs()); !valid) return valid;
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return subject.job(job, x); });
    });
}

int32_t bellamy_forecast_stage(const bellamy_forecast* forecast, size_t job, size_t stage, const int32_t* scale_outs,
                               size_t count, bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const bellamy::forecast& subject) {
        if (auto valid = check_part("jobs", job, subject.jobs()); !valid) return valid;
        if (auto valid = check_part("stages", stage, subject.stages(job)); !valid) return valid;
        return write_rows(scale_outs, count, rows, [&](int x) noexcept { return subject.stage(job, stage, x); });
    });
}

int32_t bellamy_forecast_rescale(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                 const bellamy_price* price, const bellamy_rescale_request* request,
                                 bellamy_rescale_decision* decision, bellamy_rescale_assessment* rows, size_t capacity,
                                 bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, forecast, [&](const auto& subject) {
        return rescale(subject, scale_outs, count, price, request, decision, rows, capacity);
    });
}

const char* bellamy_rescale_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(verdict, bellamy::rescale_verdict::not_worth_the_change);
}
const char* bellamy_rescale_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(outcome, bellamy::rescale_outcome::costs_least);
}

}  // extern "C"

#endif
