// Distributed planning: each data centre knows only its own costs and its neighbours' messages.
#ifndef BELLAMY_PLACEMENT_CONSENSUS_HPP
#define BELLAMY_PLACEMENT_CONSENSUS_HPP

#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/enumerated_plans.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

struct consensus_options {
    int rounds = 200;
    /// The result is the same for any number.
    int threads = 1;
    /// With 0, all strategies are enumerated. Else they are those of this many crawled plans, for networks of more than
    /// about ten data centres.
    int crawled_plans = 0;
    /// Of the crawlers.
    std::uint64_t seed = 1;
};

/// Rounds the fractional solution that the data centres agree on to whole jobs, and improves it by local search; over
/// crawled strategies, also by crawlers. A message is two numbers per strategy, link and round. Errors: invalid_option,
/// those of enumerate.
result<plan> place_by_consensus(const network& net, std::span<const job_graph> jobs, const consensus_options& options = {},
                                const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/consensus_impl.hpp>  // IWYU pragma: export
#endif

#endif
