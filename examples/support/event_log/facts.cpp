#include "facts.hpp"

#include <algorithm>
#include <cmath>

namespace tools::event_log {

namespace {

using nlohmann::ordered_json;

template <class Value>
[[nodiscard]] ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

[[nodiscard]] ordered_json job_facts_of(const application_log& log) {
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    for (const auto& each : log.jobs())
        if (each.ended && !each.is_inferred) ++(each.succeeded ? succeeded : failed);
    const auto started = static_cast<std::int64_t>(log.jobs().size());
    return {
        {"started", started}, {"succeeded", succeeded}, {"failed", failed}, {"unfinished", started - succeeded - failed}};
}

[[nodiscard]] ordered_json executor_facts_of(const application_log& log, const executor_summary& summary) {
    constexpr std::size_t most_steps = 60;
    ordered_json steps = ordered_json::array();
    if (const auto start = log.application().at) {
        steps.push_back({0.0, 0});
        for (const auto& each : summary.steps) {
            if (each.at <= *start) steps.clear();
            if (steps.size() < most_steps)
                steps.push_back({to_seconds((std::max<milliseconds>)(0, each.at - *start)), each.executors});
        }
    }
    return {{"source", log.counts_executors() ? "ExecutorAdded" : "BlockManagerAdded"},
            {"added", summary.added},
            {"removed", summary.removed},
            {"max", summary.most_executors},
            {"at_end", summary.added - summary.removed},
            {"max_cores", log.knows_cores() ? ordered_json(summary.most_cores) : ordered_json(nullptr)},
            {"steps", std::move(steps)}};
}

void add_metrics(const task_metrics& sums, ordered_json& to) {
    to["input_bytes"] = sums.input_bytes;
    to["output_bytes"] = sums.output_bytes;
    to["shuffle_read_bytes"] = sums.shuffle_read_bytes;
    to["shuffle_write_bytes"] = sums.shuffle_write_bytes;
    to["memory_spilled_bytes"] = sums.memory_spilled_bytes;
    to["disk_spilled_bytes"] = sums.disk_spilled_bytes;
    to["peak_execution_memory_bytes"] = sums.peak_execution_memory_bytes;
    to["executor_run_s"] = to_seconds(sums.run_ms);
    to["executor_cpu_s"] = std::round(static_cast<double>(sums.cpu_ns.value_or(0)) / 1e6) / 1e3;
    to["gc_s"] = to_seconds(sums.gc_ms);
}

}  // namespace

double to_seconds(milliseconds duration) noexcept { return static_cast<double>(duration) / 1000; }

ordered_json file_facts_of(const read_counts& counts) {
    std::vector<std::string> codecs;
    for (const auto each : counts.codecs) codecs.emplace_back(to_string(each));
    std::sort(codecs.begin(), codecs.end());
    return {{"bytes", counts.bytes}, {"codec", codecs}, {"parts", counts.parts}};
}

ordered_json facts_of(const log_reader& read) {
    const auto& log = read.log();
    const auto& counts = log.counts();
    const auto& application = log.application();
    const auto since_start = [&](const std::optional<milliseconds>& at) {
        return at && application.at ? ordered_json(to_seconds(*at - *application.at)) : ordered_json(nullptr);
    };
    auto facts = file_facts_of(read.counts());
    facts["events"] = read.counts().events;
    facts["bad_lines"] = read.counts().bad_lines;
    facts["spark_version"] = or_null(log.version());
    facts["app_name"] = or_null(application.name);
    facts["app_id"] = or_null(application.id);
    facts["attempt"] = or_null(application.attempt);
    facts["started_at_ms"] = or_null(application.at);
    facts["application_end"] = log.has_end();
    facts["run_s"] = since_start(log.ended_at());
    facts["last_event_s"] = since_start(log.last_time());
    facts["jobs"] = job_facts_of(log);
    facts["stage_attempts"] = {{"submitted", counts.stages_submitted},
                               {"completed", counts.stages_completed},
                               {"failed", counts.stages_failed},
                               {"retried", counts.stages_retried}};
    facts["task_attempts"] = {{"ended", counts.tasks_ended},
                              {"succeeded", counts.tasks_succeeded},
                              {"failed", counts.tasks_ended - counts.tasks_succeeded - counts.tasks_killed},
                              {"killed", counts.tasks_killed},
                              {"speculative", counts.tasks_speculative},
                              {"still_running", counts.tasks_started - counts.tasks_ended}};
    facts["task_end_reasons"] = ordered_json::object();
    for (const auto& [reason, times] : counts.end_reasons) facts["task_end_reasons"][reason] = times;
    add_metrics(counts.metrics, facts);
    const auto executors = log.executors();
    facts["executors"] = executor_facts_of(log, executors);
    facts["first_executor_delay_s"] =
        since_start(executors.steps.empty() ? std::nullopt : std::optional(executors.steps.front().at));
    facts["sql_executions"] = counts.sql_executions;
    facts["adaptive_updates"] = counts.adaptive_updates;
    return facts;
}

}  // namespace tools::event_log
