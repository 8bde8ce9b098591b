// The published rules of Enel and Ellis, which decide from predicted times of the jobs to come at candidate scale-outs.
#ifndef BELLAMY_BENCH_PUBLISHED_RULES_HPP
#define BELLAMY_BENCH_PUBLISHED_RULES_HPP

#include <bellamy/enel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace bench {

/// Point predictions of the jobs to come at ascending scale-outs.
struct job_times {
    std::span<const int> scale_outs{};
    std::size_t jobs = 0;
    /// scale_outs.size() x jobs: the i-th job to come at the k-th scale-out stands at k * jobs + i. Seconds, the expected
    /// gap before the job included. A time that is not finite and positive makes its scale-out unusable.
    std::span<const double> time_s{};
};

/// Of the jobs to come by Enel's network: `time_s` of its `job_times`.
[[nodiscard]] inline std::vector<double> enel_times_s(const bellamy::enel_forecast& forecast) {
    std::vector<double> time_s;
    for (std::size_t k = 0; k < forecast.scale_outs().size(); ++k)
        for (std::size_t job = 0; job < forecast.jobs(); ++job)
            time_s.push_back(forecast.job_s(k, job) + forecast.gap_s(job));
    return time_s;
}

/// State of the running application that a rule decides for.
struct rule_request {
    int scale_out = 1;     // the present one
    double elapsed_s = 0;  // since the start of the run
    double target_s = 0;   // runtime of the whole run that is aimed at
};

namespace detail {

[[nodiscard]] inline bool is_usable_time(double time_s) noexcept {
    return time_s > 0 && time_s <= (std::numeric_limits<double>::max)();
}

[[nodiscard]] inline bellamy::result<void> validate_scale_outs(std::span<const int> scale_outs) noexcept {
    if (scale_outs.empty())
        return bellamy::detail::fail(bellamy::errc::empty_candidates, "expected at least one scale-out, found none");
    int before = 0;
    for (const int scale_out : scale_outs) {
        if (scale_out <= before || scale_out > bellamy::largest_scale_out)
            return bellamy::detail::fail(bellamy::errc::invalid_scale_out, "expected ascending scale-outs from 1 to ",
                                         bellamy::largest_scale_out, ", found ", scale_out, " after ", before);
        before = scale_out;
    }
    return {};
}

[[nodiscard]] inline bellamy::result<void> validate_target(double target_s) noexcept {
    if (is_usable_time(target_s)) return {};
    return bellamy::detail::fail(bellamy::errc::invalid_deadline, "expected a finite target > 0 seconds, found ", target_s);
}

[[nodiscard]] inline bellamy::result<void> validate_rule(const job_times& times, const rule_request& request) noexcept {
    if (auto valid = validate_scale_outs(times.scale_outs); !valid) return valid;
    if (auto valid = validate_target(request.target_s); !valid) return valid;
    if (!(request.elapsed_s >= 0 && request.elapsed_s <= (std::numeric_limits<double>::max)()))
        return bellamy::detail::fail(bellamy::errc::invalid_runtime, "expected a finite elapsed time >= 0 seconds, found ",
                                     request.elapsed_s);
    if (auto valid = bellamy::validate_scale_out(request.scale_out); !valid) return valid;
    if (times.time_s.size() / times.scale_outs.size() < times.jobs)
        return bellamy::detail::fail(bellamy::errc::buffer_too_small, "expected ", times.scale_outs.size(), " x ",
                                     times.jobs, " times, found ", times.time_s.size());
    return {};
}

/// Sum of the times of jobs first.. at the k-th scale-out; NaN where one of them is not usable.
[[nodiscard]] inline double sum_from(const job_times& times, std::size_t k, std::size_t first) noexcept {
    double sum_s = 0;
    for (std::size_t job = first; job < times.jobs; ++job) {
        const double time_s = times.time_s[k * times.jobs + job];
        sum_s += is_usable_time(time_s) ? time_s : std::numeric_limits<double>::quiet_NaN();
    }
    return sum_s;
}

/// Position of the first scale-out whose time is below its limit, else of the fastest one; none where all times are NaN.
class smallest_or_fastest {
public:
    void add(std::size_t k, double time_s, double limit_s) noexcept {
        if (time_s < limit_s && !smallest_) smallest_ = k;
        if (std::isnan(time_s) || (fastest_ && !(time_s < fastest_s_))) return;
        fastest_ = k;
        fastest_s_ = time_s;
    }
    [[nodiscard]] std::optional<std::size_t> position() const noexcept { return smallest_ ? smallest_ : fastest_; }

private:
    std::optional<std::size_t> smallest_{};
    std::optional<std::size_t> fastest_{};
    double fastest_s_ = 0;
};

/// The first of the scale-outs in [least, most] whose total is below a limit, else the fastest there; 0 where none is
/// usable.
[[nodiscard]] inline bellamy::result<int> first_below(std::span<const int> scale_outs, std::span<const double> total_s,
                                                      int least, int most, double limit_s) noexcept {
    if (auto valid = validate_scale_outs(scale_outs); !valid) return valid.error();
    if (total_s.size() < scale_outs.size())
        return bellamy::detail::fail(bellamy::errc::buffer_too_small, "expected ", scale_outs.size(), " totals, found ",
                                     total_s.size());
    smallest_or_fastest search;
    for (std::size_t k = 0; k < scale_outs.size(); ++k)
        if (scale_outs[k] >= least && scale_outs[k] <= most)
            search.add(k, is_usable_time(total_s[k]) ? total_s[k] : std::numeric_limits<double>::quiet_NaN(), limit_s);
    return search.position() ? scale_outs[*search.position()] : 0;
}

}  // namespace detail

/// Enel's rule (IPCCC 2021): one scale-out for each job to come, the smallest whose predicted times sum to at most 1.05 x
/// the target, else the fastest. It goes down without a limit, and up by at most an eighth of the range of `times`. Returns
/// the number of answers written: `times.jobs`, or 0 where there is no decision (at most one job to come, or no usable
/// scale-out). Allocates nothing. Errors: empty_candidates, invalid_scale_out (not ascending, below 1), invalid_deadline
/// (target), invalid_runtime (elapsed), buffer_too_small (times or answers).
[[nodiscard]] inline bellamy::result<std::size_t> enel_rule(const job_times& times, const rule_request& request,
                                                            std::span<int> chosen) noexcept {
    if (auto valid = detail::validate_rule(times, request); !valid) return valid.error();
    if (chosen.size() < times.jobs)
        return bellamy::detail::fail(bellamy::errc::buffer_too_small, "expected room for ", times.jobs, " answers, found ",
                                     chosen.size());
    if (times.jobs <= 1) return std::size_t{0};
    const int least = times.scale_outs.front();
    const int largest_step = (times.scale_outs.back() - least) / 8;
    const int most = (std::max)(least, request.scale_out + largest_step);
    const double remaining_s = 1.05 * request.target_s - request.elapsed_s;
    for (std::size_t job = 0; job < times.jobs; ++job) {
        detail::smallest_or_fastest search;
        for (std::size_t k = 0; k < times.scale_outs.size() && times.scale_outs[k] <= most; ++k) {
            if (std::isnan(detail::sum_from(times, k, 0))) continue;
            double before_s = 0;
            for (std::size_t i = 0; i < job; ++i) before_s += times.time_s[k * times.jobs + i];
            search.add(k, detail::sum_from(times, k, job), remaining_s - before_s);
        }
        if (!search.position()) return std::size_t{0};
        chosen[job] = times.scale_outs[*search.position()];
    }
    return times.jobs;
}

/// Enel's first scale-out: the smallest in [least, most] seen whose predicted total (one per scale-out) is below 0.9 x the
/// target, else the fastest. 0 where none is usable. Errors: those of `enel_rule`; also `least_seen` > `most_seen`.
[[nodiscard]] inline bellamy::result<int> enel_first_scale_out(std::span<const int> scale_outs,
                                                               std::span<const double> total_s, int least_seen,
                                                               int most_seen, double target_s) noexcept {
    if (auto valid = detail::validate_target(target_s); !valid) return valid.error();
    if (least_seen < 1 || most_seen < least_seen)
        return bellamy::detail::fail(bellamy::errc::invalid_scale_out,
                                     "expected scale-outs seen from 1 on, the least first, found ", least_seen, " and ",
                                     most_seen);
    return detail::first_below(scale_outs, total_s, least_seen, most_seen, 0.9 * target_s);
}

/// Ellis's rule: changes the scale-out where the jobs after the next one are predicted to miss the rest of the target, or to
/// undercut it, by a margin. Returns the present scale-out where they do not, where less than two jobs are to come, and
/// where the next job has no usable time at it. Allocates nothing. Errors: those of `enel_rule`; invalid_scale_out where the
/// present one is not among the candidates.
[[nodiscard]] inline bellamy::result<int> ellis_rule(const job_times& times, const rule_request& request) noexcept {
    if (auto valid = detail::validate_rule(times, request); !valid) return valid.error();
    const auto present = std::find(times.scale_outs.begin(), times.scale_outs.end(), request.scale_out);
    if (present == times.scale_outs.end())
        return bellamy::detail::fail(bellamy::errc::invalid_scale_out, "expected the present scale-out ", request.scale_out,
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

/// Ellis's first scale-out after less than three earlier runs: the most, the middle, or the middle of a half (the lower one
/// where both runs met their target). Errors: invalid_scale_out, invalid_option for three runs or more.
[[nodiscard]] inline bellamy::result<int> ellis_first_scale_out(int least, int most, std::size_t earlier_runs,
                                                                bool all_met) noexcept {
    if (least < 1 || most < least || most > bellamy::largest_scale_out)
        return bellamy::detail::fail(bellamy::errc::invalid_scale_out, "expected scale-outs from 1 to ",
                                     bellamy::largest_scale_out, ", the least first, found ", least, " and ", most);
    const int middle = least + (most - least) / 2;
    if (earlier_runs == 0) return most;
    if (earlier_runs == 1) return middle;
    if (earlier_runs == 2) return all_met ? least + (middle - least) / 2 : middle + (most - middle) / 2;
    return bellamy::detail::fail(bellamy::errc::invalid_option, "expected less than 3 earlier runs, found ", earlier_runs);
}

/// Ellis's first scale-out after three or more: the smallest whose predicted total is below the target, else the fastest.
/// 0 where none is usable. Errors: those of `enel_rule`.
[[nodiscard]] inline bellamy::result<int> ellis_first_scale_out(std::span<const int> scale_outs,
                                                                std::span<const double> total_s, double target_s) noexcept {
    if (auto valid = detail::validate_target(target_s); !valid) return valid.error();
    return detail::first_below(scale_outs, total_s, 1, bellamy::largest_scale_out, target_s);
}

}  // namespace bench

#endif
