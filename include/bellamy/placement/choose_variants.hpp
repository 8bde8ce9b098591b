// Chooses the scale-out and the placement of one job: the variant of least expected cost that meets the deadline.
#ifndef BELLAMY_PLACEMENT_CHOOSE_VARIANTS_HPP
#define BELLAMY_PLACEMENT_CHOOSE_VARIANTS_HPP

#include <bellamy/choose.hpp>
#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// One way to run a job: a scale-out, its graph of tasks, and the predicted runtime.
struct variant {
    int scale_out = 1;
    job_graph graph;
    prediction runtime{};
    /// Start-up and interruptions, which delay the result; its prices do not count: the cost follows from the placement.
    bellamy::price delays{};
};

/// One row of the table behind a decision.
struct variant_assessment {
    size_t variant = 0;  // its index in the caller's list
    int scale_out = 0;
    /// Of meeting the deadline.
    double probability = 0;
    /// Mean of the predicted distribution: energy follows the mean, a deadline a quantile.
    double expected_s = 0;
    /// Added cost rate of its best placement, per hour; infinite where it does not fit.
    double added_rate = 0;
    /// expected_s * added_rate.
    double expected_cost = 0;
    verdict why = verdict::not_usable;
    /// Whether free slots and links allow the variant at all.
    bool fits = false;
};

/// The chosen variant with its placement, and whether it meets the deadline.
struct variant_decision {
    bellamy::outcome outcome = outcome::infeasible;
    /// The chosen variant or, when infeasible, the best effort; empty where none is usable and fits.
    std::optional<variant_assessment> chosen{};
    /// The data centre of each of its tasks.
    std::vector<std::uint32_t> where{};

    [[nodiscard]] bool feasible() const noexcept { return outcome != bellamy::outcome::infeasible; }
};

struct variant_options {
    std::uint64_t seed = 1;
    /// All strategies are enumerated up to these limits; beyond, crawlers search for a placement.
    strategy_limits limits{.strategies = 10'000, .steps = 1'000'000};
};

/// The best variant beside the present load. For several jobs that must all meet their deadlines with probability p, require
/// 1 - (1 - p) / jobs of each.
///
/// Uses deadline_s and probability of the request; the goal must be cheapest_within_deadline. `table`, where given, gets one
/// row per variant. Ties go to the smaller scale-out. Errors: invalid_option, invalid_deadline, invalid_budget (there is
/// none), invalid_probability, empty_candidates, buffer_too_small, invalid_scale_out, invalid_price (also for a cost of
/// missing), invalid_data_centre for a load that does not fit the network.
result<variant_decision> choose_variant(const network& net, std::span<const int> load, std::span<const variant> variants,
                                        const request& wanted, std::span<variant_assessment> table = {},
                                        const variant_options& options = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/choose_variants_impl.hpp>  // IWYU pragma: export
#endif

#endif
