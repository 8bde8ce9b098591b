// Writes a report as JSON, in the words of the record of `recommend`.
#ifndef BELLAMY_EXAMPLES_REPORT_RECORD_HPP
#define BELLAMY_EXAMPLES_REPORT_RECORD_HPP

#include <cmath>
#include <nlohmann/json.hpp>

#include "advice_record.hpp"
#include "backtest_record.hpp"
#include "machine_text.hpp"
#include "report_text.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json to_json(const period_sums& sums, const price_list& prices) {
    using json = nlohmann::ordered_json;
    const auto money = [&](bool is_known, double amount) {
        return prices.is_empty() || !is_known ? json(nullptr) : json(amount);
    };
    return {{"runs", sums.runs},
            {"unsuccessful_runs", sums.unsuccessful_runs},
            {"unit_hours", sums.unit_hours},
            {"unsuccessful_unit_hours", sums.unsuccessful_unit_hours},
            {"money", money(sums.has_cost(), sums.cost)},
            {"older_attempts", sums.older_attempts},
            {"older_attempt_unit_hours", sums.older_attempt_unit_hours},
            {"older_attempt_money", money(sums.has_older_attempt_cost(), sums.older_attempt_cost)}};
}

[[nodiscard]] inline nlohmann::ordered_json to_json(const bellamy::assessment& row, const spark_size& size) {
    return {{"scale_out", row.scale_out},
            {"median_s", row.predicted.median_s},
            {"probability", row.probability},
            {"expected_unit_hours", row.expected_cost},
            {"configuration", to_json(size)}};
}

[[nodiscard]] inline nlohmann::ordered_json to_json(const held_sizes& sizes) {
    return {{"next", sizes.next_mb},
            {"largest_seen", sizes.largest_seen_mb},
            {"up_to", sizes.up_to_mb},
            {"no_larger_tried", sizes.is_end}};
}

// Of the back-test without its peer that takes most of the time.
[[nodiscard]] inline nlohmann::ordered_json short_record_of(const backtested& of) {
    auto record = to_json(of);
    for (const char* key : {"application", "runs"}) record.erase(key);
    record["median_error"].erase("boosting");
    return record;
}

[[nodiscard]] inline nlohmann::ordered_json to_json(const reported_application& one, const price_list& prices,
                                                    const report_style& style) {
    using json = nlohmann::ordered_json;
    const auto& of = *one.of;
    json record{{"application", of.name}, {"runs", of.runs.size()}, {"period", to_json(one.period, prices)}};
    record["backtest"] = one.tested ? short_record_of(*one.tested) : json(nullptr);
    if (!one.advice) {
        record["error"] =
            style.is_redacted ? json(to_string(one.advice.error().code())) : json(one.advice.error().message());
        return record;
    }
    const auto& advice = *one.advice;
    record["deadline_s"] = advice.wanted.deadline_s;
    record["deadline_stated"] = one.has_deadline;
    record["probability"] = advice.wanted.probability;
    record["at_risk"] = one.is_at_risk();
    record["present"] = to_json(advice.present, of.facts[of.last_complete()].size);
    record["proposed"] = advice.proposal ? to_json(*advice.proposal, proposed_size(of, advice)) : json(nullptr);
    record["saving"] = advice.saving();
    record["saved_unit_hours"] = one.saved_unit_hours();
    record["saved_money"] = one.price_per_hour > 0 ? json(one.saved_cost()) : json(nullptr);
    record["basis"] = to_string(advice.basis);
    record["change_factor"] = advice.latest.change ? json(std::exp(advice.latest.change->log_factor)) : json(nullptr);
    record["warnings"] = advice.warnings;
    record["late_runs"] =
        one.latest_late ? json{{"runs", one.latest_late->runs}, {"late", one.latest_late->late}} : json(nullptr);
    record["held_data_size"] = one.held ? to_json(*one.held) : json(nullptr);
    record["machines"] = tools::to_json(one.machines);
    record["machines_not_compared"] = one.why_no_machines.empty() ? json(nullptr) : json(one.why_no_machines);
    record["past_proposals"] = one.past ? tools::to_json(one.past->sums, one.price_per_hour) : json(nullptr);
    return record;
}

}  // namespace detail

/// The fleet, then its applications, those that save most first. Null for what there is not.
[[nodiscard]] inline nlohmann::ordered_json to_json(const fleet_report& report, const report_style& style) {
    using json = nlohmann::ordered_json;
    auto applications = json::array();
    for (const auto& one : report.applications) applications.push_back(detail::to_json(one, report.prices, style));
    auto answers = json::array();
    for (const auto& each : answers_of(report, short_names(report), style))
        answers.push_back({{"question", each.question}, {"answer", each.answer}});
    auto past = report.past ? to_json(*report.past, 0) : json(nullptr);
    if (report.past && !report.prices.is_empty()) past["saved_money"] = report.saved_cost_of_past;
    const auto& sums = report.proposals;
    return {{"unit", to_string(report.unit)},
            {"from_s", report.tells_starts ? json(report.from_s) : json(nullptr)},
            {"until_s", report.tells_starts ? json(report.until_s) : json(nullptr)},
            {"runs_without_start", report.runs_without_start},
            {"period", detail::to_json(report.period, report.prices)},
            {"proposals",
             {{"saving", sums.saving_applications},
              {"saved_unit_hours", sums.saved_unit_hours},
              {"costlier", sums.costlier_applications},
              {"added_unit_hours", sums.added_unit_hours},
              {"runs", sums.runs},
              {"in_time_at_present", sums.in_time_at_present},
              {"in_time_as_proposed", sums.in_time_as_proposed}}},
            {"past_proposals", std::move(past)},
            {"answers", std::move(answers)},
            {"applications", std::move(applications)}};
}

}  // namespace tools

#endif
