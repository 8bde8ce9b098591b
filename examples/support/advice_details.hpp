// Prints what is advised on one application: every size, what the odds rest on, what speaks against the proposal.
#ifndef BELLAMY_EXAMPLES_ADVICE_DETAILS_HPP
#define BELLAMY_EXAMPLES_ADVICE_DETAILS_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "advised.hpp"
#include "answer_text.hpp"
#include "printable.hpp"
#include "text_table.hpp"

namespace tools {

/// The advice in the form that allocate prints and draws. Precondition: there is one.
[[nodiscard]] inline answer to_answer(const advised& one) {
    const auto& made = *one.advice;
    answer all{.model = made.model,
               .wanted = made.wanted,
               .goal = "cheapest",
               .machines = {{.job = made.like}},
               .curves = {made.runtimes},
               .scale_outs = made.scale_outs,
               .table = made.rows,
               .choice = made.choice,
               .without_memory = made.without_memory,
               .is_withheld = !made.stopped.empty(),
               .basis = basis_of(one)};
    for (const auto& run : one.of->runs)
        if (run.context == made.like && !run.censored) all.machines.front().observed.push_back(run);
    return all;
}

namespace detail {

[[nodiscard]] inline std::string value_of(const bellamy::property& of) {
    if (const auto* text = of.value.text()) return *text;
    if (const auto* number = of.value.natural()) return fmt::format("{}", *number);
    if (const auto* number = of.value.quantity()) return fmt::format("{:g}", *number);
    return "?";
}

inline void print_nearest(const advised& one) {
    text_table table;
    table.add_column("nearest runs", false);
    table.add_column("scale-out", true);
    table.add_column("seconds", true);
    table.add_column("properties", false);
    for (const auto i : one.advice->nearest) {
        const auto& run = one.of->runs[i];
        std::vector<std::string> values;
        for (const auto& property : run.context.essential) values.push_back(property.name + "=" + value_of(property));
        table.add_cell(one.of->facts[i].id);
        table.add_cell(fmt::format("{}", run.scale_out));
        table.add_cell(fmt::format("{:.1f}{}", run.runtime_s, run.censored ? " at least" : ""));
        table.add_cell(fmt::format("{}", fmt::join(values, ", ")));
    }
    fmt::print("{}", table.text());
}

[[nodiscard]] inline std::size_t contexts_of(const application_history& of) {
    const auto numbers = bellamy::context_numbers(of.runs);
    return 1 + *std::max_element(numbers.begin(), numbers.end());
}

// What is known of the application and of its next run before any prediction.
inline void print_known(const advised& one) {
    const auto& made = *one.advice;
    fmt::print("application  {}, {} in {}\n", printable(one.of->name), count(one.of->runs.size(), "run"),
               count(contexts_of(*one.of), "context"));
    fmt::print("based on     {}\n", printable(basis_of(one)));
    if (const auto& sizes = made.size.sizes; !sizes.empty()) {
        fmt::print("data size    {} {}", sizes[sizes.size() / 2].size_mb, one.of->size_unit);
        if (sizes.size() > 1) fmt::print(" ({} to {} {})", sizes.front().size_mb, sizes.back().size_mb, one.of->size_unit);
        fmt::print(", {}\n", made.size.how);
    }
    fmt::print("last run at  {}: {}{}\n",
               count(static_cast<std::size_t>(made.present.scale_out), to_string(last_complete(one).context.unit)),
               describe(one.of->facts[one.of->last_complete()].size), machines_of(one));
    if (!made.waits_s.empty())
        fmt::print("first executor after {:.0f} s ({:.0f} to {:.0f} s): the deadline counts from submission\n",
                   made.waits_s[made.waits_s.size() / 2], made.waits_s.front(), made.waits_s.back());
    if (made.latest.test || made.latest.change) fmt::print("drift        {}\n", drift_of(made));
}

inline void print_proposal(const advised& one, const money& price_per_hour) {
    const auto& made = *one.advice;
    fmt::print("{}{}: {}; in time with {:.1f} %, at the size now with {:.1f} %.\n", describe(proposed_size(*one.of, made)),
               machines_of(one), gain_of(made, price_per_hour), 100 * made.proposal->probability,
               100 * made.present.probability);
    if (price_per_hour.amount > 0) {
        const auto cost_of = [&](const bellamy::assessment& row) {
            return to_text({row.expected_cost * price_per_hour.amount, price_per_hour.currency});
        };
        fmt::print("A run is expected to cost {}, at the size now {}.\n", cost_of(*made.proposal), cost_of(made.present));
    }
    if (!made.heap_mb) return;
    const auto heap = made.heap_mb->at(made.proposal->scale_out);
    fmt::print("Largest heap of an executor: {:.0f} MB (median), {:.0f} MB (90 %).\n", heap.median_s, heap.quantile_s(0.9));
}

}  // namespace detail

/// Costs in money, too, where the price of an hour of a unit of scale-out is above 0. Precondition: there is an advice.
inline void print_advice(const advised& one, const money& price_per_hour) {
    const auto all = to_answer(one);
    detail::print_known(one);
    fmt::print("\n");
    detail::print_nearest(one);
    fmt::print("\n");
    print_table(all);
    print_curve(all);
    if (one.advice->stopped.empty()) print_choice(all);
    if (one.advice->proposal) detail::print_proposal(one, price_per_hour);
    for (const auto& warning : one.advice->warnings) fmt::print("Warning: {}.\n", printable(warning));
}

}  // namespace tools

#endif
