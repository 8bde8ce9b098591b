#include "report_metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace tools {

namespace {

// Of a label's value.
[[nodiscard]] std::string escaped_label(const std::string& text) {
    std::string made;
    for (const char c : text) {
        if (c == '\\' || c == '"') made += '\\';
        made += c;
    }
    return made;
}

// Prometheus counts in base units.
[[nodiscard]] double in_seconds(double hours) { return 3600 * hours; }

class metrics_text {
public:
    void begin(std::string_view name, std::string_view help) {
        name_ = name;
        text_ += fmt::format("# HELP bellamy_{0} {1}\n# TYPE bellamy_{0} gauge\n", name, help);
    }
    void add(const std::string& labels, double value) {
        text_ += fmt::format("bellamy_{}{} {:.9g}\n", name_, labels.empty() ? "" : "{" + labels + "}", value);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string name_{};
    std::string text_{};
};

template <class ValueOf>
void add_of_each(metrics_text& to, const fleet_report& report, const std::vector<std::string>& labels, std::string_view more,
                 const ValueOf& value_of) {
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (const std::optional<double> value = value_of(report.applications[i]); value && std::isfinite(*value))
            to.add(labels[i] + std::string(more), *value);
}

// Of an advice; nothing where there is none.
template <class ValueOf>
[[nodiscard]] auto of_advice(const ValueOf& value_of) {
    return [value_of](const reported_application& one) -> std::optional<double> {
        return one.advice ? value_of(*one.advice) : std::nullopt;
    };
}

[[nodiscard]] std::optional<double> proposed(const tools::advice& of, double (*value_of)(const bellamy::assessment&)) {
    return of.proposal ? std::optional(value_of(*of.proposal)) : std::nullopt;
}

// Where it is not known what a machine costs there is no sample.
void add_money(metrics_text& to, const fleet_report& report, const std::vector<std::string>& labels,
               const report_style& style) {
    const auto currency = fmt::format("currency=\"{}\"", escaped_label(style.currency));
    const auto add_cost = [&](double period_sums::*cost) {
        add_of_each(to, report, labels, "," + currency, [cost](const auto& one) {
            return one.period.has_cost() ? std::optional(one.period.*cost) : std::nullopt;
        });
    };
    to.begin("cost", "Money for the runs of the period, at the prices of their machine types.");
    add_cost(&period_sums::cost);
    to.begin("unsuccessful_cost", "Of that, for runs that failed, were killed or have not ended.");
    add_cost(&period_sums::unsuccessful_cost);
    to.begin("saved_cost", "Money that as many runs would take less at the proposed size.");
    add_of_each(to, report, labels, "," + currency,
                [](const auto& one) { return one.price_per_hour > 0 ? std::optional(one.saved_cost()) : std::nullopt; });
    to.begin("machine_saved_cost",
             "Money that as many runs would take less on the cheapest other machine type, or with other executors.");
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& one = report.applications[i];
        if (!one.saves_by_machine()) continue;
        const auto& other = *one.cheaper();
        const auto executors =
            other.has_other_executors ? fmt::format(",executors=\"{}\"", escaped_label(other.executors)) : std::string();
        to.add(fmt::format("{},{},machine=\"{}\"{}", labels[i], currency, escaped_label(printable(other.name)), executors),
               one.saved_by_machine());
    }
    to.begin("unit_hour_price", "Price of an hour of an executor or core, as it was given.");
    if (report.prices.otherwise > 0) to.add(currency, report.prices.otherwise);
    for (const auto& each : report.prices.machines)
        to.add(fmt::format("{},machine=\"{}\"", currency, escaped_label(printable(each.name))), each.price_per_hour);
}

void add_period(metrics_text& to, const fleet_report& report, const std::vector<std::string>& labels,
                const report_style& style) {
    to.begin("period_end_timestamp_seconds", "End of the period that is summed up.");
    to.add("", report.until_s);
    to.begin("period_seconds", "Length of the period.");
    to.add("", report.until_s - report.from_s);
    to.begin("runs", "Runs that began in the period.");
    add_of_each(to, report, labels, "", [](const auto& one) { return std::optional(static_cast<double>(one.period.runs)); });
    to.begin("unsuccessful_runs", "Runs of the period that failed, were killed or have not ended.");
    add_of_each(to, report, labels, "",
                [](const auto& one) { return std::optional(static_cast<double>(one.period.unsuccessful_runs)); });
    const auto unit = fmt::format(",unit=\"{}\"", to_string(report.unit));
    to.begin("unit_seconds", "Seconds of executors or cores that the runs of the period took.");
    add_of_each(to, report, labels, unit, [](const auto& one) { return std::optional(in_seconds(one.period.unit_hours)); });
    to.begin("unsuccessful_unit_seconds", "Of those, what runs took that failed, were killed or have not ended.");
    add_of_each(to, report, labels, unit,
                [](const auto& one) { return std::optional(in_seconds(one.period.unsuccessful_unit_hours)); });
    to.begin("older_attempt_unit_seconds", "Beside those, what attempts took at runs that were made anew, of a table.");
    add_of_each(to, report, labels, unit,
                [](const auto& one) { return std::optional(in_seconds(one.period.older_attempt_unit_hours)); });
    to.begin("saved_unit_seconds", "What as many runs would take less at the proposed size.");
    add_of_each(to, report, labels, unit, [](const auto& one) { return std::optional(in_seconds(one.saved_unit_hours())); });
    if (!report.prices.is_empty()) add_money(to, report, labels, style);
}

void add_advice_samples(metrics_text& to, const fleet_report& report, const std::vector<std::string>& labels) {
    const std::string now = ",size=\"now\"";
    const std::string next = ",size=\"proposed\"";
    to.begin("scale_out", "Executors or cores of the last run that succeeded, and of the proposal.");
    add_of_each(to, report, labels, now,
                of_advice([](const auto& of) -> std::optional<double> { return of.present.scale_out; }));
    add_of_each(to, report, labels, next, of_advice([](const auto& of) {
                    return proposed(of, [](const auto& row) { return static_cast<double>(row.scale_out); });
                }));
    to.begin("in_time_probability", "Probability to meet the deadline.");
    add_of_each(to, report, labels, now,
                of_advice([](const auto& of) -> std::optional<double> { return of.present.probability; }));
    add_of_each(to, report, labels, next,
                of_advice([](const auto& of) { return proposed(of, [](const auto& row) { return row.probability; }); }));
    to.begin("expected_unit_seconds", "Expected seconds of executors or cores of one run.");
    add_of_each(to, report, labels, now,
                of_advice([](const auto& of) -> std::optional<double> { return in_seconds(of.present.expected_cost); }));
    add_of_each(to, report, labels, next, of_advice([](const auto& of) {
                    return proposed(of, [](const auto& row) { return in_seconds(row.expected_cost); });
                }));
    to.begin("deadline_seconds", "Deadlines that were stated.");
    add_of_each(to, report, labels, "", [](const auto& one) {
        return one.has_deadline && one.advice ? std::optional(one.advice->wanted.deadline_s) : std::nullopt;
    });
    to.begin("deadline_at_risk", "1 where the size now meets a stated deadline less often than is required, else 0.");
    add_of_each(to, report, labels, "", [](const auto& one) {
        return one.has_deadline && one.advice ? std::optional(one.is_at_risk() ? 1.0 : 0.0) : std::nullopt;
    });
    to.begin("judged_runs", "Of the latest runs at the size now those of which it is known whether they were in time.");
    add_of_each(to, report, labels, "", [](const auto& one) {
        return one.latest_late ? std::optional(static_cast<double>(one.latest_late->runs)) : std::nullopt;
    });
    to.begin("late_runs", "Of those, the ones that missed a stated deadline.");
    add_of_each(to, report, labels, "", [](const auto& one) {
        return one.latest_late ? std::optional(static_cast<double>(one.latest_late->late)) : std::nullopt;
    });
    to.begin("change_factor", "By which the latest runs take longer than those before predict, where they changed.");
    add_of_each(to, report, labels, "", of_advice([](const auto& of) {
                    return of.latest.change ? std::optional(std::exp(of.latest.change->log_factor)) : std::nullopt;
                }));
    to.begin("advice_missing", "1 where nothing can be advised on an application, else 0.");
    add_of_each(to, report, labels, "", [](const auto& one) { return std::optional(one.advice ? 0.0 : 1.0); });
}

void add_backtest(metrics_text& to, const fleet_report& report, const std::vector<std::string>& labels) {
    to.begin("prediction_error", "Median error of predictions made before each run, as a share, by method.");
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& tested = report.applications[i].tested;
        if (!tested || tested->tries.empty()) continue;
        const auto score = score_of(tested->tries);
        for (const auto& [method, error] :
             {std::pair("bellamy", score.error), std::pair("ernest", score.ernest), std::pair("last_run", score.last_run)})
            if (std::isfinite(error)) to.add(fmt::format("{},method=\"{}\"", labels[i], method), error);
    }
}

void add_past(metrics_text& to, const ledger_sums& sums) {
    const auto add = [&](std::string_view name, std::string_view help, double value) {
        to.begin(name, help);
        to.add("", value);
    };
    add("past_proposals", "Proposals in the ledger.", static_cast<double>(sums.proposals));
    add("past_applied_runs", "Runs at a proposed size.", static_cast<double>(sums.applied));
    add("past_in_time_runs", "Of those, in time.", static_cast<double>(sums.in_time));
    add("past_stated_in_time_runs", "Of those, how many were stated to be in time.", sums.stated_in_time);
    add("past_saved_unit_seconds", "Seconds of executors or cores that those took less than the size before would have.",
        in_seconds(sums.saved()));
}

}  // namespace

std::string metrics_of(const fleet_report& report, const report_style& style) {
    std::vector<std::string> labels;
    for (const auto& name : short_names(report)) labels.push_back(fmt::format("application=\"{}\"", escaped_label(name)));
    metrics_text made;
    add_period(made, report, labels, style);
    add_advice_samples(made, report, labels);
    add_backtest(made, report, labels);
    if (report.past) add_past(made, *report.past);
    return made.text();
}

}  // namespace tools
