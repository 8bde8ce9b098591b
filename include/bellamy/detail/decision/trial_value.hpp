// What a candidate of a search is worth in closed form, for log-normal runtimes: cost, probability and expected improvement.
#ifndef BELLAMY_DETAIL_DECISION_TRIAL_VALUE_HPP
#define BELLAMY_DETAIL_DECISION_TRIAL_VALUE_HPP

#include <bellamy/choose.hpp>
#include <bellamy/detail/maths/mixture.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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
        constexpr double endless = std::numeric_limits<double>::infinity();
        if (wanted.goal == goal::fastest_within_budget) {
            limit_s_ = runtime_within_budget_s(costs, scale_out, wanted.budget);
        } else {
            limit_s_ = wanted.deadline_s > 0 ? runtime_within_s(costs, wanted.deadline_s) : endless;
        }
    }

    double limit_s() const noexcept { return limit_s_; }

    /// Of a run that took so long: its cost, time or scale-out. Missing a deadline may have a price.
    double of_run(double runtime_s) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return scale_out_;
        if (wanted_.goal == goal::fastest_within_budget) return time_to_result_s(costs_, runtime_s);
        return cost_of(costs_, scale_out_, runtime_s) + (runtime_s <= limit_s_ ? 0 : wanted_.cost_of_missing);
    }
    /// Whether a run may be the best one.
    bool may_be_best(double runtime_s) const noexcept { return wanted_.cost_of_missing > 0 || runtime_s <= limit_s_; }

    /// Cost of the run alone.
    double expected_cost(double mean, double sd) const noexcept {
        return cost_of_moments(moments(mean, sd, std::numeric_limits<double>::infinity()));
    }
    double probability(double mean, double sd) const noexcept { return moments(mean, sd, limit_s_).probability; }
    double expected_value(double mean, double sd) const noexcept {
        if (wanted_.goal == goal::smallest_within_deadline) return scale_out_;
        const auto all = moments(mean, sd, std::numeric_limits<double>::infinity());
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
        if (wanted_.cost_of_missing > 0 && within_cost_s(late_best) > limit_s_) {
            const auto late = moments(mean, sd, within_cost_s(late_best)) - moments(mean, sd, limit_s_);
            gain += late_best * late.probability - cost_of_moments(late);
        }
        return (std::max)(gain, 0.0);
    }

private:
    double within_cost_s(double cost) const noexcept { return runtime_within_budget_s(costs_, scale_out_, cost); }
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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
