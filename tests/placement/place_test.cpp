#include <bellamy/placement/place.hpp>

#include "support/compare.hpp"
#include "support/placement_instances.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using placement_bench::make_instance;
using support::check_refused;

namespace {

/// Of the first job that is left out, in a network of which only the first two data centres are linked.
[[nodiscard]] shortfall of_unplaced(const std::vector<int>& slots, const std::vector<job_graph>& jobs) {
    std::vector<data_centre> sites;
    for (const int each : slots) sites.push_back({.slots = each, .price_per_kwh = 1, .idle_kw_per_slot = 1});
    const std::vector<placement::link> links{{.a = 0, .b = 1}};
    const auto net = placement::network::make(sites, links).value();
    const auto found = place(net, jobs).value().plan;
    return why_unplaced(net, jobs, found, found.unplaced.empty() ? 0 : found.unplaced.front());
}

void check_short(const shortfall& found, shortage what, int needed, int there) {
    CHECK(to_string(found.what) == to_string(what));
    CHECK(found.needed == needed);
    CHECK(found.available == there);
}

}  // namespace

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

TEST_CASE("a plan says what is short for a job that it leaves out, and how much of it there is") {
    const auto path = [](std::uint32_t tasks) { return job_graph::path(tasks).value(); };
    const auto apart = [](std::uint32_t tasks) { return job_graph::make(tasks, {}).value(); };
    check_short(of_unplaced({2, 2, 3}, {path(4)}), shortage::none, 0, 0);
    check_short(of_unplaced({2, 2, 3}, {path(8)}), shortage::slots, 8, 7);
    check_short(of_unplaced({2, 2, 3}, {path(5)}), shortage::connected_slots, 5, 4);
    // Tasks without edges may be anywhere.
    check_short(of_unplaced({2, 2, 3}, {apart(5)}), shortage::none, 0, 0);
    check_short(of_unplaced({2, 2, 0}, {apart(3), path(2)}), shortage::slots_left, 3, 2);
    check_short(of_unplaced({2, 2, 2}, {path(4), path(2), path(1)}), shortage::slots_left, 4, 3);
    check_short(of_unplaced({3, 1, 2}, {path(3), path(3)}), shortage::connected_slots_left, 3, 2);
    // In a line of three data centres of one slot each, no triangle has a link for every edge.
    const std::vector<data_centre> line(3, {.slots = 1});
    const std::vector<placement::link> links{{.a = 0, .b = 1}, {.a = 1, .b = 2}};
    const auto net = placement::network::make(line, links).value();
    const std::vector<job_graph> triangle{job_graph::cycle(3).value()};
    const auto found = place(net, triangle).value().plan;
    check_short(why_unplaced(net, triangle, found, 0), shortage::links, 0, 0);
}
