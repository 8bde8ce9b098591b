// Event logs are read in minutes where there are gigabytes of them: all commands that read them show how far they are.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_IMPORT_WITH_BAR_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_IMPORT_WITH_BAR_HPP

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "../progress_bar.hpp"
#include "import.hpp"

namespace tools::event_log {

/// `import_all`, with a progress bar where standard error is a terminal.
[[nodiscard]] inline std::vector<imported_log> import_with_bar(const std::vector<log_source>& sources, const name_rule& rule,
                                                               unsigned threads) {
    const auto all_bytes = std::accumulate(sources.begin(), sources.end(), std::int64_t{1},
                                           [](std::int64_t sum, const log_source& log) { return sum + log.bytes; });
    progress_bar bar("reading logs");
    return import_all(sources, rule, threads, [&](std::int64_t bytes, std::size_t logs) {
        bar.advance(static_cast<double>(bytes) / static_cast<double>(all_bytes),
                    fmt::format("{}/{} logs, {:.0f} of {:.0f} MB", logs, sources.size(), static_cast<double>(bytes) / 1e6,
                                static_cast<double>(all_bytes) / 1e6));
    });
}

}  // namespace tools::event_log

#endif
