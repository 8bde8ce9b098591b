// Pre-trains Enel's network on traces of past runs with several MPI ranks, each a worker with its share of the runs, and
// writes how long it expects whole runs to take. With a single rank, the workers are threads: the same numbers.
#include <fmt/format.h>
#include <bellamy/enel.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/averaging_arguments.hpp"
#include "../support/named_paths.hpp"
#include "../support/output_file.hpp"
#include "../support/trace_file.hpp"
#include "agreement.hpp"
#include "rank_program.hpp"

namespace {

struct arguments {
    std::string traces;
    std::string application;
    std::string out;
    bellamy::enel_options training{.parallel = {.workers = 0}};
};

void declare(CLI::App& app, arguments& given) {
    app.add_option("--traces", given.traces, "Traces of past runs, as bellamy import writes them")->required();
    app.add_option("--application", given.application, "The one to learn; by default that of the first run");
    app.add_option("--out", given.out, "Table to write: for every scale-out that was seen, seconds of each job and of a run")
        ->required();
    app.add_option("--trials", given.training.trials, "Configurations to search among")->capture_default_str();
    app.add_option("--epochs", given.training.epochs, "Passes over the runs")->capture_default_str();
    tools::add_seed(app, given.training.seed);
    app.add_option("--workers", given.training.parallel.workers,
                   "With a single rank: workers that train as threads; else there is one worker a rank");
    app.add_option("--threads", given.training.threads, "With a single rank: threads that train")->capture_default_str();
    static_cast<void>(tools::declare_averaging(app, given.training.parallel));
}

void complete(arguments& given, int ranks) {
    auto& workers = given.training.parallel.workers;
    if (ranks > 1 && workers != 0 && workers != ranks)
        throw CLI::ValidationError("--workers", fmt::format("expected one a rank, {}, found {}", ranks, workers));
    if (workers == 0) workers = ranks;
}

[[nodiscard]] std::vector<bellamy::application_trace> read_runs(arguments& given) {
    std::vector<bellamy::application_trace> runs;
    tools::for_each_trace(given.traces, [&](tools::trace_line&& line) {
        if (given.application.empty()) given.application = line.trace.application;
        if (line.trace.application == given.application) runs.push_back(std::move(line.trace));
    });
    return runs;
}

void require_agreement(const arguments& given) {
    const auto& o = given.training;
    const auto options =
        fmt::format("{} {} {} {} {}", given.application, o.trials, o.epochs, o.seed, tools::describe(o.parallel));
    tools::require_agreement(std::array{tools::build_fact(),
                                        tools::shared_fact{"runs", tools::checksum(tools::bytes_of(given.traces))},
                                        tools::shared_fact{"options", tools::checksum(options)}});
}

[[nodiscard]] bellamy::enel_model train(const arguments& given, const std::vector<bellamy::application_trace>& runs,
                                        const tools::worker_rank<double>& self) {
    if (self.ranks == 1) return bellamy::enel_model::pretrain(runs, given.training).value();
    return bellamy::enel_model::pretrain_as_worker(runs, given.training, self.number, self.averaging).value();
}

/// A whole run like the first one, at every scale-out that was seen; numbers read back as they are.
[[nodiscard]] std::string table_of(const bellamy::enel_model& model, const std::vector<bellamy::application_trace>& runs) {
    std::vector<int> scale_outs;
    for (const auto& run : runs)
        for (const auto& each : run.scale_out)
            if (each.scale_out > 0) scale_outs.push_back(each.scale_out);
    std::sort(scale_outs.begin(), scale_outs.end());
    scale_outs.erase(std::unique(scale_outs.begin(), scale_outs.end()), scale_outs.end());
    auto whole = runs.front();
    whole.jobs.clear();
    whole.runtime_s = 0;
    whole.outcome = bellamy::trace_outcome::unfinished;
    const auto forecast = model.forecast(whole, scale_outs, {.scale_out = scale_outs.front()}).value();
    std::string text = "scale_out\trun_s";
    for (std::size_t job = 0; job < forecast.jobs(); ++job) text += fmt::format("\tjob_{}_s", job);
    for (std::size_t k = 0; k < scale_outs.size(); ++k) {
        text += fmt::format("\n{}\t{}", scale_outs[k], forecast.rest_s(k));
        for (std::size_t job = 0; job < forecast.jobs(); ++job) text += fmt::format("\t{}", forecast.job_s(k, job));
    }
    return text + "\n";
}

}  // namespace

int main(int argc, char** argv) {
    arguments given;
    const auto body = [&](const tools::worker_rank<double>& self) {
        complete(given, self.ranks);
        if (self.number == 0) tools::require_outputs({{"--out", given.out}}, {{"--traces", given.traces}});
        const auto runs = read_runs(given);
        require_agreement(given);
        const auto model = train(given, runs, self);
        if (self.number != 0) return;
        const auto& report = model.report();
        fmt::print("learned from  {} runs of {}, {} of them to validate\n", report.training_runs + report.validation_runs,
                   given.application, report.validation_runs);
        fmt::print("pre-training  {} epochs of {} trials, the best was {}\n", report.epochs, given.training.trials,
                   report.best_epoch);
        tools::write_file(given.out, table_of(model, runs));
        fmt::print("written       {}\n", given.out);
    };
    return tools::run_ranks<double>(
        "pretrain_enel_mpi", "Pre-trains Enel's network with several MPI ranks, each a worker with its share of the runs.",
        argc, argv, [&](CLI::App& app) { declare(app, given); }, body);
}
