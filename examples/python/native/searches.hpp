// The search for a job's cheapest cluster in a few runs.
#ifndef BELLAMY_PYTHON_SEARCHES_HPP
#define BELLAMY_PYTHON_SEARCHES_HPP

#include <cmath>

#include "decisions.hpp"

namespace python {

using exploration_prior = handle<bellamy_exploration_prior, bellamy_exploration_prior_release>;

/// Definitions of the properties, unit, and for each run its context and outcome.
using recorded_job = std::tuple<std::vector<definition>, int, std::vector<nb::dict>, std::vector<outcome>>;

[[nodiscard]] inline exploration_prior learn_exploration(const std::vector<recorded_job>& jobs) {
    std::deque<contexts> known;
    std::deque<std::vector<bellamy_run>> runs;
    std::vector<bellamy_other_job> rows;
    for (const auto& [properties, unit, of, outcomes] : jobs) {
        const auto& own = known.emplace_back(properties, std::vector<definition>{}, unit, of);
        const auto& all = runs.emplace_back(runs_of(own, outcomes));
        rows.push_back({sizeof(bellamy_other_job), all.data(), all.size()});
    }
    exploration_prior made;
    call_without_lock(bellamy_learn_exploration, rows.data(), rows.size(), made.out());
    return made;
}

[[nodiscard]] inline nb::dict to_dict(const bellamy_proposed_trial& row) {
    nb::dict made;
    made["candidate"] = row.candidate;
    put_odds(made, row);
    made["expected_gain"] = std::isnan(row.expected_gain) ? nb::none() : nb::object(nb::float_(row.expected_gain));
    return made;
}

[[nodiscard]] inline nb::dict to_dict(const bellamy_exploration& answer) {
    nb::dict made;
    made["verdict"] = answer.verdict;
    made["reason"] = bellamy_exploration_verdict_name(answer.verdict);
    made["best_run"] = answer.best_run;
    made["candidate"] = answer.candidate;
    made["scale_out"] = answer.scale_out;
    put_odds(made, answer);
    made["meets_limit"] = answer.limit == bellamy_verdict_chosen;
    made["observed_runs"] = answer.observed_runs;
    return made;
}

/// Goal, deadline, budget, probability, cost of missing; runs to come, least gain, trials.
using search_request = std::tuple<int, double, double, double, double, double, double, size_t>;

/// The answer, and a row for each run proposed. The properties are those of candidates and runs alike.
[[nodiscard]] inline nb::tuple explore(const std::vector<definition>& properties, int unit,
                                       const std::vector<nb::dict>& where, const std::vector<int32_t>& scale_outs,
                                       const std::vector<price>& prices, const std::vector<nb::dict>& of,
                                       const std::vector<outcome>& outcomes, const search_request& asked,
                                       const exploration_prior* known) {
    if (where.size() != scale_outs.size() || where.size() != prices.size())
        throw refusal{bellamy_errc_invalid_argument, "expected a context, a scale-out and a price for each candidate"};
    const contexts clusters(properties, {}, unit, where);
    const contexts observed(properties, {}, unit, of);
    const auto runs = runs_of(observed, outcomes);
    std::vector<bellamy_price> paid;
    for (const auto& each : prices) paid.push_back(to_price(each));
    std::vector<bellamy_trial_candidate> candidates;
    for (size_t i = 0; i < where.size(); ++i)
        candidates.push_back({sizeof(bellamy_trial_candidate), &clusters.all()[i], &paid[i], scale_outs[i]});
    const auto& [goal, deadline_s, budget, probability, cost_of_missing, runs_to_come, least_gain, trials] = asked;
    auto wanted = sized<bellamy_request>();
    wanted.deadline_s = deadline_s;
    wanted.budget = budget;
    wanted.probability = probability;
    wanted.cost_of_missing = cost_of_missing;
    wanted.goal = goal;
    auto request = sized<bellamy_exploration_request>();
    request.wanted = &wanted;
    request.runs_to_come = runs_to_come;
    request.least_gain = least_gain;
    auto answer = sized<bellamy_exploration>();
    // No more than there are candidates can be proposed.
    std::vector<bellamy_proposed_trial> next(std::min(trials, candidates.size() + 1), sized<bellamy_proposed_trial>());
    call_without_lock(bellamy_explore, candidates.data(), candidates.size(), runs.data(), runs.size(), &request,
                      known == nullptr ? nullptr : known->get(), &answer, next.data(), next.size());
    next.resize(answer.proposed);
    return nb::make_tuple(to_dict(answer), to_list(next, [](const auto& row) { return to_dict(row); }));
}

}  // namespace python

#endif
