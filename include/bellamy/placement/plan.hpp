// Which data centre each task goes to, what that costs, and a check of it that shares nothing with the planners.
#ifndef BELLAMY_PLACEMENT_PLAN_HPP
#define BELLAMY_PLACEMENT_PLAN_HPP

#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// An answer of the planners. Jobs that fit nowhere are listed, not an error.
struct plan {
    /// Per job, the data centre of each task; empty for a job that is not placed, or has no tasks.
    std::vector<std::vector<std::uint32_t>> where;
    /// Taken slots per data centre, those of others included.
    std::vector<int> load;
    /// Jobs without a place, ascending.
    std::vector<std::uint32_t> unplaced;
    /// Of the whole network, traffic included, in currency per hour.
    double cost_rate = 0;
    /// Of it, what the plan adds to the load of others.
    double added_rate = 0;
    /// No plan that places the jobs placed here has a lower cost rate.
    double lower_bound = 0;

    [[nodiscard]] bool places(std::uint32_t job) const noexcept {
        return !std::binary_search(unplaced.begin(), unplaced.end(), job);
    }
    /// How much more the plan adds than the bound says it must, as a part of that; 0 where it adds nothing.
    [[nodiscard]] double gap() const noexcept {
        const double least = added_rate - (cost_rate - lower_bound);
        if (!(cost_rate > lower_bound)) return 0;
        return least > 0 ? added_rate / least - 1 : std::numeric_limits<double>::infinity();
    }
};

/// Checks that a plan keeps every constraint and that its loads and costs are those of its placements; costs to 1e-9.
/// Errors name the job or data centre: invalid_job_graph for a placement that is no placement, invalid_link for tasks that
/// may not talk, invalid_data_centre for loads, invalid_price for costs.
[[nodiscard]] result<void> check(const network& net, std::span<const job_graph> jobs, const plan& subject);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/plan_impl.hpp>  // IWYU pragma: export
#endif

#endif
