// The program itself, on a small table of made-up runs.
#include <doctest/doctest.h>

#include "../../examples/support/parse.hpp"
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
    CHECK(csv.starts_with("algorithm,context,k,mode,seed,method,test_row,truth_s,predicted_s,p05_s,p25_s,p75_s,p95_s\n"));
    const auto table = tools::read_table(place / "out.csv");
    CHECK(table.rows.size() == 4 + 3 + 3);  // the baselines cannot answer without an observed run
    // Seconds: 20 + 16000 / 50 / 8 at row 6; the nearest of 2 and of 2 and 12 nodes.
    CHECK(csv.find("sort,1,1,extrap,1,nearest,6,60,180.000000,,,,\n") != std::string::npos);
    CHECK(csv.find("sort,1,2,interp,2,nearest,6,60,46.000000,,,,\n") != std::string::npos);
    CHECK(csv.find("sort,1,0,zero,0,paper,5,100,") != std::string::npos);
    CHECK(place.listing().find(".partial") == std::string::npos);
}

TEST_CASE("accuracy writes the quantiles of the methods that have them, in order, and prints how well they hold") {
    const temporary_directory place;
    write_inputs(place);
    const auto printed = check_succeeds(command(place, "best,gp,eb,ernest"));
    CHECK(printed.find("pinball") != std::string::npos);
    const auto table = tools::read_table(place / "out.csv");
    CHECK(table.rows.size() == 3 * 4 + 3);
    for (const auto& row : table.rows) {
        std::vector<double> quantiles;
        for (const auto* name : {"p05_s", "p25_s", "predicted_s", "p75_s", "p95_s"}) {
            const auto& cell = row.cells[table.column(name)];
            if (!cell.empty()) quantiles.push_back(tools::to_real(cell, name));
        }
        CHECK(quantiles.size() == (row.cells[table.column("method")] == "ernest" ? 1 : 5));
        CHECK(std::ranges::is_sorted(quantiles, std::less_equal{}));
    }
}

TEST_CASE("accuracy answers splits of a Bell curve without history") {
    const temporary_directory place;
    write_inputs(place);
    write_text(place / "jobs.grep.csv", "Nodes,Runtime\n4,100000\n8,60000\n8,62000\n16,40500\n");
    write_text(place / "splits.csv",
               "algorithm,context,k,mode,seed,train_rows,test_row\nbell:jobs.grep,0,0,zero,0,,3\n"
               "bell:jobs.grep,0,2,interp,1,0;3,2\nsort,1,1,extrap,1,4,6\n");
    const auto csv_of = [&](const words& more) {
        check_succeeds(command(place, "best,gp,paper,nearest") + words{"--epochs", "5", "--trials", "1"} + more);
        return support::read_text(place / "out.csv");
    };
    const auto csv = csv_of({});
    CHECK(csv.find("bell:jobs.grep,0,0,zero,0,best,3,40.5,") != std::string::npos);
    CHECK(csv.find("bell:jobs.grep,0,2,interp,1,best,2,62,") != std::string::npos);
    CHECK(csv.find("bell:jobs.grep,0,2,interp,1,nearest,2,62,100.000000,,,,\n") != std::string::npos);
    CHECK(csv.find("sort,1,1,extrap,1,gp,6,60,") != std::string::npos);
    for (const auto* needs_history : {",gp,3", ",gp,2", ",paper,3", ",paper,2"})
        CHECK(csv.find(needs_history) == std::string::npos);

    // The other directory is where it is then looked for.
    const temporary_directory elsewhere;
    check_refused(run_program(command(place, "best") + words{"--bell-data", elsewhere / ""}), "cannot_read",
                  {"jobs.grep.csv"});
    std::filesystem::rename(place / "jobs.grep.csv", elsewhere / "jobs.grep.csv");
    CHECK(csv_of({"--bell-data", elsewhere / ""}) == csv);
}

TEST_CASE("accuracy refuses a Bell curve with a defect") {
    const temporary_directory place;
    write_inputs(place);
    const auto refused = [&](const std::string& content, int row, const std::string& code, const words& expected) {
        write_text(place / "x.csv", content);
        write_text(place / "splits.csv",
                   fmt::format("algorithm,context,k,mode,seed,train_rows,test_row\nbell:x,0,0,zero,0,,{}\n", row));
        check_refused(run_program(command(place, "best")), code, expected);
    };
    refused("Nodes,Seconds\n4,100\n", 0, "unknown_column", {"Runtime", "x.csv"});
    refused("Nodes,Runtime\n4,100000\n0,50000\n", 0, "invalid_scale_out", {"line 3", "x.csv"});
    refused("Nodes,Runtime\n4,-1\n", 0, "invalid_runtime", {"line 2"});
    refused("Nodes,Runtime\n4,fast\n", 0, "not_a_number", {"line 2", "fast"});
    refused("Nodes,Runtime\n4,100000\n", 1, "wrong_split", {"bell:x", "row 1"});
}

TEST_CASE("boosting answers every split, or is skipped with a message where it was not built in") {
    const temporary_directory place;
    write_inputs(place);
    const auto found = run_program(command(place, "boosting,nearest"));
    CHECK(found.exit_code == 0);
    const auto table = tools::read_table(place / "out.csv");
#if defined(BELLAMY_HAS_XGBOOST)
    CHECK(table.rows.size() == 4 + 3);
    for (const auto& row : table.rows) {
        const auto predicted_s = tools::to_real(row.cells[table.column("predicted_s")], "predicted_s");
        CHECK(predicted_s > 20);  // all runs of the table are longer than 46 s and shorter than 260 s
        CHECK(predicted_s < 500);
    }
#else
    CHECK(table.rows.size() == 3);
    CHECK(found.err.find("boosting skipped: expected xgboost") != std::string::npos);
    MESSAGE("skipped: boosting, built without xgboost (Debian: apt-get install libxgboost-dev)");
#endif
}

TEST_CASE("accuracy learns from as many other contexts as asked, in every draw anew") {
    const temporary_directory place;
    write_inputs(place);
    write_text(place / "splits.csv", "algorithm,context,k,mode,seed,train_rows,test_row\nsort,0,0,zero,0,,0\n");
    const auto table_of = [&](const words& more) {
        check_succeeds(command(place, "paper") + words{"--epochs", "60", "--trials", "1"} + more);
        return tools::read_table(place / "out.csv");
    };
    CHECK_FALSE(table_of({}).find("draw"));
    check_refused(run_program(command(place, "paper") + words{"--history-contexts", "1"}), "single_context", {"found 1"});
    const auto drawn = table_of({"--history-contexts", "2", "--draws", "3"});
    REQUIRE(drawn.rows.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(drawn.rows[i].cells[*drawn.find("draw")] == std::to_string(i));
    check_wrong_usage(run_program(command(place, "paper") + words{"--draws", "3"}), {"--history-contexts"});
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
    check_refused(run_program(command(place, "paper,oracle")), "unknown_method", {"oracle", "boosting"});
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
