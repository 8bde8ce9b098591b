// Outputs in folders of event logs.
#ifndef BELLAMY_EXAMPLES_LOG_OUTPUTS_HPP
#define BELLAMY_EXAMPLES_LOG_OUTPUTS_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "event_log/import.hpp"
#include "named_paths.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline bool is_log(const event_log::log_source& source) {
    std::atomic<std::int64_t> bytes_done{0};
    return event_log::import_log(source, {}, bytes_done).is_log;
}

}  // namespace detail

/// No output stands where one of these logs does. A file among them that is no log, such as an output of last time, may be
/// written anew. Error: output_is_input.
inline void require_no_log_at(const std::vector<named_path>& outputs, const std::vector<event_log::log_source>& sources) {
    for (const auto& output : outputs) {
        std::error_code unknown;
        if (output.path.empty() || !std::filesystem::exists(output.path, unknown)) continue;
        for (const auto& source : sources)
            if (std::any_of(source.parts.begin(), source.parts.end(),
                            [&](const auto& part) { return is_same_file(output.path, part); }) &&
                detail::is_log(source))
                throw tool_error("output_is_input", fmt::format("expected an output that is no input, found {}, which is an "
                                                                "event log among those to read",
                                                                describe(output)));
    }
}

}  // namespace tools

#endif
