// Proposes the next run of a job that is tried on several clusters, and says when to stop.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../support/advice.hpp"
#include "../../support/arguments.hpp"
#include "../../support/exploration.hpp"
#include "../../support/help_text.hpp"
#include "../../support/json_record.hpp"
#include "../../support/model_text.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/odds_text.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/text_table.hpp"
#include "../command.hpp"

namespace {

struct explore_options {
    std::string history;
    std::string application;
    std::vector<std::string> machines;
    std::vector<int> scale_outs;
    std::optional<std::uint64_t> size_mb;
    std::optional<double> deadline_s;
    std::optional<double> budget;
    double probability = bellamy::request{}.probability;
    double runs_to_come = bellamy::exploration_request{}.runs_to_come;
    double least_gain = 0;
    int trials = 1;
    bellamy::price costs;
    tools::currency currency;
    std::vector<std::string> name_rules;
    std::string format = "text";
};

void declare_search(CLI::App& app, explore_options& given) {
    app.add_option(
        "HISTORY", given.history,
        "Folder of Spark event logs or of trace files, a trace file, or a table of runs: application, runtime_s, "
        "executors, executor_cores, executor_memory_MB, if known data_size_MB, outcome; none before the first run");
    app.add_option("--application", given.application,
                   "The job that is tried; by default the only one of HISTORY. The others say what is "
                   "known before its first run, and it need not have one yet");
    tools::add_name_rules(app, given.name_rules);
    tools::add_repeatable(app, "--machine", given.machines,
                          "Kind of executor that may be tried, as NAME=PRICE,cores=COUNT,memory=SIZE, the price of one for "
                          "an hour; repeatable")
        ->required();
    // What follows the list may be HISTORY.
    tools::add_scale_outs(app, given.scale_outs, "Numbers of executors that may be tried, as a list 2,4,8")
        ->allow_extra_args(false)
        ->required();
    tools::as_size(app.add_option("--data-size", given.size_mb,
                                  "Data that the job reads; by default those of its last run. Runs of other sizes count as "
                                  "evidence, those within a tenth as runs of this size")
                       ->check(tools::is_natural()));
}

void declare_search_request(CLI::App& app, explore_options& given) {
    auto* deadline =
        tools::as_time(app.add_option("--deadline", given.deadline_s,
                                      "Cheapest size within this time, --start-up included; without it and --budget, the "
                                      "cheapest of all")
                           ->check(tools::is_positive()));
    tools::as_money(app.add_option("--budget", given.budget, "Looks for the fastest size within this cost of a run")
                        ->check(tools::is_positive())
                        ->excludes(deadline),
                    given.currency);
    tools::as_probability(
        app.add_option("--probability", given.probability, "With which the deadline or the budget must be met")
            ->capture_default_str());
    app.add_option("--runs-to-come", given.runs_to_come,
                   "Runs that gain what is found: a trial that costs more than they gain is not made")
        ->capture_default_str()
        ->check(tools::is_positive());
    tools::as_share(app.add_option("--least-gain", given.least_gain,
                                   "Stop where a run is expected to gain less than this share of the best")
                        ->capture_default_str());
    app.add_option("--trials", given.trials, "Runs to propose, which may run at the same time")
        ->capture_default_str()
        ->check(tools::is_whole(1, 1000));
    tools::add_paid_times(app, given.costs);
    app.get_option("--start-up")
        ->description(
            "Time until the job begins; paid for and waited for; by default the median wait of past runs for their first "
            "executor")
        ->default_str("");
    auto* format =
        app.add_option("--format", given.format,
                       "text; json; or the runs to make as options of spark-submit, one line each (spark-submit): once the "
                       "search stops, the choice")
            ->capture_default_str()
            ->check(tools::is_one_of({"text", "json", "spark-submit"}));
    app.add_flag_callback(
           "--json", [&given] { given.format = "json"; }, "The same as --format json")
        ->excludes(format);
}

[[nodiscard]] bellamy::exploration_request request_of(const explore_options& given) {
    bellamy::exploration_request wanted{.wanted = {.goal = bellamy::goal::least_expected_cost},
                                        .runs_to_come = given.runs_to_come,
                                        .least_gain = given.least_gain,
                                        .trials = static_cast<std::size_t>(given.trials)};
    if (given.deadline_s) wanted.wanted = {.goal = bellamy::goal::cheapest_within_deadline, .deadline_s = *given.deadline_s};
    if (given.budget) wanted.wanted = {.goal = bellamy::goal::fastest_within_budget, .budget = *given.budget};
    wanted.wanted.probability = given.probability;
    return wanted;
}

// None where the application has no run yet, which needs its name.
[[nodiscard]] const tools::application_history* own_history(const tools::team_history& history,
                                                            const explore_options& given) {
    if (given.application.empty()) return &history.application("");
    for (const auto& each : history.applications)
        if (each.name == given.application) return &each;
    fmt::print(stderr, "no run of {} in {} yet\n", tools::printable(given.application), tools::printable(history.path));
    return nullptr;
}

// A deadline counts from submission, and the runtimes of a history begin with the first executor.
void count_waits(const tools::application_history& of, bellamy::price& costs) {
    const auto waits_s = tools::usual_waits(of.runs, of.facts);
    if (waits_s.empty()) return;
    costs.start_up_s = waits_s[waits_s.size() / 2];
    fmt::print(stderr,
               "start-up      {:.0f} s, the median wait for the first executor of past runs; --start-up says another\n",
               costs.start_up_s);
}

void make_search(explore_options& given, bool gives_start_up, tools::currency& money, tools::cluster_exploration& search) {
    search.kinds = tools::to_executor_kinds(given.machines, money);
    search.scale_outs = given.scale_outs;
    std::sort(search.scale_outs.begin(), search.scale_outs.end());
    if (std::adjacent_find(search.scale_outs.begin(), search.scale_outs.end()) != search.scale_outs.end())
        throw CLI::ValidationError("--scale-outs: expected every number once");
    if (given.size_mb == 0) throw tools::wrong_usage("--data-size", "a size > 0 such as 500 (MB), 32GB or 1.5TB", "0");
    if (given.size_mb) search.size_mb = static_cast<double>(*given.size_mb);
    if (!given.history.empty()) {
        const auto history = tools::read_history(given.history, false, tools::to_name_rule(given.name_rules));
        tools::tell_skipped(history);
        const auto* own = own_history(history, given);
        if (own != nullptr) tools::add_own_runs(*own, search);
        if (own != nullptr && !gives_start_up) count_waits(*own, given.costs);
        const tools::progress_bar bar("learning from other applications");
        tools::learn_others(history, own, search);
    }
    tools::add_candidates(given.costs, search);
}

[[nodiscard]] tools::spark_size size_of(const tools::cluster_exploration& search, std::size_t candidate) {
    const auto& kind = search.kind_of(candidate);
    return {.executors = search.candidates[candidate].scale_out,
            .executor_cores = static_cast<std::int64_t>(kind.cores),
            .executor_memory_mb = static_cast<std::int64_t>(kind.memory_mb)};
}

[[nodiscard]] nlohmann::ordered_json to_json(const tools::cluster_exploration& search, std::size_t candidate,
                                             const bellamy::prediction& predicted, double probability, double cost) {
    return {{"machine", search.kind_of(candidate).name},
            {"scale_out", search.candidates[candidate].scale_out},
            {"median_s", predicted.median_s},
            {"p05_s", predicted.quantile_s(0.05)},
            {"p95_s", predicted.quantile_s(0.95)},
            {"probability", probability},
            {"expected_cost", cost}};
}

void print_explore_json(const tools::cluster_exploration& search, const bellamy::exploration& answer) {
    auto next = nlohmann::ordered_json::array();
    for (const auto& each : answer.next) {
        auto row = to_json(search, each.candidate, each.predicted, each.probability, each.expected_cost);
        row["expected_gain"] = each.expected_gain ? nlohmann::ordered_json(*each.expected_gain) : nullptr;
        row["spark_submit"] = to_spark_submit(size_of(search, each.candidate));
        next.push_back(std::move(row));
    }
    const auto& best = answer.best;
    auto choice = to_json(search, best.candidate, best.predicted, best.probability, best.expected_cost);
    choice["meets_limit"] = best.why == bellamy::verdict::chosen;
    choice["spark_submit"] = to_spark_submit(size_of(search, best.candidate));
    tools::print_record("explore", {{"runs", search.runs.size()},
                                    {"candidates", search.candidates.size()},
                                    {"other_applications", search.other_applications},
                                    {"stops", answer.stops()},
                                    {"verdict", to_string(answer.verdict)},
                                    {"next", std::move(next)},
                                    {"choice", std::move(choice)}});
}

// Of the column of probabilities; empty where nothing is to be met.
[[nodiscard]] std::string_view odds_title(bellamy::goal goal) {
    if (goal == bellamy::goal::cheapest_within_deadline) return "in time";
    return goal == bellamy::goal::fastest_within_budget ? "within budget" : "";
}

void print_text(const tools::cluster_exploration& search, const bellamy::exploration& answer,
                const bellamy::exploration_request& wanted, const std::string& currency) {
    const auto money = [&](double amount) { return tools::to_text(tools::money{.amount = amount, .currency = currency}); };
    fmt::print("{} of {} candidates so far, {} known before\n\n", tools::count(search.runs.size(), "run"),
               search.candidates.size(), tools::count(search.other_applications, "other application"));
    tools::text_table table;
    table.add_column("", false);
    const auto odds = odds_title(wanted.wanted.goal);
    for (const std::string_view title :
         {std::string_view("machine"), std::string_view("executors"), std::string_view("median"),
          std::string_view("90 % interval"), odds, std::string_view("cost"), std::string_view("gain a run")})
        if (!title.empty()) table.add_column(std::string(title), title != "machine");
    const auto add = [&](std::string what, std::size_t candidate, const bellamy::prediction& predicted, double probability,
                         double cost, std::optional<double> gain) {
        const auto inside = predicted.interval_s(0.9);
        table.add_cell(std::move(what));
        table.add_cell(search.kind_of(candidate).name);
        table.add_cell(fmt::format("{}", search.candidates[candidate].scale_out));
        table.add_cell(fmt::format("{:.0f} s", predicted.median_s));
        table.add_cell(fmt::format("{:.0f} to {:.0f} s", inside.low_s, inside.high_s));
        if (!odds.empty()) table.add_cell(tools::percent_of(probability, wanted.wanted.probability));
        table.add_cell(money(cost));
        // For a budget, the gain is time.
        const bool is_time = wanted.wanted.goal == bellamy::goal::fastest_within_budget;
        table.add_cell(!gain ? "-" : is_time ? fmt::format("{:.0f} s", *gain) : money(*gain));
    };
    for (const auto& each : answer.next)
        add(answer.stops() ? "would be next" : "run next", each.candidate, each.predicted, each.probability,
            each.expected_cost, each.expected_gain);
    const auto& best = answer.best;
    add("best now", best.candidate, best.predicted, best.probability, best.expected_cost, std::nullopt);
    fmt::print("{}\n", table.text());
    if (best.why != bellamy::verdict::chosen)
        fmt::print("no size has the {:g} % required yet: best now is the one that most likely meets the limit\n",
                   100 * wanted.wanted.probability);
    fmt::print("{}: {}\n", answer.stops() ? "stop" : "go on",
               answer.stops()    ? to_string(answer.verdict)
               : answer.best_run ? "the runs to come are expected to gain more than the trial costs"
               : odds.empty()    ? "no run has succeeded yet"
                                 : fmt::format("no run was {} yet", odds));
}

// What is printed then is no choice, but the best effort.
[[nodiscard]] bool ends_without_choice(const bellamy::exploration& answer) {
    return answer.stops() && answer.best.why != bellamy::verdict::chosen;
}

[[nodiscard]] bellamy::exploration propose(const tools::cluster_exploration& search,
                                           const bellamy::exploration_request& wanted) {
    const tools::progress_bar bar(fmt::format("comparing {}", tools::count(search.candidates.size(), "candidate")));
    return bellamy::explore(search.candidates, search.runs, wanted, search.known).value();
}

[[nodiscard]] int run_explore(explore_options& given, bool gives_start_up) {
    const auto wanted = request_of(given);
    tools::cluster_exploration search;
    make_search(given, gives_start_up, given.currency, search);
    const auto answer = propose(search, wanted);
    if (given.format == "json") {
        print_explore_json(search, answer);
    } else if (given.format == "text") {
        print_text(search, answer, wanted, given.currency.name());
    } else if (answer.stops()) {
        fmt::print(stderr, "stop: {}; this is {}\n", to_string(answer.verdict),
                   ends_without_choice(answer) ? "no choice, but the size that most likely meets the limit" : "the choice");
        fmt::print("{}\n", to_spark_submit(size_of(search, answer.best.candidate)));
    } else {
        for (const auto& each : answer.next) fmt::print("{}\n", to_spark_submit(size_of(search, each.candidate)));
    }
    return ends_without_choice(answer) ? tools::infeasible : 0;
}

}  // namespace

tools::command_body tools::declare_explore(CLI::App& app) {
    app.description("Proposes the next run of a job that is tried on several clusters, or to stop.");
    const auto given = std::make_shared<explore_options>();
    declare_search(app, *given);
    declare_search_request(app, *given);
    app.footer(
        "Exit code: 0, also where the search stops; 4 where it stops and no candidate\n"
        "meets the limit with the probability required (the best effort is printed);\n"
        "1 for bad input, 2 for wrong usage.");
    set_essential(app, {"HISTORY", "--application", "--machine", "--scale-outs", "--deadline", "--trials", "--format"});
    const auto* start_up = app.get_option("--start-up");
    return [given, start_up] { return run_explore(*given, start_up->count() > 0); };
}
