// What the events of one application run say, taken together: the counts, the executors, the jobs and their stages.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_APPLICATION_LOG_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_APPLICATION_LOG_HPP

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver_clock.hpp"
#include "events.hpp"
#include "executor_history.hpp"
#include "stage_attempt.hpp"

namespace tools::event_log {

/// How many events there were of each kind, and the sums over all tasks.
struct event_counts {
    std::int64_t stages_submitted = 0;
    std::int64_t stages_completed = 0;
    std::int64_t stages_failed = 0;
    std::int64_t stages_retried = 0;
    std::int64_t tasks_started = 0;
    std::int64_t tasks_ended = 0;
    std::int64_t tasks_succeeded = 0;
    std::int64_t tasks_killed = 0;
    std::int64_t tasks_speculative = 0;
    std::int64_t tasks_out_of_memory = 0;
    std::int64_t sql_executions = 0;
    std::int64_t adaptive_updates = 0;
    std::map<std::string, std::int64_t> end_reasons{};
    task_metrics metrics{};
    /// Largest JVM heap in use of one executor; 0 where the log does not tell.
    std::int64_t executor_heap_bytes = 0;
};

/// Events that a full queue of Spark's listeners dropped, as far as others tell of them.
struct lost_events {
    std::int64_t job_starts = 0;      // of jobs that ended, or whose numbers are left out
    std::int64_t jobs_of_stages = 0;  // stages that no job lists
    std::int64_t stage_starts = 0;    // stages of which only tasks or ends are told
    std::int64_t stage_ends = 0;      // of jobs that succeeded
    std::int64_t task_ends = 0;       // of stages that succeeded
    std::int64_t executors = 0;       // that ran tasks and were never added, of unknown size, or had been removed
    [[nodiscard]] bool any() const noexcept {
        return job_starts + jobs_of_stages + stage_starts + stage_ends + task_ends + executors > 0;
    }
};

/// What was determined from other events in place of those that were lost.
struct repairs {
    std::int64_t executors = 0;  // added with their first task
    std::int64_t removals = 0;   // of executors, with their block managers
    std::int64_t job_ends = 0;   // with the end of the job's last stage
};

/// What was read from sources by the attempt of each task that succeeded, each partition of a stage once.
struct amount_read {
    std::int64_t bytes = 0;
    std::int64_t records = 0;
    /// Of tasks that counted bytes, and of those that counted none; rows that the program made itself are in neither, if
    /// `tells_sources`.
    std::int64_t records_with_bytes = 0;
    std::int64_t records_without_bytes = 0;
    bool tells_sources = true;  // whether rows that the program made itself are known
    /// Written for others by the stages that no stage comes before.
    std::int64_t first_shuffle_bytes = 0;

    /// Beside bytes, rows that the program made itself are none of the data; alone they are all there is.
    [[nodiscard]] std::int64_t records_of_data() const noexcept {
        return bytes > 0 ? saturated_sum(records_with_bytes, records_without_bytes) : records;
    }

    /// Whether records without bytes are more than so many times those with bytes.
    [[nodiscard]] bool lacks_bytes(double times) const noexcept {
        return static_cast<double>(records_without_bytes) > times * static_cast<double>(records_with_bytes);
    }
};

/// One job; its end is empty while it runs.
struct job_record {
    std::int64_t id = 0;
    std::optional<milliseconds> submitted{};
    std::optional<milliseconds> completed{};
    bool ended = false;
    bool succeeded = false;
    bool is_inferred = false;  // the end, from that of the last stage
    std::string reason{};
    std::optional<std::int64_t> last_stage{};  // the id, with which the job ends; empty where it has no stages
    std::vector<std::size_t> stages{};         // places in `application_log::stages`
};

/// Memory grows with jobs, stage attempts, executors and durations of tasks (of which at most `most_durations` are kept);
/// all else about tasks is forgotten when their stage is over.
class application_log final : public listener {
public:
    static constexpr std::size_t most_durations = 8'000'000;

    void on_time(milliseconds at) override;
    void on_version(std::string version) override;
    void on_application_start(application_started started) override;
    void on_application_end(application_ended ended) override;
    void on_delivered_part(delivered_part part) override;
    void on_session(session kind) override { sessions_.insert(kind); }
    void on_properties(properties all) override;
    void on_executor_memory(std::int64_t megabytes) override { profile_memory_mb_ = megabytes; }
    void on_executor_added(executor_changed executor) override;
    void on_executor_removed(executor_changed executor) override;
    void on_block_manager_added(executor_changed executor) override;
    void on_block_manager_removed(executor_changed executor) override;
    void on_job_start(job_started started) override;
    void on_job_end(job_ended ended) override;
    void on_stage_submitted(stage_info info) override;
    void on_stage_completed(stage_info info) override;
    void on_task_start(task_info info) override;
    void on_task_end(task_ended ended) override;
    void on_sql_execution(sql_execution execution) override;
    void on_file_scan(file_scan scan) override { scanned_[scan.accumulator] = std::move(scan.location); }
    void on_driver_count(driver_count count) override;
    void on_adaptive_update() override { ++counts_.adaptive_updates; }
    /// The sums over the tasks of a stage attempt that was submitted, where no event tells of single tasks.
    void on_stage_sums(std::int64_t stage, std::int64_t attempt, const task_metrics& sums);
    /// What is read tells of jobs alone.
    void leave_out_stages() noexcept { tells_stages_ = false; }

    /// No event comes any more: what is still kept of tasks becomes durations.
    void finish();

    [[nodiscard]] const event_counts& counts() const noexcept { return counts_; }
    [[nodiscard]] const application_started& application() const noexcept { return application_; }
    /// A second application that the log tells of: another id or another start. What its events say is mixed up with the
    /// first.
    [[nodiscard]] const std::optional<application_started>& other_application() const noexcept { return other_application_; }
    /// Of the event at a log's start.
    [[nodiscard]] const std::optional<std::string>& version() const noexcept { return version_; }
    /// Of Spark, also where Databricks wrote another event in its place.
    [[nodiscard]] const std::optional<std::string>& any_version() const noexcept {
        return version_ ? version_ : delivered_version_;
    }
    [[nodiscard]] bool has_end() const noexcept { return ended_; }
    /// Of the application's end event.
    [[nodiscard]] std::optional<milliseconds> ended_at() const noexcept { return ended_at_; }
    [[nodiscard]] std::optional<std::int64_t> exit_code() const noexcept { return exit_code_; }
    /// By the parts that it delivers, or its properties.
    [[nodiscard]] bool is_of_databricks() const noexcept { return is_of_databricks_; }
    /// The latest SQL execution that ended.
    [[nodiscard]] const std::optional<sql_execution>& last_sql_execution() const noexcept { return last_sql_; }
    /// SQL executions that started and have no end.
    [[nodiscard]] const std::set<std::int64_t>& running_sql() const noexcept { return running_sql_; }
    /// Whether a job or an SQL execution that started has no end.
    [[nodiscard]] bool is_something_running() const noexcept;
    [[nodiscard]] const std::set<session>& sessions() const noexcept { return sessions_; }
    [[nodiscard]] const amount_read& read() const noexcept { return read_; }
    /// Bytes of the files that SQL scans read, each location once; 0 where the log does not tell.
    [[nodiscard]] std::int64_t source_bytes() const;
    /// What finish() found.
    [[nodiscard]] const lost_events& lost() const noexcept { return lost_; }
    [[nodiscard]] const repairs& repaired() const noexcept { return repairs_; }
    /// In MB, by the settings or the default resource profile; Spark's default where the settings are known and name none;
    /// empty where nothing is known or what they name is no size.
    [[nodiscard]] std::optional<std::int64_t> executor_memory_mb() const;
    [[nodiscard]] std::optional<milliseconds> last_time() const noexcept { return last_time_; }
    [[nodiscard]] const std::vector<job_record>& jobs() const noexcept { return jobs_; }
    [[nodiscard]] const std::deque<stage_attempt>& stages() const noexcept { return stages_; }
    /// Tasks and stages that end before they begin.
    [[nodiscard]] std::int64_t negative_durations() const noexcept { return negative_durations_; }
    [[nodiscard]] const driver_clock& clock() const noexcept { return clock_; }
    [[nodiscard]] bool durations_left_out() const noexcept { return durations_left_out_; }

    /// By ExecutorAdded or, where the log has none, by block managers.
    [[nodiscard]] bool counts_executors() const noexcept { return has_executor_events_; }
    /// Whether the cores of all executors are told: by ExecutorAdded, or by others or the settings where that lacks them.
    [[nodiscard]] bool knows_cores() const noexcept { return has_executor_events_ && knows_cores_; }
    [[nodiscard]] executor_summary executors() const;
    /// Whether executors that were added differ in cores or in their resource profiles.
    [[nodiscard]] bool has_mixed_executors() const noexcept { return sizes_.size() > 1; }

    /// Cores that a task takes.
    [[nodiscard]] std::int64_t task_cpus() const;

    /// A Spark property, or "sun.java.command" and the like; empty where it was not set.
    [[nodiscard]] std::string property(std::string_view name) const;

    /// What the user stated of the run as `spark.bellamy.property.NAME`, by that name.
    [[nodiscard]] const std::map<std::string, std::string>& stated_properties() const noexcept { return stated_; }

private:
    stage_attempt* find(std::int64_t stage, std::int64_t attempt);
    stage_attempt& find_or_add(const stage_info& info);
    void settle_quiet_stages(std::size_t most_loud);
    void settle(stage_attempt& stage);
    [[nodiscard]] std::optional<std::int64_t> slots_of(const std::string& executor) const;
    void notice_executor(const task_info& task);
    void count_read(const task_ended& task, const stage_attempt* stage);
    void infer_job_ends();
    [[nodiscard]] std::int64_t stated_cores() const;
    [[nodiscard]] std::int64_t cores_of_others() const;
    void infer_cores(std::int64_t cores);
    void infer_executors();
    void infer_removals();
    void count_lost();
    void count_lost_stage_ends();
    void count_lost_task_ends();
    [[nodiscard]] bool has_success(std::int64_t stage) const;

    event_counts counts_{};
    application_started application_{};
    std::optional<application_started> other_application_{};
    bool started_ = false;
    bool ended_ = false;
    std::optional<milliseconds> ended_at_{};
    std::optional<std::int64_t> exit_code_{};
    bool is_of_databricks_ = false;
    std::set<session> sessions_{};
    std::set<std::int64_t> running_sql_{};
    std::optional<sql_execution> last_sql_{};
    std::int64_t profile_memory_mb_ = 0;
    bool has_properties_ = false;
    amount_read read_{};
    std::unordered_map<std::int64_t, std::string> scanned_{};       // locations by accumulator
    std::unordered_map<std::string, std::int64_t> source_bytes_{};  // by location: the most that a scan read
    lost_events lost_{};
    repairs repairs_{};
    std::optional<milliseconds> last_time_{};
    std::optional<std::string> version_{};
    std::optional<std::string> delivered_version_{};
    std::unordered_map<std::string, std::string> properties_{};
    std::map<std::string, std::string> stated_{};
    bool has_executor_events_ = false;
    bool knows_cores_ = false;
    bool driver_ran_tasks_ = false;
    executor_history executors_{};
    executor_history block_managers_{};
    std::unordered_map<std::string, std::int64_t> cores_{};                  // 0 where ExecutorAdded does not tell
    std::set<std::pair<std::int64_t, std::int64_t>> sizes_{};                // cores and resource profiles of executors
    std::map<std::string, milliseconds> first_launch_{};                     // of executors that were not added so far
    std::unordered_map<std::string, milliseconds> last_launch_{};            // of a task, by executor
    std::map<std::string, milliseconds> removed_{};                          // executors that were not added since
    std::map<std::string, milliseconds> block_managers_removed_{};           // those that were not added since
    std::unordered_map<std::int64_t, std::vector<bool>> partitions_read_{};  // by stage
    std::vector<job_record> jobs_{};
    std::set<std::int64_t> listed_stages_{};  // by jobs
    bool tells_stages_ = true;
    std::unordered_map<std::int64_t, std::size_t> place_of_job_{};
    std::map<std::size_t, std::vector<std::int64_t>> running_jobs_{};  // place in jobs_ to the ids of their stages, sorted
    std::deque<stage_attempt> stages_{};
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> place_of_stage_{};
    std::set<std::pair<std::int64_t, std::int64_t>> stages_without_start_{};
    std::deque<std::size_t> unsettled_{};  // stages that are complete, oldest first
    std::size_t durations_ = 0;
    bool durations_left_out_ = false;
    std::int64_t negative_durations_ = 0;
    driver_clock clock_{};
};

}  // namespace tools::event_log

#endif
