// Chooses a candidate from predictions, and tells the reasons as a table. Nothing is executed.
#ifndef BELLAMY_CHOOSE_HPP
#define BELLAMY_CHOOSE_HPP

#include <bellamy/curve.hpp>
#include <bellamy/price.hpp>

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

/// What is best among the candidates.
enum class goal : std::uint8_t {
    smallest_within_deadline = 0,  // fewest units of scale-out; prices do not matter
    cheapest_within_deadline = 1,  // least expected cost
    fastest_within_budget = 2,     // least median time to the result
    least_expected_cost = 3,       // no budget, and no deadline but one whose missing has a cost
};

/// What the caller wants. A limit that the goal does not have must be 0: it is refused, not ignored.
struct request {
    bellamy::goal goal = bellamy::goal::cheapest_within_deadline;
    /// From the request to the result, start-up included.
    double deadline_s = 0;
    /// In the currency of the prices.
    double budget = 0;
    /// With which the deadline or the budget must be kept; 0.5 looks at the median alone.
    double probability = 0.9;
    /// What a missed deadline costs, in the currency of the prices. With the goal least_expected_cost, whose deadline it
    /// then needs: that cost is part of the expected one, and the probability only tells how the outcome is called.
    double cost_of_missing = 0;
};

/// One way to run the job: a context bound to a model (so, a machine type), a scale-out and what that costs.
struct candidate {
    const curve* runtimes = nullptr;
    int scale_out = 1;
    price costs{};
};

/// Why a candidate was chosen or not.
enum class verdict : std::uint8_t {
    chosen = 0,
    larger_than_needed = 1,  // keeps the limit, but so does a smaller one
    misses_deadline = 2,     // its probability to meet the deadline is too low
    not_usable = 3,          // the prediction is not a positive, finite runtime
    costs_more = 4,          // keeps the limit, but so does a cheaper one
    exceeds_budget = 5,      // its probability to stay within the budget is too low
    slower = 6,              // keeps the limit, but so does a faster one
};

[[nodiscard]] constexpr std::string_view to_string(verdict why) noexcept {
    constexpr std::array<std::string_view, 7> names{
        "chosen", "larger than needed", "misses the deadline", "no usable prediction", "costs more", "exceeds the budget",
        "slower"};
    return names[static_cast<std::size_t>(why)];
}

/// One row of the table behind a decision.
struct assessment {
    std::size_t candidate = 0;  // its number in the caller's list
    int scale_out = 0;
    prediction predicted{};
    /// Of keeping the deadline or the budget; 1 where neither is asked for.
    double probability = 0;
    /// What missing the deadline costs included, where that was told.
    double expected_cost = 0;
    verdict why = verdict::not_usable;
};

enum class outcome : std::uint8_t {
    meets_deadline = 0,  // or the budget
    /// The same, but the choice lies outside the scale-outs that the model has seen.
    meets_deadline_by_extrapolation = 1,
    /// No candidate keeps the limit with the probability asked for; the one most likely to is the best effort, or where it
    /// is hopeless for all (below 0.01) the fastest one by its median, for a budget the cheapest.
    infeasible = 2,
    /// Keeps the limit, but the context has a value that no run of the history had, see `unseen_values`, and no run of it
    /// was observed.
    meets_deadline_unlike_any_seen = 3,
    /// Missing the deadline has a cost, and the cheapest candidate keeps it with less than the probability asked for.
    costs_least = 4,
};

[[nodiscard]] constexpr std::string_view to_string(outcome kind) noexcept {
    constexpr std::array<std::string_view, 5> names{"meets the deadline", "meets the deadline by extrapolation",
                                                    "infeasible", "meets the deadline, in a context unlike any seen",
                                                    "costs least"};
    return names[static_cast<std::size_t>(kind)];
}

/// The answer: a candidate, and whether it keeps the limit.
struct decision {
    bellamy::outcome outcome = outcome::infeasible;
    /// The chosen candidate or, when infeasible, the best effort; empty when no prediction was usable.
    std::optional<assessment> candidate{};

    [[nodiscard]] bool feasible() const noexcept { return outcome != bellamy::outcome::infeasible; }
};

namespace detail {

/// The first member of an aggregate whose other members are named wherever it is made: nothing in braces converts to it.
struct named_members {
    explicit named_members() = default;
};

}  // namespace detail

/// Scale-outs first, first + step, ... up to and including last where the steps reach it. The members are named where one is
/// made, `{.first = 2, .last = 12}`: {2, 12} would look like a list.
struct scale_out_range {
    [[no_unique_address]] detail::named_members named{};
    int first = 1;
    int last = 1;
    int step = 1;

    [[nodiscard]] constexpr std::size_t size() const noexcept {
        if (step < 1 || last < first) return 0;
        return static_cast<std::size_t>((static_cast<long long>(last) - first) / step) + 1;
    }
    [[nodiscard]] constexpr int operator[](std::size_t i) const noexcept { return first + static_cast<int>(i) * step; }
};

/// The best of the candidates; ties go to the smaller scale-out, then to the earlier one.
///
/// `table`, where given, receives one row per candidate in their order; it must have room for all of them. Allocates
/// nothing. Errors: invalid_option for a goal that is none, invalid_deadline, invalid_budget, invalid_probability,
/// empty_candidates, invalid_price, invalid_scale_out, buffer_too_small.
[[nodiscard]] result<decision> choose(std::span<const candidate> candidates, const request& wanted,
                                      std::span<assessment> table = {}) noexcept;

/// The same for candidates in braces. A template, so that only a unit that calls it compiles it.
template <std::same_as<candidate> Candidate = candidate>
[[nodiscard]] result<decision> choose(std::initializer_list<Candidate> candidates, const request& wanted,
                                      std::span<assessment> table = {}) noexcept {
    return choose(std::span<const candidate>(candidates.begin(), candidates.size()), wanted, table);
}

/// The smallest of the scale-outs that meets a deadline with a probability; 0.5 looks at the median alone.
[[nodiscard]] result<decision> choose(const curve& runtimes, std::span<const int> scale_outs, double deadline_s,
                                      double probability, std::span<assessment> table = {}) noexcept;

/// The same for scale-outs in braces: {2, 4, 8} are these three. A template, so that what is no list of int is none.
template <std::same_as<int> Int>
[[nodiscard]] result<decision> choose(const curve& runtimes, std::initializer_list<Int> scale_outs, double deadline_s,
                                      double probability, std::span<assessment> table = {}) noexcept;

/// The same for a range of scale-outs, `scale_out_range{.first = 2, .last = 12}`.
[[nodiscard]] result<decision> choose(const curve& runtimes, scale_out_range scale_outs, double deadline_s,
                                      double probability, std::span<assessment> table = {}) noexcept;

/// The same with the probability 0.9.
[[nodiscard]] result<decision> choose(const curve& runtimes, std::span<const int> scale_outs, double deadline_s,
                                      std::span<assessment> table = {}) noexcept;
template <std::same_as<int> Int>
[[nodiscard]] result<decision> choose(const curve& runtimes, std::initializer_list<Int> scale_outs, double deadline_s,
                                      std::span<assessment> table = {}) noexcept;
[[nodiscard]] result<decision> choose(const curve& runtimes, scale_out_range scale_outs, double deadline_s,
                                      std::span<assessment> table = {}) noexcept;

template <std::same_as<int> Int>
result<decision> choose(const curve& runtimes, std::initializer_list<Int> scale_outs, double deadline_s, double probability,
                        std::span<assessment> table) noexcept {
    return choose(runtimes, std::span(scale_outs.begin(), scale_outs.size()), deadline_s, probability, table);
}

template <std::same_as<int> Int>
result<decision> choose(const curve& runtimes, std::initializer_list<Int> scale_outs, double deadline_s,
                        std::span<assessment> table) noexcept {
    return choose(runtimes, scale_outs, deadline_s, request{}.probability, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/decision/choose_impl.hpp>  // IWYU pragma: export
#endif

#endif
