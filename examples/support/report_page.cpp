#include "report_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "machine_text.hpp"
#include "model_text.hpp"
#include "odds_text.hpp"
#include "plot_style.hpp"
#include "printable.hpp"
#include "report_page_parts.hpp"
#include "report_picture.hpp"

namespace tools {

namespace {

using detail::in_xml;

// Warnings quote run ids, which may be of any length.
constexpr std::size_t most_sentence_bytes = 600;

[[nodiscard]] std::string escaped(std::string_view text) { return in_xml(shortened(text, most_sentence_bytes)); }

// Names of any script, isolated from the text around them.
[[nodiscard]] std::string in_bdi(const std::string& name) { return "<bdi>" + in_xml(name) + "</bdi>"; }

// A cell with the value that it is sorted by; none where it is not known.
void add_cell(std::string& row, std::string_view text, std::optional<double> value, std::string_view style = "") {
    row += fmt::format("<td{} data-v=\"{}\">{}</td>", style.empty() ? "" : fmt::format(" class=\"{}\"", style),
                       value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "", in_xml(text));
}

[[nodiscard]] std::string flags_of(const reported_application& one) {
    std::string flags;
    if (one.changes_size()) flags += " proposed";
    if (one.saves()) flags += " saves";
    if (one.is_at_risk()) flags += " risk";
    if (one.has_changed()) flags += " changed";
    if (!one.advice || !one.advice->warnings.empty()) flags += " warned";
    if (one.period.unsuccessful_runs > 0) flags += " failed";
    return flags.empty() ? flags : flags.substr(1);
}

struct table_column {
    std::string_view title;
    std::string_view style;
};

[[nodiscard]] std::vector<table_column> columns_of(const fleet_report& report) {
    std::vector<table_column> columns{{"application", "word"}, {"runs", "wide"}, {"hours run", "wide"}};
    if (!report.prices.is_empty()) columns.push_back({"cost", "wide"});
    columns.push_back({"proposal", "word"});
    columns.push_back({"hours saved", ""});
    if (!report.prices.is_empty()) {
        columns.push_back({"saves", "wide"});
        columns.push_back({"other machine", "wide"});
    }
    columns.push_back({"hours saved, %", "wide"});
    columns.push_back({"deadline", "wide"});
    columns.push_back({"in time, now", ""});
    columns.push_back({"in time, proposed", ""});
    columns.push_back({"late runs", "wide"});
    columns.push_back({"runtime changed", "wide"});
    columns.push_back({"failed runs", "wide"});
    columns.push_back({"warnings", "wide"});
    return columns;
}

// By which the table is sorted when it is opened: in words, and the column where it is one.
struct table_order {
    std::string_view text;
    std::string_view column;
};

[[nodiscard]] table_order order_of(const fleet_report& report) {
    if (std::none_of(report.applications.begin(), report.applications.end(),
                     [](const reported_application& one) { return one.price_per_hour > 0; }))
        return {"Those that save most hours first.", "hours saved"};
    if (report.saved_by_machines() > 0)
        return {"Those that save most money first, by another size or by another machine type.", ""};
    return {"Those that save most money first.", "saves"};
}

void add_failed_runs(std::string& row, const period_sums& of) {
    const double hours = of.unsuccessful_unit_hours;
    add_cell(row, of.unsuccessful_runs > 0 ? fmt::format("{}, {:.1f} h", of.unsuccessful_runs, hours) : "-", hours, "wide");
}

// "6 x r5.xlarge: saves $2.10", "m5.xlarge with 3 executors x 4 cores, 8192 MB: saves $1.40".
[[nodiscard]] std::string saving_on(const machine_choice& other, const reported_application& one, const fleet_report& report,
                                    const report_style& style) {
    const auto what = other.executors.empty() ? fmt::format("{} x {}", other.chosen->scale_out, title_of(other))
                                              : describe(other, to_string(report.unit));
    return fmt::format("{}: saves {}", what, money_text(one.saved_by_machine(), report, style));
}

void add_row(std::string& page, const reported_application& one, const std::string& name, std::size_t number,
             const fleet_report& report, const report_style& style) {
    page += fmt::format("<tr data-is=\"{}\"><th scope=\"row\" class=\"word\" data-v=\"{}\"><a href=\"#a{}\">{}</a></th>",
                        flags_of(one), in_xml(name), number, in_bdi(name));
    const auto runs = static_cast<double>(one.period.runs);
    add_cell(page, fmt::format("{}", one.period.runs), runs, "wide");
    add_cell(page, fmt::format("{:.1f}", one.period.unit_hours), one.period.unit_hours, "wide");
    if (!report.prices.is_empty())
        add_cell(page, one.period.cost > 0 ? money_text(one.period.cost, report, style) : "-", one.period.cost, "wide");
    page += fmt::format("<td class=\"word\" data-v=\"{0}\">{0}</td>", in_xml(proposal_text(one)));
    const bool changes = one.changes_size();
    const double saved = one.saved_unit_hours();
    const auto known = [&](double value) { return changes ? std::optional(value) : std::nullopt; };
    add_cell(page, changes ? fmt::format("{:.1f}", saved) : "-", known(saved));
    if (!report.prices.is_empty()) {
        add_cell(page, changes && one.price_per_hour > 0 ? money_text(one.saved_cost(), report, style) : "-",
                 known(one.saved_cost()), "wide");
        const auto* other = one.cheaper();
        add_cell(page, other == nullptr ? std::string("-") : saving_on(*other, one, report, style),
                 other == nullptr ? std::nullopt : std::optional(one.saved_by_machine()), "wide wrap");
    }
    add_cell(page, changes ? fmt::format("{:.1f} %", 100 * one.advice->saving()) : "-",
             changes ? known(one.advice->saving()) : std::nullopt, "wide");
    if (!one.advice) {
        for (const std::string_view column : {"wide", "", "", "wide", "wide"}) add_cell(page, "-", std::nullopt, column);
        add_failed_runs(page, one.period);
        add_cell(page, "no advice", std::nullopt, "wide");
        page += "</tr>";
        return;
    }
    const auto& advice = *one.advice;
    const auto odds = [&](double probability) { return percent_of(probability, advice.wanted.probability); };
    add_cell(page, one.has_deadline ? duration_text(advice.wanted.deadline_s) : "-",
             one.has_deadline ? std::optional(advice.wanted.deadline_s) : std::nullopt, "wide");
    // Of a deadline that nobody stated only what a change makes of its odds tells something.
    const auto in_time = [&](const std::optional<bellamy::assessment>& size, bool is_bad) {
        const bool is_told = (one.has_deadline || one.changes_size()) && size;
        const auto* mark = is_bad ? " !" : one.has_deadline ? "" : " *";
        add_cell(page, is_told ? odds(size->probability) + mark : "-",
                 is_told ? std::optional(size->probability) : std::nullopt, is_bad ? "bad" : "");
    };
    in_time(advice.present, one.is_at_risk());
    in_time(advice.proposal, false);
    const auto late = one.latest_late && one.latest_late->runs > 0 ? one.latest_late : std::nullopt;
    add_cell(page, late ? fmt::format("{} of {}", late->late, late->runs) : "-",
             late ? std::optional(static_cast<double>(late->late) / static_cast<double>(late->runs)) : std::nullopt, "wide");
    const auto& change = advice.latest.change;
    add_cell(page, change ? fmt::format("{:+.0f} %", 100 * std::expm1(change->log_factor)) : "-",
             change ? std::optional(std::exp(change->log_factor)) : std::nullopt, "wide");
    add_failed_runs(page, one.period);
    add_cell(page, fmt::format("{}", advice.warnings.size()), static_cast<double>(advice.warnings.size()), "wide");
    page += "</tr>";
}

[[nodiscard]] std::string table_of(const fleet_report& report, const std::vector<std::string>& names,
                                   const report_style& style) {
    auto made = fmt::format("<h2 id=\"applications\">Applications</h2><p class=\"dim\">{}</p>", order_of(report).text);
    made +=
        "<div class=\"tools\"><label>Name contains<input id=\"text\" "
        "type=\"search\"></label><label>Show<select id=\"only\"><option value=\"\">all</option>"
        "<option value=\"saves\">savings</option><option value=\"proposed\">proposed changes</option>"
        "<option value=\"risk\">deadlines at risk</option><option value=\"changed\">runtime changed</option>"
        "<option value=\"warned\">warnings</option><option value=\"failed\">failed runs</option></select></label>"
        "<span id=\"shown\" role=\"status\" class=\"dim\"></span></div>"
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table of applications\"><table "
        "id=\"all\"><thead><tr>";
    const std::string_view sorted_by = order_of(report).column;
    for (const auto& column : columns_of(report))
        made += fmt::format("<th scope=\"col\"{}{}><button type=\"button\" title=\"Sort by it\">{}</button></th>",
                            column.style.empty() ? "" : fmt::format(" class=\"{}\"", column.style),
                            column.title == sorted_by ? " aria-sort=\"descending\"" : "", column.title);
    made += "</tr></thead><tbody>";
    for (std::size_t i = 0; i < names.size(); ++i) add_row(made, report.applications[i], names[i], i + 1, report, style);
    return made + "</tbody></table></div>";
}

void add_sum(std::string& page, std::string_view name, const std::string& value) {
    page += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", in_xml(name), in_xml(value));
}

[[nodiscard]] std::string sums_of(const fleet_report& report, const report_style& style) {
    std::string made = "<dl class=\"sums\">";
    const auto& period = report.period;
    add_sum(made, "applications", fmt::format("{}", report.applications.size()));
    add_sum(made, "runs", fmt::format("{}", period.runs));
    add_sum(made, fmt::format("{}-hours", to_string(report.unit)), fmt::format("{:.1f}", period.unit_hours));
    if (!report.prices.is_empty())
        add_sum(made, "cost", period.has_cost() ? money_text(period.cost, report, style) : "no price");
    add_sum(made, "hours of failed runs",
            period.unsuccessful_runs == 0
                ? "none"
                : fmt::format("{:.1f} in {}{}", period.unsuccessful_unit_hours, count(period.unsuccessful_runs, "run"),
                              period.unsuccessful_cost > 0
                                  ? fmt::format(", {}", money_text(period.unsuccessful_cost, report, style))
                                  : ""));
    if (period.older_attempts > 0)
        add_sum(made, "hours of older attempts, beside these",
                fmt::format("{:.1f} in {}{}", period.older_attempt_unit_hours, count(period.older_attempts, "attempt"),
                            period.older_attempt_cost > 0
                                ? fmt::format(", {}", money_text(period.older_attempt_cost, report, style))
                                : ""));
    if (const auto machines = report.saved_by_machines(); machines > 0)
        add_sum(made, "possible saving, other machines", money_text(machines, report, style));
    add_sum(made, "possible saving, other sizes",
            report.proposals.saved_cost > 0
                ? money_text(report.proposals.saved_cost, report, style)
                : fmt::format("{:.1f} {}-hours", report.proposals.saved_unit_hours, to_string(report.unit)));
    add_sum(made, "deadlines at risk", fmt::format("{}", select(report, &reported_application::is_at_risk).size()));
    add_sum(made, "runtime changed", fmt::format("{}", select(report, &reported_application::has_changed).size()));
    return made + "</dl>";
}

[[nodiscard]] std::string answers_list(const std::vector<answered_question>& answers) {
    std::string made = "<h2>In short</h2><dl class=\"answers\">";
    for (const auto& each : answers) {
        made += fmt::format("<dt>{}</dt>", in_xml(each.question));
        for (const auto& sentence : each.answer) made += fmt::format("<dd>{}</dd>", escaped(sentence));
    }
    return made + "</dl>";
}

void add_fact(std::string& page, std::string_view name, const std::string& value) {
    page += fmt::format("<dt>{}</dt><dd>{}</dd>", in_xml(name), escaped(value));
}

// With the lines that recommend writes with --format spark-conf or flink-conf.
[[nodiscard]] std::string settings_block(const std::string& title, const spark_size& size) {
    std::string lines(caution_of(size));
    for (const auto& line : split(size.is_flink ? to_flink_conf(size) : to_spark_conf(size), '\n'))
        if (!line.empty()) lines += in_xml(line) + "\n";
    return fmt::format("<p>{}:</p><pre tabindex=\"0\">{}</pre>", in_xml(title), lines);
}

// Medians and what nine of ten runs keep, of the size now and the one proposed.
[[nodiscard]] std::string times_of(const advice& of) {
    const auto describe_times = [](const bellamy::assessment& row) {
        return fmt::format("{} (nine of ten runs within {})", duration_text(row.predicted.median_s),
                           duration_text(row.predicted.quantile_s(0.9)));
    };
    auto text = fmt::format("median {} now", describe_times(of.present));
    if (of.changes_size()) text += fmt::format(", {} as proposed", describe_times(*of.proposal));
    return text;
}

[[nodiscard]] std::string period_of(const reported_application& one, const fleet_report& report, const report_style& style) {
    const auto& sums = one.period;
    auto text = fmt::format("{} in the period", count(sums.runs, "run"));
    if (sums.runs > 0) text += ": " + hours_text(sums.unit_hours, sums.cost, report, style);
    if (sums.unsuccessful_runs > 0)
        text += fmt::format(", of which {} that did not succeed took {}", count(sums.unsuccessful_runs, "run"),
                            hours_text(sums.unsuccessful_unit_hours, sums.unsuccessful_cost, report, style));
    text += fmt::format("; {} in the history.", one.of->runs.size());
    if (const auto older = older_attempts_text(sums, report, style); !older.empty()) text += " " + older + ".";
    return text;
}

// What is in the table's columns that narrow screens have no room for.
void add_savings(std::string& page, const reported_application& one, const fleet_report& report, const report_style& style) {
    const double saved = one.saved_unit_hours();
    if (one.changes_size() && one.period.runs > 0)
        add_fact(page, "in as many runs",
                 fmt::format("{} {}, {:.1f} %", saved < 0 ? "costs" : "saves",
                             hours_text(std::abs(saved), std::abs(one.saved_cost()), report, style),
                             100 * std::abs(one.advice->saving())));
    if (const auto* other = one.cheaper(); other != nullptr && one.saves_by_machine())
        add_fact(page, other->has_other_executors ? "other executors" : "other machine",
                 fmt::format("{}; {}", saving_on(*other, one, report, style), basis_of(*other)));
    if (const auto& change = one.advice->latest.change) add_fact(page, "runtime changed", describe(*change));
}

// Up to the last that succeeded, how many runs had its size without a break.
[[nodiscard]] std::size_t runs_at_last_size(const application_history& of) {
    const auto last = of.last_complete();
    const auto is_alike = [&](std::size_t i) {
        const auto& size = of.facts[i].size;
        return of.runs[i].scale_out == of.runs[last].scale_out &&
               size.executor_cores == of.facts[last].size.executor_cores &&
               size.executor_memory_mb == of.facts[last].size.executor_memory_mb;
    };
    std::size_t runs = 0;
    while (runs <= last && is_alike(last - runs)) ++runs;
    return runs;
}

void add_advice(std::string& page, const reported_application& one, const fleet_report& report, const report_style& style) {
    const auto& advice = *one.advice;
    const auto odds = [&](double probability) { return percent_of(probability, advice.wanted.probability); };
    const auto& last = one.of->facts[one.of->last_complete()].size;
    page += "<dl class=\"facts\">";
    add_fact(page, "proposal",
             advice.proposal ? fmt::format("{}: {}", proposal_text(one), describe(proposed_size(*one.of, advice)))
                             : proposal_text(one));
    add_savings(page, one, report, style);
    const auto runs = runs_at_last_size(*one.of);
    add_fact(page, "size of the last run",
             fmt::format("{}, for {}{}", describe(last), count(runs, "run"), runs > 1 ? " in a row" : ""));
    add_fact(page, "in time",
             fmt::format("{} now{}, {:g} % required", odds(advice.present.probability),
                         advice.proposal ? fmt::format(", {} as proposed", odds(advice.proposal->probability)) : "",
                         100 * advice.wanted.probability));
    add_fact(page, "deadline",
             fmt::format("{} from the {}{}", duration_text(advice.wanted.deadline_s), to_string(advice.from),
                         one.has_deadline ? "" : ", not stated: what the size now meets"));
    if (const auto late = late_text(one); !late.empty()) add_fact(page, "late runs", late);
    add_fact(page, "time to the result", times_of(advice));
    if (one.held && (one.has_deadline || one.changes_size()))
        add_fact(page, "meets the deadline", describe(*one.held, one.of->size_unit));
    add_fact(page, "expected hours of a run",
             fmt::format("{:.3g} now{}", advice.present.expected_cost,
                         advice.proposal ? fmt::format(", {:.3g} as proposed", advice.proposal->expected_cost) : ""));
    add_fact(page, "based on", basis_of(one));
    if (!advice.size.how.empty()) add_fact(page, "data size", advice.size.how);
    if (advice.heap_mb && advice.proposal) {
        const auto heap = advice.heap_mb->at(advice.proposal->scale_out);
        if (heap.usable())
            add_fact(page, "largest heap",
                     fmt::format("{:.0f} MB (median), {:.0f} MB (90 %), of {} MB", heap.median_s, heap.quantile_s(0.9),
                                 last.executor_memory_mb));
    }
    if (!one.tested)
        add_fact(page, "back-test", "not made: report --backtest predicts each past run from those before it");
    else
        add_fact(page, "back-test",
                 one.tested->tries.empty()
                     ? "no run could be predicted" + (one.tested->why_none.empty() ? "" : ": " + one.tested->why_none)
                     : backtest_text(*one.tested));
    if (one.past && one.past->sums.proposals > 0)
        add_fact(page, "earlier proposals", describe(one.past->sums, to_string(last_complete(one).context.unit)));
    page += "</dl>";
    if (!advice.warnings.empty()) {
        page += "<p>Warnings:</p><ul>";
        for (const auto& each : advice.warnings) page += fmt::format("<li>{}</li>", escaped(each));
        page += "</ul>";
    }
    if (!advice.proposal || (last.is_dynamic && !advice.changes_size())) return;
    const auto* where = last.is_flink ? ", for Flink's config.yaml" : ", for spark-submit --properties-file";
    page += settings_block(fmt::format("Settings of this application{}", advice.changes_size() ? where : " as they are"),
                           proposed_size(*one.of, advice));
}

void add_machines(std::string& page, const reported_application& one, const std::string& name, const fleet_report& report,
                  const report_style& style) {
    if (one.machines.empty()) return;
    const auto unit = to_string(report.unit);
    page += fmt::format(
        "<p>Machine types, each with the {}s that meet the deadline at the least expected hours:</p><div "
        "class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Machine types of {}\"><table><thead><tr>"
        "<th scope=\"col\" class=\"word\">machine type</th><th scope=\"col\">runs</th><th scope=\"col\">{}s</th>"
        "<th scope=\"col\">median</th><th scope=\"col\">in time</th><th scope=\"col\">hours a run</th>"
        "<th scope=\"col\">cost of a run</th></tr></thead><tbody>",
        unit, in_xml(name), unit);
    for (const auto& each : one.machines) {
        page += fmt::format("<tr><th scope=\"row\" class=\"word\">{}</th>", in_bdi(title_of(each)));
        const auto& best = each.chosen;
        for (const auto& cell : {runs_of(each), best ? fmt::format("{}", best->scale_out) : std::string("none"),
                                 best ? duration_text(best->predicted.median_s) : "-",
                                 best ? percent_of(best->probability, one.advice->wanted.probability) : "-",
                                 best ? fmt::format("{:.3g}", best->expected_cost) : "-",
                                 best && each.price_per_hour > 0 ? money_text(each.cost(), report, style) : "-"})
            page += fmt::format("<td>{}</td>", in_xml(cell));
        page += "</tr>";
    }
    page += "</tbody></table></div>";
    if (const auto notes = notes_on(one.machines); !notes.empty())
        page += fmt::format("<p class=\"dim\">{}</p>", escaped(notes));
    if (const auto* other = one.cheaper(); other != nullptr && other->size)
        page += settings_block(
            other->has_other_executors
                ? std::string("Settings with the cheaper executors")
                : fmt::format("Settings on the cheaper {}, where the job must then be started", title_of(*other)),
            *other->size);
}

// Logs, traces and rows. They have names and ids: a redacted page tells only how many there are.
[[nodiscard]] std::string left_out_of(const fleet_report& report, const report_style& style) {
    constexpr std::size_t most_listed = 50;
    const auto& all = report.left_out;
    if (all.empty()) return {};
    const auto title = fmt::format("Left out of the history: {}", count(all.size(), "note"));
    if (style.is_redacted) return fmt::format("<p>{}.</p>", title);
    auto made = fmt::format("<details><summary>{}</summary><ul>", title);
    for (std::size_t i = 0; i < std::min(all.size(), most_listed); ++i)
        made += fmt::format("<li>{}</li>", escaped(printable(all[i])));
    if (all.size() > most_listed) made += fmt::format("<li>and {} more</li>", all.size() - most_listed);
    return made + "</ul></details>";
}

// Closed, so that a page of hundreds of applications opens fast.
void add_section(std::string& page, const reported_application& one, const std::string& name, std::size_t number,
                 const fleet_report& report, const report_style& style) {
    page += fmt::format("<details id=\"a{}\"><summary><h3>{}</h3> <span class=\"dim\">{}</span></summary>", number,
                        in_bdi(name), in_xml(proposal_text(one)));
    page += fmt::format("<p>{}</p>", in_xml(period_of(one, report, style)));
    if (one.advice) {
        page += "<div class=\"pictures\">" + curve_picture(one, name) + runs_picture(one, name) + "</div>";
        page += fmt::format(
            "<p class=\"dim\">The curve is of the next run{}; past runs may have had other data and settings.</p>",
            one.advice->size.middle_mb()
                ? fmt::format(", with about {:.0f} {}", *one.advice->size.middle_mb(), one.of->size_unit)
                : "");
        add_advice(page, one, report, style);
        add_machines(page, one, name, report, style);
    } else {
        const auto& why = one.advice.error();
        page += fmt::format("<p class=\"bad\">No advice: {}.</p>",
                            style.is_redacted ? in_xml(to_string(why.code())) : escaped(why.message()));
    }
    page += "<p><a href=\"#applications\">Back to the table</a></p></details>";
}

[[nodiscard]] std::string pictures_of_period(const fleet_report& report) {
    if (!report.tells_starts) return {};
    const auto errors = errors_picture(report);
    const bool is_tested = std::any_of(report.applications.begin(), report.applications.end(),
                                       [](const reported_application& one) { return one.tested.has_value(); });
    return fmt::format(
        "<h2>Hours{} over the period</h2><div class=\"pictures\">{}{}</div>{}", errors.empty() ? "" : " and errors",
        days_picture(report), errors,
        is_tested ? "" : "<p class=\"dim\">With --backtest, the error of predictions over the period stands here, too.</p>");
}

// Each reason once, however many applications it holds for.
[[nodiscard]] std::string not_compared_on_machines(const fleet_report& report) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& one : report.applications)
        if (!one.why_no_machines.empty()) ++reasons[one.why_no_machines];
    std::string made;
    for (const auto& [why, applications] : reasons)
        made += fmt::format("<p class=\"dim\">Of {}, {}.</p>", count(applications, "application"), escaped(why));
    return made;
}

}  // namespace

std::string page_of(const fleet_report& report, const report_style& style) {
    const auto names = short_names(report);
    auto page = fmt::format(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none';style-src 'unsafe-inline';script-src 'unsafe-inline'\"><meta name=\"color-scheme\" content=\"light dark\">"
        "<title>Fleet report</title><style>{}</style></head><body><main><h1>Fleet report</h1><p class=\"dim\">{} {}</p>",
        detail::report_css, in_xml(period_text(report)), in_xml(prices_text(report, style)));
    page += not_compared_on_machines(report);
    page += left_out_of(report, style);
    page += sums_of(report, style);
    page += answers_list(answers_of(report, names, style));
    page += pictures_of_period(report);
    page += table_of(report, names, style);
    const bool marks_odds = std::any_of(report.applications.begin(), report.applications.end(),
                                        [](const auto& one) { return !one.has_deadline && one.changes_size(); });
    page += fmt::format(
        "<p class=\"dim\">Hours: {}s times the hours from the {} to the result. Hours saved: those of the next run, now "
        "less "
        "proposed, times the runs of the period. In time: the probability that the next run meets its deadline, where "
        "failed runs count as lower bounds of the runtime, and how often runs fail does not count{}.</p><h2>Each "
        "application</h2><p "
        "class=\"printed\">Sections that are closed "
        "on the screen are not printed.</p>",
        to_string(report.unit), to_string(report.deadlines_from),
        marks_odds ? "; with * nobody stated a deadline, and it is within the time that the size now meets" : "");
    for (std::size_t i = 0; i < names.size(); ++i) add_section(page, report.applications[i], names[i], i + 1, report, style);
    return page + fmt::format("</main><script>{}</script></body></html>\n", detail::report_js);
}

}  // namespace tools
