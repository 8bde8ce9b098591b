#include <bellamy/placement/place.hpp>

#include "support/compare.hpp"
#include "support/placement_instances.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using placement_bench::make_instance;
using support::check_refused;

TEST_CASE("every size gets a valid plan whose bound is below it, and the same one again") {
    for (const char* row :
         {"small", "small-tight", "small-switch", "small-traffic", "Abilene", "medium30", "medium30-switch"}) {
        CAPTURE(row);
        const auto made = make_instance(row, 7);
        const auto found = place(made.net, made.jobs, {.budget_s = 0.5}).value();
        CHECK(check(made.net, made.jobs, found.plan).has_value());
        CHECK(found.plan.unplaced.empty());
        CHECK(found.plan.lower_bound <= found.plan.cost_rate);
        CHECK(place(made.net, made.jobs, {.budget_s = 0.5}).value().plan.where == found.plan.where);
        if (made.net.size() > 6) continue;
        CHECK(found.plan.cost_rate == doctest::Approx(place_exactly(made.net, made.jobs).value().cost_rate).epsilon(1e-9));
    }
}

TEST_CASE("plans lie between the bound and greedy choice") {
    for (const char* row : {"small", "small-tight", "small-switch", "small-traffic", "Abilene", "Abilene-switch"})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            CAPTURE(row);
            CAPTURE(seed);
            const auto made = make_instance(row, seed);
            const auto ours = place(made.net, made.jobs, {.budget_s = 0.2}).value().plan;
            const auto greedy = place_greedily(made.net, made.jobs).value();
            CHECK(ours.lower_bound <= ours.cost_rate);
            CHECK(ours.unplaced.size() <= greedy.unplaced.size());
            if (ours.unplaced == greedy.unplaced) CHECK(ours.cost_rate <= greedy.cost_rate + 1e-9);
        }
    // Too many strategies to list: each job in turn to the cheapest of its walks.
    for (const char* row : {"medium30", "medium30-tight", "medium100-switch"}) {
        CAPTURE(row);
        const auto made = make_instance(row, 2);
        const auto ours = place(made.net, made.jobs).value().plan;
        const auto greedy = crawl(made.net, made.jobs, {.walks = 5, .passes = 0, .rounds = 0}).value();
        CHECK(ours.lower_bound <= ours.cost_rate);
        CHECK(ours.unplaced.size() <= greedy.unplaced.size());
        if (ours.unplaced == greedy.unplaced) CHECK(ours.cost_rate <= greedy.cost_rate + 1e-9);
    }
}

TEST_CASE("a smaller budget is kept to, and gives a valid plan too") {
    const auto made = make_instance("medium30", 3);
    const auto quick = place(made.net, made.jobs, {.budget_s = 1e-9}).value();
    const auto slow = place(made.net, made.jobs, {.budget_s = 10}).value();
    CHECK(check(made.net, made.jobs, quick.plan).has_value());
    CHECK(quick.how == method::crawlers);
    CHECK(slow.plan.cost_rate <= quick.plan.cost_rate + 1e-9);
    check_refused(place(made.net, made.jobs, {.budget_s = 0}), errc::invalid_option);
    check_refused(place(made.net, made.jobs, {.budget_s = std::numeric_limits<double>::quiet_NaN()}), errc::invalid_option);
}

TEST_CASE("jobs that do not fit are listed, the others placed") {
    const std::vector<data_centre> sites{{.slots = 3, .price_per_kwh = 1, .idle_kw_per_slot = 1}, {.slots = 2}};
    const auto net = placement::network::make(sites, {}).value();
    const std::vector<job_graph> jobs{job_graph::path(4).value(), job_graph::path(3).value(), job_graph::path(0).value()};
    const auto found = place(net, jobs).value();
    CHECK(check(net, jobs, found.plan).has_value());
    CHECK(found.plan.unplaced == std::vector<std::uint32_t>{0});
    CHECK(place(net, {}).value().plan.cost_rate == 0);
}
