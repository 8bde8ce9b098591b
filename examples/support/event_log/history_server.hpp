// Fetches event logs from Spark's history server into a folder, which keeps them for the next time.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_HISTORY_SERVER_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_HISTORY_SERVER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources.hpp"

namespace tools::event_log {

struct history_server {
    std::string address{};            // as a browser has it, with or without /api/v1
    std::optional<double> since_s{};  // applications that started then or later, in seconds since 1970
    std::int64_t largest_zip = 0;     // bytes
};

/// An application as the server lists it.
struct served_application {
    std::string id{};
    std::int64_t updated_at_ms = 0;  // the last update of its logs; 0 where that is not said
};

/// The applications that an answer lists, once each, the oldest first. Error: other_answer.
[[nodiscard]] std::vector<served_application> read_applications(std::string_view answer);

/// Whether a file may be called so: letters, digits, '-', '_' and '.', which is not the first.
[[nodiscard]] bool is_plain_id(std::string_view id) noexcept;

struct fetched_logs {
    std::size_t fetched = 0;
    std::size_t present = 0;           // in the folder already, and not updated since
    std::vector<log_source> missed{};  // with the reason as their problem
};

/// Fetches the logs of the applications that the folder lacks, or that were updated since, a file ID.zip for each, which
/// gets the time of the last update. What may pass is tried again four times, after 1, 2, 4 and 8 s. Files are whole or not
/// there: one that was interrupted leaves a hidden file, which the next fetch of the application removes. Errors:
/// invalid_option for another address, cannot_write, not_built_in, no_history_server where the list cannot be had.
[[nodiscard]] fetched_logs fetch_logs(const history_server& server, const std::string& folder,
                                      const std::function<void(std::size_t done, std::size_t of)>& on_progress);

}  // namespace tools::event_log

#endif
