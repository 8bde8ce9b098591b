// The past runs of many applications, from whatever a team has: event logs or a table that was made of them.
#ifndef BELLAMY_EXAMPLES_HISTORY_HPP
#define BELLAMY_EXAMPLES_HISTORY_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "event_log/import.hpp"
#include "history_layout.hpp"

namespace tools {

/// The runs of one application in the order of their starts.
struct application_history {
    std::string name{};
    std::vector<bellamy::run> runs{};
};

namespace detail {

[[nodiscard]] inline table read_history_table(const std::string& path) {
    namespace fs = std::filesystem;
    if (!fs::is_directory(path)) {
        auto read = read_table(path);
        if (is_history(read)) return read;
        throw tool_error("unknown_layout", fmt::format("expected a table that import_logs wrote at {}, found the columns {}",
                                                       path, fmt::join(read.columns, ", ")));
    }
    const auto sources = event_log::find_logs({path});
    const auto all = event_log::import_all(sources, {}, (std::max)(1U, std::thread::hardware_concurrency()));
    return parse_table(event_log::table_of(all), path);
}

}  // namespace detail

/// The applications of a folder of event logs or of a table that `import_logs` wrote, by name. Properties that differ
/// between applications only say nothing within one: each application keeps those that tell its own runs apart, and the data
/// size. Errors: unknown_layout, no_runs, and those of `read_table`, `find_logs` and `read_runs`.
[[nodiscard]] inline std::vector<application_history> read_history(const std::string& path) {
    const auto all = detail::read_history_table(path);
    if (all.rows.empty()) throw tool_error("no_runs", fmt::format("expected runs in {}, found none", path));
    const auto unit = history_layout(all);
    const auto name = all.column("application");
    std::map<std::string, table> by_name;
    for (const auto& row : all.rows) {
        auto& own = by_name[row.cells[name]];
        own.path = all.path;
        own.columns = all.columns;
        own.rows.push_back(row);
    }
    std::vector<application_history> made;
    for (const auto& [application, own] : by_name) {
        auto layout = history_layout(own);
        layout.scale_out = unit.scale_out;  // of one kind for all applications
        layout.unit = unit.unit;
        std::erase(layout.essential, "application");
        application_history each{.name = application, .runs = read_runs(own, layout)};
        std::stable_sort(each.runs.begin(), each.runs.end(), [](const bellamy::run& a, const bellamy::run& b) {
            return a.timestamp_s.value_or(0) < b.timestamp_s.value_or(0);
        });
        made.push_back(std::move(each));
    }
    return made;
}

/// What is known of an application after these runs: a blend where they are of two contexts and more, else a cold start that
/// is conditioned on them. Precondition: not empty.
[[nodiscard]] inline bellamy::result<bellamy::model> learn(std::span<const bellamy::run> runs, const std::string& name) {
    const auto numbers = bellamy::context_numbers(runs);
    const std::set<std::uint32_t> contexts(numbers.begin(), numbers.end());
    if (contexts.size() > 1) {
        auto made = bellamy::pretrain(runs, {.algorithm = name});
        if (made) return std::move(made)->model;
    }
    auto first = bellamy::cold_start(runs.back().context, name);
    if (!first) return first.error();
    return first->condition(runs);
}

}  // namespace tools

#endif
