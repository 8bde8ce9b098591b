// A plan (the data centre of each task, and its cost), a lower bound of its cost, and a check of plans.
#ifndef BELLAMY_PLACEMENT_PLAN_HPP
#define BELLAMY_PLACEMENT_PLAN_HPP

#include <bellamy/detail/base/infinity.hpp>
#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// Result of all planners. Jobs that do not fit are listed as unplaced, not an error.
struct plan {
    /// Per job, the data centre of each task; empty for a job that is not placed, or has no tasks.
    std::vector<std::vector<std::uint32_t>> where;
    /// Taken slots per data centre, those of others included.
    std::vector<int> load;
    /// Jobs that are not placed, ascending.
    std::vector<std::uint32_t> unplaced;
    /// Cost rate of the whole network, traffic included, in currency per hour.
    double cost_rate = 0;
    /// The part of the cost rate beyond that of the load of others.
    double added_rate = 0;
    /// No plan that places the jobs placed here has a lower cost rate.
    double lower_bound = 0;

    [[nodiscard]] bool places(std::uint32_t job) const noexcept {
        return !std::binary_search(unplaced.begin(), unplaced.end(), job);
    }
    /// Optimality gap: added rate relative to the least one that the lower bound allows, minus 1.
    [[nodiscard]] double gap() const noexcept {
        const double least = added_rate - (cost_rate - lower_bound);
        if (!(cost_rate > lower_bound)) return 0;
        return least > 0 ? added_rate / least - 1 : detail::infinite;
    }
};

/// Lower bound of the cost rate of that many tasks: on the cheapest free slots, links and traffic ignored. Infinite where
/// the free slots do not suffice. Allocates one number per free slot; O(free slots).
[[nodiscard]] double pooled_bound(const network& net, std::uint64_t tasks);

/// Checks that a plan is feasible and that its loads and costs are those of its placements; costs to 1e-9.
/// Errors name the job or data centre: invalid_job_graph for a placement that is no placement, invalid_link for tasks that
/// may not talk, invalid_data_centre for loads, invalid_price for costs.
result<void> check(const network& net, std::span<const job_graph> jobs, const plan& solution);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/plan_impl.hpp>  // IWYU pragma: export
#endif

#endif
