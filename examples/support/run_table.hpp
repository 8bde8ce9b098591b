// From a table to runs, by a layout that says which column means what.
#ifndef BELLAMY_EXAMPLES_RUN_TABLE_HPP
#define BELLAMY_EXAMPLES_RUN_TABLE_HPP

#include <bellamy/run_table.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bad_rows.hpp"
#include "parse.hpp"
#include "start_time.hpp"
#include "table.hpp"
#include "units.hpp"

namespace tools {

/// Which columns mean what. A column that is neither natural, quantity nor scaling is text.
struct table_layout {
    std::string scale_out{};
    std::string runtime_s{};
    /// Seconds of one unit of that column.
    double runtime_unit_s = 1;
    std::vector<std::string> essential{};
    std::vector<std::string> optional{};
    std::vector<std::string> natural{};
    std::vector<std::string> quantity{};
    /// Totals of the cluster: natural numbers, unless they are quantities as well.
    std::vector<std::string> scaling{};
    std::map<std::string, bellamy::property_role> roles{};
    /// How the run ended: succeeded or empty; of failed, killed and unfinished runs the runtime is a lower bound.
    std::string outcome{};
    /// No outcome may be empty: who wrote the table knows it of every run, so that an empty cell has lost it.
    bool tells_every_outcome = false;
    /// When it began, see `parse_start`.
    std::string time{};
    std::string weight{};
    /// What else is to be known of a run, separated by commas; told, not learned from.
    std::string flags{};
    bellamy::scale_out_unit unit = bellamy::scale_out_unit::node;
};

/// Columns that it takes nothing from.
[[nodiscard]] inline std::vector<std::string> unused_columns(const table& from, const table_layout& layout) {
    std::set<std::string> used{layout.scale_out, layout.runtime_s, layout.outcome, layout.time, layout.weight, layout.flags};
    for (const auto* list : {&layout.essential, &layout.optional}) used.insert(list->begin(), list->end());
    std::vector<std::string> unused;
    for (const auto& each : from.columns)
        if (!used.contains(each)) unused.push_back(each);
    return unused;
}

/// A column that holds a property.
struct property_column {
    std::size_t index = 0;
    bellamy::property_definition meaning{};
};

/// The property in a row. A total of the cluster becomes the share of one unit of scale-out.
/// Errors: not_a_number, number_too_large, not_divisible.
[[nodiscard]] inline bellamy::property read_property(const table& from, const table_row& row, const property_column& column,
                                                     int scale_out) {
    const auto where = from.where(row, column.index);
    auto property = to_property(column.meaning, row.cells[column.index], where);
    if (!property.scales_with_scale_out) return property;
    if (const auto* total = property.value.quantity()) property.value = *total / scale_out;
    if (const auto* total = property.value.natural()) {
        if (*total % static_cast<std::uint64_t>(scale_out) != 0)
            throw tool_error("not_divisible", fmt::format("expected a total that the scale-out {} divides in {}, found {}",
                                                          scale_out, where, *total));
        property.value = *total / static_cast<std::uint64_t>(scale_out);
    }
    return property;
}

namespace detail {

// The library's checks do not know of lines; users with long tables need them.
inline void require(const bellamy::result<void>& valid, const table& from, const table_row& row) {
    if (valid) return;
    throw tool_error(to_string(valid.error().code()),
                     fmt::format("line {} of {}: {}", row.line, from.path, valid.error().message()));
}

}  // namespace detail

/// succeeded, failed, killed or unfinished for that and for what schedulers call it, such as OK or Success; else as it is.
[[nodiscard]] inline std::string outcome_of(std::string_view text) {
    static const std::map<std::string, std::string, std::less<>> words{
        {"succeeded", "succeeded"}, {"failed", "failed"},     {"killed", "killed"},        {"unfinished", "unfinished"},
        {"ok", "succeeded"},        {"success", "succeeded"}, {"successful", "succeeded"}, {"completed", "succeeded"},
        {"error", "failed"},        {"failure", "failed"},    {"cancelled", "killed"},     {"canceled", "killed"},
        {"timeout", "killed"},      {"timed_out", "killed"},  {"aborted", "killed"},       {"running", "unfinished"},
        {"done", "succeeded"}};
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), detail::to_lower);
    if (const auto known = words.find(lower); known != words.end()) return known->second;
    return std::string(text);
}

/// Whether the run of an outcome would have taken longer than it did. Error: unknown_outcome, also where it is empty.
[[nodiscard]] inline bool is_censored(std::string_view outcome, std::string_view where) {
    if (const auto known = bellamy::detail::is_censored(outcome)) return *known;
    throw tool_error(
        "unknown_outcome",
        fmt::format("expected succeeded, failed, killed or unfinished in {}, or a word that means one of these (OK, "
                    "success, completed, done, error, failure, cancelled, timeout, aborted, running), found \"{}\"",
                    where, outcome));
}

/// Whether a column with a name such as job_status says how some run ended.
[[nodiscard]] inline bool tells_outcome(const table& from, const std::string& column) {
    if (!bellamy::detail::is_like_outcome(column)) return false;
    const auto at = from.find(column).value();
    return std::any_of(from.rows.begin(), from.rows.end(),
                       [&](const table_row& row) { return bellamy::detail::is_surely_outcome(row.cells[at]); });
}

/// Killed runs would be read as ones that ended. Error: unknown_layout, where no column is named as the outcome, and one
/// that is not used tells it.
inline void require_named_outcome(const table& from, const table_layout& layout) {
    if (!layout.outcome.empty()) return;
    for (const auto& column : unused_columns(from, layout))
        if (tells_outcome(from, column))
            throw tool_error("unknown_layout",
                             fmt::format("expected --outcome {} or no column like an outcome in the table {}, "
                                         "found how runs ended in {}; if it holds something else, rename it",
                                         column, from.path, column));
}

/// Every machine has a type: rows without one in this column, where another of the same value in `group` has one, go to
/// `bad`.
inline void leave_out_nameless_machines(table& from, std::string_view column, std::optional<std::size_t> group,
                                        bad_rows& bad) {
    const auto machine = from.column(column);
    const auto group_of = [&](const table_row& row) { return group ? row.cells[*group] : std::string(); };
    std::set<std::string> named;
    for (const auto& row : from.rows)
        if (!row.cells[machine].empty()) named.insert(group_of(row));
    std::erase_if(from.rows, [&](const table_row& row) {
        if (!row.cells[machine].empty() || !named.contains(group_of(row))) return false;
        bad.add(tool_error("unknown_machine_type",
                           fmt::format("expected a machine type in {}, since other runs{} have one, found an empty cell; "
                                       "give it, or leave this run out (--skip-invalid)",
                                       from.where(row, machine), group ? " of " + row.cells[*group] : "")));
        return true;
    });
}

/// The same for what the layout takes for the machine type of every run.
inline void leave_out_nameless_machines(table& from, const table_layout& layout, bad_rows& bad) {
    for (const auto& name : layout.essential)
        if (const auto role = layout.roles.find(name);
            role != layout.roles.end() && role->second == bellamy::property_role::machine_type)
            leave_out_nameless_machines(from, name, std::nullopt, bad);
}

/// Runs, and the lines that they stand in.
struct runs_of_lines {
    std::vector<bellamy::run> runs{};
    std::vector<std::size_t> lines{};
};

/// One run per row, in their order, but for the rows that `bad` gets. `context_of(row, scale_out)` makes its context,
/// `complete(run, row)` what there is beside. Errors of rows: not_a_number, and those of `bellamy::validate`, with the line.
template <class ContextOf, class Complete>
[[nodiscard]] runs_of_lines read_runs(const table& from, std::string_view scale_out_column, std::string_view runtime_column,
                                      const ContextOf& context_of, const Complete& complete, bad_rows& bad) {
    const auto scale_out = from.column(scale_out_column);
    const auto runtime = from.column(runtime_column);
    runs_of_lines read;
    read.runs.reserve(from.rows.size());
    for (const auto& row : from.rows) {
        try {
            const int x = to_whole(row.cells[scale_out], from.where(row, scale_out));
            detail::require(bellamy::validate_scale_out(x), from, row);
            bellamy::run made{.context = context_of(row, x), .scale_out = x};
            made.runtime_s = to_real(row.cells[runtime], from.where(row, runtime));
            complete(made, row);
            detail::require(bellamy::validate(made), from, row);
            read.runs.push_back(std::move(made));
            read.lines.push_back(row.line);
        } catch (const tool_error& problem) {
            bad.add(problem);
        }
    }
    bad.require_none();
    return read;
}

/// The same, where every row must be right, so that the i-th run is data row i.
template <class ContextOf>
[[nodiscard]] std::vector<bellamy::run> read_runs(const table& from, std::string_view scale_out_column,
                                                  std::string_view runtime_column, const ContextOf& context_of) {
    bad_rows bad;
    const auto nothing = [](bellamy::run&, const table_row&) {};
    return read_runs(from, scale_out_column, runtime_column, context_of, nothing, bad).runs;
}

namespace detail {

[[nodiscard]] inline bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[nodiscard]] inline property_column find_property(const table& from, const table_layout& layout, const std::string& name) {
    property_column found{.index = from.column(name), .meaning = {.name = name}};
    const bool natural = contains(layout.natural, name);
    const bool quantity = contains(layout.quantity, name);
    if (natural && quantity)
        throw tool_error("invalid_option", fmt::format("expected column {} to be one kind of number, found two", name));
    found.meaning.scales_with_scale_out = contains(layout.scaling, name);
    if (quantity) {
        found.meaning.kind = bellamy::property_kind::quantity;
    } else if (natural || found.meaning.scales_with_scale_out) {
        found.meaning.kind = bellamy::property_kind::natural;
    }
    if (const auto role = layout.roles.find(name); role != layout.roles.end()) found.meaning.role = role->second;
    return found;
}

// A column that is two things is a slip of the pen; a scale-out that is also a property would predict itself.
inline void require_one_meaning(const table_layout& layout) {
    std::map<std::string, std::string> meanings;
    const auto take = [&](const std::string& name, const std::string& meaning) {
        const auto [before, is_new] = meanings.emplace(name, meaning);
        if (!name.empty() && !is_new)
            throw tool_error("invalid_option", fmt::format("expected column {} to be one thing, found it as {} and {}", name,
                                                           before->second, meaning));
    };
    take(layout.scale_out, "scale-out");
    take(layout.runtime_s, "runtime");
    take(layout.outcome, "outcome");
    take(layout.time, "time");
    take(layout.weight, "weight");
    take(layout.flags, "flags");
    for (const auto& name : layout.essential) take(name, "essential property");
    for (const auto& name : layout.optional) take(name, "optional property");
}

// A kind or a role for a column that is no property would have no effect: most likely a slip of the pen.
inline void require_properties(const table_layout& layout) {
    const auto require = [&](const std::string& name) {
        if (!contains(layout.essential, name) && !contains(layout.optional, name))
            throw tool_error("unknown_column",
                             fmt::format("expected one of the essential ({}) or optional ({}) columns, "
                                         "found \"{}\"",
                                         fmt::join(layout.essential, ", "), fmt::join(layout.optional, ", "), name));
    };
    for (const auto* names : {&layout.natural, &layout.quantity, &layout.scaling})
        std::for_each(names->begin(), names->end(), require);
    for (const auto& [name, role] : layout.roles) {
        require(name);
        const bool is_number =
            contains(layout.natural, name) || contains(layout.quantity, name) || contains(layout.scaling, name);
        if (role != bellamy::property_role::machine_type && role != bellamy::property_role::none && !is_number)
            throw tool_error("invalid_option", fmt::format("expected column {} with the role {} to be a natural number or a "
                                                           "quantity, found text",
                                                           name, to_string(role)));
    }
}

}  // namespace detail

namespace detail {

// Where the layout names columns of what a history tells of its runs beside their contexts.
class circumstances {
public:
    circumstances(const table& from, const table_layout& layout)
        : from_(from), runtime_unit_s_(layout.runtime_unit_s), tells_every_outcome_(layout.tells_every_outcome) {
        const auto column = [&](const std::string& name) {
            return name.empty() ? std::nullopt : std::optional(from.column(name));
        };
        outcome_ = column(layout.outcome);
        time_ = column(layout.time);
        weight_ = column(layout.weight);
    }

    void operator()(bellamy::run& to, const table_row& row) const {
        to.runtime_s *= runtime_unit_s_;
        if (outcome_ && (tells_every_outcome_ || !row.cells[*outcome_].empty()))
            to.censored = is_censored(row.cells[*outcome_], from_.where(row, *outcome_));
        if (time_ && !row.cells[*time_].empty()) to.timestamp_s = time_of(row);
        if (weight_) to.weight = to_real(row.cells[*weight_], from_.where(row, *weight_));
    }

private:
    // NaN has no place in the order of the runs.
    [[nodiscard]] double time_of(const table_row& row) const {
        const auto where = from_.where(row, *time_);
        const auto time_s = parse_start(row.cells[*time_]);
        if (!time_s)
            throw tool_error("not_a_time", fmt::format("expected seconds since 1970, or a date and time such as "
                                                       "2026-01-31T22:15:00 in {}, found \"{}\"",
                                                       where, row.cells[*time_]));
        return *time_s;
    }

    const table& from_;
    double runtime_unit_s_;
    bool tells_every_outcome_;
    std::optional<std::size_t> outcome_{};
    std::optional<std::size_t> time_{};
    std::optional<std::size_t> weight_{};
};

}  // namespace detail

/// The runs of a table by its layout, but for the rows that `bad` gets. Errors: unknown_column, duplicate_column,
/// invalid_option; of rows: unknown_outcome, not_a_time, and those of `read_property` and of `read_runs` above.
[[nodiscard]] inline runs_of_lines read_runs(const table& from, const table_layout& layout, bad_rows& bad) {
    detail::require_one_meaning(layout);
    detail::require_properties(layout);
    std::vector<property_column> essential;
    std::vector<property_column> optional;
    for (const auto& name : layout.essential) essential.push_back(detail::find_property(from, layout, name));
    for (const auto& name : layout.optional) optional.push_back(detail::find_property(from, layout, name));

    const auto context_of = [&](const table_row& row, int scale_out) {
        bellamy::context made{.unit = layout.unit};
        for (const auto& each : essential) made.essential.push_back(read_property(from, row, each, scale_out));
        for (const auto& each : optional)  // an empty cell: the run has no such property
            if (!row.cells[each.index].empty()) made.optional.push_back(read_property(from, row, each, scale_out));
        return made;
    };
    return read_runs(from, layout.scale_out, layout.runtime_s, context_of, detail::circumstances(from, layout), bad);
}

/// The same, where every row must be right.
[[nodiscard]] inline std::vector<bellamy::run> read_runs(const table& from, const table_layout& layout) {
    bad_rows bad;
    return read_runs(from, layout, bad).runs;
}

/// How many rows have each flag. Error: unknown_column.
[[nodiscard]] inline std::map<std::string, std::size_t> count_flags(const table& from, const table_layout& layout) {
    std::map<std::string, std::size_t> rows;
    if (layout.flags.empty()) return rows;
    const auto column = from.column(layout.flags);
    for (const auto& row : from.rows)
        for (const auto& flag : split(row.cells[column], ','))
            if (!flag.empty()) ++rows[flag];
    return rows;
}

}  // namespace tools

#endif
