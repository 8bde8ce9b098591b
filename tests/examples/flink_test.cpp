// Archives that Flink wrote of jobs of known kinds: what is imported is what ran, and streams are left out.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../examples/support/event_log/log_reader.hpp"
#include "../../examples/support/flink/job_archive.hpp"
#include "../../examples/support/flink/job_run.hpp"
#include "../../examples/support/spark_size.hpp"
#include "../../examples/support/table.hpp"
#include "../../examples/support/trace_file.hpp"
#include "support/run_program.hpp"

namespace {

const std::string flink_archives = BELLAMY_FLINK_ARCHIVES;
const std::vector<std::string> flink_versions{"1.20.1", "2.3.0"};

using flink_row = std::map<std::string, std::string>;

// The rows that are imported, by job and parallelism: "waits 4".
[[nodiscard]] std::map<std::string, flink_row> flink_rows(const std::string& archives) {
    const support::temporary_directory place;
    (void)support::check_succeeds({BELLAMY_PROGRAM, "import", archives, "--table", place / "t.tsv"});
    const auto table = tools::read_table(place / "t.tsv");
    std::map<std::string, flink_row> rows;
    for (const auto& row : table.rows) {
        flink_row cells;
        for (std::size_t i = 0; i < table.columns.size(); ++i) cells[table.columns[i]] = row.cells[i];
        rows[cells.at("application") + " " + cells.at("cores")] = cells;
    }
    CHECK(rows.size() == table.rows.size());
    return rows;
}

// The text of the archive of a job of that name.
[[nodiscard]] std::string flink_archive_of(const std::string& version, const std::string& job) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(flink_archives + "/" + version)) {
        if (each.path().extension() != ".zst") continue;
        tools::event_log::log_reader reader;
        const auto bytes = support::read_text(each.path().string());
        reader.begin_part();
        (void)reader.push(bytes);
        reader.finish();
        if (tools::flink::read_archive(reader.flink_archive()).name == job) return reader.flink_archive();
    }
    FAIL("there is no archive of ", job);
    return {};
}

[[nodiscard]] std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    REQUIRE(at != text.npos);
    return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("jobs that Flink archived are imported with their parallelism, outcome and settings") {
    for (const auto& version : flink_versions) {
        CAPTURE(version);
        const auto rows = flink_rows(flink_archives + "/" + version);
        const std::map<std::string, std::string> outcomes{
            {"waits 1", "succeeded"},           {"waits 2", "succeeded"},     {"waits 4", "succeeded"},
            {"reads and keeps 2", "succeeded"}, {"streams 2", "succeeded"},   {"reads and counts 2", "succeeded"},
            {"adapts 4", "succeeded"},          {"fails 2", "failed"},        {"uses two groups 2", "succeeded"},
            {"is cancelled 2", "killed"},       {"fails over 2", "succeeded"}};
        CHECK(rows.size() == outcomes.size());
        for (const auto& each : outcomes) {
            const auto& job = each.first;
            CAPTURE(job);
            REQUIRE(rows.contains(job));
            const auto& row = rows.at(job);
            CHECK(row.at("outcome") == each.second);
            CHECK(row.at("system") == "flink " + version);
            CHECK(row.at("arguments") == "records=240");
            CHECK(row.at("executors") == "1");  // the second TaskManager got nothing to do
            CHECK(row.at("executor_cores") == "4");
            CHECK(row.at("flags") == (job == "streams 2" ? "streaming" : job == "fails over 2" ? "retried_stages" : ""));
        }
        // 240 records that take 20 ms each, shared by so many subtasks.
        for (const auto& [job, least_s] : {std::pair("waits 1", 4.8), {"waits 2", 2.4}, {"waits 4", 1.2}})
            CHECK(std::stod(rows.at(job).at("runtime_s")) > least_s);
        CHECK(std::stod(rows.at("waits 4").at("runtime_s")) < 0.5 * std::stod(rows.at("waits 1").at("runtime_s")));
    }
}

TEST_CASE("the runtime of a job of Flink begins when its tasks are scheduled, before the failure that restarted it") {
    const auto rows = flink_rows(flink_archives + "/1.20.1");
    CHECK(rows.at("waits 1").at("started_at_s") == "1795785477.589");
    CHECK(rows.at("waits 1").at("wait_s") == "0.013");  // timestamps: RUNNING - start-time, FINISHED - RUNNING
    CHECK(rows.at("waits 1").at("runtime_s") == "6.725");
    CHECK(rows.at("fails over 2").at("wait_s") == "0.030");  // CREATED, not RUNNING, which is that of the restart
    CHECK(rows.at("fails over 2").at("runtime_s") == "3.774");
}

TEST_CASE("what Flink's sources count is the data size, and what they do not count is not known") {
    const auto size = [](const flink_row& row) {
        return row.at("data_size_MB") + " " + row.at("records_read") + " " + row.at("first_shuffle_MB") + " " +
               row.at("data_measure");
    };
    const auto older = flink_rows(flink_archives + "/1.20.1");
    CHECK(size(older.at("reads and counts 2")) == "0 0 1 shuffle");
    CHECK(size(older.at("reads and keeps 2")) == "0 0 0 shuffle");
    const auto newer = flink_rows(flink_archives + "/2.3.0");
    CHECK(size(newer.at("reads and counts 2")) == "0 320 1 records");
    CHECK(size(newer.at("reads and keeps 2")) == "0 320 0 records");

    auto job = tools::flink::read_archive(flink_archive_of("2.3.0", "reads and counts"));
    job.vertices.at(0).counted.read_bytes = 3'000'000;
    CHECK(tools::flink::facts_of_row(job).data_size_mb == 3);
    CHECK(tools::flink::facts_of_row(job).data_measure == "bytes");
    job.vertices.push_back({.id = "another source", .parallelism = 2, .has_reader = true});
    CHECK(tools::flink::facts_of_row(job).data_size_mb == 0);  // of the other source nothing is known
}

TEST_CASE("bytes that Flink did not count to the end are not known") {
    const auto text = flink_archive_of("1.20.1", "reads and counts");
    CHECK(tools::flink::read_archive(text).vertices.at(0).counted.written_bytes > 20000);
    auto cut = text;
    const std::string complete = R"(\"write-bytes-complete\":true)";
    for (auto at = cut.find(complete); at != cut.npos; at = cut.find(complete, at + 1))
        cut.replace(at, complete.size(), R"(\"write-bytes-complete\":false)");
    CHECK_FALSE(tools::flink::read_archive(cut).vertices.at(0).counted.written_bytes.has_value());
}

TEST_CASE("vertices of a job of Flink are stages with the edges of its plan") {
    for (const auto& version : flink_versions) {
        const auto job = tools::flink::read_archive(flink_archive_of(version, "adapts"));
        const auto trace = tools::flink::to_trace(job, {});
        REQUIRE(validate(trace).has_value());
        CHECK(trace.unit == bellamy::scale_out_unit::slot);
        REQUIRE(trace.jobs.size() == 1);
        const auto& stages = trace.jobs[0].stages;
        REQUIRE(stages.size() == 2);
        CHECK(stages[0].parents.empty());
        CHECK(stages[0].tasks == 4);
        CHECK(stages[1].parents == std::vector<std::int64_t>{0});
        CHECK(stages[1].tasks == 1);
        CHECK(*stages[0].completed_s <= *stages[1].submitted_s);
        CHECK(stages[0].metrics->run_s > 0.5);  // 320 lines that take 5 ms each, in four subtasks
        CHECK(stages[0].task_s.empty());        // at another parallelism there would be others
    }
}

TEST_CASE("slots are those in use at a time: of groups that run beside each other the sum") {
    for (const auto& version : flink_versions)
        CHECK(tools::flink::slots_of(tools::flink::read_archive(flink_archive_of(version, "uses two groups"))) == 2);
    tools::flink::archived_job job{.started_at = 1, .running_at = 1};
    const auto add = [&](std::int64_t parallelism, const char* group, std::int64_t from, std::int64_t to) {
        job.vertices.push_back(
            {.parallelism = parallelism, .slot_sharing_group = group, .started_at = from, .ended_at = to});
    };
    add(2, "a", 10, 20);
    add(4, "a", 15, 20);
    CHECK(tools::flink::slots_of(job) == 4);
    add(3, "b", 20, 30);  // when the others have ended
    CHECK(tools::flink::slots_of(job) == 4);
    add(2, "b", 12, 18);
    CHECK(tools::flink::slots_of(job) == 6);
    CHECK(tools::flink::parallelism_of(job) == 4);
}

TEST_CASE("a stream of Flink is left out of advice, with the reason") {
    const support::temporary_directory place;
    support::write_text(place / "job", flink_archive_of("2.3.0", "streams"));
    support::check_refused(support::run_program({BELLAMY_PROGRAM, "recommend", place / "job"}), "no_runs", {"a stream"});
    const auto notes = tools::flink::notes_on(tools::flink::read_archive(support::read_text(place / "job")));
    CHECK(notes.at(0).find("STREAMING") != std::string::npos);
}

TEST_CASE("advice on jobs of Flink is the same from archives, traces and a table, and in Flink's settings") {
    const support::temporary_directory place;
    const auto archives = flink_archives + "/2.3.0";
    (void)support::check_succeeds(
        {BELLAMY_PROGRAM, "import", archives, "--traces", place / "t.jsonl", "--table", place / "t.tsv"});
    for (const auto& file : {"t.jsonl", "t.tsv"})
        CHECK(support::run_program({BELLAMY_PROGRAM, "recommend", place / file, "--deadline", "5", "--json"}).out ==
              support::run_program({BELLAMY_PROGRAM, "recommend", archives, "--deadline", "5", "--json"}).out);

    const auto advice = nlohmann::json::parse(support::run_program({BELLAMY_PROGRAM, "recommend", archives, "--deadline",
                                                                    "5", "--probability", "0.8", "--json"})
                                                  .out)
                            .at("applications");
    const auto waits =
        std::find_if(advice.begin(), advice.end(), [](const auto& each) { return each["application"] == "waits"; });
    REQUIRE(waits != advice.end());
    const auto& proposed = waits->at("proposed");
    CHECK(proposed.at("configuration").at("parallelism") == proposed.at("scale_out"));
    CHECK(proposed.at("configuration").at("task_managers") == 1);
    CHECK(proposed.at("configuration").at("slots_per_task_manager") == 4);

    const auto printed = [&](const std::string& format) {
        return support::run_program({BELLAMY_PROGRAM, "recommend", archives, "--deadline", "5", "--probability", "0.8",
                                     "--application", "waits", "--format", format})
            .out;
    };
    const auto parallelism = proposed.at("scale_out").dump();
    CHECK(printed("flink-run").ends_with("\n-p " + parallelism + "\n"));
    CHECK(
        printed("flink-conf")
            .ends_with("\nparallelism.default: " + parallelism + "\ntaskmanager.numberOfTaskSlots: 4\n# TaskManagers: 1\n"));
    CHECK(printed("spark-conf").ends_with("\n# nothing is set: it runs on Flink, see --format flink-run and flink-conf\n"));
}

TEST_CASE("a parallelism takes the TaskManagers whose slots it needs") {
    const auto size_at = [](int parallelism) {
        return tools::size_of(parallelism, bellamy::scale_out_unit::slot,
                              {.executors = 2, .executor_cores = 4, .total_cores = 8, .is_flink = true});
    };
    CHECK(tools::describe(size_at(5)) == "-p 5, 2 TaskManagers x 4 slots");
    CHECK(tools::describe(size_at(9)) == "-p 9, 3 TaskManagers x 4 slots");
    CHECK(tools::describe({.total_cores = 3, .is_flink = true}) == "-p 3");
}

TEST_CASE("an archive that cannot be read is skipped with the reason, and the others are taken") {
    const auto whole = flink_archive_of("1.20.1", "waits");
    const auto id = tools::flink::read_archive(whole).id;
    const std::map<std::string, std::pair<std::string, std::string>> bad{
        {"cut", {whole.substr(0, whole.size() / 2), "damaged_archive"}},
        {"broken",
         {replaced(whole, R"({\"jid\":\")" + id + R"(\",\"name\":\"waits\",\"isStoppable\")", R"(}{\"jid\")"),
          "damaged_archive"}},
        {"no list", {R"({"archive": 3})", "damaged_archive"}},
        {"no job", {R"({"archive": [{"path": "/jobs/overview", "json": "{}"}]})", "no_job"}},
        {"two jobs", {R"({"archive": [{"path": "/jobs/a", "json": "{}"}, {"path": "/jobs/b", "json": "{}"}]})", "no_job"}},
        {"other answer", {R"({"jid": "a", "name": "x", "execution-config": {}})", "no_job"}},
        {"no type", {R"({"archive": [{"path": "/jobs/a", "json": "{\"jid\": \"a\"}"}]})", "no_job_type"}},
        {"no start", {R"({"archive": [{"path": "/jobs/a", "json": "{\"plan\": {\"type\": \"BATCH\"}}"}]})", "no_start"}}};
    const support::temporary_directory place;
    support::write_text(place / "good", whole);
    for (const auto& [name, file] : bad) support::write_text(place / name, file.first);
    const auto finished = support::run_program({BELLAMY_PROGRAM, "import", place / "", "--report", place / "report.json"});
    CHECK(finished.exit_code == 3);
    const auto report = nlohmann::json::parse(support::read_text(place / "report.json"));
    CHECK(report.at("good").at("taken") == true);
    for (const auto& each : bad) {
        const auto& name = each.first;
        CAPTURE(name);
        const auto skipped = report.at(name).value("skipped", std::string());
        CHECK(skipped.starts_with(each.second.second + ": expected "));
        CHECK(skipped.find("found") != skipped.npos);
    }
}

TEST_CASE("what Flink answers about a running job is the run so far, whose rest is forecast, until its archive is there") {
    const support::temporary_directory place;
    const auto folder = flink_archives + "/running";
    const auto answer = support::read_text(folder + "/answer.json");
    support::write_text(place / "answer.json", replaced(answer, R"("name":"is asked")", R"("name":"waits")"));
    (void)support::check_succeeds({BELLAMY_PROGRAM, "import", place / "answer.json", "--traces", place / "running.jsonl"});
    const auto so_far = tools::read_traces(place / "running.jsonl").at(0).trace;
    CHECK(so_far.outcome == bellamy::trace_outcome::unfinished);
    CHECK(so_far.runtime_s == doctest::Approx(3.098));  // its field now - start-time
    CHECK(so_far.jobs.at(0).stages.at(0).outcome == bellamy::trace_outcome::succeeded);
    CHECK(so_far.jobs.at(0).stages.at(1).outcome == bellamy::trace_outcome::unfinished);
    (void)support::check_succeeds(
        {BELLAMY_PROGRAM, "import", flink_archives + "/2.3.0", "--traces", place / "history.jsonl"});
    const auto forecast = nlohmann::json::parse(support::check_succeeds(
        {BELLAMY_PROGRAM, "forecast", place / "running.jsonl", "--history", place / "history.jsonl", "--json"}));
    CHECK(forecast.at("elapsed_s") == doctest::Approx(3.098));
    CHECK(forecast.at("rest").at("median_s") < 4.0);  // the whole run took 4 s at this parallelism

    const auto rows = flink_rows(folder);
    REQUIRE(rows.size() == 1);
    CHECK(rows.at("is asked 2").at("outcome") == "succeeded");
}

TEST_CASE("an archive that is there twice, or compressed, is one run") {
    const support::temporary_directory place;
    support::write_text(place / "a", flink_archive_of("1.20.1", "waits"));
    support::write_text(place / "b", support::read_text(place / "a"));
    const auto out = support::run_program({BELLAMY_PROGRAM, "import", place / ""}).out;
    CHECK(out.find("taken         1 run of 1 application, 1 duplicate") != out.npos);
}
