// The answer of `bellamy allocate` as JSON.
#ifndef BELLAMY_EXAMPLES_ANSWER_RECORD_HPP
#define BELLAMY_EXAMPLES_ANSWER_RECORD_HPP

#include <nlohmann/json.hpp>
#include <string>

#include "answer.hpp"
#include "model_record.hpp"

namespace tools {

/// All of the table and what it is based on; null for what was not asked and for numbers that are not finite. `choice`
/// counts the candidates from 0, `chosen` is that row itself: the one chosen or, when infeasible, the best effort.
[[nodiscard]] inline nlohmann::ordered_json to_json(const answer& all) {
    using json = nlohmann::ordered_json;
    const auto if_asked = [](bool asked, double value) { return asked ? json(value) : json(nullptr); };

    json machines = json::array();
    for (const auto& each : all.machines) {
        json observed = json::array();
        for (const auto& run : each.observed)
            observed.push_back({{"scale_out", run.scale_out}, {"runtime_s", run.runtime_s}});
        machines.push_back({{"name", each.name},
                            {"price_per_unit_and_hour", if_asked(all.priced, each.costs.per_unit_and_hour)},
                            {"start_up_s", each.costs.start_up_s},
                            {"billing_granularity_s", each.costs.billing_granularity_s},
                            {"interruptions_per_hour", each.costs.interruptions_per_hour},
                            {"rerun_share", each.costs.rerun_share},
                            {"observed", std::move(observed)}});
    }
    json candidates = json::array();
    for (const auto& row : all.table) {
        const auto& predicted = row.predicted;
        candidates.push_back({{"machine", all.machines[all.machine_of(row)].name},
                              {"scale_out", row.scale_out},
                              {"median_s", predicted.median_s},
                              {"quantile_s", predicted.quantile_s(all.wanted.probability)},
                              {"is_point", predicted.is_point},
                              {"probability", if_asked(all.has_limit(), row.probability)},
                              {"expected_cost", if_asked(all.priced, row.expected_cost)},
                              {"verdict", to_string(row.why)},
                              {"outside_seen_scale_outs", predicted.outside_seen_scale_outs},
                              {"outside_seen_data_sizes", predicted.outside_seen_data_sizes},
                              {"unlike_any_seen_context", predicted.unlike_any_seen_context},
                              {"contradictory_observed_runs", predicted.contradictory_observed_runs},
                              {"observed_runs", predicted.observed_runs},
                              {"based_on", rests_on(all.model.kind(), predicted)}});
    }
    const json choice = all.choice.candidate ? json(all.choice.candidate->candidate) : json(nullptr);
    const json chosen = all.choice.candidate ? candidates[all.choice.candidate->candidate] : json(nullptr);
    return {{"model", to_json(all.model)},
            {"unit", to_string(all.model.schema().unit)},
            {"goal", all.goal},
            {"deadline_s", if_asked(all.has_deadline(), all.wanted.deadline_s)},
            {"budget", if_asked(all.wanted.budget > 0, all.wanted.budget)},
            {"probability", all.wanted.probability},
            {"cost_of_missing", if_asked(all.wanted.cost_of_missing > 0, all.wanted.cost_of_missing)},
            {"machines", std::move(machines)},
            {"candidates", std::move(candidates)},
            {"feasible", all.choice.meets_limit()},
            {"choice", choice},
            {"chosen", chosen}};
}

}  // namespace tools

#endif
