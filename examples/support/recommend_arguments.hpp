// The options of `bellamy recommend`, and which of them go together.
#ifndef BELLAMY_EXAMPLES_RECOMMEND_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_RECOMMEND_ARGUMENTS_HPP

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice.hpp"
#include "arguments.hpp"
#include "deadlines.hpp"
#include "help_text.hpp"
#include "name_rules.hpp"
#include "named_paths.hpp"
#include "units.hpp"

namespace tools {

struct recommend_arguments {
    std::string history;
    advice_request wanted;
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
    currency currency_of_price;
    std::vector<std::string> machines;
    std::string plot;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;

    [[nodiscard]] money price() const { return {.amount = price_per_hour, .currency = currency_of_price.name()}; }
    [[nodiscard]] bool keeps_ledger() const { return !ledger.empty(); }
    [[nodiscard]] bool is_of_one() const { return !application.empty(); }
    [[nodiscard]] bool is_configuration() const { return format != "text" && format != "json"; }
};

namespace detail {

inline void declare_next_run(CLI::App& app, recommend_arguments& given) {
    app.add_option("--application", given.application, "Show every size for this application alone");
    add_name_rules(app, given.name_rules);
    auto* size = as_size(app.add_option("--data-size", given.size_mb,
                                        "Data that the next run of --application will read; by default forecast from past "
                                        "sizes")
                             ->check(is_natural()));
    app.add_option("--input", given.input,
                   "Files and folders that it will read; how many times their size that is, past runs tell")
        ->excludes(size);
    app.add_option("--arguments", given.next_arguments,
                   "Arguments of the next run of --application; by default the last run's");
}

inline void declare_outputs(CLI::App& app, recommend_arguments& given) {
    auto* format =
        app.add_option("--format", given.format,
                       "text; json; or the proposed size as options of spark-submit (spark-submit), a "
                       "properties file for it (spark-conf), a merge patch for the Kubernetes operator (spark-application), "
                       "options of flink run (flink-run) or its config.yaml (flink-conf)")
            ->capture_default_str()
            ->check(
                is_one_of({"text", "json", "spark-submit", "spark-conf", "spark-application", "flink-run", "flink-conf"}));
    app.add_flag_callback(
           "--json", [&given] { given.format = "json"; }, "The same as --format json")
        ->excludes(format);
    app.add_option("--out", given.out, "Folder for a file of --format for each application");
    app.add_option("--plot", given.plot, "SVG file to draw the curve of --application into; needs gnuplot");
}

inline void declare_ledger(CLI::App& app, recommend_arguments& given) {
    auto* ledger = app.add_option(
        "--ledger", given.ledger,
        "File to which every proposal is appended; what became of those in it is said, and where fewer were in "
        "time than stated proposals stop");
    as_moment(app.add_option("--at", given.at_s,
                             "When proposals are made, as a date (its 00:00 UTC) or in seconds since 1970; by default now")
                  ->needs(ledger));
    add_repeatable(
        app, "--machine", given.machines,
        "NAME=PRICE: price of an hour of an executor (or core) on that machine type; shows what --application "
        "would cost on each type; one that no run had needs its cores and memory, NAME=PRICE,cores=4,memory=16GB");
    as_money(app.add_option("--price", given.price_per_hour,
                            "Price of an hour of an executor (or core): shows costs and savings"),
             given.currency_of_price, true)
        ->check(is_positive());
}

}  // namespace detail

/// The arguments must outlive the parsing.
inline void declare(CLI::App& app, recommend_arguments& given) {
    app.add_option("HISTORY", given.history,
                   "Folder of Spark event logs, of Flink's archives or of trace files, a trace file, or a table of runs: "
                   "application, runtime_s, "
                   "executors, if known data_size_MB, ... (it has no tasks, which applications of one size are advised by)")
        ->required();
    app.add_flag("--skip-invalid", given.skip_invalid, "Leave out rows of a table that cannot be used, and list them");
    add_deadline_options(app, given.wanted, given.deadlines, given.deadline_from);
    detail::declare_next_run(app, given);
    detail::declare_outputs(app, given);
    detail::declare_ledger(app, given);
    app.footer(
        "Exit code: 0; 4 where nothing is proposed for --application: no size meets the\n"
        "deadline with the probability required (what would meet it is printed), no run\n"
        "succeeded, or --ledger stops proposals; 1 for bad input, 2 for wrong usage.");
    set_essential(app, {"HISTORY", "--deadline", "--probability", "--application", "--data-size", "--price", "--format"});
}

/// What the options say of the next run; its size where it is given. Error: wrong usage where options do not go together.
[[nodiscard]] inline advice_request request_of(const recommend_arguments& given) {
    if ((given.size_mb || !given.input.empty() || given.next_arguments) && !given.is_of_one())
        throw CLI::ValidationError("--data-size, --input and --arguments need --application: each has its own data");
    if (given.size_mb == 0) throw wrong_usage("--data-size", "a size > 0 such as 500 (MB), 32GB or 1.5TB", "0");
    if (!given.out.empty() && !given.is_configuration())
        throw CLI::ValidationError(
            "--out needs --format spark-submit, spark-conf, spark-application, flink-run or flink-conf");
    if (!given.machines.empty() && !given.is_of_one() && given.format != "json")
        throw CLI::ValidationError("--machine needs --application or --json: the table of all has no room for it");
    if (!given.plot.empty() && !given.is_of_one())
        throw CLI::ValidationError("--plot needs --application: a picture is of one");
    auto wanted = given.wanted;
    wanted.arguments = given.next_arguments;
    wanted.from = to_deadline_start(given.deadline_from);
    if (given.size_mb) wanted.size = given_size(*given.size_mb);
    return wanted;
}

/// No output stands where an input does. Errors: output_is_input, and those of `require_history_stays`.
inline void require_outputs(const recommend_arguments& given) {
    const std::vector<named_path> outputs{{"--plot", given.plot}, {"--ledger", given.ledger}};
    auto inputs = each_as("--input", given.input);
    inputs.push_back({"the history", given.history});
    inputs.push_back({"--deadlines", given.deadlines});
    require_outputs(outputs, inputs);
    require_history_stays(given.history, outputs);
}

}  // namespace tools

#endif
