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

// Three data sizes at four scale-outs, twice each, as the C3O experiments record them.
void write_decision_inputs(const temporary_directory& place) {
    std::string runs = "instance_count\tmachine_type\tslots\tmemory\tdata_size_MB\tline_length\tlines\tgross_runtime\n";
    for (const int size : {8000, 16000, 24000})
        for (const int x : {2, 4, 8, 12})
            for (const int more : {0, 2})
                runs += fmt::format("{}\tm4.2xlarge\t{}\t{}\t{}\t100\t1000\t{}\n", x, 4 * x, 16000 * x, size,
                                    20 + size / 50 / x + more);
    write_text(place / "sort.tsv", runs);
    write_text(place / "splits.csv",
               "algorithm,context,k,mode,seed,train_rows,test_row\nsort,1,0,zero,0,,9\nsort,1,1,extrap,1,8,12\n"
               "sort,2,2,interp,2,16;22,18\n");
}

words decisions_command(const temporary_directory& place, const std::string& rules) {
    return {BELLAMY_DECISIONS, "--data", place / "", "--splits", place / "splits.csv", "--rules", rules};
}

}  // namespace

TEST_CASE("decisions prints reliability, answers and regret, and writes one line per rule and question") {
    const temporary_directory place;
    write_decision_inputs(place);
    const auto printed = check_succeeds(decisions_command(place, "best,paper,ernest,largest") +
                                        words{"--epochs", "5", "--deadlines", "1,2", "--out", place / "out.csv"});
    for (const auto* word : {"realised", "infeas.", "regret", "best", "paper", "ernest", "largest", "k=0", "k>=1"})
        CHECK_MESSAGE(printed.find(word) != std::string::npos, word);
    const auto table = tools::read_table(place / "out.csv");
    CHECK(table.columns == words{"algorithm", "context", "k", "train_rows", "deadline_multiple", "deadline_s", "rule",
                                 "scale_out", "feasible", "stated", "hit_rate", "regret"});
    CHECK(table.rows.size() == 2 * (3 + 3 + 2 + 3));  // Ernest cannot answer before the first run
    // Twice the best median, 20 + 16000 / 50 / 12 + 1 seconds: 12 nodes keep it; 4 nodes at 101 s would not, 8 at 61 s do.
    const auto csv = support::read_text(place / "out.csv");
    CHECK(csv.find(fmt::format("sort,1,1,8,2,94.000000,largest,12,1,,1.000000,{:.6f}\n", 12 * 47 / (8 * 61.0) - 1)) !=
          std::string::npos);
}

TEST_CASE("decisions refuses bad input with one line and leaves no file") {
    const temporary_directory place;
    write_decision_inputs(place);
    check_refused(run_program(decisions_command(place, "best,luck")), "unknown_rule", {"luck", "largest"});
    check_refused(run_program(decisions_command(place, "largest") + words{"--out", "no/such/folder.csv"}), "cannot_write",
                  {"no/such/folder.csv"});
    write_text(place / "prices.csv", "machine_type,price_per_hour\nr4.xlarge,1\n");
    check_refused(run_program(decisions_command(place, "largest") + words{"--prices", place / "prices.csv"}),
                  "unknown_machine_type", {"m4.2xlarge"});
    write_text(place / "splits.csv", "algorithm,context,k,mode,seed,train_rows,test_row\nsort,1,1,extrap,0,3,12\n");
    check_refused(run_program(decisions_command(place, "largest")), "wrong_split", {"context 1", "row 3"});
}

TEST_CASE("decisions called wrongly says so in one line") {
    const temporary_directory place;
    write_decision_inputs(place);
    check_wrong_usage(run_program({BELLAMY_DECISIONS}), {"--data"});
    check_wrong_usage(run_program(decisions_command(place, "best") + words{"--deadlines", "0.5"}), {"--deadlines"});
    check_wrong_usage(run_program(decisions_command(place, "best") + words{"--probability", "1"}), {"--probability"});
    CHECK(check_succeeds({BELLAMY_DECISIONS, "--help"}).find("--prices") != std::string::npos);
}
