#include "application_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "to_trace.hpp"

namespace tools::event_log {

namespace {

// Names and reasons of 64 KB and more help nobody.
constexpr std::size_t longest_text = 4096;
constexpr std::int64_t most_cores = 1'000'000;
constexpr std::size_t longest_identity = std::size_t{1} << 20U;

// What the importer looks at; an environment has hundreds of others.
constexpr std::array<std::string_view, 32> wanted_properties{
    "spark.api.mode",
    "spark.app.name",
    "spark.bellamy.name",
    "spark.bellamy.name.rule",
    "spark.databricks.clusterUsageTags.clusterAllTags",
    "spark.databricks.clusterUsageTags.clusterName",
    "spark.databricks.clusterUsageTags.clusterNodeType",
    "spark.databricks.clusterUsageTags.clusterScalingType",
    "spark.databricks.clusterUsageTags.driverNodeType",
    "spark.databricks.driverNodeTypeId",
    "spark.databricks.job.id",
    "spark.databricks.workerNodeTypeId",
    "spark.dataproc.driver.compute.tier",
    "spark.dataproc.executor.compute.tier",
    "spark.driver.memory",
    "spark.dynamicAllocation.enabled",
    "spark.executor.cores",
    "spark.executor.instances",
    "spark.executor.memory",
    "spark.executor.memoryOverhead",
    "spark.kubernetes.driver.label.spark-app-tag",
    "spark.kubernetes.executor.node.selector.beta.kubernetes.io/instance-type",
    "spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type",
    "spark.kubernetes.node.selector.beta.kubernetes.io/instance-type",
    "spark.kubernetes.node.selector.node.kubernetes.io/instance-type",
    "spark.master",
    "spark.repl.class.outputDir",
    "spark.repl.class.uri",
    "spark.sql.shuffle.partitions",
    "spark.task.cpus",
    "spark.yarn.tags",
    "sun.java.command"};

// What the user of the plugins in Spark states of the run.
constexpr std::string_view stated_property_prefix = "spark.bellamy.property.";

// Cuts between two characters of UTF-8.
void shorten(std::string& text, std::size_t size) {
    if (text.size() <= size) return;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    text.resize(size);
}

void cut_first_line(std::string& text) {
    text.resize((std::min)(text.find_first_of("\r\n"), text.size()));
    shorten(text, longest_text);
}

}  // namespace

void application_log::on_time(milliseconds at) {
    last_time_ = (std::max)(at, last_time_.value_or(at));
    clock_.tick(at);
}

void application_log::on_version(std::string version) {
    shorten(version, longest_text);
    if (!version_) version_ = std::move(version);
}

void application_log::on_application_start(application_started started) {
    for (auto* text : {&started.name, &started.id, &started.attempt})
        if (*text) shorten(**text, longest_identity);
    if (!std::exchange(started_, true)) {
        application_ = std::move(started);
    } else if (!other_application_ && (started.id != application_.id || started.at != application_.at)) {
        other_application_ = std::move(started);
    }
}

void application_log::on_application_end(application_ended ended) {
    ended_ = true;
    ended_at_ = ended.at;
    exit_code_ = ended.exit_code;
}

void application_log::on_delivered_part(delivered_part part) {
    is_of_databricks_ = true;
    if (!part.version || delivered_version_) return;
    shorten(*part.version, longest_text);
    delivered_version_ = std::move(part.version);
}

void application_log::on_driver_count(driver_count count) {
    const auto scan = scanned_.find(count.accumulator);
    if (scan == scanned_.end()) return;
    auto& bytes = source_bytes_[scan->second];
    bytes = (std::max)(bytes, count.value);
}

std::int64_t application_log::source_bytes() const {
    std::int64_t sum = 0;
    for (const auto& location : source_bytes_) sum = saturated_sum(sum, location.second);
    return sum;
}

// Of executions that end at the same time one that failed counts.
void application_log::on_sql_execution(sql_execution execution) {
    if (!execution.ended) {
        ++counts_.sql_executions;
        running_sql_.insert(execution.id);
        return;
    }
    running_sql_.erase(execution.id);
    cut_first_line(execution.failure);
    if (!execution.at || (last_sql_ && *last_sql_->at > *execution.at)) return;
    if (last_sql_ && last_sql_->at == execution.at && execution.failure.empty()) return;
    last_sql_ = std::move(execution);
}

bool application_log::is_something_running() const noexcept { return !running_jobs_.empty() || !running_sql_.empty(); }

void application_log::on_properties(properties all) {
    has_properties_ = true;
    for (auto& [name, text] : all) {
        if (name.starts_with("spark.databricks.clusterUsageTags.")) is_of_databricks_ = true;
        constexpr std::size_t most_stated = 64;
        if (name.starts_with(stated_property_prefix) && name.size() > stated_property_prefix.size() &&
            stated_.size() < most_stated) {
            shorten(text, longest_text);
            stated_.try_emplace(name.substr(stated_property_prefix.size()), std::move(text));
            continue;
        }
        if (std::find(wanted_properties.begin(), wanted_properties.end(), name) == wanted_properties.end()) continue;
        shorten(text, 65536);
        properties_.try_emplace(std::move(name), std::move(text));
    }
}

void application_log::on_executor_added(executor_changed executor) {
    has_executor_events_ = true;
    executor.cores = (std::clamp<std::int64_t>)(executor.cores, 0, most_cores);
    cores_.insert_or_assign(executor.id, executor.cores);
    removed_.erase(executor.id);
    sizes_.emplace(executor.cores, executor.profile);
    executors_.add(executor);
}
void application_log::on_executor_removed(executor_changed executor) {
    if (executor.at) removed_.insert_or_assign(executor.id, *executor.at);
    executors_.remove(executor);
}
void application_log::on_block_manager_added(executor_changed executor) {
    block_managers_removed_.erase(executor.id);
    block_managers_.add(executor);
}
void application_log::on_block_manager_removed(executor_changed executor) {
    if (executor.at) block_managers_removed_.insert_or_assign(executor.id, *executor.at);
    block_managers_.remove(executor);
}

void application_log::on_job_start(job_started started) {
    if (!place_of_job_.try_emplace(started.id, jobs_.size()).second) return;
    if (started.is_streaming) sessions_.insert(session::streaming);
    auto& stages = running_jobs_[jobs_.size()];
    stages = std::move(started.stages);
    std::sort(stages.begin(), stages.end());
    listed_stages_.insert(stages.begin(), stages.end());
    jobs_.push_back({.id = started.id, .submitted = started.at});
    if (!stages.empty()) jobs_.back().last_stage = stages.back();
}

void application_log::on_job_end(job_ended ended) {
    const auto found = place_of_job_.find(ended.id);
    if (found == place_of_job_.end()) ++lost_.job_starts;
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
    if (info.attempt == 0 && !listed_stages_.contains(info.id)) ++lost_.jobs_of_stages;
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
    shorten(info.name, longest_text);
    (void)find_or_add(info);
}

void application_log::on_stage_completed(stage_info info) {
    ++(info.failure ? counts_.stages_failed : counts_.stages_completed);
    if (info.submitted && info.completed && *info.completed < *info.submitted) ++negative_durations_;
    shorten(info.name, longest_text);
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
    notice_executor(info);
    if (auto* stage = find(info.stage, info.stage_attempt)) {
        stage->start(info);
    } else {
        stages_without_start_.emplace(info.stage, info.stage_attempt);
    }
}

void application_log::notice_executor(const task_info& task) {
    if (is_driver(task.executor)) {
        driver_ran_tasks_ = true;
        return;
    }
    if (!task.launched || task.executor.empty()) return;
    auto& last = last_launch_[task.executor];
    last = (std::max)(last, *task.launched);
    if (cores_.contains(task.executor)) return;
    const auto [known, is_new] = first_launch_.try_emplace(task.executor, *task.launched);
    if (!is_new) known->second = (std::min)(known->second, *task.launched);
}

void application_log::count_read(const task_ended& task, const stage_attempt* stage) {
    if (task.reason != "Success") return;
    auto& seen = partitions_read_[task.info.stage];
    auto partition = task.info.partition.value_or(task.info.index);
    if (!task.info.partition && task.info.stage_attempt > 0) {
        // A retried stage counts its tasks anew: they are of the partitions that are not read yet, if any.
        const auto* first = find(task.info.stage, 0);
        partition = std::find(seen.begin(), seen.end(), false) - seen.begin();
        if (first != nullptr && partition >= first->info().tasks) return;
    }
    // A number beyond all that a stage of this many tasks may have is none, and takes no memory.
    constexpr std::size_t most_beyond = 4096;
    if (partition >= 0 && static_cast<std::size_t>(partition) < 64 * seen.size() + most_beyond) {
        const auto place = static_cast<std::size_t>(partition);
        if (place >= seen.size()) seen.resize(place + 1);
        if (seen[place]) return;
        seen[place] = true;
    }
    if (!task.metrics) return;
    const auto& metrics = *task.metrics;
    read_.bytes = saturated_sum(read_.bytes, metrics.input_bytes);
    read_.records = saturated_sum(read_.records, metrics.input_records);
    auto& records = metrics.input_bytes > 0 ? read_.records_with_bytes : read_.records_without_bytes;
    if (metrics.input_bytes > 0 || stage == nullptr || !stage->info().makes_rows)
        records = saturated_sum(records, metrics.input_records);
    if (stage != nullptr && stage->info().parents.empty())
        read_.first_shuffle_bytes = saturated_sum(read_.first_shuffle_bytes, metrics.shuffle_write_bytes);
}

void application_log::on_task_end(task_ended ended) {
    ++counts_.tasks_ended;
    shorten(ended.reason, 64);
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
    clock_.compare(ended);
    notice_executor(ended.info);
    auto* stage = find(ended.info.stage, ended.info.stage_attempt);
    count_read(ended, stage);
    if (stage != nullptr) {
        stage->end(ended);
    } else {
        stages_without_start_.emplace(ended.info.stage, ended.info.stage_attempt);
    }
}

void application_log::on_stage_sums(std::int64_t id, std::int64_t attempt, const task_metrics& sums) {
    auto* const stage = find(id, attempt);
    if (stage == nullptr) return;
    stage->take_sums(sums);
    counts_.metrics.add(sums);
    read_.bytes = saturated_sum(read_.bytes, sums.input_bytes);
    read_.records = saturated_sum(read_.records, sums.input_records);
    auto& records = sums.input_bytes > 0 ? read_.records_with_bytes : read_.records_without_bytes;
    records = saturated_sum(records, sums.input_records);
    // What comes before a stage is not told there: a stage that others come before reads what they wrote.
    if (sums.shuffle_read_bytes == 0)
        read_.first_shuffle_bytes = saturated_sum(read_.first_shuffle_bytes, sums.shuffle_write_bytes);
    read_.tells_sources = false;
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
    infer_job_ends();
    infer_executors();
    count_lost();
    partitions_read_ = {};
}

// The last stage of a job, which has the highest number, ends with it: it succeeds only together with the job.
void application_log::infer_job_ends() {
    for (auto running = running_jobs_.begin(); running != running_jobs_.end();) {
        auto& job = jobs_[running->first];
        const stage_attempt* last = nullptr;
        for (const auto place : job.stages)
            if (!running->second.empty() && stages_[place].info().id == running->second.back()) last = &stages_[place];
        const bool succeeded =
            last != nullptr && last->is_complete() && !last->info().failure && last->info().completed.has_value();
        if (!succeeded) {
            ++running;
            continue;
        }
        job.ended = job.succeeded = job.is_inferred = true;
        job.completed = last->info().completed;
        ++repairs_.job_ends;
        running = running_jobs_.erase(running);
    }
}

// 0 where they are not stated.
std::int64_t application_log::stated_cores() const {
    std::int64_t cores = 0;
    const auto spelled = property("spark.executor.cores");
    std::from_chars(spelled.data(), spelled.data() + spelled.size(), cores);
    return (std::clamp<std::int64_t>)(cores, 0, most_cores);
}

// Executors of one application are of one size unless their events say otherwise; 0 where they are of several.
std::int64_t application_log::cores_of_others() const {
    std::set<std::int64_t> sizes;
    for (const auto& [id, cores] : cores_)
        if (cores > 0) sizes.insert(cores);
    if (sizes.empty()) return stated_cores();
    return sizes.size() == 1 ? *sizes.begin() : 0;
}

// Of executors whose event has no cores.
void application_log::infer_cores(std::int64_t cores) {
    for (auto& [id, own] : cores_)
        if (own == 0) own = cores;
    for (const auto& [own, profile] : std::set(sizes_))
        if (own == 0 && sizes_.erase({own, profile}) > 0) sizes_.emplace(cores, profile);
    executors_.set_unknown_cores(cores);
}

void application_log::infer_executors() {
    if (!has_executor_events_ && !block_managers_.empty()) return;
    const auto cores = cores_of_others();
    infer_cores(cores);
    for (const auto& [id, launched] : first_launch_) {
        if (cores_.contains(id)) continue;
        if (cores <= 0) {
            ++lost_.executors;
            continue;
        }
        ++repairs_.executors;
        has_executor_events_ = true;
        cores_.emplace(id, cores);
        executors_.add({.id = id, .at = launched, .cores = cores});
        if (const auto removed = removed_.find(id); removed != removed_.end())
            executors_.remove({.id = id, .at = removed->second});
    }
    infer_removals();
    knows_cores_ = std::any_of(cores_.begin(), cores_.end(), [](const auto& each) { return each.second > 0; }) &&
                   std::none_of(cores_.begin(), cores_.end(),
                                [](const auto& each) { return each.second == 0 && !is_driver(each.first); });
}

// An executor that is gone runs no task any more: where one does, it was added again. With its block manager it is gone.
void application_log::infer_removals() {
    const auto runs_behind = [&](const std::string& id, milliseconds at) {
        const auto last = last_launch_.find(id);
        return last != last_launch_.end() && last->second > at;
    };
    for (const auto& [id, at] : removed_)
        if (cores_.contains(id) && runs_behind(id, at)) ++lost_.executors;
    for (const auto& [id, at] : block_managers_removed_) {
        if (is_driver(id) || !cores_.contains(id) || removed_.contains(id) || runs_behind(id, at)) continue;
        ++repairs_.removals;
        executors_.remove({.id = id, .at = at});
    }
}

// Spark numbers jobs one by one. Those before the first are told apart: compaction takes them out.
void application_log::count_lost() {
    std::int64_t latest = -1;
    for (const auto& job : jobs_) latest = (std::max)(latest, job.id);
    if (const auto known = static_cast<std::int64_t>(jobs_.size()); place_of_job_.contains(0) && latest >= known)
        lost_.job_starts = (std::max)(lost_.job_starts, latest + 1 - known);
    lost_.stage_starts = static_cast<std::int64_t>(stages_without_start_.size());
    if (tells_stages_) count_lost_stage_ends();
    count_lost_task_ends();
}

bool application_log::has_success(std::int64_t stage) const {
    constexpr auto first = (std::numeric_limits<std::int64_t>::min)();
    for (auto at = place_of_stage_.lower_bound({stage, first}); at != place_of_stage_.end() && at->first.first == stage;
         ++at)
        if (const auto& attempt = stages_[at->second]; attempt.is_complete() && !attempt.info().failure) return true;
    return false;
}

// A job that succeeded ended with its last stage; those before it may have been skipped, since others had computed them.
void application_log::count_lost_stage_ends() {
    for (const auto& job : jobs_) {
        if (!job.ended || !job.succeeded) continue;
        bool is_last_counted = false;
        for (const auto place : job.stages) {
            if (stages_[place].is_complete()) continue;
            ++lost_.stage_ends;
            is_last_counted = is_last_counted || stages_[place].info().id == job.last_stage;
        }
        if (job.last_stage && !is_last_counted && !has_success(*job.last_stage)) ++lost_.stage_ends;
    }
}

// A later attempt of a stage computes what is missing, and tasks of the one before may end meanwhile: each partition was
// computed by some.
void application_log::count_lost_task_ends() {
    std::set<std::int64_t> retried;
    for (const auto& each : stages_)
        if (each.info().attempt > 0) retried.insert(each.info().id);
    for (const auto& each : stages_) {
        const auto& info = each.info();
        if (!each.tells_tasks() || info.attempt > 0) continue;
        auto succeeded = each.is_complete() && !info.failure ? each.succeeded_tasks() : info.tasks;
        if (retried.contains(info.id) && has_success(info.id)) {
            const auto& seen = partitions_read_[info.id];
            succeeded = (std::min<std::int64_t>)(succeeded, std::count(seen.begin(), seen.end(), true));
        }
        lost_.task_ends += (std::max<std::int64_t>)(0, info.tasks - succeeded);
    }
}

std::optional<std::int64_t> application_log::slots_of(const std::string& executor) const {
    const auto found = cores_.find(executor);
    if (found == cores_.end()) return std::nullopt;
    const auto cores = found->second > 0 ? found->second : stated_cores();
    return cores > 0 ? std::optional(cores / task_cpus()) : std::nullopt;
}

std::int64_t application_log::task_cpus() const {
    std::int64_t count = 1;
    const auto spelled = property("spark.task.cpus");
    std::from_chars(spelled.data(), spelled.data() + spelled.size(), count);
    return (std::max<std::int64_t>)(1, count);
}

executor_summary application_log::executors() const {
    return (has_executor_events_ ? executors_ : block_managers_).summarise(driver_ran_tasks_);
}

std::optional<std::int64_t> application_log::executor_memory_mb() const {
    const auto master = property("spark.master");
    const bool is_local = master.starts_with("local") && !master.starts_with("local-cluster");
    const auto stated = property(is_local ? "spark.driver.memory" : "spark.executor.memory");
    if (!stated.empty()) return to_megabytes(stated);
    if (!is_local && profile_memory_mb_ > 0) return profile_memory_mb_;
    constexpr std::int64_t default_of_spark = 1024;
    return has_properties_ ? std::optional(default_of_spark) : std::nullopt;
}

std::string application_log::property(std::string_view name) const {
    const auto found = properties_.find(std::string(name));
    return found == properties_.end() ? std::string() : found->second;
}

}  // namespace tools::event_log
