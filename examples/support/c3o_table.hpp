// Reads the run records of the C3O experiments (Will et al. 2020) and tables like them, whose columns have known names.
#ifndef BELLAMY_EXAMPLES_C3O_TABLE_HPP
#define BELLAMY_EXAMPLES_C3O_TABLE_HPP

#include <bellamy/run.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run_table.hpp"

namespace tools {

/// "sort" for "data/sort.tsv".
[[nodiscard]] inline std::string algorithm_of(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

namespace detail {

inline constexpr std::array<std::string_view, 6> c3o_plain_columns{"instance_count", "machine_type", "slots",
                                                                   "memory",         "data_size_MB", "gross_runtime"};
inline constexpr std::array<std::string_view, 3> c3o_argument_columns{"iterations", "k", "convergence_criterion"};
inline constexpr std::array<std::string_view, 7> c3o_characteristic_columns{
    "line_length", "lines", "p_occurrence", "features", "observations", "pages", "links"};

// Where a table has them, in the order of the names.
[[nodiscard]] inline std::vector<std::size_t> present(const table& from, std::span<const std::string_view> names) {
    std::vector<std::size_t> found;
    for (const auto name : names)
        if (from.find(name)) found.push_back(from.column(name));
    return found;
}

// The shortest decimal that reads back as the same number, with a point and without an exponent: "150000000.0".
[[nodiscard]] inline std::string with_point(double number) {
    std::array<char, 512> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed).ptr;
    std::string text(digits.data(), end);
    if (text.find('.') == std::string::npos) text += ".0";
    return text;
}

[[nodiscard]] inline std::string join(const table& from, const table_row& row, const std::vector<std::size_t>& columns,
                                      bool as_numbers) {
    std::string joined;
    for (const auto column : columns) {
        const auto& cell = row.cells[column];
        if (!joined.empty()) joined += ' ';
        joined += as_numbers ? with_point(to_real(cell, from.where(row, column))) : cell;
    }
    return joined;
}

// Some jobs of the experiments had arguments that are not in their tables.
[[nodiscard]] inline std::string c3o_arguments(std::string_view algorithm, std::string from_columns) {
    if (algorithm == "grep") return "computer";
    if (algorithm == "sort") return "";
    if (algorithm == "kmeans") return from_columns + " 0.001";
    return from_columns;
}

}  // namespace detail

/// The runs of a C3O table: five essential properties, and as optional ones job_type and what there is of memory and slots.
/// Errors: unknown_column, and those of `read_property` and of `read_runs`.
/// Rows with a defect go to `bad`.
[[nodiscard]] inline runs_of_lines read_c3o_runs(const table& from, const std::string& algorithm, bad_rows& bad) {
    using bellamy::property_kind;
    using bellamy::property_role;
    const property_column machine_type{
        .index = from.column("machine_type"),
        .meaning = {.name = "machine_type", .kind = property_kind::text, .role = property_role::machine_type}};
    const property_column data_size{
        .index = from.column("data_size_MB"),
        .meaning = {.name = "data_size_MB", .kind = property_kind::natural, .role = property_role::data_size}};
    std::vector<property_column> totals;
    const auto add_total = [&](const char* name, property_role role) {
        if (from.find(name))
            totals.push_back(
                {.index = from.column(name),
                 .meaning = {.name = name, .kind = property_kind::natural, .role = role, .scales_with_scale_out = true}});
    };
    add_total("memory", property_role::memory_per_node);
    add_total("slots", property_role::cores_per_node);
    const auto arguments = detail::present(from, detail::c3o_argument_columns);
    const auto characteristics = detail::present(from, detail::c3o_characteristic_columns);
    const bool as_numbers = from.find("p_occurrence").has_value();  // as the published encodings of grep have them

    const auto context_of = [&](const table_row& row, int scale_out) {
        bellamy::context made;
        made.essential.push_back(read_property(from, row, machine_type, scale_out));
        made.essential.push_back(
            bellamy::text("job_args", detail::c3o_arguments(algorithm, detail::join(from, row, arguments, false))));
        made.essential.push_back(read_property(from, row, data_size, scale_out));
        made.essential.push_back(
            bellamy::text("data_characteristics", detail::join(from, row, characteristics, as_numbers)));
        made.essential.push_back(bellamy::text("environment", "public cloud aws emr"));
        made.optional.push_back(bellamy::text("job_type", algorithm + "-spark"));
        for (const auto& each : totals) made.optional.push_back(read_property(from, row, each, scale_out));
        return made;
    };
    const auto nothing = [](bellamy::run&, const table_row&) {};
    return read_runs(from, "instance_count", "gross_runtime", context_of, nothing, bad);
}

/// The same, where every row must be right, so that the i-th run is data row i.
[[nodiscard]] inline std::vector<bellamy::run> read_c3o_runs(const table& from, const std::string& algorithm) {
    bad_rows bad;
    return read_c3o_runs(from, algorithm, bad).runs;
}

/// The columns that `read_c3o_runs` does not look at.
[[nodiscard]] inline std::vector<std::string> unused_c3o_columns(const table& from) {
    const auto within = [](const auto& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> unused;
    for (const auto& name : from.columns)
        if (!within(detail::c3o_plain_columns, name) && !within(detail::c3o_argument_columns, name) &&
            !within(detail::c3o_characteristic_columns, name))
            unused.push_back(name);
    return unused;
}

}  // namespace tools

#endif
