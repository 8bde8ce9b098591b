// Finds event logs among files and folders, and their parts in the order in which Spark wrote them.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_SOURCES_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_SOURCES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zip_archive.hpp"

namespace tools::event_log {

/// What the first line of a part states that Databricks delivers: the Spark context and the number of the part, from 0.
struct part_label {
    std::string context{};
    std::int64_t number = 0;
    std::string line{};  // the whole of it, by which copies of a part are told
};

/// A log that may be one: whether it is, its bytes tell.
struct log_source {
    /// Relative to the folder that was asked for; of a file that was asked for, its name.
    std::string name{};
    std::vector<std::string> parts{};
    std::int64_t bytes = 0;
    /// A log by the command line, where its user names it, or by its name, which is as Spark's are.
    bool is_claimed = false;
    /// The first part of a rolling log that is missing, as a note; empty where none is.
    std::string gap{};
    /// Why it cannot be read, where that is known already.
    std::string problem{};
    /// Of a part that Databricks delivered.
    std::optional<part_label> label{};
    /// Where the parts are files of a zip archive: these.
    std::vector<zip_member> members{};
    std::vector<std::string> notes{};
    /// The parts are answers of /api/v1 about one application.
    bool has_answers = false;
};

/// The logs of files and folders, these with all below them, in the order of their names; a file that is reached twice
/// counts once. The logs of a zip archive count one by one, the answers of /api/v1 in one folder
/// are one log, and the parts that Databricks delivers into one folder are one
/// log. A folder `eventlog_v2_*` is one log: of compacted parts and those before the newest of them only that one counts,
/// and numbers follow each other from there, else from 1. Hidden files, checksums (.crc), _SUCCESS, application status
/// files and Flink's application-summary are no logs. Error: cannot_read for a path that does not exist.
[[nodiscard]] std::vector<log_source> find_logs(const std::vector<std::string>& paths);

}  // namespace tools::event_log

#endif
