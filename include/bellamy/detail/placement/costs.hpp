// Comparison of costs up to rounding error, and the traffic cost of placements.
#ifndef BELLAMY_DETAIL_PLACEMENT_COSTS_HPP
#define BELLAMY_DETAIL_PLACEMENT_COSTS_HPP

#include <bellamy/detail/base/infinity.hpp>
#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

/// The data centre of each task of a job.
using task_places = std::span<const std::uint32_t>;
/// Tasks at the other ends of edges.
using neighbour_tasks = std::span<const job_graph::neighbour>;

/// No index.
inline constexpr size_t none = static_cast<size_t>(-1);
/// Costs that differ by at most this, relative to 1 + |cost|, are equal: rounding errors decide nothing.
inline constexpr double relative_tolerance = 1e-9;

inline double tolerance(double cost) noexcept { return relative_tolerance * (1 + std::abs(cost)); }

/// Whether a cost is below a reference by more than the tolerance; any finite cost is below an infinite reference.
inline bool better(double cost, double reference) noexcept {
    return std::isinf(reference) ? cost < reference : cost < reference - tolerance(reference);
}

/// Whether a plan is better than a reference: fewer unplaced jobs, or as many at a lower cost.
inline bool better_plan(size_t unplaced, double cost, size_t reference_unplaced, double reference_cost) noexcept {
    return unplaced != reference_unplaced ? unplaced < reference_unplaced : better(cost, reference_cost);
}

/// Lowest index whose value is the minimum up to the tolerance; none where all are infinite.
inline size_t first_least(std::span<const double> values) noexcept {
    double least = infinite;
    for (const double value : values) least = value < least ? value : least;
    if (std::isinf(least)) return none;
    const double limit = least + tolerance(least);
    for (size_t i = 0; i < values.size(); ++i)
        if (values[i] <= limit) return i;
    return none;
}

/// Traffic cost rate of a placement; `where` has the data centre of each task.
inline double traffic_rate(const network& net, const job_graph& job, task_places where) noexcept {
    double sum = 0;
    if (!net.has_traffic_prices()) return sum;
    for (const auto& edge : job.edges()) sum += edge.traffic * net.traffic_price(where[edge.a], where[edge.b]);
    return sum;
}

/// Traffic cost rate between a task in a data centre and neighbouring tasks that are placed.
inline double traffic_rate(const network& net, neighbour_tasks neighbours, task_places where, std::uint32_t dc) noexcept {
    double sum = 0;
    if (!net.has_traffic_prices()) return sum;
    for (const auto& neighbour : neighbours) sum += neighbour.traffic * net.traffic_price(dc, where[neighbour.task]);
    return sum;
}

/// Whether links allow a task in a data centre, given the data centres of its neighbouring tasks.
inline bool links_allow(const network& net, neighbour_tasks neighbours, task_places where, std::uint32_t dc) noexcept {
    return all_of(neighbours, [&](const auto& neighbour) { return net.may_talk(where[neighbour.task], dc); });
}

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
