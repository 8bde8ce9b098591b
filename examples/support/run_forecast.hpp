// The forecast of a running application: its rest at every scale-out, the jobs to come, and the decision.
#ifndef BELLAMY_EXAMPLES_RUN_FORECAST_HPP
#define BELLAMY_EXAMPLES_RUN_FORECAST_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/rescale.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lone_run.hpp"
#include "mixed_curve.hpp"

namespace tools {

/// What is left of a time that has lasted `already_s`: conditioned on lasting longer than that. A point, or a time that was
/// to be over, keeps a thousandth of a second at least.
[[nodiscard]] inline bellamy::prediction left_after(bellamy::prediction whole, double already_s) {
    constexpr double least_s = 1e-3;
    if (!(already_s > 0) || !whole.usable()) return whole;
    const double over = whole.probability_within(already_s);
    if (!whole.is_point) {
        const auto unconditioned = whole;
        for (std::size_t i = 0; i < whole.log_quantiles.size(); ++i) {
            const double p = bellamy::detail::normal_cdf(bellamy::detail::standard_normal_quantiles[i]);
            const double beyond = std::min(over + p * (1 - over), 1 - 1e-9);
            whole.log_quantiles[i] = std::log(std::max(unconditioned.quantile_s(beyond) - already_s, least_s));
        }
        whole.median_s = std::exp(whole.log_quantiles[whole.log_quantiles.size() / 2]);
    } else {
        whole.median_s = std::max(whole.median_s - already_s, least_s);
    }
    return whole;
}

/// A job to come: as learned, and when it ends if the rest of the run takes its median, or other quantiles.
struct job_to_come {
    std::size_t job = 0;
    std::size_t stages = 0;
    bellamy::prediction predicted{};
    /// Of the rest of the run, what has passed when this job ends.
    double share_of_rest = 1;
};

/// A running application and what is predicted of it.
struct run_forecast {
    bellamy::application_trace so_far{};
    int scale_out = 1;  // now
    std::size_t finished = 0;
    std::size_t jobs = 0;
    /// Whether the finished jobs have as many stages as the run that is expected.
    bool expected_stages = true;
    /// End of the last finished job, and the time since the start that the trace knows of.
    double last_end_s = 0;
    double elapsed_s = 0;
    /// What the forecast does not know, where it rests on one past run.
    lone_run doubts{};
    /// From now to the end of the run at the present scale-out.
    bellamy::prediction rest{};
    std::vector<job_to_come> to_come{};
    /// The question and the answer; empty where there is no deadline.
    std::optional<bellamy::rescale_request> wanted{};
    std::optional<bellamy::rescale_decision> decision{};
    std::vector<bellamy::rescale_candidate> candidates{};
    std::vector<bellamy::rescale_assessment> table{};
    /// Candidates outside are extrapolation.
    bellamy::scale_out_interval seen{};

    /// Where a deadline was asked for: whether the decision keeps it or, with nothing left to decide, the run did. Where
    /// missing has a cost, what costs least does as it was asked to.
    [[nodiscard]] bool keeps_deadline() const {
        if (!decision) return true;
        if (decision->outcome == bellamy::rescale_outcome::nothing_to_come) return elapsed_s <= wanted->deadline_s;
        return decision->outcome == bellamy::rescale_outcome::meets_deadline ||
               decision->outcome == bellamy::rescale_outcome::costs_least;
    }
};

namespace detail {

inline void add_jobs_to_come(run_forecast& made, const bellamy::forecast& predicted) {
    double all_s = 0;
    for (std::size_t job = made.finished; job < made.jobs; ++job) {
        made.to_come.push_back(
            {.job = job, .stages = predicted.stages(job), .predicted = predicted.job(job, made.scale_out)});
        all_s += made.to_come.back().predicted.median_s;
        made.to_come.back().share_of_rest = all_s;
    }
    for (auto& each : made.to_come) each.share_of_rest /= all_s;
}

}  // namespace detail

/// `whole` is bound to the properties of `so_far`. Where a job has begun, what has passed of it is a lower bound, and counts
/// at another scale-out in proportion. Where doubts say that the rest may have grown, it did with half the probability.
/// Errors: those of `forecast::observe`.
[[nodiscard]] inline bellamy::result<run_forecast> predict_rest(const bellamy::forecast& whole,
                                                                bellamy::application_trace so_far, int scale_out,
                                                                lone_run doubts) {
    auto predicted = whole.observe(so_far);
    if (!predicted) return predicted.error();
    run_forecast made{.so_far = std::move(so_far), .scale_out = scale_out, .doubts = std::move(doubts)};
    made.finished = predicted->finished_jobs();
    made.jobs = std::max(predicted->jobs(), made.finished);
    for (std::size_t job = 0; job < made.finished; ++job) {
        const auto& one = made.so_far.jobs[job];
        made.last_end_s = std::max(made.last_end_s, one.completed_s.value_or(0));
        const auto stages = bellamy::detail::last_attempts(one).size();
        made.expected_stages = made.expected_stages && job < predicted->jobs() && stages == predicted->stages(job);
    }
    made.elapsed_s = std::max(made.last_end_s, made.so_far.runtime_s);
    made.rest = left_after(possibly_scaled(predicted->remaining(scale_out), made.doubts.work_ratio),
                           made.elapsed_s - made.last_end_s);
    detail::add_jobs_to_come(made, *predicted);
    return made;
}

/// The decision among these scale-outs; those outside of the ones seen are marked. Errors: those of `rescale` and
/// `forecast::observe`.
[[nodiscard]] inline bellamy::result<void> decide(run_forecast& made, const bellamy::forecast& whole,
                                                  const std::vector<int>& scale_outs, const bellamy::price& costs,
                                                  bellamy::rescale_request wanted, const bellamy::scale_out_interval& seen) {
    const auto predicted = whole.observe(made.so_far);
    if (!predicted) return predicted.error();
    wanted.elapsed_s = made.elapsed_s;
    wanted.scale_out = made.scale_out;
    wanted.jobs_to_come = made.jobs - made.finished;
    const double since_s = made.elapsed_s - made.last_end_s;
    const auto rest_at = [&](int x) { return possibly_scaled(predicted->remaining(x), made.doubts.work_ratio); };
    const double here_s = rest_at(made.scale_out).median_s;
    for (const int x : scale_outs) {
        if (auto valid = bellamy::validate_scale_out(x); !valid) return valid;
        auto rest = rest_at(x);
        rest.outside_seen_scale_outs = !seen.contains(x);
        made.candidates.push_back(
            {.scale_out = x, .rest = left_after(rest, since_s * rest.median_s / here_s), .costs = costs});
    }
    made.table.resize(made.candidates.size());
    const auto decision = bellamy::rescale(made.candidates, wanted, made.table);
    if (!decision) return decision.error();
    made.seen = seen;
    made.wanted = wanted;
    made.decision = *decision;
    return {};
}

}  // namespace tools

#endif
