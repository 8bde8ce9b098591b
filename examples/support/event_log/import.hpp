// From logs to runs: each one is taken or skipped with a reason, and of several attempts at one application the newest
// counts.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_IMPORT_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_IMPORT_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "names.hpp"
#include "run_row.hpp"
#include "sources.hpp"

namespace tools::event_log {

/// What became of one log. Texts, not values: a hundred thousand of these are kept at a time.
struct imported_log {
    std::string name{};
    /// JSON object of its facts; of its files alone where it could not be read.
    std::string facts{};
    /// Why it is no run of the history; empty where it is one.
    std::string skipped{};
    bool is_log = false;          // its user, its name or its first bytes say so
    bool is_packed_runs = false;  // no log, but by its first line a history or a table of runs, compressed or in a zip
    bool is_superseded = false;   // skipped because a newer attempt, or the same run in another log, counts
    std::vector<std::string> notes{};
    std::int64_t text_bytes = 0;
    std::int64_t bad_lines = 0;  // cut, unreadable or no events

    std::string run{};
    std::int64_t attempt = 1;
    std::int64_t started_at_ms = 0;
    std::int64_t events = 0;
    bool ended = false;
    /// The trace as a line of a trace file, compressed by zstd.
    std::string packed_trace{};
    std::optional<run_row> row{};
    std::string joined_from{};            // the application that it would be alone, where its name ends at random
    std::string without_row{};            // why a run that was taken has no row
    std::vector<std::string> repaired{};  // what stands in the place of events that are missing
};

/// Reads one log; other threads may read others. `bytes_done` counts on while it reads.
[[nodiscard]] imported_log import_log(const log_source& source, const name_rule& rule,
                                      std::atomic<std::int64_t>& bytes_done);

/// Marks all but the newest attempt of each application id as skipped. Logs with one id and no attempt numbers are one run
/// only where they began at the same time: of these the log with an end counts, then the one with most events.
void supersede(std::vector<imported_log>& all);

/// Reads all logs, several at a time, supersedes, and joins runs whose names end at random; in the order of the sources,
/// whatever thread reads them. `on_progress` gets the bytes and logs done so far, in the calling thread.
[[nodiscard]] std::vector<imported_log> import_all(const std::vector<log_source>& sources, const name_rule& rule,
                                                   unsigned threads,
                                                   const std::function<void(std::int64_t, std::size_t)>& on_progress = {});

/// The rows of the runs that were taken as a table, by application, then by time.
[[nodiscard]] std::string table_of(const std::vector<imported_log>& all);
[[nodiscard]] std::string table_of(std::vector<const run_row*> rows);

/// The line that was packed.
[[nodiscard]] std::string unpack_trace(const std::string& packed);

}  // namespace tools::event_log

#endif
