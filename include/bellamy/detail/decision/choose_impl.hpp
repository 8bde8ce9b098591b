// Definitions of what choose.hpp declares.
#ifndef BELLAMY_DETAIL_DECISION_CHOOSE_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_CHOOSE_IMPL_HPP

#include <bellamy/choose.hpp>
#include <bellamy/detail/base/inline.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/decision/expected_cost.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class chooser {
public:
    explicit chooser(const request& wanted) noexcept : wanted_(wanted) {}

    [[nodiscard]] result<void> validate_request() const noexcept {
        constexpr double finite = (std::numeric_limits<double>::max)();
        const bool has_deadline = has_a_deadline();
        if (wanted_.goal > goal::least_expected_cost)
            return fail(errc::invalid_option, "expected a goal from 0 to 3, found ", static_cast<int>(wanted_.goal));
        if (auto valid = validate_cost_of_missing(wanted_.cost_of_missing); !valid) return valid;
        if (wanted_.cost_of_missing > 0 && wanted_.goal != goal::least_expected_cost)
            return fail(errc::invalid_price,
                        "expected no cost of missing the deadline but for the least expected cost, found ",
                        wanted_.cost_of_missing);
        if (has_deadline && !(wanted_.deadline_s > 0 && wanted_.deadline_s <= finite))
            return fail(errc::invalid_deadline, "expected a finite deadline > 0 seconds, found ", wanted_.deadline_s);
        if (has_a_budget() && !(wanted_.budget > 0 && wanted_.budget <= finite))
            return fail(errc::invalid_budget, "expected a finite budget > 0, found ", wanted_.budget);
        if (!has_deadline && !(wanted_.deadline_s == 0))
            return fail(errc::invalid_deadline,
                        "expected no deadline for a goal without one, or what missing it costs, found ", wanted_.deadline_s);
        if (!has_a_budget() && !(wanted_.budget == 0))
            return fail(errc::invalid_budget, "expected no budget for a goal without one, found ", wanted_.budget);
        if (!(wanted_.probability > 0 && wanted_.probability < 1))
            return fail(errc::invalid_probability, "expected a probability between 0 and 1, found ", wanted_.probability);
        return {};
    }

    [[nodiscard]] static result<void> validate_candidate(const candidate& one) noexcept {
        if (one.runtimes == nullptr) return fail(errc::empty_candidates, "expected a curve, found none");
        const int largest = one.runtimes->largest_valid_scale_out();
        if (one.scale_out < 1 || one.scale_out > largest)
            return fail(errc::invalid_scale_out, "expected scale-outs from 1 to ", largest, ", found ", one.scale_out);
        return validate(one.costs);
    }

    [[nodiscard]] assessment assess(const candidate& one, std::size_t number) const noexcept {
        assessment row{.candidate = number, .scale_out = one.scale_out, .predicted = one.runtimes->at(one.scale_out)};
        if (!row.predicted.usable()) return row;
        row.probability = has_a_deadline() || has_a_budget() ? row.predicted.probability_within(longest_runtime_s(one)) : 1;
        row.expected_cost =
            expected_cost(one.costs, one.scale_out, row.predicted) + wanted_.cost_of_missing * (1 - row.probability);
        const bool competes = wanted_.goal == goal::least_expected_cost || row.probability >= wanted_.probability;
        row.why = competes ? less_good() : too_unlikely();
        return row;
    }

    /// Whether the first is the better choice; both keep the limit.
    [[nodiscard]] bool better(const assessment& a, const candidate& of_a, const assessment& b,
                              const candidate& of_b) const noexcept {
        const double x = badness(a, of_a);
        const double y = badness(b, of_b);
        return x < y || (x <= y && a.scale_out < b.scale_out);
    }

    /// Whether the first is the better effort; neither keeps the limit. Among hopeless ones a deadline is missed by least
    /// with the least median, a budget with the least cost.
    [[nodiscard]] bool likelier(const assessment& a, const assessment& b) const noexcept {
        const double p = a.probability < least_probability ? 0 : a.probability;
        const double q = b.probability < least_probability ? 0 : b.probability;
        if (p > q || q > p) return p > q;
        return wanted_.goal == goal::fastest_within_budget ? a.expected_cost < b.expected_cost
                                                           : a.predicted.median_s < b.predicted.median_s;
    }

    [[nodiscard]] verdict less_good() const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return verdict::larger_than_needed;
        return wanted_.goal == goal::fastest_within_budget ? verdict::slower : verdict::costs_more;
    }

private:
    [[nodiscard]] bool has_a_deadline() const noexcept {
        return wanted_.goal == goal::smallest_within_deadline || wanted_.goal == goal::cheapest_within_deadline ||
               wanted_.cost_of_missing > 0;
    }
    [[nodiscard]] bool has_a_budget() const noexcept { return wanted_.goal == goal::fastest_within_budget; }
    [[nodiscard]] verdict too_unlikely() const noexcept {
        return has_a_deadline() ? verdict::misses_deadline : verdict::exceeds_budget;
    }
    [[nodiscard]] double longest_runtime_s(const candidate& one) const noexcept {
        return has_a_deadline() ? runtime_within_s(one.costs, wanted_.deadline_s)
                                : runtime_within_budget_s(one.costs, one.scale_out, wanted_.budget);
    }
    [[nodiscard]] double badness(const assessment& row, const candidate& one) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return row.scale_out;
        if (wanted_.goal == goal::fastest_within_budget) return time_to_result_s(one.costs, row.predicted.median_s);
        return row.expected_cost;
    }

    const request& wanted_;
};

/// `Candidates` has a size and gives the i-th candidate by value.
template <class Candidates>
[[nodiscard]] result<decision> choose_among(const Candidates& candidates, const request& wanted,
                                            std::span<assessment> table) noexcept {
    const chooser rule(wanted);
    if (auto valid = rule.validate_request(); !valid) return valid.error();
    if (candidates.size() == 0) return fail(errc::empty_candidates, "expected at least one candidate, found none");
    if (!table.empty() && table.size() < candidates.size())
        return fail(errc::buffer_too_small, "expected room for ", candidates.size(), " rows, found ", table.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (auto valid = rule.validate_candidate(candidates[i]); !valid)
            return fail(valid.error().code(), "candidate ", i, ": ", valid.error().message());

    std::optional<assessment> best;
    std::optional<assessment> effort;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto row = rule.assess(candidates[i], i);
        if (!table.empty()) table[i] = row;
        if (row.why == verdict::not_usable) continue;
        if (row.why == rule.less_good()) {
            if (!best || rule.better(row, candidates[i], *best, candidates[best->candidate])) best = row;
        } else if (!effort || rule.likelier(row, *effort)) {
            effort = row;
        }
    }
    if (!best) return decision{.outcome = outcome::infeasible, .candidate = effort};
    best->why = verdict::chosen;
    if (!table.empty()) table[best->candidate].why = verdict::chosen;
    auto kept = outcome::meets_deadline;
    if (best->predicted.outside_seen_scale_outs) kept = outcome::meets_deadline_by_extrapolation;
    if (best->predicted.unlike_any_seen_context && best->predicted.observed_runs == 0)
        kept = outcome::meets_deadline_unlike_any_seen;
    if (!(best->probability >= wanted.probability)) kept = outcome::costs_least;
    return decision{.outcome = kept, .candidate = best};
}

/// Scale-outs of one curve as candidates that cost nothing.
template <class ScaleOuts>
struct free_candidates {
    const curve& runtimes;
    const ScaleOuts& scale_outs;

    [[nodiscard]] std::size_t size() const noexcept { return scale_outs.size(); }
    [[nodiscard]] candidate operator[](std::size_t i) const noexcept {
        return {.runtimes = &runtimes, .scale_out = scale_outs[i]};
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<decision> choose(std::span<const candidate> candidates, const request& wanted,
                                              std::span<assessment> table) noexcept {
    return detail::choose_among(candidates, wanted, table);
}

BELLAMY_PUBLIC_INLINE result<decision> choose(const curve& runtimes, std::span<const int> scale_outs, double deadline_s,
                                              double probability, std::span<assessment> table) noexcept {
    return detail::choose_among(
        detail::free_candidates<std::span<const int>>{runtimes, scale_outs},
        {.goal = goal::smallest_within_deadline, .deadline_s = deadline_s, .probability = probability}, table);
}

BELLAMY_PUBLIC_INLINE result<decision> choose(const curve& runtimes, scale_out_range scale_outs, double deadline_s,
                                              double probability, std::span<assessment> table) noexcept {
    return detail::choose_among(
        detail::free_candidates<scale_out_range>{runtimes, scale_outs},
        {.goal = goal::smallest_within_deadline, .deadline_s = deadline_s, .probability = probability}, table);
}

BELLAMY_PUBLIC_INLINE result<decision> choose(const curve& runtimes, std::span<const int> scale_outs, double deadline_s,
                                              std::span<assessment> table) noexcept {
    return choose(runtimes, scale_outs, deadline_s, request{}.probability, table);
}

BELLAMY_PUBLIC_INLINE result<decision> choose(const curve& runtimes, scale_out_range scale_outs, double deadline_s,
                                              std::span<assessment> table) noexcept {
    return choose(runtimes, scale_outs, deadline_s, request{}.probability, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
