// What a file is that is no event log, for those formats that lie beside event logs.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_OTHER_FORMAT_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_OTHER_FORMAT_HPP

#include <string_view>

namespace tools::event_log {

/// By the first kilobyte; empty where it is none that is known.
[[nodiscard]] inline std::string_view other_format_of(std::string_view first_bytes) noexcept {
    const auto has = [&](std::string_view what) { return first_bytes.find(what) != first_bytes.npos; };
    const bool is_json = first_bytes.starts_with('[') || first_bytes.starts_with('{');
    if (is_json && has("\"attempts\"") && (has("\"sparkUser\"") || has("\"lastUpdated\"")))
        return "an answer of Spark's REST interface";
    if (is_json && (has("\"jobId\"") || has("\"stageId\"")) && has("\"status\""))
        return "an answer of Spark's REST interface";
    if (is_json && has("\"jid\"") && has("\"state\"")) return "an answer of Flink's REST interface";
    if (first_bytes.starts_with("PK\x03\x04")) return "a zip archive without event logs";
    return {};
}

}  // namespace tools::event_log

#endif
