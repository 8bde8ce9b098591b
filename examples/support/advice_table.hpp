// Prints what is advised on every application of a history, a line each.
#ifndef BELLAMY_EXAMPLES_ADVICE_TABLE_HPP
#define BELLAMY_EXAMPLES_ADVICE_TABLE_HPP

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advised.hpp"
#include "printable.hpp"
#include "text_table.hpp"

namespace tools {

namespace detail {

struct advice_column {
    std::string_view title;
    bool is_number = false;
};
inline constexpr std::array<advice_column, 12> advice_columns{{{"application", false},
                                                               {"runs", true},
                                                               {"size now", true},
                                                               {"deadline", true},
                                                               {"proposed", true},
                                                               {"configuration", false},
                                                               {"predicted", true},
                                                               {"in time", true},
                                                               {"in time now", true},
                                                               {"gain", false},
                                                               {"based on", false},
                                                               {"drift", true}}};

// The columns behind the first three.
[[nodiscard]] inline std::vector<std::string> advice_cells(const advised& one, const money& price_per_hour) {
    if (!one.advice) return std::vector<std::string>(advice_columns.size() - 3, "-");
    const auto& made = *one.advice;
    const auto& best = made.proposal;
    const auto deadline = fmt::format("{:.0f} s", made.wanted.deadline_s);
    return {one.has_deadline ? deadline : "(" + deadline + ")",
            best ? fmt::format("{}", best->scale_out) : "-",
            best ? describe(proposed_size(*one.of, made)) + machines_of(one) : "-",
            best ? fmt::format("{:.0f} s", best->predicted.median_s) : "-",
            best ? fmt::format("{:.1f} %", 100 * best->probability) : "-",
            fmt::format("{:.1f} %", 100 * made.present.probability),
            gain_of(made, price_per_hour),
            basis_of(one),
            drift_of(made)};
}

// What speaks against an advice, or why there is none, a line each; but for what is said of all.
[[nodiscard]] inline std::string notes_on(const advised& one, const std::set<std::string>& of_all) {
    const auto name = printable(one.of->name);
    if (!one.advice) return fmt::format("{}: no advice: {}\n", name, one.advice.error().message());
    std::string notes;
    for (const auto& warning : one.advice->warnings)
        if (!of_all.contains(warning)) notes += fmt::format("{}: {}\n", name, printable(warning));
    return notes;
}

// Warnings that each of several applications with an advice has.
[[nodiscard]] inline std::set<std::string> warnings_of_all(const std::vector<advised>& all) {
    std::map<std::string, std::size_t> applications;
    std::size_t advised_on = 0;
    for (const auto& one : all) {
        if (!one.advice) continue;
        ++advised_on;
        for (const auto& warning : std::set(one.advice->warnings.begin(), one.advice->warnings.end()))
            ++applications[warning];
    }
    std::set<std::string> made;
    for (const auto& [warning, count] : applications)
        if (count == advised_on && count > 1) made.insert(warning);
    return made;
}

}  // namespace detail

/// With what the gain is worth, where the price of an hour of a unit of scale-out is above 0.
inline void print_advice_table(const std::vector<advised>& all, const money& price_per_hour) {
    text_table table;
    for (const auto& column : detail::advice_columns) table.add_column(std::string(column.title), column.is_number);
    const auto of_all = detail::warnings_of_all(all);
    std::string notes;
    for (const auto& warning : of_all) notes += fmt::format("each: {}\n", printable(warning));
    for (const auto& one : all) {
        table.add_cell(one.of->name.substr(0, 40));
        table.add_cell(fmt::format("{}", one.of->runs.size()));
        table.add_cell(fmt::format("{}", last_complete(one).scale_out));
        for (const auto& cell : detail::advice_cells(one, price_per_hour)) table.add_cell(cell);
        notes += detail::notes_on(one, of_all);
    }
    fmt::print("{}", table.text());
    if (!notes.empty()) fmt::print("\n{}", notes);
}

}  // namespace tools

#endif
