// A simulator: what rules for rescaling a running application miss and what they use, on runs drawn from recorded ones.
#include <bellamy/detail/base/parallel.hpp>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/progress.hpp"
#include "support/rescaling_timing.hpp"

#include <mutex>

namespace {

struct arguments {
    std::vector<std::string> traces{};
    std::vector<std::string> rules{};
    std::string out{};
    bench::rescaling_options options{};
    int threads = 1;
    bool every_application = false;
    bool times_decisions = false;
};

[[nodiscard]] std::vector<bench::rescaling_row> simulate_all(const std::vector<bench::recorded_application>& applications,
                                                             const arguments& given) {
    const std::size_t folds = given.options.folds;
    std::vector<std::vector<bench::rescaling_row>> parts(applications.size() * folds);
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(parts.size(), static_cast<std::size_t>(given.threads), [&](std::size_t i) {
        parts[i] = bench::simulate_fold(applications[i / folds], i % folds, given.options);
        const std::lock_guard lock(guard);
        bench::show_progress(++finished, parts.size());
    });
    std::vector<bench::rescaling_row> rows;
    for (auto& part : parts) rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

void print_line(const bench::policy_setting& by, const bench::rescaling_score& score) {
    fmt::print("{:<10} {:>7} {:>9.1f} {:>13.2f} {:>10.3f} {:>7.3f} {:>8.1f}\n", to_string(by.rule),
               by.rule == bench::rescaling_rule::oracle ? "" : fmt::format("{:g}", by.caution), 100 * score.missed,
               score.minutes_over, score.executors, score.cost, score.changes);
}

void print(const std::string& name, const bench::rescaling_scores& scores) {
    fmt::print("\n{}\n{:<10} {:>7} {:>9} {:>13} {:>10} {:>7} {:>8}\n", name, "policy", "caution", "missed %", "minutes over",
               "executors", "cost", "changes");
    for (const auto& [by, score] : scores) print_line(by, score);
}

// Every setting of the other policies beside best at the same executor-seconds.
void print_comparison(const bench::rescaling_scores& scores) {
    fmt::print("\nbest at equal executor-seconds: missed %, minutes over (linear between its settings)\n");
    for (const auto& [by, score] : scores) {
        if (by.rule == bench::rescaling_rule::best || by.rule == bench::rescaling_rule::oracle) continue;
        const auto best = bench::at_executors(scores, bench::rescaling_rule::best, score.executors);
        fmt::print("{:<10} {:>7g}{} {:>6.3f}: {:>5.1f}, {:>5.2f}  best {}\n", to_string(by.rule), by.caution,
                   by.usual() ? '*' : ' ', score.executors, 100 * score.missed, score.minutes_over,
                   best ? fmt::format("{:>5.1f}, {:>5.2f}", 100 * best->missed, best->minutes_over) : "needs more");
    }
}

void print_times(const std::vector<bench::recorded_application>& applications, bench::rescaling_options options) {
    options.rules = {bench::rescaling_rule::best, bench::rescaling_rule::enel};
    fmt::print("CPU milliseconds of one decision over 33 candidates after half of the jobs; bind: once for a run\n");
    fmt::print("{:<32} {:>5} {:>8} {:>8} {:>8} {:>18}\n", "application", "done", "to come", "bind", "best",
               "enel, fine-tuned");
    for (const auto& each : applications) {
        const auto times = bench::time_decisions(each, options);
        fmt::print("{:<32} {:>5} {:>8} {:>8.2f} {:>8.3f} {:>18.1f}\n", each.name(), times.done, times.to_come, times.bind_ms,
                   times.best_ms, times.enel_ms);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Simulates running applications that rules rescale: runs are drawn from recorded ones, moved to other "
        "scale-outs by Ernest's law, with slow days, lost executors and delays. Not a measurement on a cluster.",
        "rescaling");
    arguments given;
    auto& options = given.options;
    const std::vector<std::string> names(bench::rescaling_rule_names.begin(), bench::rescaling_rule_names.end());
    app.add_option("--traces", given.traces, "Trace files to draw from (.jsonl, .jsonl.zst)")->required();
    app.add_option("--policies", given.rules, "All where not given")->delimiter(',')->check(CLI::IsMember(names));
    app.add_option("--runs", options.runs, "Simulated runs per application")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--history", options.history, "Simulated past runs that the policies learn from")
        ->check(CLI::Range(4, 10000))
        ->capture_default_str();
    app.add_option("--folds", options.folds, "Policies learn from draws of other recorded runs than they are tested on")
        ->check(CLI::Range(2, 100))
        ->capture_default_str();
    app.add_option("--run-deviation", options.noise.run_deviation, "Of the log of a factor of all jobs of a run")
        ->check(CLI::Range(0.0, 2.0))
        ->capture_default_str();
    app.add_option("--failures", options.noise.failures, "Share of runs that lose an executor for one to three jobs")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--least-delay", options.noise.shortest_delay_s, "Seconds that a change stops the run, at least")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--most-delay", options.noise.longest_delay_s, "Seconds, at most")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--penalty", options.penalty, "Cost of a missed target, in the usual executor-seconds of the run")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--cost-of-change", options.cost_of_change,
                   "What best takes a change to cost beside its delay, in shares of the cost of the rest as it is")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--enel-trials", options.enel_trials, "Pre-trainings of Enel's network to choose from")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--threads", given.threads, "Folds at a time")->check(CLI::Range(1, 1024))->capture_default_str();
    app.add_flag("--time-decisions", given.times_decisions, "Measures what a decision costs, and simulates nothing");
    app.add_flag("--every-application", given.every_application, "Prints a table for each of them too");
    tools::add_seed(app, options.seed);
    app.add_option("--out", given.out, "Where the runs go, one a row for each policy and setting (CSV)");
    return tools::run_program(app, argc, argv, [&] {
        if (options.noise.shortest_delay_s > options.noise.longest_delay_s)
            throw tools::wrong_usage("--least-delay", "at most --most-delay",
                                     fmt::format("{}", options.noise.shortest_delay_s));
        if (!given.out.empty()) tools::require_writable(given.out);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (given.rules.empty() || std::ranges::find(given.rules, names[i]) != given.rules.end())
                options.rules.push_back(static_cast<bench::rescaling_rule>(i));
        std::vector<tools::trace_line> lines;
        for (const auto& path : given.traces)
            for (auto& line : tools::read_traces(path)) lines.push_back(std::move(line));
        const auto applications = bench::recorded_applications(lines);
        if (applications.empty())
            throw tools::tool_error("cannot_simulate",
                                    "expected eight runs of an application at three known scale-outs or more, found none");
        if (given.times_decisions) return print_times(applications, options);
        const auto rows = simulate_all(applications, given);
        fmt::print("Simulated, not measured. Executors and cost in shares of the usual executor-seconds.\n");
        const auto pooled = bench::scores_of(rows);
        print(fmt::format("{} applications, each as much", applications.size()), pooled);
        print_comparison(pooled);
        if (given.every_application)
            for (const auto& each : applications) print(each.name(), bench::scores_of(rows, each.name()));
        if (!given.out.empty()) tools::write_file(given.out, bench::to_csv(rows));
    });
}
