// The program itself, on a small table of made-up runs.
#include <doctest/doctest.h>

#include "../../examples/support/table.hpp"
#include "../examples/support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;

// Three data sizes at four scale-outs, as the C3O experiments record them, and one split of each kind.
void write_inputs(const temporary_directory& place) {
    std::string runs = "instance_count\tmachine_type\tslots\tmemory\tdata_size_MB\tline_length\tlines\tgross_runtime\n";
    for (const int size : {8000, 16000, 24000})
        for (const int x : {2, 4, 8, 12})
            runs += fmt::format("{}\tm4.xlarge\t{}\t{}\t{}\t100\t1000\t{}\n", x, 4 * x, 16000 * x, size, 20 + size / 50 / x);
    write_text(place / "sort.tsv", runs);
    write_text(place / "splits.csv",
               "algorithm,context,k,mode,seed,train_rows,test_row\nsort,1,0,zero,0,,5\nsort,1,1,extrap,1,4,6\n"
               "sort,1,2,interp,2,4;7,6\nsort,2,3,extrap,3,8;9;10,11\n");
}

words command(const temporary_directory& place, const std::string& modes, const std::string& out = "out.csv") {
    return {BELLAMY_ACCURACY, "--data", place / "", "--splits", place / "splits.csv", "--mode", modes, "--out", place / out};
}

}  // namespace

TEST_CASE("accuracy writes one line per answered split and method, and prints the cells") {
    const temporary_directory place;
    write_inputs(place);
    const auto printed = check_succeeds(command(place, "paper,ernest,nearest") + words{"--epochs", "5", "--trials", "2"});
    for (const auto* word : {"paper", "ernest", "nearest", "k=0", "k=1 extrap", "k=2-5 extrap", "k=2-5 interp", "bootstrap"})
        CHECK_MESSAGE(printed.find(word) != std::string::npos, word);

    const auto csv = support::read_text(place / "out.csv");
    CHECK(csv.starts_with("algorithm,context,k,mode,seed,method,test_row,truth_s,predicted_s\n"));
    const auto table = tools::read_table(place / "out.csv");
    CHECK(table.rows.size() == 4 + 3 + 3);  // the baselines cannot answer without an observed run
    // Seconds: 20 + 16000 / 50 / 8 at row 6; the nearest of 2 and of 2 and 12 nodes.
    CHECK(csv.find("sort,1,1,extrap,1,nearest,6,60,180.000000\n") != std::string::npos);
    CHECK(csv.find("sort,1,2,interp,2,nearest,6,60,46.000000\n") != std::string::npos);
    CHECK(csv.find("sort,1,0,zero,0,paper,5,100,") != std::string::npos);
    CHECK(place.listing().find(".partial") == std::string::npos);
}

TEST_CASE("accuracy gives the same file with several threads") {
    const temporary_directory place;
    write_inputs(place);
    for (const auto* threads : {"1", "2"})
        check_succeeds(command(place, "paper,local", threads) +
                       words{"--epochs", "5", "--trials", "2", "--threads", threads, "--seed", "4"});
    CHECK(support::read_text(place / "1") == support::read_text(place / "2"));
}

TEST_CASE("accuracy compares its predictions with those of another table") {
    const temporary_directory place;
    write_inputs(place);
    check_succeeds(command(place, "nearest"));
    // The nearest run says 180 s where 60 s is the truth (200 % off), then 46 s (23.3 % off).
    write_text(
        place / "theirs.csv",
        "algorithm,context,k,mode,seed,test_row,truth_s,gp_s\nsort,1,1,extrap,1,6,60,66\nsort,1,2,interp,2,6,60,90\n");
    const auto printed = check_succeeds({BELLAMY_ACCURACY, "--compare", place / "out.csv", place / "theirs.csv"});
    const std::vector<std::pair<std::string, words>> expected{
        {"k=1 extrap", {"nearest", "gp_s", " 200.00 ", " 10.00 ", " 190.00 ", "190.00 .. 190.00", " 0 %"}},
        {"k=2-5 interp", {"nearest", "gp_s", " 23.33 ", " 50.00 ", " -26.67 ", "-26.67 .. -26.67", " 100 %"}}};
    for (const auto& each : expected) {
        const auto at = printed.find(each.first);
        REQUIRE(at != std::string::npos);
        const auto begin = printed.rfind('\n', at);
        const auto line = printed.substr(begin, printed.find('\n', at) - begin);
        for (const auto& number : each.second)
            CHECK_MESSAGE(line.find(number) != std::string::npos, number, " is not in ", line);
    }
}

TEST_CASE("accuracy refuses bad input with one line and leaves no file") {
    const temporary_directory place;
    write_inputs(place);
    check_refused(run_program(command(place, "paper,oracle")), "unknown_method", {"oracle", "paper"});
    check_refused(run_program(command(place, "ernest", "no/such/folder.csv")), "cannot_write", {"no/such/folder.csv"});
    write_text(place / "splits.csv", "algorithm,context,k,mode,seed,train_rows,test_row\nsort,1,1,extrap,0,3,6\n");
    check_refused(run_program(command(place, "ernest")), "wrong_split", {"context 1", "row 3"});
    write_text(place / "splits.csv", "algorithm,context,k,mode,seed,train_rows,test_row\ngrep,1,1,extrap,0,4,6\n");
    check_refused(run_program(command(place, "ernest")), "cannot_read", {"grep.tsv"});
    CHECK(place.listing().find("out") == std::string::npos);
    check_refused(run_program({BELLAMY_ACCURACY, "--compare", place / "sort.tsv", place / "none.csv"}), "cannot_read",
                  {"none.csv"});
}

TEST_CASE("accuracy called wrongly says so in one line") {
    const temporary_directory place;
    write_inputs(place);
    check_wrong_usage(run_program({BELLAMY_ACCURACY}), {"--data"});
    check_wrong_usage(run_program({BELLAMY_ACCURACY, "--compare", "one"}), {"--compare"});
    check_wrong_usage(run_program(command(place, "ernest") + words{"--threads", "0"}), {"--threads"});
    check_wrong_usage(run_program(command(place, "ernest") + words{"--trials", "28"}), {"--trials"});
    check_wrong_usage(run_program(command(place, "ernest") + words{"--seed", "-1"}), {"--seed"});
    CHECK(check_succeeds({BELLAMY_ACCURACY, "--help"}).find("--compare") != std::string::npos);
}
