// Pre-trains the published network with several MPI ranks, each a worker with its share of the runs. Rank 0 writes the
// model, which is that of pretrain with as many --workers.
#include <fmt/format.h>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "../support/model_file.hpp"
#include "../support/named_paths.hpp"
#include "../support/pretrain_arguments.hpp"
#include "../support/progress_bar.hpp"
#include "pretraining_agreement.hpp"
#include "rank_program.hpp"

namespace {

void complete(tools::pretrain_arguments& given, int ranks) {
    tools::complete(given);
    if (given.out.empty()) throw CLI::ValidationError("--out is required");
    if (given.mode != "paper") throw CLI::ValidationError("--mode", "expected paper: best mode is fitted in closed form");
    given.training.parallel.workers = ranks;
}

bellamy::trained train(const std::vector<bellamy::run>& runs, bellamy::pretrain_options options,
                       const tools::worker_rank<float>& self) {
    tools::progress_bar bar("validation loss");
    if (self.number == 0) options.progress = std::ref(bar);
    if (options.parallel.workers == 1) return bellamy::pretrain(runs, options).value();
    return bellamy::pretrain_as_worker(runs, options, self.number, self.averaging).value();
}

}  // namespace

int main(int argc, char** argv) {
    tools::pretrain_arguments given;
    const auto declare = [&](CLI::App& app) {
        tools::declare(app, given);
        tools::declare_paper_mode(app, given);
    };
    const auto body = [&](const tools::worker_rank<float>& self) {
        complete(given, self.ranks);
        given.tells = self.number == 0;
        if (given.tells) tools::require_outputs({{"--out", given.out}}, {{"--c3o", given.c3o}, {"--table", given.table}});
        const auto all = tools::read_history(given);
        const auto [runs, lines] = tools::leave_out(all.read, given.left_out);
        tools::require_agreement(runs, given.training);
        const auto began = std::chrono::steady_clock::now();
        const auto made = train(runs, given.training, self);
        if (!given.tells) return;
        tools::print_report(made, tools::places_of(all, lines),
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        tools::save_model(made.model, given.out);
        fmt::print("written       {}, {} bytes\n", given.out, to_bytes(made.model).size());
    };
    return tools::run_ranks<float>("pretrain_mpi",
                                   "Pre-trains the published network with several MPI ranks, each a worker with its share "
                                   "of the runs.",
                                   argc, argv, declare, body);
}
