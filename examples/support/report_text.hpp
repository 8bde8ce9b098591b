// What a report says in words: the answers to what a team asks of it.
#ifndef BELLAMY_EXAMPLES_REPORT_TEXT_HPP
#define BELLAMY_EXAMPLES_REPORT_TEXT_HPP

#include <string>
#include <string_view>
#include <vector>

#include "printable.hpp"
#include "report.hpp"

namespace tools {

/// How a report writes its numbers.
struct report_style {
    std::string currency{};
    /// Names of applications, run ids and reasons of errors are left out where the report is for others.
    bool is_redacted = false;
};

/// Names that fit into a table: long ones are cut, and those that are then alike are numbered. In the order of the report.
[[nodiscard]] std::vector<std::string> short_names(const fleet_report& report);

/// "95 s", "14.2 min", "3.1 h".
[[nodiscard]] std::string duration_text(double seconds);

/// "2026-11-26 22:30 UTC".
[[nodiscard]] std::string time_text(double since_epoch_s);

/// "12.4 executor-hours", and with prices " ($4.96)", or " (no price)" where none is of their machines.
[[nodiscard]] std::string hours_text(double unit_hours, double cost, const fleet_report& report, const report_style& style);

/// "1 attempt that was made anew took 0.56 executor-hours, which are not in the hours above"; empty where there is none.
[[nodiscard]] std::string older_attempts_text(const period_sums& sums, const fleet_report& report,
                                              const report_style& style);

/// "4.96", with the currency in front; "-" without prices.
[[nodiscard]] std::string money_text(double cost, const fleet_report& report, const report_style& style);

/// "20 -> 12 executors", "stays at 12", "none: no size meets the deadline".
[[nodiscard]] std::string proposal_text(const reported_application& one);

/// "2 of the last 20 at the size now, where its odds state 1.6"; empty where no deadline was stated or no run tells.
[[nodiscard]] std::string late_text(const reported_application& one);

/// The back-test in short: median errors of the predictions, of Ernest and of the last run, and what the intervals held.
[[nodiscard]] std::string backtest_text(const backtested& of);

/// The median error of these predictions, as a share; NaN where there are none.
[[nodiscard]] double median_error(const std::vector<timed_prediction>& of);

/// The period and how many runs it has.
[[nodiscard]] std::string period_text(const fleet_report& report);

/// "709.4 executor-hours of 300 runs in the first half of the period, 2990.9 of 666 runs in the second."
[[nodiscard]] std::string halves_text(const fleet_report& report);

/// "Price per executor and hour, whatever cores it has: m5.xlarge $0.05, on other machine types $0.04."; empty without
/// prices.
[[nodiscard]] std::string prices_text(const fleet_report& report, const report_style& style);

/// A question and its answer, in whole sentences.
struct answered_question {
    std::string question{};
    std::vector<std::string> answer{};
};

/// Where the largest saving is, whether it is safe, what is at risk, what changed, what earlier proposals brought. `names`
/// are those of `short_names`.
[[nodiscard]] std::vector<answered_question> answers_of(const fleet_report& report, const std::vector<std::string>& names,
                                                        const report_style& style);

}  // namespace tools

#endif
