// Plans for few data centres and jobs, whose strategies can all be enumerated: exact, or by local search in milliseconds.
#ifndef BELLAMY_PLACEMENT_ENUMERATED_PLANS_HPP
#define BELLAMY_PLACEMENT_ENUMERATED_PLANS_HPP

#include <bellamy/placement/plan.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// Assigns its cheapest strategy to each job in the given order. Errors: those of enumerate.
result<plan> place_greedily(const network& net, std::span<const job_graph> jobs, const strategy_limits& limits = {});

/// Best of three starts (greedy in the given order, greedy from the largest job, rounded from the relaxation), each improved
/// by local search with moves of one or two jobs. Never worse than place_greedily. Errors: those of enumerate.
result<plan> place_by_local_search(const network& net, std::span<const job_graph> jobs, const strategy_limits& limits = {});

/// The plan with the fewest unplaced jobs and, among those, the least cost rate; its lower bound is its cost. About six data
/// centres and eight jobs are within reach. Errors: those of enumerate; search_too_large beyond `most_states` loads.
result<plan> place_exactly(const network& net, std::span<const job_graph> jobs, size_t most_states = 2'000'000,
                           const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/enumerated_plans_impl.hpp>  // IWYU pragma: export
#endif

#endif
