#include "application_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tools::event_log {

namespace {

// Names and reasons of 64 KB and more help nobody.
constexpr std::size_t longest_text = 4096;
constexpr std::size_t longest_identity = std::size_t{1} << 20U;

// What the importer looks at; an environment has hundreds of others.
constexpr std::array<std::string_view, 14> wanted_properties{
    "spark.app.name",
    "spark.databricks.clusterUsageTags.clusterNodeType",
    "spark.databricks.workerNodeTypeId",
    "spark.driver.memory",
    "spark.dynamicAllocation.enabled",
    "spark.executor.cores",
    "spark.executor.instances",
    "spark.executor.memory",
    "spark.executor.memoryOverhead",
    "spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type",
    "spark.master",
    "spark.sql.shuffle.partitions",
    "spark.task.cpus",
    "sun.java.command"};

// Cuts between two characters of UTF-8.
void cut(std::string& text, std::size_t size) {
    if (text.size() <= size) return;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    text.resize(size);
}

void cut_first_line(std::string& text) {
    text.resize((std::min)(text.find_first_of("\r\n"), text.size()));
    cut(text, longest_text);
}

}  // namespace

void application_log::on_time(milliseconds at) { last_time_ = (std::max)(at, last_time_.value_or(at)); }

void application_log::on_version(std::string version) {
    cut(version, longest_text);
    if (!version_) version_ = std::move(version);
}

void application_log::on_application_start(application_started started) {
    for (auto* text : {&started.name, &started.id, &started.attempt})
        if (*text) cut(**text, longest_identity);
    if (!std::exchange(started_, true)) {
        application_ = std::move(started);
    } else if (!other_application_ && (started.id != application_.id || started.at != application_.at)) {
        other_application_ = std::move(started);
    }
}

void application_log::on_application_end(std::optional<milliseconds> at) {
    ended_ = true;
    ended_at_ = at;
}

void application_log::on_properties(properties all) {
    for (auto& [name, text] : all) {
        if (std::find(wanted_properties.begin(), wanted_properties.end(), name) == wanted_properties.end()) continue;
        cut(text, 65536);
        properties_.try_emplace(std::move(name), std::move(text));
    }
}

void application_log::on_executor_added(executor_changed executor) {
    has_executor_events_ = true;
    executor.cores = (std::clamp<std::int64_t>)(executor.cores, 0, 1'000'000);
    cores_.insert_or_assign(executor.id, executor.cores);
    executors_.add(executor);
}
void application_log::on_executor_removed(executor_changed executor) { executors_.remove(executor); }
void application_log::on_block_manager_added(executor_changed executor) { block_managers_.add(executor); }
void application_log::on_block_manager_removed(executor_changed executor) { block_managers_.remove(executor); }

void application_log::on_job_start(job_started started) {
    if (!place_of_job_.try_emplace(started.id, jobs_.size()).second) return;
    auto& stages = running_jobs_[jobs_.size()];
    stages = std::move(started.stages);
    std::sort(stages.begin(), stages.end());
    jobs_.push_back({.id = started.id, .submitted = started.at});
}

void application_log::on_job_end(job_ended ended) {
    const auto found = place_of_job_.find(ended.id);
    if (found == place_of_job_.end() || jobs_[found->second].ended) return;
    auto& job = jobs_[found->second];
    job.ended = true;
    job.completed = ended.at;
    job.succeeded = ended.succeeded;
    job.reason = std::move(ended.reason);
    cut_first_line(job.reason);
    running_jobs_.erase(found->second);
}

stage_attempt* application_log::find(std::int64_t stage, std::int64_t attempt) {
    const auto found = place_of_stage_.find({stage, attempt});
    return found == place_of_stage_.end() ? nullptr : &stages_[found->second];
}

// A stage attempt belongs to the first job that lists it and runs.
stage_attempt& application_log::find_or_add(const stage_info& info) {
    if (auto* known = find(info.id, info.attempt)) return *known;
    const auto place = stages_.size();
    place_of_stage_.emplace(std::pair(info.id, info.attempt), place);
    for (const auto& [job, stages] : running_jobs_) {
        if (!std::binary_search(stages.begin(), stages.end(), info.id)) continue;
        jobs_[job].stages.push_back(place);
        break;
    }
    return stages_.emplace_back(info);
}

void application_log::on_stage_submitted(stage_info info) {
    ++counts_.stages_submitted;
    if (info.attempt > 0) ++counts_.stages_retried;
    cut(info.name, longest_text);
    (void)find_or_add(info);
}

void application_log::on_stage_completed(stage_info info) {
    ++(info.failure ? counts_.stages_failed : counts_.stages_completed);
    if (info.submitted && info.completed && *info.completed < *info.submitted) ++negative_durations_;
    cut(info.name, longest_text);
    if (info.failure) cut_first_line(*info.failure);
    auto& stage = find_or_add(info);
    if (stage.is_complete()) return;
    const std::pair key(info.id, info.attempt);
    stage.complete(std::move(info));
    unsettled_.push_back(place_of_stage_.at(key));
    settle_quiet_stages(64);
}

void application_log::on_task_start(task_info info) {
    ++counts_.tasks_started;
    driver_ran_tasks_ = driver_ran_tasks_ || is_driver(info.executor);
    if (auto* stage = find(info.stage, info.stage_attempt)) stage->start(info);
}

void application_log::on_task_end(task_ended ended) {
    ++counts_.tasks_ended;
    cut(ended.reason, 64);
    // Spark has ten reasons; more than that is no Spark's.
    auto& reasons = counts_.end_reasons;
    ++reasons[reasons.size() < 64 || reasons.contains(ended.reason) ? ended.reason : "others"];
    if (ended.reason == "Success") ++counts_.tasks_succeeded;
    if (ended.reason == "TaskKilled") ++counts_.tasks_killed;
    if (ended.info.speculative) ++counts_.tasks_speculative;
    if (ended.out_of_memory) ++counts_.tasks_out_of_memory;
    if (ended.metrics) counts_.metrics.add(*ended.metrics);
    counts_.executor_heap_bytes = (std::max)(counts_.executor_heap_bytes, ended.executor_heap_bytes);
    if (ended.info.launched && ended.info.finished && *ended.info.finished < *ended.info.launched) ++negative_durations_;
    driver_ran_tasks_ = driver_ran_tasks_ || is_driver(ended.info.executor);
    if (auto* stage = find(ended.info.stage, ended.info.stage_attempt)) stage->end(ended);
}

// Tasks of a cancelled stage end after it: a stage that is complete waits for them, but not for ever.
void application_log::settle_quiet_stages(std::size_t most_loud) {
    std::erase_if(unsettled_, [&](std::size_t place) {
        auto& stage = stages_[place];
        if (stage.running() == 0) settle(stage);
        return stage.is_settled();
    });
    for (; unsettled_.size() > most_loud; unsettled_.pop_front()) settle(stages_[unsettled_.front()]);
}

void application_log::settle(stage_attempt& stage) {
    const bool keep = durations_ < most_durations;
    durations_left_out_ = durations_left_out_ || !keep;
    stage.settle([this](const std::string& executor) { return slots_of(executor); }, keep);
    durations_ += stage.task_ms().size();
}

void application_log::finish() {
    for (auto& each : stages_) settle(each);
    unsettled_.clear();
}

std::optional<std::int64_t> application_log::slots_of(const std::string& executor) const {
    const auto found = cores_.find(executor);
    if (found == cores_.end()) return std::nullopt;
    std::int64_t task_cpus = 1;
    const auto spelled = property("spark.task.cpus");
    std::from_chars(spelled.data(), spelled.data() + spelled.size(), task_cpus);
    return found->second / (std::max<std::int64_t>)(1, task_cpus);
}

executor_summary application_log::executors() const {
    return (has_executor_events_ ? executors_ : block_managers_).summarise(driver_ran_tasks_);
}

std::string application_log::property(std::string_view name) const {
    const auto found = properties_.find(std::string(name));
    return found == properties_.end() ? std::string() : found->second;
}

}  // namespace tools::event_log
