// What a program does around the training of its MPI ranks: starts and ends them, and gives each its averager.
#ifndef BELLAMY_EXAMPLES_MPI_RANK_PROGRAM_HPP
#define BELLAMY_EXAMPLES_MPI_RANK_PROGRAM_HPP

#include <fmt/format.h>

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "../support/program.hpp"
#include "mpi_averaging.hpp"

namespace tools {

/// One rank, which is one worker.
template <class Scalar>
struct worker_rank {
    int number = 0;
    int ranks = 1;
    mpi_averaging<Scalar>& averaging;
};

/// `declare(app)` adds options to --timeout; then `body(worker_rank)` runs on every rank. Returns the exit code. A rank that
/// fails ends the others, which would wait for it.
template <class Scalar, class Declare, class Body>
[[nodiscard]] int run_ranks(const std::string& name, const std::string& description, int argc, char** argv,
                            const Declare& declare, const Body& body) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CLI::App app(description, fmt::format("{}, rank {}", name, rank));
    declare(app);
    double timeout_s = 60;
    app.add_option("--timeout", timeout_s, "Seconds to wait for other ranks before giving up")->capture_default_str();
    std::optional<mpi_averaging<Scalar>> averaging;  // MPI may write into it until the end of the program
    const int code = run_program(app, argc, argv, [&] {
        if (!(timeout_s > 0)) throw CLI::ValidationError("--timeout", "expected a number of seconds > 0");
        averaging.emplace(timeout_s);
        body(worker_rank<Scalar>{.number = rank, .ranks = ranks, .averaging = *averaging});
    });
    if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
    return code;
}

}  // namespace tools

#endif
