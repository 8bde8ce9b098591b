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
#include <string>
#include <vector>

#include "support/history.hpp"
#include "support/left_out.hpp"
#include "support/model_file.hpp"
#include "support/named_paths.hpp"
#include "support/output_file.hpp"
#include "support/pretrain_arguments.hpp"
#include "support/program.hpp"
#include "support/progress_bar.hpp"

namespace {

struct arguments : tools::pretrain_arguments {
    std::string history;
    std::string application;
    std::size_t folds = 5;
    std::string header;
    std::string source;
};

void declare_history(CLI::App& app, arguments& given) {
    auto* history = app.add_option("history", given.history,
                                   "Runs to learn from: a folder of Spark event logs or of trace files, a trace file, or a "
                                   "table that import_logs wrote; properties and roles are found in it");
    app.add_option("--application", given.application, "The application of the history to learn; needed if it has several")
        ->needs(history);
}

void require_one_source(const arguments& given) {
    const bool has_table = !given.c3o.empty() || !given.table.empty();
    if (given.history.empty() && !has_table) throw CLI::ValidationError("a history, --c3o or --table is required");
    if (!given.history.empty() && has_table)
        throw CLI::ValidationError(
            fmt::format("expected one of a history, --c3o and --table, found the history \"{}\" beside", given.history));
}

// An application's runs; the model has its name unless another was given.
[[nodiscard]] tools::pretrain_history take_application(arguments& given) {
    const auto all = tools::read_history(given.history, given.skip_invalid);
    tools::tell_skipped(all);
    const auto& found = all.application(given.application);
    fmt::print("application   {}, {} of {} in {}\n", found.name, tools::count(found.runs.size(), "run"),
               tools::count(all.applications.size(), "application"), given.history);
    tools::print_taken(found.layout);
    if (given.training.algorithm.empty()) given.training.algorithm = found.name;
    tools::pretrain_history made{.read = {.runs = found.runs}};
    for (const auto& each : found.facts) {
        made.read.lines.push_back(made.ids.size());
        made.ids.push_back(each.id);
    }
    return made;
}

void declare_outputs_and_threads(CLI::App& app, arguments& given) {
    app.add_option("--folds", given.folds,
                   "Parts of the contexts that are left out in turn to tell how right the model is; 0: do not")
        ->capture_default_str()
        ->check(CLI::Range(0U, 100U));
    auto* header = app.add_option("--header", given.header, "C++ header to write, for a program that carries the model");
    app.add_option("--source", given.source, "Where the runs come from, for the comment at the header's top")->needs(header);
    app.add_option("--threads", given.training.threads, "Threads that train; the model does not depend on their number")
        ->capture_default_str();
    auto* workers = app.add_option("--workers", given.training.parallel.workers,
                                   "Workers that train, each on its share of the runs; the model depends on their number")
                        ->capture_default_str();
    given.of_paper_mode.push_back(workers);
}

[[nodiscard]] bellamy::trained train(const std::vector<bellamy::run>& runs, bellamy::pretrain_options options) {
    tools::progress_bar bar("validation loss");
    options.progress = std::ref(bar);
    return bellamy::pretrain(runs, options).value();
}

[[nodiscard]] std::size_t contexts_of(const std::vector<bellamy::run>& runs) {
    const auto numbers = bellamy::context_numbers(runs);
    return numbers.empty() ? 0 : std::size_t{1} + *std::max_element(numbers.begin(), numbers.end());
}

// Best mode needs two contexts to learn what properties change; with fewer, other jobs tell which curves to expect.
[[nodiscard]] bellamy::model start_cold(const std::vector<bellamy::run>& runs, const std::string& algorithm) {
    fmt::print(
        "cold start    {} of one context: how runtimes change with the scale-out is taken from other jobs, and other "
        "contexts are guesses\n",
        tools::count(runs.size(), "run"));
    return bellamy::cold_start(runs.front().context, algorithm).value().condition(runs).value();
}

void print_left_out(const std::vector<bellamy::run>& runs, const arguments& given) {
    if (given.training.mode != bellamy::training_mode::best) return;
    const auto score = tools::cross_validate(runs, given.training, given.folds);
    if (!score) return;
    fmt::print(
        "how right     on contexts left out ({} of {}): median error {:.1f} %, {:.0f} % of runs within the 90 % "
        "interval\n",
        tools::count(score->runs, "run"), tools::count(score->contexts, "context"), 100 * score->median_error,
        100 * score->covered);
}

[[nodiscard]] bellamy::model learn(const arguments& given, const std::vector<bellamy::run>& runs,
                                   const std::vector<std::string>& places, std::chrono::steady_clock::time_point began) {
    auto made = train(runs, given.training);
    tools::print_report(made, places, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    print_left_out(runs, given);
    return std::move(made).model;
}

// The command, its paths without directories, which mean nothing on another machine.
[[nodiscard]] std::string command_line(const arguments& given, int argc, char** argv) {
    std::string command = "pretrain";
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        for (const auto& path : {given.history, given.c3o, given.table, given.out, given.header})
            if (!path.empty() && word.ends_with(path))
                word.replace(word.size() - path.size(), path.size(), std::filesystem::path(path).filename().string());
        const bool plain = !word.empty() && word.find_first_of(" \t\"'\\$`") == std::string::npos;
        command += plain ? " " + word : " \"" + word + "\"";
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

void write_header(const arguments& given, const bellamy::model& made, const std::string& command) {
    auto comment = fmt::format("A general model of {}, made by: {}", given.training.algorithm, command);
    if (!given.source.empty()) comment += "\nLearnt from: " + given.source;
    tools::write_file(given.header, to_header(made, identifier(given.training.algorithm), comment).value());
    fmt::print("written       {}, {} bytes\n", given.header, std::filesystem::file_size(given.header));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Pre-trains a general model of one algorithm, or of one application of a history, on its past runs.",
                 "pretrain");
    arguments given;
    tools::declare(app, given);
    declare_history(app, given);
    tools::declare_paper_mode(app, given);
    declare_outputs_and_threads(app, given);
    return tools::run_program(app, argc, argv, [&] {
        require_one_source(given);
        tools::complete(given, !given.history.empty());
        if (given.out.empty() && given.header.empty()) throw CLI::ValidationError("one of --out and --header is required");
        const std::vector<tools::named_path> outputs{{"--out", given.out}, {"--header", given.header}};
        tools::require_outputs(outputs, {{"the history", given.history}, {"--c3o", given.c3o}, {"--table", given.table}});
        tools::require_history_stays(given.history, outputs);

        const auto all = given.history.empty() ? tools::read_history(given) : take_application(given);
        const auto [runs, lines] = tools::leave_out(all.read, given.left_out);
        const auto began = std::chrono::steady_clock::now();
        const bool is_cold = given.training.mode == bellamy::training_mode::best && contexts_of(runs) == 1;
        const auto made =
            is_cold ? start_cold(runs, given.training.algorithm) : learn(given, runs, tools::places_of(all, lines), began);

        if (!given.out.empty()) {
            tools::save_model(made, given.out);
            fmt::print("written       {}, {} bytes\n", given.out, to_bytes(made).size());
        }
        if (!given.header.empty()) write_header(given, made, command_line(given, argc, argv));
    });
}
