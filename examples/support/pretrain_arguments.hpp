// What programs that pre-train share: their options, the runs they read, and what they say about a training.
#ifndef BELLAMY_EXAMPLES_PRETRAIN_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_PRETRAIN_ARGUMENTS_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/pretrain.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "averaging_arguments.hpp"
#include "c3o_table.hpp"
#include "history_layout.hpp"
#include "marked_runs.hpp"
#include "model_text.hpp"
#include "parse.hpp"
#include "printable.hpp"
#include "progress_bar.hpp"
#include "run_table.hpp"

namespace tools {

/// Options of every program that pre-trains.
struct pretrain_arguments {
    std::string c3o;
    std::string table;
    table_layout layout;
    std::string unit = "node";
    std::vector<std::string> roles;
    std::vector<std::size_t> left_out;
    bool skip_invalid = false;
    bool keeps_marked = false;
    std::string out;
    std::string mode = "best";
    bellamy::pretrain_options training;
    std::vector<const CLI::Option*> of_paper_mode;
    /// Whether to say on standard output how a table is read.
    bool tells = true;
};

namespace detail {

inline void add_names(CLI::App& app, CLI::Option* table, const std::string& name, std::vector<std::string>& names,
                      const std::string& description) {
    const auto take = [&names, name](const std::vector<std::string>& texts) {
        for (const auto& text : texts)
            for (auto& item : to_items(name, text)) names.push_back(std::move(item));
    };
    app.add_option_function<std::vector<std::string>>(name, take, description)->allow_extra_args(false)->needs(table);
}

// "minutes=min": a column, and the unit that it is in.
inline void take_unit_of_runtime(table_layout& layout) {
    const auto text = layout.runtime_s;
    const auto at = text.rfind('=');
    if (at == std::string::npos) {
        if (names_other_unit_of_time(text))
            throw wrong_usage("--runtime",
                              fmt::format("the unit of the column, such as {0}=min or {0}=ms ({0}=s for seconds)", text),
                              text);
        return;
    }
    const auto unit_s = seconds_of_unit(text.substr(at + 1));
    if (!unit_s) throw wrong_usage("--runtime", "COLUMN or COLUMN=UNIT with a unit of time such as s, min or ms", text);
    layout.runtime_s = text.substr(0, at);
    layout.runtime_unit_s = *unit_s;
}

}  // namespace detail

/// The options of all modes.
inline void declare(CLI::App& app, pretrain_arguments& given) {
    auto* c3o = app.add_option("--c3o", given.c3o, "Runs to learn from: a table with the columns of the C3O experiments");
    auto* table =
        app.add_option(
               "--table", given.table,
               "Runs to learn from: any table, separated by tabs, commas or semicolons, with named columns; one that "
               "bellamy import wrote needs no more options")
            ->excludes(c3o);
    auto* scale_out = app.add_option("--scale-out", given.layout.scale_out, "Column of the scale-out")->needs(table);
    auto* runtime =
        app.add_option("--runtime", given.layout.runtime_s, "Column of the runtime in seconds; COLUMN=min or another unit")
            ->needs(table);
    scale_out->needs(runtime);
    runtime->needs(scale_out);
    detail::add_names(app, table, "--essential", given.layout.essential,
                      "Columns of the essential properties, in order: --essential A,B or --essential A --essential B");
    detail::add_names(app, table, "--optional", given.layout.optional,
                      "Columns of the optional properties, which may be missing");
    detail::add_names(app, table, "--natural", given.layout.natural,
                      "Of these, those that are natural numbers (kinds: text, the default; natural; quantity)");
    detail::add_names(app, table, "--quantity", given.layout.quantity, "Of these, those that are real numbers > 0");
    detail::add_names(app, table, "--scaling", given.layout.scaling, "Of these, those that are totals of the whole cluster");
    add_repeatable(app, "--role", given.roles,
                   "What a column means, as COLUMN=ROLE, roles being " +
                       enumerator_names<bellamy::property_role::machine_type>() + "; repeatable")
        ->needs(table);
    app.add_flag("--skip-invalid", given.skip_invalid, "Leave out rows that cannot be used, and list them");
    app.add_flag("--keep-marked", given.keeps_marked,
                 "Learn rows too whose flags say that nothing should be learned from them")
        ->needs(table);
    app.add_option("--outcome", given.layout.outcome,
                   "Column of the outcome: runtimes of failed, killed and unfinished runs are lower bounds")
        ->needs(scale_out);
    app.add_option("--time", given.layout.time, "Column of the start: seconds since 1970, or a date and time")
        ->needs(scale_out);
    app.add_option("--weight", given.layout.weight, "Column of the weights of runs; 1 where there is none")
        ->needs(scale_out);
    app.add_option("--flags", given.layout.flags, "Column of words about a run, separated by commas; counted in the output")
        ->needs(scale_out);
    app.add_option("--unit", given.unit, "What the scale-out counts: node, executor, slot or core")
        ->capture_default_str()
        ->check(is_enumerator<bellamy::scale_out_unit::core>())
        ->needs(table);

    app.add_option("--out", given.out, "Model file to write");
    app.add_option("--date", given.training.date, "Date to keep in the model, in any words");
    app.add_option("--algorithm", given.training.algorithm, "Name of the algorithm; by default that of the table's file");
    app.add_option("--leave-out", given.left_out, "Context not to learn from, counted from 0 as they appear; repeatable")
        ->allow_extra_args(false)
        ->check(is_natural());
    add_seed(app, given.training.seed);
    app.add_option(
           "--mode", given.mode,
           "best: statistical models with quantiles; paper: the published network, with --epochs, --search and so on")
        ->capture_default_str()
        ->check(is_one_of({"best", "paper"}));
}

/// Those of the published network alone.
inline void declare_paper_mode(CLI::App& app, pretrain_arguments& given) {
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
    auto* batch =
        app.add_option("--batch-size", given.training.batch_size, "Runs of a worker's step")->capture_default_str();
    given.of_paper_mode = {epochs, search, trials, dropout, rate, decay, batch};
    const auto averaging = declare_averaging(app, given.training.parallel);
    given.of_paper_mode.insert(given.of_paper_mode.end(), averaging.begin(), averaging.end());
}

/// What CLI11 cannot check by itself. `has_history`: runs come from elsewhere than a table.
inline void complete(pretrain_arguments& given, bool has_history = false) {
    const bool has_table = !given.c3o.empty() || !given.table.empty();
    if (!has_table && !has_history) throw CLI::ValidationError("one of --c3o and --table is required");
    const bool best = given.mode == "best";
    given.training.mode = best ? bellamy::training_mode::best : bellamy::training_mode::paper;
    for (const auto* option : given.of_paper_mode)
        if (best && option->count() > 0)
            throw CLI::ValidationError(option->get_name() + " belongs to --mode paper, found --mode best");
    if (has_table && given.training.algorithm.empty())
        given.training.algorithm = algorithm_of(given.c3o.empty() ? given.table : given.c3o);
    given.layout.unit = to_enumerator<bellamy::scale_out_unit::core>("--unit", given.unit);
    detail::take_unit_of_runtime(given.layout);
    for (const auto& each : given.roles) {
        const auto [column, role] = name_and_value("--role", each, "COLUMN=ROLE");
        given.layout.roles[column] = to_enumerator<bellamy::property_role::machine_type>("--role", role);
    }
}

/// What is learned from.
struct pretrain_history {
    runs_of_lines read{};
    /// Of the runs where no line tells them, by `lines`.
    std::vector<std::string> ids{};
    /// Marked rows that were left out: a sentence for each reason.
    std::vector<std::string> marked{};
    /// For the first executor, of each run; empty where the history has no such column.
    std::vector<std::optional<double>> waits_s{};
};

/// Where the runs of these lines stand, for a reader.
[[nodiscard]] inline std::vector<std::string> places_of(const pretrain_history& all, const std::vector<std::size_t>& lines) {
    std::vector<std::string> places;
    for (const auto line : lines) places.push_back(all.ids.empty() ? fmt::format("line {}", line) : all.ids[line]);
    return places;
}

/// Says what the columns of an imported history are taken for.
inline void print_taken(const table_layout& layout) {
    std::vector<std::string> properties;
    for (const auto& name : layout.essential) {
        const auto role = layout.roles.find(name);
        properties.push_back(role == layout.roles.end() ? name : fmt::format("{} ({})", name, to_string(role->second)));
    }
    fmt::print("taken         scale-out {}, runtime {}, properties {}\n", layout.scale_out, layout.runtime_s,
               fmt::join(properties, ", "));
}

inline void print_not_used(const std::vector<std::string>& columns) {
    if (!columns.empty()) fmt::print("not used      column {}\n", printable(fmt::format("{}", fmt::join(columns, ", "))));
}

/// Says between which runtimes the runs lie, so that a wrong unit is seen.
inline void print_range(const std::vector<bellamy::run>& runs) {
    if (runs.empty()) return;
    const auto shorter = [](const bellamy::run& a, const bellamy::run& b) { return a.runtime_s < b.runtime_s; };
    const auto [least, most] = std::minmax_element(runs.begin(), runs.end(), shorter);
    fmt::print("runtimes      {:.4g} to {:.4g} s\n", least->runtime_s, most->runtime_s);
}

namespace detail {

// Rows whose wait is none are bad, as in a history.
inline void leave_out_bad_waits(table& from, bad_rows& bad) {
    const auto column = from.find("wait_s");
    if (!column) return;
    std::erase_if(from.rows, [&](const table_row& row) {
        try {
            if (!row.cells[*column].empty()) (void)to_wait(row.cells[*column], from.where(row, *column));
            return false;
        } catch (const tool_error& problem) {
            bad.add(problem);
            return true;
        }
    });
}

// Of these lines; runtimes of an imported history begin with the first executor.
[[nodiscard]] inline std::vector<std::optional<double>> waits_of(const table& from, const std::vector<std::size_t>& lines) {
    const auto column = from.find("wait_s");
    if (!column) return {};
    std::map<std::size_t, const table_row*> rows;
    for (const auto& row : from.rows) rows.emplace(row.line, &row);
    std::vector<std::optional<double>> made;
    for (const auto line : lines) {
        const auto& row = *rows.at(line);
        const auto& cell = row.cells[*column];
        made.push_back(cell.empty() ? std::nullopt : std::optional(to_wait(cell, from.where(row, *column))));
    }
    return made;
}

// Prints nothing: a bar is drawn meanwhile.
template <class Read>
[[nodiscard]] auto with_bar(const Read& read) {
    const progress_bar bar("reading runs");
    return read();
}

[[nodiscard]] inline pretrain_history read_history_table(const pretrain_arguments& given, bad_rows& bad) {
    auto table = with_bar([&] { return read_table(given.table, bad); });
    auto layout = given.layout;
    if (layout.scale_out.empty()) {
        if (!is_history(table))
            throw CLI::ValidationError(
                "--scale-out and --runtime are required unless the table has columns application, runtime_s and executors");
        require_history_columns(table);
        leave_out_nameless_machines(table, bad);
        layout = history_layout(table);
        if (given.tells) print_taken(layout);
        if (given.tells) print_not_used(unused_columns(table));
    } else {
        require_named_outcome(table, layout);
        leave_out_nameless_machines(table, layout, bad);
        if (given.tells) print_not_used(unused_columns(table, layout));
    }
    const auto flags = count_flags(table, layout);
    pretrain_history made;
    if (!layout.flags.empty() && !given.keeps_marked) made.marked = leave_out_marked(table, layout.flags);
    if (given.layout.scale_out.empty()) leave_out_bad_waits(table, bad);
    made.read = with_bar([&] { return read_runs(table, layout, bad); });
    if (given.layout.scale_out.empty()) made.waits_s = waits_of(table, made.read.lines);
    if (given.tells && !given.layout.scale_out.empty()) print_range(made.read.runs);
    if (given.tells && !flags.empty()) {
        std::vector<std::string> told;
        for (const auto& [flag, rows] : flags) told.push_back(fmt::format("{} {}", flag, count(rows, "run")));
        fmt::print("flags         {}\n", fmt::join(told, ", "));
    }
    return made;
}

[[nodiscard]] inline pretrain_history read_history_c3o(const pretrain_arguments& given, bad_rows& bad) {
    auto table = with_bar([&] { return read_table(given.c3o, bad); });
    leave_out_nameless_machines(table, "machine_type", std::nullopt, bad);
    if (given.tells) print_not_used(unused_c3o_columns(table));
    return {.read = with_bar([&] { return read_c3o_runs(table, given.training.algorithm, bad); })};
}

inline void require_runs(const pretrain_history& read, const std::string& path, const bad_rows& bad) {
    if (!read.read.runs.empty()) return;
    const auto& problems = bad.problems();
    const auto found = problems.empty() && !read.marked.empty() ? "only marked ones: " + read.marked.front()
                       : problems.empty()
                           ? "none"
                           : fmt::format("only {} that cannot be used: {}", count(problems.size(), "row"), problems.front());
    throw tool_error("empty_history", fmt::format("expected at least one run in {}, found {}", path, found));
}

}  // namespace detail

/// Errors: empty_history, also where every row was skipped, and those of reading.
[[nodiscard]] inline pretrain_history read_history(const pretrain_arguments& given) {
    bad_rows bad(given.skip_invalid);
    auto made = given.c3o.empty() ? detail::read_history_table(given, bad) : detail::read_history_c3o(given, bad);
    bad.require_none();
    detail::require_runs(made, given.c3o.empty() ? given.table : given.c3o, bad);
    if (!given.tells) return made;
    for (const auto& each : made.marked) fmt::print("left out      {}\n", printable(each));
    for (const auto& each : bad.problems()) fmt::print("skipped       {}\n", each);
    if (!bad.problems().empty()) fmt::print("skipped       {}\n", count(bad.problems().size(), "row"));
    return made;
}

/// The runs of all contexts but these. Error: unknown_context.
[[nodiscard]] inline runs_of_lines leave_out(runs_of_lines all, const std::vector<std::size_t>& left_out) {
    if (left_out.empty()) return all;
    const auto numbers = bellamy::context_numbers(all.runs);
    for (const auto number : left_out)
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
            throw tool_error(
                "unknown_context",
                fmt::format("expected the number of one of the {} contexts, counted from 0, found {}",
                            numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1, number));
    runs_of_lines kept;
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        if (std::find(left_out.begin(), left_out.end(), numbers[i]) != left_out.end()) continue;
        kept.runs.push_back(std::move(all.runs[i]));
        kept.lines.push_back(all.lines[i]);
    }
    return kept;
}

/// What a training came to; `places` are those of the runs.
inline void print_report(const bellamy::trained& made, const std::vector<std::string>& places, double seconds) {
    const auto& basis = made.model.basis();
    const auto& report = made.report;
    fmt::print("learned from  {} runs in {} contexts, scale-outs {} to {}\n", basis.runs, basis.contexts,
               basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest);
    fmt::print("method        {}\n", describe(made.model));
    if (report.stopped == bellamy::stop_reason::closed_form) {
        fmt::print("pre-training  {} in {:.2f} s\n", to_string(report.stopped), seconds);
        for (const auto& each : report.experts.improbable_runs)
            fmt::print("outlier       run {} of {} ({}): expected about {:.0f} s, took {:.0f} s; it counts for little\n",
                       each.run + 1, basis.runs, places[each.run], each.expected_s, each.found_s);
        return;
    }
    fmt::print("pre-training  {} epochs in {:.1f} s, the best was {}: {}\n", report.epochs, seconds, report.best_epoch,
               to_string(report.stopped));
    fmt::print("with          dropout {:g}, learning rate {:g}, weight decay {:g}\n", report.chosen.dropout,
               report.chosen.learning_rate, report.chosen.weight_decay);
    fmt::print("validation    mean error {:.2f} s before, {:.2f} s after\n", report.error_before_s, report.error_after_s);
}

}  // namespace tools

#endif
