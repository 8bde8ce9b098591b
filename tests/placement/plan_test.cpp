#include <bellamy/placement/enumerated_plans.hpp>
#include <bellamy/placement/plan.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"
#include "support/plan_judge.hpp"

#include <bellamy/detail/base/random.hpp>

#include <doctest/doctest.h>

#include <map>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;
using support::close;

namespace {

struct small_case {
    placement::network net;
    std::vector<job_graph> jobs;
};

/// Few data centres with random links, prices and switch-ons, and jobs of up to four tasks.
[[nodiscard]] small_case random_case(bellamy::detail::random_generator& random, std::size_t most_data_centres,
                                     std::size_t most_jobs) {
    const std::size_t n = 1 + random.below(most_data_centres);
    std::vector<data_centre> sites;
    for (std::size_t i = 0; i < n; ++i) {
        const int slots = static_cast<int>(random.below(6));
        sites.push_back({.slots = slots,
                         .load = static_cast<int>(random.below(static_cast<std::size_t>(slots) / 2 + 1)),
                         .price_per_kwh = random.uniform(),
                         .pue = 1 + random.uniform(),
                         .idle_kw_per_slot = random.uniform(),
                         .dynamic_kw_per_slot = random.uniform(),
                         .exponent = 1 + 2 * random.uniform(),
                         .switch_on_kw = random.below(2) == 0 ? 0 : 2 * random.uniform()});
    }
    std::vector<placement::link> links;
    for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = a + 1; b < n; ++b)
            if (random.below(3) > 0)
                links.push_back({.a = a, .b = b, .traffic_price = random.below(2) == 0 ? 0 : random.uniform()});
    std::vector<job_graph> jobs;
    for (std::size_t j = random.below(most_jobs + 1); j > 0; --j) {
        const auto tasks = static_cast<std::uint32_t>(random.below(5));
        std::vector<task_edge> edges;
        for (std::uint32_t a = 0; a < tasks; ++a)
            for (std::uint32_t b = a + 1; b < tasks; ++b)
                if (random.below(2) == 0) edges.push_back({.a = b, .b = a, .traffic = random.uniform()});
        jobs.push_back(job_graph::make(tasks, edges).value());
    }
    return {.net = placement::network::make(sites, links).value(), .jobs = std::move(jobs)};
}

/// Every map of the tasks, tried one by one: counts of all data centres to the least traffic.
[[nodiscard]] std::map<std::vector<int>, double> all_maps(const placement::network& net, const job_graph& job) {
    std::map<std::vector<int>, double> found;
    std::vector<std::uint32_t> where(job.tasks(), 0);
    for (;;) {
        std::vector<int> counts(net.size(), 0);
        for (const auto dc : where) ++counts[dc];
        bool valid = true;
        double traffic = 0;
        for (std::size_t i = 0; i < net.size(); ++i) valid = valid && net[i].load + counts[i] <= net[i].slots;
        for (const auto& edge : job.edges()) {
            valid = valid && net.may_talk(where[edge.a], where[edge.b]);
            traffic += edge.traffic * net.traffic_price(where[edge.a], where[edge.b]);
        }
        if (valid) {
            const auto [at, added] = found.emplace(counts, traffic);
            if (!added) at->second = std::min(at->second, traffic);
        }
        std::size_t task = 0;
        while (task < where.size() && ++where[task] == net.size()) where[task++] = 0;
        if (task == where.size()) return found;
    }
}

/// Fewest unplaced jobs and least cost, by trying every strategy of every job.
void try_all(const small_case& given, const std::vector<std::map<std::vector<int>, double>>& lists, std::size_t job,
             std::vector<int>& load, double traffic, std::size_t unplaced, std::pair<std::size_t, double>& best) {
    if (job == lists.size()) {
        best = std::min(best, std::pair(unplaced, given.net.cost_rate(load) + traffic));
        return;
    }
    try_all(given, lists, job + 1, load, traffic, unplaced + 1, best);
    for (const auto& [counts, own] : lists[job]) {
        bool fits = true;
        for (std::size_t i = 0; i < load.size(); ++i) fits = fits && load[i] + counts[i] <= given.net[i].slots;
        if (!fits) continue;
        for (std::size_t i = 0; i < load.size(); ++i) load[i] += counts[i];
        try_all(given, lists, job + 1, load, traffic + own, unplaced, best);
        for (std::size_t i = 0; i < load.size(); ++i) load[i] -= counts[i];
    }
}

}  // namespace

TEST_CASE("strategies are those that trying every map of the tasks finds, with the least traffic") {
    bellamy::detail::random_generator random(11);
    for (int i = 0; i < 100; ++i) {
        const auto given = random_case(random, 4, 3);
        for (const auto& job : given.jobs) {
            const auto expected = all_maps(given.net, job);
            const auto found = enumerate(given.net, job).value();
            REQUIRE(found.size() == expected.size());
            std::size_t k = 0;
            for (const auto& [counts, traffic] : expected) {
                std::vector<int> own(given.net.size(), 0);
                for (const auto& each : found.counts(k)) own[each.data_centre] = each.tasks;
                CHECK(own == counts);
                CHECK(close(found.traffic(k), traffic));
                ++k;
            }
        }
    }
}

TEST_CASE("exact plans are as good as the best of all assignments, and no bound or plan crosses them") {
    bellamy::detail::random_generator random(12);
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        const auto given = random_case(random, 3, 4);
        std::vector<std::map<std::vector<int>, double>> lists;
        for (const auto& job : given.jobs) lists.push_back(all_maps(given.net, job));
        std::vector<int> load(given.net.load().begin(), given.net.load().end());
        std::pair best(given.jobs.size() + 1, 0.0);
        try_all(given, lists, 0, load, 0, 0, best);

        const auto exact = place_exactly(given.net, given.jobs).value();
        CHECK(check(given.net, given.jobs, exact).has_value());
        CHECK(support::fault_of(given.net, given.jobs, exact) == "");
        CHECK(exact.unplaced.size() == best.first);
        CHECK(close(exact.cost_rate, best.second));

        const auto greedy = place_greedily(given.net, given.jobs).value();
        const auto small = place_by_local_search(given.net, given.jobs).value();
        for (const auto& each : {greedy, small}) {
            CHECK(check(given.net, given.jobs, each).has_value());
            CHECK(support::fault_of(given.net, given.jobs, each) == "");
            CHECK(each.lower_bound <= each.cost_rate);
            CHECK(each.unplaced.size() >= exact.unplaced.size());
            if (each.unplaced.size() == exact.unplaced.size()) CHECK(each.cost_rate >= exact.cost_rate - 1e-9);
        }
        CHECK(small.unplaced.size() <= greedy.unplaced.size());
        if (small.unplaced.size() == greedy.unplaced.size()) CHECK(small.cost_rate <= greedy.cost_rate + 1e-9);
        if (!exact.unplaced.empty()) continue;
        const auto subject = placement::detail::enumerate_all(given.net, given.jobs, {}).value();
        const auto counts = placement::detail::jobs_per_type(subject);
        placement::detail::relaxation_solver relaxed(subject, counts);
        CHECK(relaxed.run());
        CHECK(relaxed.value() <= exact.cost_rate + 1e-6);
        std::uint64_t tasks = 0;
        for (const auto& job : given.jobs) tasks += job.tasks();
        CHECK(pooled_bound(given.net, tasks) <= exact.cost_rate + 1e-9);
        CHECK(small.lower_bound <= exact.cost_rate + 1e-9);
    }
}

TEST_CASE("a plan with one task moved to a bad place is refused, and says why") {
    const std::vector<data_centre> sites{{.slots = 2, .price_per_kwh = 1, .idle_kw_per_slot = 1},
                                         {.slots = 2, .price_per_kwh = 1, .idle_kw_per_slot = 1},
                                         {.slots = 4, .load = 3, .price_per_kwh = 1, .idle_kw_per_slot = 1}};
    const std::vector<placement::link> links{{.a = 0, .b = 1}};
    const auto net = placement::network::make(sites, links).value();
    const std::vector<job_graph> jobs{job_graph::path(3).value()};
    const auto good = place_exactly(net, jobs).value();
    REQUIRE(check(net, jobs, good).has_value());
    REQUIRE(support::fault_of(net, jobs, good) == "");
    const auto with = [&](auto&& change) {
        auto bad = good;
        change(bad);
        CHECK(support::fault_of(net, jobs, bad) != "");
        return check(net, jobs, bad);
    };
    check_refused(with([](plan& bad) { bad.where[0][1] = 2; }), errc::invalid_link, {"job 0"});
    check_refused(with([](plan& bad) { bad.where[0] = {0, 0, 0}; }), errc::invalid_data_centre, {"data centre 0"});
    check_refused(with([](plan& bad) { bad.where[0][1] = 3; }), errc::invalid_job_graph, {"found 3"});
    check_refused(with([](plan& bad) { bad.where[0].pop_back(); }), errc::invalid_job_graph, {"found 2"});
    check_refused(with([](plan& bad) { bad.where.clear(); }), errc::invalid_job_graph);
    check_refused(with([](plan& bad) { bad.unplaced = {0}; }), errc::invalid_job_graph, {"job 0"});
    check_refused(with([](plan& bad) { bad.unplaced = {7}; }), errc::invalid_job_graph, {"job 7"});
    check_refused(with([](plan& bad) { ++bad.load[2]; }), errc::invalid_data_centre, {"data centre 2"});
    check_refused(with([](plan& bad) { bad.load.pop_back(); }), errc::invalid_data_centre);
    check_refused(with([](plan& bad) { bad.cost_rate += 0.01; }), errc::invalid_price);
    check_refused(with([](plan& bad) { bad.added_rate += 0.01; }), errc::invalid_price);
    check_refused(with([](plan& bad) { bad.lower_bound = bad.cost_rate + 0.01; }), errc::invalid_price);
}

TEST_CASE("degenerate networks and jobs are answered as the golden file says") {
    for (const auto& each : support::golden_placement().at("degenerate")) {
        CAPTURE(each.at("name").get<std::string>());
        const auto net = support::network_of(each.at("network"));
        const auto jobs = support::jobs_of(each);
        for (std::size_t job = 0; job < jobs.size(); ++job)
            CHECK(enumerate(net, jobs[job]).value().size() == each.at("strategies").at(job).get<std::size_t>());
        for (const auto& found : {place_greedily(net, jobs).value(), place_by_local_search(net, jobs).value(),
                                  place_exactly(net, jobs).value()}) {
            CHECK(check(net, jobs, found).has_value());
            CHECK(found.unplaced.size() == each.at("greedy").at("unplaced").get<std::size_t>());
            CHECK(close(found.cost_rate, each.at("greedy").at("cost")));
            CHECK(found.load == each.at("greedy").at("load").get<std::vector<int>>());
        }
    }
}

TEST_CASE("more strategies, steps or loads than the limits are named errors") {
    const std::vector<data_centre> sites(6,
                                         {.slots = 8, .price_per_kwh = 1, .idle_kw_per_slot = 1, .dynamic_kw_per_slot = 1});
    std::vector<placement::link> links;
    for (std::uint32_t i = 1; i < 6; ++i) links.push_back({.a = 0, .b = i, .traffic_price = 0.01});
    const auto net = placement::network::make(sites, links).value();
    const auto job = job_graph::make(6, {}).value();
    check_refused(enumerate(net, job, {.strategies = 10}), errc::too_many_strategies, {"10"});
    check_refused(enumerate(net, job, {.steps = 10}), errc::too_many_strategies, {"10"});
    const std::vector<job_graph> jobs(4, job_graph::star(5).value());
    check_refused(place_by_local_search(net, jobs, {.strategies = 3}), errc::too_many_strategies);
    check_refused(place_exactly(net, jobs, 3), errc::search_too_large, {"3"});
}
