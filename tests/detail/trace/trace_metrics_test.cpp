#include <bellamy/detail/trace/trace_metrics.hpp>

#include <doctest/doctest.h>

namespace {

using namespace bellamy;

const std::vector<scale_out_step> golden_steps{{0, 4}, {10, 5}, {11, 6}, {14, 8}};

}  // namespace

TEST_CASE("the scale-out at a time is that of the last step until then") {
    CHECK(detail::scale_out_at(golden_steps, 9.9) == 4);
    CHECK(detail::scale_out_at(golden_steps, 10) == 5);
    CHECK(detail::scale_out_at(golden_steps, 100) == 8);
    CHECK(detail::scale_out_at(std::vector<scale_out_step>{{1, 3}}, 0.5) == 0);
}

TEST_CASE("the rescaling share spans the first and the last change within an interval") {
    // Intervals and shares of the specification's golden file.
    CHECK(detail::rescaling_share(golden_steps, 2, 9) == 0);
    CHECK(detail::rescaling_share(golden_steps, 2, 10.5) == 0);
    CHECK(detail::rescaling_share(golden_steps, 8, 16) == 0.5);
    CHECK(detail::rescaling_share(golden_steps, 10, 20) == doctest::Approx(0.4));
    CHECK(detail::rescaling_share(golden_steps, 11.5, 14) == 0);
    CHECK(detail::rescaling_share(golden_steps, 3, 12) == doctest::Approx(1.0 / 9));
}

TEST_CASE("executors that join within half a minute leave the scale-out constant, later changes do not") {
    application_trace trace{.scale_out = {{0, 0}, {1, 2}, {2, 4}}};
    CHECK(detail::constant_scale_out(trace) == 4);
    trace.scale_out.push_back({40, 5});
    CHECK_FALSE(detail::constant_scale_out(trace));
    CHECK(detail::settled_scale_out(trace.scale_out) == 4);
    trace.scale_out.clear();
    CHECK_FALSE(detail::constant_scale_out(trace));
    CHECK(detail::settled_scale_out(trace.scale_out) == 0);
}

TEST_CASE("ratios of metrics: 0/x is 0, x/0 is 1 before it is squashed, what is absent is 0") {
    const auto ratios = detail::ratios_of({.cpu_s = 3,
                                           .run_s = 4,
                                           .input_bytes = 10,
                                           .output_bytes = 0,
                                           .shuffle_read_bytes = 0,
                                           .shuffle_write_bytes = 5,
                                           .disk_spilled_bytes = 30,
                                           .peak_execution_memory_bytes = 10});
    CHECK(ratios == std::array<double, 5>{0.75, 0, 0, 0.5, 0.75});
}

TEST_CASE("of several attempts of a stage the last counts") {
    const job_trace job{.stages = {{.id = 5, .attempt = 1, .name = "second"},
                                   {.id = 5, .attempt = 0, .name = "first"},
                                   {.id = 2, .name = "a"}}};
    const auto last = detail::last_attempts(job);
    REQUIRE(last.size() == 2);
    CHECK(last[0]->name == "a");
    CHECK(last[1]->name == "second");
}

TEST_CASE("a changed name, another set of parents and another number of stages make another shape; ids and times do not") {
    const job_trace job{.stages = {{.id = 1, .name = "a"}, {.id = 2, .name = "b", .parents = {1}}}};
    auto other = job;
    other.stages[0].id = 4;
    other.stages[1].id = 9;
    other.stages[1].parents = {4};
    other.stages[1].completed_s = 3;
    CHECK(detail::shape_of(other) == detail::shape_of(job));
    other.stages[0].name = "c";
    CHECK(detail::shape_of(other) != detail::shape_of(job));
    CHECK(detail::shape_of(other, detail::shape_detail::parents) == detail::shape_of(job, detail::shape_detail::parents));
    other = job;
    other.stages[1].parents.clear();
    CHECK(detail::shape_of(other) != detail::shape_of(job));
    other = job;
    other.stages.push_back({.id = 3, .name = "c"});
    CHECK(detail::shape_of(other) != detail::shape_of(job));
}
