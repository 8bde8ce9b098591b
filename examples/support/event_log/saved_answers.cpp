#include "saved_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "../printable.hpp"
#include "../start_time.hpp"
#include "../tool_error.hpp"

namespace tools::event_log {

namespace {

using nlohmann::json;

[[nodiscard]] std::optional<std::int64_t> integer_of(const json& from, const char* name) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

[[nodiscard]] std::string json_text(const json& from, const char* name) {
    const auto found = from.find(name);
    return found != from.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "2026-11-27T13:15:26.085GMT"
[[nodiscard]] std::optional<milliseconds> time_of(const json& from, const char* name) {
    auto text = json_text(from, name);
    if (text.ends_with("GMT")) text.replace(text.size() - 3, 3, "Z");
    const auto seconds = parse_start(text);
    return seconds ? std::optional<milliseconds>(std::llround(1000 * *seconds)) : std::nullopt;
}

// Of an attempt, whose times are stated as numbers as well; -1 is none.
[[nodiscard]] std::optional<milliseconds> time_of_attempt(const json& from, const char* number, const char* text) {
    const auto stated = integer_of(from, number);
    return stated ? (*stated >= 0 ? stated : std::nullopt) : time_of(from, text);
}

[[nodiscard]] bool is_list_of_objects(const json& answer) {
    return answer.is_array() && std::all_of(answer.begin(), answer.end(), [](const json& each) { return each.is_object(); });
}

struct answers {
    json application{};
    std::vector<json> stages{};
    std::vector<json> jobs{};
    std::map<std::string, json> executors{};
    json environment{};
    bool has_stages = false;
};

void take_application(json answer, json& to) {
    if (answer.is_array() && answer.size() == 1) answer = json(answer.front());
    if (!answer.is_object() || !answer.contains("attempts") || !is_list_of_objects(answer["attempts"]) ||
        answer["attempts"].empty() || json_text(answer, "id").empty())
        throw tool_error("other_answer",
                         "expected one application with its attempts, as /applications/ID tells it, found " +
                             (answer.is_array() ? fmt::format("{} of them", answer.size()) : "another answer"));
    to = std::move(answer);
}

void take(answer_kind kind, json answer, answers& to) {
    if (kind == answer_kind::application) return take_application(std::move(answer), to.application);
    if (kind == answer_kind::environment) {
        to.environment = std::move(answer);
        return;
    }
    if (!is_list_of_objects(answer)) throw tool_error("other_answer", "expected a list of objects, found another answer");
    if (kind == answer_kind::executors)
        for (auto& each : answer) to.executors.insert_or_assign(json_text(each, "id"), std::move(each));
    if (kind == answer_kind::jobs) to.jobs.assign(answer.begin(), answer.end());
    if (kind == answer_kind::stages) to.stages.assign(answer.begin(), answer.end());
    to.has_stages = to.has_stages || kind == answer_kind::stages;
}

// The one in which the jobs ran, else the newest, which is the first.
[[nodiscard]] const json& attempt_of(const answers& all) {
    const auto& attempts = all.application.at("attempts");
    const auto first_job = all.jobs.empty() ? -1 : time_of(all.jobs.front(), "submissionTime").value_or(-1);
    for (const auto& each : attempts)
        if (const auto start = time_of_attempt(each, "startTimeEpoch", "startTime").value_or(INT64_MAX); start <= first_job)
            return each;
    return attempts.front();
}

void tell_properties(const json& environment, listener& to) {
    properties all;
    for (const char* part : {"sparkProperties", "systemProperties"}) {
        const auto found = environment.find(part);
        if (found == environment.end() || !found->is_array()) continue;
        for (const auto& each : *found)
            if (each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string())
                all.emplace_back(each[0].get<std::string>(), each[1].get<std::string>());
    }
    to.on_properties(std::move(all));
}

// The driver is always listed; where it ran tasks it is the executor of a local run.
void tell_executors(const answers& all, listener& to) {
    for (const auto& [id, each] : all.executors) {
        const bool ran_tasks = integer_of(each, "totalTasks").value_or(0) > 0;
        if (is_driver(id) && !ran_tasks) continue;
        executor_changed changed{.id = is_driver(id) ? "of a local run" : id,
                                 .at = time_of(each, "addTime"),
                                 .cores = integer_of(each, "totalCores").value_or(0),
                                 .profile = integer_of(each, "resourceProfileId").value_or(0)};
        to.on_executor_added(changed);
        changed.at = time_of(each, "removeTime");
        if (changed.at) to.on_executor_removed(std::move(changed));
    }
}

[[nodiscard]] task_metrics sums_of(const json& stage) {
    const auto sum = [&](const char* name) { return (std::max<std::int64_t>)(0, integer_of(stage, name).value_or(0)); };
    return {.run_ms = sum("executorRunTime"),
            .cpu_ns = integer_of(stage, "executorCpuTime"),
            .gc_ms = sum("jvmGcTime"),
            .input_bytes = sum("inputBytes"),
            .input_records = sum("inputRecords"),
            .output_bytes = sum("outputBytes"),
            .shuffle_read_bytes = sum("shuffleReadBytes"),
            .shuffle_write_bytes = sum("shuffleWriteBytes"),
            .memory_spilled_bytes = sum("memoryBytesSpilled"),
            .disk_spilled_bytes = sum("diskBytesSpilled")};  // the peaks of memory are added up there, which says nothing
}

// Those that ran.
void tell_stage(const json& stage, application_log& to) {
    const auto status = json_text(stage, "status");
    if (status == "SKIPPED" || status == "PENDING") return;
    stage_info info{.id = integer_of(stage, "stageId").value_or(-1),
                    .attempt = integer_of(stage, "attemptId").value_or(0),
                    .name = json_text(stage, "name"),
                    .tasks = integer_of(stage, "numTasks").value_or(-1),
                    .partitions = -1,
                    .submitted = time_of(stage, "submissionTime")};
    to.on_stage_submitted(info);
    to.on_stage_sums(info.id, info.attempt, sums_of(stage));
    info.completed = time_of(stage, "completionTime");
    for (const auto& at : {info.submitted, info.completed})
        if (at) to.on_time(*at);
    if (status == "FAILED") info.failure = json_text(stage, "failureReason");
    if (status == "COMPLETE" || status == "FAILED") to.on_stage_completed(std::move(info));
}

// Batches of streams are described so.
[[nodiscard]] bool is_batch_of_stream(const std::string& description) {
    return description.find("runId = ") != description.npos && description.find("batch = ") != description.npos;
}

// -1 where there is none.
[[nodiscard]] std::int64_t number_of(const json& from, const char* name) { return integer_of(from, name).value_or(-1); }

// The attempts of a stage, of those that are sorted by it.
[[nodiscard]] std::span<const json> attempts_of(std::int64_t stage, const std::vector<json>& stages) {
    struct by_stage {
        bool operator()(const json& each, std::int64_t id) const { return number_of(each, "stageId") < id; }
        bool operator()(std::int64_t id, const json& each) const { return id < number_of(each, "stageId"); }
    };
    const auto [first, end] = std::equal_range(stages.begin(), stages.end(), stage, by_stage{});
    return {first, end};
}

[[nodiscard]] bool is_skipped(std::int64_t stage, const std::vector<json>& stages) {
    const auto attempts = attempts_of(stage, stages);
    return !attempts.empty() && json_text(attempts.front(), "status") == "SKIPPED";
}

// The job, and of the stages those that no job before had. What the answer about stages lacks of them.
[[nodiscard]] std::int64_t tell_job(const json& job, const answers& all, std::set<std::int64_t>& told, application_log& to) {
    job_started started{.id = integer_of(job, "jobId").value_or(-1),
                        .at = time_of(job, "submissionTime"),
                        .is_streaming = is_batch_of_stream(json_text(job, "description"))};
    if (const auto ids = job.find("stageIds"); ids != job.end() && ids->is_array())
        for (const auto& each : *ids)
            if (each.is_number_integer() && !is_skipped(each.get<std::int64_t>(), all.stages))
                started.stages.push_back(each.get<std::int64_t>());
    const auto id = started.id;
    const std::set<std::int64_t> stages(started.stages.begin(), started.stages.end());
    if (started.at) to.on_time(*started.at);
    to.on_job_start(std::move(started));
    std::string reason;
    std::int64_t completed = 0;
    for (const auto stage_id : stages)
        for (const auto& stage : attempts_of(stage_id, all.stages)) {
            if (json_text(stage, "status") == "COMPLETE") ++completed;
            if (json_text(stage, "status") == "FAILED") reason = json_text(stage, "failureReason");
            if (!told.contains(stage_id)) tell_stage(stage, to);
        }
    told.insert(stages.begin(), stages.end());
    const auto ended_at = time_of(job, "completionTime");
    const auto status = json_text(job, "status");
    if (ended_at) to.on_time(*ended_at);
    if (status == "SUCCEEDED" || status == "FAILED")
        to.on_job_end({.id = id, .at = ended_at, .succeeded = status == "SUCCEEDED", .reason = reason});
    return integer_of(job, "numCompletedStages").value_or(0) - completed;
}

[[nodiscard]] answers sorted(std::span<const std::string> texts) {
    answers all;
    for (const auto& text : texts) {
        auto answer = json::parse(text, nullptr, false);
        if (answer.is_discarded())
            throw tool_error("other_answer", "expected an answer of /api/v1 as JSON, found one that is cut or damaged: " +
                                                 printable(shortened(text, 40)));
        take(kind_of_answer(text), std::move(answer), all);
    }
    const auto order_by = [](std::vector<json>& list, const char* first, const char* second) {
        std::stable_sort(list.begin(), list.end(), [&](const json& a, const json& b) {
            return std::pair(number_of(a, first), number_of(a, second)) <
                   std::pair(number_of(b, first), number_of(b, second));
        });
    };
    order_by(all.jobs, "jobId", "jobId");
    order_by(all.stages, "stageId", "attemptId");
    return all;
}

}  // namespace

answer_kind kind_of_answer(std::string_view first_bytes) {
    const auto begin = first_bytes.find_first_not_of(" \t\r\n");
    if (begin == first_bytes.npos || (first_bytes[begin] != '{' && first_bytes[begin] != '[')) return answer_kind::none;
    const auto has = [text = first_bytes.substr(0, std::size_t{1} << 14U)](std::string_view name) {
        return text.find(name) != text.npos;
    };
    if (has("\"Event\"")) return answer_kind::none;
    if (has("\"stageId\"") && has("\"numCompleteTasks\"")) return answer_kind::stages;
    if (has("\"jobId\"") && has("\"stageIds\"")) return answer_kind::jobs;
    if (has("\"hostPort\"") && has("\"totalCores\"")) return answer_kind::executors;
    if (has("\"runtime\"") && has("\"javaVersion\"")) return answer_kind::environment;
    if (has("\"id\"") && has("\"attempts\"") && has("\"sparkUser\"")) return answer_kind::application;
    return answer_kind::none;
}

std::string read_answers(std::span<const std::string> texts, application_log& to) {
    const auto all = sorted(texts);
    if (all.application.is_null())
        throw tool_error("no_application", "expected the answer to /applications/ID beside those below it, found none");
    const auto& attempt = attempt_of(all);
    if (auto version = json_text(attempt, "appSparkVersion"); !version.empty()) to.on_version(std::move(version));
    const auto number = json_text(attempt, "attemptId");
    to.on_application_start({.name = json_text(all.application, "name"),
                             .id = json_text(all.application, "id"),
                             .attempt = number.empty() ? std::nullopt : std::optional(number),
                             .at = time_of_attempt(attempt, "startTimeEpoch", "startTime")});
    if (all.environment.is_object()) tell_properties(all.environment, to);
    tell_executors(all, to);
    if (!all.has_stages) to.leave_out_stages();
    std::int64_t forgotten = 0;
    std::set<std::int64_t> told;
    for (const auto& job : all.jobs) forgotten += (std::max<std::int64_t>)(0, tell_job(job, all, told, to));
    const auto completed = attempt.find("completed");
    if (completed != attempt.end() && completed->is_boolean() && completed->get<bool>()) {
        const auto end = time_of_attempt(attempt, "endTimeEpoch", "endTime");
        to.on_application_end({.at = end});
        if (end) to.on_time(*end);
    }
    to.finish();
    return all.has_stages && forgotten > 0 ? fmt::format("{} stages of the jobs are missing among the stages", forgotten)
                                           : "";
}

}  // namespace tools::event_log
