// What the runs of a fleet took, what the proposals for it would change, and what is at risk.
#ifndef BELLAMY_EXAMPLES_REPORT_HPP
#define BELLAMY_EXAMPLES_REPORT_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advised.hpp"
#include "backtest_score.hpp"
#include "deadlines.hpp"
#include "held_sizes.hpp"
#include "machine_prices.hpp"

namespace tools {

struct report_request {
    /// For applications without a deadline in the file.
    advice_request advice{};
    deadline_file deadlines{};
    /// Length of the period that is summed up.
    double days = 30;
    /// Its end, since the Unix epoch; where empty, when the last run of the history ended.
    std::optional<double> until_s{};
    price_list prices{};
    std::optional<std::vector<ledger_entry>> ledger{};
    /// Whether each past run is predicted from those before it, which takes most of the time.
    bool backtests = false;
    unsigned threads = 1;
};

/// Of runs that began in the period. Hours are the scale-out times the time from where deadlines count.
struct period_sums {
    std::size_t runs = 0;
    std::size_t unsuccessful_runs = 0;  // of those
    double unit_hours = 0;
    double unsuccessful_unit_hours = 0;  // of those
    /// Money at the prices of their machines; of those without a price none.
    double cost = 0;
    std::size_t unpriced_runs = 0;
    double unsuccessful_cost = 0;
    /// Beside those: attempts at runs that were made anew, where the history tells their hours.
    std::size_t older_attempts = 0;
    double older_attempt_unit_hours = 0;
    double older_attempt_cost = 0;

    /// Whether any run has a price, or there is none to have one.
    [[nodiscard]] bool has_cost() const { return runs == 0 || unpriced_runs < runs; }
    [[nodiscard]] bool has_older_attempt_cost() const { return !(older_attempt_unit_hours > 0) || older_attempt_cost > 0; }
    void add(const period_sums& other);
};

/// Of the latest runs at the present size, how many missed the deadline. A run that did not succeed and ended before its
/// deadline does not count: nobody knows whether it would have been in time.
struct late_runs {
    std::size_t runs = 0;
    std::size_t late = 0;
};

struct reported_application : advised {
    period_sums period{};
    /// Where a deadline was stated.
    std::optional<late_runs> latest_late{};
    std::optional<held_sizes> held{};
    /// Where it was asked for.
    std::optional<backtested> tested{};
    /// Of the machine of the last run that succeeded, which the next is taken to have; 0 where not known.
    double price_per_hour = 0;
    std::vector<machine_choice> machines{};
    /// Empty where they are compared, or nothing asks for it.
    std::string why_no_machines{};

    /// What as many runs as in the period would take less at the proposed size; negative where they would take more.
    [[nodiscard]] double saved_unit_hours() const;
    [[nodiscard]] double saved_cost() const { return saved_unit_hours() * price_per_hour; }
    /// Another machine type, or other executors on the present one, that would cost less; null where there is none.
    [[nodiscard]] const machine_choice* cheaper() const { return advice ? cheaper_machine(machines, *advice) : nullptr; }
    [[nodiscard]] bool saves_by_machine() const { return saved_by_machine() > 0; }
    /// Of as many runs as in the period, where the cheaper machine or executors are taken in place of the present ones and
    /// of what is proposed there.
    [[nodiscard]] double saved_by_machine() const;
    /// Of another size alone or of another machine type or other executors, whichever saves more; 0 without a price.
    [[nodiscard]] double largest_saved_cost() const;
    [[nodiscard]] bool saves() const { return saved_unit_hours() > 0 || saves_by_machine(); }
    /// A stated deadline that the present size meets with less than the required probability.
    [[nodiscard]] bool is_at_risk() const;
    /// A stated deadline that may be in another unit than the runtimes.
    [[nodiscard]] bool has_doubtful_deadline() const;
    [[nodiscard]] bool has_changed() const { return advice && advice->latest.change.has_value(); }
    /// Whether its latest runs could be compared with those before.
    [[nodiscard]] bool has_tested_latest() const { return advice && (advice->latest.test || advice->latest.change); }
    [[nodiscard]] bool has_unusual_runs() const { return !of->unusual.empty(); }
    [[nodiscard]] bool changes_size() const { return advice && advice->changes_size(); }
};

/// What began on a day, or in several.
struct day_sums {
    std::size_t runs = 0;
    double unit_hours = 0;
};

/// A run that was predicted before it began: when it did, and the prediction.
struct timed_prediction {
    double at_s = 0;  // since the Unix epoch
    const tried* run = nullptr;
};

/// What all proposals that change a size come to, over as many runs as in the period.
struct proposal_sums {
    std::size_t saving_applications = 0;
    double saved_unit_hours = 0;
    double saved_cost = 0;
    /// Proposals that cost more hours, for better odds.
    std::size_t costlier_applications = 0;
    double added_unit_hours = 0;
    double added_cost = 0;
    /// Runs of the period of applications with an advice and a stated deadline, and how many of as many are expected to be
    /// in time.
    std::size_t runs = 0;
    double in_time_at_present = 0;
    double in_time_as_proposed = 0;
};

struct fleet_report {
    double from_s = 0;  // since the Unix epoch
    double until_s = 0;
    /// Without start times all runs are counted.
    bool tells_starts = true;
    /// Runs without a start time beside others that have one: they are in no period.
    std::size_t runs_without_start = 0;
    /// Logs, traces and rows of the history that are no runs, and why.
    std::vector<std::string> left_out{};
    /// The first known start lies beyond the first tenth of the period.
    bool begins_within_period = false;
    bellamy::scale_out_unit unit = bellamy::scale_out_unit::executor;
    price_list prices{};
    deadline_start deadlines_from = deadline_start::submission;
    /// Those that save most money first, or most hours where no price tells.
    std::vector<reported_application> applications{};
    period_sums period{};
    proposal_sums proposals{};
    /// Of the days (UTC) of the period, whose first and last may be cut by it; empty without start times.
    std::vector<day_sums> days_of_period{};
    /// Of the first and the second half of the period; without start times of none.
    std::pair<day_sums, day_sums> halves{};
    std::optional<ledger_sums> past{};
    double saved_cost_of_past = 0;

    /// By other machine types or executors, where these are cheaper.
    [[nodiscard]] double saved_by_machines() const;
    /// Predictions of the runs of the period, made before each; empty where none was asked for.
    [[nodiscard]] std::vector<timed_prediction> predictions() const;
    [[nodiscard]] double days() const { return (until_s - from_s) / 86400; }
};

/// Whether the run has a start: histories write 0 where it is not known.
[[nodiscard]] inline bool has_start(const bellamy::run& run) { return run.timestamp_s.value_or(0) > 0; }

/// Learns and advises on every application, several at once. `on_advice` is called after each, by one thread at a time,
/// with how many are done. Errors are those of the single advices. The history must outlive the report.
[[nodiscard]] fleet_report make_report(const team_history& history, const report_request& wanted,
                                       const std::function<void(std::size_t done)>& on_advice);

/// Applications of the report for which `holds`, those of most unit hours in the period first.
[[nodiscard]] std::vector<const reported_application*> select(const fleet_report& report,
                                                              bool (reported_application::*holds)() const);

}  // namespace tools

#endif
