// Definitions of plan.hpp: the pooled lower bound, and a check of plans that shares no code with the planners.
#ifndef BELLAMY_DETAIL_PLACEMENT_PLAN_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_PLAN_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/placement/plan.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// Appends the slopes of the lower convex hull of a cost table from the present load on, one per free slot, ascending.
inline void append_hull_slopes(const network& net, size_t dc, std::vector<double>& slopes) {
    const auto costs = net.costs(dc).subspan(static_cast<size_t>(net[dc].load));
    const size_t first = slopes.size();
    for (size_t u = 1; u < costs.size(); ++u) slopes.push_back(costs[u] - costs[u - 1]);
    if (net.envelope(dc).touch <= 0) return;
    // The switch-on makes only the first step steeper than the hull: the hull starts with a straight line to the least mean.
    const auto mean = [&](size_t q) { return costs[q] / static_cast<double>(q); };
    size_t least = 1;
    for (size_t q = 2; q < costs.size(); ++q)
        if (mean(q) < mean(least)) least = q;
    for (size_t q = 0; q < least; ++q) slopes[first + q] = mean(least);
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE double pooled_bound(const network& net, std::uint64_t tasks) {
    std::vector<double> slopes;
    slopes.reserve(static_cast<size_t>(net.free_slots()));
    for (size_t i = 0; i < net.size(); ++i) detail::append_hull_slopes(net, i, slopes);
    if (tasks > slopes.size()) return detail::infinite;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(tasks);
    std::nth_element(slopes.begin(), middle, slopes.end());
    double sum = net.base_cost_rate();
    for (auto slope = slopes.begin(); slope != middle; ++slope) sum += *slope;
    return sum;
}

BELLAMY_PUBLIC_INLINE result<void> check(const network& net, std::span<const job_graph> jobs, const plan& solution) {
    using detail::fail;
    if (solution.where.size() != jobs.size())
        return fail(errc::invalid_job_graph, "expected placements of ", jobs.size(), " jobs, found ", solution.where.size());
    std::vector<bool> unplaced(jobs.size(), false);
    for (size_t i = 0; i < solution.unplaced.size(); ++i) {
        const auto job = solution.unplaced[i];
        if (job >= jobs.size() || (i > 0 && solution.unplaced[i - 1] >= job) || !solution.where[job].empty())
            return fail(errc::invalid_job_graph, "expected unplaced jobs ascending and without placements, found job ", job);
        unplaced[job] = true;
    }
    std::vector<std::int64_t> taken(net.load().begin(), net.load().end());
    double traffic = 0;
    for (size_t job = 0; job < jobs.size(); ++job) {
        const auto& where = solution.where[job];
        if (unplaced[job]) continue;
        if (where.size() != jobs[job].tasks())
            return fail(errc::invalid_job_graph, "expected ", jobs[job].tasks(), " placed tasks of job ", job, ", found ",
                        where.size());
        for (const auto dc : where) {
            if (dc >= net.size())
                return fail(errc::invalid_job_graph, "expected job ", job, " in data centres below ", net.size(), ", found ",
                            dc);
            ++taken[dc];
        }
        for (const auto& edge : jobs[job].edges()) {
            const auto dc_a = where[edge.a];
            const auto dc_b = where[edge.b];
            if (!net.may_talk(dc_a, dc_b))
                return fail(errc::invalid_link, "expected a link for edge ", edge.a, "-", edge.b, " of job ", job,
                            ", found none between ", dc_a, " and ", dc_b);
            traffic += edge.traffic * net.traffic_price(dc_a, dc_b);
        }
    }
    if (solution.load.size() != net.size())
        return fail(errc::invalid_data_centre, "expected loads of ", net.size(), " data centres, found ",
                    solution.load.size());
    for (size_t i = 0; i < net.size(); ++i) {
        if (taken[i] > net[i].slots)
            return fail(errc::invalid_data_centre, "expected at most ", net[i].slots, " slots of data centre ", i,
                        ", found ", taken[i]);
        if (taken[i] != solution.load[i])
            return fail(errc::invalid_data_centre, "expected the load ", taken[i], " of data centre ", i, ", found ",
                        solution.load[i]);
    }
    const double cost = net.cost_rate(solution.load) + traffic;
    const double tolerance = 1e-9 * (1 + std::abs(cost));
    if (!(std::abs(solution.cost_rate - cost) <= tolerance))
        return fail(errc::invalid_price, "expected the cost rate ", cost, ", found ", solution.cost_rate);
    if (!(std::abs(solution.added_rate - (cost - net.base_cost_rate())) <= tolerance))
        return fail(errc::invalid_price, "expected the added rate ", cost - net.base_cost_rate(), ", found ",
                    solution.added_rate);
    if (!(solution.lower_bound <= cost + tolerance))
        return fail(errc::invalid_price, "expected a lower bound of at most ", cost, ", found ", solution.lower_bound);
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
