// Pre-trains a general model of one algorithm on a table of past runs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/c3o_table.hpp"
#include "support/history_layout.hpp"
#include "support/left_out.hpp"
#include "support/model_text.hpp"
#include "support/output_file.hpp"
#include "support/program.hpp"
#include "support/progress_bar.hpp"
#include "support/run_table.hpp"

namespace {

struct arguments {
    std::string c3o;
    std::string table;
    tools::table_layout layout;
    std::string unit = "node";
    std::vector<std::string> roles;
    std::vector<std::size_t> left_out;
    std::string application;
    bool skip_invalid = false;
    std::size_t folds = 5;
    std::string out;
    std::string header;
    std::string source;
    std::string mode = "best";
    bellamy::pretrain_options training;
    std::vector<const CLI::Option*> of_paper_mode;
};

void add_names(CLI::App& app, CLI::Option* table, const std::string& name, std::vector<std::string>& names,
               const std::string& description) {
    app.add_option(name, names, description)->delimiter(',')->allow_extra_args(false)->needs(table);
}

void declare(CLI::App& app, arguments& given) {
    auto* c3o = app.add_option("--c3o", given.c3o, "Runs to learn from: a table with the columns of the C3O experiments");
    auto* table =
        app.add_option(
               "--table", given.table,
               "Runs to learn from: any table, separated by tabs, commas or semicolons, with named columns; one that "
               "import_logs wrote needs no more options")
            ->excludes(c3o);
    auto* scale_out = app.add_option("--scale-out", given.layout.scale_out, "Column of the scale-out")->needs(table);
    auto* runtime = app.add_option("--runtime", given.layout.runtime_s, "Column of the runtime in seconds")->needs(table);
    scale_out->needs(runtime);
    runtime->needs(scale_out);
    add_names(app, table, "--essential", given.layout.essential,
              "Columns of the essential properties, in order: --essential A,B or --essential A --essential B");
    add_names(app, table, "--optional", given.layout.optional, "Columns of the optional properties, which may be missing");
    add_names(app, table, "--natural", given.layout.natural,
              "Of these, those that are natural numbers (kinds: text, the default; natural; quantity)");
    add_names(app, table, "--quantity", given.layout.quantity, "Of these, those that are real numbers > 0");
    add_names(app, table, "--scaling", given.layout.scaling, "Of these, those that are totals of the whole cluster");
    tools::add_repeatable(app, "--role", given.roles,
                          "What a column means, as COLUMN=ROLE, roles being " +
                              tools::enumerator_names<bellamy::property_role::machine_type>() + "; repeatable")
        ->needs(table);
    app.add_option("--application", given.application, "Learn from this application of an imported table alone")
        ->needs(table)
        ->excludes(scale_out);
    app.add_flag("--skip-invalid", given.skip_invalid, "Leave rows out that cannot be used, and count them");
    app.add_option("--folds", given.folds,
                   "Parts of the contexts that are left out in turn to tell how right the model is; 0: do not")
        ->capture_default_str()
        ->check(CLI::Range(0U, 100U));
    app.add_option("--outcome", given.layout.outcome,
                   "Column of the outcome: runtimes of failed, killed and unfinished runs are lower bounds")
        ->needs(scale_out);
    app.add_option("--time", given.layout.time, "Column of the start, in seconds since 1970")->needs(scale_out);
    app.add_option("--weight", given.layout.weight, "Column of how much a run counts; 1 is usual")->needs(scale_out);
    app.add_option("--unit", given.unit, "What the scale-out counts: node, executor, slot or core")
        ->capture_default_str()
        ->needs(table);

    app.add_option("--out", given.out, "Model file to write");
    auto* header = app.add_option("--header", given.header, "C++ header to write, for a program that carries the model");
    app.add_option("--source", given.source, "Where the runs come from, for the comment at the header's top")->needs(header);
    app.add_option("--date", given.training.date, "Date to keep in the model, in any words");
    app.add_option("--algorithm", given.training.algorithm, "Name of the algorithm; by default that of the table's file");
    app.add_option("--leave-out", given.left_out, "Context not to learn from, counted from 0 as they appear; repeatable")
        ->allow_extra_args(false)
        ->check(tools::is_natural());
    tools::add_seed(app, given.training.seed);
    app.add_option("--threads", given.training.threads, "Threads that train; the model does not depend on their number")
        ->capture_default_str();
    app.add_option(
           "--mode", given.mode,
           "best: a blend of experts with quantiles; paper: the published network, to which the options below belong")
        ->capture_default_str()
        ->check(CLI::IsMember({"best", "paper"}));
}

void declare_paper_mode(CLI::App& app, arguments& given) {
    auto* epochs = app.add_option("--epochs", given.training.epochs, "Passes over the runs")->capture_default_str();
    auto& configuration = given.training.configuration;
    auto* search = app.add_flag_callback(
        "--search", [&] { given.training.trials = 12; }, "Search among 12 configurations, as the paper does");
    auto* trials = app.add_option("--trials", given.training.trials, "Search among this many configurations")
                       ->capture_default_str()
                       ->excludes(search);
    auto* dropout = app.add_option("--dropout", configuration.dropout, "Share of the hidden values dropped")
                        ->capture_default_str()
                        ->excludes(trials)
                        ->excludes(search);
    auto* rate = app.add_option("--learning-rate", configuration.learning_rate, "Step size")
                     ->capture_default_str()
                     ->excludes(trials)
                     ->excludes(search);
    auto* decay = app.add_option("--weight-decay", configuration.weight_decay, "Pull of the weights towards zero")
                      ->capture_default_str()
                      ->excludes(trials)
                      ->excludes(search);
    given.of_paper_mode = {epochs, search, trials, dropout, rate, decay};
}

// What CLI11 cannot check by itself.
void complete(arguments& given) {
    if (given.c3o.empty() && given.table.empty()) throw CLI::ValidationError("one of --c3o and --table is required");
    if (given.out.empty() && given.header.empty()) throw CLI::ValidationError("one of --out and --header is required");
    const bool best = given.mode == "best";
    given.training.mode = best ? bellamy::training_mode::best : bellamy::training_mode::paper;
    for (const auto* option : given.of_paper_mode)
        if (best && option->count() > 0)
            throw CLI::ValidationError(option->get_name() + " belongs to --mode paper, found --mode best");
    if (given.training.algorithm.empty())
        given.training.algorithm = tools::algorithm_of(given.c3o.empty() ? given.table : given.c3o);
    given.layout.unit = tools::to_enumerator<bellamy::scale_out_unit::core>("--unit", given.unit);
    for (const auto& each : given.roles) {
        const auto [column, role] = tools::name_and_value("--role", each, "COLUMN=ROLE");
        given.layout.roles[column] = tools::to_enumerator<bellamy::property_role::machine_type>("--role", role);
    }
}

// What is learned from, and of a table without runs what their contexts would look like.
struct history {
    tools::runs_of_lines read{};
    std::optional<bellamy::context> example{};
};

void print_taken(const tools::table_layout& layout) {
    std::vector<std::string> properties;
    for (const auto& name : layout.essential) {
        const auto role = layout.roles.find(name);
        properties.push_back(role == layout.roles.end() ? name : fmt::format("{} ({})", name, to_string(role->second)));
    }
    fmt::print("taken         scale-out {}, runtime {}, properties {}\n", layout.scale_out, layout.runtime_s,
               fmt::join(properties, ", "));
}

// The rows of one application of an imported table; what told it from others tells nothing now.
void keep_application(tools::table& of, const std::string& name) {
    const auto column = of.column("application");
    std::erase_if(of.rows, [&](const auto& row) { return row.cells[column] != name; });
    if (of.rows.empty())
        throw tools::tool_error("unknown_application",
                                fmt::format("expected an application of {}, found \"{}\"", of.path, name));
}

[[nodiscard]] history read_table(const arguments& given, tools::bad_rows& bad) {
    auto table = tools::read_table(given.table, bad);
    auto layout = given.layout;
    if (layout.scale_out.empty()) {
        if (!tools::is_history(table))
            throw CLI::ValidationError("--scale-out and --runtime are required unless import_logs wrote the table");
        if (!given.application.empty()) keep_application(table, given.application);
        layout = tools::history_layout(table);
        if (!given.application.empty()) std::erase(layout.essential, "application");
        print_taken(layout);
    }
    history made{.read = tools::read_runs(table, layout, bad)};
    if (made.read.runs.empty()) made.example = tools::example_context(table, layout);
    return made;
}

[[nodiscard]] history read_c3o(const arguments& given, tools::bad_rows& bad) {
    const auto table = tools::read_table(given.c3o, bad);
    if (const auto unused = tools::unused_c3o_columns(table); !unused.empty())
        fmt::print("not used      column {}\n", fmt::join(unused, ", "));
    return {.read = tools::read_c3o_runs(table, given.training.algorithm, bad)};
}

[[nodiscard]] history read_history(const arguments& given) {
    tools::bad_rows bad(given.skip_invalid);
    auto made = given.c3o.empty() ? read_table(given, bad) : read_c3o(given, bad);
    bad.require_none();
    for (const auto& each : bad.problems()) fmt::print("skipped       {}\n", each);
    if (!bad.problems().empty()) fmt::print("skipped       {}\n", tools::count(bad.problems().size(), "row"));
    return made;
}

[[nodiscard]] tools::runs_of_lines leave_out(tools::runs_of_lines all, const std::vector<std::size_t>& left_out) {
    if (left_out.empty()) return all;
    const auto numbers = bellamy::context_numbers(all.runs);
    for (const auto number : left_out)
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
            throw tools::tool_error(
                "unknown_context",
                fmt::format("expected the number of one of the {} contexts, counted from 0, found {}",
                            numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1, number));
    tools::runs_of_lines kept;
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        if (std::find(left_out.begin(), left_out.end(), numbers[i]) != left_out.end()) continue;
        kept.runs.push_back(std::move(all.runs[i]));
        kept.lines.push_back(all.lines[i]);
    }
    return kept;
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
[[nodiscard]] bellamy::model start_cold(const history& of, const std::vector<bellamy::run>& runs,
                                        const std::string& algorithm) {
    const auto contexts = contexts_of(runs);
    fmt::print(
        "cold start    {}: how runtimes change with the scale-out is taken from other jobs, and other contexts are "
        "guesses\n",
        contexts == 0 ? "no run" : fmt::format("{} of one context", tools::count(runs.size(), "run")));
    const auto made = bellamy::cold_start(runs.empty() ? of.example.value() : runs.front().context, algorithm).value();
    return runs.empty() ? made : made.condition(runs).value();
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

void print_report(const bellamy::trained& made, const std::vector<std::size_t>& lines, double seconds) {
    const auto& basis = made.model.basis();
    const auto& report = made.report;
    fmt::print("learnt from   {} runs in {} contexts, scale-outs {} to {}\n", basis.runs, basis.contexts,
               basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest);
    fmt::print("made          {}\n", tools::describe(made.model));
    if (report.stopped == bellamy::stop_reason::closed_form) {
        fmt::print("pre-training  {} in {:.2f} s\n", to_string(report.stopped), seconds);
        for (const auto& each : report.experts.improbable_runs)
            fmt::print(
                "improbable    run {} of {} (line {}): expected about {:.0f} s, found {:.0f} s; it counts for little\n",
                each.run + 1, basis.runs, lines[each.run], each.expected_s, each.found_s);
        return;
    }
    fmt::print("pre-training  {} epochs in {:.1f} s, the best was {}: {}\n", report.epochs, seconds, report.best_epoch,
               to_string(report.stopped));
    fmt::print("with          dropout {:g}, learning rate {:g}, weight decay {:g}\n", report.chosen.dropout,
               report.chosen.learning_rate, report.chosen.weight_decay);
    fmt::print("validation    mean error {:.2f} s before, {:.2f} s after\n", report.error_before_s, report.error_after_s);
}

[[nodiscard]] bellamy::model learn(const arguments& given, const std::vector<bellamy::run>& runs,
                                   const std::vector<std::size_t>& lines, std::chrono::steady_clock::time_point began) {
    auto made = train(runs, given.training);
    print_report(made, lines, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    print_left_out(runs, given);
    return std::move(made).model;
}

// The command, its paths without directories, which mean nothing on another machine.
[[nodiscard]] std::string command_line(const arguments& given, int argc, char** argv) {
    std::string command = "pretrain";
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        for (const auto& path : {given.c3o, given.table, given.out, given.header})
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
    CLI::App app("Pre-trains a general model of one algorithm on a table of past runs.", "pretrain");
    arguments given;
    declare(app, given);
    declare_paper_mode(app, given);
    return tools::run_program(app, argc, argv, [&] {
        complete(given);
        for (const auto& path : {given.out, given.header})
            if (!path.empty()) tools::require_writable(path);

        const auto all = read_history(given);
        const auto [runs, lines] = leave_out(all.read, given.left_out);
        const auto began = std::chrono::steady_clock::now();
        const bool is_cold = given.training.mode == bellamy::training_mode::best && contexts_of(runs) < 2 &&
                             (!runs.empty() || all.example.has_value());
        const auto made = is_cold ? start_cold(all, runs, given.training.algorithm) : learn(given, runs, lines, began);

        if (!given.out.empty()) {
            bellamy::save(made, given.out).value();
            fmt::print("written       {}, {} bytes\n", given.out, std::filesystem::file_size(given.out));
        }
        if (!given.header.empty()) write_header(given, made, command_line(given, argc, argv));
    });
}
