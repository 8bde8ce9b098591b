// What an application would cost on each machine type, printed and as JSON.
#ifndef BELLAMY_EXAMPLES_MACHINE_TEXT_HPP
#define BELLAMY_EXAMPLES_MACHINE_TEXT_HPP

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "advice_record.hpp"
#include "machine_prices.hpp"
#include "odds_text.hpp"
#include "printable.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace tools {

/// Null for what is not known.
[[nodiscard]] inline nlohmann::ordered_json to_json(const std::vector<machine_choice>& all) {
    using json = nlohmann::ordered_json;
    auto made = json::array();
    for (const auto& each : all) {
        const auto& best = each.chosen;
        made.push_back({{"machine", each.name},
                        {"runs", each.runs},
                        {"now", each.is_present},
                        {"scale_out", best ? json(best->scale_out) : json(nullptr)},
                        {"median_s", best ? json(best->predicted.median_s) : json(nullptr)},
                        {"probability", best ? json(best->probability) : json(nullptr)},
                        {"expected_unit_hours", best ? json(best->expected_cost) : json(nullptr)},
                        {"money", best && each.price_per_hour > 0 ? json(each.cost()) : json(nullptr)},
                        {"configuration", each.size ? detail::to_json(*each.size) : json(nullptr)}});
    }
    return made;
}

/// "m5.xlarge, now", "r5.xlarge, never ran".
[[nodiscard]] inline std::string title_of(const machine_choice& one) {
    constexpr std::size_t most_bytes = 40;
    const auto name = one.name.empty() ? std::string("type not known") : shortened(printable(one.name), most_bytes);
    return name + (one.is_present ? ", now" : one.runs == 0 ? ", never ran" : "");
}

/// "c6.xlarge: a guess ..."; empty where the application ran on all of them.
[[nodiscard]] inline std::string guesses_among(const std::vector<machine_choice>& all) {
    std::string made;
    for (const auto& each : all)
        if (each.runs == 0) made += fmt::format("{}{}: {}.", made.empty() ? "" : " ", printable(each.name), basis_of(each));
    return made;
}

/// A line for each type. Precondition: there is an advice.
inline void print_machines(const std::vector<machine_choice>& all, const advice& made, const std::string& currency) {
    text_table table;
    table.add_column("machine type", false);
    for (const char* title : {"runs", "scale-out", "median", "in time", "hours a run", "cost of a run"})
        table.add_column(title, true);
    for (const auto& each : all) {
        table.add_cell(title_of(each));
        table.add_cell(fmt::format("{}", each.runs));
        const auto& best = each.chosen;
        table.add_cell(best ? fmt::format("{}", best->scale_out) : "none");
        table.add_cell(best ? fmt::format("{:.0f} s", best->predicted.median_s) : "-");
        table.add_cell(best ? percent_of(best->probability, made.wanted.probability) : "-");
        table.add_cell(best ? fmt::format("{:.3g}", best->expected_cost) : "-");
        table.add_cell(best && each.price_per_hour > 0 ? to_text(money{each.cost(), currency}) : "-");
    }
    fmt::print("\n{}", table.text());
    if (const auto guesses = guesses_among(all); !guesses.empty()) fmt::print("{}\n", guesses);
}

}  // namespace tools

#endif
