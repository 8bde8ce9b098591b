#include "job_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "../event_log/to_trace.hpp"
#include "../printable.hpp"

namespace tools::flink {

namespace {

using bellamy::trace_outcome;

constexpr std::size_t longest_text = 512;

[[nodiscard]] trace_outcome outcome_of(std::string_view state) noexcept {
    if (state == "FINISHED") return trace_outcome::succeeded;
    if (state == "FAILED") return trace_outcome::failed;
    return state == "CANCELED" ? trace_outcome::killed : trace_outcome::unfinished;
}

[[nodiscard]] double seconds_since(milliseconds start, milliseconds at) noexcept {
    return static_cast<double>((std::max<milliseconds>)(0, at - start)) / 1000;
}

[[nodiscard]] std::optional<double> as_amount(std::optional<std::int64_t> count) {
    return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

// The last time that is known of the job.
[[nodiscard]] milliseconds end_of_job(const archived_job& job) noexcept {
    auto last = job.ended_at.value_or((std::max)(job.running_at, job.told_at.value_or(job.running_at)));
    if (!job.ended_at)
        for (const auto& each : job.vertices)
            last = (std::max)({last, each.started_at.value_or(last), each.ended_at.value_or(last)});
    return last;
}

[[nodiscard]] bellamy::stage_trace stage_of(const archived_job& job, std::size_t place, int units) {
    const auto& vertex = job.vertices[place];
    bellamy::stage_trace made{.id = static_cast<std::int64_t>(place),
                              .name = shortened(vertex.name, longest_text),
                              .tasks = vertex.parallelism,
                              .outcome = outcome_of(vertex.state)};
    for (const auto input : vertex.inputs) made.parents.push_back(static_cast<std::int64_t>(input));
    if (vertex.started_at) made.submitted_s = seconds_since(job.started_at, *vertex.started_at);
    if (vertex.started_at && vertex.ended_at) {
        made.completed_s = (std::max)(*made.submitted_s, seconds_since(job.started_at, *vertex.ended_at));
        made.scale_out = {units, units};
        made.rescaling_share = 0;
    }
    bellamy::stage_metrics metrics{.shuffle_write_bytes = as_amount(vertex.counted.written_bytes)};
    if (vertex.subtasks_ms > 0) metrics.run_s = static_cast<double>(vertex.subtasks_ms) / 1000;
    if (!vertex.inputs.empty()) {
        metrics.shuffle_read_bytes = as_amount(vertex.counted.read_bytes);
    } else if (vertex.counted.read_bytes > 0) {  // most sources count none
        metrics.input_bytes = as_amount(vertex.counted.read_bytes);
    }
    made.metrics = metrics;
    return made;
}

// Over the sources; 0 where one of them has none: the sum of the others would be a part of the data.
template <class Amount>
[[nodiscard]] std::int64_t sum_of_sources(const archived_job& job, const Amount& amount) {
    std::int64_t sum = 0;
    for (const auto& each : job.vertices) {
        if (!each.inputs.empty()) continue;
        const std::int64_t own = amount(each).value_or(0);
        if (own <= 0) return 0;
        sum = (std::min)(sum + own, std::int64_t{1} << 60U);
    }
    return sum;
}

void set_sizes(const archived_job& job, event_log::run_row& row) {
    row.data_size_mb =
        event_log::to_whole_megabytes(sum_of_sources(job, [](const auto& vertex) { return vertex.counted.read_bytes; }));
    row.records_read = (std::min)(sum_of_sources(job, [](const auto& vertex) { return vertex.counted.read_records; }),
                                  static_cast<std::int64_t>(bellamy::largest_natural));
    row.first_shuffle_mb = event_log::to_whole_megabytes(sum_of_sources(
        job, [](const auto& vertex) { return vertex.has_reader ? vertex.counted.written_bytes : std::nullopt; }));
    row.data_measure = row.data_size_mb > 0 ? "bytes" : row.records_read > 0 ? "records" : "shuffle";
}

}  // namespace

std::int64_t parallelism_of(const archived_job& job) noexcept {
    std::int64_t most = 0;
    for (const auto& each : job.vertices) most = (std::max)(most, each.parallelism);
    return most;
}

std::int64_t slots_of(const archived_job& job) {
    std::int64_t most = 0;
    for (const auto& first : job.vertices) {  // the number only grows where a vertex starts
        if (!first.started_at) continue;
        std::map<std::string, std::int64_t> by_group;
        for (const auto& each : job.vertices) {
            const bool runs = each.started_at && *each.started_at <= *first.started_at &&
                              each.ended_at.value_or(*first.started_at + 1) > *first.started_at;
            if (!runs && &each != &first) continue;
            auto& slots = by_group[each.slot_sharing_group];
            slots = (std::max)(slots, each.parallelism);
        }
        std::int64_t sum = 0;
        for (const auto& [group, slots] : by_group) sum += slots;
        most = (std::max)(most, sum);
    }
    return most;
}

bellamy::application_trace to_trace(const archived_job& job, const event_log::name_rule& rule) {
    const auto units = static_cast<int>(parallelism_of(job));
    bellamy::application_trace trace;
    trace.system = "flink " + (job.version.empty() ? std::string("?") : shortened(job.version, longest_text));
    trace.run = shortened(job.id, longest_text);
    trace.application = job.name.empty() ? trace.run : rule(job.name);
    trace.unit = bellamy::scale_out_unit::slot;
    trace.started_at_s = static_cast<double>(job.started_at) / 1000;
    trace.runtime_s = seconds_since(job.started_at, end_of_job(job));
    trace.outcome = job.ended_at ? outcome_of(job.state) : trace_outcome::unfinished;
    if (trace.outcome != trace_outcome::succeeded) trace.failure = shortened(job.failure, longest_text);
    if (const auto arguments = event_log::clean_name(job.arguments); !arguments.empty())
        trace.properties.push_back(bellamy::text("arguments", arguments));
    const double running_s = seconds_since(job.started_at, job.running_at);
    if (units > 0) trace.scale_out = {{.at_s = running_s, .scale_out = units}};
    bellamy::job_trace whole{.submitted_s = running_s, .outcome = trace.outcome, .failure = trace.failure};
    if (job.ended_at) whole.completed_s = trace.runtime_s;
    for (std::size_t i = 0; i < job.vertices.size(); ++i) whole.stages.push_back(stage_of(job, i, units));
    if (!whole.stages.empty()) trace.jobs.push_back(std::move(whole));
    return trace;
}

event_log::run_row facts_of_row(const archived_job& job) {
    event_log::run_row row;
    row.executors = static_cast<std::int64_t>(job.task_managers.size());
    row.cores = parallelism_of(job);
    row.executor_cores = job.slots_per_task_manager;
    row.executor_memory_mb = event_log::to_megabytes(job.task_manager_memory).value_or(0);
    set_sizes(job, row);
    if (job.is_streaming) row.flags.emplace_back("streaming");
    if (job.was_restarted) row.flags.emplace_back("retried_stages");
    return row;
}

std::vector<std::string> notes_on(const archived_job& job) {
    std::vector<std::string> made;
    if (job.is_streaming) made.emplace_back("no batch job: its type is STREAMING, which is not covered");
    if (job.was_restarted) made.emplace_back("tasks failed and ran again");
    if (const auto outcome = outcome_of(job.state); !job.ended_at || outcome != trace_outcome::succeeded)
        made.push_back(fmt::format("{}: how long it took is a lower bound{}", to_string(outcome),
                                   job.failure.empty() ? "" : "; " + shortened(job.failure, longest_text)));
    const auto slots = slots_of(job);
    if (const auto parallelism = parallelism_of(job); slots > parallelism)
        made.push_back(
            fmt::format("vertices ran beside each other: in {} slots at a parallelism of {}", slots, parallelism));
    return made;
}

}  // namespace tools::flink
