// The choice among candidates.
#ifndef BELLAMY_PYTHON_DECISIONS_HPP
#define BELLAMY_PYTHON_DECISIONS_HPP

#include "answers.hpp"

namespace python {

/// Per unit and hour, start-up seconds, billing granularity, interruptions per hour, share done again.
using price = std::tuple<double, double, double, double, double>;

[[nodiscard]] inline bellamy_price to_price(const price& from) {
    const auto& [per_unit_and_hour, start_up_s, billing_granularity_s, interruptions_per_hour, rerun_share] = from;
    auto made = sized<bellamy_price>();
    made.per_unit_and_hour = per_unit_and_hour;
    made.start_up_s = start_up_s;
    made.billing_granularity_s = billing_granularity_s;
    made.interruptions_per_hour = interruptions_per_hour;
    made.rerun_share = rerun_share;
    return made;
}

/// What every row and every answer tells of a candidate.
void put_odds(nb::dict& to, const auto& row) {
    to["median_s"] = row.median_s;
    to["quantile_s"] = row.quantile_s;
    to["probability"] = row.probability;
    to["expected_cost"] = row.expected_cost;
}

[[nodiscard]] inline nb::dict to_dict(const bellamy_assessment& row) {
    nb::dict made;
    made["candidate"] = row.candidate;
    made["scale_out"] = row.scale_out;
    put_odds(made, row);
    made["verdict"] = bellamy_verdict_name(row.verdict);
    made["flags"] = row.flags;
    made["observed_runs"] = row.observed_runs;
    return made;
}

[[nodiscard]] inline nb::dict to_dict(const bellamy_decision& answer) {
    nb::dict made;
    made["candidate"] = answer.candidate;
    made["scale_out"] = answer.scale_out;
    put_odds(made, answer);
    made["outcome"] = answer.outcome;
    made["reason"] = bellamy_outcome_name(answer.outcome);
    made["flags"] = answer.flags;
    made["observed_runs"] = answer.observed_runs;
    return made;
}

template <class Row, class ToDict>
[[nodiscard]] nb::list to_list(const std::vector<Row>& rows, const ToDict& of) {
    nb::list made;
    for (const auto& each : rows) made.append(of(each));
    return made;
}

/// The decision, and a row for each candidate.
[[nodiscard]] inline nb::tuple choose(const std::vector<const curve*>& curves, const std::vector<int32_t>& scale_outs,
                                      const std::vector<price>& prices, int goal, double deadline_s, double budget,
                                      double probability, double cost_of_missing) {
    if (curves.size() != scale_outs.size() || curves.size() != prices.size())
        throw refusal{bellamy_errc_invalid_argument, "expected a curve, a scale-out and a price for each candidate"};
    std::vector<bellamy_price> paid;
    for (const auto& each : prices) paid.push_back(to_price(each));
    std::vector<bellamy_candidate> candidates;
    for (size_t i = 0; i < curves.size(); ++i)
        candidates.push_back(
            {sizeof(bellamy_candidate), curves[i] != nullptr ? curves[i]->get() : nullptr, &paid[i], scale_outs[i]});
    auto request = sized<bellamy_request>();
    request.deadline_s = deadline_s;
    request.budget = budget;
    request.probability = probability;
    request.cost_of_missing = cost_of_missing;
    request.goal = goal;
    auto decision = sized<bellamy_decision>();
    std::vector<bellamy_assessment> rows(candidates.size(), sized<bellamy_assessment>());
    call(bellamy_choose, candidates.data(), candidates.size(), &request, &decision, rows.data(), rows.size());
    return nb::make_tuple(to_dict(decision), to_list(rows, [](const auto& row) { return to_dict(row); }));
}

}  // namespace python

#endif
