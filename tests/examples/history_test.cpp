// What a history answers: a back-test that looks back only, and a size for the next run of every application.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "../../examples/support/parse.hpp"
#include "support/made_up_log.hpp"
#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::made_up_log;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

// A day between runs; 48 tasks of a second each, more or fewer executors.
void write_history(const temporary_directory& place) {
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 8; ++i)
        write_text(place / fmt::format("logs/report-{}", i), made_up_log{.name = fmt::format("report 2026-01-0{}", i + 1),
                                                                         .id = fmt::format("app-{}", i),
                                                                         .start = support::log_start + 86'400'000LL * i,
                                                                         .executors = 2 + 2 * (i % 4),
                                                                         .tasks = 48}
                                                                 .text());
    write_text(place / "logs/once", made_up_log{.name = "once & <only>", .id = "app-once"}.text());
}

// The line that begins so.
std::string line_of(const std::string& text, const std::string& start) {
    const auto at = ("\n" + text).find("\n" + start);
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("the back-test predicts every run but the first of an application, and its page stands alone") {
    const temporary_directory place;
    write_history(place);
    const auto out = check_succeeds({BELLAMY_PROGRAM, "backtest", place / "logs", "--html", place / "page.html"});
    CHECK(line_of(out, "report ").find(" 8          7 ") != std::string::npos);
    CHECK(line_of(out, "once & <only>").find(" 1          0 ") != std::string::npos);
    const auto page = read_text(place / "page.html");
    CHECK(page.find("once &amp; &lt;only&gt;") != std::string::npos);
    CHECK(page.find("<table>") != std::string::npos);
    for (const auto* elsewhere : {"http", "src=", "href=\"", "url("}) CHECK(page.find(elsewhere) == std::string::npos);
    for (auto at = page.find("href='"); at != page.npos; at = page.find("href='", at + 1)) CHECK(page[at + 6] == '#');

    // From the table and the traces that the importer makes of the logs, the same.
    (void)check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl.zst"});
    CHECK(check_succeeds({BELLAMY_PROGRAM, "backtest", place / "t.tsv"}) == out);
    CHECK(check_succeeds({BELLAMY_PROGRAM, "backtest", place / "t.jsonl.zst"}) == out);
}

TEST_CASE("the page's pictures need no other program, and no bar ends at an axis but those that are told of") {
    const temporary_directory place;
    write_history(place);
    const auto page = place / "page.html";
    (void)check_succeeds({"/usr/bin/env", "PATH=", BELLAMY_PROGRAM, "backtest", place / "logs", "--html", page});
    const auto text = read_text(page);
    for (const auto* part :
         {"<svg role=\"img\" viewBox=\"0 0 360 ", "aria-label=\"Predicted over measured runtimes of report\"",
          "<title>Predicted over measured runtimes of report</title>", "<desc>7 runs; median error",
          "measured (s), logarithmic", "predicted (s), logarithmic", "its 90 % interval, cut 4 times beyond all",
          "intervals are cut 4 times beyond all runtimes.</desc>", "prefers-color-scheme:dark"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    const std::regex bar("<path class=\"interval\" d=\"M([0-9.]+) ([0-9.]+)L[0-9.]+ ([0-9.]+)\"");
    std::size_t bars = 0;
    for (std::sregex_iterator each(text.begin(), text.end(), bar), end; each != end; ++each, ++bars) {
        CHECK(std::stod((*each)[2]) < 200);  // the axes are at 200 and 22
        CHECK(std::stod((*each)[3]) > 22);
    }
    CHECK(bars == 7);
}

TEST_CASE("the back-test says why it predicts no run of an application") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv"});
    const auto table = read_text(place / "t.tsv");
    const auto reason_with = [&](const std::string& start) {
        std::string made;
        for (const auto& line : tools::split(table, '\n')) {
            auto cells = tools::split(line, '\t');
            if (cells.size() > 3 && cells[1] != "run") cells[3] = start;
            if (!line.empty()) made += fmt::format("{}\n", fmt::join(cells, "\t"));
        }
        write_text(place / "t.tsv", made);
        const auto out = check_succeeds({BELLAMY_PROGRAM, "backtest", place / "t.tsv"});
        CHECK(line_of(out, "report ").find(" 8          0 ") != std::string::npos);
        return line_of(out, "Not predicted: report: ");
    };
    REQUIRE(tools::split(table.substr(0, table.find('\n')), '\t').at(3) == "started_at_s");
    CHECK(reason_with("0").find("have no start times") != std::string::npos);
    CHECK(reason_with("1700000000").find("no run that succeeded began after another that succeeded had ended") !=
          std::string::npos);
    CHECK(check_succeeds({BELLAMY_PROGRAM, "backtest", place / "logs"}).find("Not predicted") == std::string::npos);
}

TEST_CASE("proposals are compared with what was run, as far as a later run shows their runtime") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    // 48 tasks of a second, a second before them and one behind: 26 s on two executors, 8 s on eight.
    const double small_s = 26;
    const double large_s = 8;
    const auto add = [&](int number, int executors, int tasks) {
        write_text(place / fmt::format("logs/{:02}", number),
                   made_up_log{.name = "report",
                               .id = fmt::format("app-{:02}", number),
                               .start = support::log_start + 86'400'000LL * number,
                               .executors = executors,
                               .tasks = tasks}
                       .text());
    };
    for (int i = 0; i < 16; ++i) add(i, i % 2 == 0 ? 8 : 2, 48);
    struct row {
        int proposals, same_size, compared, not_compared;
        double run_hours, proposed_hours;
        std::string change, in_time, proposed_in_time;
    };
    const auto proposals = [&](const std::string& deadline) {
        const auto out = check_succeeds({BELLAMY_PROGRAM, "backtest", place / "logs", "--deadline", deadline,
                                         "--deadline-from", "first-executor", "--html", place / "page.html"});
        std::istringstream line(line_of(out.substr(out.find(" proposals ")), "report "));
        std::string name;
        std::string sign;
        row made{};
        line >> name >> made.proposals >> made.same_size >> made.compared >> made.not_compared >> made.run_hours >>
            made.proposed_hours >> made.change >> sign >> made.in_time >> sign >> made.proposed_in_time;
        CHECK(made.proposals == made.same_size + made.compared + made.not_compared);
        CHECK(read_text(place / "page.html").find("Proposed sizes against those that ran") != std::string::npos);
        return made;
    };
    // A deadline that both sizes keep: the small one, which takes fewer executor hours.
    const auto calm = proposals("60");
    CHECK(calm.proposals == 15);
    CHECK(calm.not_compared == 0);
    CHECK(calm.same_size == 8);  // at two executors
    CHECK(calm.run_hours * 3600 == doctest::Approx(8 * 2 * small_s + 7 * 8 * large_s).epsilon(0.002));
    CHECK(calm.proposed_hours * 3600 == doctest::Approx(15 * 2 * small_s).epsilon(0.002));
    CHECK(calm.in_time == "100.0");
    CHECK(calm.proposed_in_time == "100.0");
    // One that only the large size keeps: it takes more, and is in time. No later run tells what the last one would have
    // taken.
    const auto tight = proposals("12");
    CHECK(tight.proposals == 15);
    CHECK(tight.same_size == 7);
    CHECK(tight.compared == 7);
    CHECK(tight.not_compared == 1);
    CHECK(tight.run_hours * 3600 == doctest::Approx(7 * 2 * small_s + 7 * 8 * large_s).epsilon(0.002));
    CHECK(tight.proposed_hours * 3600 == doctest::Approx(14 * 8 * large_s).epsilon(0.002));
    CHECK(tight.in_time == "50.0");
    CHECK(tight.proposed_in_time == "100.0");
    // Runs of other data tell nothing: twice the tasks at the small size are twice the data.
    for (int i = 1; i < 16; i += 2) add(i, 2, 96);
    const auto other = proposals("60");
    CHECK(other.compared == 0);
    CHECK(other.not_compared > 0);
}

TEST_CASE("every application gets a size, those with one run too, and a shorter deadline a larger one") {
    const temporary_directory place;
    write_history(place);
    const auto calm = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs"});
    CHECK(line_of(calm, "once & <only>").find("%") != std::string::npos);
    // 48 tasks of a second: 25 s and more on two executors, 13 s on four, 7 s on eight.
    const auto proposed = [&](const std::string& deadline) {
        const auto out = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "report",
                                         "--deadline", deadline, "--probability", "0.8"});
        const auto chosen = out.find("chosen");
        REQUIRE(chosen != std::string::npos);
        return std::stoi(out.substr(out.rfind('\n', chosen) + 1));
    };
    CHECK(proposed("33") == 2);
    CHECK(proposed("11") > 4);
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "nobody"}),
                  "unknown_application");
    write_text(place / "other.csv", "a,b\n1,2\n");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "other.csv"}), "unknown_layout",
                  {"found no column application, ", "among a, b", "bellamy pretrain --table"});
}

TEST_CASE("a column that is spelled almost as one of a history is named, and not left out unnoticed") {
    const temporary_directory place;
    const auto refused = [&](const std::string& column) {
        write_text(place / "h.csv", "application,executors,runtime_s," + column + "\nreport,2,60,5\nreport,4,40,5\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "h.csv"});
    };
    check_refused(refused("data_size_GB"), "unknown_layout", {"rename data_size_GB to data_size_MB"});
    check_refused(refused("wait_min"), "unknown_layout", {"rename wait_min to wait_s"});
    check_refused(refused("wait (min)"), "unknown_layout", {"rename wait (min) to wait_s, times 60"});
    check_refused(refused("input_TB"), "unknown_layout", {"rename input_TB to data_size_MB, times 1048576, in whole MB"});
    check_refused(refused("data_size_B"), "unknown_layout",
                  {"rename data_size_B to data_size_MB, times 9.5367431640625e-07"});
    check_refused(refused("executor_memory_g"), "unknown_layout", {"executor_memory_MB, times 1024"});
    check_refused(refused("started_at"), "unknown_layout", {"rename started_at to started_at_s"});
    check_refused(refused("Outcome"), "unknown_layout", {"rename Outcome to outcome"});
    check_refused(refused("status"), "unknown_layout", {"rename status to outcome"});
    check_refused(refused("Start time"), "unknown_layout", {"rename Start time to started_at_s"});
    check_refused(refused("size_gb"), "unknown_layout", {"rename size_gb to data_size_MB"});
    check_refused(refused("outcom"), "unknown_layout", {"rename outcom to outcome"});
    check_refused(refused("data_sise_MB"), "unknown_layout", {"rename data_sise_MB to data_size_MB"});
    for (const char* outcome : {"result", "exit_code", "end_status"})
        check_refused(refused(outcome), "unknown_layout", {std::string("rename ") + outcome + " to outcome"});
    check_refused(refused("run_date"), "unknown_layout", {"rename run_date to started_at_s"});
    check_refused(refused("start_date"), "unknown_layout", {"rename start_date to started_at_s"});
    check_refused(refused("input_gb"), "unknown_layout", {"rename input_gb to data_size_MB, times 1024, in whole MB"});
    CHECK(refused("comment").exit_code == 0);
    CHECK(refused("job_state").exit_code == 0);
    write_text(place / "h.csv", "application,executors,runtime_s,job_state\nreport,2,60,SUCCEEDED\nreport,4,40,FAILED\n");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "h.csv"}), "unknown_layout",
                  {"rename job_state to outcome"});
    write_text(place / "other.csv", "job,workers,runtime_min\nreport,2,60\n");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "other.csv"}), "unknown_layout",
                  {"rename job to application; runtime_min to runtime_s, times 60, in seconds; workers to executors;"});
    write_text(place / "own.csv", "job,finished_at,duration_min,executors,cores_per_executor,input_gb,status\n");
    check_refused(
        run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv"}), "unknown_layout",
        {"no column application, runtime_s among job, finished_at,",
         "rename job to application; duration_min to runtime_s, times 60, in seconds; cores_per_executor to executor_cores; "
         "input_gb to data_size_MB, times 1024, in whole MB; status to outcome; finished_at to started_at_s, less "
         "the runtime; what holds something else, to another name"});
    write_text(place / "own.csv", "pipeline,begin,elapsed_minutes,num_executors,executor_mem_gb,gb_in,state,final_state\n");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv"}), "unknown_layout",
                  {"rename pipeline to application; elapsed_minutes to runtime_s, times 60, in seconds; num_executors to "
                   "executors; executor_mem_gb to executor_memory_MB, times 1024, in whole MB; gb_in to data_size_MB, times "
                   "1024, in whole MB; final_state to outcome; begin to started_at_s; what holds"});
    for (const char* other : {"min_executors", "read", "data", "memory", "finished", "quality_check"})
        CHECK(refused(other).exit_code == 0);
}

TEST_CASE("a column that is a unit of time alone is told to be the runtime, with its factor") {
    const temporary_directory place;
    const auto refused = [&](const std::string& columns) {
        write_text(place / "own.csv", "application,executors," + columns + "\nreport,2,60,5\nreport,4,40,5\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv"});
    };
    const std::vector<std::pair<std::string, std::string>> factors{
        {"minutes", ", times 60, in seconds"}, {"Minutes", ", times 60, in seconds"}, {"mins", ", times 60, in seconds"},
        {"hours", ", times 3600, in seconds"}, {"ms", ", times 0.001, in seconds"},   {"seconds", ", in seconds"}};
    for (const auto& [unit, factor] : factors)
        check_refused(refused(unit + ",note"), "unknown_layout", {"rename " + unit + " to runtime_s" + factor});
    check_refused(refused("Duration (Min),note"), "unknown_layout", {"rename Duration (Min) to runtime_s, times 60"});
    check_refused(refused("min,duration_s"), "unknown_layout", {"rename duration_s to runtime_s, in seconds"});
    for (const char* other : {"hour,note", "day,note", "m,note", "Min,Max", "mean,min"}) {
        const auto finished = refused(other);
        CHECK(finished.err.find(" to runtime_s") == std::string::npos);
    }
    CHECK(refused("runtime_s,min").exit_code == 0);
}

TEST_CASE("deadlines of a file may ask for percent, and outcomes be done") {
    const temporary_directory place;
    write_text(place / "own.csv",
               "application,executors,runtime_s,outcome\nreport,2,60,done\nreport,4,40,done\nreport,4,41,Done\n");
    const auto advice = [&](const std::string& probability) {
        write_text(place / "deadlines.csv", "application,deadline,probability\nreport,2m," + probability + "\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--deadlines", place / "deadlines.csv"});
    };
    CHECK(advice("80%").exit_code == 0);
    CHECK(advice("80%").out == advice("0.8").out);
    check_refused(advice("80"), "not_a_number", {"such as 0.9 or 90%", "found \"80\""});
}

TEST_CASE("a run in another unit than the others is named and left out by recommend, backtest and report, whichever it is") {
    const temporary_directory place;
    // What was left out is told on standard error, too.
    const auto out_of = [&](const std::string& command, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {BELLAMY_PROGRAM, command, place / "own.csv"});
        const auto finished = run_program(more);
        CHECK(finished.exit_code == 0);
        CHECK((finished.err.find("left out: the run") != std::string::npos) ==
              (finished.out.find("left out: the run") != std::string::npos));
        return finished.out;
    };
    const auto with = [&](int wrong_day, double factor) {
        std::string rows = "application,executors,data_size_MB,runtime_s,started_at_s\n";
        for (int day = 1; day <= 12; ++day) {
            const int size_mb = 4000 + 500 * day;
            const int x = day % 3 == 0 ? 4 : 8;
            const double times = day == wrong_day ? factor : 1;
            if (times > 0)
                rows += fmt::format("report,{},{},{:.1f},2026-01-{:02}T06:00:00Z\n", x, size_mb,
                                    (20 + size_mb / 20.0 / x) * times, day);
        }
        write_text(place / "own.csv", rows);
        return out_of("recommend", {"--deadline", "300"});
    };
    const auto advice_in = [](const std::string& out) { return out.substr(0, out.find("\n\n")); };
    CHECK(with(0, 1).find("another unit") == std::string::npos);
    CHECK(with(4, 3).find("another unit") == std::string::npos);
    for (const int day : {1, 5, 9, 11, 12})
        for (const double factor : {60.0, 1.0 / 60, 1000.0}) {
            CAPTURE(day);
            CAPTURE(factor);
            const auto out = with(day, factor);
            CHECK(out.find(fmt::format("report: left out: the run in line {} took ", day + 1)) != std::string::npos);
            CHECK(out.find(" that: if this is another unit, correct it") != std::string::npos);
            CHECK(advice_in(out) == advice_in(with(day, 0)));
        }
    (void)with(12, 1.0 / 60);
    CHECK(out_of("backtest").find("Unusual: report: left out: the run in line 13") != std::string::npos);
    const auto report = out_of("report");
    CHECK(report.find("report: left out: the run in line 13") != std::string::npos);
    CHECK(report.find("explain all runtimes") == std::string::npos);
    // Two alike are no slip of the pen.
    const auto twice = support::read_text(place / "own.csv");
    write_text(place / "own.csv",
               twice + "report,8,9000,4600,2026-02-01T06:00:00Z\nreport,8,9000,4500,2026-02-02T06:00:00Z\n");
    CHECK(out_of("recommend").find("left out: the run") == std::string::npos);
    const auto exception = with(5, 9);
    CHECK(exception.find("report: the run in line 6 took ") != std::string::npos);
    CHECK(exception.find("left out: the run") == std::string::npos);
}

TEST_CASE("a run in another unit is left out of runs of one context, too") {
    const temporary_directory place;
    const auto advice_with = [&](double times) {
        std::string rows = "application,executors,runtime_s\n";
        for (int i = 0; i < 12; ++i) {
            const int x = 4 + 2 * (i % 3);
            const double runtime_s = 60 + 1500.0 / x + i % 4;
            if (i != 7) rows += fmt::format("report,{},{:.1f}\n", x, runtime_s);
            if (i == 7 && times > 0) rows += fmt::format("report,{},{:.1f}\n", x, runtime_s * times);
        }
        write_text(place / "own.csv", rows);
        const auto finished = run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--deadline", "600"});
        CHECK(finished.exit_code == 0);
        return finished.out;
    };
    const auto table_in = [](const std::string& out) { return out.substr(0, out.find("\n\n")); };
    const auto slipped = advice_with(1000);
    CHECK(slipped.find("report: left out: the run in line 9 took ") != std::string::npos);
    CHECK(table_in(slipped) == table_in(advice_with(0)));
}

TEST_CASE("runs in another unit are left out of each application, and named in the order of these") {
    const temporary_directory place;
    std::string rows = "application,executors,runtime_s\n";
    for (const char name : std::string("hgfedcba"))
        for (int i = 0; i < 12; ++i) {
            const int x = 4 + 2 * (i % 3);
            rows += fmt::format("{},{},{:.1f}\n", name, x, (60 + 1500.0 / x + i % 4) * (i == 7 ? 1000 : 1));
        }
    write_text(place / "own.csv", rows);
    const auto finished = run_program({BELLAMY_PROGRAM, "report", place / "own.csv", "--threads", "3"});
    CHECK(finished.exit_code == 0);
    CHECK(run_program({BELLAMY_PROGRAM, "report", place / "own.csv", "--threads", "1"}).err == finished.err);
    std::istringstream told(finished.err);
    std::string line;
    for (const char name : std::string("abcde")) {
        REQUIRE(std::getline(told, line));
        CHECK(line.find(fmt::format("skipped       {}: left out: the run in line ", name)) == 0);
    }
    REQUIRE(std::getline(told, line));
    CHECK(line == "skipped       and 3 more");
}

TEST_CASE("a back-test says where few sizes are compared, and how much more data the runs had that it reads times from") {
    const temporary_directory place;
    const auto caution = [&](double growth_mb) {
        std::string rows = "application,executors,data_size_MB,runtime_s,started_at_s\n";
        for (int day = 1; day <= 16; ++day) {
            const double size_mb = 20000 + growth_mb * day;
            const int x = day % 2 == 0 ? 4 : 8;
            rows += fmt::format("report,{},{:.0f},{:.1f},2026-01-{:02}T06:00:00Z\n", x, size_mb, 20 + size_mb / 20 / x, day);
        }
        write_text(place / "own.csv", rows);
        const auto out = check_succeeds({BELLAMY_PROGRAM, "backtest", place / "own.csv", "--deadline", "2h"});
        const auto at = out.find("Of all proposals, ");
        return at == std::string::npos ? std::string() : out.substr(at);
    };
    const auto grown = caution(600);
    CHECK(grown.find("too few to judge savings by") != std::string::npos);
    CHECK(grown.find(" % more data, which their hours contain") != std::string::npos);
    CHECK(caution(-400).find(" % less data") != std::string::npos);
    const auto steady = caution(0);
    CHECK(steady.find("too few to judge") != std::string::npos);
    CHECK(steady.find("data, which") == std::string::npos);
}

TEST_CASE("a gain beyond what more executors can bring in proportion is said to be rare") {
    const temporary_directory place;
    const auto advice = [&](double at_eight_s) {
        std::string rows = "application,executors,runtime_s\n";
        for (int i = 0; i < 4; ++i) rows += fmt::format("report,8,{}\nreport,4,{}\n", at_eight_s + i, 400 + i);
        write_text(place / "own.csv", rows);
        return check_succeeds(
            {BELLAMY_PROGRAM, "recommend", place / "own.csv", "--deadline", fmt::format("{}", at_eight_s + 60)});
    };
    CHECK(advice(140).find("more than in proportion, which is rare") != std::string::npos);
    CHECK(advice(230).find("more than in proportion") == std::string::npos);
}

TEST_CASE("what is left out of a table is told first where it is more than a quarter") {
    const temporary_directory place;
    const auto told = [&](int bad) {
        std::string rows = "application,executors,data_size_MB,runtime_s\n";
        for (int i = 0; i < 12; ++i) rows += fmt::format("report,4,{},60\n", i < bad ? "0.5" : "1000");
        write_text(place / "own.csv", rows);
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--skip-invalid"}).err;
    };
    CHECK(told(4).find("skipped       4 of 12 rows: what is said below rests on the others alone") != std::string::npos);
    CHECK(told(3).find("of 12 rows") == std::string::npos);
}

TEST_CASE("a data size that is not known is refused beside known ones, and forecast of runs that did not succeed") {
    const temporary_directory place;
    const auto advice = [&](const std::string& failed_mb, const std::string& last_mb, const std::string& option = "--json") {
        write_text(place / "own.csv",
                   "application,executors,data_size_MB,runtime_s,outcome\nreport,2,1000,60,OK\n"
                   "report,4,1000,40,OK\nreport,2," +
                       failed_mb + ",9,failed\nreport,4," + last_mb + ",41,OK\nother,2,0,60,OK\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", option});
    };
    const auto blank = advice("", "1000");
    REQUIRE(blank.exit_code == 0);
    CHECK(blank.out == advice("0", "1000").out);
    for (const std::string unknown : {"0", ""})
        check_refused(advice("", unknown), "unknown_data_size",
                      {"data_size_MB, line 5 of", "other runs of report have one", "found \"" + unknown + "\""});
    const auto skipped = advice("", "0", "--skip-invalid");
    CHECK(skipped.exit_code == 0);
    CHECK((skipped.out + skipped.err).find("data_size_MB, line 5 of") != std::string::npos);
}

TEST_CASE("a machine type that is missing is refused beside others of the application, and none need be told") {
    const temporary_directory place;
    const auto advice = [&](const std::string& first, const std::string& second, const std::string& option = "--json") {
        write_text(place / "own.csv", "application,executors,machine_type,runtime_s\nreport,2," + first + ",60\nreport,4," +
                                          second + ",40\nother,2,,60\nother,4,,40\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", option});
    };
    CHECK(advice("large", "large").exit_code == 0);
    CHECK(advice("", "").exit_code == 0);
    check_refused(advice("large", ""), "unknown_machine_type",
                  {"column machine_type, line 3 of", "other runs of report have one", "found an empty cell"});
    const auto skipped = advice("", "large", "--skip-invalid");
    CHECK(skipped.exit_code == 0);
    CHECK((skipped.out + skipped.err).find("machine_type, line 2 of") != std::string::npos);
    // What was imported does not tell that of every log.
    write_text(place / "own.csv",
               "application,executors,machine_type,runtime_s,data_measure,data_size_MB\n"
               "report,2,large,60,,9\nreport,4,,40,,9\n");
    CHECK(run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--json"}).exit_code == 0);
}

TEST_CASE(
    "a table gets the same advice newest first or last where it has start times, in seconds or as dates, and in any words") {
    const temporary_directory place;
    const auto advice = [&](bool newest_first, bool as_dates, const std::string& ok, const std::string& bad) {
        std::vector<std::string> rows;
        for (int day = 1; day <= 12; ++day) {
            const int size_mb = 4000 + 1000 * day;
            const int x = day % 2 == 0 ? 4 : 8;
            rows.push_back(fmt::format("report,{},{},{:.1f},{},{}\n", x, size_mb, day == 5 ? 3 : 20 + size_mb / 20.0 / x,
                                       as_dates ? fmt::format("2026-01-{:02}T06:00:00Z", day)
                                                : fmt::format("{}", 1767225600 + 86400 * (day - 1) + 21600),
                                       day == 5 ? bad : ok));
        }
        if (newest_first) std::ranges::reverse(rows);
        write_text(place / "own.csv", fmt::format("application,executors,data_size_MB,runtime_s,started_at_s,outcome\n{}",
                                                  fmt::join(rows, "")));
        return check_succeeds(
            {BELLAMY_PROGRAM, "recommend", place / "own.csv", "--deadline", "300", "--application", "report"});
    };
    const auto expected = advice(false, false, "succeeded", "failed");
    CHECK(expected.find("no start times") == std::string::npos);
    CHECK(advice(true, true, "OK", "Error") == expected);
    write_text(
        place / "some.csv",
        "application,executors,runtime_s,started_at_s\nreport,2,60,2026-01-02\nreport,2,60,2026-01-02\nreport,4,40,\n");
    const auto some = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "some.csv", "--application", "report"});
    CHECK(some.find("1 run has no start time") != std::string::npos);
    CHECK(some.find("3 runs") != std::string::npos);  // equal runs of a day are two
    write_text(place / "no_starts.csv", "application,executors,runtime_s\nreport,2,60\nreport,4,40\n");
    CHECK(check_succeeds({BELLAMY_PROGRAM, "recommend", place / "no_starts.csv", "--application", "report"})
              .find("no start times are known") != std::string::npos);
    write_text(place / "twice.csv", "application,run,executors,runtime_s\nreport,a,2,60\nreport,a,2,50\nreport,b,4,40\n");
    CHECK(run_program({BELLAMY_PROGRAM, "recommend", place / "twice.csv"})
              .err.find("each run counts once, 1 row with another end than the row that counts") != std::string::npos);
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / ""}), "no_runs",
                  {"a table by its own name, such as " + (place / "")});
}

TEST_CASE("advice says where a deadline or a data size is far from all that was seen") {
    const temporary_directory place;
    write_text(place / "own.csv",
               "application,executors,data_size_MB,runtime_s\nreport,2,1000,60\nreport,4,1100,40\nreport,4,1200,42\n");
    const auto advice = [&](const std::string& deadline, const std::string& size) {
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--application", "report", "--deadline",
                            deadline, "--data-size", size, "--format", "spark-conf"});
    };
    CHECK(advice("60", "1100").out.find("far from all") == std::string::npos);
    CHECK(advice("2h", "1100").out.find("# warning: the deadline of 7200 s is far from all runtimes") != std::string::npos);
    CHECK(advice("60", "1TB").out.find("# warning: the next run is taken to have 1048576 MB") != std::string::npos);
    support::check_wrong_usage(advice("60", "0"), {"--data-size", "> 0"});
}

TEST_CASE("a table of runs that a person wrote has an advice for each application") {
    const temporary_directory place;
    std::string rows = "application,executors,data_size_MB,runtime_s\n";
    for (const auto& [name, scale] : {std::pair("report", 1.0), {"join", 2.0}, {"clean-up", 0.5}})
        for (const int size_mb : {8000, 16000})
            for (const int x : {2, 4, 8})
                rows += fmt::format("{},{},{},{:.1f}\n", name, x, size_mb, scale * (20 + size_mb / 50.0 / x));
    write_text(place / "own.csv", rows);
    const auto record = nlohmann::json::parse(
        check_succeeds({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--deadline", "200", "--json"}));
    REQUIRE(record["applications"].size() == 3);
    for (const auto& each : record["applications"]) {
        CHECK_MESSAGE(!each.contains("error"), each.dump());
        CHECK(each["runs"] == 6);
    }
    // A plain table says nothing of cores and memory, and nothing is made up.
    const auto conf = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "own.csv", "--application", "join", "--deadline",
                                      "200", "--format", "spark-conf"});
    CHECK(conf.find("spark.executor.instances") != std::string::npos);
    CHECK(conf.find("spark.executor.memory") == std::string::npos);
    CHECK(conf.find("spark.executor.cores") == std::string::npos);
}

TEST_CASE("pretrain learns an application of a history, and says which and what it took") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl.zst"});
    std::string first;
    for (const auto& history : {place / "logs", place / "t.jsonl.zst", place / "t.tsv"}) {
        const auto said = check_succeeds(
            {BELLAMY_PROGRAM, "pretrain", history, "--application", "report", "--out", place / "report.bellamy"});
        CHECK(said.find("application   report, 8 runs of 2 applications") != std::string::npos);
        CHECK(said.find("scale-out executors, runtime runtime_s, properties data_size_MB (data_size)") != std::string::npos);
        const auto model = read_text(place / "report.bellamy");
        if (first.empty()) first = model;
        CHECK(model == first);
    }
    CHECK(check_succeeds({BELLAMY_PROGRAM, "inspect", place / "report.bellamy"}).find("report") != std::string::npos);
    // Of two applications one must be named, of one none.
    for (const std::vector<std::string>& named : {std::vector<std::string>{}, {"--application", "nobody"}}) {
        std::vector<std::string> command{BELLAMY_PROGRAM, "pretrain", place / "logs", "--out", place / "none"};
        command.insert(command.end(), named.begin(), named.end());
        check_refused(run_program(command), "unknown_application", {"\"report\"", "\"once & <only>\""});
    }
    std::filesystem::remove(place / "logs/once");
    (void)check_succeeds({BELLAMY_PROGRAM, "pretrain", place / "logs", "--out", place / "only.bellamy"});
    CHECK(read_text(place / "only.bellamy") == first);
    support::check_wrong_usage(run_program({BELLAMY_PROGRAM, "pretrain", "--table", place / "t.tsv", "--application",
                                            "report", "--out", place / "none"}),
                               {"--application"});
    CHECK_FALSE(std::filesystem::exists(place / "none"));
}

TEST_CASE("all bad rows of a history's table are told at once, or left out and told, and so are bad logs of a folder") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv"});
    auto table = read_text(place / "t.tsv");
    const auto break_row = [&](const std::string& run, const std::string& from, const std::string& to) {
        const auto row = table.find("\t" + run + "\t");
        REQUIRE(row != std::string::npos);
        table.replace(table.find(from, row), from.size(), to);
    };
    break_row("app-1", "succeeded", "vanished");
    break_row("app-5", "succeeded", "lost");
    write_text(place / "t.tsv", table);
    for (const std::string command : {"recommend", "backtest"}) {
        check_refused(run_program({BELLAMY_PROGRAM, command, place / "t.tsv"}), "unknown_outcome",
                      {"\"vanished\"", "\"lost\"", "(2 bad rows)"});
        const auto made = run_program({BELLAMY_PROGRAM, command, place / "t.tsv", "--skip-invalid"});
        CHECK(made.exit_code == 0);
        CHECK(made.err.find("\"vanished\"") != std::string::npos);
        CHECK(line_of(made.out, "report ").find(" 6 ") != std::string::npos);
    }
    write_text(place / "logs/cut.lz4", "LZ4Block and more");
    const auto made = run_program({BELLAMY_PROGRAM, "recommend", place / "logs"});
    CHECK(made.exit_code == 0);
    CHECK(made.err.find("cut.lz4: ") != std::string::npos);
    std::filesystem::create_directory(place / "empty");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "empty"}), "no_runs");
}

TEST_CASE("an outcome that a history's table has lost is refused with its row, by pretrain too") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv"});
    auto table = read_text(place / "t.tsv");
    table.replace(table.find("succeeded"), 9, "");  // of line 2
    write_text(place / "t.tsv", table);
    const std::string where = "expected succeeded, failed, killed or unfinished in column outcome, line 2";
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "t.tsv"}), "unknown_outcome", {where});
    check_refused(run_program({BELLAMY_PROGRAM, "pretrain", "--table", place / "t.tsv", "--out", place / "model"}),
                  "unknown_outcome", {where});
}

TEST_CASE("what was skipped is named, five at most, and how many more there are") {
    const temporary_directory place;
    write_history(place);
    for (int i = 0; i < 7; ++i) write_text(place / fmt::format("logs/app-bad-{}", i), "");
    const auto err = run_program({BELLAMY_PROGRAM, "recommend", place / "logs"}).err;
    CHECK(err.find("app-bad-4: empty_log") != std::string::npos);
    CHECK(err.find("app-bad-5") == std::string::npos);
    CHECK(err.ends_with("\nskipped       and 2 more\n"));
}

TEST_CASE("of attempts at one run that stand in several trace files the newest counts, and this is told") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "traces");
    for (int attempt = 1; attempt <= 2; ++attempt) {
        write_text(place / "log", made_up_log{.name = "report",
                                              .id = "app-1",
                                              .attempt = fmt::format("{}", attempt),
                                              .start = support::log_start + 100'000LL * attempt,
                                              .ends = attempt == 2}
                                      .text());
        (void)run_program(
            {BELLAMY_PROGRAM, "import", place / "log", "--traces", place / fmt::format("traces/{}.jsonl", attempt)});
    }
    const auto made = run_program({BELLAMY_PROGRAM, "recommend", place / "traces", "--application", "report"});
    CHECK(made.err.find("1 attempt that was made anew, such as app-1 of ") != std::string::npos);
    CHECK(made.out.find("report, 1 run ") != std::string::npos);
}

TEST_CASE("a run that stands in a history twice counts once, by the row that tells its end, and this is told") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl"});
    const auto expected = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "t.tsv"});
    const auto traces = read_text(place / "t.jsonl");
    std::filesystem::create_directory(place / "twice");
    write_text(place / "twice/a.jsonl", traces);
    write_text(place / "twice/b.jsonl", traces);
    write_text(place / "twice.jsonl", traces + traces);
    auto table = read_text(place / "t.tsv");
    const auto rows = table.substr(table.find('\n') + 1);
    table.replace(table.find("succeeded"), 9, "unfinished");  // imported while it ran
    write_text(place / "twice.tsv", table + rows);
    for (const auto* history : {"twice", "twice.jsonl", "twice.tsv"}) {
        const auto made = run_program({BELLAMY_PROGRAM, "recommend", place / history});
        CHECK(made.exit_code == 0);
        CHECK(made.err.find("skipped       9 runs that are there already, such as app-") == 0);
        CHECK(made.err.ends_with(": each run counts once\n"));
        CHECK(line_of(made.out, "report ").find(" 8 ") != std::string::npos);
    }
    CHECK(run_program({BELLAMY_PROGRAM, "recommend", place / "twice.tsv"}).out == expected);

    // Without an id, rows that begin at the same time and say the same are one run; without a start, each is a run.
    const auto nameless = [&](bool starts) {
        const auto columns = tools::split(table.substr(0, table.find('\n')), '\t');
        const auto start = static_cast<std::size_t>(std::ranges::find(columns, "started_at_s") - columns.begin());
        std::string made;
        for (const auto& line : tools::split(table.substr(0, table.find('\n') + 1) + rows + rows, '\n')) {
            auto cells = tools::split(line, '\t');
            if (cells.size() > 1 && cells[1] != "run") {
                cells[1].clear();
                if (!starts) cells[start].clear();
            }
            if (!line.empty()) made += fmt::format("{}\n", fmt::join(cells, "\t"));
        }
        return made;
    };
    for (const bool starts : {true, false}) {
        write_text(place / "nameless.tsv", nameless(starts));
        const auto made =
            run_program({BELLAMY_PROGRAM, "recommend", place / "nameless.tsv", "--application", "report", "--json"});
        CHECK(nlohmann::json::parse(made.out)["applications"][0]["runs"] == (starts ? 8 : 16));
    }
}

TEST_CASE("one event log is a history of one run, and what is no history is told by its kind") {
    const temporary_directory place;
    write_history(place);
    const auto out = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs/once"});
    CHECK(line_of(out, "once & <only>").find("   1  ") != std::string::npos);
    write_text(place / "model", "bellamy\x1A and more");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "model"}), "unknown_layout",
                  {"event logs", "found a model file"});
    write_text(place / "report.json", "{\n}\n");
    check_refused(run_program({BELLAMY_PROGRAM, "backtest", place / "report.json"}), "unknown_layout",
                  {"trace file", "found JSON"});
}

TEST_CASE("a size that keeps no deadline has its own exit code, and what is to be pasted carries the warning") {
    const temporary_directory place;
    write_history(place);
    for (const char* format : {"spark-conf", "spark-submit", "spark-application", "text"}) {
        const auto made = run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "report", "--deadline",
                                       "1", "--format", format});
        CHECK(made.exit_code == 4);
        CHECK(made.out.find("no size meets the deadline with the 90 % required") != std::string::npos);
        CHECK(made.err == "");
        // A patch that changes nothing is one, too.
        if (format == std::string("spark-application")) CHECK(made.out.ends_with("\n{}\n"));
    }
    (void)check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "report", "--deadline", "60"});
    (void)check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs", "--deadline", "1"});  // of several, the lines tell
    for (const char* number : {"soon", "-5", "0", "inf", "nan"})
        support::check_wrong_usage(run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--deadline", number}),
                                   {"expected a ", number});
}

TEST_CASE("a trace whose executors are no numbers is told and left out, and none is taken for Spark's default") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl"});
    const auto traces = read_text(place / "t.jsonl");
    for (const auto& [good, bad] : {std::pair{R"("2g")", R"("banana")"},
                                    std::pair{R"("spark.executor.cores":"1")", R"("spark.executor.cores":"0")"}}) {
        auto wrong = traces;
        const auto at = wrong.find(good);
        REQUIRE(at != std::string::npos);
        wrong.replace(at, std::string_view(good).size(), bad);
        write_text(place / "wrong.jsonl", wrong);
        const auto made = run_program({BELLAMY_PROGRAM, "backtest", place / "wrong.jsonl"});
        CAPTURE(made.err);
        CHECK(made.exit_code == 0);
        CHECK(made.err.find(bad[1] == 'b' ? "spark.executor.memory is no size: banana"
                                          : "spark.executor.cores is no number > 0: 0") != std::string::npos);
    }
}

TEST_CASE("a history or a table that is packed is refused with what to do, and what is none is not taken for one") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl"});
    write_text(place / "own.csv", "application,executors,runtime_s\nreport,4,60\n");
    write_text(place / "bytes", std::string("\x01\x02,\x03,;,\xFF\n\x7F", 11));
    for (const std::string name : {"t.jsonl", "own.csv", "bytes"})
        check_succeeds({"/bin/sh", "-c", "gzip -k \"$1\"", "sh", place / name});
    for (const std::string name : {"t.jsonl.gz", "own.csv.gz"})
        for (const std::string command : {"recommend", "backtest", "report"})
            check_refused(run_program({BELLAMY_PROGRAM, command, place / name}), "packed_history",
                          {"compressed data: unpack it", ".jsonl.zst"});
    const auto bytes = run_program({BELLAMY_PROGRAM, "recommend", place / "bytes.gz"});
    check_refused(bytes, "no_runs", {"no_event_log"});
    CHECK(bytes.err.find("unpack") == std::string::npos);
    CHECK(bytes.err.find("bellamy recommend reads") == std::string::npos);
    if (run_program({"/bin/sh", "-c", "command -v python3"}).exit_code != 0) {
        MESSAGE("skipped in part: no python3 makes a zip");
        return;
    }
    check_succeeds({"/bin/sh", "-c", "cd \"$1\" && python3 -m zipfile -c own.zip own.csv", "sh", place / ""});
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "own.zip"}), "packed_history",
                  {"a zip archive: unpack it"});
}

TEST_CASE("tables of runs in a folder are named where they are not read, and other tables are not") {
    const temporary_directory place;
    write_history(place);
    const auto advice = [&] { return run_program({BELLAMY_PROGRAM, "recommend", place / "logs"}); };
    const auto before = advice();
    CHECK(before.err == "");
    write_text(place / "logs/prices.csv", "machine,price\nlarge,1\n");
    CHECK(advice().err == "");
    write_text(place / "logs/a.csv", "application,executors,runtime_s\nreport,4,60\n");
    write_text(place / "logs/b.tsv", "application\texecutors\truntime_s\r\nreport\t4\t60\r\n");
    const auto made = advice();
    CHECK(made.exit_code == 0);
    CHECK(made.out == before.out);
    CHECK(made.err ==
          fmt::format("not read      {0}/a.csv, {0}/b.tsv; of this folder, logs or traces are read, a table by its own name "
                      "in place of {0}\n",
                      place / "logs"));
    for (int i = 0; i < 3; ++i) std::filesystem::copy(place / "logs/a.csv", place / fmt::format("logs/c{}.csv", i));
    CHECK(advice().err.find("c0.csv and 2 more tables; of this folder") != std::string::npos);
}

TEST_CASE("an application without a name, or with blanks around it, is refused in a table that a person wrote") {
    const temporary_directory place;
    const auto advice = [&](const std::string& name, const std::string& option = "--json") {
        write_text(place / "own.csv", "application,executors,runtime_s\na,2,60\na,4,40\n" + name + ",4,41\nb,2,60\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "own.csv", option});
    };
    CHECK(advice("a b").exit_code == 0);
    for (const std::string name : {"a ", " a", "\ta"})
        check_refused(advice(name), "unclear_application", {"without blanks around it", "column application, line 4 of"});
    for (const std::string name : {"", " "})
        check_refused(advice(name), "unclear_application",
                      {"the name of an application in column application, line 4 of", "found \"" + name + "\""});
    const auto skipped = advice("a ", "--skip-invalid");
    CHECK(skipped.exit_code == 0);
    CHECK((skipped.out + skipped.err).find("column application, line 4 of") != std::string::npos);
    // Names of logs are as their applications gave them.
    const auto imported = [&](const std::string& name) {
        write_text(place / "t.csv",
                   "application,executors,runtime_s,data_measure,data_size_MB\na,2,60,,9\n" + name + ",4,40,,9\n");
        return run_program({BELLAMY_PROGRAM, "recommend", place / "t.csv", "--json"});
    };
    CHECK(imported("a ").exit_code == 0);
    check_refused(imported(""), "unclear_application", {"line 3 of"});
}

TEST_CASE("traces that lie beside event logs are told, and a page goes to a pipe as it is") {
    const temporary_directory place;
    write_history(place);
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "logs/t.jsonl.zst"});
    const auto made = run_program({BELLAMY_PROGRAM, "backtest", place / "logs"});
    CHECK(made.exit_code == 0);
    CHECK(made.err.find("t.jsonl.zst: traces beside event logs") != std::string::npos);
    const std::string script =
        "mkfifo \"$1\" && { cat \"$1\" > \"$1.got\" & } && \"$2\" backtest \"$3\" --html \"$1\" > \"$1.out\" 2>&1; wait";
    CHECK(run_program({"/bin/sh", "-c", script, "sh", place / "pipe", BELLAMY_PROGRAM, place / "logs"}).exit_code == 0);
    CHECK(std::filesystem::is_fifo(place / "pipe"));
    CHECK(read_text(place / "pipe.got").ends_with("</html>\n"));
}
