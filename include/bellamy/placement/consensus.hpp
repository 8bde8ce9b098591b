// Plans by data centres that compute in parallel, each knowing its own costs and its neighbours' messages only.
#ifndef BELLAMY_PLACEMENT_CONSENSUS_HPP
#define BELLAMY_PLACEMENT_CONSENSUS_HPP

#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/small.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

struct consensus_options {
    int rounds = 200;
    /// The result is the same for any number.
    int threads = 1;
    /// Strategies are all listed where this is 0, else they are those of so many crawled plans: for networks of more than
    /// about ten data centres.
    int crawled_plans = 0;
    /// Of the crawlers.
    std::uint64_t seed = 1;
};

/// What the data centres agree on, and how well.
struct consensus_result {
    /// Slots per data centre, by the mean of all copies.
    std::vector<double> load;
    /// Of the relaxed problem, at the mean.
    double value = 0;
    /// Largest difference of a data centre's copy from the mean, in jobs.
    double disagreement = 0;
    /// On every plan that places all jobs that fit alone.
    double lower_bound = 0;
};

/// Runs the rounds. A message is two numbers per strategy, link and round. Errors: invalid_option, those of enumerate.
[[nodiscard]] result<consensus_result> agree(const network& net, std::span<const job_graph> jobs,
                                             const consensus_options& options = {}, const strategy_limits& limits = {});

/// Rounds what was agreed on to whole jobs, and improves it by moving one job or two at once; over crawled strategies, also
/// by crawlers. Errors: those of agree.
[[nodiscard]] result<plan> place_by_consensus(const network& net, std::span<const job_graph> jobs,
                                              const consensus_options& options = {}, const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/consensus_impl.hpp>  // IWYU pragma: export
#endif

#endif
