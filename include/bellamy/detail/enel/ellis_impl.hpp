// Definitions of what ellis.hpp declares: a curve for each job, and the rule that picks scale-outs.
#ifndef BELLAMY_DETAIL_ENEL_ELLIS_IMPL_HPP
#define BELLAMY_DETAIL_ENEL_ELLIS_IMPL_HPP

#include <bellamy/baseline/bell.hpp>
#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/enel/published_rule.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/ellis.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<void> ellis_model::add_job(std::span<const run> runs) {
    const auto points = detail::observed_scale_outs::of(runs);
    if (!points) return points.error();
    const std::size_t distinct = points->points().size();
    double sum_s = 0;
    for (const auto& run : runs) sum_s += run.runtime_s;
    means_s_.push_back(distinct <= 2 ? sum_s / static_cast<double>(runs.size()) : 0);
    auto fitted = distinct <= 5 ? baseline::ernest(runs) : baseline::bell(runs);
    if (!fitted) return fitted.error();
    curves_.push_back(*fitted);
    return {};
}

BELLAMY_PUBLIC_INLINE result<ellis_model> ellis_model::learn(std::span<const application_trace> runs) {
    std::vector<std::vector<run>> by_job;
    ellis_model model;
    for (const auto& trace : runs) {
        if (auto valid = validate(trace); !valid) return valid.error();
        if (trace.application != runs.front().application)
            return detail::fail(errc::invalid_option, "expected runs of ", runs.front().application, ", found one of ",
                                trace.application);
        const auto scale_out = detail::constant_scale_out(trace);
        if (!scale_out || trace.jobs.empty()) continue;
        ++model.runs_;
        by_job.resize((std::max)(by_job.size(), trace.jobs.size()));
        for (std::size_t job = 0; job < trace.jobs.size(); ++job) {
            const auto time_s = detail::runtime_s(trace.jobs[job]);
            if (time_s && *time_s > 0) by_job[job].push_back({.scale_out = *scale_out, .runtime_s = *time_s});
        }
    }
    if (model.runs_ == 0)
        return detail::fail(errc::empty_history, "expected a run with jobs and one known scale-out, found none");
    for (const auto& job_runs : by_job)
        if (auto added = model.add_job(job_runs); !added) return added.error();
    return model;
}

BELLAMY_PUBLIC_INLINE result<job_times> ellis_model::times(std::size_t first_job, std::span<const int> scale_outs,
                                                           std::span<double> time_s) const noexcept {
    const std::size_t jobs_to_come = first_job < jobs() ? jobs() - first_job : 0;
    if (jobs_to_come == 0)
        return detail::fail(errc::empty_candidates, "expected a job after ", first_job, " finished, found none");
    if (time_s.size() / jobs_to_come < scale_outs.size())
        return detail::fail(errc::buffer_too_small, "expected room for ", scale_outs.size(), " x ", jobs_to_come,
                            " times, found ", time_s.size());
    for (std::size_t k = 0; k < scale_outs.size(); ++k)
        for (std::size_t i = 0; i < jobs_to_come; ++i) time_s[k * jobs_to_come + i] = job_s(first_job + i, scale_outs[k]);
    return job_times{.scale_outs = scale_outs, .jobs = jobs_to_come, .time_s = time_s};
}

BELLAMY_PUBLIC_INLINE result<int> ellis_rule(const job_times& times, const rule_request& request) noexcept {
    if (auto valid = detail::validate_rule(times, request); !valid) return valid.error();
    const auto present = std::find(times.scale_outs.begin(), times.scale_outs.end(), request.scale_out);
    if (present == times.scale_outs.end())
        return detail::fail(errc::invalid_scale_out, "expected the present scale-out ", request.scale_out,
                            " among those of the times, found it not");
    if (times.jobs < 2) return request.scale_out;
    const auto position = static_cast<std::size_t>(present - times.scale_outs.begin());
    const double next_job_s = times.time_s[position * times.jobs];
    if (!detail::is_usable_time(next_job_s)) return request.scale_out;
    const double remaining_s = request.target_s - request.elapsed_s - next_job_s;
    const double predicted_s = detail::sum_from(times, position, 1);
    detail::smallest_or_fastest search;
    for (std::size_t k = 0; k < times.scale_outs.size(); ++k)
        search.add(k, detail::sum_from(times, k, 1), 0.9 * remaining_s);
    if (!search.position()) return request.scale_out;
    const int candidate = times.scale_outs[*search.position()];
    // A prediction that is NaN counts as too long.
    if (!(predicted_s <= 1.05 * remaining_s)) return candidate;
    if (predicted_s < 0.85 * remaining_s) return (std::min)(candidate, request.scale_out);
    return request.scale_out;
}

BELLAMY_PUBLIC_INLINE result<int> ellis_first_scale_out(int least, int most, std::size_t earlier_runs,
                                                        bool all_met) noexcept {
    if (least < 1 || most < least || most > largest_scale_out)
        return detail::fail(errc::invalid_scale_out, "expected scale-outs from 1 to ", largest_scale_out,
                            ", the least first, found ", least, " and ", most);
    const int middle = least + (most - least) / 2;
    if (earlier_runs == 0) return most;
    if (earlier_runs == 1) return middle;
    if (earlier_runs == 2) return all_met ? least + (middle - least) / 2 : middle + (most - middle) / 2;
    return detail::fail(errc::invalid_option, "expected less than 3 earlier runs, found ", earlier_runs);
}

BELLAMY_PUBLIC_INLINE result<int> ellis_first_scale_out(std::span<const int> scale_outs, std::span<const double> total_s,
                                                        double target_s) noexcept {
    if (auto valid = detail::validate_target(target_s); !valid) return valid.error();
    return detail::first_below(scale_outs, total_s, 1, largest_scale_out, target_s);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
