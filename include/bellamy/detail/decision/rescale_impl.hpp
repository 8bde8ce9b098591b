// Definition of what rescale.hpp declares: stay, or go to another scale-out.
#ifndef BELLAMY_DETAIL_DECISION_RESCALE_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_RESCALE_IMPL_HPP

#include <bellamy/detail/base/inline.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/decision/expected_cost.hpp>
#include <bellamy/rescale.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class rescaler {
public:
    explicit rescaler(const rescale_request& wanted) noexcept : wanted_(wanted) {}

    [[nodiscard]] result<void> validate_request() const noexcept {
        constexpr double finite = (std::numeric_limits<double>::max)();
        if (!(wanted_.deadline_s > 0 && wanted_.deadline_s <= finite))
            return fail(errc::invalid_deadline, "expected a finite deadline > 0 seconds, found ", wanted_.deadline_s);
        if (!(wanted_.elapsed_s >= 0 && wanted_.elapsed_s <= finite))
            return fail(errc::invalid_runtime, "expected a finite elapsed time >= 0 seconds, found ", wanted_.elapsed_s);
        if (!(wanted_.probability > 0 && wanted_.probability < 1))
            return fail(errc::invalid_probability, "expected a probability between 0 and 1, found ", wanted_.probability);
        if (!(wanted_.cost_of_change >= 0 && wanted_.cost_of_change <= finite))
            return fail(errc::invalid_price, "expected a finite cost of a change >= 0, found ", wanted_.cost_of_change);
        if (auto valid = validate_cost_of_missing(wanted_.cost_of_missing); !valid) return valid;
        return validate_scale_out(wanted_.scale_out);
    }

    [[nodiscard]] rescale_assessment assess(const rescale_candidate& one, std::size_t number) const noexcept {
        rescale_assessment row{.candidate = number, .scale_out = one.scale_out, .rest = one.rest};
        if (!one.rest.usable()) return row;
        auto costs = one.costs;
        if (is_present(row)) costs.start_up_s = 0;
        const double left_s = wanted_.deadline_s - wanted_.elapsed_s;
        row.probability = one.rest.probability_within(runtime_within_s(costs, left_s));
        row.expected_cost = expected_cost(costs, one.scale_out, one.rest) + (is_present(row) ? 0 : wanted_.cost_of_change) +
                            wanted_.cost_of_missing * (1 - row.probability);
        row.why = decides_by_cost() || row.probability >= wanted_.probability ? rescale_verdict::costs_more
                                                                              : rescale_verdict::misses_deadline;
        return row;
    }

    [[nodiscard]] bool decides_by_cost() const noexcept { return wanted_.cost_of_missing > 0; }

    [[nodiscard]] bool is_present(const rescale_assessment& row) const noexcept {
        return row.scale_out == wanted_.scale_out;
    }

    void consider(const rescale_assessment& row) noexcept {
        if (row.why == rescale_verdict::costs_more && (!best_ || cheaper(row, *best_))) best_ = row;
        if (row.why == rescale_verdict::misses_deadline && (!effort_ || likelier(row, *effort_))) effort_ = row;
    }

    /// The best of what was considered.
    [[nodiscard]] rescale_decision answer() const noexcept {
        rescale_decision result{.scale_out = wanted_.scale_out};
        result.candidate = best_ ? best_ : effort_;
        if (!result.candidate) return result;
        result.candidate->why = rescale_verdict::chosen;
        result.scale_out = result.candidate->scale_out;
        result.changes = !is_present(*result.candidate);
        result.outcome = result.candidate->probability >= wanted_.probability ? rescale_outcome::meets_deadline
                         : wanted_.elapsed_s >= wanted_.deadline_s            ? rescale_outcome::deadline_passed
                         : decides_by_cost()                                  ? rescale_outcome::costs_least
                                                                              : rescale_outcome::misses_deadline;
        return result;
    }

    /// Marks the row that was chosen, and where that is to stay those that would cost less but for the change.
    void mark(const rescale_assessment& chosen, std::span<rescale_assessment> table) const noexcept {
        table[chosen.candidate].why = rescale_verdict::chosen;
        if (!is_present(chosen)) return;
        for (auto& row : table) {
            if (row.why != rescale_verdict::costs_more || is_present(row)) continue;
            const double without = row.expected_cost - wanted_.cost_of_change;
            if (without < chosen.expected_cost && !worth_changing(chosen.expected_cost, without, wanted_.cost_of_change))
                row.why = rescale_verdict::not_worth_the_change;
        }
    }

private:
    // Whether the first is the better of two that keep the deadline.
    [[nodiscard]] bool cheaper(const rescale_assessment& a, const rescale_assessment& b) const noexcept {
        if (a.expected_cost < b.expected_cost || b.expected_cost < a.expected_cost) return a.expected_cost < b.expected_cost;
        return before(a, b);
    }

    // Whether the first is the better effort of two that miss it.
    [[nodiscard]] bool likelier(const rescale_assessment& a, const rescale_assessment& b) const noexcept {
        const double p = a.probability < least_probability ? 0 : a.probability;
        const double q = b.probability < least_probability ? 0 : b.probability;
        if (p > q || q > p) return p > q;
        if (a.rest.median_s < b.rest.median_s || b.rest.median_s < a.rest.median_s) return a.rest.median_s < b.rest.median_s;
        return before(a, b);
    }

    [[nodiscard]] bool before(const rescale_assessment& a, const rescale_assessment& b) const noexcept {
        if (is_present(a) != is_present(b)) return is_present(a);
        return a.scale_out < b.scale_out;
    }

    const rescale_request& wanted_;
    std::optional<rescale_assessment> best_{};
    std::optional<rescale_assessment> effort_{};
};

/// `Candidates` has a size and gives the i-th candidate by value.
template <class Candidates>
[[nodiscard]] result<rescale_decision> rescale_among(const Candidates& candidates, const rescale_request& wanted,
                                                     std::span<rescale_assessment> table) noexcept {
    rescaler rule(wanted);
    if (auto valid = rule.validate_request(); !valid) return valid.error();
    if (candidates.size() == 0 && wanted.jobs_to_come > 0)
        return fail(errc::empty_candidates, "expected at least one candidate, found none");
    if (!table.empty() && table.size() < candidates.size())
        return fail(errc::buffer_too_small, "expected room for ", candidates.size(), " rows, found ", table.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const rescale_candidate one = candidates[i];
        if (auto valid = validate_scale_out(one.scale_out); !valid) return valid.error();
        if (auto valid = validate(one.costs); !valid) return valid.error();
        const auto row = rule.assess(one, i);
        if (!table.empty()) table[i] = row;
        rule.consider(row);
    }
    if (wanted.jobs_to_come == 0)
        return rescale_decision{.outcome = rescale_outcome::nothing_to_come, .scale_out = wanted.scale_out};
    const auto answer = rule.answer();
    if (answer.candidate && !table.empty()) rule.mark(*answer.candidate, table.first(candidates.size()));
    return answer;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<rescale_decision> rescale(std::span<const rescale_candidate> candidates,
                                                       const rescale_request& wanted,
                                                       std::span<rescale_assessment> table) noexcept {
    return detail::rescale_among(candidates, wanted, table);
}

BELLAMY_PUBLIC_INLINE result<rescale_decision> detail::rescale_by(const any_forecast& of, std::span<const int> scale_outs,
                                                                  const price& costs, const rescale_request& wanted,
                                                                  std::span<rescale_assessment> table) noexcept {
    struct candidates_of_forecast {
        const any_forecast& of;
        std::span<const int> scale_outs;
        const price& costs;

        [[nodiscard]] std::size_t size() const noexcept { return scale_outs.size(); }
        [[nodiscard]] rescale_candidate operator[](std::size_t i) const noexcept {
            // What is refused is not asked about.
            const bool valid = scale_outs[i] >= 1 && scale_outs[i] <= largest_scale_out;
            return {.scale_out = scale_outs[i],
                    .rest = valid ? of.remaining(of.forecast, scale_outs[i]) : prediction{},
                    .costs = costs};
        }
    };
    auto own = wanted;
    own.jobs_to_come = of.jobs_to_come;
    return rescale_among(candidates_of_forecast{of, scale_outs, costs}, own, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
