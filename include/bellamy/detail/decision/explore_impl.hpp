// Definitions of explore.hpp: what a candidate is worth in closed form, for log-normal runtimes, and the search over
// candidates.
#ifndef BELLAMY_DETAIL_DECISION_EXPLORE_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_EXPLORE_IMPL_HPP

#include <bellamy/detail/blend/cluster_posterior.hpp>
#include <bellamy/detail/decision/choose_impl.hpp>
#include <bellamy/explore.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Moments of a log-normal runtime on the event that it is at most a limit.
struct truncated_moments {
    double probability = 0;
    double time_to_result_s = 0;

    truncated_moments operator-(const truncated_moments& other) const noexcept {
        return {.probability = probability - other.probability,
                .time_to_result_s = time_to_result_s - other.time_to_result_s};
    }
};

/// Values of one candidate under the goal of a request.
class trial_value {
public:
    trial_value(const request& wanted, const price& costs, int scale_out) noexcept
        : wanted_(wanted), costs_(costs), scale_out_(scale_out) {
        if (wanted.goal == goal::fastest_within_budget) {
            limit_s_ = runtime_within_budget_s(costs, scale_out, wanted.budget);
        } else {
            limit_s_ = wanted.deadline_s > 0 ? runtime_within_s(costs, wanted.deadline_s) : infinite;
        }
    }

    double limit_s() const noexcept { return limit_s_; }

    /// Of a run that took so long: its cost, time or scale-out. Missing a deadline may have a price.
    double of_run(double runtime_s) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return scale_out_;
        if (wanted_.goal == goal::fastest_within_budget) return time_to_result_s(costs_, runtime_s);
        const truncated_moments sure{.probability = 1, .time_to_result_s = time_to_result_s(costs_, runtime_s)};
        return cost_of_moments(sure) + (runtime_s <= limit_s_ ? 0 : wanted_.cost_of_missing);
    }
    /// Whether a run may be the best one.
    bool may_be_best(double runtime_s) const noexcept { return wanted_.cost_of_missing > 0 || runtime_s <= limit_s_; }

    /// Cost of the run alone.
    double expected_cost(double mean, double sd) const noexcept { return cost_of_moments(moments(mean, sd, infinite)); }
    double probability(double mean, double sd) const noexcept { return moments(mean, sd, limit_s_).probability; }
    /// As `of_run`, of a run whose log-runtime is normal.
    double expected_value(double mean, double sd) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return scale_out_;
        const auto all = moments(mean, sd, infinite);
        if (wanted_.goal == goal::fastest_within_budget) return all.time_to_result_s;
        return cost_of_moments(all) + wanted_.cost_of_missing * (1 - probability(mean, sd));
    }

    /// E[(best - value)+], with a value of infinity where the limit is missed without a price for that.
    double expected_improvement(double mean, double sd, double best) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline)
            return (std::max)(best - scale_out_, 0.0) * probability(mean, sd);
        if (wanted_.goal == goal::fastest_within_budget) {
            const auto better = moments(mean, sd, (std::min)(limit_s_, runtime_within_s(costs_, best)));
            return (std::max)(best * better.probability - better.time_to_result_s, 0.0);
        }
        const auto cheaper = moments(mean, sd, (std::min)(limit_s_, within_cost_s(best)));
        double gain = best * cheaper.probability - cost_of_moments(cheaper);
        const double late_best = best - wanted_.cost_of_missing;
        if (wanted_.cost_of_missing > 0 && late_best > 0 && within_cost_s(late_best) > limit_s_) {
            const auto late = moments(mean, sd, within_cost_s(late_best)) - moments(mean, sd, limit_s_);
            gain += late_best * late.probability - cost_of_moments(late);
        }
        return (std::max)(gain, 0.0);
    }

private:
    /// The inverse of `cost_of_moments` for a known runtime: that rounds nothing up, but adds half a billing period.
    double within_cost_s(double cost) const noexcept {
        price by_second = costs_;
        by_second.billing_granularity_s = 0;
        return runtime_within_budget_s(by_second, scale_out_, cost - cost_of_moments({.probability = 1}));
    }
    double reruns_per_s() const noexcept { return costs_.interruptions_per_hour * costs_.rerun_share / 3600; }

    truncated_moments moments(double mean, double sd, double limit_s) const noexcept {
        if (!(limit_s > 0)) return {};
        const double z = std::isfinite(limit_s) ? (std::log(limit_s) - mean) / sd : limit_s;
        truncated_moments made{.probability = normal_cdf(z)};
        made.time_to_result_s = costs_.start_up_s * made.probability + std::exp(mean + 0.5 * sd * sd) * normal_cdf(z - sd);
        if (reruns_per_s() > 0)
            made.time_to_result_s += reruns_per_s() * std::exp(2 * (mean + sd * sd)) * normal_cdf(z - 2 * sd);
        return made;
    }
    double cost_of_moments(const truncated_moments& of) const noexcept {
        return costs_.per_unit_and_hour * scale_out_ / 3600 *
               (of.time_to_result_s + 0.5 * costs_.billing_granularity_s * of.probability);
    }

    const request& wanted_;
    price costs_;
    int scale_out_;
    double limit_s_ = 0;
};

inline result<void> validate_exploration(std::span<const trial_candidate> candidates, std::span<const run> runs,
                                         const exploration_request& wanted) {
    if (auto valid = candidate_assessor(wanted.wanted).validate_request(); !valid) return valid;
    if (!(wanted.runs_to_come > 0 && is_finite_and_at_least_0(wanted.runs_to_come)))
        return fail(errc::invalid_option, "expected a number of runs to come > 0, found ", wanted.runs_to_come);
    if (!is_finite_and_at_least_0(wanted.least_gain))
        return fail(errc::invalid_option, "expected a finite least gain >= 0, found ", wanted.least_gain);
    if (wanted.trials == 0) return fail(errc::invalid_option, "expected at least one trial to propose, found 0");
    if (candidates.empty()) return fail(errc::empty_candidates, "expected at least one candidate, found none");
    for (size_t i = 0; i < candidates.size(); ++i) {
        const auto& each = candidates[i];
        if (each.context == nullptr)
            return fail(errc::empty_candidates, "candidate ", i, ": expected a context, found none");
        auto valid = validate(*each.context);
        if (valid) valid = validate_scale_out(each.scale_out);
        if (valid) valid = validate(each.costs, wanted.wanted.goal != goal::smallest_within_deadline);
        if (!valid) return with_subject(valid.error(), "candidate ", i);
    }
    for (size_t i = 0; i < runs.size(); ++i)
        if (auto valid = validate(runs[i]); !valid) return with_subject(valid.error(), "run ", i);
    return {};
}

/// What is known of one candidate in closed form, over all components.
struct trial_outlook {
    double probability = 0;  // of keeping the limit
    double expected_cost = 0;
    double expected_value = 0;  // of the goal, such as its cost: the lower, the better
};

/// One search: its candidates as points, and the runs of each.
class trial_search {
public:
    trial_search(std::span<const trial_candidate> candidates, std::span<const run> runs, const exploration_request& wanted,
                 const std::vector<cluster_law>& laws)
        : candidates_(candidates), wanted_(wanted), laws_(laws), tried_(candidates.size(), false) {
        cluster_point_maker point_of;
        for (const auto& each : candidates) {
            points_.push_back(point_of(*each.context, each.scale_out));
            values_.emplace_back(wanted.wanted, each.costs, each.scale_out);
        }
        for (const auto& run : runs) runs_.push_back(to_cluster_run(run, point_of(run.context, run.scale_out)));
        for (size_t i = 0; i < candidates.size(); ++i) look_up_runs_of(i, runs);
    }

    exploration operator()() {
        look_ahead();
        exploration found{.best = best_choice(), .best_run = best_run_};
        const auto next = best_untried();
        found.verdict = verdict_of(next);
        if (!next) return found;
        found.next.push_back(proposal_of(*next));
        while (found.next.size() < wanted_.trials) {
            assume_median(found.next.back());
            look_ahead();
            const auto another = best_untried();
            if (!another || (!found.stops() && verdict_of(another) != exploration_verdict::go_on)) break;
            found.next.push_back(proposal_of(*another));
        }
        return found;
    }

private:
    // The value of a candidate that ran several times is that of the geometric mean.
    void look_up_runs_of(size_t candidate, std::span<const run> runs) {
        double sum = 0;
        double count = 0;
        bool all_ended = true;
        for (size_t i = 0; i < runs.size(); ++i) {
            if (runs[i].scale_out != candidates_[candidate].scale_out ||
                !(runs[i].context == *candidates_[candidate].context))
                continue;
            sum += std::log(runs[i].runtime_s);
            ++count;
            all_ended &= !runs[i].censored;
        }
        tried_[candidate] = count > 0;
        if (count > 0 && all_ended) take_as_best(candidate, std::exp(sum / count));
    }

    void take_as_best(size_t candidate, double runtime_s) {
        const auto& value = values_[candidate];
        if (!value.may_be_best(runtime_s) || (best_run_ && value.of_run(runtime_s) >= best_value_)) return;
        best_run_ = candidate;
        best_value_ = value.of_run(runtime_s);
    }

    void look_ahead() {
        constexpr double least_probability = 0.003;
        const cluster_posterior posterior(laws_, possible_cliffs(points_), runs_);
        mixtures_.clear();
        outlooks_.assign(points_.size(), {});
        for (size_t i = 0; i < points_.size(); ++i) {
            auto& mixture = mixtures_.emplace_back();
            for (const auto& [probability, answer] : posterior({points_[i]}, {}, least_probability))
                mixture.push_back({.weight = probability,
                                   .mean = answer.mean[0],
                                   .sd = std::sqrt(answer.covariance(0, 0) + cluster_noise_sd * cluster_noise_sd)});
            for (const auto& [weight, mean, sd] : mixture) {
                outlooks_[i].probability += weight * values_[i].probability(mean, sd);
                outlooks_[i].expected_cost += weight * values_[i].expected_cost(mean, sd);
                outlooks_[i].expected_value += weight * values_[i].expected_value(mean, sd);
            }
        }
    }

    /// Precondition: a run met the limit.
    double gain_of(size_t candidate) const {
        double gain = 0;
        for (const auto& [weight, mean, sd] : mixtures_[candidate])
            gain += weight * values_[candidate].expected_improvement(mean, sd, best_value_);
        return gain;
    }
    bool compares_money() const noexcept {
        return wanted_.wanted.goal == goal::cheapest_within_deadline || wanted_.wanted.goal == goal::least_expected_cost;
    }
    /// The gain of all runs to come, less what the trial costs.
    double worth_of(size_t candidate) const {
        const double gain = gain_of(candidate);
        return compares_money() ? wanted_.runs_to_come * gain - outlooks_[candidate].expected_cost : gain;
    }

    /// Of the candidates not tried, the one for which `precedes(a, b)` holds beside every other; the earliest of equal ones.
    std::optional<size_t> first_untried(const auto& precedes) const {
        std::optional<size_t> first;
        for (size_t i = 0; i < points_.size(); ++i)
            if (!tried_[i] && (!first || precedes(i, *first))) first = i;
        return first;
    }
    // A deadline whose missing has a price decides about no run: every one has a value.
    bool has_strict_limit() const noexcept { return !(wanted_.wanted.cost_of_missing > 0); }
    std::optional<size_t> best_untried() const {
        if (!best_run_ && !has_strict_limit())
            return first_untried(
                [&](size_t a, size_t b) { return outlooks_[a].expected_value < outlooks_[b].expected_value; });
        if (!best_run_) return likeliest_for_its_value();
        std::vector<double> worths(points_.size());
        for (size_t i = 0; i < points_.size(); ++i) worths[i] = worth_of(i);
        return first_untried([&](size_t a, size_t b) { return worths[a] > worths[b]; });
    }
    /// By probability over expected value, of which less is better; a value of 0 first.
    std::optional<size_t> likeliest_for_its_value() const {
        return first_untried([&](size_t a, size_t b) {
            const auto& x = outlooks_[a];
            const auto& y = outlooks_[b];
            const double x_rank = x.probability * y.expected_value;
            const double y_rank = y.probability * x.expected_value;
            return x_rank > y_rank || (!(y_rank > x_rank) && x.probability > y.probability);
        });
    }

    exploration_verdict verdict_of(std::optional<size_t> next) const {
        if (!next) return exploration_verdict::everything_tried;
        if (!best_run_) {
            const bool hopeless = has_strict_limit() && all_of(outlooks_, [](const auto& each) {
                                      return each.probability < hopeless_probability;
                                  });
            return hopeless ? exploration_verdict::hopeless : exploration_verdict::go_on;
        }
        if (!(worth_of(*next) > 0)) return exploration_verdict::costs_more_than_it_gains;
        return gain_of(*next) <= wanted_.least_gain * best_value_ && wanted_.least_gain > 0
                   ? exploration_verdict::below_least_gain
                   : exploration_verdict::go_on;
    }

    proposed_trial proposal_of(size_t candidate) const {
        proposed_trial made{.candidate = candidate,
                            .predicted = prediction_of(candidate),
                            .probability = outlooks_[candidate].probability,
                            .expected_cost = outlooks_[candidate].expected_cost};
        if (best_run_) made.expected_gain = gain_of(candidate);
        return made;
    }

    prediction prediction_of(size_t candidate) const {
        prediction made{.observed_runs = tried_[candidate] ? 1U : 0U,
                        .is_point = false,
                        .log_quantiles = quantiles_of(mixtures_[candidate])};
        made.median_s = std::exp(made.log_quantiles[median_index]);
        return made;
    }

    assessment best_choice() const {
        ranking<size_t> all;
        const bool is_limited = wanted_.wanted.goal != goal::least_expected_cost;
        const auto meets = [&](size_t i) { return !is_limited || outlooks_[i].probability >= wanted_.wanted.probability; };
        for (size_t i = 0; i < points_.size(); ++i)
            all.add({.feasible = meets(i),
                     .probability = outlooks_[i].probability,
                     .value = outlooks_[i].expected_value,
                     .tie_break = candidates_[i].scale_out},
                    i);
        const size_t chosen = *all.best();
        verdict why = verdict::chosen;
        if (!meets(chosen))
            why = wanted_.wanted.goal == goal::fastest_within_budget ? verdict::exceeds_budget : verdict::misses_deadline;
        return {.candidate = chosen,
                .scale_out = candidates_[chosen].scale_out,
                .predicted = prediction_of(chosen),
                .probability = outlooks_[chosen].probability,
                .expected_cost =
                    outlooks_[chosen].expected_cost + wanted_.wanted.cost_of_missing * (1 - outlooks_[chosen].probability),
                .why = why};
    }

    // As if it had run: the next trial of a batch is chosen as though this one took its median.
    void assume_median(const proposed_trial& trial) {
        const double runtime_s = trial.predicted.median_s;
        runs_.push_back(to_cluster_run({.runtime_s = runtime_s}, points_[trial.candidate]));
        const auto& chosen = candidates_[trial.candidate];
        for (size_t i = 0; i < candidates_.size(); ++i)
            if (candidates_[i].scale_out == chosen.scale_out && *candidates_[i].context == *chosen.context) tried_[i] = true;
        take_as_best(trial.candidate, runtime_s);
    }

    std::span<const trial_candidate> candidates_;
    const exploration_request& wanted_;
    const std::vector<cluster_law>& laws_;
    std::vector<cluster_point> points_;
    std::vector<trial_value> values_;
    std::vector<cluster_run> runs_;
    std::vector<bool> tried_;
    std::optional<size_t> best_run_;
    double best_value_ = 0;
    /// Of each candidate's log-runtime.
    std::vector<std::vector<normal_component>> mixtures_;
    std::vector<trial_outlook> outlooks_;
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<exploration> explore(std::span<const trial_candidate> candidates, std::span<const run> runs,
                                                  const exploration_request& wanted, const exploration_prior& known) {
    if (auto valid = detail::validate_exploration(candidates, runs, wanted); !valid) return valid.error();
    return detail::trial_search(candidates, runs, wanted, detail::exploration_access::laws(known))();
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
