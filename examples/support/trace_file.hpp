// Trace files: JSON Lines, one application run a line, plain or compressed by zstd.
#ifndef BELLAMY_EXAMPLES_TRACE_FILE_HPP
#define BELLAMY_EXAMPLES_TRACE_FILE_HPP

#include <bellamy/trace.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

/// One line of a file.
struct trace_line {
    bellamy::application_trace trace{};
    /// Numbers, texts and truth values ("true", "false") that stand beside the format's fields of the run.
    std::vector<bellamy::property> beside{};
    std::size_t number = 0;

    /// What stands beside under this name, empty where nothing does.
    [[nodiscard]] const bellamy::property* find_beside(std::string_view name) const noexcept;
};

/// Calls `use` for every run of a file in order; of the file no more than one line is in memory. A line that is read has
/// passed `validate`. A property is text, a natural number where it is one, else a quantity; null makes it unknown.
/// `data_size_MB` has the role of the data size, `machine_type` that of the machine type. Fields that are not of the format
/// are ignored, apart from `beside`.
/// Errors: cannot_read for the file; with file and line also invalid_trace, and others of `validate`.
void for_each_trace(const std::string& path, const std::function<void(trace_line&&)>& use);

/// All runs of a file. Errors: as above.
[[nodiscard]] std::vector<trace_line> read_traces(const std::string& path);

/// The run that one line holds. Errors: as above, without a file.
[[nodiscard]] trace_line from_line(std::string line);

/// One run as a line without its end; numbers read back as they were. Error: invalid_trace and others of `validate`.
[[nodiscard]] std::string to_line(const bellamy::application_trace& trace, std::span<const bellamy::property> beside = {});

/// Writes a trace file run by run, compressed where its name ends in ".zst". The file stands at its path only after `close`
/// succeeded; before, and after an error, what stood there before.
class trace_writer {
public:
    /// Error: cannot_write.
    explicit trace_writer(const std::string& path);
    ~trace_writer();
    trace_writer(const trace_writer&) = delete;
    trace_writer& operator=(const trace_writer&) = delete;

    /// Errors: cannot_write, and those of `to_line`.
    void add(const bellamy::application_trace& trace, std::span<const bellamy::property> beside = {});
    /// A line that `to_line` made. Error: cannot_write.
    void add_line(std::string_view line);
    /// Error: cannot_write.
    void close();

private:
    struct state;
    void write_packed(std::string_view bytes, bool last);

    std::unique_ptr<state> state_;
};

}  // namespace tools

#endif
