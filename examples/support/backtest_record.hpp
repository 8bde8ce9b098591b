// Scores of a back-test as JSON.
#ifndef BELLAMY_EXAMPLES_BACKTEST_RECORD_HPP
#define BELLAMY_EXAMPLES_BACKTEST_RECORD_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backtest_score.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json to_json(const backtested& of) {
    using json = nlohmann::ordered_json;
    const auto errors = score_of(of.tries);
    const auto proposals = proposals_of(of.tries);
    const auto if_known = [&](double value) { return proposals.known() > 0 ? json(value) : json(nullptr); };
    return {{"application", of.application},
            {"runs", of.runs},
            {"predicted", errors.predicted},
            {"not_predicted", of.why_none.empty() ? json(nullptr) : json(of.why_none)},
            {"median_error",
             {{"bellamy", errors.error},
              {"size_known", errors.size_known},
              {"ernest", errors.ernest},
              {"boosting", errors.boosting},
              {"last_run", errors.last_run}}},
            {"within_interval", errors.within_interval},
            {"within_p90", errors.within_p90},
            {"proposals",
             {{"deadline_s", of.deadline_s > 0 ? json(of.deadline_s) : json(nullptr)},
              {"probability", of.probability > 0 ? json(of.probability) : json(nullptr)},
              {"same_size", proposals.same_size},
              {"compared", proposals.compared},
              {"not_compared", proposals.not_compared},
              {"unit_hours_run", if_known(proposals.run_unit_s / 3600)},
              {"unit_hours_proposed", if_known(proposals.proposed_unit_s / 3600)},
              {"stopped_after", of.stopped_after ? json(*of.stopped_after) : json(nullptr)},
              {"in_time_run", proposals.run_in_time},
              {"in_time_proposed", proposals.proposed_in_time}}}};
}

// A prediction for each run that has one; null where a method has none.
[[nodiscard]] inline nlohmann::ordered_json predictions_of(const backtested& of) {
    using json = nlohmann::ordered_json;
    json made = json::array();
    const auto if_known = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
    for (const auto& each : of.tries)
        made.push_back({{"run", each.run},
                        {"measured_s", each.measured_s},
                        {"bellamy_s", each.predicted.median_s},
                        {"ernest_s", if_known(each.ernest_s)},
                        {"boosting_s", if_known(each.boosting_s)}});
    return made;
}

}  // namespace detail

/// The applications and `together`; a deadline of 0 is null: that of the size of the run before.
[[nodiscard]] inline nlohmann::ordered_json to_json(const std::vector<backtested>& all, const backtested& together,
                                                    std::string_view unit, double deadline_s, double probability) {
    using json = nlohmann::ordered_json;
    json applications = json::array();
    for (const auto& application : all) {
        auto scores = detail::to_json(application);
        scores["predictions"] = detail::predictions_of(application);
        applications.push_back(std::move(scores));
    }
    return {{"unit", unit},
            {"deadline_s", deadline_s > 0 ? json(deadline_s) : json(nullptr)},
            {"probability", probability},
            {"applications", std::move(applications)},
            {"all", detail::to_json(together)}};
}

}  // namespace tools

#endif
