#include <bellamy/replay.hpp>

#include <doctest/doctest.h>

namespace {

using bellamy::application_replay;
using bellamy::application_trace;

// One unit of one slot: a stage of four tasks of 2 s, then one of two tasks; half a second of driver time.
[[nodiscard]] application_trace two_stages() {
    application_trace trace{.application = "a", .runtime_s = 14.5, .scale_out = {{0, 1}}};
    trace.jobs = {
        {.submitted_s = 0.0,
         .completed_s = 14.0,
         .stages = {{.id = 0, .tasks = 4, .submitted_s = 0.0, .completed_s = 8.0, .task_s = {2, 2, 2, 2}},
                    {.id = 1, .parents = {0}, .tasks = 2, .submitted_s = 8.0, .completed_s = 14.0, .task_s = {3, 3}}}}};
    return trace;
}

[[nodiscard]] bellamy::replayed_times replayed(const application_trace& trace, int scale_out) {
    return application_replay::from_trace(trace).value().at(scale_out).value();
}

}  // namespace

TEST_CASE("tasks go to the slot that is free first, stage after stage, and driver time stays") {
    const auto one = replayed(two_stages(), 1);
    CHECK(one.stage_s[0] == std::vector<double>{8, 6});
    CHECK(one.run_s == 14.5);
    const auto two = replayed(two_stages(), 2);
    CHECK(two.stage_s[0] == std::vector<double>{4, 3});
    CHECK(two.path_s[0] == 7);
    CHECK(two.run_s == 7.5);
    CHECK(replayed(two_stages(), 100).run_s == 5.5);
}

TEST_CASE("stages that are ready together share the slots, the lower position first") {
    auto trace = two_stages();
    auto& stages = trace.jobs[0].stages;
    stages[1].parents.clear();
    stages[1].submitted_s = 0;
    const auto one = replayed(trace, 1);
    CHECK(one.stage_s[0] == std::vector<double>{8, 14});
    const auto three = replayed(trace, 3);
    // Slots: 2 2 | 2 3 | 2 3.
    CHECK(three.stage_s[0] == std::vector<double>{4, 5});
    CHECK(three.path_s[0] == 5);
}

TEST_CASE("the first wave's slowdown follows the wave, not the task") {
    application_trace trace{.application = "a", .runtime_s = 10, .scale_out = {{0, 2}}};
    // On two slots: a first wave of two tasks that take twice as long, then six others.
    trace.jobs = {{.submitted_s = 0.0,
                   .completed_s = 10.0,
                   .stages = {{.id = 0,
                               .tasks = 8,
                               .submitted_s = 0.0,
                               .completed_s = 10.0,
                               .task_s = {4, 4, 2, 2, 2, 2, 2, 2},
                               .first_wave = 2}}}};
    CHECK(replayed(trace, 2).run_s == doctest::Approx(10));
    CHECK(replayed(trace, 8).run_s == doctest::Approx(4));
    CHECK(replayed(trace, 1).run_s == doctest::Approx(18));
}

TEST_CASE("what the tasks do not explain of a stage and of the run stays as it was") {
    auto trace = two_stages();
    trace.jobs[0].stages[0].completed_s = 9.0;
    trace.jobs[0].stages[1].submitted_s = 9.0;
    trace.jobs[0].stages[1].completed_s = 15.0;
    trace.jobs[0].completed_s = 16.0;
    trace.runtime_s = 20;
    CHECK(replayed(trace, 1).run_s == 20);
    CHECK(replayed(trace, 2).run_s == 13);
}

TEST_CASE("units have the slots that a first wave shows") {
    auto trace = two_stages();
    trace.jobs[0].stages[0].task_s = {2, 2, 2, 2, 2, 2};
    trace.jobs[0].stages[0].tasks = 6;
    trace.jobs[0].stages[0].first_wave = 3;
    trace.jobs[0].stages[0].completed_s = 4.0;
    const auto two = replayed(trace, 2);
    CHECK(two.stage_s[0][0] == 2);
}

TEST_CASE("a run whose stages each fit into one wave is replayed with the slots that it had") {
    // Four units of four slots: 16 tasks at once, none of which says how many more there would have been room for.
    application_trace trace{.application = "a", .runtime_s = 10, .scale_out = {{0, 4}}};
    trace.jobs = {{.submitted_s = 0.0,
                   .completed_s = 10.0,
                   .stages = {{.id = 0,
                               .tasks = 16,
                               .submitted_s = 0.0,
                               .completed_s = 10.0,
                               .task_s = std::vector<double>(16, 10.0),
                               .first_wave = 16}}}};
    const auto check = [&] {
        for (const auto& [x, expected_s] : {std::pair(1, 40.0), {2, 20.0}, {4, 10.0}, {8, 10.0}})
            CHECK(replayed(trace, x).run_s == doctest::Approx(expected_s));
    };
    check();  // by the first wave
    trace.jobs[0].stages[0].first_wave.reset();
    trace.slots_per_unit = 4;
    check();
    trace.slots_per_unit.reset();
    trace.unit = bellamy::scale_out_unit::core;
    trace.scale_out = {{0, 16}};
    CHECK(replayed(trace, 16).run_s == doctest::Approx(10));
    CHECK(replayed(trace, 4).run_s == doctest::Approx(40));
    trace.slots_per_unit = 0.5;  // two cores for a task: half of the tasks would have had to wait
    CHECK(application_replay::from_trace(trace).error().code() == bellamy::errc::invalid_trace);
    trace.jobs[0].stages[0].completed_s = trace.jobs[0].completed_s = trace.runtime_s = 20;
    CHECK(replayed(trace, 8).run_s == doctest::Approx(40));
}

TEST_CASE("a replay at the scale-out of its source takes what was recorded, also where another order of tasks took less") {
    auto trace = two_stages();
    trace.scale_out = {{0, 2}};
    // The long task was launched last, but by the record it did not wait.
    trace.jobs[0].stages[0].task_s = {2, 2, 2, 4};
    trace.jobs[0].stages[0].completed_s = 5.0;
    trace.jobs[0].stages[1].submitted_s = 5.0;
    trace.jobs[0].stages[1].completed_s = trace.jobs[0].completed_s = 8.0;
    trace.runtime_s = 9;
    CHECK(replayed(trace, 2).run_s == doctest::Approx(9));
    CHECK(replayed(trace, 1).run_s > 15);
}

TEST_CASE("a replay at the scale-out of its source takes what was recorded, also where stages or jobs end late") {
    auto trace = two_stages();
    trace.jobs.push_back({.id = 1,
                          .submitted_s = 14.0,
                          .completed_s = 20.0,
                          .stages = {{.id = 2, .tasks = 2, .submitted_s = 14.0, .completed_s = 28.0, .task_s = {7, 7}}}});
    trace.runtime_s = 28.5;
    CHECK(replayed(trace, 1).run_s == doctest::Approx(28.5));
    CHECK(replayed(trace, 2).run_s == doctest::Approx(28.5 - 7 - 3));  // half of each job
    trace.runtime_s = 18;
    CHECK(replayed(trace, 1).run_s == doctest::Approx(18));
}

TEST_CASE("the curve of a replay goes through what it replays and widens away from its source") {
    const auto replay = application_replay::from_trace(two_stages()).value();
    const auto runtimes = replay.run_curve();
    for (const int x : {1, 2, 3, 4, 8}) CHECK(runtimes.at(x).median_s == doctest::Approx(replay.at(x)->run_s));
    CHECK(runtimes.at(1).spread() < runtimes.at(2).spread());
    CHECK(runtimes.at(2).spread() < runtimes.at(8).spread());
    CHECK(runtimes.at(2).outside_seen_scale_outs);
    CHECK(runtimes.at(1'000'000).usable());
}

TEST_CASE("the spread of a replay is learned where runs at several scale-outs are recorded") {
    // The more units, the slower each of them, by a fifth for each doubling: as where they share a disk.
    std::vector<application_trace> runs;
    for (const int x : {1, 2, 4, 8}) {
        application_trace trace{.application = "a", .scale_out = {{0, x}}};
        const double slowdown = 1 + 0.2 * std::log2(x);
        trace.runtime_s = 32.0 / x * slowdown;
        trace.jobs = {{.submitted_s = 0.0, .completed_s = trace.runtime_s}};
        trace.jobs[0].stages = {{.tasks = 16, .submitted_s = 0.0, .completed_s = trace.runtime_s}};
        trace.jobs[0].stages[0].task_s.assign(16, 2 * slowdown);
        runs.push_back(trace);
    }
    std::vector<const application_trace*> history;
    for (const auto& each : runs) history.push_back(&each);
    const auto error = bellamy::replay_spread(history);
    CHECK(error.per_doubling > 0.1);
    CHECK(error.per_doubling < 0.25);
    CHECK(error.at_source < 0.06);
    const auto usual = bellamy::replay_spread(std::span(history).first(1));
    CHECK(usual.per_doubling == bellamy::replay_error{}.per_doubling);
}

TEST_CASE("what cannot be replayed is refused by name") {
    auto trace = two_stages();
    trace.jobs[0].stages[1].task_s.clear();
    CHECK(application_replay::from_trace(trace).error().message() ==
          "job 0: stage 1: expected the durations of its tasks, found none");
    trace = two_stages();
    trace.scale_out.clear();
    CHECK(application_replay::from_trace(trace).error().code() == bellamy::errc::invalid_trace);
    trace = two_stages();
    trace.outcome = bellamy::trace_outcome::failed;
    CHECK_FALSE(application_replay::from_trace(trace));
    CHECK(application_replay::from_trace(two_stages())->at(0).error().code() == bellamy::errc::invalid_scale_out);
    for (const double none : {-1.0, 1e300, std::nan("")}) {
        CHECK(application_replay::from_trace(two_stages(), {.at_source = none}).error().code() ==
              bellamy::errc::invalid_option);
        CHECK(application_replay::from_trace(two_stages(), {.per_doubling = none}).error().code() ==
              bellamy::errc::invalid_option);
    }
}
