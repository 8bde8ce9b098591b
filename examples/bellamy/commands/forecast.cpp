// Predicts the rest of a running application from traces of its past runs, and says whether to change its scale-out.
#include <fmt/format.h>
#include <bellamy/application_file.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../support/arguments.hpp"
#include "../../support/forecast_plot.hpp"
#include "../../support/history.hpp"
#include "../../support/json_record.hpp"
#include "../../support/lone_run.hpp"
#include "../../support/model_file.hpp"
#include "../../support/model_text.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/odds_text.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/run_forecast.hpp"
#include "../../support/trace_file.hpp"
#include "../command.hpp"

namespace {

using tools::tool_error;

struct forecast_options {
    std::vector<std::string> history;
    std::string model;
    std::string save;
    std::string running;
    std::vector<std::string> name_rules;
    std::string run;
    int after = -1;
    int scale_out = 0;
    std::vector<int> scale_outs;
    std::optional<double> deadline_s;
    bellamy::rescale_request wanted;
    bellamy::price costs;
    tools::currency currency;
    bool json = false;
    std::string plot;
};

// With a rule, applications are called by it, from their full names.
void rename(tools::trace_line& line, const tools::event_log::name_rule& naming) {
    if (naming.is_given()) line.trace.application = naming(tools::full_name(line));
}

[[nodiscard]] tools::trace_line read_running(const forecast_options& given) {
    auto lines = tools::read_traces(given.running);
    if (!given.run.empty()) std::erase_if(lines, [&](const auto& each) { return each.trace.run != given.run; });
    if (lines.size() != 1)
        throw tool_error("unclear_run",
                         fmt::format("expected one run{} in {}, found {}", given.run.empty() ? "" : " called " + given.run,
                                     given.running, lines.size()));
    rename(lines.front(), tools::to_name_rule(given.name_rules));
    auto& run = lines.front().trace;
    if (given.after < 0) return std::move(lines.front());
    const auto jobs = static_cast<std::size_t>(given.after);
    if (jobs > run.jobs.size())
        throw tool_error("no_such_job", fmt::format("expected {} jobs that have ended, found {}", jobs, run.jobs.size()));
    run.jobs.resize(jobs);
    run.outcome = bellamy::trace_outcome::unfinished;
    run.runtime_s = jobs == 0 ? 0 : run.jobs.back().completed_s.value_or(0);
    const int first = bellamy::detail::settled_scale_out(run.scale_out);
    std::erase_if(run.scale_out, [&](const auto& each) { return each.at_s > run.runtime_s; });
    if (first > 0 && bellamy::detail::settled_scale_out(run.scale_out) == 0)
        run.scale_out = {{.at_s = 0, .scale_out = first}};
    return std::move(lines.front());
}

// Past runs of the application that is running, and how many were left out for what.
struct past_runs {
    std::vector<bellamy::application_trace> taken{};
    std::map<std::string_view, std::size_t> left_out{};
};

[[nodiscard]] past_runs read_past(const forecast_options& given, const bellamy::application_trace& running) {
    past_runs past;
    const auto naming = tools::to_name_rule(given.name_rules);
    tools::progress_bar bar("reading traces");
    std::size_t read = 0;
    for (const auto& path : given.history)
        tools::for_each_trace(path, [&](tools::trace_line&& line) {
            bar.advance(0, fmt::format("reading traces, {}", tools::count(++read, "run")));
            rename(line, naming);
            const bool itself = line.trace.run == running.run && line.trace.started_at_s == running.started_at_s;
            if (line.trace.application != running.application || itself) return;
            if (const auto why = tools::why_left_out(line); !why.empty()) {
                ++past.left_out[why];
            } else {
                past.taken.push_back(std::move(line.trace));
            }
        });
    return past;
}

// What the forecast rests on: a model, and doubts where it is that of one run.
struct known_application {
    bellamy::application_model model;
    tools::lone_run doubts{};
};

[[nodiscard]] known_application learn_application(const forecast_options& given, const bellamy::application_trace& running) {
    if (!given.model.empty()) return {.model = tools::loaded(bellamy::load_application(given.model), given.model)};
    const auto past = read_past(given, running);
    for (const auto& [why, runs] : past.left_out)
        fmt::print(stderr, "skipped       {}: {}\n", tools::count(runs, "run"), why);
    if (past.taken.empty())
        throw tool_error("empty_history", fmt::format("expected an earlier run of {}, found none", running.application));
    std::vector<const bellamy::application_trace*> pointers;
    for (const auto& each : past.taken) pointers.push_back(&each);
    const tools::progress_bar bar(fmt::format("learning from {}", tools::count(pointers.size(), "run")));
    known_application made{.model = bellamy::pretrain_application(pointers).value()};
    if (pointers.size() == 1) made.doubts = tools::compare_with_only_run(past.taken.front(), running);
    return made;
}

[[nodiscard]] int present_scale_out(const forecast_options& given, const bellamy::application_trace& running) {
    const int known = running.scale_out.empty() ? 0 : running.scale_out.back().scale_out;
    if (given.scale_out == 0 && known == 0)
        throw tool_error("unknown_scale_out",
                         "expected the present scale-out in the trace or as --scale-out, found neither");
    return given.scale_out > 0 ? given.scale_out : known;
}

// By which the scale-out changes: an executor's cores where it counts cores and several executors have as many each.
[[nodiscard]] int units_of_executor(const tools::trace_line& of) {
    const auto number = [&](const char* name) {
        const auto* beside = of.find_beside(name);
        const auto* value = beside == nullptr ? nullptr : beside->value.natural();
        return value == nullptr ? 0 : *value;
    };
    const auto cores = number("executor_cores");
    if (of.trace.unit != bellamy::scale_out_unit::core || number("executors") < 2) return 1;
    return cores > 0 && cores <= bellamy::largest_scale_out ? static_cast<int>(cores) : 1;
}

// Those that were given, else every one of whole executors from the least to the most in past runs, at most 33 of them.
[[nodiscard]] std::vector<int> candidates_of(const forecast_options& given, const bellamy::application_model& model,
                                             int present, int units) {
    if (!given.scale_outs.empty()) return given.scale_outs;
    const auto seen = model.seen_scale_outs();
    const int step = units * (1 + (seen.largest - seen.smallest) / (33 * units));
    std::vector<int> all{present};
    const auto whole = [&](int x) { return (x + units - 1) / units * units; };
    for (int x = whole(seen.smallest); x <= whole(seen.largest); x += step) all.push_back(x);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

[[nodiscard]] nlohmann::ordered_json prediction_as_json(const bellamy::prediction& of) {
    if (!of.usable()) return nullptr;
    nlohmann::ordered_json record{{"median_s", of.median_s}};
    if (of.is_point) return record;
    for (const auto& [name, p] : {std::pair("p05_s", 0.05), {"p25_s", 0.25}, {"p75_s", 0.75}, {"p95_s", 0.95}})
        record[name] = of.quantile_s(p);
    return record;
}

void print_forecast_json(const tools::run_forecast& all) {
    nlohmann::ordered_json record{{"application", all.so_far.application},  {"run", all.so_far.run},
                                  {"unit", to_string(all.so_far.unit)},     {"scale_out", all.scale_out},
                                  {"finished_jobs", all.finished},          {"expected_jobs", all.jobs},
                                  {"expected_stages", all.expected_stages}, {"elapsed_s", all.elapsed_s},
                                  {"rest", prediction_as_json(all.rest)},   {"warnings", all.doubts.warnings},
                                  {"jobs", nlohmann::ordered_json::array()}};
    for (const auto& each : all.to_come) {
        record["jobs"].push_back(
            {{"job", each.job}, {"stages", each.stages}, {"predicted", prediction_as_json(each.predicted)}});
        if (all.rest.usable()) record["jobs"].back()["ends_s"] = all.elapsed_s + each.share_of_rest * all.rest.median_s;
    }
    if (all.decision) {
        record["deadline_s"] = all.wanted->deadline_s;
        record["probability"] = all.wanted->probability;
        if (all.wanted->cost_of_missing > 0) record["cost_of_missing"] = all.wanted->cost_of_missing;
        record["decision"] = {{"outcome", to_string(all.decision->outcome)},
                              {"scale_out", all.decision->scale_out},
                              {"changes", all.decision->changes}};
        for (const auto& row : all.table)
            record["table"].push_back({{"scale_out", row.scale_out},
                                       {"rest", prediction_as_json(row.rest)},
                                       {"probability", row.probability},
                                       {"outside_seen_scale_outs", row.rest.outside_seen_scale_outs},
                                       {"expected_cost", row.expected_cost},
                                       {"why", to_string(row.why)}});
    }
    tools::print_record("forecast", std::move(record));
}

void print_rest(const tools::run_forecast& all) {
    const auto unit = to_string(all.so_far.unit);
    fmt::print("{}, run {}: {} of {} jobs have ended, {:.1f} s since the start, at {} {}s\n",
               tools::printable(all.so_far.application), tools::printable(all.so_far.run), all.finished, all.jobs,
               all.elapsed_s, all.scale_out, unit);
    if (!all.expected_stages)
        fmt::print("The finished jobs match no past run; the rest is that of the longest past run with as many jobs.\n");
    if (all.to_come.empty()) {
        fmt::print("All jobs that are known of have ended: nothing is to come");
        if (all.wanted)
            fmt::print(", {} the deadline of {:g} s", all.elapsed_s <= all.wanted->deadline_s ? "within" : "after",
                       all.wanted->deadline_s);
        fmt::print(".\n");
        return;
    }
    const auto print = [](const std::string& name, const bellamy::prediction& of, double ends_s) {
        fmt::print("{:<22} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", name, of.median_s, of.quantile_s(0.05),
                   of.quantile_s(0.95), ends_s);
    };
    fmt::print("\n{:<22} {:>9} {:>9} {:>9} {:>9}\n", "seconds", "median", "p5", "p95", "ends at");
    for (const auto& each : all.to_come)
        print(fmt::format("job {}, {} stage{}", each.job, each.stages, each.stages == 1 ? "" : "s"), each.predicted,
              all.elapsed_s + each.share_of_rest * all.rest.median_s);
    print("rest of the run", all.rest, all.elapsed_s + all.rest.median_s);
}

void print_decision(const tools::run_forecast& all) {
    const auto& decision = *all.decision;
    fmt::print("\n{:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  verdict\n", "scale-out", "median s", "p5 s", "p95 s", "in time",
               "cost");
    const double required = all.wanted->probability;
    for (const auto& row : all.table) {
        auto verdict = row.why == bellamy::rescale_verdict::misses_deadline && !row.rest.is_point
                           ? tools::verdict_on_odds(to_string(row.why), row.probability, required)
                           : std::string(to_string(row.why));
        if (row.why == bellamy::rescale_verdict::chosen && decision.outcome == bellamy::rescale_outcome::misses_deadline)
            verdict = "best effort";
        fmt::print("{:>9} {:>9.1f} {:>9.1f} {:>9.1f} {:>9} {:>10.4g}  {}{}\n", row.scale_out, row.rest.median_s,
                   row.rest.quantile_s(0.05), row.rest.quantile_s(0.95), tools::percent_of(row.probability, required),
                   row.expected_cost, verdict, row.rest.outside_seen_scale_outs ? " (outside the scale-outs seen)" : "");
    }
    const auto where =
        fmt::format("{} {}{}", decision.scale_out, to_string(all.so_far.unit), decision.scale_out == 1 ? "" : "s");
    fmt::print("\n{} {}: {}", decision.changes ? "Change to" : "Stay at", where, to_string(decision.outcome));
    if (decision.candidate)
        fmt::print("; within {:g} s with {:.1f} % probability ({:g} % required)", all.wanted->deadline_s,
                   100 * decision.candidate->probability, 100 * all.wanted->probability);
    if (decision.candidate && decision.candidate->rest.outside_seen_scale_outs)
        fmt::print("; but that extrapolates, since only scale-outs {} to {} were seen", all.seen.smallest, all.seen.largest);
    fmt::print("\n");
}

[[nodiscard]] int answer_forecast(const forecast_options& given) {
    if (given.history.empty() == given.model.empty())
        throw tools::wrong_usage("--history", "trace files of past runs, or --model", "");
    auto inputs = tools::each_as("--history", given.history);
    inputs.push_back({"the running application", given.running});
    inputs.push_back({"--model", given.model});
    tools::require_outputs({{"--save", given.save}, {"--plot", given.plot}}, inputs);
    const auto line = read_running(given);
    const auto& running = line.trace;
    const auto known = learn_application(given, running);
    const auto& model = known.model;
    if (model.application() != running.application)
        throw tool_error("other_application",
                         fmt::format("expected a run of {}, found one of {}", model.application(), running.application));
    if (!given.save.empty()) tools::save_model(model, given.save);
    const int present = present_scale_out(given, running);
    const auto whole = model.bind(running.properties).value();
    auto all = tools::predict_rest(whole, running, present, known.doubts).value();
    if (given.deadline_s) {
        auto wanted = given.wanted;
        wanted.deadline_s = *given.deadline_s;
        tools::decide(all, whole, candidates_of(given, model, present, units_of_executor(line)), given.costs, wanted,
                      model.seen_scale_outs())
            .value();
    }
    if (given.json) {
        print_forecast_json(all);
    } else {
        print_rest(all);
        if (all.decision && !all.to_come.empty()) print_decision(all);
        for (const auto& warning : all.doubts.warnings) fmt::print("Warning: {}.\n", tools::printable(warning));
    }
    if (!given.plot.empty()) tools::write_forecast_plot(all, given.plot);
    return all.keeps_deadline() ? 0 : tools::infeasible;
}

// What is asked of the rest of the run; without a deadline none of it means anything.
void declare_request(CLI::App& app, forecast_options& given) {
    auto* deadline =
        tools::as_time(app.add_option("--deadline", given.deadline_s,
                                      "Time from the application's start to its end; without, nothing is decided")
                           ->check(tools::is_positive()));
    tools::add_scale_outs(app, given.scale_outs,
                          "Candidates for the rest, as a list 2,4,8; default: from the least to the most in past runs")
        ->needs(deadline);
    tools::as_probability(app.add_option("--probability", given.wanted.probability, "With which the deadline must be met")
                              ->capture_default_str()
                              ->needs(deadline));
    tools::as_money(app.add_option("--price", given.costs.per_unit_and_hour, "Per unit of scale-out and hour")
                        ->capture_default_str()
                        ->check(tools::is_not_negative())
                        ->needs(deadline),
                    given.currency, true);
    tools::as_time(app.add_option("--delay", given.costs.start_up_s, "Time that a change takes")
                       ->capture_default_str()
                       ->check(tools::is_not_negative())
                       ->needs(deadline));
    tools::as_money(app.add_option("--cost-of-change", given.wanted.cost_of_change, "Beside its delay")
                        ->capture_default_str()
                        ->check(tools::is_not_negative())
                        ->needs(deadline),
                    given.currency);
    tools::as_money(app.add_option("--cost-of-missing", given.wanted.cost_of_missing,
                                   "What a missed deadline costs; above 0 the least expected cost decides, this included")
                        ->capture_default_str()
                        ->check(tools::is_not_negative())
                        ->needs(deadline),
                    given.currency);
}

}  // namespace

tools::command_body tools::declare_forecast(CLI::App& app) {
    app.description("Predicts the rest of a running application, and says whether to change its scale-out.");
    const auto given = std::make_shared<forecast_options>();
    given->costs.per_unit_and_hour = 1;
    app.add_option("RUNNING", given->running, "Trace file with the run so far (.jsonl, .jsonl.zst)")->required();
    auto* history = app.add_option("--history", given->history,
                                   "Trace files with past runs; those of other applications are "
                                   "passed over, and the run itself");
    auto* model = app.add_option("--model", given->model, "A model that --save wrote, in place of --history");
    history->excludes(model);
    add_name_rules(app, given->name_rules);
    app.add_option("--save", given->save, "Where to save the model");
    app.add_option("--run", given->run, "Which run of the file; needed where it has several");
    app.add_option("--after", given->after, "Takes only so many jobs as ended, to look back at a run")
        ->check(tools::is_whole(0, 1000000));
    app.add_option("--scale-out", given->scale_out, "That the run has now, where its trace does not say")
        ->check(tools::is_whole(1, bellamy::largest_scale_out));
    declare_request(app, *given);
    app.add_flag("--json", given->json, "Print the forecast and all candidates as one line of JSON");
    app.add_option("--plot", given->plot, "SVG file for the run so far and the band of its rest (through gnuplot)");
    app.footer(
        "Exit code: 0; 4 where no scale-out meets the deadline with the probability\n"
        "required (the best effort is printed), unless --cost-of-missing decides before\n"
        "the deadline; 1 for bad input, 2 for wrong usage.");
    set_essential(app, {"RUNNING", "--history", "--model", "--save", "--deadline", "--scale-outs", "--probability",
                        "--price", "--delay", "--json"});
    return [given] { return answer_forecast(*given); };
}
