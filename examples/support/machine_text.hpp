// What an application would cost on each machine type and with which executors, printed and as JSON.
#ifndef BELLAMY_EXAMPLES_MACHINE_TEXT_HPP
#define BELLAMY_EXAMPLES_MACHINE_TEXT_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
                        {"executors", each.executors.empty() ? json(nullptr) : json(each.executors)},
                        {"executor_runs", each.runs_with_executors ? json(*each.runs_with_executors) : json(nullptr)},
                        {"now", each.is_present},
                        {"advised", best && !each.may_lack_memory},
                        {"scale_out", best ? json(best->scale_out) : json(nullptr)},
                        {"median_s", best ? json(best->predicted.median_s) : json(nullptr)},
                        {"probability", best ? json(best->probability) : json(nullptr)},
                        {"expected_unit_hours", best ? json(best->expected_cost) : json(nullptr)},
                        {"money", best && each.price_per_hour > 0 ? json(each.cost()) : json(nullptr)},
                        {"configuration", each.size ? detail::to_json(*each.size) : json(nullptr)}});
    }
    return made;
}

/// "m5.xlarge, now", "r5.xlarge, never ran", "m5.xlarge, 2 cores, 4096 MB" where executors are compared.
[[nodiscard]] inline std::string title_of(const machine_choice& one) {
    constexpr std::size_t most_bytes = 40;
    const auto name = one.name.empty() ? std::string("type not known") : shortened(printable(one.name), most_bytes);
    const auto executors = one.executors.empty() ? std::string() : ", " + one.executors;
    return name + executors + (one.is_present ? ", now" : one.runs == 0 ? ", never ran" : "");
}

/// "12", or "3 of 12" where three of them had such executors.
[[nodiscard]] inline std::string runs_of(const machine_choice& one) {
    return one.runs_with_executors && one.runs > 0 ? fmt::format("{} of {}", *one.runs_with_executors, one.runs)
                                                   : fmt::format("{}", one.runs);
}

/// "c6.xlarge: a guess ...", and what executors cost where several sizes are compared; empty where the application ran on
/// all of them with executors of one size.
[[nodiscard]] inline std::string notes_on(const std::vector<machine_choice>& all) {
    std::vector<std::string> made;
    for (const auto& each : all)
        if (each.runs == 0 || each.may_lack_memory || each.runs_with_executors == std::size_t{0})
            made.push_back(fmt::format("{}: {}.", each.runs == 0 ? printable(each.name) : title_of(each), basis_of(each)));
    if (std::any_of(all.begin(), all.end(), [](const auto& each) { return !each.executors.empty(); }))
        made.emplace_back(
            "Runs are those that succeeded with such executors, of all on the machine type. Executors of another size cost "
            "in proportion to the larger of their shares of cores and memory.");
    return fmt::format("{}", fmt::join(made, " "));
}

/// "cheaper: r5.xlarge with 6 executors x 2 cores, 4096 MB, by 12.0 %; based on ..."; empty where nothing is, or executors
/// of one size alone are compared.
[[nodiscard]] inline std::string cheaper_text(const std::vector<machine_choice>& all, const advice& made) {
    const auto* other = cheaper_machine(all, made);
    if (other == nullptr || other->executors.empty()) return {};
    return fmt::format("cheaper: {}, by {:.1f} %; {}", describe(*other, to_string(made.like.unit)),
                       100 * (1 - other->cost() / cost_as_proposed(all, made)), basis_of(*other));
}

/// A line for each choice. Precondition: there is an advice.
inline void print_machines(const std::vector<machine_choice>& all, const advice& made, const std::string& currency) {
    text_table table;
    table.add_column("machine type", false);
    for (const char* title : {"runs", "scale-out", "median", "in time", "hours a run", "cost of a run"})
        table.add_column(title, true);
    for (const auto& each : all) {
        table.add_cell(title_of(each));
        table.add_cell(runs_of(each));
        const auto& best = each.chosen;
        table.add_cell(best ? fmt::format("{}", best->scale_out) : "none");
        table.add_cell(best ? fmt::format("{:.0f} s", best->predicted.median_s) : "-");
        table.add_cell(best ? percent_of(best->probability, made.wanted.probability) : "-");
        table.add_cell(best ? fmt::format("{:.3g}", best->expected_cost) : "-");
        table.add_cell(best && each.price_per_hour > 0 ? to_text(money{each.cost(), currency}) : "-");
    }
    fmt::print("\n{}", table.text());
    if (const auto notes = notes_on(all); !notes.empty()) fmt::print("{}\n", notes);
    if (const auto cheaper = cheaper_text(all, made); !cheaper.empty()) fmt::print("{}\n", printable(cheaper));
}

}  // namespace tools

#endif
