#include <bellamy/placement/place.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;

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
