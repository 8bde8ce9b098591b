// A size for the next run of every application: how it is spelled, what it rests on, what speaks against it.
#include "../../examples/support/advice_files.hpp"
#include "../../examples/support/spark_size.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/made_up_log.hpp"
#include "support/run_program.hpp"

using support::check_succeeds;
using support::made_up_log;
using support::run_program;
using support::temporary_directory;
using support::write_text;

TEST_CASE("where nothing can be advised the file of an earlier day does not stay") {
    const temporary_directory place;
    const tools::application_history of{.name = "Daily"};
    std::vector<tools::advised> all;
    all.push_back({.of = &of, .advice = bellamy::error(bellamy::errc::empty_history, "expected runs, found none")});
    write_text(place / "daily.args", "--conf spark.executor.instances=9\n");
    tools::write_configurations(all, "spark-submit", place / "");
    CHECK(support::read_text(place / "daily.args") == "# no advice: expected runs, found none\n");
}

namespace {

constexpr std::int64_t day_ms = 86'400'000;

nlohmann::json advice_of(const std::string& history, const std::string& application, const std::string& deadline) {
    const auto out =
        check_succeeds({BELLAMY_PROGRAM, "recommend", history, "--application", application, "--deadline", deadline,
                        "--deadline-from", "first-executor", "--probability", "0.8", "--format", "json"});
    return nlohmann::json::parse(out).at("applications").at(0);
}

bool warns(const nlohmann::json& advice, const std::string& of) {
    for (const auto& each : advice.at("warnings"))
        if (each.get<std::string>().find(of) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a size is spelled as those who submit spell it") {
    const tools::spark_size size{.executors = 4, .executor_cores = 2, .executor_memory_mb = 3072};
    CHECK(tools::to_spark_conf(size) ==
          "spark.dynamicAllocation.enabled false\nspark.executor.instances 4\nspark.executor.cores 2\n"
          "spark.cores.max 8\nspark.executor.memory 3072m\n");
    CHECK(tools::to_spark_submit(size) ==
          "--conf spark.dynamicAllocation.enabled=false --conf spark.executor.instances=4 --conf spark.executor.cores=2 "
          "--conf spark.cores.max=8 --conf spark.executor.memory=3072m");
    CHECK(
        tools::to_spark_application(size) ==
        "spec:\n  dynamicAllocation:\n    enabled: false\n  executor:\n    instances: 4\n    cores: 2\n    memory: 3072m\n");
    const tools::spark_size local{.executors = 1, .executor_cores = 3, .is_local = true};
    CHECK(tools::to_spark_submit(local) == "--master local[3]");
}

TEST_CASE("cores become executors of the size that there were, and threads where the driver does the work") {
    using bellamy::scale_out_unit;
    const tools::spark_size before{.executors = 4, .executor_cores = 2};
    CHECK(tools::size_of(6, scale_out_unit::executor, before).executors == 6);
    CHECK(tools::size_of(7, scale_out_unit::core, before).executors == 4);
    CHECK(tools::size_of(7, scale_out_unit::core, before).executor_cores == 2);
    const auto local = tools::size_of(7, scale_out_unit::core, {.executors = 1, .executor_cores = 2, .is_local = true});
    CHECK(local.executor_cores == 7);
}

TEST_CASE(
    "an application of one size is advised by scheduling its tasks again, from logs and traces; by their bounds from a "
    "table") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 3; ++i)
        write_text(place / fmt::format("logs/{}", i), made_up_log{.name = "report",
                                                                  .id = fmt::format("app-{}", i),
                                                                  .start = support::log_start + day_ms * i,
                                                                  .executors = 4,
                                                                  .tasks = 40}
                                                          .text());
    (void)check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl.zst"});
    // Forty tasks of a second: ten waves on four executors, five on eight; a second before them and one behind.
    for (const auto& history : {place / "logs", place / "t.jsonl.zst"}) {
        const auto advice = advice_of(history, "report", "8.5");
        CHECK(advice.at("basis") == "replay");
        const auto& table = advice.at("table");
        CHECK(table.at(3).at("median_s").get<double>() == doctest::Approx(12).epsilon(0.01));
        CHECK(table.at(7).at("median_s").get<double>() == doctest::Approx(7).epsilon(0.02));
        CHECK(advice.at("proposed").at("scale_out").get<int>() > 6);
        CHECK(advice.at("proposed").at("configuration").at("executors") == advice.at("proposed").at("scale_out"));
    }
    // The longest task, a second, and the forty seconds of all tell the same.
    const auto by_table = advice_of(place / "t.tsv", "report", "8.5");
    CHECK(by_table.at("basis") == "task bounds");
    CHECK(by_table.at("table").at(3).at("median_s").get<double>() == doctest::Approx(12).epsilon(0.01));
    CHECK(by_table.at("table").at(7).at("median_s").get<double>() == doctest::Approx(7).epsilon(0.02));
}

TEST_CASE("a run is not replayed for data of another size than it had, and the warning says why") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 3; ++i)  // 40 MB each
        write_text(place / fmt::format("logs/{}", i), made_up_log{.name = "report",
                                                                  .id = fmt::format("app-{}", i),
                                                                  .start = support::log_start + day_ms * i,
                                                                  .executors = 4,
                                                                  .tasks = 40}
                                                          .text());
    const auto asked = [&](const std::string& size_mb) {
        const auto finished = support::run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "report",
                                                    "--data-size", size_mb, "--deadline", "60", "--format", "json"});
        CHECK(finished.err == "");
        return nlohmann::json::parse(finished.out).at("applications").at(0);
    };
    const auto alike = asked("42");
    CHECK(alike.at("basis") == "replay");
    CHECK_FALSE(warns(alike, "are not used"));
    const auto other = asked("4000");
    CHECK(other.at("basis") == "task bounds");
    CHECK(warns(other, "it had 40 MB, the next has 4000 MB"));
    for (const auto& row : other.at("table")) CHECK(row.at("probability").get<double>() < 0.999);
}

TEST_CASE("a run is not replayed for other arguments than it had, and the warning says why") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 4; ++i) {
        auto text = made_up_log{.name = "report",
                                .id = fmt::format("app-{}", i),
                                .start = support::log_start + day_ms * i,
                                .executors = 4,
                                .tasks = 40}
                        .text();
        const std::string properties = R"("Spark Properties":)";
        text.replace(
            text.find(properties), properties.size(),
            fmt::format(
                R"("System Properties":{{"sun.java.command":"org.apache.spark.deploy.SparkSubmit --class a.B a.jar {}"}},{})",
                i % 2 == 0 ? "full" : "delta", properties));
        write_text(place / fmt::format("logs/{}", i), text);
    }
    const auto asked = [&](const std::string& arguments) {
        return nlohmann::json::parse(check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "report",
                                                     "--arguments", arguments, "--deadline", "60", "--format", "json"}))
            .at("applications")
            .at(0);
    };
    const auto of_the_last_run = asked("delta");
    CHECK(of_the_last_run.at("basis") == "replay");
    CHECK_FALSE(warns(of_the_last_run, "are not used"));
    const auto other = asked("full");
    CHECK(other.at("basis") != "replay");
    CHECK(warns(other, "the tasks of the latest run are not used: the next differs from it in arguments"));
}

TEST_CASE(
    "nothing is proposed for an application of which no run succeeded, and no deadline is said to be one that it could "
    "meet") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 3; ++i)
        write_text(place / fmt::format("logs/{}", i), made_up_log{.name = i < 2 ? "broken" : "fine",
                                                                  .id = fmt::format("app-{}", i),
                                                                  .start = support::log_start + day_ms * i,
                                                                  .tasks = 40,
                                                                  .ends = i == 2}
                                                          .text());
    const auto lines = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "logs"});
    CHECK(lines.find("broken: proposals stop: no run succeeded: ") != std::string::npos);
    CHECK(lines.find("could be met") == std::string::npos);
    CHECK(lines.find("fine: proposals stop") == std::string::npos);
    const auto of_one = run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "broken"});
    CHECK(of_one.exit_code == 4);
    CHECK(of_one.out.find("withheld") != std::string::npos);
    CHECK(of_one.out.find("misses the deadline") == std::string::npos);
}

TEST_CASE("a proposal that rests on one run says so, and a last run alone that is off is not called more than that") {
    const temporary_directory place;
    const std::string header = "application,executors,data_size_MB,runtime_s,started_at_s\n";
    write_text(place / "one.csv", header + "a,12,16000,412,1700000000\n");
    const auto one = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "one.csv", "--deadline", "2h"});
    CHECK(one.find("a: one run alone succeeded, and it may have been an exception") != std::string::npos);

    std::string runs = header;
    for (int i = 0; i < 9; ++i)
        runs += fmt::format("a,{},16000,{},{}\n", 4 + 4 * (i % 3), 600 - 150 * (i % 3) + 3 * i, 1700000000 + 86400 * i);
    write_text(place / "steady.csv", runs);
    const auto steady = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "steady.csv", "--deadline", "20m"});
    CHECK(steady.find("one run alone") == std::string::npos);
    CHECK(steady.find("last run +") == std::string::npos);
    CHECK(steady.find("no similar past run") == std::string::npos);
    write_text(place / "absurd.csv", runs + "a,8,16000,5000,1701000000\n");
    const auto absurd = check_succeeds({BELLAMY_PROGRAM, "recommend", place / "absurd.csv", "--deadline", "20m"});
    CHECK(absurd.find("last run +") != std::string::npos);
}

TEST_CASE("a proposed size at which no run succeeded is warned of") {
    const temporary_directory place;
    std::string table = "application,executors,runtime_s,outcome,started_at_s\n";
    for (int i = 0; i < 6; ++i) table += fmt::format("a,12,{},OK,{}\n", 600 + i, 1700000000 + 86400 * i);
    write_text(place / "runs.csv", table + "a,10,100,timeout,1701000000\n");
    const auto advice = advice_of(place / "runs.csv", "a", "1000");
    const bool is_proposed = advice.at("proposed").at("scale_out") == 10;
    CHECK(warns(advice, "one run began with 10 executors, the proposed size, and none succeeded") == is_proposed);
    std::string dated;
    for (int i = 1; i < 4; ++i) dated += fmt::format("a_2026-11-0{},12,{},OK,{}\n", i, 600 + i, 1700000000 + 86400 * i);
    write_text(place / "dated.csv", "application,executors,runtime_s,outcome,started_at_s\n" + dated);
    const auto told = support::run_program({BELLAMY_PROGRAM, "recommend", place / "dated.csv"});
    CHECK(told.err.find("names         3 applications would be 1 with --name clean: 3, such as a_2026-11-01, are a\n") !=
          std::string::npos);
    CHECK(told.err.find("names ") == told.err.rfind("names "));
    const auto cleaned = run_program({BELLAMY_PROGRAM, "recommend", place / "dated.csv", "--name", "clean"});
    CHECK(cleaned.err.find("names") == std::string::npos);
    // What cleaning leaves of one run each is joined by another rule.
    for (const auto* name : {"b-x", "b-y", "b-z 2026-11-01"}) dated += fmt::format("{},12,600,OK,1700000000\n", name);
    write_text(place / "dated.csv", "application,executors,runtime_s,outcome,started_at_s\n" + dated);
    const auto both = run_program({BELLAMY_PROGRAM, "recommend", place / "dated.csv"});
    CHECK(both.err.find("names         3 that begin with \"b\" have one run each; ") != std::string::npos);
    CHECK(both.err.find("that begin with \"a") == std::string::npos);
}

TEST_CASE("a proposed size that spilled or ran out of memory before is warned of, and a heap that will not fit") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 6; ++i) {
        const bool is_small = i % 2 == 0;
        write_text(place / fmt::format("logs/{}", i), made_up_log{.name = "join",
                                                                  .id = fmt::format("app-{}", i),
                                                                  .start = support::log_start + day_ms * i,
                                                                  .executors = is_small ? 2 : 8,
                                                                  .tasks = 40,
                                                                  .heap_bytes = is_small ? 2'140'000'000 : 600'000'000,
                                                                  .spilled_bytes = is_small ? 4'000'000 : 0,
                                                                  .out_of_memory = i == 2}
                                                          .text());
    }
    const auto small = advice_of(place / "logs", "join", "60");  // 22 s on two
    CHECK(small.at("proposed").at("scale_out").get<int>() <= 2);
    CHECK(warns(small, "will spill"));
    CHECK(warns(small, "ran out of memory"));
    CHECK(warns(small, "heap may need"));
    const auto large = advice_of(place / "logs", "join", "9");  // 7 s on eight
    CHECK(large.at("proposed").at("scale_out").get<int>() > 2);
    CHECK_FALSE(warns(large, "will spill"));
    CHECK_FALSE(warns(large, "ran out of memory"));
    const auto& heap = large.at("table").at(7);
    CHECK(heap.at("executor_heap_median_MB").get<double>() == doctest::Approx(573).epsilon(0.05));
}

namespace {

// Of executors of 2048 MB: three runs with so few that their heap reaches 1800 MB, and three with eight.
void write_logs_of_heap(const std::filesystem::path& folder, int fewest_executors, int heap_of_eight_bytes) {
    std::filesystem::create_directory(folder);
    for (int i = 0; i < 6; ++i)
        write_text(folder / std::to_string(i), made_up_log{.name = "join",
                                                           .id = fmt::format("app-{}", i),
                                                           .start = support::log_start + day_ms * i,
                                                           .executors = i % 2 == 0 ? fewest_executors : 8,
                                                           .tasks = 40,
                                                           .heap_bytes = i % 2 == 0 ? 1'800'000'000 : heap_of_eight_bytes}
                                                   .text());
}

}  // namespace

TEST_CASE("sizes below all that ran are not proposed where an executor's heap would outgrow its memory, and it is said") {
    const temporary_directory place;
    write_logs_of_heap(place / "logs", 4, 900'000'000);
    const auto advice = advice_of(place / "logs", "join", "600");  // 40 s on one
    CHECK(advice.at("table").at(0).at("verdict") == "heap too small");
    CHECK(advice.at("table").at(3).at("verdict") != "heap too small");  // it ran
    CHECK(advice.at("proposed").at("scale_out").get<int>() > 1);
    CHECK(warns(advice, "or fewer are not proposed: an executor's heap may need"));
}

TEST_CASE("where one executor alone is too small, it is said of one") {
    const temporary_directory place;
    write_logs_of_heap(place / "logs", 2, 600'000'000);
    CHECK(warns(advice_of(place / "logs", "join", "600"), "1 executor is not proposed: an executor's heap may need"));
}

TEST_CASE("runs that are no longer what they were show as drift") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 16; ++i)
        write_text(place / fmt::format("logs/{}", i), made_up_log{.name = i < 8 ? "steady" : "slower",
                                                                  .id = fmt::format("app-{}", i),
                                                                  .start = support::log_start + day_ms * i,
                                                                  .executors = 2 + 2 * (i % 2),
                                                                  .tasks = 40,
                                                                  .task_ms = (i < 13 ? 1000 : 3000) + 30 * (i % 3)}
                                                          .text());
    CHECK(advice_of(place / "logs", "steady", "60").at("drift").at("probability").get<double>() > 0.05);
    const auto slower = advice_of(place / "logs", "slower", "60");
    CHECK(slower.at("drift").at("probability").get<double>() < 0.01);
    CHECK(slower.at("drift").at("mean_standard_deviations").get<double>() > 1);
    CHECK(warns(slower, "changed"));
}

TEST_CASE("the next run's data size is forecast, given or listed, and more data take longer") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 12; ++i)  // a megabyte a task
        write_text(place / fmt::format("logs/{:02}", i), made_up_log{.name = "growing",
                                                                     .id = fmt::format("app-{:02}", i),
                                                                     .start = support::log_start + day_ms * i,
                                                                     .executors = 2 + 2 * (i % 3),
                                                                     .tasks = 40 + 8 * i}
                                                             .text());
    const std::vector<std::string> question{BELLAMY_PROGRAM, "recommend", place / "logs", "--application", "growing",
                                            "--deadline",    "60",        "--format",     "json"};
    const auto answer = [&](const std::vector<std::string>& more) {
        auto command = question;
        command.insert(command.end(), more.begin(), more.end());
        return nlohmann::json::parse(check_succeeds(command)).at("applications").at(0);
    };
    const auto forecast = answer({});
    CHECK(forecast.at("data_size").at("how").get<std::string>().starts_with("forecast from"));
    const auto& sizes = forecast.at("data_size").at("sizes");
    CHECK(sizes.at(sizes.size() / 2).at("size").get<int>() >= 128);  // that of the last run, or more
    const auto median_at_four = [](const nlohmann::json& of) { return of.at("table").at(3).at("median_s").get<double>(); };
    const auto small = answer({"--data-size", "60"});
    const auto large = answer({"--data-size", "120"});
    CHECK(median_at_four(large) > 1.3 * median_at_four(small));
    write_text(place / "input", std::string(60U << 20U, 'x'));
    // How often these runs read their files no log tells.
    using support::operator+;
    support::check_refused(support::run_program(question + std::vector<std::string>{"--input", place / "input"}),
                           "unknown_size", {"--data-size", "MB in the last run"});
    support::check_wrong_usage(support::run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--data-size", "9"}),
                               {"--application"});
    for (const std::string none : {"-1", "18446744073709551616"})  // what no 64 bits hold is shown as it was typed
        support::check_wrong_usage(support::run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application",
                                                         "growing", "--data-size", none}),
                                   {"found \"" + none + "\""});
    support::check_wrong_usage(support::run_program({BELLAMY_PROGRAM, "recommend", place / "logs", "--application", ""}),
                               {"--application", "expected a value"});
}
