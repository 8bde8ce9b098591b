#include "contract/allocation_counter.hpp"
#include "support/placement_instances.hpp"

#include <bellamy/placement/arrivals.hpp>
#include <bellamy/placement/selection.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::allocations;

TEST_CASE("a crawler allocates nothing once the largest job has been walked") {
    const auto made = placement_bench::make_instance("large", 1);
    placement::detail::present_load load(made.net);
    placement::detail::walker walker(made.net);
    bellamy::detail::random_generator random(1);
    for (const auto& job : made.jobs) static_cast<void>(walker.walk(job, load, random, {}));
    const std::size_t before = allocations;
    std::size_t through = 0;
    for (int round = 0; round < 10; ++round)
        for (const auto& job : made.jobs) through += walker.walk(job, load, random, {}) ? 1U : 0U;
    CHECK(allocations == before);
    CHECK(through > 9 * made.jobs.size());
}

TEST_CASE("departures and rounds of selection allocate nothing") {
    const auto made = placement_bench::make_instance("small", 1);
    data_centre_state state(made.net);
    const auto first = state.place(made.jobs[0], 0).value();
    static_cast<void>(state.place(made.jobs[1], 0).value());
    auto rule = hedge::make(4).value();
    auto own = exp3::make(4, 100).value();
    auto matching = regret_matching::make(4).value();
    const std::vector<double> costs{0.1, 0.2, 0.3, 0.4};
    const std::size_t before = allocations;
    bool good = state.depart(*first, 1).has_value();
    good = rule.update(costs).has_value() && own.update(1, 0.5).has_value() && matching.update(costs).has_value() && good;
    CHECK(allocations == before);
    CHECK(good);
}
