// From a table to runs, by a layout that says which column means what.
#ifndef BELLAMY_EXAMPLES_RUN_TABLE_HPP
#define BELLAMY_EXAMPLES_RUN_TABLE_HPP

#include <bellamy/schema.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "parse.hpp"
#include "table.hpp"

namespace tools {

/// Which columns mean what. A column that is neither natural, quantity nor scaling is text.
struct table_layout {
    std::string scale_out{};
    std::string runtime_s{};
    std::vector<std::string> essential{};
    std::vector<std::string> optional{};
    std::vector<std::string> natural{};
    std::vector<std::string> quantity{};
    /// Totals of the cluster: natural numbers, unless they are quantities as well.
    std::vector<std::string> scaling{};
    std::map<std::string, bellamy::property_role> roles{};
    /// How the run ended: succeeded or empty; of failed, killed and unfinished runs the runtime is a lower bound.
    std::string outcome{};
    /// When it began, in seconds since the Unix epoch.
    std::string time{};
    std::string weight{};
    bellamy::scale_out_unit unit = bellamy::scale_out_unit::node;
};

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
    auto made = to_property(column.meaning, row.cells[column.index], where);
    if (!made.scales_with_scale_out) return made;
    if (auto* total = std::get_if<double>(&made.value)) *total /= scale_out;
    if (auto* total = std::get_if<std::uint64_t>(&made.value)) {
        if (*total % static_cast<std::uint64_t>(scale_out) != 0)
            throw tool_error("not_divisible", fmt::format("expected a total that the scale-out {} divides in {}, found {}",
                                                          scale_out, where, *total));
        *total /= static_cast<std::uint64_t>(scale_out);
    }
    return made;
}

namespace detail {

// The library's checks do not know of lines; users with long tables need them.
inline void require(const bellamy::result<void>& valid, const table& from, const table_row& row) {
    if (valid) return;
    throw tool_error(to_string(valid.error().code()),
                     fmt::format("line {} of {}: {}", row.line, from.path, valid.error().message()));
}

}  // namespace detail

/// Whether the run of an outcome would have taken longer than it did. Error: unknown_outcome.
[[nodiscard]] inline bool is_censored(std::string_view outcome, std::string_view where) {
    if (outcome.empty() || outcome == "succeeded") return false;
    if (outcome == "failed" || outcome == "killed" || outcome == "unfinished") return true;
    throw tool_error("unknown_outcome",
                     fmt::format("expected succeeded, failed, killed or unfinished in {}, found \"{}\"", where, outcome));
}

/// One run per row, in their order, so that the i-th run is data row i. `context_of(row, scale_out)` makes its context.
/// Errors: not_a_number, and those of `bellamy::validate`, with the line.
template <class ContextOf>
[[nodiscard]] std::vector<bellamy::run> read_runs(const table& from, std::string_view scale_out_column,
                                                  std::string_view runtime_column, const ContextOf& context_of) {
    const auto scale_out = from.column(scale_out_column);
    const auto runtime = from.column(runtime_column);
    std::vector<bellamy::run> runs;
    runs.reserve(from.rows.size());
    for (const auto& row : from.rows) {
        const int x = to_whole(row.cells[scale_out], from.where(row, scale_out));
        detail::require(bellamy::validate_scale_out(x), from, row);
        bellamy::run made{.context = context_of(row, x), .scale_out = x};
        made.runtime_s = to_real(row.cells[runtime], from.where(row, runtime));
        detail::require(bellamy::validate(made), from, row);
        runs.push_back(std::move(made));
    }
    return runs;
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
    for (const auto& [name, role] : layout.roles) require(name);
}

}  // namespace detail

namespace detail {

// What a history tells of its runs beside their contexts.
inline void read_circumstances(const table& from, const table_layout& layout, std::vector<bellamy::run>& runs) {
    const auto for_cells = [&](const std::string& name, const auto& read) {
        if (name.empty()) return;
        const auto column = from.column(name);
        for (std::size_t i = 0; i < runs.size(); ++i)
            read(runs[i], from.rows[i].cells[column], from.where(from.rows[i], column));
    };
    for_cells(layout.outcome, [](bellamy::run& to, const std::string& cell, const std::string& where) {
        to.censored = is_censored(cell, where);
    });
    for_cells(layout.time, [](bellamy::run& to, const std::string& cell, const std::string& where) {
        if (!cell.empty()) to.timestamp_s = to_real(cell, where);
    });
    for_cells(layout.weight,
              [](bellamy::run& to, const std::string& cell, const std::string& where) { to.weight = to_real(cell, where); });
    for (std::size_t i = 0; i < runs.size(); ++i) require(bellamy::validate(runs[i]), from, from.rows[i]);
}

}  // namespace detail

/// The runs of a table by its layout.
/// Errors: unknown_column, unknown_outcome, invalid_option, and those of `read_property` and of `read_runs` above.
[[nodiscard]] inline std::vector<bellamy::run> read_runs(const table& from, const table_layout& layout) {
    detail::require_properties(layout);
    std::vector<property_column> essential;
    std::vector<property_column> optional;
    for (const auto& name : layout.essential) essential.push_back(detail::find_property(from, layout, name));
    for (const auto& name : layout.optional) optional.push_back(detail::find_property(from, layout, name));

    auto runs = read_runs(from, layout.scale_out, layout.runtime_s, [&](const table_row& row, int scale_out) {
        bellamy::context made{.unit = layout.unit};
        for (const auto& each : essential) made.essential.push_back(read_property(from, row, each, scale_out));
        for (const auto& each : optional) made.optional.push_back(read_property(from, row, each, scale_out));
        return made;
    });
    detail::read_circumstances(from, layout, runs);
    return runs;
}

}  // namespace tools

#endif
