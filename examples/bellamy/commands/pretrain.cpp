// Pre-trains a general model of one algorithm on a table of past runs, or on an application's runs of a history.
#include <fmt/format.h>
#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../../support/advice.hpp"
#include "../../support/history.hpp"
#include "../../support/json_record.hpp"
#include "../../support/left_out.hpp"
#include "../../support/model_file.hpp"
#include "../../support/model_record.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/output_file.hpp"
#include "../../support/pretrain_arguments.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../command.hpp"

namespace {

struct pretrain_options : tools::pretrain_arguments {
    std::string history;
    std::string application;
    std::vector<std::string> name_rules;
    std::size_t folds = 5;
    std::string header;
    bool json = false;
    std::string source;
};

void declare_history(CLI::App& app, pretrain_options& given) {
    auto* history = app.add_option(
        "HISTORY", given.history,
        "Runs to learn from: a folder of Spark event logs, of Flink's archives or of trace files, a trace file, or a "
        "table of bellamy import; it has properties and roles");
    app.add_option("--application", given.application, "The application of the history to learn; needed if it has several")
        ->needs(history);
    tools::add_name_rules(app, given.name_rules);
    app.get_option("--name")->needs(history);
}

void require_one_source(const pretrain_options& given) {
    const bool has_table = !given.c3o.empty() || !given.table.empty();
    if (given.history.empty() && !has_table) throw CLI::ValidationError("a history, --c3o or --table is required");
    if (!given.history.empty() && has_table)
        throw CLI::ValidationError(
            fmt::format("expected one of a history, --c3o and --table, found the history \"{}\" beside", given.history));
}

// An application's runs; the model has its name unless another was given.
[[nodiscard]] tools::pretrain_history take_application(pretrain_options& given) {
    const auto all = tools::read_history(given.history, given.skip_invalid, tools::to_name_rule(given.name_rules));
    tools::tell_skipped(all);
    const auto& application = all.application(given.application);
    if (given.tells) {
        fmt::print("application   {}, {} of {} in {}\n", application.name, tools::count(application.runs.size(), "run"),
                   tools::count(all.applications.size(), "application"), given.history);
        tools::print_taken(application.layout);
    }
    if (given.training.algorithm.empty()) given.training.algorithm = application.name;
    tools::pretrain_history history{.read = {.runs = application.runs}};
    for (const auto& each : application.facts) {
        history.read.lines.push_back(history.ids.size());
        history.ids.push_back(each.id);
        history.waits_s.push_back(each.wait_s);
    }
    return history;
}

void declare_outputs_and_threads(CLI::App& app, pretrain_options& given) {
    app.add_option("--folds", given.folds, "Parts of the contexts that are left out in turn to check the model; 0: do not")
        ->capture_default_str()
        ->check(tools::is_whole(0, 100));
    auto* header = app.add_option("--header", given.header, "C++ header to write, for a program that carries the model");
    app.add_option("--source", given.source, "Where the runs come from, for the comment at the header's top")->needs(header);
    app.add_option("--threads", given.training.threads, "Threads that train; the model does not depend on their number")
        ->capture_default_str();
    app.add_flag("--json", given.json, "Print what was learned as one line of JSON");
    auto* workers = app.add_option("--workers", given.training.parallel.workers,
                                   "Workers that train, each on its share of the runs; the model depends on their number")
                        ->capture_default_str();
    given.of_paper_mode.push_back(workers);
}

[[nodiscard]] bellamy::trained train(const std::vector<bellamy::run>& runs, bellamy::pretrain_options options) {
    tools::progress_bar bar("training");
    options.progress = std::ref(bar);
    return bellamy::pretrain(runs, options).value();
}

[[nodiscard]] std::size_t contexts_of(const std::vector<bellamy::run>& runs) {
    const auto numbers = bellamy::context_numbers(runs);
    return numbers.empty() ? 0 : std::size_t{1} + *std::max_element(numbers.begin(), numbers.end());
}

// Best mode needs two contexts to learn what properties change; with fewer, curves of other jobs are the prior.
[[nodiscard]] bellamy::model start_cold(const std::vector<bellamy::run>& runs, const std::string& algorithm) {
    return bellamy::cold_start(runs.front().context, algorithm).value().condition(runs).value();
}

// Runtimes of a history begin with the first executor, and a deadline with the submission.
struct known_waits {
    std::size_t runs = 0;
    double median_s = 0;
    double p90_s = 0;
};

// As `recommend` and `explore` take them.
[[nodiscard]] std::optional<known_waits> waits_of(const tools::pretrain_history& all) {
    if (all.waits_s.empty()) return std::nullopt;
    std::vector<tools::run_facts> facts(all.waits_s.size());
    for (std::size_t i = 0; i < facts.size(); ++i) facts[i].wait_s = all.waits_s[i];
    const auto waits_s = tools::usual_waits(all.read.runs, facts);
    if (waits_s.empty()) return std::nullopt;
    return known_waits{
        .runs = waits_s.size(), .median_s = waits_s[waits_s.size() / 2], .p90_s = waits_s[(9 * waits_s.size() - 1) / 10]};
}

// What a training came to, for print_* and JSON.
struct outcome {
    bellamy::model model;
    std::optional<bellamy::training_report> report{};  // empty after a cold start
    std::optional<tools::left_out_score> left_out{};
    std::vector<std::string> places{};  // of the runs, in the history
    double seconds = 0;
    std::optional<known_waits> waits{};
};

[[nodiscard]] std::optional<tools::left_out_score> check_left_out(const std::vector<bellamy::run>& runs,
                                                                  const pretrain_options& given) {
    if (given.training.mode != bellamy::training_mode::best) return std::nullopt;
    tools::progress_bar bar("checking on contexts left out");
    return tools::cross_validate(runs, given.training, given.folds);
}

[[nodiscard]] outcome learn(const pretrain_options& given, const std::vector<bellamy::run>& runs,
                            std::vector<std::string> places) {
    const auto began = std::chrono::steady_clock::now();
    const bool is_cold = given.training.mode == bellamy::training_mode::best && contexts_of(runs) == 1;
    if (is_cold) return {.model = start_cold(runs, given.training.algorithm), .places = std::move(places)};
    auto trained = train(runs, given.training);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {.model = std::move(trained.model),
            .report = std::move(trained.report),
            .left_out = check_left_out(runs, given),
            .places = std::move(places),
            .seconds = seconds};
}

void print_outcome(const outcome& learned, std::size_t runs) {
    if (!learned.report) {
        fmt::print(
            "other jobs    {} of one context: how runtimes change with the scale-out is taken from other jobs, and other "
            "contexts are guesses\n",
            tools::count(runs, "run"));
        return;
    }
    tools::print_report({.model = learned.model, .report = *learned.report}, learned.places, learned.seconds);
    if (learned.left_out)
        fmt::print(
            "accuracy      on contexts left out ({} of {}): median error {:.1f} %, {:.0f} % of runs within the 90 % "
            "interval\n",
            tools::count(learned.left_out->runs, "run"), tools::count(learned.left_out->contexts, "context"),
            100 * learned.left_out->median_error, 100 * learned.left_out->covered);
}

void print_waits(const known_waits& waits) {
    fmt::print(
        "waits         for the first executor: median {:.3g} s, 90 % quantile {:.3g} s, which the runtimes leave out: "
        "allocate counts one given as --start-up\n",
        waits.median_s, waits.p90_s);
}

// Lower bounds alone never tell how long a run takes.
void warn_of_bounds_alone(const std::vector<bellamy::run>& runs, std::FILE* to) {
    if (std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.censored; }))
        fmt::print(
            to, "lower bounds  all {} were stopped before they ended: predictions may be far too short; let one run end\n",
            tools::count(runs.size(), "run"));
}

void print_pretrain_json(const outcome& learned, const pretrain_options& given) {
    using json = nlohmann::ordered_json;
    json outliers = json::array();
    if (learned.report)
        for (const auto& outlier : learned.report->experts.improbable_runs)
            outliers.push_back({{"run", outlier.run},
                                {"place", learned.places[outlier.run]},
                                {"expected_s", outlier.expected_s},
                                {"runtime_s", outlier.found_s}});
    json left_out = nullptr;
    if (learned.left_out)
        left_out = {{"runs", learned.left_out->runs},
                    {"contexts", learned.left_out->contexts},
                    {"median_error", learned.left_out->median_error},
                    {"within_interval", learned.left_out->covered}};
    json waits = nullptr;
    if (learned.waits)
        waits = {{"runs", learned.waits->runs}, {"median_s", learned.waits->median_s}, {"p90_s", learned.waits->p90_s}};
    json written = json::array();
    for (const auto& path : {given.out, given.header})
        if (!path.empty()) written.push_back({{"path", path}, {"bytes", std::filesystem::file_size(path)}});
    tools::print_record("pretrain", {{"model", tools::to_json(learned.model)},
                                     {"cold_start", !learned.report},
                                     {"seconds", learned.seconds},
                                     {"outliers", std::move(outliers)},
                                     {"left_out", std::move(left_out)},
                                     {"waits", std::move(waits)},
                                     {"written", std::move(written)}});
}

// The command, its paths without directories, which mean nothing on another machine.
[[nodiscard]] std::string command_line(const pretrain_options& given, const CLI::App& app) {
    std::string command = app.get_name();
    const auto add = [&](std::string word) {
        for (const auto& path : {given.history, given.c3o, given.table, given.out, given.header})
            if (word == path) word = std::filesystem::path(path).filename().string();
        const bool plain = !word.empty() && word.find_first_of(" \t\"'\\$`") == std::string::npos;
        command += plain ? " " + word : " \"" + word + "\"";
    };
    std::set<const CLI::Option*> printed;
    for (const auto* option : app.parse_order()) {
        if (!printed.insert(option).second) continue;
        for (const auto& value : option->results()) {
            if (!option->get_positional()) add(option->get_name());
            if (option->get_expected_max() > 0) add(value);
        }
    }
    return command;
}

// "grep.spark" as "grep_spark".
[[nodiscard]] std::string identifier(std::string name) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    std::replace_if(
        name.begin(), name.end(), [&](char c) { return !fits(c); }, '_');
    const bool begins_with_digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
    return begins_with_digit ? "model_" + name : name;
}

void write_header(const pretrain_options& given, const bellamy::model& learned, const std::string& command) {
    auto comment = fmt::format("A general model of {}, made by: {}", given.training.algorithm, command);
    if (!given.source.empty()) comment += "\nLearned from: " + given.source;
    tools::write_file(given.header, to_header(learned, identifier(given.training.algorithm), comment).value());
}

int run_pretrain(pretrain_options& given, const CLI::App& app) {
    require_one_source(given);
    tools::complete(given, !given.history.empty());
    if (given.out.empty() && given.header.empty()) throw CLI::ValidationError("one of --out and --header is required");
    const std::vector<tools::named_path> outputs{{"--out", given.out}, {"--header", given.header}};
    tools::require_outputs(outputs, {{"the history", given.history}, {"--c3o", given.c3o}, {"--table", given.table}});
    tools::require_history_stays(given.history, outputs);
    given.tells = !given.json;

    const auto all = given.history.empty() ? tools::read_history(given) : take_application(given);
    if (given.json)
        for (const auto& each : all.marked) fmt::print(stderr, "left out      {}\n", tools::printable(each));
    const auto [runs, lines] = tools::leave_out(all.read, given.left_out);
    auto learned = learn(given, runs, tools::places_of(all, lines));
    learned.waits = waits_of(all);
    if (!given.json) print_outcome(learned, runs.size());
    if (!given.json && learned.waits) print_waits(*learned.waits);
    warn_of_bounds_alone(runs, given.json ? stderr : stdout);
    if (!given.out.empty()) tools::save_model(learned.model, given.out);
    if (!given.header.empty()) write_header(given, learned.model, command_line(given, app));
    if (given.json) {
        print_pretrain_json(learned, given);
        return 0;
    }
    if (!given.out.empty()) fmt::print("written       {}, {} bytes\n", given.out, to_bytes(learned.model).size());
    if (!given.header.empty())
        fmt::print("written       {}, {} bytes\n", given.header, std::filesystem::file_size(given.header));
    return 0;
}

}  // namespace

tools::command_body tools::declare_pretrain(CLI::App& app) {
    app.description("Learns a model of an algorithm, or an application of a history, from its runs.");
    const auto given = std::make_shared<pretrain_options>();
    declare(app, *given);
    declare_history(app, *given);
    declare_paper_mode(app, *given);
    declare_outputs_and_threads(app, *given);
    set_essential(app, {"HISTORY", "--application", "--table", "--scale-out", "--runtime", "--essential", "--role", "--out",
                        "--json"});
    return [given, &app] { return run_pretrain(*given, app); };
}
