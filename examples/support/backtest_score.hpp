// Scores of a back-test: errors of the predictions, and proposed sizes against those that ran.
#ifndef BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP
#define BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stop_rule.hpp"

namespace tools {

// The size that would have been proposed before a run.
struct proposed_run {
    int scale_out = 0;
    double deadline_s = 0;
    double stated = 0;               // probability of meeting it
    std::optional<double> time_s{};  // to the result at that size; empty where no recorded run shows it
    double log_size_ratio = 0;       // of the data size of the run that shows it to that of the run itself
};

// A run that was predicted, by every method.
struct tried {
    std::size_t run = 0;     // which of the application's
    double measured_s = 0;   // from the first executor
    double to_result_s = 0;  // from where deadlines count
    int scale_out = 0;
    std::optional<proposed_run> proposal{};
    bellamy::prediction predicted{};            // by what a submission knows: the data size is forecast, and integrated over
    bellamy::prediction predicted_to_result{};  // the waits for the first executor included where deadlines do
    std::optional<bellamy::prediction> size_known{};
    std::optional<double> ernest_s{};
    std::optional<double> boosting_s{};
    double last_run_s = 0;
};

struct backtested {
    std::string application{};
    std::size_t runs = 0;
    /// That proposals were to meet, and with what probability; 0 where it is what the size of the run before keeps, and of
    /// several applications together.
    double deadline_s = 0;
    double probability = 0;
    std::vector<tried> tries{};
    std::size_t refused = 0;
    /// Of the proposals whose runtime a run shows, how many the ledger's rule would have let pass before it stopped them;
    /// empty where it would not have.
    std::optional<std::size_t> stopped_after{};
    /// Why no run was predicted; empty where one was, or where there is one run.
    std::string why_none{};
};

namespace detail {

[[nodiscard]] inline double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace detail

struct score {
    std::size_t predicted = 0;
    double error = 0;
    double size_known = 0;
    double ernest = 0;
    double boosting = 0;
    double last_run = 0;
    double within_interval = 0;  // of 5 % to 95 %
    double within_p90 = 0;
};

// Median relative errors.
[[nodiscard]] inline score score_of(const std::vector<tried>& tries) {
    score made{.predicted = tries.size()};
    std::vector<double> own;
    std::vector<double> known;
    std::vector<double> ernest;
    std::vector<double> boosting;
    std::vector<double> last;
    double within_interval = 0;
    double within_p90 = 0;
    for (const auto& each : tries) {
        const auto error = [&](double predicted_s) { return std::abs(predicted_s - each.measured_s) / each.measured_s; };
        own.push_back(error(each.predicted.median_s));
        if (each.size_known && each.size_known->usable()) known.push_back(error(each.size_known->median_s));
        if (each.ernest_s) ernest.push_back(error(*each.ernest_s));
        if (each.boosting_s) boosting.push_back(error(*each.boosting_s));
        last.push_back(error(each.last_run_s));
        const auto range = each.predicted.interval_s(0.9);
        if (range.low_s <= each.measured_s && each.measured_s <= range.high_s) ++within_interval;
        if (each.measured_s <= each.predicted.quantile_s(0.9)) ++within_p90;
    }
    made.error = detail::median(own);
    made.size_known = detail::median(known);
    made.ernest = detail::median(ernest);
    made.boosting = detail::median(boosting);
    made.last_run = detail::median(last);
    const auto tried_runs = static_cast<double>(tries.size());
    made.within_interval = tries.empty() ? std::nan("") : within_interval / tried_runs;
    made.within_p90 = tries.empty() ? std::nan("") : within_p90 / tried_runs;
    return made;
}

[[nodiscard]] inline std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

inline const std::vector<std::string> error_columns{"application", "runs",     "predicted", "bellamy",       "size known",
                                                    "Ernest",      "boosting", "last run",  "within 5-95 %", "within p90"};

[[nodiscard]] inline std::vector<std::string> error_cells(const backtested& of) {
    const auto errors = score_of(of.tries);
    return {fmt::format("{}", of.runs), fmt::format("{}", errors.predicted),
            percent(errors.error),      percent(errors.size_known),
            percent(errors.ernest),     percent(errors.boosting),
            percent(errors.last_run),   percent(errors.within_interval),
            percent(errors.within_p90)};
}

inline constexpr std::string_view about_errors =
    "Median errors, |predicted - measured| / measured. A run is predicted by the runs before it: the first of an "
    "application is not. The data size of a run is forecast from past ones; size known: the error had it been known. Within "
    "5-95 %: runs inside that interval of their prediction; within p90: no longer than "
    "its 90 % quantile.";

/// Proposed sizes against those that ran.
struct proposal_score {
    std::size_t same_size = 0;
    std::size_t compared = 0;      // another size, whose runtime a later run shows
    std::size_t not_compared = 0;  // another size, whose runtime no run shows
    double log_size_ratios = 0;    // of the compared, in sum
    // Of those of the same size and those compared.
    double run_unit_s = 0;
    double proposed_unit_s = 0;
    std::size_t run_in_time = 0;
    std::size_t proposed_in_time = 0;

    [[nodiscard]] std::size_t known() const { return same_size + compared; }
    /// How much more data the runs that show other sizes' runtimes had than those that they stand in for.
    [[nodiscard]] double more_data() const {
        return compared > 0 ? std::exp(log_size_ratios / static_cast<double>(compared)) - 1 : 0;
    }
};

[[nodiscard]] inline proposal_score proposals_of(const std::vector<tried>& tries) {
    proposal_score made;
    for (const auto& each : tries) {
        if (!each.proposal) continue;
        const auto& proposal = *each.proposal;
        if (!proposal.time_s) {
            ++made.not_compared;
            continue;
        }
        ++(proposal.scale_out == each.scale_out ? made.same_size : made.compared);
        made.log_size_ratios += proposal.log_size_ratio;
        made.run_unit_s += each.scale_out * each.to_result_s;
        made.proposed_unit_s += proposal.scale_out * *proposal.time_s;
        if (each.to_result_s <= proposal.deadline_s) ++made.run_in_time;
        if (*proposal.time_s <= proposal.deadline_s) ++made.proposed_in_time;
    }
    return made;
}

/// By the ledger's rule, had the proposals been applied.
[[nodiscard]] inline std::optional<std::size_t> stopped_after(const std::vector<tried>& tries) {
    stop_rule rule;
    std::size_t judged = 0;
    for (const auto& each : tries) {
        if (!each.proposal || !each.proposal->time_s) continue;
        ++judged;
        rule.add({.stated = each.proposal->stated, .kept = *each.proposal->time_s <= each.proposal->deadline_s});
        if (rule.stopped()) return judged;
    }
    return std::nullopt;
}

/// What speaks against reading the table of proposals as it stands; empty where nothing does.
[[nodiscard]] inline std::string caution_on(const proposal_score& score) {
    constexpr std::size_t least = 20;
    constexpr double least_difference = 0.01;
    std::vector<std::string> said;
    if (score.compared < least)
        said.push_back(fmt::format("{} of another size {} compared: too few to judge savings by", score.compared,
                                   score.compared == 1 ? "was" : "were"));
    if (std::abs(score.more_data()) >= least_difference)
        said.push_back(fmt::format("the later runs that they are read from had {:.1f} % {} data, which their hours contain",
                                   100 * std::abs(score.more_data()), score.more_data() > 0 ? "more" : "less"));
    return said.empty() ? std::string() : fmt::format("Of all proposals, {}.", fmt::join(said, "; "));
}

/// In whole sentences: whether the stated intervals held, whether simpler predictions did better, and what the proposals
/// would have come to. `together` is of all runs.
[[nodiscard]] inline std::vector<std::string> verdict_on(const backtested& together) {
    const auto errors = score_of(together.tries);
    constexpr std::size_t least = 20;
    if (errors.predicted < least)
        return {fmt::format("{} predicted: too few to judge by; from {} on the shares mean something.",
                            errors.predicted == 1 ? "1 run was" : fmt::format("{} runs were", errors.predicted), least)};
    std::vector<std::string> made;
    const double chance = 2 * std::sqrt(0.9 * 0.1 / static_cast<double>(errors.predicted));  // two standard deviations
    made.push_back(
        fmt::format("{} of {} runs were within their 90 % interval: {}.", percent(errors.within_interval), errors.predicted,
                    errors.within_interval < 0.9 - chance   ? "too few, so that stated probabilities are too good"
                    : errors.within_interval > 0.9 + chance ? "more than stated, so that proposals are on the safe side"
                                                            : "as stated, but for chance"));
    const bool ernest_is_better = errors.ernest < errors.error;
    const bool last_is_better = errors.last_run < errors.error;
    made.push_back(fmt::format("Half of the runs were predicted to within {}, by Ernest {}, by the last run {}: {}.",
                               percent(errors.error), percent(errors.ernest), percent(errors.last_run),
                               last_is_better     ? "the last run tells more, so that these runs hardly differ"
                               : ernest_is_better ? "Ernest tells more"
                                                  : "better than both"));
    const auto proposals = proposals_of(together.tries);
    if (proposals.known() == 0) return made;
    const auto known = static_cast<double>(proposals.known());
    made.push_back(fmt::format(
        "Of {} proposals whose runtime a run shows, {} were in time ({} of the runs as they were), for {:+.1f} % hours.",
        proposals.known(), percent(static_cast<double>(proposals.proposed_in_time) / known),
        percent(static_cast<double>(proposals.run_in_time) / known),
        100 * (proposals.proposed_unit_s / proposals.run_unit_s - 1)));
    if (auto caution = caution_on(proposals); !caution.empty()) made.push_back(std::move(caution));
    return made;
}

inline const std::vector<std::string> proposal_columns{"application",  "proposals",         "same size",      "compared",
                                                       "not compared", "hours run",         "hours proposed", "change",
                                                       "in time, run", "in time, proposed", "stopped after"};

[[nodiscard]] inline std::vector<std::string> proposal_cells(const backtested& of) {
    const auto score = proposals_of(of.tries);
    const auto known = score.known();
    const auto share = [&](std::size_t count) {
        return known == 0 ? std::string("-") : percent(static_cast<double>(count) / static_cast<double>(known));
    };
    const auto hours = [&](double seconds) { return known == 0 ? std::string("-") : fmt::format("{:.4g}", seconds / 3600); };
    return {fmt::format("{}", known + score.not_compared),
            fmt::format("{}", score.same_size),
            fmt::format("{}", score.compared),
            fmt::format("{}", score.not_compared),
            hours(score.run_unit_s),
            hours(score.proposed_unit_s),
            known == 0 ? "-" : fmt::format("{:+.1f} %", 100 * (score.proposed_unit_s / score.run_unit_s - 1)),
            share(score.run_in_time),
            share(score.proposed_in_time),
            of.stopped_after ? fmt::format("{}", *of.stopped_after) : "-"};
}

/// What the table of proposals says; `unit` is that of the scale-out.
[[nodiscard]] inline std::string about_proposals(std::string_view unit, double deadline_s, bool has_file,
                                                 double probability) {
    return fmt::format(
        "Proposals: of the sizes at which the application ran, the one with the least expected hours that meets the "
        "deadline with {0:g} %, judging by the runs before. Deadline: {1}{3}. Same size: it ran at the proposed size. "
        "Compared: another size was proposed, and a later run of the same properties, its data size within a tenth, shows "
        "its runtime; not compared: no run does. Hours of {2}s, and runs in time, are of the same size and compared. "
        "Stopped "
        "after: so many of these proposals, the ledger's rule would have stopped the others.",
        100 * probability,
        deadline_s > 0 ? fmt::format("{:g} s", deadline_s)
                       : fmt::format("what the size of the run before meets with {:g} %", 100 * probability),
        unit, has_file ? ", or that of --deadlines, with its probability" : "");
}

}  // namespace tools

#endif
