// Definitions of choose.hpp: checks the request, assesses each candidate, and ranks them by the goal.
#ifndef BELLAMY_DETAIL_DECISION_CHOOSE_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_CHOOSE_IMPL_HPP

#include <bellamy/choose.hpp>
#include <bellamy/detail/decision/ranking.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// Turns candidates into rows of the verdict table and ranks by the goal of the request.
class candidate_assessor {
public:
    explicit candidate_assessor(const request& wanted) noexcept
        : wanted_(wanted),
          has_budget_(wanted.goal == goal::fastest_within_budget),
          has_deadline_(wanted.goal == goal::smallest_within_deadline || wanted.goal == goal::cheapest_within_deadline ||
                        wanted.cost_of_missing > 0) {}

    result<void> validate_request() const noexcept {
        if (wanted_.goal > goal::least_expected_cost)
            return fail(errc::invalid_option, "expected a goal from 0 to 3, found ", static_cast<int>(wanted_.goal));
        if (auto valid = validate_cost_of_missing(wanted_.cost_of_missing); !valid) return valid;
        if (wanted_.cost_of_missing > 0 && wanted_.goal != goal::least_expected_cost)
            return fail(errc::invalid_price,
                        "expected no cost of missing the deadline but for the least expected cost, found ",
                        wanted_.cost_of_missing);
        if (has_deadline_)
            if (auto valid = validate_deadline(wanted_.deadline_s); !valid) return valid;
        if (has_budget_ && !(wanted_.budget > 0 && is_finite_and_at_least_0(wanted_.budget)))
            return fail(errc::invalid_budget, "expected a finite budget > 0, found ", wanted_.budget);
        if (!has_deadline_ && !(wanted_.deadline_s == 0))
            return fail(errc::invalid_deadline,
                        "expected no deadline for a goal without one, or what missing it costs, found ", wanted_.deadline_s);
        if (!has_budget_ && !(wanted_.budget == 0))
            return fail(errc::invalid_budget, "expected no budget for a goal without one, found ", wanted_.budget);
        return validate_required_probability(wanted_.probability);
    }

    result<void> validate_candidate(const candidate& choice) const noexcept {
        if (choice.runtimes == nullptr)
            return fail(errc::missing_curve, "expected a curve of runtimes, found a null pointer");
        const int largest = choice.runtimes->largest_valid_scale_out();
        if (choice.scale_out < 1 || choice.scale_out > largest)
            return fail(errc::invalid_scale_out, "expected scale-outs from 1 to ", largest, ", found ", choice.scale_out);
        return validate(choice.costs, wanted_.goal != goal::smallest_within_deadline);
    }

    /// Of all candidates, before any is assessed: where the cost decides, the least is corrected for being the least.
    void compare_cost(const candidate& choice) noexcept {
        if (!has_budget_ && wanted_.goal != goal::smallest_within_deadline)
            shrinkage_.add(expected_cost(choice.costs, choice.scale_out, choice.runtimes->at(choice.scale_out)));
    }

    assessment assess(const candidate& choice, size_t number) const noexcept {
        assessment row{.candidate = number,
                       .scale_out = choice.scale_out,
                       .predicted = choice.runtimes->at(choice.scale_out),
                       .tag = choice.tag};
        if (!row.predicted.usable()) return row;
        if (has_deadline_)
            row.probability = row.predicted.probability_within(runtime_within_s(choice.costs, wanted_.deadline_s));
        else if (has_budget_)
            row.probability =
                row.predicted.probability_within(runtime_within_budget_s(choice.costs, choice.scale_out, wanted_.budget));
        else
            row.probability = 1;
        const auto cost = [&](double runtime_s) { return cost_of(choice.costs, choice.scale_out, runtime_s); };
        row.expected_cost = shrinkage_(expectation(row.predicted, cost),
                                       [&] { return cost(row.predicted.quantile_s(0.9)) / cost(row.predicted.median_s); }) +
                            wanted_.cost_of_missing * (1 - row.probability);
        if (wanted_.goal != goal::least_expected_cost && !(row.probability >= wanted_.probability))
            row.why = has_deadline_ ? verdict::misses_deadline : verdict::exceeds_budget;
        else if (wanted_.goal == goal::smallest_within_deadline)
            row.why = verdict::larger_than_needed;
        else
            row.why = has_budget_ ? verdict::slower : verdict::costs_more;
        return row;
    }

    /// Feasible candidates by the goal, then by scale-out, those that are passed over last. Infeasible ones of equal
    /// probability: for a deadline the least median, for a budget the least expected cost.
    rank position(const assessment& row, const price& costs) const noexcept {
        if (row.why == verdict::misses_deadline || row.why == verdict::exceeds_budget)
            return {.probability = row.probability, .value = has_budget_ ? row.expected_cost : row.predicted.median_s};
        double value = row.expected_cost;
        if (wanted_.goal == goal::smallest_within_deadline) value = row.scale_out;
        if (has_budget_) value = time_to_result_s(costs, row.predicted.median_s);
        return {.feasible = true, .passed_over = is_passed_over(row), .value = value, .tie_break = row.scale_out};
    }

    /// Lowers the soonest deadline met with the required probability, in contexts seen and in those unlike any seen, to that
    /// of this candidate. NaN: none.
    void lower_attainable_deadlines(const candidate& choice, std::array<double, 2>& deadlines_s) const noexcept {
        const auto predicted = choice.runtimes->at(choice.scale_out);
        if (!has_deadline_ || wanted_.cost_of_missing > 0 || !predicted.usable()) return;
        double& deadline_s = deadlines_s[is_unlike_any_seen(predicted) ? 1 : 0];
        // A millionth longer, so that rounding does not refuse it.
        const double own_s = time_to_result_s(choice.costs, predicted.quantile_s(wanted_.probability) * 1.000001);
        deadline_s = std::fmin(deadline_s, own_s);  // passes over NaN
    }

    // Only the goal of least expected cost, which prices a missed deadline, can choose what is below the required
    // probability; else that is not feasible and does not come here.
    outcome outcome_of(const assessment& chosen) const noexcept {
        const bool is_likely = chosen.probability >= wanted_.probability;
        if (is_unlike_any_seen(chosen.predicted))
            return is_likely ? outcome::meets_deadline_unlike_any_seen : outcome::costs_least_unlike_any_seen;
        if (!is_likely) return outcome::costs_least;
        const bool is_beyond = chosen.predicted.outside_seen_scale_outs || chosen.predicted.outside_seen_data_sizes;
        return is_beyond ? outcome::meets_deadline_by_extrapolation : outcome::meets_deadline;
    }

    /// Whether a known candidate that meets the limit is preferred to this one. Without a limit the cost decides, but among
    /// those of seen data sizes first: a cluster whose memory is too small may not end at all.
    bool is_passed_over(const assessment& row) const noexcept {
        if (wanted_.goal != goal::least_expected_cost) return is_unlike_any_seen(row.predicted);
        return !has_deadline_ && row.predicted.outside_seen_data_sizes;
    }

private:
    static bool is_unlike_any_seen(const prediction& predicted) noexcept {
        return predicted.unlike_any_seen_context && predicted.observed_runs == 0;
    }

    const request& wanted_;
    cost_shrinkage shrinkage_{};
    bool has_budget_;
    bool has_deadline_;
};

/// `candidate_at(i)` gives the i-th candidate by value, so that candidates need not be stored.
result<decision> choose_among(size_t count, const auto& candidate_at, const request& wanted,
                              std::span<assessment> table) noexcept {
    candidate_assessor assessor(wanted);
    if (auto valid = assessor.validate_request(); !valid) return valid.error();
    if (count == 0) return fail(errc::empty_candidates, "expected at least one candidate, found none");
    if (auto valid = validate_table(table.size(), count); !valid) return valid.error();
    for (size_t i = 0; i < count; ++i)
        if (auto valid = assessor.validate_candidate(candidate_at(i)); !valid)
            return with_subject(valid.error(), "candidate ", i);

    // Candidates that are all of one curve err alike.
    bool has_curves = false;
    for (size_t i = 1; i < count; ++i) has_curves |= candidate_at(i).runtimes != candidate_at(0).runtimes;
    for (size_t i = 0; has_curves && i < count; ++i) assessor.compare_cost(candidate_at(i));

    ranking<assessment> candidates;
    for (size_t i = 0; i < count; ++i) {
        const candidate choice = candidate_at(i);
        auto row = assessor.assess(choice, i);
        if (!table.empty()) table[i] = row;
        if (row.why != verdict::not_usable) candidates.add(assessor.position(row, choice.costs), row);
    }
    auto* const best = candidates.best();
    if (best == nullptr) return decision{};
    decision answer{.candidate = *best};
    if (candidates.is_feasible()) {
        answer.candidate->why = verdict::chosen;
        if (!table.empty()) table[best->candidate].why = verdict::chosen;
        if (!assessor.is_passed_over(*best))
            for (size_t i = 0; i < count && i < table.size(); ++i)
                if (table[i].probability >= wanted.probability && assessor.is_passed_over(table[i]))
                    table[i].why = verdict::unlike_any_seen;
        answer.outcome = assessor.outcome_of(*best);
    }
    if (!answer.feasible()) {
        std::array<double, 2> deadlines_s{answer.attainable_deadline_s, answer.attainable_deadline_s};
        for (size_t i = 0; i < count; ++i) assessor.lower_attainable_deadlines(candidate_at(i), deadlines_s);
        answer.attainable_deadline_s = deadlines_s[std::isnan(deadlines_s[0]) ? 1 : 0];
    }
    return answer;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<decision> choose(std::span<const candidate> candidates, const request& wanted,
                                              std::span<assessment> table) noexcept {
    return detail::choose_among(
        candidates.size(), [&](size_t i) { return candidates[i]; }, wanted, table);
}

BELLAMY_PUBLIC_INLINE result<decision> choose(const curve& runtimes, scale_out_list scale_outs, double deadline_s,
                                              double probability, std::span<assessment> table) noexcept {
    const auto candidate_at = [&](size_t i) -> candidate {
        return {.runtimes = &runtimes, .scale_out = scale_outs.values[i]};
    };
    return detail::choose_among(
        scale_outs.values.size(), candidate_at,
        {.goal = goal::smallest_within_deadline, .deadline_s = deadline_s, .probability = probability}, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
