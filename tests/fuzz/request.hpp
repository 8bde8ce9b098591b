// Any request, prices and candidates: the choice is the one that a search by hand finds.
#ifndef BELLAMY_TESTS_FUZZ_REQUEST_HPP
#define BELLAMY_TESTS_FUZZ_REQUEST_HPP

#include <bellamy/choose.hpp>

#include <vector>

#include "../support/made_up_blend.hpp"
#include "../support/made_up_curve.hpp"
#include "input.hpp"

namespace fuzz {

/// A curve with quantiles, points, points that turn negative, and a network whose numbers mean nothing.
[[nodiscard]] inline const std::vector<bellamy::curve>& curves() {
    static const std::vector<bellamy::curve> all{
        *support::made_up_blend().bind(support::made_up_context(55)),
        *support::made_up_blend().condition(std::vector{support::made_up_run(300, 4)})->bind(support::made_up_context(300)),
        support::made_up_curve(400, 20), support::made_up_curve(100, 50, -2),
        *support::random_model().bind(support::made_up_context(1000))};
    return all;
}

[[nodiscard]] inline bellamy::request any_request(input& from) {
    // Beyond the last goal on purpose: a number that is none must be refused.
    bellamy::request wanted{.goal = static_cast<bellamy::goal>(from.below(5))};
    wanted.deadline_s = from.any_real();
    wanted.budget = from.any_real();
    wanted.probability = from.yes() ? from.between(0, 1) : from.any_real();
    if (from.yes()) wanted.cost_of_missing = from.yes() ? from.between(0, 100) : from.any_real();
    // A limit that the goal does not have is refused.
    if (from.yes()) {
        if (wanted.goal != bellamy::goal::fastest_within_budget) wanted.budget = 0;
        if (wanted.goal != bellamy::goal::least_expected_cost) wanted.cost_of_missing = 0;
        if (wanted.goal > bellamy::goal::cheapest_within_deadline && !(wanted.cost_of_missing > 0)) wanted.deadline_s = 0;
    }
    return wanted;
}

[[nodiscard]] inline bellamy::candidate any_candidate(input& from) {
    const auto which = from.below(16);
    bellamy::candidate made;
    if (which < 15) made.runtimes = &curves()[which % curves().size()];
    made.scale_out = static_cast<int>(from.yes() ? from.below(64) : from.number<std::uint32_t>());
    made.costs.per_unit_and_hour = 0;
    if (from.yes()) return made;
    made.costs.per_unit_and_hour = from.yes() ? from.between(0, 10) : from.any_real();
    made.costs.start_up_s = from.yes() ? from.between(0, 600) : from.any_real();
    made.costs.billing_granularity_s = from.yes() ? 60 : from.any_real();
    made.costs.interruptions_per_hour = from.yes() ? from.between(0, 5) : from.any_real();
    made.costs.rerun_share = from.yes() ? from.between(0, 1) : from.any_real();
    return made;
}

/// Whether the first row is better by what the goal says.
[[nodiscard]] inline bool better(const bellamy::request& wanted, const std::vector<bellamy::candidate>& list,
                                 const bellamy::assessment& one, const bellamy::assessment& other) {
    switch (wanted.goal) {
        case bellamy::goal::smallest_within_deadline: return one.scale_out < other.scale_out;
        case bellamy::goal::fastest_within_budget:
            return time_to_result_s(list[one.candidate].costs, one.predicted.median_s) <
                   time_to_result_s(list[other.candidate].costs, other.predicted.median_s);
        default: return one.expected_cost < other.expected_cost;
    }
}

inline void try_request(bytes all) {
    input from(all);
    const auto wanted = any_request(from);
    std::vector<bellamy::candidate> list;
    while (!from.empty() && list.size() < 40) list.push_back(any_candidate(from));
    std::vector<bellamy::assessment> table(list.size());
    const auto decided = choose(list, wanted, table);
    const auto without_table = choose(list, wanted);
    require(decided.has_value() == without_table.has_value(), "the table changes nothing");
    if (!decided) {
        require(!decided.error().message().empty(), "what is refused is explained");
        return;
    }
    require(wanted.goal <= bellamy::goal::least_expected_cost, "a goal that is none is refused");
    require(wanted.budget == 0 || wanted.goal == bellamy::goal::fastest_within_budget, "no budget is ignored");
    require(wanted.deadline_s == 0 || wanted.goal <= bellamy::goal::cheapest_within_deadline || wanted.cost_of_missing > 0,
            "no deadline is ignored");
    require(wanted.cost_of_missing == 0 || wanted.goal == bellamy::goal::least_expected_cost,
            "no cost of missing is ignored");
    require(decided->outcome == without_table->outcome, "the table changes nothing");

    std::size_t chosen = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto& row = table[i];
        require(row.candidate == i && row.scale_out == list[i].scale_out, "every candidate has its row");
        require(row.probability >= 0 && row.probability <= 1, "a probability lies between 0 and 1");
        require(row.predicted.usable() == (row.why != bellamy::verdict::not_usable), "what is not usable is never chosen");
        if (row.why != bellamy::verdict::not_usable)
            require(row.expected_cost >= 0 || std::isnan(list[i].costs.per_unit_and_hour), "nothing is paid for being run");
        if (row.why == bellamy::verdict::chosen) ++chosen;
    }
    require(chosen == (decided->meets_limit() ? 1U : 0U), "one candidate is chosen where one keeps the limit");
    if (!decided->candidate) {
        for (const auto& row : table)
            require(row.why == bellamy::verdict::not_usable, "the best effort is only missing where nothing is usable");
        return;
    }
    const auto& best = *decided->candidate;
    for (const auto& row : table) {
        if (row.why == bellamy::verdict::not_usable) continue;
        const bool keeps = row.probability >= wanted.probability || wanted.cost_of_missing > 0;
        if (decided->meets_limit()) {
            require(wanted.cost_of_missing > 0 || best.probability >= wanted.probability, "the choice keeps the limit");
            if (keeps) require(!better(wanted, list, row, best), "no candidate that keeps the limit is better");
        } else {
            require(!keeps, "infeasible means that no candidate keeps the limit");
            if (row.probability >= bellamy::detail::hopeless_probability) {
                require(row.probability <= best.probability, "the best effort is the likeliest");
            } else if (best.probability < bellamy::detail::hopeless_probability) {
                const bool by_cost = wanted.goal == bellamy::goal::fastest_within_budget;
                require(
                    by_cost ? best.expected_cost <= row.expected_cost : best.predicted.median_s <= row.predicted.median_s,
                    "of hopeless candidates the best effort misses the limit by least");
            }
        }
    }
    bellamy::request later = wanted;
    later.deadline_s *= 1.5;
    if (const auto relaxed = choose(list, later); decided->meets_limit() && relaxed) {
        require(relaxed->meets_limit(), "what is feasible stays so with a later deadline");
        require(!better(wanted, list, best, *relaxed->candidate), "a later deadline makes no choice worse");
    }
}

}  // namespace fuzz

#endif
