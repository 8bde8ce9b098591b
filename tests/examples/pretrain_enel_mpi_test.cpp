// The program pretrain_enel_mpi as users run it.
#include "../../examples/support/trace_file.hpp"
#include "../support/made_up_traces.hpp"
#include "support/run_program.hpp"

using support::operator+;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using command_line = std::vector<std::string>;

#if defined(BELLAMY_PRETRAIN_ENEL_MPI)

namespace {

void write_past(const std::string& path, int seeds) {
    tools::trace_writer writer(path);
    for (const int x : {2, 4, 8})
        for (int seed = 0; seed < seeds; ++seed)
            writer.add(support::without_tasks(support::made_up_trace(static_cast<std::uint64_t>(10 * x + seed), 16000, x)));
    writer.close();
}

command_line enel_training(const std::string& traces, const std::string& out) {
    return {BELLAMY_PRETRAIN_ENEL_MPI,
            "--traces",
            traces,
            "--seed",
            "3",
            "--trials",
            "2",
            "--epochs",
            "32",
            "--period",
            "3",
            "--delay",
            "2",
            "--out",
            out};
}

command_line on_ranks(const std::string& count) {
    return {BELLAMY_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", count};
}

}  // namespace

TEST_CASE("MPI ranks train Enel's network to the numbers of as many workers on threads") {
    const temporary_directory place;
    write_past(place / "past.jsonl", 3);
    const auto finished = run_program(on_ranks("2") + enel_training(place / "past.jsonl", place / "ranks.tsv"));
    CAPTURE(finished.err);
    REQUIRE(finished.exit_code == 0);
    CHECK(finished.out.find("written ") == finished.out.rfind("written "));  // by one rank
    const auto table = read_text(place / "ranks.tsv");
    CHECK(table.starts_with("scale_out\trun_s\tjob_0_s"));
    CHECK(std::ranges::count(table, '\n') == 4);
    for (const std::string workers : {"1", "2"}) {
        const auto single = run_program(on_ranks("1") + enel_training(place / "past.jsonl", place / "threads.tsv") +
                                        command_line{"--workers", workers, "--threads", "2"});
        CAPTURE(single.err);
        REQUIRE(single.exit_code == 0);
        CHECK((read_text(place / "threads.tsv") == table) == (workers == "2"));
    }
}

TEST_CASE("MPI ranks that would train Enel's network on other runs or options are refused, and so are too many") {
    const temporary_directory place;
    write_past(place / "past.jsonl", 2);
    write_past(place / "more.jsonl", 3);
    const auto check_refused = [&](const command_line& command, const std::string& text) {
        const auto finished = run_program(command);
        CAPTURE(finished.err);
        CHECK(finished.exit_code != 0);
        CHECK(finished.err.find(text) != std::string::npos);
        CHECK(place.listing() == "more.jsonl past.jsonl ");
    };
    const auto given = enel_training(place / "past.jsonl", place / "out.tsv");
    const auto with_second = [&](const command_line& second) {
        return on_ranks("1") + given + command_line{":", "-n", "1"} + second;
    };
    check_refused(with_second(enel_training(place / "more.jsonl", place / "out.tsv")), "different_runs: expected ");
    check_refused(with_second(given + command_line{"--slow-momentum", "0.25"}), "different_options: expected ");
    check_refused(on_ranks("7") + given, "at most as many workers as runs");
    check_refused(on_ranks("2") + given + command_line{"--workers", "3"}, "expected one a rank, 2, found 3");
    check_refused(on_ranks("1") + given + command_line{"--workers", "2", "--threads", "0"}, "threads >= 1");
    check_refused(on_ranks("1") + given + command_line{"--timeout", "0"}, "--timeout: expected a number of seconds > 0");
    auto late = given;
    late[12] = "3";
    check_refused(on_ranks("2") + late, "delay from 0 to period - 1 = 2, found 3");
}

#else

TEST_CASE("MPI ranks train Enel's network") {
    MESSAGE("skipped: no mpirun (Debian: apt-get install openmpi-bin libopenmpi-dev)");
}

#endif
