// The page of a fleet: what it costs, what the proposals would save, what is at risk and what changed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../support/arguments.hpp"
#include "../../support/deadlines.hpp"
#include "../../support/json_record.hpp"
#include "../../support/model_text.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/output_file.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/pseudonyms.hpp"
#include "../../support/report_metrics.hpp"
#include "../../support/report_page.hpp"
#include "../../support/report_record.hpp"
#include "../../support/report_text.hpp"
#include "../../support/tool_error.hpp"
#include "../command.hpp"

namespace {

struct report_options {
    std::string history;
    tools::report_request wanted;
    std::string html;
    std::string deadlines;
    std::string deadline_from = "submission";
    std::string ledger;
    std::string format = "text";
    std::string out;
    std::string redact;
    tools::currency currency;
    std::vector<std::string> machines;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;
};

// Other than recommend, which begins one.
[[nodiscard]] std::vector<tools::ledger_entry> read_ledger_that_exists(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown))
        throw tools::tool_error("cannot_read", fmt::format("expected a ledger at {}, found no file", path));
    return tools::read_ledger(path);
}

[[nodiscard]] std::string text_of(const tools::fleet_report& report, const tools::report_style& style) {
    const auto& period = report.period;
    auto text = fmt::format("{}\n{} took {}, those that did not succeed {} of it.\n", tools::period_text(report),
                            tools::count(report.applications.size(), "application"),
                            tools::hours_text(period.unit_hours, period.cost, report, style),
                            tools::hours_text(period.unsuccessful_unit_hours, period.unsuccessful_cost, report, style));
    if (const auto older = tools::older_attempts_text(period, report, style); !older.empty()) text += older + ".\n";
    for (const auto& each : tools::answers_of(report, tools::short_names(report), style)) {
        text += "\n" + each.question + "\n";
        for (const auto& sentence : each.answer) text += "  " + tools::printable(sentence) + "\n";
    }
    return text;
}

// As --format says.
[[nodiscard]] std::string summary_of(const tools::fleet_report& report, const report_options& given,
                                     const tools::report_style& style) {
    if (given.format == "prometheus") return tools::metrics_of(report, style);
    return given.format == "json" ? tools::record_text("report", tools::to_json(report, style)) : text_of(report, style);
}

// The period ends with the last run, so that one slip of the pen moves it beyond all others.
void tell_future_starts(const tools::team_history& of) {
    constexpr double day_s = 86400;  // a clock may be another zone's
    const auto now_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::size_t runs = 0;
    double latest_s = 0;
    for (const auto& application : of.applications)
        for (const auto& run : application.runs) {
            const double start_s = run.timestamp_s.value_or(0);
            if (start_s <= now_s + day_s) continue;
            ++runs;
            latest_s = std::max(latest_s, start_s);
        }
    if (runs == 0) return;
    fmt::print(stderr, "future        {} that {} after today, the latest {}: correct the dates, or end the period by --at\n",
               tools::count(runs, "run"), runs == 1 ? "starts" : "start", tools::time_text(latest_s));
}

[[nodiscard]] int run_report(report_options given) {
    const std::vector<tools::named_path> outputs{{"--html", given.html}, {"--out", given.out}, {"--redact", given.redact}};
    tools::require_outputs(outputs,
                           {{"the history", given.history}, {"--deadlines", given.deadlines}, {"--ledger", given.ledger}});
    tools::require_history_stays(given.history, outputs);
    given.wanted.prices.machines = tools::to_priced_machines(given.machines, given.currency);
    given.wanted.advice.from = tools::to_deadline_start(given.deadline_from);
    auto read =
        tools::read_history(given.history, given.skip_invalid, tools::to_name_rule(given.name_rules), given.wanted.threads);
    tools::tell_skipped(read);
    if (!given.wanted.until_s) tell_future_starts(read);
    if (!given.ledger.empty()) given.wanted.ledger = read_ledger_that_exists(given.ledger);
    if (!given.deadlines.empty()) given.wanted.deadlines = tools::read_deadlines(given.deadlines);
    tools::require_a_deadline_applies(read, given.wanted.deadlines, given.deadlines);
    if (!given.redact.empty()) tools::number_runs(read);
    tools::fleet_report report;
    {
        const auto all = read.applications.size();
        tools::progress_bar bar("learning");
        report = tools::make_report(read, given.wanted, [&](std::size_t done) {
            bar.advance(static_cast<double>(done) / static_cast<double>(all),
                        fmt::format("{} of {} applications", done, all));
        });
    }
    if (!given.redact.empty()) tools::replace_names(read, given.redact);
    const tools::report_style style{.currency = given.currency.name(), .is_redacted = !given.redact.empty()};
    const auto summary = summary_of(report, given, style);
    if (!given.html.empty()) tools::write_file(given.html, tools::page_of(report, style));
    if (given.out.empty()) {
        fmt::print("{}", summary);
    } else {
        tools::write_file(given.out, summary);
    }
    return 0;
}

}  // namespace

tools::command_body tools::declare_report(CLI::App& app) {
    app.description("Sums up a fleet: what it took, what proposals save, which deadlines are at risk, what changed.");
    const auto given = std::make_shared<report_options>();
    given->wanted.threads = tools::all_processors();
    app.add_option("HISTORY", given->history,
                   "Folder of Spark event logs, of Flink's archives or of trace files, a trace file, or a table of runs")
        ->required();
    app.add_option("--html", given->html, "Page to write, with a section for each application; it needs nothing beside it");
    as_money(app.add_option(
                 "--price", given->wanted.prices.otherwise,
                 "Price of an hour of an executor, whatever cores it has, or of a core where the history counts cores"),
             given->currency, true)
        ->check(is_positive());
    add_repeatable(app, "--machine", given->machines,
                   "NAME=PRICE: price of an hour of an executor (or core) on that machine type, on which applications are "
                   "compared; a type that no run had needs its cores and memory, NAME=PRICE,cores=4,memory=16GB");
    add_deadline_options(app, given->wanted.advice, given->deadlines, given->deadline_from);
    app.add_option("--ledger", given->ledger,
                   "Ledger that recommend keeps: what became of its proposals; it stays as it is");
    app.add_flag("--backtest", given->wanted.backtests,
                 "Predict each past run from those before it, as backtest does: shows how right that was; takes longer");
    as_days(app.add_option("--days", given->wanted.days, "Length of the period that is summed up")->capture_default_str(), 1,
            3660);
    as_moment(app.add_option(
        "--at", given->wanted.until_s,
        "End of the period, as a date (its 00:00 UTC) or in seconds since 1970; by default when the last run ended"));
    auto* format = app.add_option("--format", given->format,
                                  "What is printed: text; json; or prometheus, for node_exporter's textfile collector")
                       ->capture_default_str()
                       ->check(tools::is_one_of({"text", "json", "prometheus"}));
    app.add_flag_callback(
           "--json", [given] { given->format = "json"; }, "The same as --format json")
        ->excludes(format);
    app.add_option("--out", given->out, "File for what is printed, which is replaced in one step");
    app.add_option(
        "--redact", given->redact,
        "File of pseudonyms for the names of applications, to show what is written to others: new names are added "
        "to it, and ids of runs and reasons of errors are left out");
    app.add_option("--threads", given->wanted.threads,
                   "Applications that are learned, and logs that are read, at the same time")
        ->check(tools::is_whole(1, 256));
    add_name_rules(app, given->name_rules);
    app.add_flag("--skip-invalid", given->skip_invalid, "Leave out rows of a table that cannot be used, and list them");
    set_essential(app, {"HISTORY", "--html", "--price", "--deadlines", "--ledger", "--format"});
    return [given] { return run_report(*given); };
}
