// One row of the table of runs, and what the columns mean to those who learn from it.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_RUN_ROW_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_RUN_ROW_HPP

#include <bellamy/trace.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "log_reader.hpp"

namespace tools::event_log {

/// Columns in the order of `columns()`. The runtime begins when the first executor is there: the wait for it stands apart.
struct run_row {
    std::string application{};
    std::string name{};  // in full
    std::string run{};
    std::int64_t attempt = 1;
    double started_at_s = 0;
    double runtime_s = 0;
    double wait_s = 0;
    bellamy::trace_outcome outcome = bellamy::trace_outcome::succeeded;
    /// While jobs ran: the time average where the number changed.
    std::int64_t executors = 0;
    std::int64_t cores = 0;
    /// Bytes that tasks which succeeded read from sources, each partition of a stage once; 0 where they were not counted.
    std::int64_t data_size_mb = 0;
    std::string arguments{};
    std::string machine_type{};
    /// 0 where not known.
    std::int64_t executor_memory_mb = 0;
    std::int64_t executor_cores = 0;
    std::int64_t spilled_mb = 0;
    std::int64_t peak_task_memory_mb = 0;
    /// JVM heap in use of one executor, the largest that was noticed; 0 where the log does not tell.
    std::int64_t peak_executor_heap_mb = 0;
    /// Kind of cluster manager, spark.master up to its first ':' or '[': local, yarn, k8s, ...; empty where not known.
    std::string master{};
    std::string system{};
    /// Records of sources, and what the stages that no stage comes before wrote for others: sizes where bytes are not
    /// counted.
    std::int64_t records_read = 0;
    std::int64_t first_shuffle_mb = 0;
    /// What tells how much data there was: bytes, records or shuffle.
    std::string data_measure = "bytes";
    /// Bytes of the files that SQL scans read, each location once; 0 where the log does not tell.
    std::int64_t source_mb = 0;
    /// What bounds the gain of more executors: the longest task, the times of all tasks together, times the cores that each
    /// had, and how many tasks the largest stage has; 0 where the log does not tell.
    double longest_task_s = 0;
    double task_core_s = 0;
    std::int64_t largest_stage_tasks = 0;
    /// rescaled: executors came or went while jobs ran, but for those that came within 15 s of the first job or executor;
    /// dynamic_allocation; out_of_memory: some task; failed_jobs; retried_stages; and what is not advised on, see
    /// `why_not_advised`.
    std::vector<std::string> flags{};
};

/// Rounded up; 0 of no bytes.
[[nodiscard]] std::int64_t to_whole_megabytes(std::int64_t bytes) noexcept;

/// The row of a run, or a sentence why there is none.
struct row_or_reason {
    run_row row{};
    std::string reason{};
};

[[nodiscard]] row_or_reason to_row(const log_reader& read, const bellamy::application_trace& trace);

/// What stands beside a trace, so that its row is the same where the log is not at hand.
[[nodiscard]] std::vector<bellamy::property> facts_beside(const run_row& row);

/// The row of a trace whose log is not at hand: executors are the units of scale-out over `spark.executor.cores` where cores
/// are counted, 0 where that is not known; the data size is that of the properties, else what the stages read. What
/// `facts_beside` wrote counts before both.
[[nodiscard]] row_or_reason to_row(const bellamy::application_trace& trace, std::span<const bellamy::property> beside = {});

/// Names of the columns and, in their order, the cells of a row; both separated by tabs, without a line end.
[[nodiscard]] std::string table_header();
[[nodiscard]] std::string to_line(const run_row& row);

}  // namespace tools::event_log

#endif
