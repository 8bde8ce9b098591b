// How well stages, jobs, whole runs and the rest of running applications are predicted from traces of other runs.
#include <bellamy/detail/base/parallel.hpp>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/enel_predictor.hpp"
#include "support/progress.hpp"
#include "support/stage_methods.hpp"

#include <mutex>

namespace {

struct arguments {
    std::vector<std::string> train{};
    std::vector<std::string> test{};
    std::vector<std::string> splits{};
    std::vector<std::string> modes{};
    std::string out{};
    bench::stage_options options{};
    int threads = 1;
};

[[nodiscard]] std::vector<tools::trace_line> read_all(const std::vector<std::string>& paths) {
    std::vector<tools::trace_line> all;
    for (const auto& path : paths)
        for (auto& line : tools::read_traces(path)) all.push_back(std::move(line));
    return all;
}

[[nodiscard]] std::vector<bench::stage_row> answer_all(const std::vector<bench::stage_case>& cases,
                                                       const std::vector<bench::stage_method>& methods,
                                                       const arguments& given) {
    std::vector<std::vector<bench::stage_row>> parts(cases.size() * methods.size());
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(parts.size(), static_cast<std::size_t>(given.threads), [&](std::size_t i) {
        parts[i] = bench::answer(cases[i / methods.size()], methods[i % methods.size()], given.options);
        const std::lock_guard lock(guard);
        bench::show_progress(++finished, parts.size());
    });
    std::vector<bench::stage_row> rows;
    for (auto& part : parts) rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

void print(const bench::stage_scores& scores) {
    fmt::print("relative error in %, truths inside the 50 % and 90 % interval in %\n");
    fmt::print("{:<6} {:<22} {:<10} {:<10} {:>6} {:>7} {:>7} {:>6} {:>6}\n", "split", "application", "what", "method",
               "rows", "mean", "median", "50 %", "90 %");
    for (const auto& [key, score] : scores) {
        const auto& [part, application, what, method] = key;
        fmt::print("{:<6} {:<22} {:<10} {:<10} {:>6} {:>7.1f} {:>7.1f}", part, application, to_string(what), method,
                   score.rows, 100 * score.mean, 100 * score.median);
        if (!std::isnan(score.covered_50)) fmt::print(" {:>6.1f} {:>6.1f}", 100 * score.covered_50, 100 * score.covered_90);
        fmt::print("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures how well parts and rests of application runs are predicted from traces of other runs.", "stages");
    arguments given;
    auto methods = bench::stage_methods();
    methods.push_back(bench::enel_method());
    std::vector<std::string> names;
    for (const auto& each : methods) names.push_back(each.name);
    app.add_option("--train", given.train, "Trace files to learn from (.jsonl, .jsonl.zst)")->required();
    auto* test = app.add_option("--test", given.test, "Trace files to predict");
    app.add_option("--split", given.splits,
                   "In place of --test: split the runs to learn from. scale: each scale-out in turn is unseen; size: every "
                   "fourth by data size; big: the quarter with the largest data; late: run_number 36 to 45; few: after one "
                   "to four runs")
        ->delimiter(',')
        ->check(CLI::IsMember({"scale", "size", "big", "late", "few"}))
        ->excludes(test);
    app.add_option("--mode", given.modes, "Methods; all where not given")->delimiter(',')->check(CLI::IsMember(names));
    app.add_option("--threads", given.threads, "Cases at a time")->check(CLI::Range(1, 1024))->capture_default_str();
    app.add_option("--enel-trials", given.options.enel_trials, "Pre-trainings of Enel's network to choose from")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    tools::add_seed(app, given.options.seed);
    app.add_option("--out", given.out, "Where the predictions go, one a row (CSV)");
    return tools::run_program(app, argc, argv, [&] {
        if (given.test.empty() == given.splits.empty())
            throw tools::wrong_usage("--test", "files to predict, or --split", "");
        if (!given.out.empty()) tools::require_writable(given.out);
        std::erase_if(methods, [&](const auto& each) {
            return !given.modes.empty() && std::ranges::find(given.modes, each.name) == given.modes.end();
        });
        const auto train = read_all(given.train);
        const auto other = read_all(given.test);
        std::vector<bench::stage_case> cases;
        if (!other.empty()) cases = bench::given_cases(train, other);
        for (const auto& kind : given.splits)
            for (auto& each : bench::split_cases(train, kind)) cases.push_back(std::move(each));
        const auto rows = answer_all(cases, methods, given);
        print(bench::scores_of(rows));
        if (!given.out.empty()) tools::write_file(given.out, bench::to_csv(rows));
    });
}
