// Ellis (Thamsen et al., CLOUD 2017), a baseline: a curve over the scale-out for every job of an application.
#ifndef BELLAMY_BENCH_ELLIS_HPP
#define BELLAMY_BENCH_ELLIS_HPP

#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/trace.hpp>

#include "baselines.hpp"
#include "published_rules.hpp"

namespace bench {

/// Runtime curves of an application's jobs by position, from its earlier runs at one known scale-out; all other runs are
/// left out. A job seen at up to two scale-outs has its mean time, up to five Ernest's curve, else Bell's. An immutable
/// value.
class ellis_model {
public:
    /// Allocates. Errors: those of `validate` for traces; empty_history where no run has jobs and one known scale-out;
    /// invalid_option for runs of different applications; too_many_scale_outs.
    [[nodiscard]] static bellamy::result<ellis_model> learn(std::span<const bellamy::application_trace> runs);

    /// Number of runs learned from; the rule is meant for more than three.
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }
    [[nodiscard]] std::size_t jobs() const noexcept { return curves_.size(); }
    /// Precondition: job < jobs().
    [[nodiscard]] double job_s(std::size_t job, int scale_out) const noexcept {
        return means_s_[job] > 0 ? means_s_[job] : curves_[job].at(scale_out).median_s;
    }
    /// Writes scale_outs.size() x (jobs() - first_job) times for `ellis_rule`; the result refers to both spans. Allocates
    /// nothing. Errors: buffer_too_small, and empty_candidates where no job is to come.
    [[nodiscard]] bellamy::result<job_times> times(std::size_t first_job, std::span<const int> scale_outs,
                                                   std::span<double> time_s) const noexcept;

private:
    [[nodiscard]] bellamy::result<void> add_job(std::span<const bellamy::run> runs);

    std::vector<bellamy::curve> curves_;
    std::vector<double> means_s_;  // 0: the curve is used
    std::size_t runs_ = 0;
};

inline bellamy::result<void> ellis_model::add_job(std::span<const bellamy::run> runs) {
    const auto points = bellamy::detail::observed_scale_outs::of(runs);
    if (!points) return points.error();
    const std::size_t distinct = points->points().size();
    double sum_s = 0;
    for (const auto& run : runs) sum_s += run.runtime_s;
    means_s_.push_back(distinct <= 2 ? sum_s / static_cast<double>(runs.size()) : 0);
    auto fitted = distinct <= 5 ? bellamy::baseline::ernest(runs) : bell(runs);
    if (!fitted) return fitted.error();
    curves_.push_back(*fitted);
    return {};
}

inline bellamy::result<ellis_model> ellis_model::learn(std::span<const bellamy::application_trace> runs) {
    std::vector<std::vector<bellamy::run>> by_job;
    ellis_model model;
    for (const auto& trace : runs) {
        if (auto valid = bellamy::validate(trace); !valid) return valid.error();
        if (trace.application != runs.front().application)
            return bellamy::detail::fail(bellamy::errc::invalid_option, "expected runs of ", runs.front().application,
                                         ", found one of ", trace.application);
        const auto scale_out = bellamy::detail::constant_scale_out(trace);
        if (!scale_out || trace.jobs.empty()) continue;
        ++model.runs_;
        by_job.resize((std::max)(by_job.size(), trace.jobs.size()));
        for (std::size_t job = 0; job < trace.jobs.size(); ++job) {
            const auto time_s = bellamy::detail::runtime_s(trace.jobs[job]);
            if (time_s && *time_s > 0) by_job[job].push_back({.scale_out = *scale_out, .runtime_s = *time_s});
        }
    }
    if (model.runs_ == 0)
        return bellamy::detail::fail(bellamy::errc::empty_history,
                                     "expected a run with jobs and one known scale-out, found none");
    for (const auto& job_runs : by_job)
        if (auto added = model.add_job(job_runs); !added) return added.error();
    return model;
}

inline bellamy::result<job_times> ellis_model::times(std::size_t first_job, std::span<const int> scale_outs,
                                                     std::span<double> time_s) const noexcept {
    const std::size_t jobs_to_come = first_job < jobs() ? jobs() - first_job : 0;
    if (jobs_to_come == 0)
        return bellamy::detail::fail(bellamy::errc::empty_candidates, "expected a job after ", first_job,
                                     " finished, found none");
    if (time_s.size() / jobs_to_come < scale_outs.size())
        return bellamy::detail::fail(bellamy::errc::buffer_too_small, "expected room for ", scale_outs.size(), " x ",
                                     jobs_to_come, " times, found ", time_s.size());
    for (std::size_t k = 0; k < scale_outs.size(); ++k)
        for (std::size_t i = 0; i < jobs_to_come; ++i) time_s[k * jobs_to_come + i] = job_s(first_job + i, scale_outs[k]);
    return job_times{.scale_outs = scale_outs, .jobs = jobs_to_come, .time_s = time_s};
}

}  // namespace bench

#endif
