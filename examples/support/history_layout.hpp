// Finds what the columns of an imported history mean, so that nobody has to say it.
#ifndef BELLAMY_EXAMPLES_HISTORY_LAYOUT_HPP
#define BELLAMY_EXAMPLES_HISTORY_LAYOUT_HPP

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parse.hpp"
#include "run_table.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline std::set<std::string> values_of(const table& from, std::string_view column) {
    std::set<std::string> values;
    const auto at = from.column(column);
    for (const auto& row : from.rows) values.insert(row.cells[at]);
    return values;
}

// A column that is empty or the same everywhere tells runs apart by nothing.
[[nodiscard]] inline bool tells_apart(const table& from, std::string_view column) {
    return from.find(column) && values_of(from, column).size() > 1;
}

}  // namespace detail

/// Columns of a table that `bellamy import` writes which this one has not.
[[nodiscard]] inline std::vector<std::string> missing_columns(const table& from) {
    std::vector<std::string> missing;
    for (const char* column : {"application", "started_at_s", "runtime_s", "outcome", "executors", "cores", "data_size_MB"})
        if (!from.find(column)) missing.emplace_back(column);
    return missing;
}

/// Whether `bellamy import` wrote the table.
[[nodiscard]] inline bool is_history(const table& from) { return missing_columns(from).empty(); }

/// The layout of a table that `bellamy import` wrote. The scale-out counts executors, or cores where no run had two
/// executors. Properties are the application, the data size and of the others those that take several values.
[[nodiscard]] inline table_layout history_layout(const table& from) {
    const auto executors = detail::values_of(from, "executors");
    const bool by_executors = std::any_of(executors.begin(), executors.end(),
                                          [](const std::string& count) { return count != "0" && count != "1"; });
    table_layout made{.scale_out = by_executors ? "executors" : "cores",
                      .runtime_s = "runtime_s",
                      .essential = {"application", "data_size_MB"},
                      .natural = {"data_size_MB"},
                      .roles = {{"data_size_MB", bellamy::property_role::data_size}},
                      .outcome = "outcome",
                      .tells_every_outcome = true,
                      .time = "started_at_s",
                      .flags = from.find("flags") ? "flags" : "",
                      .unit = by_executors ? bellamy::scale_out_unit::executor : bellamy::scale_out_unit::core};
    for (const char* text : {"arguments", "machine_type"})
        if (detail::tells_apart(from, text)) made.essential.emplace_back(text);
    for (const char* number : {"executor_memory_MB", "executor_cores"}) {
        if (!detail::tells_apart(from, number)) continue;
        made.essential.emplace_back(number);
        made.natural.emplace_back(number);
    }
    if (detail::contains(made.essential, "machine_type")) made.roles["machine_type"] = bellamy::property_role::machine_type;
    return made;
}

}  // namespace tools

#endif
