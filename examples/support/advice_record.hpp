// Writes advice as JSON, for programs that submit.
#ifndef BELLAMY_EXAMPLES_ADVICE_RECORD_HPP
#define BELLAMY_EXAMPLES_ADVICE_RECORD_HPP

#include <cmath>
#include <nlohmann/json.hpp>

#include "advice.hpp"
#include "ledger.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json to_json(const spark_size& size) {
    const auto known = [](std::int64_t value) {
        return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    if (size.is_flink)
        return {{"parallelism", known(size.total_cores)},
                {"task_managers", known(size.executors)},
                {"slots_per_task_manager", known(size.executor_cores)}};
    return {{"executors", known(size.executors)},
            {"executor_cores", known(size.executor_cores)},
            {"executor_memory_MB", known(size.executor_memory_mb)},
            {"total_cores", known(size.total_cores)},
            {"dynamic_allocation", size.is_dynamic},
            {"cores_max", known(size.total_cores > 0 ? size.total_cores : size.executors * size.executor_cores)},
            {"local", size.is_local}};
}

[[nodiscard]] inline nlohmann::ordered_json to_json(const bellamy::assessment& row, const advice& made) {
    const auto& predicted = row.predicted;
    nlohmann::ordered_json json{{"scale_out", row.scale_out},
                                {"median_s", predicted.median_s},
                                {"quantile_s", predicted.quantile_s(made.wanted.probability)},
                                {"probability", row.probability},
                                {"expected_unit_hours", row.expected_cost},
                                {"verdict", made.verdict_on(row)},
                                {"observed_runs", predicted.observed_runs},
                                {"outside_seen_scale_outs", predicted.outside_seen_scale_outs},
                                {"outside_seen_data_sizes", predicted.outside_seen_data_sizes},
                                {"unlike_any_seen_context", predicted.unlike_any_seen_context}};
    if (made.heap_mb) {
        const auto heap = made.heap_mb->at(row.scale_out);
        json["executor_heap_median_MB"] = heap.median_s;
        json["executor_heap_p90_MB"] = heap.quantile_s(0.9);
    }
    return json;
}

}  // namespace detail

/// What became of past proposals; money is null without a price.
[[nodiscard]] inline nlohmann::ordered_json to_json(const ledger_sums& sums, double price_per_hour) {
    using json = nlohmann::ordered_json;
    return {{"proposals", sums.proposals},
            {"applied", sums.applied},
            {"in_time", sums.in_time},
            {"stated_in_time", sums.stated_in_time},
            {"unit_hours", sums.unit_hours},
            {"unit_hours_before", sums.unit_hours_before},
            {"saved_money", price_per_hour > 0 ? json(sums.saved() * price_per_hour) : json(nullptr)}};
}

/// One application: what is asked, the present and the proposed size, what speaks for it, and the table. Null for what there
/// is not.
[[nodiscard]] inline nlohmann::ordered_json to_json(const application_history& of, const advice& made,
                                                    double price_per_hour) {
    using json = nlohmann::ordered_json;
    const auto numbers = bellamy::context_numbers(of.runs);
    const auto reference = of.last_complete();
    json nearest = json::array();
    for (const auto i : made.nearest)
        nearest.push_back({{"run", of.facts[i].id},
                           {"same_context", of.runs[i].context == made.like},
                           {"scale_out", of.runs[i].scale_out},
                           {"runtime_s", of.runs[i].runtime_s},
                           {"censored", of.runs[i].censored}});
    json table = json::array();
    for (const auto& row : made.rows) table.push_back(detail::to_json(row, made));
    json sizes = json::array();
    for (const auto& each : made.size.sizes) sizes.push_back({{"size", each.size_mb}, {"share", each.share}});
    json record{{"application", of.name},
                {"runs", of.runs.size()},
                {"contexts", 1 + *std::max_element(numbers.begin(), numbers.end())},
                {"unit", to_string(of.runs[reference].context.unit)},
                {"deadline_s", made.wanted.deadline_s},
                {"deadline_from", to_string(made.from)},
                {"waits_s", made.waits_s},
                {"probability", made.wanted.probability},
                {"feasible", made.proposal.has_value()},
                {"present", detail::to_json(made.present, made)},
                {"proposed", nullptr},
                {"feasible_deadline", nullptr},
                {"stopped", made.stopped.empty() ? json(nullptr) : json(made.stopped)},
                {"saving", made.saving()},
                {"saved_money",
                 price_per_hour > 0 && made.proposal ? json(made.saved_unit_hours() * price_per_hour) : json(nullptr)},
                {"probability_gained", made.probability_gained()},
                {"basis", to_string(made.basis)},
                {"data_size", {{"how", made.size.how}, {"unit", of.size_unit}, {"sizes", std::move(sizes)}}},
                {"nearest_runs", std::move(nearest)},
                {"drift", nullptr},
                {"change", nullptr},
                {"warnings", made.warnings},
                {"table", std::move(table)}};
    record["present"]["configuration"] = detail::to_json(of.facts[reference].size);
    if (made.proposal) {
        record["proposed"] = detail::to_json(*made.proposal, made);
        record["proposed"]["configuration"] = detail::to_json(proposed_size(of, made));
    }
    if (made.feasible_deadline)
        record["feasible_deadline"] = {{"scale_out", made.feasible_deadline->scale_out},
                                       {"deadline_s", made.feasible_deadline->deadline_s}};
    if (const auto& test = made.latest.test)
        record["drift"] = {
            {"runs", test->runs}, {"mean_standard_deviations", test->mean_deviate}, {"probability", test->probability}};
    if (const auto& change = made.latest.change)
        record["change"] = {{"runs", change->runs},
                            {"factor", std::exp(change->log_factor)},
                            {"probability", change->test.probability},
                            {"stays", change->stays}};
    return record;
}

}  // namespace tools

#endif
