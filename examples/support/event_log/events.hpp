// The events of a log that tell how a run went, as plain values; whoever listens to a log gets these.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_EVENTS_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_EVENTS_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tools::event_log {

/// Milliseconds since the Unix epoch, as Spark states times; differences of such are durations.
using milliseconds = std::int64_t;

/// Sums that stay at the largest number instead of wrapping: a log may state anything.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? (std::numeric_limits<std::int64_t>::min)() : (std::numeric_limits<std::int64_t>::max)();
}

/// What tasks report about themselves; sums, but for the peak, which is the largest of one task.
struct task_metrics {
    std::int64_t run_ms = 0;
    std::optional<std::int64_t> cpu_ns{};  // since Spark 2.1
    std::int64_t gc_ms = 0;
    std::int64_t input_bytes = 0;
    std::int64_t input_records = 0;
    std::int64_t output_bytes = 0;
    std::int64_t shuffle_read_bytes = 0;
    std::int64_t shuffle_write_bytes = 0;
    std::int64_t memory_spilled_bytes = 0;
    std::int64_t disk_spilled_bytes = 0;
    std::int64_t peak_execution_memory_bytes = 0;

    void add(const task_metrics& other) noexcept {
        const auto sum = [](std::int64_t& to, std::int64_t more) { to = saturated_sum(to, more); };
        sum(run_ms, other.run_ms);
        if (other.cpu_ns) cpu_ns = saturated_sum(cpu_ns.value_or(0), *other.cpu_ns);
        sum(gc_ms, other.gc_ms);
        sum(input_bytes, other.input_bytes);
        sum(input_records, other.input_records);
        sum(output_bytes, other.output_bytes);
        sum(shuffle_read_bytes, other.shuffle_read_bytes);
        sum(shuffle_write_bytes, other.shuffle_write_bytes);
        sum(memory_spilled_bytes, other.memory_spilled_bytes);
        sum(disk_spilled_bytes, other.disk_spilled_bytes);
        peak_execution_memory_bytes = (std::max)(peak_execution_memory_bytes, other.peak_execution_memory_bytes);
    }
};

struct application_started {
    std::optional<std::string> name{};
    std::optional<std::string> id{};
    std::optional<std::string> attempt{};
    std::optional<milliseconds> at{};
};

struct application_ended {
    std::optional<milliseconds> at{};
    std::optional<std::int64_t> exit_code{};  // since Spark 4, where the driver knows it
};

/// The first line of each part of a log that Databricks delivers.
struct delivered_part {
    std::optional<std::string> version{};
    std::optional<std::int64_t> number{};  // from 0
    std::optional<std::int64_t> context{};
};

/// The start or the end of an SQL execution.
struct sql_execution {
    std::int64_t id = 0;
    std::optional<milliseconds> at{};
    bool ended = false;
    std::string failure{};  // since Spark 3.4
};

/// A scan of files in the plan of an SQL execution, and the accumulator of its metric "size of files read".
struct file_scan {
    std::string location{};
    std::int64_t accumulator = 0;
};

/// What the driver counted in an accumulator.
struct driver_count {
    std::int64_t accumulator = 0;
    std::int64_t value = 0;
};

/// What is no batch job, where events tell it.
enum class session : std::uint8_t { streaming, thrift_server, connect };

struct executor_changed {
    std::string id{};
    std::optional<milliseconds> at{};
    std::int64_t cores = 0;    // of an executor that was added
    std::int64_t profile = 0;  // its resource profile; 0 is the default
};

struct job_started {
    std::int64_t id = 0;
    std::optional<milliseconds> at{};
    std::vector<std::int64_t> stages{};
    bool is_streaming = false;  // a batch of a stream, by its properties
};

struct job_ended {
    std::int64_t id = 0;
    std::optional<milliseconds> at{};
    bool succeeded = false;
    std::string reason{};
};

struct stage_info {
    std::int64_t id = 0;
    std::int64_t attempt = 0;
    std::string name{};
    std::vector<std::int64_t> parents{};
    std::int64_t tasks = 0;
    std::int64_t partitions = 0;  // of all its RDDs
    bool makes_rows = false;      // spark.range and the like: the program itself is its only source
    std::optional<milliseconds> submitted{};
    std::optional<milliseconds> completed{};
    std::optional<std::string> failure{};
};

struct task_info {
    std::int64_t stage = 0;
    std::int64_t stage_attempt = 0;
    std::int64_t id = 0;
    std::int64_t index = 0;
    std::optional<std::int64_t> partition{};  // since Spark 3.3
    std::string executor{};
    std::optional<milliseconds> launched{};
    std::optional<milliseconds> finished{};
    bool speculative = false;
};

struct task_ended {
    task_info info{};
    std::string reason{};
    bool out_of_memory = false;
    std::optional<task_metrics> metrics{};
    /// Largest JVM heap in use that its executor noticed meanwhile; 0 where it did not look.
    std::int64_t executor_heap_bytes = 0;
};

using properties = std::vector<std::pair<std::string, std::string>>;

/// Gets the events of a log in the order of its lines. `time` comes behind the event of Spark that states it.
class listener {
public:
    virtual ~listener() = default;
    virtual void on_time(milliseconds) = 0;
    virtual void on_version(std::string) = 0;
    virtual void on_application_start(application_started) = 0;
    virtual void on_application_end(application_ended) = 0;
    virtual void on_delivered_part(delivered_part) = 0;
    virtual void on_session(session) = 0;
    virtual void on_properties(properties) = 0;
    /// Memory of an executor by the default resource profile, in MB.
    virtual void on_executor_memory(std::int64_t) = 0;
    virtual void on_executor_added(executor_changed) = 0;
    virtual void on_executor_removed(executor_changed) = 0;
    virtual void on_block_manager_added(executor_changed) = 0;
    virtual void on_block_manager_removed(executor_changed) = 0;
    virtual void on_job_start(job_started) = 0;
    virtual void on_job_end(job_ended) = 0;
    virtual void on_stage_submitted(stage_info) = 0;
    virtual void on_stage_completed(stage_info) = 0;
    virtual void on_task_start(task_info) = 0;
    virtual void on_task_end(task_ended) = 0;
    virtual void on_sql_execution(sql_execution) = 0;
    virtual void on_file_scan(file_scan) = 0;
    virtual void on_driver_count(driver_count) = 0;
    virtual void on_adaptive_update() = 0;

protected:
    listener() = default;
    listener(const listener&) = default;
    listener& operator=(const listener&) = default;
};

}  // namespace tools::event_log

#endif
