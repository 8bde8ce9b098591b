// Chooses the best candidate by its predicted runtime and price, with a table of reasons. Nothing is executed.
#ifndef BELLAMY_CHOOSE_HPP
#define BELLAMY_CHOOSE_HPP

#include <bellamy/curve.hpp>
#include <bellamy/price.hpp>

#include <concepts>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

/// What is optimised among the candidates that meet the limit.
enum class goal : std::uint8_t {
    smallest_within_deadline = 0,  // fewest units of scale-out; needs no price
    cheapest_within_deadline = 1,  // least expected cost
    fastest_within_budget = 2,     // least median time to the result
    least_expected_cost = 3,       // no budget, and no deadline but one whose missing has a cost; without one, candidates
                                   // outside the seen data sizes come last
};

/// Goal, limit and required probability. A limit that the goal does not have must be 0: it is refused, not ignored.
struct request {
    bellamy::goal goal = bellamy::goal::cheapest_within_deadline;
    /// From the request to the result, start-up included.
    double deadline_s = 0;
    /// In the currency of the prices.
    double budget = 0;
    /// Required probability of meeting the deadline or the budget; 0.5 looks at the median alone.
    double probability = 0.9;
    /// What a missed deadline costs, in the currency of the prices. Only with the goal least_expected_cost, which then needs
    /// a deadline: that cost is part of the expected one, and the probability only decides between the outcomes
    /// that meet the deadline and those that cost least.
    double cost_of_missing = 0;
};

/// One way to run the job: the curve of a context (so, of a machine type), a scale-out and its price.
struct candidate {
    const curve* runtimes = nullptr;
    int scale_out = 1;
    /// For every goal but the smallest scale-out, there must be a price.
    price costs{};
    /// The caller's own, such as the number of a machine type: its assessment has it, too.
    std::uint64_t tag = 0;
};

/// Why a candidate was chosen or not.
enum class verdict : std::uint8_t {
    chosen = 0,
    larger_than_needed = 1,  // meets the limit, but so does a smaller one
    misses_deadline = 2,     // its probability of meeting the deadline is too low
    not_usable = 3,          // the prediction is not a positive, finite runtime
    costs_more = 4,          // meets the limit, but so does a cheaper one
    exceeds_budget = 5,      // its probability of staying within the budget is too low
    slower = 6,              // meets the limit, but so does a faster one
    unlike_any_seen = 7,     // meets the limit in a context unlike any seen, or without a limit lies outside the seen data
                             // sizes, and one that is known meets it, too
};

[[nodiscard]] constexpr std::string_view to_string(verdict why) noexcept {
    return detail::name_at(why, {"chosen", "larger than needed", "misses the deadline", "no usable prediction", "costs more",
                                 "exceeds the budget", "slower", "unlike any seen"});
}

/// One row of the table behind a decision.
struct assessment {
    size_t candidate = 0;  // its index in the caller's list
    int scale_out = 0;
    prediction predicted{};
    /// Of meeting the deadline or the budget; 1 for a goal without a limit.
    double probability = 0;
    /// Mean over the predicted distribution, the expected cost of missing the deadline included; NaN without a price. Where
    /// candidates of several curves are compared by their cost, those below the mean of all are raised towards it, the more
    /// the less sure their prediction is: the least of many uncertain costs is too low.
    double expected_cost = 0;
    verdict why = verdict::not_usable;
    std::uint64_t tag = 0;  // the candidate's
};

enum class outcome : std::uint8_t {
    meets_deadline = 0,  // or the budget
    /// The same, but the choice lies outside the scale-outs or the data sizes that the model has seen.
    meets_deadline_by_extrapolation = 1,
    /// No candidate meets the limit with the required probability. The best effort is the candidate most likely to meet it
    /// or, where that is hopeless for all (below 0.01), the one of least median, for a budget the cheapest.
    infeasible = 2,
    /// Meets the limit, but the context has a value that no run of the history had, see `unseen_values`, and no run of it
    /// was observed. Chosen only where no candidate of a known context meets the limit.
    meets_deadline_unlike_any_seen = 3,
    /// Missing the deadline has a cost, and the cheapest candidate meets it with less than the required probability.
    costs_least = 4,
    /// The same, in such a context as that of meets_deadline_unlike_any_seen.
    costs_least_unlike_any_seen = 5,
};

[[nodiscard]] constexpr std::string_view to_string(outcome kind) noexcept {
    return detail::name_at(kind, {"meets the deadline", "meets the deadline by extrapolation", "infeasible",
                                  "meets the deadline, in a context unlike any seen", "costs least",
                                  "costs least, in a context unlike any seen"});
}

/// The chosen candidate, and whether it meets the limit.
struct decision {
    bellamy::outcome outcome = outcome::infeasible;
    /// The chosen candidate or, when infeasible, the best effort; empty when no prediction was usable.
    std::optional<assessment> candidate{};
    /// Where no candidate meets a deadline, or only one in a context unlike any seen: the soonest that one of them meets
    /// with the required probability, in a context that is like some seen if there is any; else NaN.
    double attainable_deadline_s = std::numeric_limits<double>::quiet_NaN();

    /// Whether the choice is predicted to meet the limit, or costs least, in whatever context.
    [[nodiscard]] bool meets_limit() const noexcept { return outcome != bellamy::outcome::infeasible; }
    /// The same, in a context that the model can know: a misspelled machine type, which no run had, is false. Before an
    /// unattended start look at `outcome`, too: this is true for an extrapolation and for `costs_least`.
    [[nodiscard]] bool feasible() const noexcept {
        return meets_limit() && outcome != bellamy::outcome::meets_deadline_unlike_any_seen &&
               outcome != bellamy::outcome::costs_least_unlike_any_seen;
    }
};

/// The best of the candidates; ties go to the smaller scale-out, then to the earlier one.
///
/// `table`, where given, receives one row per candidate in their order; it must have room for all of them. Allocates
/// nothing. Errors: invalid_option for a goal that is none, invalid_deadline, invalid_budget, invalid_probability,
/// empty_candidates, missing_curve, invalid_price, invalid_scale_out, buffer_too_small.
result<decision> choose(std::span<const candidate> candidates, const request& wanted,
                        std::span<assessment> table = {}) noexcept;

/// Scale-outs to choose among: a list in braces, `{2, 4, 8}`, or any contiguous range of int. A view of them.
struct scale_out_list {
    std::span<const int> values;

    template <std::convertible_to<std::span<const int>> List>
    scale_out_list(const List& list) noexcept : values(list) {}  // NOLINT(google-explicit-constructor)
    template <std::same_as<int> Int>
    scale_out_list(std::initializer_list<Int> list) noexcept : values(list.begin(), list.size()) {}
};

/// The smallest scale-out of one curve that meets a deadline with the required probability (0.5 looks at the median alone).
result<decision> choose(const curve& runtimes, scale_out_list scale_outs, double deadline_s,
                        double probability = request{}.probability, std::span<assessment> table = {}) noexcept;

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/decision/choose_impl.hpp>  // IWYU pragma: export
#endif

#endif
