// Finds what the columns of an imported history mean, so that nobody has to say it.
#ifndef BELLAMY_EXAMPLES_HISTORY_LAYOUT_HPP
#define BELLAMY_EXAMPLES_HISTORY_LAYOUT_HPP

#include <fmt/ranges.h>
#include <bellamy/detail/base/nearest_name.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event_log/run_row.hpp"
#include "parse.hpp"
#include "run_table.hpp"
#include "start_time.hpp"
#include "units.hpp"

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

// The first column of bytes, records and shuffled bytes in which each run that succeeded has a size that was counted; empty
// where there is none. Where a run is measured by what it shuffled, its records are those of a description of the data.
[[nodiscard]] inline std::string size_column(const table& from) {
    const auto outcome = from.find("outcome");
    if (!from.find("data_measure")) return from.find("data_size_MB") ? "data_size_MB" : "";
    const auto all = [&](std::string_view column, const auto& is_counted) {
        const auto at = from.find(column);
        return at && std::all_of(from.rows.begin(), from.rows.end(), [&](const table_row& row) {
                   return (outcome && row.cells[*outcome] != "succeeded") || is_counted(row.cells[*at]);
               });
    };
    const auto is_known = [](const std::string& cell) { return !cell.empty() && cell != "0"; };
    if (all("data_measure", [](const std::string& cell) { return cell.empty() || cell == "bytes"; })) return "data_size_MB";
    const bool are_of_data = all("data_measure", [](const std::string& cell) { return cell != "shuffle"; });
    if (are_of_data && all("records_read", is_known)) return "records_read";
    return all("first_shuffle_MB", is_known) ? "first_shuffle_MB" : "";
}

[[nodiscard]] inline std::size_t runs_of_flink(const table& from) {
    const auto system = from.find("system");
    if (!system) return 0;
    return static_cast<std::size_t>(std::count_if(
        from.rows.begin(), from.rows.end(), [&](const table_row& row) { return row.cells[*system].starts_with("flink"); }));
}

// Between underscores, blanks, hyphens and brackets, as in "duration (min)".
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view column) {
    std::vector<std::string_view> words;
    while (!column.empty()) {
        const auto end = (std::min)(column.size(), column.find_first_of("_ -()[]/."));
        if (end > 0) words.push_back(column.substr(0, end));
        column.remove_prefix((std::min)(column.size(), end + 1));
    }
    return words;
}

[[nodiscard]] inline bool is_unit_of_size(std::string_view word) {
    return word.size() > 1 && factor_of(megabytes_of_units, word).has_value();
}

// The words of a column without the unit at its end, or the one of a size at its beginning: of "data_size_GB" and "gb_in".
[[nodiscard]] inline std::vector<std::string_view> words_without_unit(std::string_view column) {
    auto words = words_of(column);
    if (words.size() > 1 && is_unit(words.back())) words.pop_back();
    if (words.size() > 1 && is_unit_of_size(words.front())) words.erase(words.begin());
    return words;
}

// "data_size_GB", "gb_data_size" and "Data size" as "datasize".
[[nodiscard]] inline std::string without_unit(std::string_view column) {
    std::string letters;
    for (const auto word : words_without_unit(column))
        for (const char c : word)
            if (const char lower = to_lower(c); lower >= 'a' && lower <= 'z') letters += lower;
    return letters;
}

[[nodiscard]] inline bool names_unit_of_size(std::string_view column) {
    const auto words = words_of(column);
    return std::any_of(words.begin(), words.end(), is_unit_of_size);
}

}  // namespace detail

/// Columns that a table of several applications' runs needs, whether `bellamy import` or a person wrote it, and this one has
/// not.
[[nodiscard]] inline std::vector<std::string> missing_columns(const table& from) {
    std::vector<std::string> missing;
    for (const char* column : {"application", "runtime_s", "executors"})
        if (!from.find(column)) missing.emplace_back(column);
    return missing;
}

/// Whether a column is meant as this one of a history: another name for it, or this one with another unit, in other letters
/// or misspelt.
[[nodiscard]] inline bool stands_for(std::string_view column, const std::string& name) {
    static const std::map<std::string, std::string> other_names{{"app", "application"},
                                                                {"appname", "application"},
                                                                {"applicationname", "application"},
                                                                {"job", "application"},
                                                                {"jobname", "application"},
                                                                {"name", "application"},
                                                                {"pipeline", "application"},
                                                                {"duration", "runtime_s"},
                                                                {"elapsed", "runtime_s"},
                                                                {"elapsedtime", "runtime_s"},
                                                                {"seconds", "runtime_s"},
                                                                {"time", "runtime_s"},
                                                                {"instances", "executors"},
                                                                {"nodes", "executors"},
                                                                {"scaleout", "executors"},
                                                                {"workers", "executors"},
                                                                {"numexecutors", "executors"},
                                                                {"executorcount", "executors"},
                                                                {"numnodes", "executors"},
                                                                {"nodecount", "executors"},
                                                                {"numworkers", "executors"},
                                                                {"coresperexecutor", "executor_cores"},
                                                                {"memoryperexecutor", "executor_memory_MB"},
                                                                {"executormem", "executor_memory_MB"},
                                                                {"status", "outcome"},
                                                                {"state", "outcome"},
                                                                {"result", "outcome"},
                                                                {"endstatus", "outcome"},
                                                                {"finalstatus", "outcome"},
                                                                {"exitcode", "outcome"},
                                                                {"finalstate", "outcome"},
                                                                {"date", "started_at_s"},
                                                                {"startdate", "started_at_s"},
                                                                {"executiondate", "started_at_s"},
                                                                {"logicaldate", "started_at_s"},
                                                                {"begin", "started_at_s"},
                                                                {"begintime", "started_at_s"},
                                                                {"rundate", "started_at_s"},
                                                                {"start", "started_at_s"},
                                                                {"started", "started_at_s"},
                                                                {"starttime", "started_at_s"},
                                                                {"timestamp", "started_at_s"},
                                                                {"input", "data_size_MB"},
                                                                {"size", "data_size_MB"},
                                                                {"inputsize", "data_size_MB"},
                                                                {"machine", "machine_type"},
                                                                {"instancetype", "machine_type"}};
    const auto plain = detail::without_unit(column);
    const auto known_plain = detail::without_unit(name);
    if (plain == known_plain || (plain.size() >= 6 && bellamy::detail::edit_distance(plain, known_plain) == 1)) return true;
    const auto other = other_names.find(plain);
    if (other != other_names.end()) return other->second == name;
    // Words that may mean anything but beside a unit.
    constexpr std::array<std::string_view, 4> data{"in", "read", "data", "input"};
    const bool is_size = detail::names_unit_of_size(column);
    return is_size && ((name == "data_size_MB" && std::find(data.begin(), data.end(), plain) != data.end()) ||
                       (name == "executor_memory_MB" && plain == "memory"));
}

namespace detail {

// "end", "finished_at" and the like tell when a run ended, where they have times.
[[nodiscard]] inline bool tells_end(const table& from, std::string_view column) {
    constexpr std::array<std::string_view, 10> names{
        "end",      "ended",      "endedat",     "endtime",        "finish",
        "finished", "finishedat", "completedat", "completiontime", "finishtime"};
    constexpr double sometime_s = 1e8;  // 1973: smaller numbers count or flag something
    const auto values = values_of(from, column);
    return std::find(names.begin(), names.end(), without_unit(column)) != names.end() &&
           std::all_of(values.begin(), values.end(), [](const std::string& value) {
               return value.empty() || parse_start(value).value_or(0) > sometime_s;
           });
}

// In any letters: of "Minutes", too.
[[nodiscard]] inline std::optional<double> seconds_of_word(std::string_view word) {
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
    return seconds_of_unit(lower);
}

// "minutes" or "ms" alone; "hour", "minute" and "day" tell when a run began, and a letter may mean anything.
[[nodiscard]] inline bool is_unit_of_runtime(std::string_view column) {
    const auto words = words_of(column);
    if (words.size() != 1 || words.front().size() < 2) return false;
    const auto seconds = seconds_of_word(words.front());
    const auto word = without_unit(column);
    return seconds && *seconds >= 1e-3 && word != "hour" && word != "minute" && !word.starts_with("day");
}

// "min" beside "max" or "mean" is no minutes.
[[nodiscard]] inline bool is_least_of(const table& from, std::string_view column) {
    const auto is = [](std::string_view a, std::string_view word) {
        return std::equal(a.begin(), a.end(), word.begin(), word.end(), [](char x, char y) { return to_lower(x) == y; });
    };
    return is(column, "min") && std::any_of(from.columns.begin(), from.columns.end(),
                                            [&](const std::string& other) { return is(other, "max") || is(other, "mean"); });
}

// By what its numbers are to be multiplied, by the unit in its name, and in which unit they are to be.
[[nodiscard]] inline std::string conversion_to(std::string_view known, std::string_view column) {
    const bool is_time = known == "runtime_s" || known == "wait_s";
    const bool is_size = known == "data_size_MB" || known == "executor_memory_MB";
    if (!is_time && !is_size) return "";
    std::optional<double> factor;
    const auto words = words_of(column);
    for (std::size_t i = 0; i < words.size() && !factor; ++i) {
        const bool may_be_size = is_size && (words[i].size() > 1 || (i > 0 && i + 1 == words.size()));
        if (is_time) factor = seconds_of_word(words[i]);
        if (may_be_size) factor = factor_of(megabytes_of_units, words[i]);
    }
    return fmt::format("{}{}", factor && *factor != 1 ? fmt::format(", times {}", *factor) : "",
                       is_time ? ", in seconds" : ", in whole MB");
}

}  // namespace detail

/// A column that holds what one of a history does, by another name or in another unit.
struct column_renaming {
    std::string column{};
    std::string known{};
    std::string conversion{};  // ", times 60, in seconds"; empty where the numbers stay
};

/// "job to application; duration_min to runtime_s, times 60, in seconds".
[[nodiscard]] inline std::string list_of(const std::vector<column_renaming>& all) {
    std::vector<std::string> texts;
    for (const auto& each : all) texts.push_back(fmt::format("{} to {}{}", each.column, each.known, each.conversion));
    return fmt::format("{}", fmt::join(texts, "; "));
}

/// Columns such as data_size_GB or Status, which would be left out unnoticed.
[[nodiscard]] inline std::vector<column_renaming> renamings_of(const table& from) {
    constexpr std::array<const char*, 12> known{"application",    "runtime_s",          "executors",    "cores",
                                                "executor_cores", "executor_memory_MB", "data_size_MB", "outcome",
                                                "started_at_s",   "machine_type",       "arguments",    "wait_s"};
    std::vector<column_renaming> made;
    for (const std::string name : known) {
        if (from.find(name)) continue;
        const auto& columns = from.columns;
        auto other = std::find_if(columns.begin(), columns.end(), [&](const std::string& column) {
            return detail::without_unit(column).starts_with("final") && stands_for(column, name);
        });
        if (other == columns.end())
            other = std::find_if(columns.begin(), columns.end(),
                                 [&](const std::string& column) { return stands_for(column, name); });
        if (other == columns.end() && name == "outcome")
            other = std::find_if(columns.begin(), columns.end(),
                                 [&](const std::string& column) { return tells_outcome(from, column); });
        // Only where no other column says that it is a runtime: "min" is a least value, too.
        if (other == columns.end() && name == "runtime_s")
            other = std::find_if(columns.begin(), columns.end(), [&](const std::string& column) {
                return detail::is_unit_of_runtime(column) && !detail::is_least_of(from, column);
            });
        if (other != columns.end()) {
            made.push_back({*other, name, detail::conversion_to(name, *other)});
        } else if (name == "started_at_s") {
            const auto end = std::find_if(columns.begin(), columns.end(),
                                          [&](const std::string& column) { return detail::tells_end(from, column); });
            if (end != columns.end()) made.push_back({*end, name, ", less the runtime"});
        }
    }
    return made;
}

/// Whether one of these gives the history this column.
[[nodiscard]] inline bool is_renamed_to(const std::vector<column_renaming>& all, std::string_view known) {
    return std::any_of(all.begin(), all.end(), [&](const column_renaming& each) { return each.known == known; });
}

/// Error: unknown_layout, which names all columns that the table lacks, and all that it has under another name.
inline void require_history_columns(const table& from) {
    const auto missing = missing_columns(from);
    const auto renamings = renamings_of(from);
    if (missing.empty() && renamings.empty()) return;
    auto text = fmt::format(
        "expected columns application, runtime_s and executors in the table {}, and others by the names "
        "that a history has, found ",
        from.path);
    text += missing.empty() ? "other names"
                            : fmt::format("no column {} among {}", fmt::join(missing, ", "), fmt::join(from.columns, ", "));
    if (!renamings.empty())
        text += fmt::format("; rename {}; what holds something else, to another name", list_of(renamings));
    bool lacks_some = false;
    for (const auto& each : missing) {
        if (is_renamed_to(renamings, each)) continue;
        lacks_some = true;
        const auto like = bellamy::detail::nearest_name(each, from.columns);
        if (!like.empty()) text += fmt::format(" (is {} meant to be {}?)", like, each);
    }
    if (lacks_some)
        text += fmt::format(
            "; or learn from a table with other names by bellamy pretrain --table {} --scale-out COLUMN "
            "--runtime COLUMN",
            from.path);
    throw tool_error("unknown_layout", text);
}

/// Columns that are neither a history's nor those that `bellamy import` writes.
[[nodiscard]] inline std::vector<std::string> unused_columns(const table& from) {
    const auto used = split(event_log::table_header(), '\t');
    std::vector<std::string> unused;
    for (const auto& column : from.columns)
        if (std::find(used.begin(), used.end(), column) == used.end()) unused.push_back(column);
    return unused;
}

[[nodiscard]] inline bool is_history(const table& from) { return missing_columns(from).empty(); }

/// Of a table that a person wrote: `bellamy import` leaves the machine type empty where a log does not tell it.
inline void leave_out_nameless_machines(table& from, bad_rows& bad) {
    if (from.find("machine_type") && !from.find("data_measure"))
        leave_out_nameless_machines(from, "machine_type", from.column("application"), bad);
}

/// The layout of a history. The scale-out counts executors, or cores where no run had two executors, of some run the
/// number of executors is not known, or some run is of Flink, whose parallelism its slots limit, not its TaskManagers.
/// Properties are the application, the data size (bytes; where these were not counted in all runs, records, else what the
/// first stages wrote for others, else none) and of the others those that take several values. Cores and memory of an
/// executor have their roles where executors are the units and all runs tell them.
[[nodiscard]] inline table_layout history_layout(const table& from) {
    const auto executors = detail::values_of(from, "executors");
    const bool knows_cores = from.find("cores") && !detail::values_of(from, "cores").contains("0");
    const auto runs_of_flink = detail::runs_of_flink(from);
    const bool by_executors = !knows_cores || (runs_of_flink == 0 && !executors.contains("0") &&
                                               std::any_of(executors.begin(), executors.end(),
                                                           [](const std::string& count) { return count != "1"; }));
    const auto unit_of_cores =
        runs_of_flink == from.rows.size() ? bellamy::scale_out_unit::slot : bellamy::scale_out_unit::core;
    const auto if_given = [&](const char* column) { return from.find(column) ? column : ""; };
    table_layout made{.scale_out = by_executors ? "executors" : "cores",
                      .runtime_s = "runtime_s",
                      .essential = {"application"},
                      .outcome = if_given("outcome"),
                      .tells_every_outcome = from.find("outcome").has_value(),
                      .time = if_given("started_at_s"),
                      .flags = if_given("flags"),
                      .unit = by_executors ? bellamy::scale_out_unit::executor : unit_of_cores};
    if (const auto size = detail::size_column(from); !size.empty()) {
        made.essential.push_back(size);
        made.natural.push_back(size);
        made.roles[size] = bellamy::property_role::data_size;
    }
    for (const char* text : {"arguments", "machine_type"})
        if (detail::tells_apart(from, text)) made.essential.emplace_back(text);
    const auto add_number = [&](const char* column, bellamy::property_role role) {
        if (!detail::tells_apart(from, column)) return;
        made.essential.emplace_back(column);
        made.natural.emplace_back(column);
        // Where the scale-out counts cores, an executor is none of its units; of some runs it may not be known.
        const auto values = detail::values_of(from, column);
        if (by_executors && !values.contains("0") && !values.contains("")) made.roles[column] = role;
    };
    add_number("executor_memory_MB", bellamy::property_role::memory_per_node);
    add_number("executor_cores", bellamy::property_role::cores_per_node);
    if (detail::contains(made.essential, "machine_type")) made.roles["machine_type"] = bellamy::property_role::machine_type;
    return made;
}

}  // namespace tools

#endif
