// Applications that are no batch jobs: streams, servers, shells and notebooks, whose uptime is no runtime.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_NOT_BATCH_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_NOT_BATCH_HPP

#include <optional>
#include <string>

#include "application_log.hpp"

namespace tools::event_log {

/// What an application is where it is no batch job, and by what that is known.
struct not_batch {
    /// streaming, server or interactive
    std::string flag{};
    std::string evidence{};
};

/// By its events, the properties of its jobs and its own, its main class, or the name that a shell has by default; empty of
/// a batch job. `spark-sql` with -e or -f is one; so is a job of Databricks, which runs in a shell of its cluster.
[[nodiscard]] std::optional<not_batch> why_not_batch(const application_log& log);

/// The job that a cluster of Databricks was made for: the name of its runs, else "job" and its number; empty where it is a
/// cluster of notebooks.
[[nodiscard]] std::string databricks_job(const application_log& log);

/// The number of that job; empty where none is stated.
[[nodiscard]] std::string databricks_job_id(const application_log& log);

}  // namespace tools::event_log

#endif
