// Proposes the next run of a job that is tried on several clusters: which one, what it may gain, and when to stop.
#ifndef BELLAMY_EXPLORE_HPP
#define BELLAMY_EXPLORE_HPP

#include <bellamy/choose.hpp>
#include <bellamy/exploration_prior.hpp>

#include <optional>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A cluster that the job may be tried on. The context is not copied and must outlive the call.
struct trial_candidate {
    const bellamy::context* context = nullptr;
    int scale_out = 1;
    price costs{};
};

/// What the search is for, and when it is to stop.
struct exploration_request {
    /// Goal, limit and required probability.
    request wanted{};
    /// Runs of the job that the choice is made for: each of them gains what a trial finds. A trial that costs more than it
    /// gains is not proposed. Without meaning for the goals that do not compare money, smallest_within_deadline and
    /// fastest_within_budget.
    double runs_to_come = 100;
    /// Stops where the expected gain is at most this share of the best run's value (cost, or time, or scale-out).
    double least_gain = 0;
    /// Trials to propose, which can be run at the same time; fewer where no other is worth its cost. Each after the first
    /// assumes that those before it take their median runtime.
    size_t trials = 1;
};

/// A run to make next.
struct proposed_trial {
    size_t candidate = 0;  // its index in the caller's list
    prediction predicted{};
    /// Of meeting the limit; 1 for a goal without one.
    double probability = 0;
    /// Of this run; NaN without a price.
    double expected_cost = 0;
    /// Expected improvement of each run to come over the best run in the limit so far (cost, or seconds, or units of
    /// scale-out); empty before a run met the limit.
    std::optional<double> expected_gain{};
};

/// Whether to make another run, and why not.
enum class exploration_verdict : std::uint8_t {
    go_on = 0,
    costs_more_than_it_gains = 1,
    below_least_gain = 2,
    everything_tried = 3,
    hopeless = 4,  // no candidate meets the limit with a probability of 0.01 or more
};

[[nodiscard]] constexpr std::string_view to_string(exploration_verdict why) noexcept {
    return detail::name_at(why, {"go on", "another run costs more than it gains", "the expected gain is below the bound",
                                 "everything was tried", "no candidate is likely to meet the limit"});
}

/// The next runs, the best choice with what is known now, and whether to stop.
struct exploration {
    exploration_verdict verdict = exploration_verdict::go_on;
    /// The best first. What would come next also where the verdict is to stop; empty where nothing is left to try.
    std::vector<proposed_trial> next{};
    /// The candidate to take if the search ended now: the best by the goal of those that meet the limit with the required
    /// probability, else the one most likely to meet it. It need not have been tried.
    assessment best{};
    /// The candidate of the best run in the limit so far.
    std::optional<size_t> best_run{};

    [[nodiscard]] bool stops() const noexcept { return verdict != exploration_verdict::go_on; }
};

/// The next run to make. `runs` are those of the job so far, in any order; of a candidate that was tried (its context and
/// scale-out ran) no second run is proposed. Runs of the job outside the candidates, such as at another data size, count as
/// evidence. A censored run keeps no limit.
///
/// The runtimes of all candidates have a joint prior: a linear law of slots, cores, memory and data size, a memory cliff
/// somewhere, and a Gaussian process around it. A trial is worth the expected improvement over the best run so far within
/// the limit, times the runs to come, less its expected cost. Before a run met the limit, what is proposed has the highest
/// probability of meeting it for its expected value. Billing periods count as half a period more. Deterministic.
/// Takes milliseconds for 500 candidates and 20 runs, growing with the square of the runs. Allocates; thread-safe.
/// Errors, with the number of the candidate or run: those of `choose`, empty_candidates also for a candidate without a
/// context; those of `validate` for contexts and runs; invalid_option for a number of runs to come or trials that is not
/// positive, or a negative least gain.
result<exploration> explore(std::span<const trial_candidate> candidates, std::span<const run> runs,
                            const exploration_request& wanted, const exploration_prior& known = {});

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/decision/explore_impl.hpp>  // IWYU pragma: export
#endif

#endif
