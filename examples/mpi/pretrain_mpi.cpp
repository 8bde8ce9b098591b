// Pre-trains the published network with several MPI ranks, each a worker with its share of the runs. Rank 0 writes the
// model, which is that of pretrain with as many --workers.
#include <fmt/format.h>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../support/output_file.hpp"
#include "../support/pretrain_arguments.hpp"
#include "../support/program.hpp"
#include "../support/progress_bar.hpp"
#include "mpi_averaging.hpp"
#include "pretraining_agreement.hpp"

namespace {

struct arguments : tools::pretrain_arguments {
    double timeout_s = 60;
};

void complete(arguments& given, int ranks) {
    tools::complete(given);
    if (given.out.empty()) throw CLI::ValidationError("--out is required");
    if (given.mode != "paper") throw CLI::ValidationError("--mode", "expected paper: best mode is fitted in closed form");
    if (!(given.timeout_s > 0)) throw CLI::ValidationError("--timeout", "expected a number of seconds > 0");
    given.training.parallel.workers = ranks;
}

bellamy::trained train(const std::vector<bellamy::run>& runs, bellamy::pretrain_options options, int rank,
                       tools::mpi_averaging<float>& averaging) {
    tools::progress_bar bar("validation loss");
    if (rank == 0) options.progress = std::ref(bar);
    if (options.parallel.workers == 1) return bellamy::pretrain(runs, options).value();
    return bellamy::pretrain_as_worker(runs, options, rank, averaging).value();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    CLI::App app("Pre-trains the published network with several MPI ranks, each a worker with its share of the runs.",
                 fmt::format("pretrain_mpi, rank {}", rank));
    arguments given;
    tools::declare(app, given);
    tools::declare_paper_mode(app, given);
    app.add_option("--timeout", given.timeout_s, "Seconds to wait for other ranks before giving up")->capture_default_str();

    std::optional<tools::mpi_averaging<float>> averaging;  // MPI may write into it until the end of the program
    const int code = tools::run_program(app, argc, argv, [&] {
        complete(given, ranks);
        averaging.emplace(given.timeout_s);
        if (rank == 0) tools::require_writable(given.out);
        given.tells = rank == 0;
        const auto all = tools::read_history(given);
        const auto [runs, lines] = tools::leave_out(all.read, given.left_out);
        tools::require_agreement(runs, given.training);
        const auto began = std::chrono::steady_clock::now();
        const auto made = train(runs, given.training, rank, *averaging);
        if (rank != 0) return;
        tools::print_report(made, tools::places_of(all, lines),
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        bellamy::save(made.model, given.out).value();
        fmt::print("written       {}, {} bytes\n", given.out, std::filesystem::file_size(given.out));
    });
    if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);  // the others would wait
    MPI_Finalize();
    return code;
}
