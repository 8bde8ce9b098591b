// What Flink archives of a job when it ends: one JSON object with the answers of its REST interface, each a text of JSON. Of
// the answers that of the job itself is enough, which may be saved while the job runs.
#ifndef BELLAMY_EXAMPLES_FLINK_JOB_ARCHIVE_HPP
#define BELLAMY_EXAMPLES_FLINK_JOB_ARCHIVE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tools::flink {

/// Milliseconds since 1970.
using milliseconds = std::int64_t;

/// Sums over the subtasks of a vertex; empty where Flink did not count to the end.
struct amounts {
    std::optional<std::int64_t> read_bytes{};
    std::optional<std::int64_t> read_records{};
    std::optional<std::int64_t> written_bytes{};
};

/// Operators that are chained, and run as `parallelism` subtasks.
struct job_vertex {
    std::string id{};
    std::string name{};
    std::string state{};
    std::int64_t parallelism = 0;
    std::string slot_sharing_group{};
    std::optional<milliseconds> started_at{};
    std::optional<milliseconds> ended_at{};
    amounts counted{};
    /// Places of the vertices whose output it reads.
    std::vector<std::size_t> inputs{};
    bool has_reader = false;  // another vertex reads its output
    /// Sum of the durations of its subtasks, in milliseconds.
    std::int64_t subtasks_ms = 0;
};

struct archived_job {
    std::string id{};
    std::string name{};
    std::string state{};
    bool is_streaming = false;
    milliseconds started_at = 0;
    std::optional<milliseconds> ended_at{};
    /// When this was written; empty where it does not tell.
    std::optional<milliseconds> told_at{};
    /// When its tasks were first scheduled.
    milliseconds running_at = 0;
    /// Some tasks ran a second time, after a failure.
    bool was_restarted = false;
    /// In the order of the archive.
    std::vector<job_vertex> vertices{};
    std::set<std::string> task_managers{};  // ids of those that ran a subtask
    std::int64_t slots_per_task_manager = 0;
    std::string task_manager_memory{};
    std::string version{};
    /// Of the user's configuration: "key=value", by key.
    std::string arguments{};
    /// First line of what made it fail.
    std::string failure{};
};

/// Whether a text begins as an archive, or as an answer about a job.
[[nodiscard]] bool begins_as_archive(std::string_view text) noexcept;

/// The job of an archive, or of the answer to `/jobs/ID`. Errors: damaged_archive for what is no JSON, in whole or in a part
/// that is needed; no_job for an archive without a job or with several, and for other answers; no_job_type and no_start for
/// a job that does not tell these; clock_backwards.
[[nodiscard]] archived_job read_archive(std::string_view text);

}  // namespace tools::flink

#endif
