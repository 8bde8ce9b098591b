// Prints the answer of `bellamy allocate` for people.
#ifndef BELLAMY_EXAMPLES_ANSWER_TEXT_HPP
#define BELLAMY_EXAMPLES_ANSWER_TEXT_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/unseen_values.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "answer.hpp"
#include "odds_text.hpp"
#include "printable.hpp"
#include "terminal_curve.hpp"
#include "text_table.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline std::string of_machine(const answer& all, std::size_t number) {
    return all.machines.size() > 1 ? " of " + printable(all.machines[number].name) : "";
}

[[nodiscard]] inline std::string limit_of(const answer& all) {
    return all.has_deadline() ? fmt::format("the deadline of {:g} s", all.wanted.deadline_s)
                              : fmt::format("the budget of {:g}", all.wanted.budget);
}

// As many decimals as tell different costs apart, and at least three digits of the smallest.
[[nodiscard]] inline int cost_decimals(const answer& all) {
    std::set<double> costs;
    for (const auto& row : all.table)
        if (std::isfinite(row.expected_cost) && row.expected_cost > 0) costs.insert(row.expected_cost);
    if (costs.empty()) return 3;
    constexpr int most = 9;
    int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(*costs.begin()))), 2, most);
    for (; decimals < most; ++decimals) {
        std::set<std::string> spelled;
        for (const double each : costs) spelled.insert(fmt::format("{:.{}f}", each, decimals));
        if (spelled.size() == costs.size()) break;
    }
    return decimals;
}

[[nodiscard]] inline std::string verdict_of(const answer& all, const bellamy::assessment& row) {
    const auto verdict = verdict_on_size(row, all.is_withheld, all.without_memory);
    const bool misses =
        verdict == to_string(bellamy::verdict::misses_deadline) || verdict == to_string(bellamy::verdict::exceeds_budget);
    if (!misses || row.predicted.is_point) return std::string(verdict);
    return verdict_on_odds(verdict, row.probability, all.wanted.probability);
}

}  // namespace detail

/// What the model is and what the answer is based on.
inline void print_basis(const answer& all, const std::string& strategy) {
    const auto& basis = all.model.basis();
    fmt::print("model        {}, learned from {} in {}, scale-outs {} to {}\n",
               basis.algorithm.empty() ? "not named" : printable(basis.algorithm), count(basis.runs, "run"),
               count(basis.contexts, "context"), basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest);
    fmt::print("method       {}\n", describe(all.model));
    for (std::size_t i = 0; i < all.machines.size(); ++i) {
        const auto& machine = all.machines[i];
        const auto predicted = all.table[i * all.scale_outs.size()].predicted;
        fmt::print("based on     {}{}{}\n", printable(machine.name), machine.name.empty() ? "" : ": ",
                   rests_on(all.model.kind(), predicted));
    }
    if (all.model.kind() == bellamy::model_kind::network && basis.observed_runs > 0)
        fmt::print("fine-tuning  {}, {}: mean error {:.1f} s before, {:.1f} s after\n", strategy,
                   count(static_cast<std::size_t>(all.tuning.epochs), "epoch"), all.tuning.error_before_s,
                   all.tuning.error_after_s);
    fmt::print("\n");
}

/// All candidates: what is predicted of them, what they cost, and why they are chosen or not.
inline void print_table(const answer& all) {
    const bool machines = all.machines.size() > 1;
    const bool quantiles = !all.only_points();
    const bool measured =
        std::any_of(all.machines.begin(), all.machines.end(), [](const auto& each) { return !each.measured.empty(); });
    text_table table;
    if (machines) table.add_column("machine", false);
    table.add_column("scale-out", true);
    table.add_column("median s", true);
    if (quantiles) table.add_column(fmt::format("p{:g} s", 100 * all.wanted.probability), true);
    if (quantiles && all.has_limit()) table.add_column(all.has_deadline() ? "in time" : "in budget", true);
    if (all.priced) table.add_column("cost", true);
    if (measured) table.add_column("measured s", true);
    if (measured) table.add_column("difference", true);
    table.add_column("verdict", false);

    const int decimals = detail::cost_decimals(all);
    double sum = 0;
    std::size_t compared = 0;
    for (const auto& row : all.table) {
        const auto& machine = all.machines[all.machine_of(row)];
        if (machines) table.add_cell(machine.name);
        table.add_cell(fmt::format("{}", row.scale_out));
        table.add_cell(fmt::format("{:.1f}", row.predicted.median_s));
        if (quantiles) table.add_cell(fmt::format("{:.1f}", row.predicted.quantile_s(all.wanted.probability)));
        if (quantiles && all.has_limit()) table.add_cell(percent_of(row.probability, all.wanted.probability));
        if (all.priced) table.add_cell(fmt::format("{:.{}f}", row.expected_cost, decimals));
        if (const auto truth = machine.measured.find(row.scale_out); truth != machine.measured.end()) {
            const double percent = 100 * (row.predicted.median_s - truth->second) / truth->second;
            table.add_cell(fmt::format("{:.1f}", truth->second));
            table.add_cell(fmt::format("{:+.1f} %", percent));
            // Only what was not observed says how good the prediction is.
            const auto same = [&](const auto& each) { return each.scale_out == row.scale_out; };
            if (std::none_of(machine.observed.begin(), machine.observed.end(), same)) {
                sum += std::abs(percent);
                ++compared;
            }
        } else if (measured) {
            table.add_cell("");
            table.add_cell("");
        }
        const auto flags = flags_of(row.predicted);
        table.add_cell(fmt::format("{}{}", detail::verdict_of(all, row),
                                   flags.empty() ? "" : fmt::format(" ({})", fmt::join(flags, ", "))));
    }
    fmt::print("{}", table.text());
    if (compared > 0)
        fmt::print("\nMean difference at {} that were not observed: {:.1f} %\n", count(compared, "measured scale-out"),
                   sum / static_cast<double>(compared));
}

/// The curve of the machine that is chosen, or of the first.
inline void print_curve(const answer& all) {
    const auto number = all.choice.candidate ? all.machine_of(*all.choice.candidate) : 0;
    const auto& machine = all.machines[number];
    curve_drawing drawing{.unit = std::string(to_string(all.model.schema().unit))};
    if (all.has_deadline()) {
        const double left_s = bellamy::runtime_within_s(machine.costs, all.wanted.deadline_s);
        if (left_s < all.wanted.deadline_s) drawing.deadline_name = "what the deadline leaves for the run:";
        drawing.deadline_s = left_s;
    }
    for (const auto& row : all.table)
        if (all.machine_of(row) == number && row.predicted.usable())
            drawing.predicted.push_back({row.scale_out, row.predicted.median_s});
    for (const auto& each : machine.observed) drawing.observed.push_back({each.scale_out, each.runtime_s});
    if (all.choice.meets_limit())
        drawing.chosen = {all.choice.candidate->scale_out, all.choice.candidate->predicted.median_s};
    if (all.machines.size() > 1) fmt::print("\n{}:\n", printable(machine.name));
    fmt::print("\n{}\n", draw_curve(drawing));
}

namespace detail {

// In what the row lies outside of what was seen; empty where in nothing.
[[nodiscard]] inline std::string why_extrapolated(const answer& all, const bellamy::assessment& row) {
    std::vector<std::string> reasons;
    if (row.predicted.outside_seen_scale_outs) {
        const auto seen = all.curves[all.machine_of(row)].seen_scale_outs();
        reasons.push_back(seen.smallest == seen.largest
                              ? fmt::format("only scale-out {} was seen", seen.smallest)
                              : fmt::format("only scale-outs {} to {} were seen", seen.smallest, seen.largest));
    }
    if (row.predicted.outside_seen_data_sizes)
        reasons.emplace_back("its data size, or the data for its memory, lies outside what was seen");
    return fmt::format("{}", fmt::join(reasons, " and "));
}

// What the choice rests on beyond what was seen, as parts of its sentence.
[[nodiscard]] inline std::string caveats_of(const answer& all, const bellamy::assessment& row) {
    std::string made;
    const auto number = all.machine_of(row);
    if (all.model.kind() == bellamy::model_kind::shapes && all.model.basis().observed_runs == 0 && all.basis.empty())
        return "; but that is based on other jobs alone, until a run of this one is given by --observe";
    if (const auto why = why_extrapolated(all, row); !why.empty()) made += "; but that extrapolates, since " + why;
    const auto unseen = bellamy::unseen_values(all.model, all.machines[number].job).value();
    for (const auto& each : unseen)
        made += fmt::format("; no run had {} {}: that is based on {}", each.property, each.value,
                            each.known.empty() ? "numbers there" : fmt::format("{}", fmt::join(each.known, ", ")));
    const bool is_far = row.predicted.unlike_any_seen_context && row.predicted.observed_runs == 0;
    const bool is_cold = all.model.kind() == bellamy::model_kind::shapes;
    if (is_far && is_cold) {
        made +=
            "; but no past run was similar: none that ended differs from this job in its data size alone, by a factor of "
            "two at most";
    } else if (is_far && unseen.empty() && !row.predicted.outside_seen_data_sizes) {
        made += "; but no past run was similar: a number of this job is far from those of all runs";
    }
    return printable(made);
}

}  // namespace detail

/// One sentence, caveats included.
inline void print_choice(const answer& all) {
    if (!all.choice.candidate) {
        fmt::print("No choice: none of the candidates has a usable prediction.\n");
        return;
    }
    const auto& row = *all.choice.candidate;
    const auto number = all.machine_of(row);
    const bool certain = row.predicted.is_point || !all.has_limit();
    const auto nodes =
        count(static_cast<std::size_t>(row.scale_out), to_string(all.model.schema().unit)) + detail::of_machine(all, number);
    if (!all.choice.meets_limit()) {
        fmt::print("No candidate meets {}{}; the closest is {}: {:.0f} s{}{}.\n", detail::limit_of(all),
                   certain ? "" : fmt::format(" with {:g} % probability", 100 * all.wanted.probability), nodes,
                   row.predicted.median_s,
                   certain ? "" : fmt::format(", {} probability", percent_of(row.probability, all.wanted.probability)),
                   detail::caveats_of(all, row));
        return;
    }
    fmt::print("Choose {}: predicted to take {:.0f} s", nodes, row.predicted.median_s);
    if (const double start_up_s = all.machines[number].costs.start_up_s; start_up_s > 0)
        fmt::print(" after a start-up of {:g} s", start_up_s);
    if (all.has_limit()) fmt::print(", within {}", detail::limit_of(all));
    const bool by_cost = all.wanted.cost_of_missing > 0;
    if (!certain)
        fmt::print(" with {:.1f} % probability{}", 100 * row.probability,
                   by_cost ? "" : fmt::format(" ({:g} % required)", 100 * all.wanted.probability));
    if (all.priced)
        fmt::print(", at an expected cost of {:.{}f}{}", row.expected_cost, detail::cost_decimals(all),
                   by_cost ? ", that of missing included" : "");
    fmt::print("{}.\n", detail::caveats_of(all, row));
}

/// One sentence where runs of this job count for little in the row that is chosen, or in every row; else nothing.
inline void print_what_contradicts(const answer& all) {
    const auto contradicts = [](const bellamy::assessment& row) { return row.predicted.contradictory_observed_runs; };
    const bool in_choice = all.choice.candidate && contradicts(*all.choice.candidate);
    const bool in_all = !all.table.empty() && std::all_of(all.table.begin(), all.table.end(), contradicts);
    if (in_choice || in_all)
        fmt::print("Runs of this very job contradict each other or the model: some of them count for little.\n");
}

}  // namespace tools

#endif
