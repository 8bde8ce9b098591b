// Walks through a history forward in time and predicts each run from those that had ended before it began.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../../bench/support/boosting.hpp"
#include "../../support/arguments.hpp"
#include "../../support/backtest_page.hpp"
#include "../../support/backtest_record.hpp"
#include "../../support/backtest_walk.hpp"
#include "../../support/deadlines.hpp"
#include "../../support/history.hpp"
#include "../../support/json_record.hpp"
#include "../../support/model_text.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/output_file.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/text_table.hpp"
#include "../../support/unusual_runs.hpp"
#include "../command.hpp"

namespace {

using tools::backtested;

// Gradient boosting over the runs that ended; learns anew once a tenth more have, which takes it most of the time.
class walking_trees {
public:
    [[nodiscard]] std::optional<double> predict(const std::vector<bellamy::run>& ended, const bellamy::context& subject,
                                                int scale_out) {
        if (!bench::boosting_missing.empty() || ended.size() < 2) return std::nullopt;
        if (!trees_ || 10 * ended.size() >= 11 * learnt_) {
            trees_.reset();
            history_.emplace(ended, 1);
            trees_.emplace(history_->with({}));
            learnt_ = ended.size();
        }
        return (*trees_)(subject, scale_out);
    }

private:
    std::optional<bench::boosting> history_{};
    std::optional<bench::boosted_trees> trees_{};  // refers to the history
    std::size_t learnt_ = 0;
};

[[nodiscard]] std::vector<backtested> walk_all(const std::vector<tools::application_history>& applications,
                                               const tools::advice_request& wanted, const tools::deadline_file& deadlines) {
    std::size_t runs = 0;
    for (const auto& application : applications) runs += application.runs.size();
    std::size_t done = 0;
    tools::progress_bar bar("predicting");
    std::vector<backtested> all;
    for (const auto& application : applications) {
        walking_trees trees;
        const auto boosting = [&](const std::vector<bellamy::run>& ended, const bellamy::context& subject, int scale_out) {
            return trees.predict(ended, subject, scale_out);
        };
        all.push_back(tools::walk(application, tools::request_for(application.name, wanted, deadlines), boosting, [&] {
            bar.advance(static_cast<double>(done) / static_cast<double>(runs), fmt::format("run {} of {}", done + 1, runs));
            ++done;
        }));
    }
    return all;
}

void print_not_predicted(const std::vector<backtested>& all) {
    constexpr std::size_t most_named = 5;
    std::size_t reasons = 0;
    for (const auto& each : all) {
        if (each.why_none.empty() || ++reasons > most_named) continue;
        fmt::print("Not predicted: {}: {}.\n", tools::printable(each.application), each.why_none);
    }
    if (reasons > most_named) fmt::print("Not predicted: {} more.\n", reasons - most_named);
}

// The errors that such runs make say nothing about the rest.
void print_unusual(const std::vector<tools::application_history>& applications) {
    constexpr std::size_t most_told = 5;
    std::size_t runs = 0;
    for (const auto& application : applications)
        for (const auto& each : application.unusual)
            if (++runs <= most_told)
                fmt::print("Unusual: {}: {}.\n", tools::printable(application.name), tools::printable(describe(each)));
    if (runs > most_told) fmt::print("Unusual: {} more.\n", runs - most_told);
}

void print_table(const std::vector<std::string>& columns, const std::vector<backtested>& all, const backtested& together,
                 std::vector<std::string> (*cells_of)(const backtested&)) {
    tools::text_table table;
    for (const auto& column : columns) table.add_column(column, column != "application");
    const auto add = [&](const backtested& application) {
        table.add_cell(application.application.substr(0, 40));
        for (const auto& cell : cells_of(application)) table.add_cell(cell);
    };
    std::for_each(all.begin(), all.end(), add);
    add(together);
    fmt::print("{}", table.text());
}

void print_tables(const std::vector<backtested>& all, const backtested& together, const std::string& about) {
    print_table(tools::error_columns, all, together, tools::error_cells);
    fmt::print("{}\n", tools::about_errors);
    print_not_predicted(all);
    if (!bench::boosting_missing.empty()) fmt::print("Gradient boosting is left out: {}.\n", bench::boosting_missing);
    if (together.tries.empty()) fmt::print("Nothing to compare: no run could be predicted from others before it.\n");
    fmt::print("\n");
    print_table(tools::proposal_columns, all, together, tools::proposal_cells);
    fmt::print("{}\n", about);
    const auto score = tools::proposals_of(together.tries);
    if (const auto caution = tools::caution_on(score); score.known() > 0 && !caution.empty()) fmt::print("{}\n", caution);
}

// When the runs were, as far as it is known.
[[nodiscard]] std::string period_of(const std::vector<tools::application_history>& applications) {
    double first_s = std::numeric_limits<double>::infinity();
    double last_s = 0;
    std::size_t runs = 0;
    for (const auto& application : applications) {
        for (const auto& run : application.runs) {
            const double start_s = run.timestamp_s.value_or(0);
            if (start_s <= 0) continue;
            ++runs;
            first_s = std::min(first_s, start_s);
            last_s = std::max(last_s, start_s);
        }
    }
    if (runs == 0) return "The history has no start times.";
    const auto day = [](double at_s) { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(at_s))); };
    return fmt::format("{} that began from {} to {} (UTC).", tools::count(runs, "run"), day(first_s), day(last_s));
}

struct arguments {
    std::string history;
    std::string html;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;
    bool json = false;
    std::string deadlines;
    std::string deadline_from = "submission";
    tools::advice_request wanted;
};

int run(const arguments& given) {
    const auto& [history, html, name_rules, skip_invalid, json, deadlines, deadline_from, wanted_of_all] = given;
    auto wanted = wanted_of_all;
    wanted.from = tools::to_deadline_start(deadline_from);
    const std::vector<tools::named_path> outputs{{"--html", html}};
    tools::require_outputs(outputs, {{"the history", history}, {"--deadlines", deadlines}});
    tools::require_history_stays(history, outputs);
    const auto read = tools::read_history(history, skip_invalid, tools::to_name_rule(name_rules));
    tools::tell_skipped(read);
    const auto own_deadlines = deadlines.empty() ? tools::deadline_file{} : tools::read_deadlines(deadlines);
    tools::require_a_deadline_applies(read, own_deadlines, deadlines);
    const auto all = walk_all(read.applications, wanted, own_deadlines);
    backtested together{.application = "all"};
    for (const auto& each : all) {
        together.tries.insert(together.tries.end(), each.tries.begin(), each.tries.end());
        together.runs += each.runs;
    }
    const auto unit = read.applications.front().runs.front().context.unit;
    const auto about = tools::about_proposals(to_string(unit), wanted.deadline_s, !deadlines.empty(), wanted.probability);
    if (json) {
        tools::print_record("backtest",
                            tools::to_json(all, together, to_string(unit), wanted.deadline_s, wanted.probability));
    } else {
        print_tables(all, together, about);
        print_unusual(read.applications);
    }
    if (html.empty()) return 0;
    tools::write_file(html, tools::page_of(all, together, about, period_of(read.applications)));
    return 0;
}

}  // namespace

tools::command_body tools::declare_backtest(CLI::App& app) {
    app.description(
        "Walks through a history and predicts each run from the runs before it: how right bellamy would have been.");
    const auto given = std::make_shared<arguments>();
    app.add_option("HISTORY", given->history,
                   "Folder of Spark event logs, of Flink's archives or of trace files, a trace file, or a table of runs")
        ->required();
    as_time(app.add_option("--deadline", given->wanted.deadline_s,
                           "Time from submission to the result that proposals meet; by default what the size of the run "
                           "before meets with --probability")
                ->check(is_positive()));
    add_deadlines(app, given->deadlines);
    add_deadline_start(app, given->deadline_from);
    tools::as_probability(
        app.add_option("--probability", given->wanted.probability, "With which proposals meet the deadline")
            ->capture_default_str());
    app.add_option("--html", given->html, "Page to write, with a picture for each application; it needs nothing beside it");
    add_name_rules(app, given->name_rules);
    app.add_flag("--json", given->json, "Print the tables as one line of JSON");
    app.add_flag("--skip-invalid", given->skip_invalid, "Leave out rows of a table that cannot be used, and list them");
    set_essential(app, {"HISTORY", "--deadline", "--probability", "--html", "--json"});
    return [given] { return run(*given); };
}
