// Which executors, on which machine type, cost an application least, and how many of them gain.
#include "../../examples/support/task_bounds.hpp"

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/made_up_history.hpp"

namespace {

using nlohmann::json;
using words_of_command = std::vector<std::string>;

struct run_with_executors {
    int executors = 1;
    int cores = 1;  // of each
    int memory_mb = 2048;
    double runtime_s = 0;
    std::string machine{};
    std::string outcome = "succeeded";
    int data_mb = 1000;
    int heap_mb = 0;
};

// A run a day.
std::string table_with_executors(const std::vector<run_with_executors>& runs, std::string_view name = "daily") {
    std::string text =
        "application\trun\tstarted_at_s\truntime_s\twait_s\toutcome\texecutors\tcores\tdata_size_MB\texecutor_memory_MB\t"
        "executor_cores\tmachine_type\tpeak_executor_heap_MB\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& run = runs[i];
        text += fmt::format("{}\tr{}\t{:.0f}\t{}\t5\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name, i,
                            support::first_start_s + support::day_s * static_cast<double>(i), run.runtime_s, run.outcome,
                            run.executors, run.executors * run.cores, run.data_mb, run.memory_mb, run.cores, run.machine,
                            run.heap_mb);
    }
    return text;
}

// By how much longer it takes with executors of so many cores than on as many cores with those of the best size.
using slowdown = std::function<double(int cores)>;

double large_are_best(int cores) { return cores == 1 ? 1.5 : cores == 2 ? 1.25 : 1; }
double small_are_best(int cores) { return cores == 1 ? 1 : cores == 2 ? 1.25 : 1.5; }

double runtime_s(int executors, int cores, const slowdown& slower) {
    return slower(cores) * (20 + 1000.0 / (executors * cores));
}

// On 4, 8 and 16 cores in turn, with executors of these sizes in turn, within 3 %.
std::vector<run_with_executors> runs_in_turn(std::size_t count, const std::vector<int>& sizes, const slowdown& slower) {
    std::vector<run_with_executors> made;
    for (std::size_t i = 0; i < count; ++i) {
        const int cores = sizes[i % sizes.size()];
        const int executors = (4 << (i / sizes.size() % 3)) / cores;
        const double scatter = 1 + 0.01 * (static_cast<double>((5 * i) % 7) - 3);
        made.push_back({.executors = executors,
                        .cores = cores,
                        .memory_mb = 2048 * cores,
                        .runtime_s = runtime_s(executors, cores, slower) * scatter});
    }
    return made;
}

// The last run had two cores.
const std::vector<int> all_sizes{4, 1, 2};

json machines_of_record(const std::string& history, const words_of_command& more) {
    return support::advised_record(history, more).at("machines");
}

json reported(const std::string& history, const words_of_command& more) {
    using support::operator+;
    return json::parse(support::check_succeeds(words_of_command{BELLAMY_PROGRAM, "report", history, "--json"} + more));
}

std::string printed_advice(const std::string& history, const words_of_command& more) {
    using support::operator+;
    return support::check_succeeds(words_of_command{BELLAMY_PROGRAM, "recommend", history, "--application", "daily"} + more);
}

std::string savings_in(const json& of) { return of.at("answers").at(0).dump(); }

double law_of(const json& choice, const slowdown& slower) {
    return runtime_s(choice.at("scale_out").get<int>(), choice.at("configuration").at("executor_cores").get<int>(), slower);
}

}  // namespace

TEST_CASE("where runs had executors of several sizes, all outputs say that others are cheaper on the same machine type") {
    const support::temporary_directory place;
    support::write_text(place / "sizes.tsv", table_with_executors(runs_in_turn(36, all_sizes, large_are_best)));
    const words_of_command prices{"--price", "$0.10/h", "--deadline", "300"};
    using support::operator+;
    const auto machines = machines_of_record(place / "sizes.tsv", prices);
    REQUIRE(machines.size() == 2);
    const auto& now = machines.at(0);
    const auto& other = machines.at(1);
    CHECK(now.at("now") == true);
    CHECK(now.at("configuration").at("executor_cores") == 2);
    CHECK(other.at("now") == false);
    CHECK(other.at("configuration").at("executor_cores") == 4);
    CHECK(other.at("configuration").at("executor_memory_MB") == 8192);
    CHECK(other.at("configuration").at("executors") == other.at("scale_out"));
    for (const auto& each : machines) {
        CHECK(each.at("machine") == "");
        CHECK(each.at("runs") == 36);
        CHECK(each.at("executor_runs") == 12);
        CHECK(each.at("median_s").get<double>() == doctest::Approx(5 + law_of(each, large_are_best)).epsilon(0.1));
    }
    // An executor of twice the cores and memory costs twice as much.
    CHECK(now.at("money").get<double>() == doctest::Approx(0.1 * now.at("expected_unit_hours").get<double>()));
    CHECK(other.at("money").get<double>() == doctest::Approx(0.2 * other.at("expected_unit_hours").get<double>()));
    CHECK(other.at("money").get<double>() < 0.95 * now.at("money").get<double>());

    const auto report = reported(place / "sizes.tsv", prices);
    CHECK(report.at("applications").at(0).at("machines") == machines);
    const int executors = other.at("scale_out").get<int>();
    const auto choice = fmt::format("{} executor{} x 4 cores, 8192 MB", executors, executors == 1 ? "" : "s");
    const auto saving = savings_in(report);
    CHECK_MESSAGE(support::contains(saving, "daily: executors of another size, " + choice + ", would save $"), saving);
    CHECK_MESSAGE(support::contains(saving, "based on 36 runs there, 12 with such executors."), saving);
    const auto printed = printed_advice(place / "sizes.tsv", prices);
    CHECK_MESSAGE(support::contains(printed, "\ncheaper: " + choice + ", by "), printed);
    CHECK(support::contains(printed, "type not known, 2 cores, 4096 MB, now  12 of 36"));
    (void)support::check_succeeds(
        words_of_command{BELLAMY_PROGRAM, "report", place / "sizes.tsv", "--html", place / "page.html"} + prices);
    const auto page = support::read_text(place / "page.html");
    const auto settings = page.find("Settings with the cheaper executors");
    REQUIRE(settings != std::string::npos);
    CHECK(page.find("spark.executor.cores 4", settings) != std::string::npos);
    CHECK(support::contains(page, ">" + choice + ": saves $"));
    CHECK(support::contains(
        page, "Executors of another size cost in proportion to the larger of their shares of cores and memory."));
    // As everywhere, it takes more than the least saving to propose a change.
    const auto reluctant = prices + words_of_command{"--least-saving", "0.9"};
    CHECK(machines_of_record(place / "sizes.tsv", reluctant) == machines);
    CHECK_FALSE(support::contains(printed_advice(place / "sizes.tsv", reluctant), "cheaper: "));
    CHECK(machines_of_record(place / "sizes.tsv", {"--deadline", "300"}).empty());
}

TEST_CASE("each machine type has the executors that cost least of those that ran there and those that fit there") {
    const support::temporary_directory place;
    const auto on_types = [](const slowdown& slower) {
        // The last run is on "small", where none of four cores ran; on "large" none of one core did.
        auto runs = runs_in_turn(48, {4, 1, 2, 2}, slower);
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].machine = i % 4 == 0 || i % 4 == 2 ? "large" : "small";
        return table_with_executors(runs);
    };
    const words_of_command prices{"--machine", "small=0.1", "--machine", "large=0.1", "--deadline", "300"};
    support::write_text(place / "large.tsv", on_types(large_are_best));
    support::write_text(place / "small.tsv", on_types(small_are_best));
    const auto cores_of = [](const json& choice) { return choice.at("configuration").at("executor_cores").get<int>(); };
    const auto large = machines_of_record(place / "large.tsv", prices);
    REQUIRE(large.size() == 3);
    CHECK(large.at(0).at("machine") == "large");
    CHECK(cores_of(large.at(0)) == 4);
    CHECK(large.at(0).at("executor_runs") == 12);
    CHECK(large.at(1).at("now") == true);
    CHECK(cores_of(large.at(1)) == 2);
    CHECK(large.at(2).at("machine") == "small");
    CHECK(cores_of(large.at(2)) == 1);  // four cores do not fit there
    // What the latest run on a type had has its price.
    CHECK(large.at(0).at("money").get<double>() ==
          doctest::Approx(2 * 0.1 * large.at(0).at("expected_unit_hours").get<double>()));
    CHECK(support::contains(printed_advice(place / "large.tsv", prices), "\ncheaper: large with "));

    const auto small = machines_of_record(place / "small.tsv", prices);
    REQUIRE(small.size() == 3);
    CHECK(cores_of(small.at(0)) == 1);
    CHECK(small.at(0).at("executor_runs") == 0);
    CHECK(cores_of(small.at(2)) == 1);
    CHECK(small.at(2).at("executor_runs") == 12);
    CHECK(support::contains(printed_advice(place / "small.tsv", prices),
                            "24 runs there, none with such executors: try it once."));
}

TEST_CASE("on a new machine type the executors that were listed, and those that ran and fit into these, are compared") {
    const support::temporary_directory place;
    support::write_text(place / "sizes.tsv", table_with_executors(runs_in_turn(36, all_sizes, large_are_best)));
    const auto on_new = [&](const std::string& listed) {
        const auto machines = machines_of_record(place / "sizes.tsv",
                                                 {"--price", "0.1", "--deadline", "300", "--machine", "new=0.1," + listed});
        REQUIRE(machines.size() == 3);
        CHECK(machines.at(2).at("machine") == "new");
        CHECK(machines.at(2).at("runs") == 0);
        return machines.at(2);
    };
    const auto two = on_new("cores=2,memory=4GB");
    CHECK(two.at("configuration").at("executor_cores") == 2);  // four do not fit
    CHECK(two.at("money").get<double>() == doctest::Approx(0.1 * two.at("expected_unit_hours").get<double>()));
    CHECK(on_new("cores=1,memory=2GB").at("configuration").at("executor_cores") == 1);
    CHECK(on_new("cores=4,memory=8GB").at("configuration").at("executor_cores") == 4);
}

TEST_CASE("the present machine type has the executors of its last run, whatever is listed for it") {
    const support::temporary_directory place;
    auto runs = runs_in_turn(24, {2}, large_are_best);
    for (auto& run : runs) run.machine = "m5";
    support::write_text(place / "one.tsv", table_with_executors(runs));
    const auto machines = machines_of_record(place / "one.tsv", {"--machine", "m5=0.1,cores=4,memory=8GB", "--machine",
                                                                 "new=0.1,cores=4,memory=8GB", "--deadline", "300"});
    REQUIRE(machines.size() == 2);
    CHECK(machines.at(0).at("configuration").at("executor_cores") == 2);
    CHECK(machines.at(1).at("configuration").at("executor_cores") == 4);
}

TEST_CASE("an executor of another size costs in proportion to the larger of its shares of cores and memory") {
    const support::temporary_directory place;
    auto runs = runs_in_turn(24, {4, 2}, large_are_best);
    for (auto& run : runs)
        if (run.cores == 4) run.memory_mb = 3 * 4096;  // twice the cores, three times the memory
    support::write_text(place / "memory.tsv", table_with_executors(runs));
    const auto machines = machines_of_record(place / "memory.tsv", {"--price", "0.1", "--deadline", "300"});
    REQUIRE(machines.size() == 2);
    CHECK(machines.at(1).at("configuration").at("executor_memory_MB") == 3 * 4096);
    CHECK(machines.at(1).at("money").get<double>() ==
          doctest::Approx(0.3 * machines.at(1).at("expected_unit_hours").get<double>()));
}

TEST_CASE("executors with less memory are cheaper only where the heap fits or as much data ran with them") {
    const support::temporary_directory place;
    // Of as many cores each; those with less memory were faster. The next run has 1000 MB.
    const auto history = [&](const std::string& name, int data_mb, int heap_mb) {
        auto runs = runs_in_turn(36, {2}, [](int) { return 1; });
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].memory_mb = 8192;
            runs[i].heap_mb = heap_mb;
            if (i / 6 % 2 == 0) runs[i].data_mb = data_mb;
            if (i % 6 >= 3) continue;
            runs[i].runtime_s *= 0.6;
            runs[i].memory_mb = 2048;
            runs[i].data_mb = data_mb;
        }
        support::write_text(place / name, table_with_executors(runs));
        return place / name;
    };
    const words_of_command prices{"--price", "0.1", "--deadline", "400", "--data-size", "1000MB"};
    CHECK(support::contains(printed_advice(history("same.tsv", 1000, 0), prices), "\ncheaper: "));
    const auto less = printed_advice(history("less.tsv", 500, 0), prices);
    CHECK_FALSE(support::contains(less, "\ncheaper: "));
    CHECK(support::contains(
        less, "2 cores, 2048 MB: not advised: its executors have less memory for a core than the present ones"));
    CHECK(support::contains(printed_advice(history("fits.tsv", 500, 1000), prices), "\ncheaper: "));
    CHECK_FALSE(support::contains(printed_advice(history("outgrown.tsv", 500, 3000), prices), "\ncheaper: "));
}

TEST_CASE("executors of one size, of runs that did not succeed, or of a history of cores are compared with none") {
    const support::temporary_directory place;
    const words_of_command prices{"--price", "0.1", "--deadline", "300"};
    support::write_text(place / "one.tsv", table_with_executors(runs_in_turn(24, {2}, large_are_best)));
    CHECK(machines_of_record(place / "one.tsv", prices).empty());
    auto failed = runs_in_turn(24, {1, 2}, small_are_best);
    for (auto& run : failed)
        if (run.cores == 1) run.outcome = "failed";
    support::write_text(place / "failed.tsv", table_with_executors(failed));
    CHECK(machines_of_record(place / "failed.tsv", prices).empty());
    auto of_cores = runs_in_turn(24, {2}, large_are_best);
    for (auto& run : of_cores) {
        run.cores *= run.executors;
        run.executors = 1;
    }
    support::write_text(place / "cores.tsv", table_with_executors(of_cores));
    CHECK(machines_of_record(place / "cores.tsv", prices).empty());
    using support::operator+;
    const auto listed = prices + words_of_command{"--machine", "new=0.1,cores=4,memory=8GB"};
    const auto guessed = machines_of_record(place / "one.tsv", listed);
    REQUIRE(guessed.size() == 2);
    for (const auto& each : guessed) CHECK(each.at("executor_runs").is_null());
    CHECK_FALSE(support::contains(printed_advice(place / "one.tsv", listed), "shares of cores"));
}

TEST_CASE("where executors alone are compared, it is said why the other machine types that were given are not") {
    const support::temporary_directory place;
    auto here = runs_in_turn(36, all_sizes, large_are_best);
    for (auto& run : here) run.machine = "m5";
    auto there = runs_in_turn(12, {2}, large_are_best);
    for (auto& run : there) run.machine = "r5";
    const auto second = table_with_executors(there, "other");
    support::write_text(place / "two.tsv", table_with_executors(here) + second.substr(second.find('\n') + 1));
    const auto report = reported(place / "two.tsv", {"--machine", "m5=0.1", "--machine", "r5=0.1", "--deadline", "300"});
    for (const auto& one : report.at("applications")) {
        if (one.at("application") != "daily") continue;
        CHECK(one.at("machines").size() == 2);
        CHECK(support::contains(one.at("machines_not_compared").get<std::string>(), "all runs were on m5"));
    }
    CHECK(support::contains(savings_in(report), "executors of another size, m5 with "));
}

TEST_CASE("more executors gain while a stage has tasks for their cores, those of runs like the next, not of the last") {
    tools::application_history of{.name = "daily"};
    for (const int cores : {1, 4}) {
        const auto natural = bellamy::natural("executor_cores", static_cast<std::uint64_t>(cores));
        of.runs.push_back({.context = {.essential = {natural}, .unit = bellamy::scale_out_unit::executor},
                           .scale_out = 2,
                           .runtime_s = 100});
        of.facts.push_back({.size = {.executor_cores = cores}, .largest_stage_tasks = 64});
    }
    CHECK(tools::last_gain_by_tasks(of, of.runs[0].context, std::nullopt) == 64);
    CHECK(tools::last_gain_by_tasks(of, of.runs[1].context, std::nullopt) == 16);
}
