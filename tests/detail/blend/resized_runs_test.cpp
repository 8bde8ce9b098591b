#include <bellamy/detail/blend/shape_prior.hpp>
#include <bellamy/schema.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using namespace bellamy::detail;

namespace {

run run_of(std::uint64_t size_gb, double runtime_s = 100) {
    return {.context = support::made_up_context(size_gb), .scale_out = 4, .runtime_s = runtime_s};
}

}  // namespace

TEST_CASE("the runs of the nearest size are moved to the one asked about, in whichever order they came") {
    const std::vector runs{run_of(50, 1), run_of(1000, 2), run_of(10, 3), run_of(50, 4), run_of(2000, 5)};
    const auto found = resize_runs(runs, support::made_up_context(100));
    REQUIRE(found.runs.size() == 2);
    CHECK(found.runs[0].runtime_s == doctest::Approx(std::pow(2, size_exponent_mean)));
    CHECK(found.runs[1].runtime_s == doctest::Approx(4 * std::pow(2, size_exponent_mean)));
    CHECK(found.deviation == doctest::Approx(size_exponent_deviation * std::log(2)));
}

TEST_CASE("of two sizes that are equally near only one is taken, with all its runs") {
    const std::vector runs{run_of(200), run_of(50), run_of(200), run_of(50)};
    const auto found = resize_runs(runs, support::made_up_context(100));
    REQUIRE(found.runs.size() == 2);
    CHECK(found.runs[0].context == found.runs[1].context);
}

TEST_CASE(
    "the target's own runs, those of a machine of unknown cores, of another unit, of a size of 0 or an unknown one stay") {
    auto elsewhere = run_of(50);
    elsewhere.context = support::made_up_context(50, "m5.xlarge");
    auto on_executors = run_of(50);
    on_executors.context.unit = scale_out_unit::executor;
    auto unknown_size = run_of(50);
    unknown_size.context.essential[1].value = std::nullopt;
    const std::vector runs{run_of(100), elsewhere, on_executors, unknown_size, run_of(0)};
    CHECK(resize_runs(runs, support::made_up_context(100)).runs.empty());
    CHECK(resize_runs(std::vector{run_of(50)}, support::made_up_context(0)).runs.empty());
    CHECK(resize_runs(std::vector{run_of(50)}, unknown_size.context).runs.empty());
    CHECK(resize_runs(std::vector{run_of(50)}, {.optional = {natural("size_gb", 100)}}).runs.empty());
}

TEST_CASE("runs on machines of other cores are moved in slots, with doubt of the machine, and the same size is nearest") {
    const auto on_cores = [](std::uint64_t cores, std::uint64_t size_gb) {
        auto run = run_of(size_gb);
        run.context.essential.push_back(natural("cores", cores).with_role(property_role::cores_per_node));
        return run;
    };
    const std::vector runs{on_cores(2, 50), on_cores(2, 100), on_cores(8, 200)};
    const auto moved = resize_runs(runs, on_cores(8, 100).context);
    REQUIRE(moved.runs.size() == 1);
    CHECK(moved.slots_per_unit == 8);
    CHECK(moved.runs[0].scale_out == 4 * 2);
    CHECK(moved.runs[0].runtime_s == doctest::Approx(100));
    CHECK(moved.deviation == doctest::Approx(machine_deviation));
    CHECK_FALSE(moved.outside_sizes);
    CHECK(moved.is_like_target);  // by the run of 200 on the same machine
    // Of one machine they stay in its units.
    const auto resized = resize_runs(std::span(runs).last(1), on_cores(8, 100).context);
    CHECK(resized.slots_per_unit == 1);
    CHECK(resized.outside_sizes);
    CHECK(resized.is_like_target);
    CHECK_FALSE(resize_runs(std::span(runs).last(1), on_cores(8, 90).context).is_like_target);
    CHECK_FALSE(resize_runs(std::span(runs).first(2), on_cores(8, 100).context).is_like_target);
    CHECK(resized.deviation == doctest::Approx(size_exponent_deviation * std::log(2)));
}
