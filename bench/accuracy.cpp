// How accurate the methods are on recorded runs, each target context held out, by fixed splits.
#include <CLI/CLI.hpp>
#include <set>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/comparison.hpp"
#include "support/evaluation.hpp"
#include "support/progress.hpp"
#include "support/summary.hpp"

namespace {

// Quantile columns, empty where a method gives a point only.
constexpr std::array<std::pair<std::string_view, double>, 4> quantile_columns{
    {{"p05_s", 0.05}, {"p25_s", 0.25}, {"p75_s", 0.75}, {"p95_s", 0.95}}};

// Thinned histories have a last column, the draw.
[[nodiscard]] std::string to_csv(std::span<const bench::outcome> outcomes, bool thinned) {
    std::string text = "algorithm,context,k,mode,seed,method,test_row,truth_s,predicted_s";
    for (const auto& [name, probability] : quantile_columns) text += fmt::format(",{}", name);
    text += thinned ? ",draw\n" : "\n";
    for (const auto& each : outcomes) {
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{:.6f}", each.of->algorithm, each.of->context, each.of->k, each.of->mode,
                        each.of->seed, each.method, each.of->test_row, each.truth_s, each.predicted.median_s);
        for (const auto& [name, probability] : quantile_columns)
            text += each.predicted.is_point ? "," : fmt::format(",{:.6f}", each.predicted.quantile_s(probability));
        text += thinned ? fmt::format(",{}\n", each.draw) : "\n";
    }
    return text;
}

// Share of truths inside the central interval, in %.
[[nodiscard]] double coverage(std::span<const bench::outcome* const> outcomes, double probability) {
    std::size_t inside = 0;
    for (const auto* each : outcomes) {
        const auto interval = each->predicted.interval_s(probability);
        if (each->truth_s >= interval.low_s && each->truth_s <= interval.high_s) ++inside;
    }
    return 100 * static_cast<double>(inside) / static_cast<double>(outcomes.size());
}

// Mean pinball loss over the quantiles 5, 25, 50, 75, 95 % as a share of the truth, in %.
[[nodiscard]] double pinball(std::span<const bench::outcome* const> outcomes) {
    double sum = 0;
    for (const auto* each : outcomes)
        for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95}) {
            const double above = each->truth_s - each->predicted.quantile_s(p);
            sum += (above > 0 ? p * above : (p - 1) * above) / each->truth_s;
        }
    return 100 * sum / 5 / static_cast<double>(outcomes.size());
}

// One line: errors, and where there are quantiles, how well they hold.
void print_cell(const std::string& method, const std::string& algorithm, const std::string& cell,
                std::span<const bench::outcome* const> outcomes) {
    bench::values_by_context errors;
    for (const auto* each : outcomes)
        errors[fmt::format("{} {}", each->of->algorithm, each->of->context)].push_back(
            100 * std::abs(each->predicted.median_s - each->truth_s) / each->truth_s);
    const auto all = bench::all_values(errors);
    const auto interval = bench::bootstrap_mean(errors);
    fmt::print("{:<10} {:<15} {:<13} {:>6} {:>8.2f} {:>8.2f}  {:<16}", method, algorithm, cell, all.size(),
               bench::median_of(all), bench::mean_of(all), fmt::format("{:.2f} - {:.2f}", interval.low, interval.high));
    if (!outcomes.front()->predicted.is_point)
        fmt::print(" {:>5.1f} {:>5.1f} {:>8.2f}", coverage(outcomes, 0.5), coverage(outcomes, 0.9), pinball(outcomes));
    fmt::print("\n");
}

void print_summary(std::span<const bench::outcome> outcomes) {
    std::set<std::string> algorithms{"all"};
    std::vector<std::string> methods;
    for (const auto& each : outcomes) {
        algorithms.insert(each.of->algorithm);
        if (std::ranges::find(methods, each.method) == methods.end()) methods.push_back(each.method);
    }
    fmt::print(
        "relative error in %, 90 % interval of the mean by bootstrap over contexts; truths inside the 50 % and 90 % "
        "interval in %, pinball loss in % of the truth\n");
    fmt::print("{:<10} {:<15} {:<13} {:>6} {:>8} {:>8}  {:<16} {:>5} {:>5} {:>8}\n", "method", "job", "cell", "splits",
               "median", "mean", "interval", "50 %", "90 %", "pinball");
    for (const auto& method : methods) {
        for (const auto& algorithm : algorithms) {
            for (const auto& cell : bench::cells()) {
                std::vector<const bench::outcome*> inside;
                for (const auto& each : outcomes)
                    if (each.method == method && (algorithm == "all" || each.of->algorithm == algorithm) &&
                        cell.contains(each.of->k, each.of->mode))
                        inside.push_back(&each);
                if (!inside.empty()) print_cell(method, algorithm, cell.name, inside);
            }
        }
    }
}

void compare(const std::string& our_path, const std::string& their_path) {
    const auto ours = tools::read_table(our_path);
    const auto theirs = tools::read_table(their_path);
    std::vector<std::string> methods;
    for (const auto& row : ours.rows)
        if (const auto& name = row.cells[ours.column("method")]; std::ranges::find(methods, name) == methods.end())
            methods.push_back(name);
    fmt::print(
        "difference of mean relative error in points (negative: ours is closer), 90 % interval by bootstrap over "
        "contexts\n");
    fmt::print("{:<10} {:<12} {:<13} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8}  {:<18} {:>7}\n", "ours", "theirs", "cell",
               "splits", "mean", "their", "median", "their", "diff", "interval", "closer");
    for (const auto& method : methods) {
        for (const auto& column : theirs.columns) {
            if (!column.ends_with("_s") || column == "truth_s") continue;
            for (const auto& cell : bench::cells()) {
                const auto pairs = bench::pair_up(ours, method, theirs, column, cell);
                if (pairs.ours.empty()) continue;
                const auto interval = bench::bootstrap_mean(pairs.difference);
                const double ours_mean = 100 * bench::mean_of(pairs.ours);
                const double theirs_mean = 100 * bench::mean_of(pairs.theirs);
                fmt::print("{:<10} {:<12} {:<13} {:>6} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.2f}  {:<18} {:>5.0f} %\n",
                           method, column, cell.name, pairs.ours.size(), ours_mean, theirs_mean,
                           100 * bench::median_of(pairs.ours), 100 * bench::median_of(pairs.theirs), ours_mean - theirs_mean,
                           fmt::format("{:.2f} .. {:.2f}", 100 * interval.low, 100 * interval.high),
                           100 * static_cast<double>(pairs.closer) / static_cast<double>(pairs.ours.size()));
            }
        }
    }
}

struct arguments {
    std::string data{};
    std::string bell_data{};
    std::string splits{};
    std::vector<std::string> modes{"paper"};
    std::string out{};
    std::vector<std::string> compare{};
    int threads = 1;
    bench::thinning thinned{};
    bench::method_options options{};
};

void evaluate(const arguments& given) {
    if (given.data.empty() || given.splits.empty() || given.out.empty())
        throw CLI::ValidationError("expected --data, --splits and --out, or --compare");
    tools::require_writable(given.out);
    auto methods = bench::find_methods(given.modes);
    std::erase_if(methods, [](const bench::method& each) {
        if (!each.missing.empty()) fmt::print(stderr, "accuracy: {} skipped: {}\n", each.name, each.missing);
        return !each.missing.empty();
    });
    const auto splits = bench::read_splits(given.splits);
    std::map<std::string, bench::record_table> records;
    for (const auto& each : splits)
        if (!records.contains(each.algorithm))
            records[each.algorithm] = bench::read_records(
                {.c3o = given.data, .bell = given.bell_data.empty() ? given.data : given.bell_data}, each.algorithm);
    const auto targets = bench::group(splits, records);
    const auto outcomes = bench::evaluate_all(targets, records, methods, given.options,
                                              static_cast<std::size_t>(given.threads), bench::show_progress, given.thinned);
    tools::write_file(given.out, to_csv(outcomes, given.thinned.contexts > 0));
    print_summary(outcomes);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures how accurate the methods are on recorded runs.", "accuracy");
    arguments given;
    app.add_option("--data", given.data, "Directory with <algorithm>.tsv");
    app.add_option("--bell-data", given.bell_data,
                   "Directory with <name>.csv for splits of the algorithm bell:<name>; else that of --data");
    app.add_option("--splits", given.splits, "Table of splits");
    app.add_option("--mode", given.modes, "Methods: best, gp, eb, boosting, paper, local, ernest, bell, nearest")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--history-contexts", given.thinned.contexts,
                   "Learn from so many other contexts, chosen at random; else from all of them")
        ->check(CLI::Range(1, 1000));
    app.add_option("--draws", given.thinned.draws, "How often they are chosen")
        ->needs("--history-contexts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--out", given.out, "Where the predictions go, as CSV");
    tools::add_seed(app, given.options.seed);
    app.add_option("--threads", given.threads, "Target contexts at a time")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--trials", given.options.trials, "Configurations in the search of pre-training; 1: no search")
        ->check(CLI::Range(1, 27))
        ->capture_default_str();
    app.add_option("--epochs", given.options.epochs, "Of pre-training")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--compare", given.compare, "Predictions of this program, and a table with columns <method>_s")
        ->expected(2);
    return tools::run_program(app, argc, argv, [&] {
        if (!given.compare.empty()) {
            compare(given.compare[0], given.compare[1]);
        } else {
            evaluate(given);
        }
    });
}
