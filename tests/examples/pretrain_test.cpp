// The program pretrain: what it writes, what it leaves alone when it fails, and how it is called.
#include <bellamy/serialize.hpp>

#include "support/made_up_history.hpp"
#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::pretrain_command;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;

// The bytes that a header's array lists.
std::string embedded_bytes(const std::string& header) {
    std::string bytes;
    const auto open = header.find('{', header.find('['));
    std::istringstream list(header.substr(open + 1, header.find('}', open) - open - 1));
    for (std::string number; std::getline(list, number, ',');)
        if (number.find_first_of("0123456789") != std::string::npos) bytes += static_cast<char>(std::stoi(number));
    return bytes;
}

}  // namespace

TEST_CASE("a model goes from a table through its file to a choice") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto printed = check_succeeds(pretrain_command(place) + words{"--out", place / "sort.bellamy"});
    for (const std::string word :
         {"12 runs in 3 contexts, scale-outs 2 to 12", "5 epochs", "dropout 0.05", "mean error", "sort.bellamy"})
        CHECK_MESSAGE(printed.find(word) != std::string::npos, word, " is not in ", printed);
    CHECK(place.listing().find(".partial") == std::string::npos);

    CHECK(check_succeeds({BELLAMY_PROGRAM, "inspect", place / "sort.bellamy"}).find("12 runs in 3 contexts") !=
          std::string::npos);
    const auto answer = check_succeeds({BELLAMY_PROGRAM, "allocate",
                                        "--model",       place / "sort.bellamy",
                                        "--property",    "machine_type=m4.xlarge",
                                        "--property",    "job_args=",
                                        "--property",    "data_size_MB=32000",
                                        "--property",    "data_characteristics=100 1000",
                                        "--property",    "environment=public cloud aws emr",
                                        "--property",    "memory=16000",
                                        "--observe",     "2=340",
                                        "--observe",     "8=100",
                                        "--deadline",    "1e6"});
    CHECK(answer.find("sort, learned from 12 runs in 3 contexts") != std::string::npos);
    CHECK(answer.find("based on     m4.xlarge: the model and 2 runs\n") != std::string::npos);
    CHECK(answer.find("Choose ") != std::string::npos);
}

TEST_CASE("best mode is what pretrain does unless asked otherwise") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const words command{BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "model"};
    const auto made = [&](const words& more) {
        const auto printed = check_succeeds(command + more);
        return std::pair(bellamy::load(place / "model").value().kind(), printed);
    };
    const auto [kind, printed] = made({});
    CHECK(kind == bellamy::model_kind::blend);
    CHECK(printed.find("method        best mode: statistical models, with quantiles\n") != std::string::npos);
    CHECK(printed.find("pre-training  closed form in ") != std::string::npos);
    const auto bytes = read_text(place / "model");
    CHECK(made({"--mode", "best"}).first == bellamy::model_kind::blend);
    CHECK(read_text(place / "model") == bytes);
    CHECK(made({"--threads", "2"}).first == bellamy::model_kind::blend);
    CHECK(read_text(place / "model") == bytes);
    const auto paper = made({"--mode", "paper", "--epochs", "5"});
    CHECK(paper.first == bellamy::model_kind::network);
    CHECK(paper.second.find("method        paper mode: network of 1177 parameters, no quantiles\n") != std::string::npos);
}

TEST_CASE("a history of lower bounds alone is learned with a warning") {
    const temporary_directory place;
    const auto printed = [&](const std::string& last_outcome) {
        write_text(place / "runs.csv",
                   "size_gb,scale_out,runtime_s,outcome\n10,2,100,killed\n10,4,60,killed\n20,2,200,failed\n20,4,110,killed\n"
                   "30,2,290,killed\n30,4,160," +
                       last_outcome + "\n");
        return check_succeeds({BELLAMY_PROGRAM, "pretrain", "--table", place / "runs.csv", "--scale-out", "scale_out",
                               "--runtime", "runtime_s", "--outcome", "outcome", "--essential", "size_gb", "--natural",
                               "size_gb", "--role", "size_gb=data_size", "--out", place / "model"});
    };
    CHECK(
        printed("killed").find("lower bounds  all 6 runs were stopped before they ended: predictions may be far too short; "
                               "let one run end\n") != std::string::npos);
    CHECK(printed("succeeded").find("lower bounds") == std::string::npos);
}

TEST_CASE("what a history's runs waited for the first executor is said: allocate counts it where it is given") {
    const temporary_directory place;
    auto runs = support::usual_runs(24);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].wait_s = i < 4 ? 5000 : 10 * static_cast<double>(i);
    runs[23].outcome = "killed";  // so that the latest twenty that succeeded waited 40 s to 220 s, one of them 5000 s
    write_text(place / "runs.tsv", support::history_table(runs));
    for (const words& source : {words{place / "runs.tsv"}, words{"--table", place / "runs.tsv"}}) {
        const words command = words{BELLAMY_PROGRAM, "pretrain", "--out", place / "model"} + source;
        CHECK(check_succeeds(command).find("\nwaits         for the first executor: median 140 s, 90 % quantile 210 s, ") !=
              std::string::npos);
        const auto waits = nlohmann::json::parse(check_succeeds(command + words{"--json"})).at("waits");
        CHECK(waits == nlohmann::json{{"runs", 20}, {"median_s", 140}, {"p90_s", 210}});
    }
    runs[5].wait_s = -3;
    write_text(place / "runs.tsv", support::history_table(runs));
    for (const words& source : {words{place / "runs.tsv"}, words{"--table", place / "runs.tsv"}}) {
        const words command = words{BELLAMY_PROGRAM, "pretrain", "--out", place / "model"} + source;
        check_refused(run_program(command), "not_a_number", {"a finite wait of at least 0 s in column wait_s, line 7"});
        CHECK(run_program(command + words{"--skip-invalid"}).out.find("learned from  23 runs") != std::string::npos);
    }
    write_text(place / "sort.tsv", support::c3o_table());
    const auto json =
        check_succeeds({BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "model", "--json"});
    CHECK(nlohmann::json::parse(json).at("waits").is_null());
}

TEST_CASE("the same command writes the same model, with a search on any number of threads") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto model = [&](const words& more) {
        check_succeeds(pretrain_command(place) + words{"--out", place / "model"} + more);
        return read_text(place / "model");
    };
    CHECK(model({}) == model({}));
    CHECK(model({"--seed", "1"}) != model({}));
    CHECK(model({"--learning-rate", "0.1"}) != model({}));
    const auto searched = model({"--trials", "4", "--threads", "1"});
    CHECK(model({"--trials", "4", "--threads", "3"}) == searched);
    CHECK(model({"--search"}) == model({"--trials", "12"}));
}

TEST_CASE("the header holds the bytes of the model file and how it was made") {
    const temporary_directory place;
    write_text(place / "2.sort-b.tsv", support::c3o_table());
    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--c3o", place / "2.sort-b.tsv", "--mode", "paper", "--epochs", "2",
                    "--out", place / "model", "--header", place / "sort.hpp", "--source", "made up"});
    const auto header = read_text(place / "sort.hpp");
    const auto file = read_text(place / "model");
    CHECK(header.find(" model_2_sort_b[" + std::to_string(file.size()) + "]") != std::string::npos);
    CHECK(embedded_bytes(header) == file);
    CHECK(header.find(
              "made by: bellamy pretrain --c3o 2.sort-b.tsv --mode paper --epochs 2 --out model --header sort.hpp --source "
              "\"made up\"\n") != std::string::npos);
    CHECK(header.find("// Learned from: made up\n") != std::string::npos);
    CHECK(header.find(place / "") == std::string::npos);  // where it was made means nothing elsewhere
}

TEST_CASE("a context that is left out is not learnt from") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto command = pretrain_command(place) + words{"--out", place / "model"};
    CHECK(check_succeeds(command + words{"--leave-out", "1"}).find("8 runs in 2 contexts") != std::string::npos);
    check_refused(run_program(command + words{"--leave-out", "3"}), "unknown_context", {"3 contexts", "found 3"});
    check_refused(run_program(command + words{"--leave-out", "0", "--leave-out", "2"}), "single_context", {"2", "found 1"});
}

TEST_CASE("an output that cannot be written is refused before training, and what was there stays") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    write_text(place / "model", "old");
    std::filesystem::create_directory(place / "folder");
    const auto before = place.listing();
    for (const std::string path : {"none/model", "folder"}) {
        CAPTURE(path);
        for (const std::string option : {"--out", "--header"})
            check_refused(run_program(pretrain_command(place) + words{option, place / path}), "cannot_write",
                          {place / path});
    }
    CHECK(place.listing() == before);
    CHECK(read_text(place / "model") == "old");
}

TEST_CASE("a device gets the bytes of a model and stays one") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto told = check_succeeds(pretrain_command(place) + words{"--out", "/dev/null"});
    CHECK(told.find("written       /dev/null, ") != std::string::npos);
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a disk that is full leaves the old file and nothing half-written") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    write_text(place / "model", "old");
    const auto before = place.listing();
    // Two blocks of 512 or 1024 bytes hold what is printed, but no model.
    const words limited{"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"};
    for (const std::string option : {"--out", "--header"}) {
        check_refused(run_program(limited + pretrain_command(place) + words{option, place / "model"}), "cannot_write",
                      {place / "model"});
        CHECK(place.listing() == before);
        CHECK(read_text(place / "model") == "old");
    }
}

TEST_CASE("no room on standard output is an error") {
    const temporary_directory place;
    support::make_model(place);
    if (!std::filesystem::exists("/dev/full")) {
        MESSAGE("skipped: no /dev/full here");
        return;
    }
    check_refused(run_program({BELLAMY_PROGRAM, "inspect", place / "sort.bellamy"}, "/dev/full"), "cannot_write",
                  {"standard output"});
}

TEST_CASE("an option of training out of its range is refused by name") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const words command{BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv",
                        "--mode",        "paper",    "--out", place / "model"};
    for (const auto& [option, value, name] :
         std::vector<std::array<std::string, 3>>{{"--epochs", "0", "epochs"},
                                                 {"--trials", "0", "trials"},
                                                 {"--trials", "28", "trials"},
                                                 {"--threads", "0", "threads"},
                                                 {"--workers", "0", "workers"},
                                                 {"--workers", "100", "workers"},
                                                 {"--period", "0", "period"},
                                                 {"--delay", "4", "delay"},
                                                 {"--dropout", "1", "dropout"},
                                                 {"--learning-rate", "0", "learning_rate"},
                                                 {"--weight-decay", "2", "weight_decay"}})
        check_wrong_usage(run_program(command + words{option, value}), {name, "found " + value});
}

TEST_CASE("pretrain called wrongly says so in one line") {
    const temporary_directory place;
    write_text(place / "sort.tsv", support::c3o_table());
    const auto table = place / "sort.tsv";
    const auto out = place / "model";
    const words generic{"--table", table, "--scale-out", "instance_count", "--runtime", "gross_runtime", "--out", out};
    for (const auto& [arguments, word] : std::vector<std::pair<words, std::string>>{
             {{}, "--c3o"},
             {{"--c3o", table}, "--out"},
             {{"--out", out}, "--table"},
             {{"--c3o", table, "--table", table, "--out", out}, "--c3o"},
             {{"--table", table, "--out", out}, "--scale-out"},
             {{"--c3o", table, "--out", out, "--essential", "lines"}, "--table"},
             {{"--c3o", table, "--out", out, "--source", "me"}, "--header"},
             {{"--c3o", table, "--out", out, "--seed", "-1"}, "--seed"},
             {{"--c3o", table, "--out", out, "--seed", "x"}, "--seed"},
             {{"--c3o", table, "--out", out, "--leave-out", "-1"}, "--leave-out"},
             {{"--c3o", table, "--out", out, "--mode", "paper", "--search", "--trials", "3"}, "--search"},
             {{"--c3o", table, "--out", out, "--mode", "paper", "--search", "--dropout", "0"}, "--search"},
             {{"--c3o", table, "--out", out, "--mode", "magic"}, "paper"},
             {{"--c3o", table, "--out", out, "--epochs", "5"}, "--epochs belongs to --mode paper"},
             {{"--c3o", table, "--out", out, "--workers", "2"}, "--workers belongs to --mode paper"},
             {{"--c3o", table, "--out", out, "--mode", "best", "--search"}, "--search belongs to --mode paper"},
             {{"--c3o", table, "--out", out, "--nope"}, "--nope"},
             {{"--c3o", table, "--out", out, "extra"}, "extra"},
             {{"--c3o", table, "--out"}, "--out"},
             {generic + words{"--role", "lines"}, "--role"},
             {generic + words{"--role", "lines=boss"}, "memory_per_node"},
             {generic + words{"--unit", "rack"}, "executor"}}) {
        check_wrong_usage(run_program(words{BELLAMY_PROGRAM, "pretrain"} + arguments), {word});
    }
    CHECK(place.listing() == "sort.tsv ");
    CHECK(check_succeeds({BELLAMY_PROGRAM, "pretrain", "--help-all"}).find("--c3o") != std::string::npos);
}
