#include "support/made_up_table.hpp"

#include <bellamy/serialize.hpp>

using support::check_succeeds;
using support::operator+;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;
using words = std::vector<std::string>;

#if defined(BELLAMY_PRETRAIN_MPI)

namespace {

const words mpirun{BELLAMY_MPIRUN, "--allow-run-as-root", "--oversubscribe"};

words training(const temporary_directory& place, const words& program = {BELLAMY_PRETRAIN_MPI}) {
    return program + words{"--c3o", place / "sort.tsv", "--mode", "paper",    "--seed", "3",       "--epochs",
                           "60",    "--batch-size",     "2",      "--period", "4",      "--delay", "2",
                           "--out", place / "mpi.model"};
}

words ranks(const std::string& count) { return {"-n", count}; }

/// A training that would take hours, on two ranks of which the second gets a signal after a second.
support::finished_program with_signal(const temporary_directory& place, const std::string& signal) {
    auto endless = training(place);
    endless[8] = "100000000";
    endless = endless + words{"--timeout", "2"};
    const words second{"/bin/sh", "-c", "(sleep 1; kill -" + signal + " $$) & exec \"$0\" \"$@\""};
    return run_program(mpirun + ranks("1") + endless + words{":"} + ranks("1") + second + endless);
}

}  // namespace

TEST_CASE("MPI ranks train the model that as many workers train on threads") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    for (const std::string workers : {"2", "4"}) {
        CAPTURE(workers);
        auto on_threads = training(place, {BELLAMY_PROGRAM, "pretrain"});
        on_threads.back() = place / "threads.model";
        check_succeeds(on_threads + words{"--workers", workers, "--threads", "2"});
        const auto finished = run_program(mpirun + ranks(workers) + training(place));
        CAPTURE(finished.err);
        CHECK(finished.exit_code == 0);
        CHECK(finished.out.find("pre-training  60 epochs") != std::string::npos);
        CHECK(finished.out.find("written ") == finished.out.rfind("written "));  // by one rank
        CHECK(read_text(place / "mpi.model") == read_text(place / "threads.model"));
    }
}

TEST_CASE("MPI ranks end with an error after another's death, and no model is left") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto before = place.listing();
    // Where a rank only hangs, the others wait for the two seconds of --timeout.
    for (const std::string signal : {"KILL", "STOP"}) {
        CAPTURE(signal);
        const auto finished = with_signal(place, signal);
        CHECK(finished.exit_code != 0);
        if (signal == "STOP") CHECK(finished.err.find("worker_lost: expected 2 workers") != std::string::npos);
        CHECK(place.listing() == before);
    }
}

TEST_CASE("MPI ranks that differ in schema, runs, options or build are refused by name") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    std::filesystem::create_directory(place / "longer");
    write_text(place / "longer/sort.tsv", support::c3o_table() + support::c3o_line(8000, 6, "70"));
    std::filesystem::copy_file(BELLAMY_PRETRAIN_MPI, place / "pretrain_mpi");
    write_text(place / "pretrain_mpi", read_text(place / "pretrain_mpi") + " ");
    const auto before = place.listing();

    const auto check_differs = [&](const std::string& code, const words& second) {
        const auto finished = run_program(mpirun + ranks("1") + training(place) + words{":"} + ranks("1") + second);
        CAPTURE(code);
        CAPTURE(finished.err);
        CHECK(finished.exit_code != 0);
        CHECK(finished.err.find(code + ": expected ") != std::string::npos);
        CHECK(place.listing() == before);
    };
    check_differs("different_build", training(place, words{place / "pretrain_mpi"}));
    auto second = training(place);
    second[1] = "--table";
    check_differs("different_schema", second + words{"--scale-out", "instance_count", "--runtime", "gross_runtime",
                                                     "--essential", "machine_type,lines"});
    second = training(place);
    second[2] = place / "longer/sort.tsv";
    check_differs("different_runs", second);
    second = training(place);
    second[6] = "4";
    check_differs("different_options", second);
}

TEST_CASE("MPI ranks refuse best mode, a delay as long as the period, and more ranks than runs") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto check_refused = [&](const std::string& count, const words& command, const std::string& text) {
        const auto finished = run_program(mpirun + ranks(count) + command);
        CAPTURE(finished.err);
        CHECK(finished.exit_code != 0);
        CHECK(finished.err.find(text) != std::string::npos);
        CHECK(place.listing() == "sort.tsv ");
    };
    auto best = training(place);
    best[4] = "best";
    best.erase(best.begin() + 7, best.begin() + 15);
    check_refused("2", best, "expected paper");
    auto late = training(place);
    late[14] = "4";
    check_refused("2", late, "delay from 0 to period - 1 = 3, found 4");
    check_refused("13", training(place), "at most as many workers as runs");
}

#else

TEST_CASE("MPI ranks train the model that as many workers train on threads") {
    MESSAGE("skipped: no mpirun (Debian: apt-get install openmpi-bin libopenmpi-dev)");
}

#endif
