// What programs write, beside what they read and what stands there already: nothing of the user's is lost.
#include <filesystem>

#include "../../examples/support/output_file.hpp"
#include "../../examples/support/trace_file.hpp"
#include "../support/made_up_traces.hpp"
#include "support/made_up_log.hpp"
#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::made_up_log;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;
namespace fs = std::filesystem;

// The command names `input` as its output, too: it is refused by a line that says so, and nothing is written.
void check_input_stays(const temporary_directory& place, const std::string& input, const words& command) {
    const auto before = read_text(place / input);
    const auto listing = place.listing();
    const auto finished = run_program(command);
    check_refused(finished, "output_is_input", {"expected an output that is no input", place / input});
    CHECK(finished.out == "");
    CHECK(read_text(place / input) == before);
    CHECK(place.listing() == listing);
}

void write_runs(const std::string& path, int runs) {
    tools::trace_writer writer(path);
    for (int i = 0; i < runs; ++i) writer.add(support::made_up_trace(static_cast<std::uint64_t>(i + 1), 8000, 2 + i));
    writer.close();
}

}  // namespace

TEST_CASE("an output that is an input is refused, and the input stays") {
    const temporary_directory place;
    write_text(place / "log", made_up_log{}.text());
    for (const std::string option : {"--traces", "--table", "--report"})
        check_input_stays(place, "log", {BELLAMY_PROGRAM, "import", place / "log", option, place / "log"});

    support::make_model(place);
    for (const std::string option : {"--out", "--header"})
        check_input_stays(place, "sort.tsv", support::pretrain_command(place) + words{option, place / "sort.tsv"});
    check_input_stays(
        place, "sort.bellamy",
        support::sort_job(place / "sort.bellamy") + words{"--deadline", "9", "--plot", place / "sort.bellamy"});

    write_text(place / "sites.json", check_succeeds({BELLAMY_PROGRAM, "place", "--print-sites"}));
    check_input_stays(place, "sites.json",
                      {BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--plot", place / "sites.json"});

    write_runs(place / "now.jsonl", 1);
    write_runs(place / "past.jsonl", 3);
    for (const std::string option : {"--save", "--plot"})
        for (const std::string input : {"now.jsonl", "past.jsonl"})
            check_input_stays(place, input,
                              {BELLAMY_PROGRAM, "forecast", place / "now.jsonl", "--history", place / "past.jsonl", option,
                               place / input});
    check_input_stays(place, "past.jsonl",
                      {BELLAMY_PROGRAM, "backtest", place / "past.jsonl", "--html", place / "past.jsonl"});
    check_input_stays(
        place, "past.jsonl",
        {BELLAMY_PROGRAM, "recommend", place / "past.jsonl", "--application", "etl", "--plot", place / "past.jsonl"});
    check_input_stays(place, "past.jsonl",
                      {BELLAMY_PROGRAM, "pretrain", place / "past.jsonl", "--out", place / "past.jsonl"});
}

TEST_CASE("an input is known by any spelling of its path, and in a folder that is read") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    write_text(place / "logs/one", made_up_log{}.text());
    write_runs(place / "logs/past.jsonl", 1);
    fs::create_symlink("logs/one", place / "link");
    fs::create_hard_link(place / "logs/one", place / "other");
    const auto before = read_text(place / "logs/one");
    for (const std::string spelling : {"logs/../logs/./one", "link", "other"})
        check_refused(run_program({BELLAMY_PROGRAM, "import", place / "logs/one", "--table", place / spelling}),
                      "output_is_input", {place / spelling, place / "logs/one"});
    check_refused(run_program({BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "logs/one"}), "output_is_input",
                  {place / "logs/one", "event log"});
    for (const std::string input : {"logs/one", "logs/past.jsonl"})
        check_refused(run_program({BELLAMY_PROGRAM, "backtest", place / "logs", "--html", place / input}), "output_is_input",
                      {place / input});
    CHECK(read_text(place / "logs/one") == before);

    // What is no log may stand among logs, and be written anew.
    for (int again = 0; again < 2; ++again)
        check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "logs/runs.tsv"});
}

TEST_CASE("two outputs that are one file are refused, whether it is there or not") {
    const temporary_directory place;
    write_text(place / "log", made_up_log{}.text());
    const words command{BELLAMY_PROGRAM, "import", place / "log", "--table", place / "a.tsv", "--traces"};
    for (const std::string other : {"a.tsv", "./a.tsv"})
        check_refused(run_program(command + words{place / other}), "output_given_twice",
                      {"--table", "--traces", place / other});
    CHECK(place.listing() == "log ");
    write_text(place / "a.tsv", "old");
    fs::create_symlink("a.tsv", place / "link");
    for (const std::string other : {"./a.tsv", "link"})
        check_refused(run_program(command + words{place / other}), "output_given_twice");
    CHECK(read_text(place / "a.tsv") == "old");
    check_succeeds({BELLAMY_PROGRAM, "import", place / "log", "--table", "/dev/null", "--traces", "/dev/null"});
}

TEST_CASE("a file that has the name of a temporary one stays") {
    const temporary_directory place;
    for (const std::string taken : {"out.partial", "out.partial1"}) write_text(place / taken, "mine");
    tools::require_writable(place / "out");
    tools::write_file(place / "out", "new");
    tools::trace_writer(place / "out").add({.application = "a", .runtime_s = 1});  // not closed
    CHECK(read_text(place / "out") == "new");
    for (const std::string taken : {"out.partial", "out.partial1"}) CHECK(read_text(place / taken) == "mine");
    CHECK(place.listing() == "out out.partial out.partial1 ");
}

TEST_CASE("an output that is a link stays one, and what it leads to is written") {
    const temporary_directory place;
    fs::create_directory(place / "there");
    write_text(place / "there/old", "old");
    fs::create_symlink("there/old", place / "to file");
    fs::create_symlink("to file", place / "to link");
    fs::create_symlink("there/none", place / "to none");
    for (const auto& [link, target] : std::vector<std::pair<std::string, std::string>>{
             {"to file", "there/old"}, {"to link", "there/old"}, {"to none", "there/none"}}) {
        CAPTURE(link);
        tools::write_file(place / link, link);
        CHECK(fs::is_symlink(place / link));
        CHECK(read_text(place / target) == link);
    }
    fs::create_symlink("circle", place / "circle");
    CHECK_THROWS_WITH_AS(tools::write_file(place / "circle", "x"), doctest::Contains("cannot_write"), tools::tool_error);

    support::make_model(place);
    fs::create_symlink("there/model", place / "model");
    check_succeeds(support::pretrain_command(place) + words{"--out", place / "model"});
    CHECK(fs::is_symlink(place / "model"));
    CHECK(read_text(place / "there/model") == read_text(place / "sort.bellamy"));
}
