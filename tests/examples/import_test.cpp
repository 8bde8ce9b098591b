// The importer as users run it: what it takes, what it skips and why, and what it leaves behind.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../../examples/support/event_log/run_row.hpp"
#include "../../examples/support/history_layout.hpp"
#include "../../examples/support/trace_file.hpp"
#include "support/made_up_log.hpp"
#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::log_start;
using support::made_up_log;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using nlohmann::json;
namespace fs = std::filesystem;

struct imported {
    support::finished_program finished{};
    json report{};
    std::vector<tools::trace_line> traces{};
    tools::table table{};
};

imported import_from(const temporary_directory& place, const words& logs, const words& more = {}) {
    using support::operator+;
    imported made{.finished = run_program(
                      words{BELLAMY_PROGRAM, "import"} + logs +
                      words{"--traces", place / "t.jsonl.zst", "--table", place / "t.tsv", "--report", place / "r.json"} +
                      more)};
    CAPTURE(made.finished.out);
    CAPTURE(made.finished.err);
    if (fs::exists(place / "r.json")) made.report = json::parse(read_text(place / "r.json"));
    if (fs::exists(place / "t.jsonl.zst")) made.traces = tools::read_traces(place / "t.jsonl.zst");
    if (fs::exists(place / "t.tsv")) made.table = tools::read_table(place / "t.tsv");
    return made;
}

std::string reason(const imported& from, const std::string& log) { return from.report.at(log).value("skipped", ""); }

}  // namespace

TEST_CASE("one log is counted as one, and what is no log is told how to be read only where it may be a table or a history") {
    const temporary_directory place;
    write_text(place / "log", made_up_log{}.text());
    write_text(place / "own.csv", "application,executors,runtime_s\nreport,4,60\n");
    write_text(place / "bytes", std::string("\x01\x02,\x03,;,\xFF\n\x7F", 11));
    for (const std::string name : {"own.csv", "bytes"})
        check_succeeds({"/bin/sh", "-c", "gzip -k \"$1\"", "sh", place / name});
    const auto made =
        import_from(place, {place / "log", place / "own.csv", place / "own.csv.gz", place / "bytes", place / "bytes.gz"});
    CHECK(support::contains(made.finished.out, "needs no import: bellamy recommend reads it"));
    CHECK(reason(made, "own.csv").ends_with("a history or a table of runs needs no import: bellamy recommend reads it"));
    CHECK(support::contains(reason(made, "own.csv.gz"),
                            "unpack it: bellamy recommend reads .jsonl, .jsonl.zst and plain tables"));
    for (const std::string name : {"bytes", "bytes.gz"}) {
        CHECK(reason(made, name).starts_with("no_event_log: "));
        CHECK(reason(made, name).ends_with(" lines"));
    }
    CHECK(support::contains(import_from(place, {place / "log"}).finished.out, "read          1 log, "));
}

TEST_CASE("a folder of logs becomes traces, a table that pretrain learns from, and a report") {
    const temporary_directory place;
    fs::create_directories(place / "logs/more");
    for (int i = 0; i < 4; ++i)
        write_text(place / fmt::format("logs/{}log{}", i % 2 == 0 ? "" : "more/", i),
                   made_up_log{.name = fmt::format("report 2026-01-0{}", i + 1),
                               .id = fmt::format("app-{}", i),
                               .start = log_start + 1000 * i,
                               .executors = i + 1,
                               .tasks = i < 3 ? 12 : 24}
                       .text());
    write_text(place / "logs/_SUCCESS", "");
    write_text(place / "logs/notes.txt", "no log\n");
    const auto made = import_from(place, {place / "logs"});
    CHECK(made.finished.exit_code == 0);
    CHECK(made.finished.err == "");
    CHECK(made.report.size() == 5);
    CHECK(reason(made, "notes.txt").starts_with("no_event_log: "));
    CHECK(made.report.at("more/log1").at("task_attempts").at("succeeded") == 12);
    REQUIRE(made.traces.size() == 4);
    CHECK(made.traces[1].trace.application == "report");
    REQUIRE(made.table.rows.size() == 4);
    CHECK(tools::is_history(made.table));
    const auto runs = tools::read_runs(made.table, tools::history_layout(made.table));
    CHECK(runs[2].scale_out == 3);
    CHECK(runs[2].runtime_s == 6.0);  // from the first executor on: 1 s, four waves of tasks and 1 s
    CHECK(runs[2].timestamp_s == 1.7e9 + 2);
    CHECK_FALSE(runs[2].censored);
    (void)check_succeeds({BELLAMY_PROGRAM, "pretrain", "--table", place / "t.tsv", "--out", place / "model"});
    CHECK(fs::exists(place / "model"));
}

TEST_CASE("redacted traces and tables tell no name, id, argument or path, stably, and are advised on as the others") {
    const temporary_directory place;
    fs::create_directories(place / "logs");
    for (int i = 0; i < 6; ++i) {
        auto log = made_up_log{.name = i < 4 ? "payroll" : "audit",
                               .id = fmt::format("secret-{}", i),
                               .start = log_start + 100'000 * i,
                               .executors = 2 + i % 3,
                               .tasks = 12 + i}
                       .text();
        const std::string stage = "\"Stage Name\":\"count\"";
        for (auto at = log.find(stage); at != std::string::npos; at = log.find(stage))
            log.replace(at, stage.size(), "\"Stage Name\":\"count at /home/private/job.py:6\"");
        log.replace(log.find("\"spark.executor.cores\":\"1\"}"), 27,
                    "\"spark.executor.cores\":\"1\"},\"System Properties\":{\"sun.java.command\":"
                    "\"org.apache.spark.deploy.SparkSubmit job.py --customer acme\"}");
        write_text(place / fmt::format("logs/{}", i), log);
    }
    const auto import_as = [&](const std::string& name, const words& more) {
        using support::operator+;
        (void)check_succeeds(words{BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / (name + ".jsonl"),
                                   "--table", place / (name + ".tsv")} +
                             more);
        return read_text(place / (name + ".jsonl")) + read_text(place / (name + ".tsv"));
    };
    const auto open = import_as("open", {});
    const auto redacted = import_as("redacted", {"--redact", place / "names.json"});
    for (const std::string secret : {"payroll", "audit", "secret-", "private", "job.py", "acme"}) {
        CAPTURE(secret);
        CHECK(open.find(secret) != std::string::npos);
        CHECK(redacted.find(secret) == std::string::npos);
    }
    CHECK(redacted.find("application-2") != std::string::npos);
    CHECK(redacted.find("application-3") == std::string::npos);
    const auto names = read_text(place / "names.json");
    CHECK(import_as("redacted", {"--redact", place / "names.json"}) == redacted);
    CHECK(read_text(place / "names.json") == names);
    for (const std::string kind : {".jsonl", ".tsv"}) {
        const auto advice_of = [&](const std::string& name) {
            return json::parse(check_succeeds({BELLAMY_PROGRAM, "recommend", place / (name + kind), "--json"}))
                .at("applications");
        };
        const auto own = advice_of("open");
        const auto stood_in = advice_of("redacted");
        REQUIRE(own.size() == stood_in.size());
        const auto runs_of = [](const json& all, std::size_t runs) {
            for (const auto& each : all)
                if (each.at("runs") == runs) return each;
            return json();
        };
        for (const std::size_t runs : {4U, 2U})
            for (const char* key : {"present", "proposed", "deadline_s", "basis"})
                CHECK(runs_of(own, runs).at(key) == runs_of(stood_in, runs).at(key));
    }
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "import", place / "logs", "--redact", place / "names.json", "--report",
                                   place / "report.json"}),
                      {"--report", "--redact"});
}

TEST_CASE("every log that cannot be a run is skipped with its reason, and the exit code tells") {
    const temporary_directory place;
    const std::vector<std::pair<std::string, std::string>> bad{{"empty", ""},
                                                               {"garbage", "nothing\nof use\n"},
                                                               {"other", "{\"Event\":\"JobManagerStarted\",\"time\":5}\n"},
                                                               {"lz4", "LZ4Block and more"},
                                                               {"snappy", "\x82SNAPPY and more"},
                                                               {"bzip2", "BZh91AY&SY"},
                                                               {"backwards", made_up_log{.task_ms = -2000}.text()},
                                                               {"late", made_up_log{.task_ms = -400}.text()}};
    words all;
    for (const auto& [name, text] : bad) {
        write_text(place / name, text);
        all.push_back(place / name);
    }
    write_text(place / "good", made_up_log{}.text());
    const auto none = import_from(place, all);
    check_refused(none.finished, "no_runs");
    CHECK(none.traces.empty());
    CHECK_FALSE(fs::exists(place / "t.tsv"));
    CHECK(reason(none, "empty").starts_with("empty_log: "));
    CHECK(reason(none, "garbage").starts_with("no_event_log: "));
    CHECK(reason(none, "other").starts_with("no_start: "));
    for (const std::string codec : {"lz4", "snappy"})  // the latter where the program was built without it
        CHECK((reason(none, codec).ends_with("found compressed data that are cut or damaged before the first") ||
               reason(none, codec).starts_with("unreadable_codec: ")));
    CHECK(reason(none, "bzip2").starts_with("unreadable_codec: "));
    CHECK(reason(none, "backwards").starts_with("clock_backwards: "));
    CHECK(reason(none, "late").starts_with("invalid_trace: job 0: expected jobs submitted within"));

    all.push_back(place / "good");
    const auto one = import_from(place, all);
    CHECK(one.finished.exit_code == 3);
    CHECK(one.finished.err == "");
    CHECK(one.traces.size() == 1);
    CHECK(one.report.at("good").at("taken") == true);
}

TEST_CASE("logs whose names are not UTF-8 stand in the report each by itself") {
    const temporary_directory place;
    const words all{place / "log\xFF", place / "log\xFE"};
    for (const auto& each : all) write_text(each, made_up_log{.id = fmt::format("app {}", each == all[0])}.text());
    const auto made = import_from(place, all);
    CHECK(made.report.size() == 2);
    CHECK(made.report.at("log\\xFF").at("taken") == true);
    CHECK(made.report.at("log\\xFE").at("taken") == true);
}

TEST_CASE("of several attempts the newest counts, and of one run in two logs the one that ended") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    write_text(place / "logs/a1", made_up_log{.id = "a", .attempt = "1", .start = log_start}.text());
    write_text(place / "logs/a10", made_up_log{.id = "a", .attempt = "10", .start = log_start + 9}.text());
    write_text(place / "logs/a2", made_up_log{.id = "a", .attempt = "2", .start = log_start + 5}.text());
    write_text(place / "logs/b", made_up_log{.id = "b", .ends = false}.text());
    write_text(place / "logs/b-copy", made_up_log{.id = "b"}.text());
    write_text(place / "logs/c", made_up_log{.id = "c"}.text());
    write_text(place / "logs/c-of-another-cluster", made_up_log{.id = "c", .start = log_start + 60'000}.text());
    const auto made = import_from(place, {place / "logs"});
    CHECK(made.finished.exit_code == 0);
    CHECK(reason(made, "a1").starts_with("older_attempt: attempt 10 of a is in a10"));
    CHECK(reason(made, "a2").starts_with("older_attempt: "));
    CHECK(reason(made, "b").starts_with("duplicate_run: "));
    CHECK(made.traces.size() == 4);
    CHECK(made.table.rows.size() == 4);
}

TEST_CASE("a rolling folder is one log, and its newest compacted part stands for those before") {
    const temporary_directory place;
    const auto folder = place / "logs/eventlog_v2_app-1";
    fs::create_directories(folder);
    auto all = made_up_log{}.lines();
    const std::vector<std::string> first(all.begin(), all.begin() + 8);
    const std::vector<std::string> rest(all.begin() + 8, all.end());
    write_text(folder + "/appstatus_app-1.inprogress", "");
    write_text(folder + "/events_1_app-1", "{\"Event\":\"of no account\"}\n");
    write_text(folder + "/events_2_app-1", "{\"Event\":\"of no account\"}\n");
    write_text(folder + "/events_2_app-1.compact", made_up_log::joined(first));
    write_text(folder + "/events_10_app-1", made_up_log::joined(rest));
    for (const auto& path : {place / "logs", folder}) {
        const auto made = import_from(place, {path});
        CHECK(made.finished.exit_code == 0);
        const auto& facts = made.report.at("eventlog_v2_app-1");
        CHECK(facts.at("parts") == 2);
        CHECK(facts.at("events") == all.size());
        CHECK(facts.at("application_end") == true);
    }
}

TEST_CASE("a log that tells of two applications is refused, in one file or in the parts of a rolling folder") {
    const temporary_directory place;
    const auto folder = place / "logs/eventlog_v2_app-1";
    fs::create_directories(folder);
    const auto first = made_up_log{.id = "app-1"}.text();
    write_text(place / "logs/another", first + made_up_log{.id = "app-2"}.text());
    write_text(place / "logs/later", first + made_up_log{.id = "app-1", .start = log_start + 60'000}.text());
    write_text(place / "logs/same", first + first);
    write_text(folder + "/events_1_app-1", made_up_log{.id = "app-1", .ends = false}.text());
    write_text(folder + "/events_2_app-2", made_up_log{.id = "app-2"}.text());
    const auto made = import_from(place, {place / "logs"});
    CHECK(made.finished.exit_code == 3);
    CHECK(reason(made, "another") ==
          "two_applications: expected the events of one application, found app-1 that started at 1700000000.000 and app-2 "
          "that started at 1700000000.000");
    CHECK(reason(made, "later")
              .ends_with("found app-1 that started at 1700000000.000 and app-1 that started at 1700000060.000"));
    CHECK(reason(made, "eventlog_v2_app-1").starts_with("two_applications: "));
    CHECK(made.report.at("same").at("taken") == true);
    CHECK(made.table.rows.size() == 1);
}

TEST_CASE("a rolling log with a gap between its parts is incomplete, and the part that is missing is named") {
    const temporary_directory place;
    const auto folder = place / "eventlog_v2_app-1";
    fs::create_directory(folder);
    const auto all = made_up_log{}.lines();
    write_text(folder + "/events_1_app-1", made_up_log::joined({all.begin(), all.begin() + 8}));
    write_text(folder + "/events_3_app-1", made_up_log::joined({all.begin() + 12, all.end()}));
    const auto flags = [&] {
        const auto made = import_from(place, {folder});
        CHECK(made.finished.exit_code == 0);
        const auto notes = made.report.at("eventlog_v2_app-1").value("notes", json::array()).dump();
        return made.table.rows.at(0).cells[made.table.column("flags")] + notes;
    };
    CHECK(flags() == R"(incomplete["parts are missing: expected events_2, found events_3"])");
    // A compacted part stands for all before it.
    fs::remove(folder + "/events_1_app-1");
    write_text(folder + "/events_2_app-1.compact", made_up_log::joined({all.begin(), all.begin() + 12}));
    CHECK(flags() == "[]");
    fs::rename(folder + "/events_3_app-1", folder + "/events_4_app-1");
    CHECK(flags() == R"(incomplete["parts are missing: expected events_3, found events_4"])");
    // The first part has the start.
    fs::remove(folder + "/events_2_app-1.compact");
    CHECK(reason(import_from(place, {folder}), "eventlog_v2_app-1")
              .ends_with("found none; parts are missing: expected events_1, found events_4"));
}

TEST_CASE("what is a log by its name or its first bytes is skipped with its reason in a folder, too, and counts as one") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    write_text(place / "logs/app-20260101000000-0001", "");
    write_text(place / "logs/local-1532512550423.zstd", "\x28\xB5\x2F\xFD\x24");
    write_text(place / "logs/application_1713000000000_0001_1.inprogress", "of no use\n");
    write_text(place / "logs/cut", R"({"Event":"SparkListenerLogSta)");
    write_text(place / "logs/cut.zst", "\x28\xB5\x2F\xFD\x24 and no more");
    for (const char* other : {"notes.txt", "spark-defaults.conf", "app-1.jsonl", "empty"})
        write_text(place / "logs/" + other, "");
    write_text(place / "logs/good", made_up_log{}.text());
    const auto made = import_from(place, {place / "logs"});
    CHECK(made.finished.exit_code == 3);
    CHECK(made.finished.out.find("passed over   4 other files") != std::string::npos);
    CHECK(made.finished.out.find("5 logs skipped") != std::string::npos);
    const auto recommended = run_program({BELLAMY_PROGRAM, "recommend", place / "logs"});
    CHECK(recommended.exit_code == 0);
    for (const auto* skipped :
         {"app-20260101000000-0001: empty_log: expected", "local-1532512550423.zstd: no_event_log: expected",
          "application_1713000000000_0001_1.inprogress: no_event_log: ", "cut: no_event_log: ",
          "cut.zst: no_event_log: expected lines that are JSON objects with an Event, found compressed"}) {
        CHECK(made.finished.out.find(skipped) != std::string::npos);
        CHECK(recommended.err.find(skipped) != std::string::npos);
    }
}

TEST_CASE("failed, killed and unfinished runs are lower bounds of runtimes") {
    const temporary_directory place;
    write_text(place / "log", made_up_log{.ends = false}.text());
    const auto made = import_from(place, {place / "log"});
    CHECK(made.finished.exit_code == 0);
    const auto runs = tools::read_runs(made.table, tools::history_layout(made.table));
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].censored);
    CHECK(made.table.rows[0].cells[made.table.column("outcome")] == "unfinished");
}

TEST_CASE("outputs that stood there stay where an output cannot be written") {
    const temporary_directory place;
    write_text(place / "log", made_up_log{}.text());
    write_text(place / "t.tsv", "before");
    const auto finished = run_program(
        {BELLAMY_PROGRAM, "import", place / "log", "--table", place / "t.tsv", "--traces", place / "missing/t.jsonl"});
    check_refused(finished, "cannot_write");
    CHECK(read_text(place / "t.tsv") == "before");
    check_refused(run_program({BELLAMY_PROGRAM, "import", place / "nowhere"}), "cannot_read");
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "import"}));
    for (const std::string rule : {"s/(/", "foo"})
        check_wrong_usage(run_program({BELLAMY_PROGRAM, "import", place / "log", "--name", rule}),
                          {"--name", "found " + rule});
    for (const std::string option : {"--table", "--traces", "--report", "--name"})
        check_wrong_usage(run_program({BELLAMY_PROGRAM, "import", place / "log", option, ""}), {option, "expected a value"});
}

TEST_CASE("the number of threads changes no output") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    for (int i = 0; i < 30; ++i)
        write_text(place / fmt::format("logs/{}", i), made_up_log{.id = fmt::format("app-{}", i), .tasks = 1 + i}.text());
    const auto files = [&] {
        return read_text(place / "t.jsonl.zst") + read_text(place / "t.tsv") + read_text(place / "r.json");
    };
    CHECK(import_from(place, {place / "logs"}, {"--threads", "1"}).finished.exit_code == 0);
    const auto expected = files();
    CHECK(import_from(place, {place / "logs"}, {"--threads", "7"}).finished.exit_code == 0);
    CHECK(files() == expected);
}

TEST_CASE("cores and memory of executors have their roles where they differ and executors are what the scale-out counts") {
    const std::string columns =
        "application\tstarted_at_s\truntime_s\toutcome\texecutors\tcores\texecutor_cores\texecutor_memory_MB\tdata_size_"
        "MB\n";
    const auto layout_of = [&](const std::string& rows) {
        return tools::history_layout(tools::parse_table(columns + rows, "t.tsv"));
    };
    using bellamy::property_role;
    const auto roles = layout_of("a\t1\t9\tsucceeded\t4\t8\t2\t1024\t5\na\t2\t9\tsucceeded\t2\t8\t4\t4096\t5\n").roles;
    REQUIRE(roles.contains("executor_cores"));
    CHECK(roles.at("executor_cores") == property_role::cores_per_node);
    REQUIRE(roles.contains("executor_memory_MB"));
    CHECK(roles.at("executor_memory_MB") == property_role::memory_per_node);
    const auto by_cores = layout_of("a\t1\t9\tsucceeded\t1\t8\t2\t1024\t5\na\t2\t9\tsucceeded\t1\t4\t4\t4096\t5\n");
    CHECK(by_cores.unit == bellamy::scale_out_unit::core);
    CHECK_FALSE(by_cores.roles.contains("executor_cores"));
    const auto half_known = layout_of("a\t1\t9\tsucceeded\t4\t8\t2\t0\t5\na\t2\t9\tsucceeded\t2\t8\t4\t4096\t5\n");
    CHECK(half_known.roles.contains("executor_cores"));
    CHECK_FALSE(half_known.roles.contains("executor_memory_MB"));
    const auto of_one_size = layout_of("a\t1\t9\tsucceeded\t4\t8\t2\t1024\t5\na\t2\t9\tsucceeded\t2\t4\t2\t1024\t5\n");
    CHECK_FALSE(of_one_size.roles.contains("executor_cores"));
}
