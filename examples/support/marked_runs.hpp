// Runs that nothing is learned from or advised on, by the flags that `bellamy import` gives them.
#ifndef BELLAMY_EXAMPLES_MARKED_RUNS_HPP
#define BELLAMY_EXAMPLES_MARKED_RUNS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model_text.hpp"
#include "parse.hpp"
#include "table.hpp"

namespace tools {

/// Why nothing is learned from or advised on runs with this flag; empty where it does not matter. incomplete: earlier jobs
/// or a part are not in the log, or it is cut; lost_events: the listener's queue was full; wrong_clock: times that cannot
/// be; mixed_executors: cores or resource profiles differ; streaming, server, interactive: no batch job.
[[nodiscard]] inline std::string_view why_not_advised(std::string_view flag) noexcept {
    if (flag == "streaming") return "a stream, whose uptime is no runtime";
    if (flag == "server") return "a server of sessions, whose uptime is no runtime";
    if (flag == "interactive") return "a shell or notebook, whose uptime is no runtime";
    if (flag == "wrong_clock") return "the driver's clock was set meanwhile, so that times are not known";
    if (flag == "mixed_executors") return "executors of several sizes, which no one number tells";
    if (flag == "lost_events") return "events were lost, so that times and sizes are not known";
    if (flag == "incomplete") return "the log is cut or a part of it is missing, so that sizes are not known";
    return {};
}

/// Leaves out the rows with such a flag in that column. Returns a sentence for each reason with its number of runs. Error:
/// unknown_column.
[[nodiscard]] inline std::vector<std::string> leave_out_marked(table& from, std::string_view flags) {
    const auto column = from.column(flags);
    const auto application = from.find("application");
    std::map<std::string_view, std::vector<std::string>> left_out;
    std::erase_if(from.rows, [&](const table_row& row) {
        for (const auto& flag : split(row.cells[column], ','))
            if (const auto why = why_not_advised(flag); !why.empty()) {
                left_out[why].push_back(application ? ", such as of " + row.cells[*application] : "");
                return true;
            }
        return false;
    });
    std::vector<std::string> sentences;
    for (const auto& [why, examples] : left_out)
        sentences.push_back(fmt::format("{}{}: {}", count(examples.size(), "run"), examples.front(), why));
    return sentences;
}

}  // namespace tools

#endif
