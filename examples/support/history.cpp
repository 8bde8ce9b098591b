#include "history.hpp"

#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "event_log/import.hpp"
#include "history_layout.hpp"
#include "trace_file.hpp"

namespace tools {

namespace {

[[nodiscard]] bool is_trace_file(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".jsonl.zst");
}

[[nodiscard]] table table_of_traces(const std::vector<std::string>& files, const std::string& path) {
    std::deque<event_log::run_row> rows;
    for (const auto& file : files)
        for_each_trace(file, [&](trace_line&& line) {
            if (auto made = event_log::to_row(line.trace); made.reason.empty()) rows.push_back(std::move(made.row));
        });
    std::vector<const event_log::run_row*> places;
    for (const auto& each : rows) places.push_back(&each);
    return parse_table(event_log::table_of(std::move(places)), path);
}

// A folder's logs or, where it holds none, its trace files.
[[nodiscard]] table read_history_folder(const std::string& path) {
    const auto all =
        event_log::import_all(event_log::find_logs({path}), {}, (std::max)(1U, std::thread::hardware_concurrency()));
    if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.row.has_value(); }))
        return parse_table(event_log::table_of(all), path);
    std::vector<std::string> files;
    for (const auto& each : std::filesystem::directory_iterator(path))
        if (each.is_regular_file() && is_trace_file(each.path().string())) files.push_back(each.path().string());
    std::sort(files.begin(), files.end());
    return table_of_traces(files, path);
}

[[nodiscard]] table read_history_table(const std::string& path) {
    if (std::filesystem::is_directory(path)) return read_history_folder(path);
    if (is_trace_file(path)) return table_of_traces({path}, path);
    auto read = read_table(path);
    if (is_history(read)) return read;
    throw tool_error("unknown_layout", fmt::format("expected a table that import_logs wrote at {}, found the columns {}",
                                                   path, fmt::join(read.columns, ", ")));
}

}  // namespace

std::vector<application_history> read_history(const std::string& path) {
    const auto all = read_history_table(path);
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

bellamy::result<bellamy::model> learn(std::span<const bellamy::run> runs, const std::string& name) {
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
