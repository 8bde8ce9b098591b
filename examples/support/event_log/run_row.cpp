#include "run_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "../printable.hpp"
#include "facts.hpp"
#include "not_batch.hpp"
#include "to_trace.hpp"

namespace tools::event_log {

namespace {

using bellamy::application_trace;
using bellamy::trace_outcome;

struct window {
    milliseconds from = 0;
    milliseconds to = 0;
};

[[nodiscard]] milliseconds to_milliseconds(double seconds) { return std::llround(1000 * seconds); }

struct average {
    double executors = 0;
    double cores = 0;
    bool changed = false;
};

// Executors of one request come one by one within seconds: they count as if all came with the first.
[[nodiscard]] std::vector<executor_step> without_slow_start(std::vector<executor_step> steps, const window& during) {
    constexpr milliseconds slow_start = 15'000;
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const bool is_arrival = steps[i].executors >= steps[i - 1].executors && steps[i].cores >= steps[i - 1].cores;
        if (!is_arrival || steps[i].at > during.from + slow_start) break;
        steps[i].at = (std::min)(steps[i].at, during.from);
    }
    return steps;
}

// Over the window, in which at least one millisecond passes.
[[nodiscard]] average average_over(std::vector<executor_step> steps, const window& during) {
    steps = without_slow_start(std::move(steps), during);
    average made;
    const auto length = static_cast<double>(during.to - during.from);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto from = (std::max)(steps[i].at, during.from);
        const auto to = i + 1 < steps.size() ? (std::min)(steps[i + 1].at, during.to) : during.to;
        if (to <= from) continue;
        made.executors += static_cast<double>(steps[i].executors) * static_cast<double>(to - from) / length;
        made.cores += static_cast<double>(steps[i].cores) * static_cast<double>(to - from) / length;
        made.changed = made.changed || steps[i].at > during.from;
    }
    return made;
}

// From the first job, or the first executor where that comes later, to the end of the last job.
[[nodiscard]] window working_window(const application_trace& trace, milliseconds start, milliseconds first_executor,
                                    milliseconds end) {
    window made{first_executor, end};
    std::optional<double> first_s;
    double last_s = 0;
    for (const auto& each : trace.jobs) {
        if (each.submitted_s && (!first_s || *each.submitted_s < *first_s)) first_s = each.submitted_s;
        last_s = (std::max)(last_s, each.completed_s.value_or(trace.runtime_s));
    }
    if (!first_s) return made;
    made.from = (std::max)(made.from, start + to_milliseconds(*first_s));
    made.to = (std::min)(made.to, start + to_milliseconds(last_s));
    if (made.to <= made.from) made = {first_executor, end};
    return made;
}

[[nodiscard]] std::int64_t to_count(const std::string& spelled) {
    std::int64_t number = 0;
    std::from_chars(spelled.data(), spelled.data() + spelled.size(), number);
    return (std::max<std::int64_t>)(0, number);
}

// Sources of their own kind count records and no bytes, or those of the files' ends alone: less than a byte for ten records.
// Beside files they leave the bytes those of a part: of less than a record in ten, and of less data than small records have.
// Where a hundred times what was read is written for others, what was read is not the data but its description, and its
// records are not those of the data either. Rows that the program made itself count where they are not known: tables
// without bytes are far more common.
[[nodiscard]] std::string measure_of(const amount_read& read) {
    constexpr std::int64_t most_times = 100;
    constexpr std::int64_t little = std::int64_t{1} << 20U;
    constexpr std::int64_t bytes_of_small_record = 100;
    const bool tells_part = read.records_with_bytes > 0 && read.lacks_bytes(10) &&
                            read.records_without_bytes > read.bytes / bytes_of_small_record;
    const auto records = read.records_of_data();
    if ((read.bytes <= 0 && records > 0) || read.bytes < records / 10 || tells_part) return "records";
    const bool explains_shuffle = read.first_shuffle_bytes <= little || read.first_shuffle_bytes / most_times <= read.bytes;
    return explains_shuffle ? "bytes" : "shuffle";
}

[[nodiscard]] bool allocates_dynamically(const log_reader& read) {
    const auto& log = read.log();
    return log.property("spark.dynamicAllocation.enabled") == "true" ||
           log.property("spark.databricks.clusterUsageTags.clusterScalingType") == "autoscaling";
}

[[nodiscard]] std::vector<std::string> flags_of(const log_reader& read, const application_trace& trace, bool rescaled) {
    std::vector<std::string> made;
    const auto& log = read.log();
    if (rescaled) made.emplace_back("rescaled");
    if (allocates_dynamically(read)) made.emplace_back("dynamic_allocation");
    if (log.counts().tasks_out_of_memory > 0) made.emplace_back("out_of_memory");
    if (std::any_of(trace.jobs.begin(), trace.jobs.end(),
                    [](const auto& job) { return job.outcome == trace_outcome::failed; }))
        made.emplace_back("failed_jobs");
    if (log.counts().stages_retried > 0) made.emplace_back("retried_stages");
    const bool begins_late = !trace.jobs.empty() &&
                             std::none_of(trace.jobs.begin(), trace.jobs.end(), [](const auto& job) { return job.id == 0; });
    const bool is_incomplete = read.counts().is_incomplete();
    if (begins_late || is_incomplete) made.emplace_back("incomplete");
    if (log.lost().any() && !is_incomplete) made.emplace_back("lost_events");
    if (log.clock().was_set()) made.emplace_back("wrong_clock");
    if (log.has_mixed_executors()) made.emplace_back("mixed_executors");
    if (const auto found = why_not_batch(log)) made.push_back(found->flag);
    return made;
}

[[nodiscard]] std::string text_of(const application_trace& trace, std::string_view property) {
    for (const auto& each : trace.properties) {
        if (each.name != property) continue;
        if (const auto* text = each.value.text()) return *text;
        if (const auto* number = each.value.natural()) return std::to_string(*number);
    }
    return {};
}

[[nodiscard]] std::int64_t megabytes_of_stages(const application_trace& trace,
                                               std::optional<double> bellamy::stage_metrics::*what) {
    double bytes = 0;
    for (const auto& job : trace.jobs)
        for (const auto& stage : job.stages)
            if (stage.metrics) bytes += ((*stage.metrics).*what).value_or(0);
    return to_whole_megabytes(bytes < 9e18 ? static_cast<std::int64_t>(bytes) : 0);
}

[[nodiscard]] std::int64_t data_size_of(const application_trace& trace) {
    if (const auto stated = to_count(text_of(trace, "data_size_MB")); stated > 0) return stated;
    return megabytes_of_stages(trace, &bellamy::stage_metrics::input_bytes);
}

void set_task_bounds(const application_trace& trace, run_row& row) {
    const bool counts_cores = trace.unit == bellamy::scale_out_unit::core;
    const double cores_of_task = counts_cores ? 1 / trace.slots_per_unit.value_or(1) : 1;
    for (const auto& job : trace.jobs)
        for (const auto& stage : job.stages) {
            row.largest_stage_tasks = (std::max)(row.largest_stage_tasks, static_cast<std::int64_t>(stage.task_s.size()));
            for (const double task_s : stage.task_s) {
                row.longest_task_s = (std::max)(row.longest_task_s, task_s);
                row.task_core_s += task_s * cores_of_task;
            }
        }
}

void set_data_size(const amount_read& read, run_row& row) {
    row.records_read = std::clamp<std::int64_t>(read.records_of_data(), 0, bellamy::largest_natural);
    row.first_shuffle_mb = to_whole_megabytes(read.first_shuffle_bytes);
    row.data_measure = measure_of(read);
    row.data_size_mb = row.data_measure == "bytes" ? to_whole_megabytes(read.bytes) : 0;
}

[[nodiscard]] std::string cell(std::string text) {
    text = printable(std::move(text));
    if (text.find('"') == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

// The numbers that stand beside a trace, with their names: what is written is what is read.
void for_each_number(auto& row, const auto& number) {
    number("executors", row.executors);
    number("cores", row.cores);
    number("executor_cores", row.executor_cores);
    number("executor_memory_MB", row.executor_memory_mb);
    number("data_size_MB", row.data_size_mb);
    number("records_read", row.records_read);
    number("first_shuffle_MB", row.first_shuffle_mb);
    number("source_MB", row.source_mb);
    number("peak_task_memory_MB", row.peak_task_memory_mb);
    number("peak_executor_heap_MB", row.peak_executor_heap_mb);
}

// What the importer knew of the run beside its trace.
void take_facts(std::span<const bellamy::property> beside, run_row& row) {
    const auto number = [&](std::string_view name, std::int64_t& into) {
        for (const auto& each : beside)
            if (const auto* stated = each.value.natural(); stated != nullptr && each.name == name)
                into = static_cast<std::int64_t>(*stated);
    };
    const auto text = [&](std::string_view name, std::string& into) {
        for (const auto& each : beside)
            if (const auto* stated = each.value.text(); stated != nullptr && each.name == name) into = *stated;
    };
    for_each_number(row, number);
    text("data_measure", row.data_measure);
    text("master", row.master);
    std::string flags;
    text("flags", flags);
    for (std::size_t at = 0; at < flags.size();) {
        const auto end = (std::min)(flags.find(',', at), flags.size());
        if (auto flag = flags.substr(at, end - at);
            !flag.empty() && std::find(row.flags.begin(), row.flags.end(), flag) == row.flags.end())
            row.flags.push_back(std::move(flag));
        at = end + 1;
    }
}

}  // namespace

std::int64_t to_whole_megabytes(std::int64_t bytes) noexcept {
    constexpr std::int64_t megabyte = std::int64_t{1} << 20U;
    return bytes <= 0 ? 0 : 1 + (bytes - 1) / megabyte;
}

std::vector<bellamy::property> facts_beside(const run_row& row) {
    std::vector<bellamy::property> made;
    const auto number = [&](const char* name, std::int64_t value) {
        made.push_back(bellamy::natural(name, static_cast<std::uint64_t>((std::max<std::int64_t>)(0, value))));
    };
    for_each_number(row, number);
    made.push_back(bellamy::text("data_measure", row.data_measure));
    if (!row.master.empty()) made.push_back(bellamy::text("master", row.master));
    if (!row.flags.empty()) made.push_back(bellamy::text("flags", fmt::format("{}", fmt::join(row.flags, ","))));
    return made;
}

row_or_reason to_row(const log_reader& read, const application_trace& trace) {
    const auto& log = read.log();
    const auto start = log.application().at.value();
    const auto steps = log.executors().steps;
    if (trace.jobs.empty()) return {.reason = "it ran no job"};
    if (steps.empty()) return {.reason = "it ran on no executor"};
    const auto first_executor = (std::max)(start, steps.front().at);
    const auto end = start + to_milliseconds(trace.runtime_s);
    if (end <= first_executor) return {.reason = "it ended before its first executor came"};
    const auto mean = average_over(steps, working_window(trace, start, first_executor, end));

    row_or_reason made;
    auto& row = made.row;
    row.application = trace.application;
    row.run = trace.run;
    row.attempt = trace.attempt;
    row.started_at_s = trace.started_at_s.value_or(0);
    row.wait_s = to_seconds(first_executor - start);
    row.runtime_s = to_seconds(end - first_executor);
    row.outcome = trace.outcome;
    row.executors = (std::max<std::int64_t>)(1, std::llround(mean.executors));
    row.executor_cores = to_count(log.property("spark.executor.cores"));
    row.cores =
        log.knows_cores() ? (std::max<std::int64_t>)(1, std::llround(mean.cores)) : row.executors * row.executor_cores;
    if (row.executor_cores == 0 && log.knows_cores())
        row.executor_cores = std::llround(mean.cores / (std::max)(1e-9, mean.executors));
    set_data_size(log.read(), row);
    if (const auto stated = to_count(text_of(trace, "data_size_MB")); stated > 0) {
        row.data_size_mb = stated;
        row.data_measure = "bytes";
    }
    row.source_mb = to_whole_megabytes(log.source_bytes());
    set_task_bounds(trace, row);
    row.arguments = text_of(trace, "arguments");
    row.machine_type = text_of(trace, "machine_type");
    row.executor_memory_mb = log.executor_memory_mb().value_or(0);
    row.spilled_mb = to_whole_megabytes(log.counts().metrics.disk_spilled_bytes);
    row.peak_task_memory_mb = to_whole_megabytes(log.counts().metrics.peak_execution_memory_bytes);
    row.peak_executor_heap_mb = to_whole_megabytes(log.counts().executor_heap_bytes);
    const auto master = log.property("spark.master");
    row.master = master.substr(0, master.find_first_of(":["));
    row.system = trace.system;
    row.flags = flags_of(read, trace, mean.changed);
    return made;
}

row_or_reason to_row(const application_trace& trace, std::span<const bellamy::property> beside) {
    if (trace.jobs.empty()) return {.reason = "it ran no job"};
    const bool counts_cores = trace.unit == bellamy::scale_out_unit::core || trace.unit == bellamy::scale_out_unit::slot;
    const auto cores = text_of(trace, "spark.executor.cores");
    if (!cores.empty() && to_count(cores) == 0) return {.reason = "its spark.executor.cores is no number > 0: " + cores};
    const auto memory = text_of(trace, "spark.executor.memory");
    if (!memory.empty() && !to_megabytes(memory)) return {.reason = "its spark.executor.memory is no size: " + memory};
    const auto cores_of_one = to_count(cores);
    std::vector<executor_step> steps;
    for (const auto& each : trace.scale_out) {
        const std::int64_t executors = !counts_cores       ? each.scale_out
                                       : cores_of_one == 0 ? 0
                                                           : (each.scale_out + cores_of_one - 1) / cores_of_one;
        if (each.scale_out > 0 || !steps.empty())
            steps.push_back(
                {to_milliseconds(each.at_s), executors, counts_cores ? each.scale_out : each.scale_out * cores_of_one});
    }
    if (steps.empty()) return {.reason = "it ran on no executor"};
    const auto first_executor = steps.front().at;
    const auto end = to_milliseconds(trace.runtime_s);
    if (end <= first_executor) return {.reason = "it ended before its first executor came"};
    const auto mean = average_over(steps, working_window(trace, 0, first_executor, end));

    row_or_reason made;
    auto& row = made.row;
    row.application = trace.application;
    row.run = trace.run;
    row.attempt = trace.attempt;
    row.started_at_s = trace.started_at_s.value_or(0);
    row.wait_s = to_seconds(first_executor);
    row.runtime_s = to_seconds(end - first_executor);
    row.outcome = trace.outcome;
    const bool knows_executors = !counts_cores || cores_of_one > 0;
    row.executors = knows_executors ? (std::max<std::int64_t>)(1, std::llround(mean.executors)) : 0;
    row.cores = counts_cores || cores_of_one > 0 ? (std::max<std::int64_t>)(1, std::llround(mean.cores)) : 0;
    row.executor_cores = cores_of_one;
    row.data_size_mb = data_size_of(trace);
    set_task_bounds(trace, row);
    row.arguments = text_of(trace, "arguments");
    row.machine_type = text_of(trace, "machine_type");
    row.executor_memory_mb = to_megabytes(memory).value_or(0);
    row.spilled_mb = megabytes_of_stages(trace, &bellamy::stage_metrics::disk_spilled_bytes);
    row.system = trace.system;
    if (mean.changed) row.flags.emplace_back("rescaled");
    if (text_of(trace, "spark.dynamicAllocation.enabled") == "true") row.flags.emplace_back("dynamic_allocation");
    take_facts(beside, row);
    return made;
}

std::string table_header() {
    return "application\trun\tattempt\tstarted_at_s\truntime_s\twait_s\toutcome\texecutors\tcores\tdata_size_MB\targuments\t"
           "machine_type\texecutor_memory_MB\texecutor_cores\tspilled_MB\tpeak_task_memory_MB\tpeak_executor_heap_"
           "MB\tmaster\tsystem\tflags\trecords_read\tfirst_shuffle_MB\tdata_measure\t"
           "longest_task_s\tlongest_task_share\ttask_core_s\tlargest_stage_tasks\tsource_MB";
}

std::string to_line(const run_row& row) {
    return fmt::format(
        "{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t"
        "{:.3f}\t{:.3f}\t{:.3f}\t{}\t{}",
        cell(row.application), cell(row.run), row.attempt, row.started_at_s, row.runtime_s, row.wait_s,
        to_string(row.outcome), row.executors, row.cores, row.data_size_mb, cell(row.arguments), cell(row.machine_type),
        row.executor_memory_mb, row.executor_cores, row.spilled_mb, row.peak_task_memory_mb, row.peak_executor_heap_mb,
        cell(row.master), cell(row.system), fmt::join(row.flags, ","), row.records_read, row.first_shuffle_mb,
        row.data_measure, row.longest_task_s, row.runtime_s > 0 ? row.longest_task_s / row.runtime_s : 0, row.task_core_s,
        row.largest_stage_tasks, row.source_mb);
}

}  // namespace tools::event_log
