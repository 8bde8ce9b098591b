#include "../../bench/support/ellis.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bench;

namespace {

// Two jobs: one whose work is shared, one that takes the same everywhere.
[[nodiscard]] application_trace shared_and_fixed(int scale_out) {
    application_trace made{.application = "two", .run = "r"};
    made.scale_out = {{.at_s = 0, .scale_out = scale_out}};
    const double first_s = 10 + 120.0 / scale_out;
    made.jobs = {{.id = 0, .submitted_s = 0, .completed_s = first_s},
                 {.id = 1, .submitted_s = first_s, .completed_s = first_s + 7}};
    made.runtime_s = first_s + 7;
    return made;
}

[[nodiscard]] ellis_model learned_at(std::initializer_list<int> scale_outs) {
    std::vector<application_trace> runs;
    for (const int x : scale_outs) runs.push_back(shared_and_fixed(x));
    auto model = ellis_model::learn(runs);
    REQUIRE(model);
    return *model;
}

}  // namespace

TEST_CASE("Ellis knows a job's mean time, then Ernest's curve, then Bell's, by how many scale-outs it was seen at") {
    const auto two = learned_at({4, 8});
    CHECK(two.job_s(0, 30) == doctest::Approx((40 + 25) / 2.0));
    const auto five = learned_at({4, 6, 8, 10, 12});
    CHECK(five.job_s(0, 24) == doctest::Approx(15).epsilon(1e-6));
    CHECK(five.job_s(1, 24) == doctest::Approx(7).epsilon(1e-6));
    const auto six = learned_at({4, 6, 8, 10, 12, 16});
    CHECK(six.job_s(0, 24) == doctest::Approx(15).epsilon(1e-6));
    CHECK(std::abs(six.job_s(0, 7) / (10 + 120.0 / 7) - 1) <= 0.05);
}

TEST_CASE("Ellis's times serve its rule") {
    const auto model = learned_at({4, 6, 8, 10, 12});
    CHECK(model.jobs() == 2);
    CHECK(model.runs() == 5);
    const std::vector scale_outs{4, 8, 12};
    std::vector<double> room(6);
    const auto times = model.times(0, scale_outs, room);
    REQUIRE(times);
    CHECK(times->jobs == 2);
    CHECK(times->time_s[0] == model.job_s(0, 4));
    CHECK(times->time_s[5] == model.job_s(1, 12));
    CHECK(ellis_rule(*times, {.scale_out = 8, .elapsed_s = 0, .target_s = 100}).has_value());
    CHECK(model.times(1, scale_outs, std::span(room).first(3))->time_s[2] == doctest::Approx(7));
    CHECK(model.times(2, scale_outs, room).error().code() == errc::empty_candidates);
    CHECK(model.times(0, scale_outs, std::span(room).first(5)).error().code() == errc::buffer_too_small);
}

TEST_CASE("Ellis learns from runs of one application whose scale-out is known and constant") {
    CHECK(ellis_model::learn({}).error().code() == errc::empty_history);
    std::vector runs{shared_and_fixed(4), shared_and_fixed(8)};
    runs[1].scale_out.push_back({.at_s = 41, .scale_out = 9});
    CHECK(ellis_model::learn(runs)->runs() == 1);
    runs[0].scale_out.clear();
    CHECK(ellis_model::learn(runs).error().code() == errc::empty_history);
    runs = {shared_and_fixed(4), shared_and_fixed(8)};
    runs[1].application = "another";
    CHECK(ellis_model::learn(runs).error().code() == errc::invalid_option);
}
