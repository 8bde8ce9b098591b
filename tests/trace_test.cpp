#include <bellamy/trace.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace {

using bellamy::application_trace;
using bellamy::errc;
using bellamy::stage_trace;

[[nodiscard]] application_trace recorded_run() {
    application_trace trace{.application = "etl", .run = "r", .runtime_s = 10, .scale_out = {{0, 0}, {1, 4}}};
    trace.jobs = {{.id = 0,
                   .submitted_s = 1.0,
                   .completed_s = 9.0,
                   .stages = {{.id = 3, .name = "a", .tasks = 2, .submitted_s = 1.0, .completed_s = 4.0, .task_s = {1, 2}},
                              {.id = 4, .name = "b", .parents = {3}, .submitted_s = 4.0, .completed_s = 9.0}}}};
    return trace;
}

[[nodiscard]] std::string refusal(const std::function<void(application_trace&)>& spoil) {
    auto trace = recorded_run();
    spoil(trace);
    const auto valid = validate(trace);
    if (valid) return "valid";
    CHECK(valid.error().code() == errc::invalid_trace);
    return std::string(valid.error().message());
}

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("a trace without an error is valid, also with other stages, with a job without any, and unfinished") {
    CHECK(validate(recorded_run()));
    CHECK(refusal([](auto& trace) { trace.jobs.push_back({.id = 1, .submitted_s = 9.5}); }) == "valid");
    CHECK(refusal([](auto& trace) {
              trace.outcome = bellamy::trace_outcome::unfinished;
              trace.runtime_s = 0;
              trace.jobs[0].stages[1].completed_s.reset();
          }) == "valid");
    CHECK(refusal([](auto& trace) {
              trace.jobs[0].stages.push_back(trace.jobs[0].stages[0]);
              trace.jobs[0].stages.back().attempt = 1;
          }) == "valid");
}

TEST_CASE("a stage that waits for itself, in however many steps, is refused by its id") {
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[0].parents = {4}; }) ==
          "job 0: expected stages without a cycle, found one that stage 3 waits for");
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[1].parents = {4}; }) ==
          "job 0: expected stages without a cycle, found one that stage 4 waits for");
}

TEST_CASE("a parent that is not in the job is refused by its id") {
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[1].parents = {7}; }) ==
          "job 0: stage 4: expected parents among the stages of its job, found 7");
}

TEST_CASE("times that run backwards are refused") {
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[1].completed_s = 3; }) ==
          "job 0: stage 4: expected an end after the start at 4 s, found 3 s");
    CHECK(refusal([](auto& trace) { trace.jobs[0].completed_s = 0.5; }) ==
          "job 0: expected an end after the start at 1 s, found 0.5 s");
    CHECK(refusal([](auto& trace) { trace.jobs.push_back({.id = 1, .submitted_s = 0.5}); }) ==
          "job 1: expected jobs in the order of submission, found 0.5 s after 1 s");
    CHECK(refusal([](auto& trace) {
              trace.scale_out.push_back({0.5, 2});
          }) == "expected steps of the scale-out forwards in time, found 0.5 s after 1 s");
}

TEST_CASE("numbers that cannot be are refused by name") {
    CHECK(refusal([](auto& trace) { trace.runtime_s = quiet_nan; }) == "expected a finite runtime_s > 0, found nan");
    CHECK(refusal([](auto& trace) { trace.runtime_s = 0; }) == "expected a finite runtime_s > 0, found 0");
    CHECK(refusal([](auto& trace) { trace.attempt = 0; }) == "expected attempts counted from 1, found 0");
    CHECK(refusal([](auto& trace) { trace.scale_out[1].scale_out = -1; }) ==
          "expected a scale-out from 0 to 1000000 in a step, found -1");
    CHECK(refusal([](auto& trace) { trace.jobs[0].submitted_s = -1; }) ==
          "job 0: expected a finite submitted_s >= 0, found -1");
    const auto stage = [](const std::function<void(stage_trace&)>& spoil) {
        return refusal([&](auto& trace) { spoil(trace.jobs[0].stages[0]); });
    };
    CHECK(stage([](auto& one) { one.task_s[1] = quiet_nan; }) ==
          "job 0: stage 3: expected finite task durations >= 0, found nan");
    CHECK(stage([](auto& one) { one.task_s.push_back(1); }) ==
          "job 0: stage 3: expected durations of at most 2 tasks, found 3");
    CHECK(stage([](auto& one) { one.first_wave = 3; }) ==
          "job 0: stage 3: expected a first wave of at most 2 tasks, found 3");
    CHECK(stage([](auto& one) { one.partitions = -1; }) == "job 0: stage 3: expected a finite partitions >= 0, found -1");
    CHECK(stage([](auto& one) { one.rescaling_share = 1.5; }) ==
          "job 0: stage 3: expected a rescaling_share from 0 to 1, found 1.5");
    CHECK(stage([](auto& one) { one.metrics = {.input_bytes = -5}; }) ==
          "job 0: stage 3: expected a finite input_bytes >= 0, found -5");
    CHECK(stage([](auto& one) { one.metrics = {.gc_s = quiet_nan}; }) ==
          "job 0: stage 3: expected a finite gc_s >= 0, found nan");
}

TEST_CASE("an id that two jobs have is refused") {
    CHECK(refusal([](auto& trace) { trace.jobs.push_back({.id = 0, .submitted_s = 9.5}); }) ==
          "job 0: expected every id once, found it twice");
}

TEST_CASE("a job that began after its run had ended is refused, unless the run has not ended") {
    const auto late = [](auto& trace) { trace.jobs.push_back({.id = 1, .submitted_s = 10.5}); };
    CHECK(refusal(late) == "job 1: expected jobs submitted within the 10 s of the run, found 10.5 s");
    CHECK(refusal([&](auto& trace) {
              late(trace);
              trace.outcome = bellamy::trace_outcome::unfinished;
          }) == "valid");
    CHECK(refusal([](auto& trace) { trace.jobs[0].completed_s = 10.5; }) == "valid");
}

TEST_CASE("an attempt of a stage that is there twice is refused") {
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages.push_back(trace.jobs[0].stages[0]); }) ==
          "job 0: stage 3: expected every attempt once, found attempt 0 twice");
}

TEST_CASE("names of 64 KB are valid, longer ones and other bytes than UTF-8 are not") {
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[0].name.assign(65536, 'n'); }) == "valid");
    CHECK(refusal([](auto& trace) { trace.jobs[0].stages[0].name.assign(65537, 'n'); }) ==
          "job 0: stage 3: expected the stage's name of at most 65536 bytes, found 65537");
    CHECK(refusal([](auto& trace) { trace.application = "\xFF"; }) ==
          "expected the application's name in UTF-8, found other bytes");
    CHECK(refusal([](auto& trace) { trace.application = ""; }) == "expected the name of an application, found none");
}

TEST_CASE("ten thousand stages in a chain are valid, and a cycle through all of them is found") {
    auto trace = recorded_run();
    auto& stages = trace.jobs[0].stages;
    stages.assign(10000, {});
    for (std::size_t i = 0; i < stages.size(); ++i) {
        stages[i].id = static_cast<std::int64_t>(i);
        if (i > 0) stages[i].parents = {stages[i].id - 1};
    }
    CHECK(validate(trace));
    stages[0].parents = {9999};
    CHECK_FALSE(validate(trace));
}

TEST_CASE("properties of a trace obey the rules of contexts") {
    auto trace = recorded_run();
    trace.properties = {bellamy::natural("data_size_MB", 1), bellamy::natural("data_size_MB", 2)};
    CHECK(validate(trace).error().code() == errc::duplicate_property);
}
