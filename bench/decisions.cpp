// What decisions cost and how often they keep their promise: rules replayed on recorded runs, each target context held out.
#include <CLI/CLI.hpp>
#include <set>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/progress.hpp"
#include "support/replay.hpp"

namespace {

struct named_record {
    std::string name{};
    const bench::rule_record* record = nullptr;
};

[[nodiscard]] std::string to_csv(std::span<const named_record> rules) {
    std::string text =
        "algorithm,context,k,train_rows,deadline_multiple,deadline_s,rule,scale_out,feasible,stated,hit_rate,regret\n";
    for (const auto& [name, record] : rules)
        for (const auto& [asked, scale_out, answer, led_to] : record->usual)
            text += fmt::format(
                "{},{},{},{},{},{:.6f},{},{},{:d},{},{:.6f},{:.6f}\n", asked.algorithm, asked.context, asked.observed.size(),
                fmt::join(asked.observed, ";"), asked.multiple, asked.deadline_s, name, scale_out, answer.feasible,
                std::isnan(answer.stated) ? "" : fmt::format("{:.6f}", answer.stated), led_to.hit, led_to.regret);
    return text;
}

void print_reliability(const named_record& rule, const std::string& what, bool with_runs) {
    std::vector<bench::stated_and_realised> wanted;
    for (std::size_t i = 0; i < rule.record->statements.size(); ++i)
        if ((rule.record->observed_runs[i] > 0) == with_runs) wanted.push_back(rule.record->statements[i]);
    if (wanted.empty()) return;
    for (const auto& each : bench::reliability(wanted))
        if (each.count > 0)
            fmt::print("{:<8} {:<5} {:>7} {:>8.1f} {:>9.1f}\n", rule.name, what, each.count, 100 * each.stated,
                       100 * each.realised);
}

// Answers at the usual setting: how often feasible ones keep the deadline, against what was stated; infeasible ones apart.
void print_answers(const named_record& rule, const std::string& what, bool with_runs, const std::string& algorithm) {
    bench::values_by_context hits;
    bench::values_by_context gaps;
    std::vector<double> stated;
    std::vector<double> regrets;
    std::size_t infeasible = 0;
    std::size_t rightly = 0;
    for (const auto& each : rule.record->usual) {
        if (each.asked.observed.empty() == with_runs || (algorithm != "all" && each.asked.algorithm != algorithm)) continue;
        const auto context = fmt::format("{} {}", each.asked.algorithm, each.asked.context);
        if (!each.answer.feasible) {
            ++infeasible;
            if (!each.asked.possible) ++rightly;
            continue;
        }
        hits[context].push_back(100 * each.led_to.hit);
        regrets.push_back(100 * each.led_to.regret);
        if (std::isnan(each.answer.stated)) continue;
        stated.push_back(100 * each.answer.stated);
        gaps[context].push_back(100 * (each.led_to.hit - each.answer.stated));
    }
    const auto all = bench::all_values(hits);
    if (all.empty()) return;
    const auto interval = bench::bootstrap_mean(hits);
    fmt::print("{:<8} {:<5} {:<8} {:>8} {:>7} {:>8} {:>7.1f} {:<14} {:>7.1f}", rule.name, what, algorithm, all.size(),
               infeasible, rightly, bench::mean_of(all), fmt::format("{:.1f} - {:.1f}", interval.low, interval.high),
               bench::mean_of(regrets));
    if (!stated.empty()) {
        const auto gap = bench::bootstrap_mean(gaps);
        fmt::print(" {:>7.1f} {:>6.1f} {:<14}", bench::mean_of(stated), bench::mean_of(bench::all_values(gaps)),
                   fmt::format("{:.1f} .. {:.1f}", gap.low, gap.high));
    }
    fmt::print("\n");
}

// Mean regret of every rule at the same hit rates, all questions answered (an infeasible one with the best effort).
void print_frontier(std::span<const named_record> rules, const std::string& what, bool with_runs,
                    const std::string& algorithm) {
    constexpr std::array<double, 8> hit_rates{0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
    for (const auto& [name, record] : rules) {
        const auto sweep = bench::sweep_of(*record, [&](const bench::decision_question& asked) {
            return asked.observed.empty() != with_runs && (algorithm == "all" || asked.algorithm == algorithm);
        });
        if (sweep.empty()) continue;
        fmt::print("{:<8} {:<5} {:<8}", name, what, algorithm);
        for (const double hit : hit_rates) {
            const auto regret = bench::regret_at(sweep, hit);
            fmt::print(" {:>7}", regret ? fmt::format("{:.1f}", 100 * *regret) : "-");
        }
        const auto& most = *std::ranges::max_element(sweep, {}, &bench::sweep_point::hit);
        fmt::print("   {:>5.1f} {:>8.1f}\n", 100 * most.hit, 100 * most.regret);
    }
}

void print_summary(std::span<const named_record> rules) {
    std::set<std::string> algorithms{"all"};
    for (const auto& rule : rules)
        for (const auto& each : rule.record->usual) algorithms.insert(each.asked.algorithm);

    fmt::print("stated probability of every configuration to keep a deadline, and the share of its runs that did, in %\n");
    fmt::print("{:<8} {:<5} {:>7} {:>8} {:>9}\n", "rule", "runs", "pairs", "stated", "realised");
    for (const auto& rule : rules) {
        print_reliability(rule, "k=0", false);
        print_reliability(rule, "k>=1", true);
    }

    fmt::print(
        "\nanswers at the usual setting: feasible ones, infeasible ones and those of them that no configuration could keep "
        "either; of the feasible ones hit rate (90 % interval by bootstrap over contexts) and cost regret in %, and of "
        "rules "
        "that state it the mean probability and how far the hit rate is above it\n");
    fmt::print("{:<8} {:<5} {:<8} {:>8} {:>7} {:>8} {:>7} {:<14} {:>7} {:>7} {:>6} {:<14}\n", "rule", "runs", "job",
               "feasible", "infeas.", "rightly", "hits", "interval", "regret", "stated", "above", "interval");
    for (const auto& [what, with_runs] : {std::pair{"k=0", false}, std::pair{"k>=1", true}})
        for (const auto& algorithm : algorithms)
            for (const auto& rule : rules) print_answers(rule, what, with_runs, algorithm);

    fmt::print(
        "\nmean cost regret in % at equal hit rate in %, over all questions (an infeasible answer runs its best effort), "
        "each rule's margin swept; last the highest hit rate of the sweep and its regret\n");
    fmt::print("{:<8} {:<5} {:<8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}   {:>5} {:>8}\n", "rule", "runs", "job",
               60, 65, 70, 75, 80, 85, 90, 95, "most", "regret");
    for (const auto& [what, with_runs] : {std::pair{"k=0", false}, std::pair{"k>=1", true}})
        for (const auto& algorithm : algorithms) print_frontier(rules, what, with_runs, algorithm);
}

struct arguments {
    std::string data{};
    std::string splits{};
    std::string prices{};
    std::string out{};
    std::vector<std::string> rules{"best", "paper", "ernest", "c3o", "largest"};
    int threads = 1;
    bench::replay_options options{.training = {.trials = 1}};
};

void decide(arguments given) {
    if (!given.out.empty()) tools::require_writable(given.out);
    if (!given.prices.empty()) given.options.prices = bench::read_prices(given.prices);
    auto rules = bench::find_rules(given.rules);
    std::erase_if(rules, [](const bench::rule& each) {
        if (!each.missing.empty()) fmt::print(stderr, "decisions: {} skipped: {}\n", each.name, each.missing);
        return !each.missing.empty();
    });
    const auto splits = bench::read_splits(given.splits);
    std::map<std::string, bench::record_table> records;
    for (const auto& each : splits)
        if (!records.contains(each.algorithm))
            records[each.algorithm] = bench::read_records({.c3o = given.data, .bell = given.data}, each.algorithm);
    const auto targets = bench::group(splits, records);
    const auto found = bench::replay_all(targets, records, rules, given.options, static_cast<std::size_t>(given.threads),
                                         bench::show_progress);
    std::vector<named_record> named;
    for (std::size_t r = 0; r < rules.size(); ++r) named.push_back({.name = rules[r].name, .record = &found[r]});
    if (!given.out.empty()) tools::write_file(given.out, to_csv(named));
    print_summary(named);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Replays rules that choose scale-outs on recorded runs.", "decisions");
    arguments given;
    app.add_option("--data", given.data, "Directory with <algorithm>.tsv")->required();
    app.add_option("--splits", given.splits, "Table of splits: which contexts are held out, and which runs are observed")
        ->required();
    app.add_option("--rules", given.rules, "Rules: best, paper, ernest, c3o, largest")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--prices", given.prices, "Table with columns machine_type and price_per_hour; else EC2, on demand");
    app.add_option("--deadlines", given.options.multiples, "Multiples of the least median runtime of a context")
        ->delimiter(',')
        ->check(CLI::Range(1.0, 1000.0))
        ->capture_default_str();
    app.add_option("--observed", given.options.most_observed, "Most observed runs")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
    app.add_option("--probability", given.options.probability, "With which best mode is to keep the deadline")
        ->check(CLI::Range(0.001, 0.999))
        ->capture_default_str();
    app.add_option("--out", given.out, "Where the answers go, as CSV");
    tools::add_seed(app, given.options.training.seed);
    app.add_option("--threads", given.threads, "Target contexts at a time")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--trials", given.options.training.trials, "Configurations in the search of the paper's pre-training")
        ->check(CLI::Range(1, 27))
        ->capture_default_str();
    app.add_option("--epochs", given.options.training.epochs, "Of the paper's pre-training")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    return tools::run_program(app, argc, argv, [&] { decide(given); });
}
