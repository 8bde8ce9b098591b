// Parts of logs as Databricks delivers them: which log a file belongs to, and in which order.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_DELIVERED_PARTS_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_DELIVERED_PARTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources.hpp"

namespace tools::event_log {

/// Of the first bytes of a file, compressed or not; empty where it is no such part.
[[nodiscard]] std::optional<part_label> label_of(std::string_view first_bytes);

/// Files of one folder, or of one archive, and one context become one log, its parts by their numbers, with the folder's
/// name where they are several. Of a part that is there twice, packed and unpacked or still written to, one is left out,
/// with a note. A log without its newest part has a gap. Where other files have one number, the context does not tell logs
/// apart, and each file is one, with a gap unless all are first parts.
void join_parts(std::vector<log_source>& all);

}  // namespace tools::event_log

#endif
