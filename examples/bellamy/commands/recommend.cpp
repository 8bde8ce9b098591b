// For every application of a history: how large its next run should be, and how probably it then meets its deadline.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
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
#include "../../support/json_record.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
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
    std::string format = "text";
    std::string plot;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;
};

struct advised {
    const tools::application_history* of = nullptr;
    bellamy::result<tools::advice> advice;
};

[[nodiscard]] std::size_t contexts_of(const tools::application_history& of) {
    const auto numbers = bellamy::context_numbers(of.runs);
    return 1 + *std::max_element(numbers.begin(), numbers.end());
}

[[nodiscard]] std::string gain_of(const tools::advice& advice) {
    if (!advice.choice.candidate || advice.choice.candidate->scale_out == advice.present.scale_out) return "no change";
    if (advice.saving() > 0) return fmt::format("saves {:.0f} %", 100 * advice.saving());
    return fmt::format("{:+.1f} % in time for {:.0f} % more hours", 100 * advice.probability_gained(),
                       -100 * advice.saving());
}

[[nodiscard]] std::string basis_of(const advised& one) {
    const auto& advice = *one.advice;
    switch (advice.basis) {
        case tools::advice_basis::replay:
            return fmt::format("the tasks of run {}", one.of->latest ? one.of->latest->run : "?");
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
    if (!advice.recent) return "-";
    return fmt::format("{:+.1f} sd (p {:.2g})", advice.recent->mean_deviate, advice.recent->probability);
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
        table.add_cell(fmt::format("{}", one.of->runs.back().scale_out));
        if (!one.advice) {
            for (int i = 0; i < 8; ++i) table.add_cell("-");
            notes += fmt::format("{}: no advice: {}\n", tools::printable(one.of->name), one.advice.error().message());
            continue;
        }
        const auto& advice = *one.advice;
        const auto& best = advice.choice.candidate;
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

// In the form that allocate prints and draws.
[[nodiscard]] tools::answer to_answer(const advised& one) {
    const auto& advice = *one.advice;
    const auto& last = one.of->runs.back().context;
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
        if (numbers[i] == numbers.back() && !one.of->runs[i].censored)
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
               tools::count(static_cast<std::size_t>(advice.present.scale_out), to_string(one.of->runs.back().context.unit)),
               describe(one.of->facts.back().size));
    if (advice.recent) fmt::print("drift        {}\n", tools::describe(*advice.recent));
    fmt::print("\n");
    print_nearest(one);
    fmt::print("\n");
    tools::print_table(all);
    tools::print_curve(all);
    tools::print_choice(all);
    if (advice.choice.candidate) {
        fmt::print("{}: {}; in time with {:.1f} %, at the size now with {:.1f} %.\n",
                   describe(proposed_size(*one.of, advice)), gain_of(advice), 100 * advice.choice.candidate->probability,
                   100 * advice.present.probability);
        if (advice.heap_mb) {
            const auto heap = advice.heap_mb->at(advice.choice.candidate->scale_out);
            fmt::print("Largest heap of an executor: {:.0f} MB (median), {:.0f} MB (90 %).\n", heap.median_s,
                       heap.quantile_s(0.9));
        }
    }
    for (const auto& each : advice.warnings) fmt::print("Warning: {}.\n", tools::printable(each));
}

void print_configuration(const advised& one, const std::string& format) {
    if (!one.advice) {
        fmt::print(stderr, "{}: no advice: {}\n", tools::printable(one.of->name), one.advice.error().message());
        return;
    }
    const auto size = proposed_size(*one.of, *one.advice);
    if (format == "spark-application") fmt::print("---\n");
    fmt::print("# {}: {}\n", tools::printable(one.of->name), gain_of(*one.advice));
    for (const auto& each : one.advice->warnings) fmt::print("# warning: {}\n", tools::printable(each));
    if (format == "spark-application") {
        fmt::print("{}", to_spark_application(size, one.of->name));
        return;
    }
    if (format == "spark-submit") {
        fmt::print("{}\n", to_spark_submit(size));
    } else {
        fmt::print("{}", to_spark_conf(size));
    }
}

void print_json(const std::vector<advised>& all) {
    auto records = nlohmann::ordered_json::array();
    for (const auto& one : all)
        records.push_back(one.advice ? tools::to_json(*one.of, *one.advice)
                                     : nlohmann::ordered_json{{"application", one.of->name},
                                                              {"runs", one.of->runs.size()},
                                                              {"error", one.advice.error().message()}});
    tools::print_record("recommend", {{"applications", std::move(records)}});
}

[[nodiscard]] std::vector<advised> advise_all(const tools::team_history& history, const arguments& given) {
    std::vector<const tools::application_history*> wanted;
    if (given.application.empty()) {
        for (const auto& application : history.applications) wanted.push_back(&application);
    } else {
        wanted.push_back(&history.application(given.application));
    }
    tools::progress_bar bar("learning");
    std::vector<advised> all;
    for (const auto* application : wanted) {
        all.push_back({.of = application, .advice = tools::advise(*application, given.wanted)});
        bar.advance(static_cast<double>(all.size()) / static_cast<double>(wanted.size()),
                    fmt::format("{} of {} applications", all.size(), wanted.size()));
    }
    return all;
}

// Bytes that are given or listed tell nothing where past runs are measured by something else.
void require_bytes(const tools::application_history& of) {
    if (of.size_unit == "MB") return;
    throw tools::tool_error("unknown_size",
                            fmt::format("expected past runs whose bytes were counted for --data-size and --input, found "
                                        "{} with data sizes in {}",
                                        of.name, of.size_unit));
}

[[nodiscard]] int run(arguments given) {
    if ((given.size_mb || !given.input.empty()) && given.application.empty())
        throw CLI::ValidationError("--data-size and --input need --application: each has its own data");
    if (given.size_mb) given.wanted.size = tools::given_size(*given.size_mb);
    if (!given.input.empty()) given.wanted.size = tools::listed_size(given.input);
    if (!given.plot.empty() && given.application.empty())
        throw CLI::ValidationError("--plot needs --application: a picture is of one");
    const std::vector<tools::named_path> outputs{{"--plot", given.plot}};
    auto inputs = tools::each_as("--input", given.input);
    inputs.push_back({"the history", given.history});
    tools::require_outputs(outputs, inputs);
    tools::require_history_stays(given.history, outputs);
    const auto read = tools::read_history(given.history, given.skip_invalid, tools::to_name_rule(given.name_rules));
    tools::tell_skipped(read);
    if (given.wanted.size) require_bytes(read.application(given.application));
    const auto all = advise_all(read, given);
    if (!given.application.empty()) (void)all.front().advice.value();
    if (given.format == "json") {
        print_json(all);
    } else if (given.format != "text") {
        for (const auto& one : all) print_configuration(one, given.format);
    } else if (given.application.empty()) {
        print_lines(all);
    } else {
        print_details(all.front());
    }
    if (!given.plot.empty()) tools::write_plot(to_answer(all.front()), given.plot);
    return given.application.empty() || all.front().advice->choice.feasible() ? 0 : tools::infeasible;
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
                           "Time from the first executor to the result; by default what the size now meets with "
                           "--probability")
                ->check(is_positive()));
    app.add_option("--probability", given->wanted.probability, "With which the deadline must be met")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 0.999));
    app.add_option("--application", given->application, "Show every size for this application alone");
    add_name_rules(app, given->name_rules);
    auto* size = as_size(app.add_option("--data-size", given->size_mb,
                                        "Data that the next run of --application will read; by default forecast from past "
                                        "sizes")
                             ->check(is_natural()));
    app.add_option("--input", given->input, "Files and folders that it will read, whose sizes are added up")->excludes(size);
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
    app.add_option("--plot", given->plot, "SVG file to draw the curve of --application into; needs gnuplot");
    app.footer(
        "Exit code: 0; 4 where no size of --application meets the deadline with the\n"
        "probability required (the likeliest is printed); 1 for bad input, 2 for wrong\n"
        "usage.");
    set_essential(app, {"HISTORY", "--deadline", "--probability", "--application", "--data-size", "--format"});
    return [given] { return run(*given); };
}
