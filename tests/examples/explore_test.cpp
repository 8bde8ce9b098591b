// The program explore: proposals from runs and other applications, a search to its end, and how it refuses.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;

const words tried_machines{
    "--machine", "small=$0.10/h,cores=2,memory=8GB",  "--machine",    "lean=$0.16/h,cores=4,memory=8GB",
    "--machine", "large=$0.40/h,cores=8,memory=32GB", "--scale-outs", "2,4,8,16"};

[[nodiscard]] words explore_command(const words& more) {
    words all{BELLAMY_PROGRAM, "explore"};
    all.insert(all.end(), tried_machines.begin(), tried_machines.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

[[nodiscard]] nlohmann::json explored(words more) {
    more.emplace_back("--json");
    const auto finished = run_program(explore_command(more));
    CAPTURE(finished.err);
    REQUIRE((finished.exit_code == 0 || finished.exit_code == 4));
    auto record = nlohmann::json::parse(finished.out);
    CHECK((finished.exit_code == 4) == (record["stops"] == true && record["choice"]["meets_limit"] == false));
    return record;
}

struct tried_kind {
    int cores = 0;
    int memory_mb = 0;
    double price = 0;
};
[[nodiscard]] tried_kind tried_kind_of(const std::string& machine) {
    if (machine == "small") return {.cores = 2, .memory_mb = 8192, .price = 0.10};
    if (machine == "lean") return {.cores = 4, .memory_mb = 8192, .price = 0.16};
    return {.cores = 8, .memory_mb = 32768, .price = 0.40};
}

// Twice as long below 50 GB of memory.
[[nodiscard]] double trial_s(const tried_kind& of, int executors, double work_s) {
    return (40 + work_s / (executors * of.cores)) * (executors * of.memory_mb < 50000 ? 2 : 1);
}

[[nodiscard]] std::string trial_row(std::string_view application, const std::string& machine, int executors, double work_s) {
    const auto of = tried_kind_of(machine);
    return fmt::format("{},{},{},{},{:.1f},succeeded\n", application, executors, of.cores, of.memory_mb,
                       trial_s(of, executors, work_s));
}

const std::string trial_header = "application,executors,executor_cores,executor_memory_MB,runtime_s,outcome\n";

[[nodiscard]] std::string other_applications() {
    std::string text;
    for (const auto& [name, work_s] : {std::pair("daily", 6000.0), std::pair("weekly", 30000.0)})
        for (const char* machine : {"small", "lean", "large"})
            for (const int executors : {2, 4, 8, 16}) text += trial_row(name, machine, executors, work_s);
    return text;
}

}  // namespace

TEST_CASE("explore proposes a first run without any history, and its options for spark-submit") {
    const auto record = explored({});
    CHECK(record["runs"] == 0);
    CHECK(record["candidates"] == 12);
    CHECK(record["stops"] == false);
    CHECK(record["next"][0]["expected_gain"].is_null());
    const auto options = check_succeeds(explore_command({"--format", "spark-submit"}));
    CHECK(options == record["next"][0]["spark_submit"].get<std::string>() + "\n");
    CHECK(options.find("--conf spark.executor.cores=") != std::string::npos);
    const auto without_limit = check_succeeds(explore_command({}));
    CHECK(without_limit.find("go on: no run has succeeded yet\n") != std::string::npos);
    CHECK(without_limit.find("in time") == std::string::npos);
    const auto with_deadline = check_succeeds(explore_command({"--deadline", "15m"}));
    CHECK(with_deadline.find("interval  in time  ") != std::string::npos);
    CHECK(with_deadline.find("go on: no run was in time yet\n") != std::string::npos);
    CHECK(check_succeeds(explore_command({"--budget", "9"})).find("interval  within budget  ") != std::string::npos);
}

TEST_CASE("explore goes on from the runs of a table until it stops near the cheapest size in time") {
    const temporary_directory place;
    const double work_s = 15000;
    const double deadline_s = 900;
    auto table = trial_header + other_applications();
    std::size_t trials = 0;
    nlohmann::json record;
    while (true) {
        write_text(place / "runs.csv", table);
        record = explored({place / "runs.csv", "--application", "new", "--deadline", "15m"});
        CHECK(record["runs"] == trials);
        CHECK(record["other_applications"] == 2);
        if (record["stops"] == true) break;
        const auto& next = record["next"][0];
        table += trial_row("new", next["machine"], next["scale_out"], work_s);
        REQUIRE(++trials <= 12);
    }
    CHECK(trials < 9);
    double least = 1e9;
    for (const char* machine : {"small", "lean", "large"})
        for (const int executors : {2, 4, 8, 16}) {
            const auto of = tried_kind_of(machine);
            const double time_s = trial_s(of, executors, work_s);
            if (time_s <= deadline_s) least = std::min(least, of.price * executors * time_s / 3600);
        }
    const auto& choice = record["choice"];
    const auto of = tried_kind_of(choice["machine"]);
    const double time_s = trial_s(of, choice["scale_out"], work_s);
    CHECK(choice["meets_limit"] == true);
    CHECK(time_s <= deadline_s);
    CHECK(of.price * choice["scale_out"].get<int>() * time_s / 3600 < 1.1 * least);
    const auto finished = run_program(
        explore_command({place / "runs.csv", "--application", "new", "--deadline", "15m", "--format", "spark-submit"}));
    CHECK(finished.exit_code == 0);
    CHECK(finished.out == choice["spark_submit"].get<std::string>() + "\n");
    CHECK(finished.err.find("stop: ") == 0);
}

TEST_CASE("explore that stops since no candidate is likely to meet the limit has the exit code of that, in each format") {
    for (const std::string format : {"text", "json", "spark-submit"}) {
        CAPTURE(format);
        const auto finished = run_program(explore_command({"--application", "x", "--deadline", "0.1", "--format", format}));
        CHECK(finished.exit_code == 4);
        CHECK(finished.out != "");
        const std::string line =
            "stop: no candidate is likely to meet the limit; this is no choice, but the size that most likely meets the "
            "limit\n";
        CHECK(finished.err == (format == "spark-submit" ? line : ""));
    }
    CHECK(run_program(explore_command({"--application", "x", "--deadline", "1h"})).exit_code == 0);
    CHECK(check_succeeds({BELLAMY_PROGRAM, "explore", "--help-all"}).find("4 where it stops") != std::string::npos);
}

TEST_CASE("explore proposes several runs at once, each another size") {
    const auto record = explored({"--trials", "3"});
    REQUIRE(record["next"].size() == 3);
    CHECK(record["next"][0]["spark_submit"] != record["next"][1]["spark_submit"]);
    CHECK(record["next"][1]["spark_submit"] != record["next"][2]["spark_submit"]);
}

TEST_CASE("explore takes runs of another data size as evidence, and those within a tenth for runs of this one") {
    const temporary_directory place;
    const auto table = [&](int size_mb) {
        return fmt::format(
            "application,executors,executor_cores,executor_memory_MB,data_size_MB,runtime_s\nnew,4,2,8192,{},900\n",
            size_mb);
    };
    const auto gain_is_known = [&](int size_mb) {
        write_text(place / "runs.csv", table(size_mb));
        const auto record = explored({place / "runs.csv", "--data-size", "10GB"});
        return !record["next"][0]["expected_gain"].is_null();
    };
    CHECK(gain_is_known(10500));
    CHECK_FALSE(gain_is_known(20000));
}

TEST_CASE("explore does not count a killed run as one in time") {
    const temporary_directory place;
    write_text(place / "runs.csv", trial_header + "new,4,2,8192,300,killed\n");
    const auto record = explored({place / "runs.csv", "--deadline", "1h"});
    CHECK(record["runs"] == 1);
    CHECK(record["next"][0]["expected_gain"].is_null());
}

TEST_CASE("explore says where the application has no run yet, since its name may be a slip") {
    const temporary_directory place;
    write_text(place / "runs.csv", trial_header + other_applications());
    const auto finished = run_program(explore_command({place / "runs.csv", "--application", "dayly"}));
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == fmt::format("no run of dayly in {} yet\n", place / "runs.csv"));
}

TEST_CASE("the waits of past runs for their first executor count towards the deadline, unless a start-up is given") {
    const temporary_directory place;
    const auto choice_of = [&](double wait_s, const words& more) {
        std::string table = "application,executors,executor_cores,executor_memory_MB,runtime_s,outcome,wait_s\n";
        for (const int executors : {2, 4, 8, 16}) {
            auto row = trial_row("nightly", "large", executors, 6000);
            row.insert(row.size() - 1, fmt::format(",{}", wait_s));
            table += row;
        }
        write_text(place / "runs.csv", table);
        words all{place / "runs.csv", "--deadline", "10m"};
        all.insert(all.end(), more.begin(), more.end());
        return explored(all).at("choice");
    };
    CHECK(choice_of(0, {}).at("meets_limit") == true);
    CHECK(choice_of(600, {}).at("meets_limit") == false);
    CHECK(choice_of(600, {}).at("probability") == 0);
    CHECK(choice_of(600, {"--start-up", "0"}).at("meets_limit") == true);
}

TEST_CASE("the help of explore says what the start-up is by default, which is not 0") {
    const auto help = check_succeeds({BELLAMY_PROGRAM, "explore", "--help-all"});
    const auto begin = help.find("\n  --start-up");
    REQUIRE(begin != std::string::npos);
    const auto of_option = help.substr(begin, help.find("--billing") - begin);
    CHECK_MESSAGE(of_option.find("default the median") != std::string::npos, of_option);
    CHECK_MESSAGE(of_option.find("[0]") == std::string::npos, of_option);
}

TEST_CASE("explore refuses bad input and wrong usage with one line") {
    const temporary_directory place;
    write_text(place / "runs.csv", "application,executors,runtime_s\nnew,4,300\n");
    check_refused(run_program(explore_command({place / "runs.csv"})), "unknown_value", {"executor_cores"});
    check_refused(run_program(explore_command({place / "nothing.csv"})), "cannot_read");
    const words base{BELLAMY_PROGRAM, "explore"};
    const auto with = [&](const words& more) {
        auto all = base;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    check_wrong_usage(run_program(with({"--scale-outs", "2"})));
    check_wrong_usage(run_program(with({"--machine", "a=1,cores=2,memory=8GB"})));
    check_wrong_usage(run_program(with({"--machine", "a=1,cores=2", "--scale-outs", "2"})));
    check_wrong_usage(run_program(with({"--machine", "a=1,cores=0,memory=8GB", "--scale-outs", "2"})));
    check_wrong_usage(run_program(with({"--machine", "a=-1,cores=2,memory=8GB", "--scale-outs", "2"})));
    check_wrong_usage(run_program(with({"--machine", "a=1,cores=2,memory=8GB", "--scale-outs", "2,2"})));
    check_wrong_usage(run_program(with({"--machine", "a=1,cores=2,disk=8GB", "--scale-outs", "2"})));
    check_refused(run_program(with(
                      {"--machine", "a=1,cores=2,memory=8GB", "--machine", "b=2,cores=2,memory=8GB", "--scale-outs", "2"})),
                  "duplicate_machine");
    check_wrong_usage(run_program(explore_command({"--deadline", "10m", "--budget", "3"})));
    check_wrong_usage(run_program(explore_command({"--trials", "0"})));
    check_wrong_usage(run_program(explore_command({"--runs-to-come", "0"})));
}
