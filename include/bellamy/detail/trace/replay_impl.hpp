// Definitions of what replay.hpp declares.
#ifndef BELLAMY_DETAIL_TRACE_REPLAY_IMPL_HPP
#define BELLAMY_DETAIL_TRACE_REPLAY_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/detail/trace/run_times.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/replay.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// ln of the first wave's mean duration over that of the others, and how much that is worth, in tasks.
struct wave_slowdown {
    double log_ratio = 0;
    double weight = 0;
};

[[nodiscard]] inline wave_slowdown slowdown_of(const stage_trace& stage) noexcept {
    const auto first = static_cast<std::size_t>(stage.first_wave.value_or(0));
    if (first == 0 || first >= stage.task_s.size()) return {};
    double first_s = 0;
    double other_s = 0;
    for (std::size_t i = 0; i < stage.task_s.size(); ++i) (i < first ? first_s : other_s) += stage.task_s[i];
    const auto a = static_cast<double>(first);
    const auto b = static_cast<double>(stage.task_s.size() - first);
    if (!(first_s > 0) || !(other_s > 0)) return {};
    return {.log_ratio = std::log(first_s / a * b / other_s), .weight = a * b / (a + b)};
}

/// The slowdown of a run's first waves, and of each stage with as much of the run's as this many tasks are worth.
inline constexpr double pooled_tasks = 4;

[[nodiscard]] inline double pooled_slowdown(const application_trace& source) noexcept {
    double sum = 0;
    double weight = 0;
    for (const auto& job : source.jobs)
        for (const auto& stage : job.stages) {
            const auto own = slowdown_of(stage);
            sum += own.weight * own.log_ratio;
            weight += own.weight;
        }
    return weight > 0 ? sum / weight : 0;
}

[[nodiscard]] inline replayed_stage to_replayed(const stage_trace& stage, double pooled) {
    const auto own = slowdown_of(stage);
    const double log_slowdown = (own.weight * own.log_ratio + pooled_tasks * pooled) / (own.weight + pooled_tasks);
    return {.task_s = stage.task_s,
            .first_wave = static_cast<std::size_t>(stage.first_wave.value_or(0)),
            .slowdown = std::exp((std::min)((std::max)(log_slowdown, -1.0), 3.0))};
}

/// Slots of one unit of scale-out: the most tasks that a first wave had where it was not the whole stage, else 1.
[[nodiscard]] inline double slots_per_unit(const application_trace& source, int scale_out) noexcept {
    std::int64_t widest = 0;
    for (const auto& job : source.jobs)
        for (const auto& stage : job.stages)
            if (stage.first_wave && static_cast<std::size_t>(*stage.first_wave) < stage.task_s.size())
                widest = (std::max)(widest, *stage.first_wave);
    return widest > 0 ? static_cast<double>(widest) / scale_out : 1.0;
}

[[nodiscard]] inline std::size_t slots_at(int scale_out, double per_unit) noexcept {
    return static_cast<std::size_t>((std::max)(1.0, std::floor(scale_out * per_unit + 1e-9)));
}

/// Time that some job covers.
[[nodiscard]] inline double covered_s(const application_trace& trace) noexcept {
    double sum_s = 0;
    double until_s = 0;
    for (const auto& job : trace.jobs) {
        if (!job.submitted_s || !job.completed_s) continue;
        sum_s += (std::max)(0.0, *job.completed_s - (std::max)(*job.submitted_s, until_s));
        until_s = (std::max)(until_s, *job.completed_s);
    }
    return sum_s;
}

/// Log-runtimes at ascending scale-outs, interpolated in ln scale-out; beyond both ends the last slope goes on.
struct replay_knots {
    static constexpr std::size_t most = 48;
    std::array<double, most> log_scale_out{};
    std::array<double, most> log_runtime{};
    std::size_t count = 0;
    double log_source = 0;
    replay_error error{};

    [[nodiscard]] prediction operator()(int scale_out) const noexcept {
        const double x = std::log(static_cast<double>(scale_out));
        const auto* const begin = log_scale_out.data();
        const auto above = static_cast<std::size_t>(std::upper_bound(begin, begin + count, x) - begin);
        const std::size_t right = (std::min)((std::max)(above, std::size_t{1}), count - 1);
        const double share = (x - log_scale_out[right - 1]) / (log_scale_out[right] - log_scale_out[right - 1]);
        const double median = log_runtime[right - 1] + share * (log_runtime[right] - log_runtime[right - 1]);
        const double deviation = std::hypot(error.at_source, error.per_doubling * (x - log_source) / std::log(2.0));
        prediction made{.median_s = std::exp(median), .is_point = false};
        for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
            made.log_quantiles[i] = median + deviation * standard_normal_quantiles[i];
        return made;
    }
};

/// Standard deviations of log-runtimes; more says nothing.
inline constexpr double most_replay_error = 10;

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<application_replay> application_replay::of(const application_trace& source,
                                                                        const replay_error& error) {
    if (auto valid = validate(source); !valid) return valid.error();
    for (const double each : {error.at_source, error.per_doubling})
        if (!(each >= 0 && each <= detail::most_replay_error))
            return detail::fail(errc::invalid_option, "expected errors of a replay from 0 to ", detail::most_replay_error,
                                ", found ", each);
    const auto scale_out = detail::constant_scale_out(source);
    if (!scale_out)
        return detail::fail(errc::invalid_trace, "expected a run of one known scale-out to replay, found another");
    if (source.outcome != trace_outcome::succeeded)
        return detail::fail(errc::invalid_trace, "expected a run that succeeded to replay, found one that ",
                            to_string(source.outcome));
    application_replay made;
    made.error_ = error;
    made.source_scale_out_ = *scale_out;
    made.slots_per_unit_ = detail::slots_per_unit(source, *scale_out);
    const double pooled = detail::pooled_slowdown(source);
    double jobs_s = 0;
    for (const auto& job : source.jobs) {
        const auto stages = detail::last_attempts(job);
        detail::replayed_job one{.parents = detail::graph_of(stages)};
        for (const auto* stage : stages) {
            if (stage->task_s.empty() && stage->tasks.value_or(0) > 0)
                return detail::fail(errc::invalid_trace, "job ", job.id, ": stage ", stage->id,
                                    ": expected the durations of its tasks, found none");
            one.stages.push_back(detail::to_replayed(*stage, pooled));
        }
        if (!stages.empty()) {
            const detail::job_schedule as_recorded(one, detail::slots_at(*scale_out, made.slots_per_unit_));
            for (std::size_t i = 0; i < stages.size(); ++i)
                one.stages[i].outside_s =
                    (std::max)(0.0, detail::runtime_s(*stages[i]).value_or(0) - as_recorded.runtime_s()[i]);
        }
        const double path_s = stages.empty() ? 0 : detail::path_time_s(job).value_or(0);
        const double job_s = detail::runtime_s(job).value_or(path_s);
        made.job_outside_s_.push_back((std::max)(0.0, job_s - path_s));
        made.jobs_.push_back(std::move(one));
        jobs_s += job_s;
    }
    // Jobs that ran side by side share what the jobs take together.
    made.run_outside_s_ = (std::max)(0.0, source.runtime_s - detail::covered_s(source));
    made.overlap_ = jobs_s > 0 ? (std::min)(1.0, detail::covered_s(source) / jobs_s) : 1;
    return made;
}

BELLAMY_PUBLIC_INLINE result<replayed_times> application_replay::at(int scale_out) const {
    if (auto valid = validate_scale_out(scale_out); !valid) return valid.error();
    const auto slots = detail::slots_at(scale_out, slots_per_unit_);
    replayed_times made;
    double sum_s = 0;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        if (jobs_[job].stages.empty()) {
            made.stage_s.emplace_back();
            made.path_s.push_back(job_outside_s_[job]);
            sum_s += job_outside_s_[job];
            continue;
        }
        const detail::job_schedule schedule(jobs_[job], slots);
        made.stage_s.emplace_back(schedule.runtime_s().begin(), schedule.runtime_s().end());
        made.path_s.push_back(detail::longest_path(jobs_[job].parents, made.stage_s.back()));
        sum_s += made.path_s.back() + job_outside_s_[job];
    }
    made.run_s = sum_s * overlap_ + run_outside_s_;
    return made;
}

BELLAMY_PUBLIC_INLINE curve application_replay::run_curve() const {
    detail::replay_knots knots{.log_source = std::log(static_cast<double>(source_scale_out_)), .error = error_};
    // Every scale-out up to 16, then steps of an eighth, to 64 times the source.
    const int last = (std::max)(16, (std::min)(source_scale_out_, largest_scale_out / 64) * 64);
    for (int x = 1; knots.count < detail::replay_knots::most && x <= last; x += (std::max)(1, x < 16 ? 1 : x / 4)) {
        knots.log_scale_out[knots.count] = std::log(static_cast<double>(x));
        knots.log_runtime[knots.count++] = std::log((std::max)(at(x)->run_s, 1e-9));
    }
    return curve(knots, {.smallest = source_scale_out_, .largest = source_scale_out_}, 1);
}

BELLAMY_PUBLIC_INLINE replay_error replay_spread(std::span<const application_trace* const> history) {
    std::vector<std::pair<const application_trace*, application_replay>> replays;
    for (const auto* each : history)
        if (auto made = application_replay::of(*each)) replays.emplace_back(each, *std::move(made));
    // Least squares of the squared error on 1 and the squared doublings, neither below a tenth of the default.
    double n = 0;
    double sd = 0;
    double sdd = 0;
    double se = 0;
    double sde = 0;
    for (const auto& [source, replay] : replays)
        for (const auto& [other, unused] : replays) {
            if (source == other || source->properties != other->properties) continue;
            const int x = unused.source_scale_out();
            const double doublings = std::log2(static_cast<double>(x) / replay.source_scale_out());
            const double off = std::log(other->runtime_s / (std::max)(replay.at(x)->run_s, 1e-9));
            n += 1;
            sd += doublings * doublings;
            sdd += doublings * doublings * doublings * doublings;
            se += off * off;
            sde += off * off * doublings * doublings;
        }
    const replay_error usual;
    if (n < 3) return usual;
    const double determinant = n * sdd - sd * sd;
    const double slope = determinant > 1e-9 * n ? (std::max)(0.0, (n * sde - sd * se) / determinant) : 0;
    const double base = (std::max)(0.0, (se - slope * sd) / n);
    return {.at_source = (std::max)(std::sqrt(base), usual.at_source / 10),
            .per_doubling = (std::max)(std::sqrt(slope), usual.per_doubling / 10)};
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
