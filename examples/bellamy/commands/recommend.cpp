// For every application of a history: how large its next run should be, and how probably it then meets its deadline.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../support/advice.hpp"
#include "../../support/advice_record.hpp"
#include "../../support/answer_plot.hpp"
#include "../../support/answer_text.hpp"
#include "../../support/arguments.hpp"
#include "../../support/deadlines.hpp"
#include "../../support/json_record.hpp"
#include "../../support/ledger.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/output_file.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/text_table.hpp"
#include "../../support/tool_error.hpp"
#include "../command.hpp"

namespace {

struct arguments {
    std::string history;
    tools::advice_request wanted;
    std::string application;
    std::optional<std::uint64_t> size_mb;
    std::vector<std::string> input;
    std::string deadlines;
    std::string deadline_from = "submission";
    std::optional<std::string> next_arguments;
    std::string format = "text";
    std::string out;
    std::string ledger;
    std::optional<double> at_s;
    double price_per_hour = 0;
    tools::currency currency;
    std::string plot;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;
};

struct advised {
    const tools::application_history* of = nullptr;
    bellamy::result<tools::advice> advice;
    std::optional<tools::application_ledger> past{};
};

[[nodiscard]] std::size_t contexts_of(const tools::application_history& of) {
    const auto numbers = bellamy::context_numbers(of.runs);
    return 1 + *std::max_element(numbers.begin(), numbers.end());
}

[[nodiscard]] const bellamy::run& last_complete(const advised& one) { return one.of->runs[one.of->last_complete()]; }

[[nodiscard]] std::string gain_of(const tools::advice& advice) {
    if (!advice.stopped.empty()) return "stopped";
    if (!advice.proposal) return "no size meets it";
    if (!advice.changes_size()) return "as it is";
    if (advice.saving() > 0) return fmt::format("saves {:.0f} %", 100 * advice.saving());
    return fmt::format("{:+.1f} % in time for {:.0f} % more hours", 100 * advice.probability_gained(),
                       -100 * advice.saving());
}

[[nodiscard]] std::string basis_of(const advised& one) {
    const auto& advice = *one.advice;
    switch (advice.basis) {
        case tools::advice_basis::replay:
            return fmt::format("the tasks of run {}", one.of->latest ? one.of->latest->run : "?");
        case tools::advice_basis::task_bounds:
            return fmt::format("the longest task and the sum of tasks of {}, equal but for the size",
                               tools::count(one.of->runs.size(), "run"));
        case tools::advice_basis::cold_start:
            return fmt::format("{}, equal but for the size", tools::count(one.of->runs.size(), "run"));
        case tools::advice_basis::history: break;
    }
    const auto alike = tools::runs_like_the_last(*one.of);
    const auto others = one.of->runs.size() - alike;
    return fmt::format("{} like the next{}", tools::count(alike, "run"),
                       others > 0 ? fmt::format(", {} with other settings", others) : "");
}

[[nodiscard]] std::string drift_of(const tools::advice& advice) {
    const auto& [test, change] = advice.latest;
    if (change) return fmt::format("{:+.0f} % (p {:.2g})", 100 * std::expm1(change->log_factor), change->test.probability);
    return test ? fmt::format("none (p {:.2g})", test->probability) : "-";
}

void print_lines(const std::vector<advised>& all) {
    tools::text_table table;
    for (const char* title : {"application", "runs", "size now", "deadline", "proposed", "configuration", "in time",
                              "in time now", "gain", "based on", "drift"}) {
        const std::string name(title);
        const bool is_text = name == "application" || name == "configuration" || name == "gain" || name == "based on";
        table.add_column(name, !is_text);
    }
    std::string notes;
    for (const auto& one : all) {
        table.add_cell(one.of->name.substr(0, 40));
        table.add_cell(fmt::format("{}", one.of->runs.size()));
        table.add_cell(fmt::format("{}", last_complete(one).scale_out));
        if (!one.advice) {
            for (int i = 0; i < 8; ++i) table.add_cell("-");
            notes += fmt::format("{}: no advice: {}\n", tools::printable(one.of->name), one.advice.error().message());
            continue;
        }
        const auto& advice = *one.advice;
        const auto& best = advice.proposal;
        table.add_cell(fmt::format("{:.0f} s", advice.wanted.deadline_s));
        table.add_cell(best ? fmt::format("{}", best->scale_out) : "-");
        table.add_cell(best ? describe(proposed_size(*one.of, advice)) : "-");
        table.add_cell(best ? fmt::format("{:.1f} %", 100 * best->probability) : "-");
        table.add_cell(fmt::format("{:.1f} %", 100 * advice.present.probability));
        table.add_cell(gain_of(advice));
        table.add_cell(basis_of(one));
        table.add_cell(drift_of(advice));
        for (const auto& each : advice.warnings)
            notes += fmt::format("{}: {}\n", tools::printable(one.of->name), tools::printable(each));
    }
    fmt::print("{}", table.text());
    if (!notes.empty()) fmt::print("\n{}", notes);
}

[[nodiscard]] std::string worth_of(const tools::ledger_sums& sums, const advised& one, const arguments& given) {
    auto text = describe(sums, to_string(last_complete(one).context.unit));
    if (given.price_per_hour > 0 && sums.applied > 0)
        text += fmt::format(", {}{:.2f}", given.currency.name(), sums.saved() * given.price_per_hour);
    return text;
}

[[nodiscard]] tools::ledger_sums sums_of(const std::vector<advised>& all) {
    tools::ledger_sums together;
    for (const auto& one : all)
        if (one.past) together.add(one.past->sums);
    return together;
}

void print_ledger(const std::vector<advised>& all, const arguments& given) {
    if (given.ledger.empty()) return;
    fmt::print("\n");
    for (const auto& one : all)
        if (one.past->sums.proposals > 0)
            fmt::print("past of {}: {}\n", tools::printable(one.of->name), worth_of(one.past->sums, one, given));
    fmt::print("past of all: {}\n", worth_of(sums_of(all), all.front(), given));
}

// In the form that allocate prints and draws.
[[nodiscard]] tools::answer to_answer(const advised& one) {
    const auto& advice = *one.advice;
    const auto& last = last_complete(one).context;
    tools::answer all{.model = advice.model,
                      .wanted = advice.wanted,
                      .goal = "cheapest",
                      .machines = {{.job = last}},
                      .curves = {advice.runtimes},
                      .scale_outs = advice.scale_outs,
                      .table = advice.rows,
                      .choice = advice.choice,
                      .basis = basis_of(one)};
    const auto numbers = bellamy::context_numbers(one.of->runs);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] == numbers[one.of->last_complete()] && !one.of->runs[i].censored)
            all.machines.front().observed.push_back(one.of->runs[i]);
    return all;
}

[[nodiscard]] std::string value_of(const bellamy::property& of) {
    if (const auto* text = std::get_if<std::string>(&of.value)) return *text;
    if (const auto* number = std::get_if<std::uint64_t>(&of.value)) return fmt::format("{}", *number);
    if (const auto* number = std::get_if<double>(&of.value)) return fmt::format("{:g}", *number);
    return "?";
}

void print_nearest(const advised& one) {
    tools::text_table table;
    table.add_column("nearest runs", false);
    table.add_column("scale-out", true);
    table.add_column("seconds", true);
    table.add_column("properties", false);
    for (const auto i : one.advice->nearest) {
        const auto& run = one.of->runs[i];
        std::vector<std::string> values;
        for (const auto& each : run.context.essential) values.push_back(each.name + "=" + value_of(each));
        table.add_cell(one.of->facts[i].id);
        table.add_cell(fmt::format("{}", run.scale_out));
        table.add_cell(fmt::format("{:.1f}{}", run.runtime_s, run.censored ? " at least" : ""));
        table.add_cell(fmt::format("{}", fmt::join(values, ", ")));
    }
    fmt::print("{}", table.text());
}

void print_details(const advised& one) {
    const auto& advice = *one.advice;
    const auto all = to_answer(one);
    fmt::print("application  {}, {} in {}\n", tools::printable(one.of->name), tools::count(one.of->runs.size(), "run"),
               tools::count(contexts_of(*one.of), "context"));
    fmt::print("based on     {}\n", tools::printable(basis_of(one)));
    if (const auto& sizes = advice.size.sizes; !sizes.empty()) {
        fmt::print("data size    {} {}", sizes[sizes.size() / 2].size_mb, one.of->size_unit);
        if (sizes.size() > 1) fmt::print(" ({} to {} {})", sizes.front().size_mb, sizes.back().size_mb, one.of->size_unit);
        fmt::print(", {}\n", advice.size.how);
    }
    fmt::print("last run at  {}: {}\n",
               tools::count(static_cast<std::size_t>(advice.present.scale_out), to_string(last_complete(one).context.unit)),
               describe(one.of->facts[one.of->last_complete()].size));
    if (!advice.waits_s.empty())
        fmt::print("first executor after {:.0f} s ({:.0f} to {:.0f} s): the deadline counts from submission\n",
                   advice.waits_s[advice.waits_s.size() / 2], advice.waits_s.front(), advice.waits_s.back());
    if (advice.latest.test || advice.latest.change) fmt::print("drift        {}\n", drift_of(advice));
    fmt::print("\n");
    print_nearest(one);
    fmt::print("\n");
    tools::print_table(all);
    tools::print_curve(all);
    if (advice.stopped.empty()) tools::print_choice(all);
    if (advice.proposal) {
        fmt::print("{}: {}; in time with {:.1f} %, at the size now with {:.1f} %.\n",
                   describe(proposed_size(*one.of, advice)), gain_of(advice), 100 * advice.proposal->probability,
                   100 * advice.present.probability);
        if (advice.heap_mb) {
            const auto heap = advice.heap_mb->at(advice.proposal->scale_out);
            fmt::print("Largest heap of an executor: {:.0f} MB (median), {:.0f} MB (90 %).\n", heap.median_s,
                       heap.quantile_s(0.9));
        }
    }
    for (const auto& each : advice.warnings) fmt::print("Warning: {}.\n", tools::printable(each));
}

// What dynamic allocation does stays where the size does; nothing is set where nothing is proposed.
[[nodiscard]] std::string configuration_of(const advised& one, const std::string& format) {
    std::string text = format == "spark-application" ? "---\n" : "";
    text += fmt::format("# {}: {}\n", tools::printable(one.of->name), gain_of(*one.advice));
    for (const auto& each : one.advice->warnings) text += fmt::format("# warning: {}\n", tools::printable(each));
    const auto size = proposed_size(*one.of, *one.advice);
    if (!one.advice->proposal || (size.is_dynamic && !one.advice->changes_size())) return text;
    if (format == "spark-application") return text + to_spark_application(size, one.of->name);
    return text + (format == "spark-submit" ? to_spark_submit(size) + "\n" : to_spark_conf(size));
}

void print_configuration(const advised& one, const std::string& format) {
    if (one.advice) {
        fmt::print("{}", configuration_of(one, format));
    } else {
        fmt::print(stderr, "{}: no advice: {}\n", tools::printable(one.of->name), one.advice.error().message());
    }
}

// A file for each application, named after it.
void write_configurations(const std::vector<advised>& all, const std::string& format, const std::string& folder) {
    std::error_code why;
    std::filesystem::create_directories(folder, why);
    if (why)
        throw tools::tool_error("cannot_write", fmt::format("expected a folder at {}, found: {}", folder, why.message()));
    const std::string ending = format == "spark-application" ? "yaml" : format == "spark-submit" ? "args" : "conf";
    std::map<std::string, int> names;
    for (const auto& one : all) {
        if (!one.advice) {
            print_configuration(one, format);
            continue;
        }
        const auto name = tools::to_kubernetes_name(one.of->name);
        const int number = ++names[name];
        const auto path = fmt::format("{}/{}{}.{}", folder, name, number == 1 ? "" : fmt::format("-{}", number), ending);
        tools::write_file(path, configuration_of(one, format));
        fmt::print("{}: {}\n", path, gain_of(*one.advice));
    }
}

[[nodiscard]] nlohmann::ordered_json record_of(const advised& one, const arguments& given) {
    auto record = tools::to_json(*one.of, *one.advice);
    record["past_proposals"] =
        one.past ? tools::to_json(one.past->sums, given.price_per_hour) : nlohmann::ordered_json(nullptr);
    return record;
}

void print_json(const std::vector<advised>& all, const arguments& given) {
    auto records = nlohmann::ordered_json::array();
    for (const auto& one : all)
        records.push_back(one.advice ? record_of(one, given)
                                     : nlohmann::ordered_json{{"application", one.of->name},
                                                              {"runs", one.of->runs.size()},
                                                              {"error", one.advice.error().message()}});
    tools::print_record("recommend",
                        {{"applications", std::move(records)},
                         {"past_proposals", given.ledger.empty() ? nlohmann::ordered_json(nullptr)
                                                                 : tools::to_json(sums_of(all), given.price_per_hour)}});
}

// The request for all, with the deadline that a file states for this application.
[[nodiscard]] tools::advice_request request_for(const tools::application_history& of, const arguments& given,
                                                const tools::deadline_file& deadlines) {
    auto wanted = given.wanted;
    if (const auto* of_file = deadlines.find(of.name)) {
        wanted.deadline_s = of_file->deadline_s;
        wanted.probability = of_file->probability.value_or(wanted.probability);
    }
    return wanted;
}

[[nodiscard]] std::vector<advised> advise_all(const tools::team_history& history, const arguments& given) {
    const auto deadlines = given.deadlines.empty() ? tools::deadline_file() : tools::read_deadlines(given.deadlines);
    for (const auto& name : deadlines.names_beside(history))
        fmt::print(stderr, "{}: {} has no run in {}\n", given.deadlines, tools::printable(name), history.path);
    std::vector<const tools::application_history*> wanted;
    if (given.application.empty()) {
        for (const auto& application : history.applications) wanted.push_back(&application);
    } else {
        wanted.push_back(&history.application(given.application));
    }
    tools::progress_bar bar("learning");
    std::vector<advised> all;
    all.reserve(wanted.size());
    for (const auto* application : wanted) {
        all.push_back(
            {.of = application, .advice = tools::advise(*application, request_for(*application, given, deadlines))});
        bar.advance(static_cast<double>(all.size()) / static_cast<double>(wanted.size()),
                    fmt::format("{} of {} applications", all.size(), wanted.size()));
    }
    return all;
}

// Proposals that came to nothing stop, by what became of those in the file.
void look_back_at(const std::vector<tools::ledger_entry>& entries, std::vector<advised>& all) {
    for (auto& one : all) {
        one.past = tools::look_back(entries, *one.of);
        if (one.advice && !one.past->stopped.empty()) tools::withhold(*one.advice, one.past->stopped);
    }
}

void write_down(const std::vector<advised>& all, const arguments& given) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const double now_s = given.at_s.value_or(std::chrono::duration<double>(now).count());
    std::vector<tools::ledger_entry> entries;
    for (const auto& one : all)
        if (one.advice) entries.push_back(tools::to_entry(*one.of, *one.advice, now_s));
    tools::append_to_ledger(given.ledger, entries);
}

// Bytes that are given or listed tell nothing where past runs are measured by something else.
void require_bytes(const tools::application_history& of) {
    if (of.size_unit == "MB") return;
    throw tools::tool_error("unknown_size",
                            fmt::format("expected past runs whose bytes were counted for --data-size and --input, found "
                                        "{} with data sizes in {}",
                                        of.name, of.size_unit));
}

// The history counts what was read, which may be the files several times or in parts.
[[nodiscard]] tools::next_size size_of_files(const tools::application_history& of, const std::vector<std::string>& paths) {
    std::vector<double> ratios;
    for (auto i = of.runs.size(); i-- > 0 && ratios.size() < 20;) {
        const auto read = tools::data_size(of.runs[i]);
        if (!of.runs[i].censored && read && of.facts[i].source_mb > 0)
            ratios.push_back(*read / static_cast<double>(of.facts[i].source_mb));
    }
    if (!ratios.empty()) return tools::scaled_size(tools::listed_size(paths), std::move(ratios));
    throw tools::tool_error(
        "unknown_size", fmt::format("expected past runs whose logs tell the size of their files (scans of Spark SQL) for "
                                    "--input, found none of {}: how often it reads them is not known; give --data-size "
                                    "as the history counts it, {:.0f} MB in the last run",
                                    of.name, tools::data_size(of.runs[of.last_complete()]).value_or(0)));
}

[[nodiscard]] int run(arguments given) {
    if ((given.size_mb || !given.input.empty() || given.next_arguments) && given.application.empty())
        throw CLI::ValidationError("--data-size, --input and --arguments need --application: each has its own data");
    const bool is_for_spark = given.format.starts_with("spark-");
    if (!given.out.empty() && !is_for_spark)
        throw CLI::ValidationError("--out needs --format spark-submit, spark-conf or spark-application");
    given.wanted.arguments = given.next_arguments;
    given.wanted.from = tools::to_deadline_start(given.deadline_from);
    if (given.size_mb) given.wanted.size = tools::given_size(*given.size_mb);
    if (!given.plot.empty() && given.application.empty())
        throw CLI::ValidationError("--plot needs --application: a picture is of one");
    const std::vector<tools::named_path> outputs{{"--plot", given.plot}, {"--ledger", given.ledger}};
    auto inputs = tools::each_as("--input", given.input);
    inputs.push_back({"the history", given.history});
    inputs.push_back({"--deadlines", given.deadlines});
    tools::require_outputs(outputs, inputs);
    tools::require_history_stays(given.history, outputs);
    const auto read = tools::read_history(given.history, given.skip_invalid, tools::to_name_rule(given.name_rules));
    tools::tell_skipped(read);
    if (given.wanted.size || !given.input.empty()) require_bytes(read.application(given.application));
    if (!given.input.empty()) given.wanted.size = size_of_files(read.application(given.application), given.input);
    if (is_for_spark && given.out.empty() && given.application.empty() && read.applications.size() > 1)
        throw CLI::ValidationError(
            fmt::format("--format {} of {} applications needs --out FOLDER, for a file each, or "
                        "--application",
                        given.format, read.applications.size()));
    std::vector<tools::ledger_entry> entries;
    if (!given.ledger.empty()) entries = tools::read_ledger(given.ledger);
    auto all = advise_all(read, given);
    if (!given.application.empty()) (void)all.front().advice.value();
    if (!given.ledger.empty()) look_back_at(entries, all);
    if (given.format == "json") {
        print_json(all, given);
    } else if (!given.out.empty()) {
        write_configurations(all, given.format, given.out);
    } else if (given.format != "text") {
        for (const auto& one : all) print_configuration(one, given.format);
    } else if (given.application.empty()) {
        print_lines(all);
        print_ledger(all, given);
    } else {
        print_details(all.front());
        print_ledger(all, given);
    }
    if (!given.ledger.empty()) write_down(all, given);
    if (!given.plot.empty()) tools::write_plot(to_answer(all.front()), given.plot);
    return given.application.empty() || all.front().advice->proposal ? 0 : tools::infeasible;
}

}  // namespace

tools::command_body tools::declare_recommend(CLI::App& app) {
    app.description("Recommends a size for the next run of every application of a history.");
    const auto given = std::make_shared<arguments>();
    app.add_option("HISTORY", given->history,
                   "Folder of Spark event logs or of trace files, a trace file, or a table of runs: application, runtime_s, "
                   "executors, if known data_size_MB, ... (it has no tasks, which applications of one size are advised by)")
        ->required();
    as_time(app.add_option("--deadline", given->wanted.deadline_s,
                           "Time from submission to the result; by default what the size now meets with --probability")
                ->check(is_positive()));
    app.add_option("--deadlines", given->deadlines,
                   "Table of deadlines of applications: columns application, deadline and, if need be, probability; others "
                   "have --deadline");
    add_deadline_start(app, given->deadline_from);
    app.add_option("--probability", given->wanted.probability, "With which the deadline must be met")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 0.999));
    app.add_option("--application", given->application, "Show every size for this application alone");
    add_name_rules(app, given->name_rules);
    auto* size = as_size(app.add_option("--data-size", given->size_mb,
                                        "Data that the next run of --application will read; by default forecast from past "
                                        "sizes")
                             ->check(is_natural()));
    app.add_option("--input", given->input,
                   "Files and folders that it will read; how many times their size that is, past runs tell")
        ->excludes(size);
    app.add_option("--arguments", given->next_arguments,
                   "Arguments of the next run of --application; by default the last run's");
    app.add_option("--least-saving", given->wanted.least_saving,
                   "Share of the present hours that a change must save to be proposed where the size now meets the deadline")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 0.99));
    auto* format =
        app.add_option("--format", given->format,
                       "text; json; or the proposed size as options of spark-submit (spark-submit), lines of "
                       "spark-defaults.conf (spark-conf) or a merge patch for the Kubernetes operator (spark-application)")
            ->capture_default_str()
            ->check(CLI::IsMember({"text", "json", "spark-submit", "spark-conf", "spark-application"}));
    app.add_flag_callback(
           "--json", [given] { given->format = "json"; }, "The same as --format json")
        ->excludes(format);
    app.add_flag("--skip-invalid", given->skip_invalid, "Leave out rows of a table that cannot be used, and list them");
    auto* ledger = app.add_option(
        "--ledger", given->ledger,
        "File to which every proposal is appended; what became of those in it is said, and where fewer were in "
        "time than stated proposals stop");
    app.add_option("--at", given->at_s, "When the proposals are made, in seconds since 1970; by default now")->needs(ledger);
    as_money(app.add_option("--price", given->price_per_hour, "Price of an hour of an executor (or core), for the ledger"),
             given->currency, true)
        ->check(is_positive())
        ->needs(ledger);
    app.add_option("--out", given->out, "Folder for a file of --format for each application");
    app.add_option("--plot", given->plot, "SVG file to draw the curve of --application into; needs gnuplot");
    app.footer(
        "Exit code: 0; 4 where no size of --application meets the deadline with the\n"
        "probability required (what would keep it is printed); 1 for bad input, 2 for\n"
        "wrong usage.");
    set_essential(app, {"HISTORY", "--deadline", "--probability", "--application", "--data-size", "--format"});
    return [given] { return run(*given); };
}
