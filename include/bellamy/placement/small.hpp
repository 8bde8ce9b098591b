// Plans for few data centres and jobs, whose strategies can all be listed: exact, or good in milliseconds.
#ifndef BELLAMY_PLACEMENT_SMALL_HPP
#define BELLAMY_PLACEMENT_SMALL_HPP

#include <bellamy/placement/bounds.hpp>
#include <bellamy/placement/plan.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// Shares of jobs instead of whole ones: a lower bound on every plan that places all jobs, and a start for one.
struct relaxation {
    /// Of the relaxed problem.
    double value = 0;
    /// Proved by duality, whether the solver came to its end or not; at most `value`, but for rounding.
    double lower_bound = 0;
    /// Slots per data centre.
    std::vector<double> load;
    /// Whether the slots suffice.
    bool feasible = false;
};

/// Solves the relaxation. Jobs that have no strategy are left out. Errors: those of enumerate.
[[nodiscard]] result<relaxation> relax(const network& net, std::span<const job_graph> jobs,
                                       const strategy_limits& limits = {});

/// Each job in the given order to its cheapest strategy. Errors: those of enumerate.
[[nodiscard]] result<plan> place_greedily(const network& net, std::span<const job_graph> jobs,
                                          const strategy_limits& limits = {});

/// The best of three starts (greedily in the given order, greedily from the largest job, rounded from the relaxation), each
/// improved by moving one job or two at once. Never worse than place_greedily. Errors: those of enumerate.
[[nodiscard]] result<plan> place_small(const network& net, std::span<const job_graph> jobs,
                                       const strategy_limits& limits = {});

/// The plan with the fewest unplaced jobs and, among those, the least cost rate; its lower bound is its cost. About six data
/// centres and eight jobs are within reach. Errors: those of enumerate; search_too_large beyond `most_states` loads.
[[nodiscard]] result<plan> place_exactly(const network& net, std::span<const job_graph> jobs,
                                         std::size_t most_states = 2'000'000, const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/small_impl.hpp>  // IWYU pragma: export
#endif

#endif
