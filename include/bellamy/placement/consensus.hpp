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

/// Fractional solution that the data centres agree on.
struct consensus_result {
    /// Taken slots per data centre, by the mean of all copies.
    std::vector<double> load;
    /// Objective of the relaxed problem at the mean.
    double value = 0;
    /// Largest difference of a data centre's copy from the mean, in jobs.
    double disagreement = 0;
    /// Of every plan that places all jobs that fit alone.
    double lower_bound = 0;
};

/// Runs the rounds. A message is two numbers per strategy, link and round. Errors: invalid_option, those of enumerate.
[[nodiscard]] result<consensus_result> agree(const network& net, std::span<const job_graph> jobs,
                                             const consensus_options& options = {}, const strategy_limits& limits = {});

/// Rounds the agreed solution to whole jobs, and improves it by local search; over crawled strategies, also by crawlers.
/// Errors: those of agree.
[[nodiscard]] result<plan> place_by_consensus(const network& net, std::span<const job_graph> jobs,
                                              const consensus_options& options = {}, const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/consensus_impl.hpp>  // IWYU pragma: export
#endif

#endif
