// Logs with the circumstances of public reports: what is imported is right, or marked and then not advised on.
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <bellamy/replay.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../../examples/support/event_log/line_parser.hpp"
#include "../../examples/support/event_log/names.hpp"
#include "../../examples/support/history.hpp"
#include "../../examples/support/split_names.hpp"
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

namespace fs = std::filesystem;
using nlohmann::json;
using words = std::vector<std::string>;

const fs::path field_cases = BELLAMY_FIELD_CASES;

[[nodiscard]] bool is_missing(const std::string& name) {
    if (fs::exists(field_cases / name)) return false;
    MESSAGE("skipped: the logs at " << (field_cases / name).string() << " are not there");
    return true;
}

[[nodiscard]] std::string logs_of(const std::string& name) { return (field_cases / name / "logs").string(); }

// Rows of the imported table by run, each cell by its column.
[[nodiscard]] std::map<std::string, std::map<std::string, std::string>> rows_of(const std::string& logs, int exit_code = 0) {
    const temporary_directory place;
    const auto finished = run_program({BELLAMY_PROGRAM, "import", logs, "--table", place / "t.tsv"});
    CAPTURE(finished.out);
    CHECK(finished.exit_code == exit_code);
    const auto table = tools::read_table(place / "t.tsv");
    std::map<std::string, std::map<std::string, std::string>> rows;
    for (const auto& row : table.rows) {
        auto& cells = rows[row.cells[table.column("run")]];
        for (std::size_t i = 0; i < table.columns.size(); ++i) cells[table.columns[i]] = row.cells[i];
    }
    return rows;
}

[[nodiscard]] json advice_on(const std::string& history, const words& more = {}) {
    using support::operator+;
    return json::parse(check_succeeds(words{BELLAMY_PROGRAM, "recommend", history, "--json"} + more)).at("applications");
}

[[nodiscard]] double seconds_of(const std::map<std::string, std::string>& row) { return std::stod(row.at("runtime_s")); }

}  // namespace

TEST_CASE("a run of one wave is replayed with the cores of its executors, and takes at its own size what it took") {
    if (is_missing("replay_of_one_wave")) return;
    const auto found = tools::read_history(logs_of("replay_of_one_wave"));
    REQUIRE(found.applications.at(0).latest.has_value());
    const auto replay = bellamy::application_replay::from_trace(*found.applications[0].latest).value();
    for (const auto& [x, expected_s] : {std::pair(4, 99.0), {2, 193.0}, {1, 381.0}, {5, 99.0}, {16, 99.0}})
        CHECK(replay.at(x)->run_s == doctest::Approx(expected_s));
    const auto proposed = advice_on(logs_of("replay_of_one_wave"), {"--deadline", "200"}).at(0);
    const int executors = proposed.at("proposed").at("configuration").at("executors");
    const bool keeps_deadline = executors == 4 || executors == 2;  // 193 s; one takes 381 s, three what two take
    CHECK_MESSAGE(keeps_deadline, executors);
}

TEST_CASE("the parts of a log that Databricks delivers are one application, with the machines of its cluster") {
    if (is_missing("databricks_parts")) return;
    const auto rows = rows_of(logs_of("databricks_parts"));
    REQUIRE(rows.size() == 1);
    const auto& row = rows.begin()->second;
    const std::map<std::string, std::string> expected{{"runtime_s", "5985.000"},
                                                      {"wait_s", "5.000"},
                                                      {"outcome", "succeeded"},
                                                      {"data_size_MB", "3000"},
                                                      {"executors", "4"},
                                                      {"cores", "16"},
                                                      {"system", "spark 3.1.2"},
                                                      {"machine_type", "m5.xlarge"},
                                                      {"flags", ""},
                                                      {"attempt", "1"}};
    for (const auto& each : expected) CHECK_MESSAGE(row.at(each.first) == each.second, each.first);
    const temporary_directory place;
    (void)check_succeeds({BELLAMY_PROGRAM, "import", logs_of("databricks_parts"), "--traces", place / "t.jsonl"});
    const auto trace = json::parse(read_text(place / "t.jsonl"));
    REQUIRE(trace.at("jobs").size() == 3);
    for (const auto& job : trace.at("jobs")) CHECK(job.value("outcome", "succeeded") == "succeeded");
}

TEST_CASE("clusters of Databricks that are delivered into one folder are told apart, with the properties of their jobs") {
    const temporary_directory place;
    for (int number = 12; number < 14; ++number) {
        const auto folder = fmt::format("logs/c{0}/eventlog/c{0}_10_0_0_1/7", number);
        fs::create_directories(place / folder);
        auto text =
            made_up_log{
                .name = "Databricks Shell", .id = fmt::format("app-{}", number), .start = support::log_start, .ends = false}
                .text();
        const std::string version = R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.5"})";
        text.replace(
            text.find(version), version.size(),
            fmt::format(R"({{"Event":"DBCEventLoggingListenerMetadata","Spark Version":"3.5.5","Rollover Number":0,)"
                        R"("SparkContext Id":{}}})",
                        number));
        const std::string settings = R"("spark.executor.memory":"2g")";
        text.replace(text.find(settings), settings.size(),
                     settings + fmt::format(R"(,"spark.databricks.clusterUsageTags.clusterName":"job-{}-run-345-etl",)"
                                            R"("spark.databricks.clusterUsageTags.clusterNodeType":"i3.xlarge",)"
                                            R"("spark.databricks.clusterUsageTags.driverNodeType":"m5.large")",
                                            number));
        write_text(place / (folder + "/eventlog"), text);
    }
    const auto rows = rows_of(place / "logs");
    REQUIRE(rows.size() == 2);
    for (const auto& each : rows) CHECK(each.second.at("machine_type") == "i3.xlarge");
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl"});
    std::ifstream traces(place / "t.jsonl");
    std::string line;
    for (int number = 12; number < 14; ++number) {
        REQUIRE(std::getline(traces, line));
        const auto properties = json::parse(line).at("properties");
        CHECK(json::parse(line).at("application") == fmt::format("job {}", number));
        CHECK(properties.at("driver_machine_type") == "m5.large");
        CHECK(properties.at("cluster") == fmt::format("job-{}-etl", number));
        CHECK(properties.at("job") == std::to_string(number));
    }
}

TEST_CASE("where Databricks writes no end, it is that of the last job, and the run succeeded with it") {
    if (is_missing("databricks_without_end")) return;
    const auto rows = rows_of(logs_of("databricks_without_end"));
    CHECK(rows.size() == 8);
    for (const auto& each : rows) {
        CAPTURE(each.first);
        const auto& row = each.second;
        CHECK(row.at("outcome") == "succeeded");
        CHECK(seconds_of(row) > 782);
        CHECK(seconds_of(row) < 813);
    }
    const auto out = check_succeeds({BELLAMY_PROGRAM, "import", logs_of("databricks_without_end")});
    CHECK(out.find("\nrepaired      8 runs: without an end event") != out.npos);
    CHECK(out.find("lower bound") == out.npos);
    CHECK(advice_on(logs_of("databricks_without_end"), {"--deadline", "1000"})
              .at(0)
              .at("proposed")
              .at("configuration")
              .at("executors") == 4);
}

TEST_CASE("an exit code other than 0 is a failure, and what the run took a lower bound") {
    if (is_missing("exit_code")) return;
    const auto rows = rows_of(logs_of("exit_code"));
    REQUIRE(rows.size() == 12);
    for (const auto& each : rows) {
        const auto& run = each.first;
        const auto& row = each.second;
        const int number = std::stoi(run.substr(run.size() - 2));
        const bool failed = number == 3 || number == 6 || number == 9 || number == 11;
        CAPTURE(run);
        CHECK(row.at("outcome") == (failed ? "failed" : "succeeded"));
        if (failed) CHECK(row.at("runtime_s") == "65.000");
    }
    CHECK(check_succeeds({BELLAMY_PROGRAM, "import", logs_of("exit_code")}).find("\nlower bound   4 runs failed") !=
          std::string::npos);
    const auto told = json::parse(check_succeeds({BELLAMY_PROGRAM, "import", logs_of("exit_code"), "--json"}));
    CHECK(told.at("lower_bounds") == json{{"failed", 4}});
    CHECK(told.at("repaired").empty());
    CHECK(advice_on(logs_of("exit_code"), {"--deadline", "450"}).at(0).at("proposed").at("configuration").at("executors") ==
          6);
}

TEST_CASE("executors that dynamic allocation brings are marked, their number being an average") {
    if (is_missing("dynamic_allocation")) return;
    for (const auto& [run, row] : rows_of(logs_of("dynamic_allocation")))
        CHECK(row.at("flags") == "rescaled,dynamic_allocation");
}

TEST_CASE("a stream is marked and nothing is advised on it, with the reason") {
    if (is_missing("streaming")) return;
    for (const auto& [run, row] : rows_of(logs_of("streaming"))) CHECK(row.at("flags") == "streaming");
    for (const std::string command : {"recommend", "backtest"})
        check_refused(run_program({BELLAMY_PROGRAM, command, logs_of("streaming")}), "no_runs", {"4 runs", "a stream"});
    const temporary_directory place;
    (void)check_succeeds({BELLAMY_PROGRAM, "import", logs_of("streaming"), "--traces", place / "t.jsonl"});
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "t.jsonl"}), "no_runs", {"a stream"});
}

TEST_CASE("random ends of names are no part of the application's name") {
    if (is_missing("random_suffix")) return;
    const auto rows = rows_of(logs_of("random_suffix"));
    CHECK(rows.size() == 5);
    for (const auto& [run, row] : rows) CHECK(row.at("application") == "daily-report");
}

TEST_CASE("a zip archive of the history server is read, and other formats are named for what they are") {
    if (is_missing("other_formats")) return;
    const auto rows = rows_of(logs_of("other_formats"), 3);
    REQUIRE(rows.size() == 2);  // the other one is an archive of Flink
    CHECK(rows.rbegin()->second.at("runtime_s") == "99.000");
    CHECK(rows.rbegin()->second.at("executors") == "4");
    CHECK(rows.rbegin()->second.at("data_size_MB") == "500");
    const auto out = run_program({BELLAMY_PROGRAM, "import", logs_of("other_formats")}).out;
    CHECK(out.find("found an answer of Spark's REST interface") != out.npos);
}

TEST_CASE("what a recorder did not write is not proposed") {
    if (is_missing("recorder_traces")) return;
    for (const std::string file : {"plugin_record.jsonl", "recorder.jsonl"}) {
        const auto path = (field_cases / "recorder_traces" / file).string();
        for (const auto& each : advice_on(path)) {
            CHECK(each.at("proposed").at("configuration").at("executor_memory_MB").is_null());
            CHECK(each.at("proposed").at("configuration").at("executor_cores").is_null());
            CHECK(each.at("proposed").at("configuration").at("executors").is_null());
            CHECK(each.at("proposed").at("configuration").at("total_cores") > 0);
        }
        for (const std::string format : {"spark-submit", "spark-conf", "spark-application"}) {
            const temporary_directory place;
            (void)check_succeeds({BELLAMY_PROGRAM, "recommend", path, "--format", format, "--out", place / "sizes"});
            std::string out;
            for (const auto& written : fs::directory_iterator(place / "sizes")) out += read_text(written.path().string());
            CHECK(out.find("cores.max") != out.npos);
            for (const auto* invented : {"1024", "memory", "executor.cores", "instances"})
                CHECK_MESSAGE(out.find(invented) == out.npos, format, " has ", invented);
        }
    }
}

namespace {

// The cells of each line below the first of a table beside the golden files.
[[nodiscard]] std::vector<words> golden_rows(const std::string& file) {
    std::ifstream all(std::string(BELLAMY_GOLDEN_DIR) + "/" + file);
    std::string line;
    REQUIRE(std::getline(all, line));
    std::vector<words> rows;
    while (std::getline(all, line)) rows.push_back(tools::split(line, '\t'));
    return rows;
}

// The two cells of each line; how many there are.
int for_each_pair(const std::string& file, const std::function<void(const std::string&, const std::string&)>& check) {
    const auto rows = golden_rows(file);
    for (const auto& cells : rows) {
        REQUIRE(cells.size() == 2);
        check(cells[0], cells[1]);
    }
    return static_cast<int>(rows.size());
}

// The log of a run in such circumstances: pairs of an event, a job's property, a name or a setting, and its value.
[[nodiscard]] std::string log_in(const words& circumstances, std::string id) {
    made_up_log of{.name = "orders", .id = std::move(id)};
    json settings = json::object();
    json system = json::object();
    json of_job = json::object();
    words events;
    for (std::size_t i = 0; i + 1 < circumstances.size(); i += 2) {
        const auto& what = circumstances[i];
        const auto& value = circumstances[i + 1];
        if (what == "event") {
            events.push_back(json{{"Event", value}}.dump());
        } else if (what == "job") {
            of_job[value] = "1";
        } else if (what == "name") {
            of.name = value;
        } else {
            (what.starts_with("sun.") ? system : settings)[what] = value;
        }
    }
    auto events_of_log = of.lines();
    const auto job = std::find_if(events_of_log.begin(), events_of_log.end(),
                                  [](const auto& line) { return line.find("SparkListenerJobStart") != line.npos; });
    auto started = json::parse(*job);
    started["Properties"] = of_job;
    *job = started.dump();
    events_of_log[2] =
        json{{"Event", "SparkListenerEnvironmentUpdate"}, {"Spark Properties", settings}, {"System Properties", system}}
            .dump();
    events_of_log.insert(events_of_log.begin() + 3, events.begin(), events.end());
    return made_up_log::joined(events_of_log);
}

// What becomes of runs in such circumstances: lines of their traces.
[[nodiscard]] std::map<words, json> traces_in(const std::set<words>& all) {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    std::map<std::string, words> of_run;
    for (const auto& circumstances : all) {
        const auto id = fmt::format("app-{}", of_run.size());
        write_text(place / ("logs/" + id), log_in(circumstances, id));
        of_run[id] = circumstances;
    }
    (void)check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl"});
    std::map<words, json> traces;
    std::ifstream file(place / "t.jsonl");
    for (std::string line; std::getline(file, line);) {
        const auto trace = json::parse(line);
        traces[of_run.at(trace.at("run"))] = trace;
    }
    return traces;
}

// A text or a number as one; "-" where there is none.
[[nodiscard]] std::string cell_of(const json& object, const std::string& field) {
    if (!object.contains(field)) return "-";
    return object[field].is_string() ? object[field].get<std::string>() : object[field].dump();
}

}  // namespace

TEST_CASE("settings become the properties, and the name, that the plugins in Spark's driver record") {
    const std::set<std::string> beside{"application", "name", "executor_memory_MB", "master", "flags"};
    std::map<words, std::map<std::string, std::string>> expected;
    std::set<words> all;
    for (const auto& cells : golden_rows("run_properties.tsv")) {
        REQUIRE(cells.size() >= 4);
        all.emplace(cells.begin(), cells.end() - 2);
        expected[words(cells.begin(), cells.end() - 2)][cells[cells.size() - 2]] = cells.back();
    }
    CHECK(all.size() == 47);
    auto traces = traces_in(all);
    REQUIRE(traces.size() == all.size());
    for (const auto& of : expected) {
        INFO(fmt::format("{}", fmt::join(of.first, " ")));
        const auto& trace = traces[of.first];
        std::size_t properties = 0;
        for (const auto& each : of.second) {
            const bool is_beside = beside.contains(each.first);
            CHECK_MESSAGE(cell_of(is_beside ? trace : trace.at("properties"), each.first) == each.second, each.first);
            properties += is_beside ? 0 : 1;
        }
        CHECK(trace.value("properties", json::object()).size() == properties);
    }
}

TEST_CASE("events, classes, names and tags tell what is no batch job as they tell the plugins in Spark's driver") {
    std::map<words, std::string> expected;
    std::set<words> all;
    for (const auto& cells : golden_rows("not_batch.tsv")) {
        REQUIRE(cells.size() >= 3);
        all.emplace(cells.begin(), cells.end() - 1);
        expected[words(cells.begin(), cells.end() - 1)] = cells.back();
    }
    CHECK(all.size() == 67);
    auto traces = traces_in(all);
    REQUIRE(traces.size() == all.size());
    for (const auto& each : expected) {
        INFO(fmt::format("{}", fmt::join(each.first, " ")));
        CHECK(cell_of(traces[each.first], "flags") == each.second);
    }
}

TEST_CASE("names of public circumstances become those of their applications") {
    const auto names = for_each_pair("application_names.tsv", [](const std::string& full, const std::string& clean) {
        CHECK(tools::event_log::clean_name(full) == clean);
    });
    CHECK(names > 20);
}

TEST_CASE("a lack of memory is told from the words that Spark, YARN and Kubernetes have for it") {
    const auto reasons = for_each_pair("memory_deaths.tsv", [](const std::string& reason, const std::string& expected) {
        CHECK_MESSAGE(tools::event_log::tells_out_of_memory(reason) == (expected == "yes"), reason);
    });
    CHECK(reasons == 18);
}

TEST_CASE(
    "every command that reads runs takes a rule of names, and import says which rule would join names of one run each") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    int number = 0;
    for (const auto* name : {"orders-alpha", "orders-beta", "orders-gamma"})
        write_text(
            place / fmt::format("logs/{}", name),
            made_up_log{.name = name, .id = fmt::format("app-{}", ++number), .start = support::log_start + number * 100'000}
                .text());
    const std::string rule = "s/-[a-z]*$//";
    const auto out = check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl", "--table", place / "t.tsv"});
    CHECK(out.find("3 that begin with \"orders\" have one run each") != out.npos);
    const auto told = json::parse(check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--json"})).at("split_names");
    REQUIRE(told.size() == 1);
    CHECK(told[0].at("names") == 3);
    for (const auto& history : {place / "logs", place / "t.jsonl", place / "t.tsv"}) {
        CAPTURE(history);
        CHECK(json::parse(run_program({BELLAMY_PROGRAM, "recommend", history, "--json"}).out).at("applications").size() ==
              3);
        for (const words& command : {words{"recommend"}, words{"backtest"}, words{"report"}}) {
            using support::operator+;
            CHECK(run_program(words{BELLAMY_PROGRAM, command[0], history} + words(command.begin() + 1, command.end()))
                      .err.find("names         3 that begin with \"orders\" have one run each") != std::string::npos);
        }
        const auto joined = advice_on(history, {"--name", rule});
        REQUIRE(joined.size() == 1);
        CHECK(joined[0].at("application") == "orders");
        CHECK(joined[0].at("runs") == 3);
        CHECK(check_succeeds({BELLAMY_PROGRAM, "backtest", history, "--name", rule}).find("\norders ") != std::string::npos);
        CHECK(check_succeeds({BELLAMY_PROGRAM, "pretrain", history, "--name", rule, "--folds", "0", "--out", place / "m"})
                  .find("orders, 3 runs") != std::string::npos);
    }
    write_text(place / "now.jsonl", read_text(place / "t.jsonl").substr(0, read_text(place / "t.jsonl").find('\n') + 1));
    const auto finished = run_program({BELLAMY_PROGRAM, "forecast", place / "now.jsonl", "--history", place / "t.jsonl",
                                       "--after", "0", "--name", rule, "--json"});
    CAPTURE(finished.err);
    CHECK(json::parse(finished.out).at("application") == "orders");
}

TEST_CASE("names of one run each are told by what they have in common, with a rule that joins them") {
    const std::vector<std::pair<words, std::string>> families{
        {{"orders-alpha", "orders-beta", "orders/gamma"}, "orders"},
        {{"orders1", "orders2", "orders31"}, "orders"},
        {{"x9k-orders", "m4qz_orders", "7bq-orders"}, "orders"},
        {{"etl-x9k-orders", "etl-m4qz-orders", "etl-7b.q-orders"}, "etl-orders"}};
    for (const auto& family : families) {
        std::map<std::string, std::size_t> runs{{"sales", 1}, {"returns", 1}, {"orders-delta", 4}};
        for (const auto& name : family.first) runs.emplace(name, 1);
        const auto found = tools::find_split_names(runs);
        CAPTURE(family.second);
        REQUIRE(found.size() == 1);
        CHECK(found[0].names == 3);
        tools::event_log::name_rule rule;
        rule.add("clean");
        rule.add(found[0].rule);
        for (const auto& name : family.first) CHECK(rule(name) == family.second);
    }
    CHECK(tools::find_split_names({{"orders-alpha", 1}, {"orders-beta", 1}, {"orders-gamma", 2}}).empty());
    CHECK(tools::find_split_names({{"2024", 1}, {"2025", 1}, {"2026", 1}}).empty());
}

TEST_CASE(
    "where bytes were not counted, all runs of the application are measured by records, and bytes are not taken for them") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    for (int i = 0; i < 5; ++i) {
        auto text = made_up_log{.id = fmt::format("app-{}", i), .start = support::log_start + 100'000LL * i}.text();
        // One run of a source that counts bytes, four of one that does not.
        const std::string counted = R"("Bytes Read":1048576)";
        const auto counts = fmt::format(R"("Bytes Read":{},"Records Read":{})", i == 0 ? 1048576 : 0, 100 * (i + 1));
        for (auto at = text.find(counted); at != text.npos; at = text.find(counted, at + counts.size()))
            text.replace(at, counted.size(), counts);
        write_text(place / fmt::format("logs/{}", i), text);
    }
    const auto found = tools::read_history(place / "logs");
    const auto& of = found.applications.at(0);
    CHECK(of.size_unit == "records");
    for (const auto& each : of.runs) CHECK(each.context.essential.at(0).name == "records_read");
    CHECK(*of.runs[4].context.essential[0].value.natural() == 3000);
    const auto out = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "daily report"});
    CHECK(out.find(" records") != out.npos);
    const auto size = advice_on(place / "logs").at(0).at("data_size");
    CHECK(size.at("unit") == "records");
    CHECK(size.at("sizes").at(0).at("size") > 0);
    check_refused(
        run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "daily report", "--data-size", "10"}),
        "unknown_size");
}

TEST_CASE("where a run is measured by what it shuffled, all runs of the application are, and its records are not compared") {
    const temporary_directory place;
    fs::create_directory(place / "logs");
    for (int i = 0; i < 4; ++i) {
        auto text = made_up_log{.id = fmt::format("app-{}", i), .start = support::log_start + 100'000LL * i}.text();
        // The last run reads a description of the data, the others the files themselves.
        const std::string counted = R"("Input Metrics":{"Bytes Read":1048576})";
        const auto counts = fmt::format(
            R"("Input Metrics":{{"Bytes Read":{},"Records Read":{}}},"Shuffle Write Metrics":{{"Shuffle Bytes Written":5242880}})",
            i == 3 ? 160 : 1048576, i == 3 ? 16 : 8000);
        for (auto at = text.find(counted); at != text.npos; at = text.find(counted, at + counts.size()))
            text.replace(at, counted.size(), counts);
        write_text(place / fmt::format("logs/{}", i), text);
    }
    const auto rows = rows_of(place / "logs");
    CHECK(rows.at("app-0").at("data_measure") == "bytes");
    CHECK(rows.at("app-3").at("data_measure") == "shuffle");
    CHECK(rows.at("app-3").at("records_read") == "96");
    const auto found = tools::read_history(place / "logs");
    const auto& of = found.applications.at(0);
    CHECK(of.size_unit == "MB shuffled");
    for (const auto& each : of.runs) {
        CHECK(each.context.essential.at(0).name == "first_shuffle_MB");
        CHECK(*each.context.essential[0].value.natural() == 30);
    }
}
