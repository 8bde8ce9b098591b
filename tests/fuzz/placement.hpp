// Any networks and jobs: refused by name, or placed by plans that an independent check accepts.
#ifndef BELLAMY_TESTS_FUZZ_PLACEMENT_HPP
#define BELLAMY_TESTS_FUZZ_PLACEMENT_HPP

#include <bellamy/placement/place.hpp>

#include <vector>

#include "input.hpp"

namespace fuzz {

/// Mostly numbers that make sense, so that planners see them too.
[[nodiscard]] inline double some_number(input& from, double low, double high) noexcept {
    return from.below(16) == 0 ? from.any_real() : from.between(low, high);
}

[[nodiscard]] inline bellamy::placement::data_centre some_data_centre(input& from) noexcept {
    const int slots = static_cast<int>(from.below(9));
    return {.slots = from.below(32) == 0 ? static_cast<int>(from.number<std::uint32_t>()) : slots,
            .load = static_cast<int>(from.below(4)),
            .price_per_kwh = some_number(from, 0, 2),
            .pue = some_number(from, 1, 2),
            .idle_kw_per_slot = some_number(from, 0, 1),
            .dynamic_kw_per_slot = some_number(from, 0, 1),
            .exponent = some_number(from, 1, 3),
            .switch_on_kw = from.yes() ? some_number(from, 0, 3) : 0};
}

/// Plans of all kinds, each checked.
inline void place_all_ways(const bellamy::placement::network& net, const std::vector<bellamy::placement::job_graph>& jobs,
                           std::uint64_t seed) {
    namespace placement = bellamy::placement;
    const auto accept = [&](const placement::plan& found) {
        require(placement::check(net, jobs, found).has_value(), "every plan is valid");
        require(found.lower_bound <= found.cost_rate, "no bound is above the cost");
    };
    const auto crawled = placement::crawl(net, jobs, {.seed = seed, .walks = 2, .passes = 1, .rounds = 1});
    require(crawled.has_value(), "crawlers answer");
    accept(*crawled);
    const placement::strategy_limits limits{.strategies = 100, .steps = 2000};
    const auto greedy = placement::place_greedily(net, jobs, limits);
    const auto small = placement::place_by_local_search(net, jobs, limits);
    require(greedy.has_value() == small.has_value(), "both list the same strategies");
    if (!small) {
        require(small.error().code() == bellamy::errc::too_many_strategies, "only limits are refused");
        return;
    }
    accept(*greedy);
    accept(*small);
    require(small->unplaced.size() <= greedy->unplaced.size(), "local search places at least as many jobs as greedy choice");
    const auto exact = placement::place_exactly(net, jobs, 5000, limits);
    if (!exact) return;
    accept(*exact);
    require(exact->unplaced.size() <= small->unplaced.size() && exact->unplaced.size() <= crawled->unplaced.size(),
            "nothing places more jobs than exact search");
    const double slack = 1e-6 * (1 + exact->cost_rate);
    for (const auto* other : {&*greedy, &*small, &*crawled})
        require(other->unplaced.size() > exact->unplaced.size() || other->cost_rate >= exact->cost_rate - slack,
                "nothing costs less than exact search");
}

inline void try_placement(bytes all) {
    namespace placement = bellamy::placement;
    input from(all);
    const std::uint64_t seed = from.number<std::uint16_t>();
    std::vector<placement::data_centre> sites;
    for (std::size_t left = from.below(6); left > 0; --left) sites.push_back(some_data_centre(from));
    std::vector<placement::link> links;
    for (std::size_t left = from.below(8); left > 0; --left)
        links.push_back({.a = static_cast<std::uint32_t>(from.below(6)),
                         .b = static_cast<std::uint32_t>(from.below(6)),
                         .traffic_price = from.yes() ? some_number(from, 0, 1) : 0});
    std::vector<placement::job_graph> jobs;
    for (std::size_t left = from.below(4); left > 0; --left) {
        const auto tasks = from.below(32) == 0 ? from.number<std::uint32_t>() : static_cast<std::uint32_t>(from.below(6));
        std::vector<placement::task_edge> edges;
        for (std::size_t i = from.below(7); i > 0; --i)
            edges.push_back({.a = static_cast<std::uint32_t>(from.below(6)),
                             .b = static_cast<std::uint32_t>(from.below(6)),
                             .traffic = from.yes() ? some_number(from, 0, 2) : 0});
        // Graphs of many tasks are known to be slow; here the rest is of interest.
        if (auto job = placement::job_graph::make(tasks, edges); job && job->tasks() <= 64) jobs.push_back(*std::move(job));
    }
    const auto net = placement::network::make(sites, links);
    // Tables of millions of slots take their time and tell nothing new.
    if (net && net->free_slots() <= 10'000) place_all_ways(*net, jobs, seed);
}

}  // namespace fuzz

#endif
