// Prints what is advised on every application of a history, a line each.
#ifndef BELLAMY_EXAMPLES_ADVICE_TABLE_HPP
#define BELLAMY_EXAMPLES_ADVICE_TABLE_HPP

#include <fmt/format.h>

#include <array>
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
    return {fmt::format("{:.0f} s", made.wanted.deadline_s),
            best ? fmt::format("{}", best->scale_out) : "-",
            best ? describe(proposed_size(*one.of, made)) + machines_of(one) : "-",
            best ? fmt::format("{:.0f} s", best->predicted.median_s) : "-",
            best ? fmt::format("{:.1f} %", 100 * best->probability) : "-",
            fmt::format("{:.1f} %", 100 * made.present.probability),
            gain_of(made, price_per_hour),
            basis_of(one),
            drift_of(made)};
}

// What speaks against an advice, or why there is none, a line each.
[[nodiscard]] inline std::string notes_on(const advised& one) {
    const auto name = printable(one.of->name);
    if (!one.advice) return fmt::format("{}: no advice: {}\n", name, one.advice.error().message());
    std::string notes;
    for (const auto& warning : one.advice->warnings) notes += fmt::format("{}: {}\n", name, printable(warning));
    return notes;
}

}  // namespace detail

/// With what the gain is worth, where the price of an hour of a unit of scale-out is above 0.
inline void print_advice_table(const std::vector<advised>& all, const money& price_per_hour) {
    text_table table;
    for (const auto& column : detail::advice_columns) table.add_column(std::string(column.title), column.is_number);
    std::string notes;
    for (const auto& one : all) {
        table.add_cell(one.of->name.substr(0, 40));
        table.add_cell(fmt::format("{}", one.of->runs.size()));
        table.add_cell(fmt::format("{}", last_complete(one).scale_out));
        for (const auto& cell : detail::advice_cells(one, price_per_hour)) table.add_cell(cell);
        notes += detail::notes_on(one);
    }
    fmt::print("{}", table.text());
    if (!notes.empty()) fmt::print("\n{}", notes);
}

}  // namespace tools

#endif
