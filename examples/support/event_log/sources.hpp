// Finds event logs among files and folders, and their parts in the order in which Spark wrote them.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_SOURCES_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_SOURCES_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace tools::event_log {

/// A log that may be one: whether it is, its bytes tell.
struct log_source {
    /// Relative to the folder that was asked for; of a file that was asked for, its name.
    std::string name{};
    std::vector<std::string> parts{};
    std::int64_t bytes = 0;
    bool was_named = false;  // a file on the command line, which its user takes for a log
    std::string problem{};   // why it cannot be read, where that is known already
};

/// The logs of files and folders, these with all below them, in the order of their names; a file that is reached twice
/// counts once. A folder `eventlog_v2_*` is one log: of compacted parts and those before the newest of them only that one
/// counts. Hidden files, checksums (.crc), _SUCCESS and application status files are no logs. Error: cannot_read for a path
/// that does not exist.
[[nodiscard]] std::vector<log_source> find_logs(const std::vector<std::string>& paths);

}  // namespace tools::event_log

#endif
