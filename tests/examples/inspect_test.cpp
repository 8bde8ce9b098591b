// The program inspect, and with it what every program says of model files that are damaged.
#include <bellamy/serialize.hpp>

#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

TEST_CASE("inspect shows what a model file holds") {
    const temporary_directory place;
    support::make_model(place);
    const auto printed = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "sort.bellamy"});
    for (const std::string line :
         {"algorithm    sort\n", "learned from 12 runs in 3 contexts, scale-outs 2 to 12, 33 to 260 s\n",
          "scale-out    counts nodes\n", "method       paper mode: network of 1177 parameters, no quantiles\n",
          "essential properties: 5\n", "optional properties: 3\n", "  machine_type          text            machine_type\n",
          "  data_size_MB          natural number  data_size\n",
          "  memory                natural number  memory_per_node   per node\n"})
        CHECK_MESSAGE(printed.find(line) != std::string::npos, line, " is not in ", printed);
    const auto size = std::to_string(read_text(place / "sort.bellamy").size()) + " bytes\n";
    CHECK(printed.find(size) != std::string::npos);
    CHECK(printed.find("id           " + model_id(bellamy::load(place / "sort.bellamy").value()) + "\n") !=
          std::string::npos);
    CHECK(printed.find("date") == std::string::npos);
}

TEST_CASE("inspect shows a model of best mode, and how many runs it was conditioned on") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    check_succeeds(
        {BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "sort.bellamy", "--date", "in May"});
    const auto printed = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "sort.bellamy"});
    for (const std::string line :
         {"algorithm    sort\n", "learned from 12 runs in 3 contexts, scale-outs 2 to 12, 33 to 260 s\n",
          "date         in May\n", "method       best mode: statistical models, with quantiles\n",
          "  machine_type          text            machine_type\n"})
        CHECK_MESSAGE(printed.find(line) != std::string::npos, line, " is not in ", printed);
    CHECK(printed.find("observed") == std::string::npos);

    const auto general = bellamy::load(place / "sort.bellamy").value();
    const bellamy::context job{
        .essential = {bellamy::text("machine_type", "m4.xlarge").with_role(bellamy::property_role::machine_type),
                      bellamy::text("job_args", ""),
                      bellamy::natural("data_size_MB", 9000).with_role(bellamy::property_role::data_size),
                      bellamy::text("data_characteristics", "100 1000"),
                      bellamy::text("environment", "public cloud aws emr")}};
    const std::vector<bellamy::run> runs{{.context = job, .scale_out = 4, .runtime_s = 65}};
    bellamy::save(general.condition(runs).value(), place / "wiser.bellamy").value();
    CHECK(check_succeeds({BELLAMY_PROGRAM, "inspect", place / "wiser.bellamy"})
              .find("observed     1 run of this job, conditioned on\n") != std::string::npos);
}

TEST_CASE("inspect reads a model from a pipe and tells its size") {
    const temporary_directory place;
    support::make_model(place);
    const auto model = place / "sort.bellamy";
    const auto printed =
        check_succeeds({"/bin/sh", "-c", "cat \"$1\" | \"$2\" inspect /dev/stdin", "sh", model, BELLAMY_PROGRAM});
    CHECK(printed.starts_with("file         /dev/stdin, " + std::to_string(read_text(model).size()) + " bytes\n"));
    const auto from_file = check_succeeds({BELLAMY_PROGRAM, "inspect", model});
    CHECK(printed.substr(printed.find('\n')) == from_file.substr(from_file.find('\n')));
}

TEST_CASE("control characters of a table's names and values do not reach the terminal") {
    const temporary_directory place;
    const std::string bad = "a\x1b]0;b\x07\xC2\x9B";
    write_text(place / "runs.csv",
               "nodes,\"" + bad + "\nc\",seconds\n2,x" + bad + ",90\n4,x" + bad + ",50\n2,y,80\n4,y,40\n");
    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--table", place / "runs.csv", "--scale-out", "nodes", "--runtime",
                    "seconds", "--essential", bad + "\nc", "--algorithm", bad, "--folds", "0", "--out", place / "model"});
    const auto shown = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "model"});
    const auto answer = check_succeeds({BELLAMY_PROGRAM, "allocate", "--model", place / "model", "--property",
                                        bad + "\nc=z" + bad, "--scale-outs", "2,4", "--deadline", "1e9"});
    for (const auto& text : {shown, answer}) {
        CHECK(text.find("a ]0;b ") != std::string::npos);
        for (const char* control : {"\x1b", "\x07", "\xC2\x9B", " c=z", "\nc"}) CHECK(text.find(control) == text.npos);
    }
}

TEST_CASE("a damaged or missing model file is refused by inspect and allocate") {
    const temporary_directory place;
    support::make_model(place);
    const auto whole = read_text(place / "sort.bellamy");
    auto altered = whole;
    altered[whole.size() / 2] ^= 1;
    auto newer = whole;
    newer[8] = 9;
    struct row {
        std::string what;
        std::string content;
        std::string code;
    };
    const std::vector<row> table{
        {"empty", "", "not_a_model"},
        {"something else", "instance_count\tmachine_type\n", "not_a_model"},
        {"cut within its header", whole.substr(0, 20), "truncated"},
        {"cut before its end", whole.substr(0, whole.size() - 1), "truncated"},
        {"with more behind its end", whole + "x", "truncated"},
        {"with one bit flipped", altered, "corrupted"},
        {"of a newer format", newer, "unsupported_version"},
    };
    const auto path = place / "damaged";
    for (const auto& each : table) {
        CAPTURE(each.what);
        write_text(path, each.content);
        check_refused(run_program({BELLAMY_PROGRAM, "inspect", path}), each.code, {path});
        check_refused(run_program({BELLAMY_PROGRAM, "allocate", "--model", path, "--deadline", "100"}), each.code, {path});
    }
    check_refused(run_program({BELLAMY_PROGRAM, "inspect", place / "none"}), "cannot_read", {place / "none"});
    check_refused(run_program({BELLAMY_PROGRAM, "inspect", place / ""}), "cannot_read");
    check_refused(run_program({BELLAMY_PROGRAM, "allocate", "--model", place / "none", "--deadline", "100"}), "cannot_read",
                  {place / "none"});
}

TEST_CASE("inspect called wrongly says so, and --help says how") {
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "inspect"}), {"MODEL"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "inspect", ""}), {"MODEL", "expected a value"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "inspect", "one", "two"}), {"two"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "inspect", "one", "--nope"}), {"--nope"});
    CHECK(check_succeeds({BELLAMY_PROGRAM, "inspect", "--help"}).find("MODEL") != std::string::npos);
}
