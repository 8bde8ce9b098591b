// Reads one event log, its parts in their order, from bytes to what they say together.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_LOG_READER_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_LOG_READER_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "application_log.hpp"
#include "codec.hpp"
#include "line_parser.hpp"
#include "lines.hpp"

namespace tools::event_log {

/// What was read of the files, beside what the events say.
struct read_counts {
    std::int64_t bytes = 0;
    std::int64_t parts = 0;
    std::set<codec> codecs{};
    std::int64_t text_bytes = 0;
    std::int64_t events = 0;
    std::int64_t bad_lines = 0;
    bool damaged = false;  // a part is cut or damaged: what decodes was taken
    bool cut_line = false;
    bool part_missing = false;

    [[nodiscard]] bool is_incomplete() const noexcept { return damaged || cut_line || part_missing; }
};

/// Bytes may come from files, a fuzzer or a foreign caller. One reader reads one log; many may read at the same time.
class log_reader {
public:
    log_reader();
    log_reader(log_reader&&) = delete;
    ~log_reader();

    /// The next bytes go to a new part, with a codec of its own.
    void begin_part();
    /// False: nothing more of this part is of use, because its codec cannot be undone or its bytes are damaged.
    bool push(std::span<const char> bytes);
    /// A part that should be there is not.
    void miss_part() noexcept { counts_.part_missing = true; }
    /// The bytes of this part end too soon.
    void miss_rest() noexcept { counts_.damaged = true; }
    /// In place of parts: the answers of /api/v1 about one application. Errors: those of `read_answers`.
    void take_answers(std::span<const std::string> texts);
    /// No part follows.
    void finish();

    [[nodiscard]] const read_counts& counts() const noexcept { return counts_; }
    [[nodiscard]] const application_log& log() const noexcept { return log_; }
    /// By its events, its first bytes, or a codec that Spark writes and of which nothing could be read.
    [[nodiscard]] bool looks_like_log() const noexcept;
    /// By its first line: a history (a trace file) or a table, which is no log.
    [[nodiscard]] bool looks_like_runs() const noexcept { return begins_as_runs_; }
    /// The whole text, where it begins as an archive of a job of Flink.
    [[nodiscard]] const std::string& flink_archive() const noexcept { return flink_archive_; }
    /// What the answers say to be missing among them; empty where nothing is.
    [[nodiscard]] const std::string& missing_answers() const noexcept { return missing_answers_; }
    /// The codec that cannot be undone here, where there was one.
    [[nodiscard]] std::optional<codec> unreadable() const noexcept { return unreadable_; }

private:
    void take_line(std::string_view line);
    void end_part();

    read_counts counts_{};
    application_log log_{};
    line_parser parser_{};
    line_splitter lines_;
    std::unique_ptr<decoder> decoder_{};
    std::string first_bytes_{};
    bool within_part_ = false;
    bool at_first_line_ = true;
    bool begins_with_event_ = false;
    bool begins_as_runs_ = false;
    std::string flink_archive_{};
    std::string missing_answers_{};
    std::optional<codec> unreadable_{};
};

}  // namespace tools::event_log

#endif
