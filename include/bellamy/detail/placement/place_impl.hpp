// Definitions of place.hpp: picks the method by size and time budget, and finds what unplaced jobs lack.
#ifndef BELLAMY_DETAIL_PLACEMENT_PLACE_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_PLACE_IMPL_HPP

#include <bellamy/detail/placement/enumerated_plans_impl.hpp>
#include <bellamy/placement/place.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// Effort of crawlers that fits into the budget, at 0.6 microseconds per walk, task and neighbour of a data centre.
inline crawl_options crawl_within(const network& net, std::span<const job_graph> jobs, const place_options& options) {
    // Of a data centre, itself included.
    const double neighbours = (count_of(net) + 2 * count_of(net.links())) / (std::max)(1.0, count_of(net));
    double tasks = 0;
    for (const auto& job : jobs) tasks += job.tasks();
    const double walk_s = 6e-7 * tasks * (std::max)(1.0, neighbours);
    const double walks = options.budget_s / (std::max)(walk_s, 1e-12);
    // Measured in walks of all jobs, local search included: (5, 2, 0) takes 12, and each round 15 more.
    const auto effort = [&](int walks_per_job, int passes, int rounds) {
        return crawl_options{.seed = options.seed, .walks = walks_per_job, .passes = passes, .rounds = rounds};
    };
    if (walks >= 200) return effort(5, 2, 10);
    if (walks >= 70) return effort(5, 2, 2);
    if (walks >= 20) return effort(5, 2, 0);
    if (walks >= 8) return effort(3, 1, 0);
    return effort(1, 0, 0);
}

/// All strategies, if the budget allows the steps to enumerate them.
inline result<problem> enumerate_within(const network& net, std::span<const job_graph> jobs, double budget_s) {
    const double steps = (std::min)(budget_s * 2e7, 1e8);
    strategy_limits limits{.strategies = 3000, .steps = static_cast<std::uint64_t>(steps) + 1};
    // With ten or more data centres the enumeration rarely stays below the limit; beyond 64 it is not tried.
    if (net.size() > 64) return fail(errc::too_many_strategies, "expected at most 64 data centres, found ", net.size());
    return enumerate_all(net, jobs, limits);
}

/// Largest sum of counts over a connected component of the nodes with a count; `neighbours(i, visit)` visits those of i.
std::int64_t largest_component(size_t size, const auto& count, const auto& neighbours) {
    std::vector<bool> seen(size, false);
    std::vector<std::uint32_t> to_visit;
    const auto reach = [&](std::uint32_t node) {
        if (seen[node] || count(node) == 0) return;
        seen[node] = true;
        to_visit.push_back(node);
    };
    std::int64_t largest = 0;
    for (std::uint32_t first = 0; first < size; ++first) {
        std::int64_t sum = 0;
        reach(first);
        while (!to_visit.empty()) {
            const auto node = to_visit.back();
            to_visit.pop_back();
            sum += count(node);
            neighbours(node, reach);
        }
        largest = (std::max)(largest, sum);
    }
    return largest;
}

/// Free slots beside a load: of all data centres, and of the largest connected component of data centres with free slots.
inline std::pair<std::int64_t, std::int64_t> free_slots(const network& net, std::span<const int> load) {
    const auto count = [&](size_t dc) { return net[dc].slots - load[dc]; };
    std::int64_t all = 0;
    for (size_t dc = 0; dc < net.size(); ++dc) all += count(dc);
    return {all, largest_component(net.size(), count, [&](std::uint32_t dc, const auto& visit) {
                for (const auto neighbour : net.neighbours(dc)) visit(neighbour);
            })};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<placed> place(const network& net, std::span<const job_graph> jobs,
                                           const place_options& options) {
    if (!(options.budget_s > 0 && options.budget_s <= 1e9))
        return detail::fail(errc::invalid_option, "expected a budget > 0 and <= 1e9 seconds, found ", options.budget_s);
    auto crawled = crawl(net, jobs, detail::crawl_within(net, jobs, options));
    if (!crawled) return crawled.error();
    placed best{.plan = *std::move(crawled), .how = method::crawlers};

    const auto instance = detail::enumerate_within(net, jobs, options.budget_s / 10);
    // Pairs of jobs are what local search spends its time on: about a microsecond for each pair and strategy.
    if (!instance || static_cast<double>(jobs.size() * jobs.size()) * 1e-4 > options.budget_s) return best;
    auto [solution, slot_prices] = detail::best_of_three(*instance);
    plan searched = detail::with_bound(*instance, solution, slot_prices);
    const bool optimal = searched.unplaced.empty() && searched.gap() <= 1e-9;
    if (!optimal && net.size() <= 6 && jobs.size() <= 8 && options.budget_s >= 0.5) {
        if (auto optimum = detail::exact_search(*instance, solution, 200'000).best())
            return placed{.plan = *std::move(optimum), .how = method::exact};
    }
    if (!detail::better_plan(best.plan.unplaced.size(), best.plan.cost_rate, searched.unplaced.size(), searched.cost_rate))
        best = {.plan = std::move(searched), .how = optimal ? method::exact : method::local_search};
    else if (best.plan.unplaced == searched.unplaced)
        best.plan.lower_bound = (std::max)(best.plan.lower_bound, (std::min)(searched.lower_bound, best.plan.cost_rate));
    return best;
}

BELLAMY_PUBLIC_INLINE shortfall why_unplaced(const network& net, std::span<const job_graph> jobs, const plan& solution,
                                             std::uint32_t job) {
    if (solution.places(job)) return {};
    const auto& graph = jobs[job];
    const std::int64_t tasks = graph.tasks();
    const auto connected = detail::largest_component(
        graph.tasks(), [](std::uint32_t) { return 1; },
        [&](std::uint32_t task, const auto& visit) {
            for (const auto& neighbour : graph.neighbours(task)) visit(neighbour.task);
        });
    const auto [free, connected_free] = detail::free_slots(net, net.load());
    const auto [left, connected_left] = detail::free_slots(net, solution.load);
    if (free < tasks) return {shortage::slots, tasks, free};
    if (connected_free < connected) return {shortage::connected_slots, connected, connected_free};
    if (left < tasks) return {shortage::slots_left, tasks, left};
    if (connected_left < connected) return {shortage::connected_slots_left, connected, connected_left};
    return {shortage::links, 0, 0};
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
