// Definitions of rescale.hpp: whether a running application stays at its scale-out or changes it.
#ifndef BELLAMY_DETAIL_DECISION_RESCALE_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_RESCALE_IMPL_HPP

#include <bellamy/detail/decision/ranking.hpp>
#include <bellamy/rescale.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

inline result<void> validate(const rescale_request& wanted) noexcept {
    if (auto valid = validate_deadline(wanted.deadline_s); !valid) return valid;
    if (!is_finite_and_at_least_0(wanted.elapsed_s))
        return fail(errc::invalid_runtime, "expected a finite elapsed time >= 0 seconds, found ", wanted.elapsed_s);
    if (auto valid = validate_required_probability(wanted.probability); !valid) return valid;
    if (!is_finite_and_at_least_0(wanted.cost_of_change))
        return fail(errc::invalid_price, "expected a finite cost of a change >= 0, found ", wanted.cost_of_change);
    if (auto valid = validate_cost_of_missing(wanted.cost_of_missing); !valid) return valid;
    return validate_scale_out(wanted.scale_out);
}

/// Turns scale-outs for the rest of a run into rows of the verdict table, ranks them, and explains the decision.
class rescale_assessor {
public:
    explicit rescale_assessor(const rescale_request& wanted) noexcept : wanted_(wanted) {}

    rescale_assessment assess(const rescale_candidate& choice, size_t number) const noexcept {
        rescale_assessment row{.candidate = number, .scale_out = choice.scale_out, .rest = choice.rest};
        if (!choice.rest.usable()) return row;
        auto costs = choice.costs;
        if (stays(row)) costs.start_up_s = 0;
        const double left_s = wanted_.deadline_s - wanted_.elapsed_s;
        row.probability = choice.rest.probability_within(runtime_within_s(costs, left_s));
        row.expected_cost = expected_cost(costs, choice.scale_out, choice.rest) + (stays(row) ? 0 : wanted_.cost_of_change) +
                            wanted_.cost_of_missing * (1 - row.probability);
        row.why = decides_by_cost() || row.probability >= wanted_.probability ? rescale_verdict::costs_more
                                                                              : rescale_verdict::misses_deadline;
        return row;
    }

    /// Feasible candidates by expected cost, infeasible ones of equal probability by median. Ties go to staying, then to the
    /// smaller scale-out.
    /// `required`: probability that makes a candidate feasible.
    rank position(const rescale_assessment& row, double required) const noexcept {
        const bool feasible = decides_by_cost() || row.probability >= required;
        return {.feasible = feasible,
                .probability = row.probability,
                .value = feasible ? row.expected_cost : row.rest.median_s,
                .tie_break = stays(row) ? 0 : row.scale_out};
    }

    /// The decision for the best candidate; without one, it stays.
    rescale_decision decide(const rescale_assessment* best) const noexcept {
        rescale_decision decided{.scale_out = wanted_.scale_out};
        if (best == nullptr) return decided;
        decided.candidate = *best;
        decided.candidate->why = rescale_verdict::chosen;
        decided.scale_out = best->scale_out;
        decided.changes = !stays(*best);
        decided.outcome = best->probability >= wanted_.probability  ? rescale_outcome::meets_deadline
                          : wanted_.elapsed_s >= wanted_.deadline_s ? rescale_outcome::deadline_passed
                          : decides_by_cost()                       ? rescale_outcome::costs_least
                                                                    : rescale_outcome::misses_deadline;
        return decided;
    }

    /// Marks the chosen row and, where it stays, the rows that would cost less if the change were free (hysteresis); none
    /// where no row meets the deadline.
    void explain(const rescale_assessment& chosen, std::span<rescale_assessment> table) const noexcept {
        table[chosen.candidate].why = rescale_verdict::chosen;
        if (!stays(chosen)) return;
        for (auto& row : table) {
            if (row.why != rescale_verdict::costs_more || stays(row)) continue;
            const double saving = chosen.expected_cost - (row.expected_cost - wanted_.cost_of_change);
            if (saving > 0 && saving <= wanted_.cost_of_change) row.why = rescale_verdict::not_worth_the_change;
        }
    }

private:
    bool decides_by_cost() const noexcept { return wanted_.cost_of_missing > 0; }
    bool stays(const rescale_assessment& row) const noexcept { return row.scale_out == wanted_.scale_out; }

    const rescale_request& wanted_;
};

/// `candidate_at(i)` gives the i-th candidate by value, so that candidates need not be stored.
result<rescale_decision> rescale_among(size_t count, const auto& candidate_at, const rescale_request& wanted,
                                       std::span<rescale_assessment> table) noexcept {
    if (auto valid = validate(wanted); !valid) return valid.error();
    if (count == 0 && wanted.jobs_to_come > 0)
        return fail(errc::empty_candidates, "expected at least one candidate, found none");
    if (auto valid = validate_table(table.size(), count); !valid) return valid.error();
    const rescale_assessor assessor(wanted);
    ranking<rescale_assessment> candidates;
    for (size_t i = 0; i < count; ++i) {
        const rescale_candidate choice = candidate_at(i);
        if (auto valid = validate_scale_out(choice.scale_out); !valid) return valid.error();
        if (auto valid = bellamy::validate(choice.costs); !valid) return valid.error();
        auto row = assessor.assess(choice, i);
        if (!table.empty()) table[i] = row;
        if (row.why != rescale_verdict::not_usable) candidates.add(assessor.position(row, wanted.probability), row);
    }
    if (wanted.jobs_to_come == 0)
        return rescale_decision{.outcome = rescale_outcome::nothing_to_come, .scale_out = wanted.scale_out};
    if (const double required = candidates.enough_for_best_effort(); required > 0) {
        const double cost_of_likeliest = candidates.best()->expected_cost;
        for (size_t i = 0; i < count; ++i) {
            const auto row = assessor.assess(candidate_at(i), i);
            if (row.expected_cost < cost_of_likeliest) candidates.add(assessor.position(row, required), row);
        }
    }
    const auto decided = assessor.decide(candidates.best());
    if (decided.candidate && !table.empty()) assessor.explain(*decided.candidate, table.first(count));
    return decided;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<rescale_decision> rescale(std::span<const rescale_candidate> candidates,
                                                       const rescale_request& wanted,
                                                       std::span<rescale_assessment> table) noexcept {
    return detail::rescale_among(
        candidates.size(), [&](size_t i) { return candidates[i]; }, wanted, table);
}

BELLAMY_PUBLIC_INLINE result<rescale_decision> detail::rescale_by(const any_forecast& forecast,
                                                                  std::span<const int> scale_outs, const price& costs,
                                                                  const rescale_request& wanted,
                                                                  std::span<rescale_assessment> table) noexcept {
    // Scale-outs out of range get no prediction: they are refused afterwards.
    const auto candidate_at = [&](size_t i) -> rescale_candidate {
        const int x = scale_outs[i];
        const bool valid = x >= 1 && x <= largest_scale_out;
        return {.scale_out = x, .rest = valid ? forecast.remaining(forecast.object, x) : prediction{}, .costs = costs};
    };
    auto completed = wanted;
    completed.jobs_to_come = forecast.jobs_to_come;
    return rescale_among(scale_outs.size(), candidate_at, completed, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
