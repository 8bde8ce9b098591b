// How accurate the methods are on recorded runs, each target context held out, by fixed splits.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <set>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/comparison.hpp"
#include "support/evaluation.hpp"
#include "support/summary.hpp"

namespace {

[[nodiscard]] std::string to_csv(std::span<const bench::outcome> outcomes) {
    std::string text = "algorithm,context,k,mode,seed,method,test_row,truth_s,predicted_s\n";
    for (const auto& each : outcomes)
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{:.6f}\n", each.of->algorithm, each.of->context, each.of->k, each.of->mode,
                        each.of->seed, each.method, each.of->test_row, each.truth_s, each.predicted.median_s);
    return text;
}

void print_summary(std::span<const bench::outcome> outcomes) {
    std::set<std::string> algorithms{"all"};
    std::vector<std::string> methods;
    for (const auto& each : outcomes) {
        algorithms.insert(each.of->algorithm);
        if (std::ranges::find(methods, each.method) == methods.end()) methods.push_back(each.method);
    }
    fmt::print("relative error in %, 90 % interval of the mean by bootstrap over contexts\n");
    fmt::print("{:<10} {:<8} {:<13} {:>6} {:>8} {:>8}  {}\n", "method", "job", "cell", "splits", "median", "mean",
               "interval");
    for (const auto& method : methods) {
        for (const auto& algorithm : algorithms) {
            for (const auto& cell : bench::cells()) {
                bench::values_by_context errors;
                for (const auto& each : outcomes) {
                    const auto& of = *each.of;
                    if (each.method != method || (algorithm != "all" && of.algorithm != algorithm)) continue;
                    if (!cell.contains(of.k, of.mode)) continue;
                    errors[fmt::format("{} {}", of.algorithm, of.context)].push_back(
                        100 * std::abs(each.predicted.median_s - each.truth_s) / each.truth_s);
                }
                const auto all = bench::all_values(errors);
                if (all.empty()) continue;
                const auto interval = bench::bootstrap_mean(errors);
                fmt::print("{:<10} {:<8} {:<13} {:>6} {:>8.2f} {:>8.2f}  {:.2f} - {:.2f}\n", method, algorithm, cell.name,
                           all.size(), bench::median_of(all), bench::mean_of(all), interval.low, interval.high);
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

void show_progress(std::size_t finished, std::size_t total) {
    static const bool on_terminal = isatty(STDERR_FILENO) == 1;
    if (!on_terminal) return;
    const std::size_t filled = 40 * finished / total;
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {}/{} target contexts{}", "", filled, "", 40 - filled, finished, total,
               finished == total ? "\n" : "");
    std::fflush(stderr);
}

struct arguments {
    std::string data{};
    std::string splits{};
    std::vector<std::string> modes{"paper"};
    std::string out{};
    std::vector<std::string> compare{};
    int threads = 1;
    bench::method_options options{};
};

void evaluate(const arguments& given) {
    if (given.data.empty() || given.splits.empty() || given.out.empty())
        throw CLI::ValidationError("expected --data, --splits and --out, or --compare");
    tools::require_writable(given.out);
    const auto methods = bench::find_methods(given.modes);
    const auto splits = bench::read_splits(given.splits);
    std::map<std::string, bench::record_table> records;
    for (const auto& each : splits)
        if (!records.contains(each.algorithm)) records[each.algorithm] = bench::read_records(given.data, each.algorithm);
    const auto targets = bench::group(splits, records);
    const auto outcomes = bench::evaluate_all(targets, records, methods, given.options,
                                              static_cast<std::size_t>(given.threads), show_progress);
    tools::write_file(given.out, to_csv(outcomes));
    print_summary(outcomes);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures how accurate the methods are on recorded runs.", "accuracy");
    arguments given;
    app.add_option("--data", given.data, "Directory with <algorithm>.tsv");
    app.add_option("--splits", given.splits, "Table of splits");
    app.add_option("--mode", given.modes, "Methods: paper, local, ernest, bell, nearest")
        ->delimiter(',')
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
