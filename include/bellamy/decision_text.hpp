// A decision in words and as JSON, for logs and records.
#ifndef BELLAMY_DECISION_TEXT_HPP
#define BELLAMY_DECISION_TEXT_HPP

#include <bellamy/choose.hpp>
#include <bellamy/detail/base/decimal.hpp>

#include <cmath>
#include <string>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// JSON knows no number that is not finite.
inline std::string json_number(double number) { return std::isfinite(number) ? number_text(number) : "null"; }

inline std::string rounded(double number, double parts) { return json_number(std::round(number * parts) / parts); }

inline std::string to_text(const assessment& row, bool has_tags) {
    return "scale-out " + number_text(row.scale_out) + ", " + rounded(row.predicted.median_s, 10) +
           " s (median), probability " + rounded(row.probability, 1000) +
           (std::isnan(row.expected_cost) ? "" : ", expected cost " + rounded(row.expected_cost, 1000)) +
           (has_tags ? ", tag " + number_text(row.tag) : "");
}

inline std::string json_flag(bool is_set) { return is_set ? "true" : "false"; }

inline std::string to_json(const assessment& row) {
    return "{\"candidate\":" + number_text(row.candidate) + ",\"tag\":" + number_text(row.tag) +
           ",\"scale_out\":" + number_text(row.scale_out) + ",\"median_s\":" + json_number(row.predicted.median_s) +
           ",\"p90_s\":" + json_number(row.predicted.quantile_s(0.9)) + ",\"probability\":" + json_number(row.probability) +
           ",\"expected_cost\":" + json_number(row.expected_cost) + ",\"verdict\":\"" + std::string(to_string(row.why)) +
           "\",\"observed_runs\":" + number_text(row.predicted.observed_runs) +
           ",\"outside_seen_scale_outs\":" + json_flag(row.predicted.outside_seen_scale_outs) +
           ",\"outside_seen_data_sizes\":" + json_flag(row.predicted.outside_seen_data_sizes) +
           ",\"unlike_any_seen_context\":" + json_flag(row.predicted.unlike_any_seen_context) + "}";
}

}  // namespace detail

/// "meets the deadline: scale-out 6, 250 s (median), probability 0.9, expected cost 0.2" (no cost without a price), and a
/// line for each row of the table that `choose` filled, without a line's end after the last. Tags are shown, also those of
/// 0, where any of these candidates has another. Allocates.
[[nodiscard]] inline std::string to_text(const decision& choice, std::span<const assessment> table = {}) {
    bool has_tags = choice.candidate && choice.candidate->tag > 0;
    for (const auto& row : table) has_tags |= row.tag > 0;
    std::string text(to_string(choice.outcome));
    text += choice.candidate ? ": " + detail::to_text(*choice.candidate, has_tags) : ": no prediction is usable";
    for (const auto& row : table) text += "\n  " + detail::to_text(row, has_tags) + ": " + std::string(to_string(row.why));
    return text;
}

/// One JSON object in one line, with `feasible`, `meets_limit`, the outcome in words, the candidate (null where there is
/// none), the deadline that could be met, and the rows of the table. Numbers are those of the decision, to the last bit;
/// null where they are not finite. Allocates.
[[nodiscard]] inline std::string to_json(const decision& choice, std::span<const assessment> table = {}) {
    std::string text = "{\"outcome\":\"" + std::string(to_string(choice.outcome)) + "\"";
    text += ",\"feasible\":" + detail::json_flag(choice.feasible()) +
            ",\"meets_limit\":" + detail::json_flag(choice.meets_limit());
    text += ",\"attainable_deadline_s\":" + detail::json_number(choice.attainable_deadline_s);
    text += ",\"candidate\":" + (choice.candidate ? detail::to_json(*choice.candidate) : "null") + ",\"table\":[";
    for (const auto& row : table) text += (&row == table.data() ? "" : ",") + detail::to_json(row);
    return text + "]}";
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
