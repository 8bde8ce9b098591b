// Walks through a history forward in time and predicts each run from those that had ended before it began.
#include <fmt/format.h>
#include <bellamy/baseline/ernest.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../../../bench/support/boosting.hpp"
#include "../../support/advice.hpp"
#include "../../support/arguments.hpp"
#include "../../support/backtest_page.hpp"
#include "../../support/backtest_record.hpp"
#include "../../support/deadlines.hpp"
#include "../../support/history.hpp"
#include "../../support/json_record.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/next_size.hpp"
#include "../../support/output_file.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/text_table.hpp"
#include "../../support/walking_models.hpp"
#include "../command.hpp"

namespace {

using tools::backtested;
using tools::tried;

[[nodiscard]] bool had_ended(const bellamy::run& past, const bellamy::run& next) {
    return !past.timestamp_s || !next.timestamp_s || *past.timestamp_s + past.runtime_s <= *next.timestamp_s;
}

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

// The run's context but for its size, which is not known before it.
[[nodiscard]] bellamy::context with_middle_size(bellamy::context subject, const tools::next_size& size) {
    for (auto& each : subject.essential)
        if (each.role == bellamy::property_role::data_size && size.middle_mb())
            each.value = static_cast<std::uint64_t>(*size.middle_mb());
    return subject;
}

// The next run at a size that was alike, whose time shows what the size takes. Runs before the decision tell nothing, it was
// made by them.
[[nodiscard]] std::optional<std::size_t> recorded_at(int scale_out, std::span<const bellamy::run> all, std::size_t number) {
    const auto& like = all[number];
    const auto without_size = [](bellamy::context of) {
        for (auto& each : of.essential)
            if (each.role == bellamy::property_role::data_size) each.value = std::uint64_t{1};
        return of;
    };
    const auto size = tools::data_size(like);
    for (std::size_t later = number + 1; later < all.size(); ++later) {
        const auto& each = all[later];
        if (each.censored || each.scale_out != scale_out) continue;
        const auto its_size = tools::data_size(each);
        if (size && its_size && std::abs(std::log((*its_size + 1) / (*size + 1))) > std::log(1.1)) continue;
        if (!(without_size(each.context) == without_size(like.context))) continue;
        return later;
    }
    return std::nullopt;
}

// At which anything ran: nobody can judge another.
[[nodiscard]] std::vector<int> sizes_of(const std::vector<bellamy::run>& runs) {
    std::set<int> sizes;
    for (const auto& each : runs) sizes.insert(each.scale_out);
    return {sizes.begin(), sizes.end()};
}

// The runs that had ended before another began. Their tasks are not known: only those of the very last run are kept.
[[nodiscard]] tools::application_history before(const tools::application_history& history, std::size_t number) {
    tools::application_history past{.name = history.name, .layout = history.layout, .size_unit = history.size_unit};
    for (std::size_t i = 0; i < number; ++i) {
        if (!had_ended(history.runs[i], history.runs[number])) continue;
        past.runs.push_back(history.runs[i]);
        past.facts.push_back(history.facts[i]);
    }
    return past;
}

[[nodiscard]] std::optional<tools::proposed_run> propose(const bellamy::curve& runtimes,
                                                         const tools::application_history& past,
                                                         const tools::application_history& history, std::size_t number,
                                                         const tools::advice_request& wanted) {
    std::vector<double> waits_s;
    if (wanted.from == tools::deadline_start::submission) waits_s = tools::usual_waits(past.runs, past.facts);
    const auto decided = tools::choose_size(tools::after_waits(runtimes, waits_s), sizes_of(history.runs),
                                            past.runs[past.last_complete()].scale_out, wanted);
    if (!decided || !decided->choice.meets_limit()) return std::nullopt;
    tools::proposed_run proposed{.scale_out = decided->choice.candidate->scale_out,
                                 .deadline_s = decided->wanted.deadline_s,
                                 .stated = decided->choice.candidate->probability};
    const bool is_same = proposed.scale_out == history.runs[number].scale_out;
    const auto shown = is_same ? std::optional(number) : recorded_at(proposed.scale_out, history.runs, number);
    if (shown) proposed.time_s = tools::time_to_result_s(history.runs[*shown], history.facts[*shown], wanted.from);
    return proposed;
}

[[nodiscard]] std::optional<double> predicted_by_ernest(const std::vector<bellamy::run>& ended, int scale_out) {
    const auto curve = bellamy::baseline::ernest(ended);
    return curve ? std::optional(curve->at(scale_out).median_s) : std::nullopt;
}

// As recommend would, had it been asked before the run.
[[nodiscard]] std::optional<tried> predict(tools::walking_models& models, walking_trees& trees,
                                           const tools::application_history& past, const tools::application_history& history,
                                           std::size_t number, const tools::advice_request& wanted) {
    const auto& run = history.runs[number];
    const auto known =
        tools::learn_application(past, [&](std::span<const bellamy::run> runs) { return models.of_first(runs); });
    if (!known) return std::nullopt;
    const auto size = tools::forecast_size(past.runs);
    const auto next = tools::predict_next(past, *known, run.context, size);
    if (!next) return std::nullopt;
    tried outcome{.measured_s = run.runtime_s,
                  .to_result_s = tools::time_to_result_s(run, history.facts[number], wanted.from),
                  .scale_out = run.scale_out,
                  .predicted = next->from_first_executor.at(run.scale_out),
                  .last_run_s = past.runs[past.last_complete()].runtime_s};
    if (!outcome.predicted.usable()) return std::nullopt;
    outcome.proposal = propose(next->from_first_executor, past, history, number, wanted);
    if (const auto size_known = tools::predict_next(past, *known, run.context, {}))
        outcome.size_known = size_known->from_first_executor.at(run.scale_out);
    std::vector<bellamy::run> ended;
    for (const auto& earlier : past.runs)
        if (!earlier.censored) ended.push_back(earlier);
    outcome.ernest_s = predicted_by_ernest(ended, run.scale_out);
    outcome.boosting_s = trees.predict(ended, with_middle_size(run.context, size), run.scale_out);
    return outcome;
}

// Histories write 0 for a start that is not known.
[[nodiscard]] bool tells_starts(const std::vector<bellamy::run>& runs) {
    return std::any_of(runs.begin(), runs.end(), [](const auto& each) { return each.timestamp_s.value_or(0) > 0; });
}

[[nodiscard]] std::string why_none_of(const std::vector<bellamy::run>& runs, const backtested& result) {
    if (!result.tries.empty() || runs.size() == 1) return {};
    if (result.refused > 0) return fmt::format("the model refused all {} questions", result.refused);
    if (std::all_of(runs.begin(), runs.end(), [](const auto& each) { return each.censored; })) return "no run succeeded";
    if (!tells_starts(runs)) return "its runs have no start times, so that none is known to have ended before another";
    return "no run that succeeded had ended before another began";
}

// Runs that failed or were killed are learned from, as lower bounds, and not predicted: nobody knows how long they would
// take.
[[nodiscard]] backtested walk(const tools::application_history& history, const tools::advice_request& wanted,
                              const std::function<void()>& after_run) {
    backtested result{.application = history.name, .runs = history.runs.size()};
    tools::walking_models models(history.name);
    walking_trees trees;
    for (std::size_t i = 0; i < history.runs.size(); ++i) {
        after_run();
        const auto past = before(history, i);
        if (history.runs[i].censored || past.runs.empty() || past.runs[past.last_complete()].censored) continue;
        if (const auto one = predict(models, trees, past, history, i, wanted)) {
            result.tries.push_back(*one);
        } else {
            ++result.refused;
        }
    }
    result.stopped_after = tools::stopped_after(result.tries);
    result.why_none = why_none_of(history.runs, result);
    return result;
}

[[nodiscard]] std::vector<backtested> walk_all(const std::vector<tools::application_history>& applications,
                                               const tools::advice_request& wanted) {
    std::size_t runs = 0;
    for (const auto& application : applications) runs += application.runs.size();
    std::size_t done = 0;
    tools::progress_bar bar("predicting");
    std::vector<backtested> all;
    for (const auto& application : applications)
        all.push_back(walk(application, wanted, [&] {
            bar.advance(static_cast<double>(done) / static_cast<double>(runs), fmt::format("run {} of {}", done + 1, runs));
            ++done;
        }));
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
    fmt::print("\n");
    print_table(tools::proposal_columns, all, together, tools::proposal_cells);
    fmt::print("{}\n", about);
}

struct arguments {
    std::string history;
    std::string html;
    std::vector<std::string> name_rules;
    bool skip_invalid = false;
    bool json = false;
    std::string deadline_from = "submission";
    tools::advice_request wanted;
};

int run(const arguments& given) {
    const auto& [history, html, name_rules, skip_invalid, json, deadline_from, wanted_of_all] = given;
    auto wanted = wanted_of_all;
    wanted.from = tools::to_deadline_start(deadline_from);
    const std::vector<tools::named_path> outputs{{"--html", html}};
    tools::require_outputs(outputs, {{"the history", history}});
    tools::require_history_stays(history, outputs);
    const auto read = tools::read_history(history, skip_invalid, tools::to_name_rule(name_rules));
    tools::tell_skipped(read);
    const auto all = walk_all(read.applications, wanted);
    backtested together{.application = "all"};
    for (const auto& each : all) {
        together.tries.insert(together.tries.end(), each.tries.begin(), each.tries.end());
        together.runs += each.runs;
    }
    const auto unit = read.applications.front().runs.front().context.unit;
    const auto about = tools::about_proposals(to_string(unit), wanted.deadline_s, wanted.probability);
    if (json) {
        tools::print_record("backtest",
                            tools::to_json(all, together, to_string(unit), wanted.deadline_s, wanted.probability));
    } else {
        print_tables(all, together, about);
    }
    if (html.empty()) return 0;
    const auto page = tools::page_of(all, together, about);
    tools::write_file(html, page.html);
    if (!page.missing.empty() && !json) fmt::print("Pictures are left out: {}\n", page.missing);
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
