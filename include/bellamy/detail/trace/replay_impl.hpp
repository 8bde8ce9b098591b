// Definitions of the replay of recorded runs that replay.hpp declares.
#ifndef BELLAMY_DETAIL_TRACE_REPLAY_IMPL_HPP
#define BELLAMY_DETAIL_TRACE_REPLAY_IMPL_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/replay.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// ln of the mean task duration in the first wave over that of later tasks, and its weight in tasks.
struct wave_slowdown {
    double log_ratio = 0;
    double weight = 0;
};

inline wave_slowdown slowdown_of(const stage_trace& stage) noexcept {
    const auto first_wave = static_cast<size_t>(stage.first_wave.value_or(0));
    if (first_wave == 0 || first_wave >= stage.task_s.size()) return {};
    double first_s = 0;
    double later_s = 0;
    for (size_t task = 0; task < stage.task_s.size(); ++task) (task < first_wave ? first_s : later_s) += stage.task_s[task];
    const auto first_count = static_cast<double>(first_wave);
    const auto later_count = static_cast<double>(stage.task_s.size() - first_wave);
    if (!(first_s > 0) || !(later_s > 0)) return {};
    return {.log_ratio = std::log(first_s / first_count * later_count / later_s),
            .weight = first_count * later_count / (first_count + later_count)};
}

/// Prior weight of the run's mean slowdown in the slowdown of each stage, in tasks.
inline constexpr double pooled_slowdown_tasks = 4;

/// The mean log-slowdown of the first waves of a run.
inline double pooled_slowdown(const application_trace& source) noexcept {
    double sum = 0;
    double weight = 0;
    for (const auto& job : source.jobs)
        for (const auto& stage : job.stages) {
            const auto slowdown = slowdown_of(stage);
            sum += slowdown.weight * slowdown.log_ratio;
            weight += slowdown.weight;
        }
    return weight > 0 ? sum / weight : 0;
}

inline replayed_stage to_replayed(const stage_trace& stage, double pooled_log_ratio) {
    const auto slowdown = slowdown_of(stage);
    const double log_slowdown = (slowdown.weight * slowdown.log_ratio + pooled_slowdown_tasks * pooled_log_ratio) /
                                (slowdown.weight + pooled_slowdown_tasks);
    return {.task_s = stage.task_s,
            .first_wave = static_cast<size_t>(stage.first_wave.value_or(0)),
            .slowdown = std::exp(std::clamp(log_slowdown, -1.0, 3.0))};
}

/// The largest first wave of a run. That of a whole stage is a lower bound of the slots; what `partial` ones show is exact.
inline std::int64_t widest_first_wave(const application_trace& source, bool partial) noexcept {
    std::int64_t widest = 0;
    for (const auto& job : source.jobs)
        for (const auto& stage : job.stages)
            if (stage.first_wave && (!partial || static_cast<size_t>(*stage.first_wave) < stage.task_s.size()))
                widest = (std::max)(widest, *stage.first_wave);
    return widest;
}

/// Slots of one unit of scale-out: as stated, else one of a core or a slot, unless its tasks take two cores and more; else
/// as many as the largest first wave shows, at least one.
inline double slots_per_unit(const application_trace& source, int scale_out) noexcept {
    if (source.slots_per_unit) return *source.slots_per_unit;
    if (source.unit == scale_out_unit::slot) return 1;
    if (source.unit == scale_out_unit::core) {
        const double shown = static_cast<double>(widest_first_wave(source, true)) / scale_out;
        return shown > 0 && shown <= 0.5 ? shown : 1;
    }
    return (std::max)(1.0, static_cast<double>(widest_first_wave(source, false)) / scale_out);
}

inline size_t slots_at(int scale_out, double slots_per_unit) noexcept {
    return static_cast<size_t>((std::max)(1.0, std::floor(scale_out * slots_per_unit + 1e-9)));
}

/// Time during which at least one job runs.
inline double covered_s(const application_trace& trace) noexcept {
    double sum_s = 0;
    double covered_until_s = 0;
    for (const auto& job : trace.jobs) {
        if (!job.submitted_s || !job.completed_s) continue;
        sum_s += (std::max)(0.0, *job.completed_s - (std::max)(*job.submitted_s, covered_until_s));
        covered_until_s = (std::max)(covered_until_s, *job.completed_s);
    }
    return sum_s;
}

/// Log-normal prediction about a replayed time, `doublings` of the scale-out away from the source.
inline prediction replay_prediction(double log_median, double doublings, const replay_error& error) noexcept {
    const double deviation = std::hypot(error.at_source, error.per_doubling * doublings);
    prediction predicted{.median_s = std::exp(log_median), .is_point = false};
    for (size_t i = 0; i < predicted.log_quantiles.size(); ++i)
        predicted.log_quantiles[i] = log_median + deviation * standard_normal_quantiles[i];
    return predicted;
}

/// Log-runtimes at ascending scale-outs, interpolated linearly in ln scale-out and extrapolated with the last slope.
struct replay_knots {
    static constexpr size_t most = 48;
    std::array<double, most> log_scale_outs{};
    std::array<double, most> log_runtimes{};
    size_t count = 0;
    double log_source = 0;  // ln of the scale-out of the source
    replay_error error{};

    prediction operator()(int scale_out) const noexcept {
        const double x = std::log(scale_out);
        const auto* const begin = log_scale_outs.data();
        const auto above = static_cast<size_t>(std::upper_bound(begin, begin + count, x) - begin);
        const size_t right = (std::min)((std::max)(above, size_t{1}), count - 1);
        const size_t left = right - 1;
        const double fraction = (x - log_scale_outs[left]) / (log_scale_outs[right] - log_scale_outs[left]);
        const double log_median = log_runtimes[left] + fraction * (log_runtimes[right] - log_runtimes[left]);
        return replay_prediction(log_median, (x - log_source) / std::log(2.0), error);
    }
};

/// Part of each stage's time that its tasks do not explain.
inline void add_outside_times(replayed_job& to, std::span<const stage_trace* const> stages, size_t slots) {
    const auto scheduled_s = job_schedule(to, slots).stage_s();
    for (size_t i = 0; i < stages.size(); ++i)
        to.stages[i].outside_s = (std::max)(0.0, runtime_s(*stages[i]).value_or(0) - scheduled_s[i]);
}

/// Scheduled again at its own scale-out, a run may take so many times what it took: more, and the slots are not its own.
inline constexpr double most_excess = 1.5;

/// Largest standard deviation of log-runtimes that is taken for a replay's error.
inline constexpr double most_replay_error = 10;

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<application_replay> application_replay::from_trace(const application_trace& source,
                                                                                const replay_error& error) {
    if (auto valid = validate(source); !valid) return valid.error();
    for (const double deviation : {error.at_source, error.per_doubling})
        if (!(deviation >= 0 && deviation <= detail::most_replay_error))
            return detail::fail(errc::invalid_option, "expected errors of a replay from 0 to ", detail::most_replay_error,
                                ", found ", deviation);
    const auto scale_out = detail::constant_scale_out(source);
    if (!scale_out)
        return detail::fail(errc::invalid_trace, "expected a run of one known scale-out to replay, found another");
    if (source.outcome != trace_outcome::succeeded)
        return detail::fail(errc::invalid_trace, "expected a run that succeeded to replay, found one that ",
                            to_string(source.outcome));
    application_replay replay;
    replay.error_ = error;
    replay.source_scale_out_ = *scale_out;
    replay.slots_per_unit_ = detail::slots_per_unit(source, *scale_out);
    const double pooled_log_ratio = detail::pooled_slowdown(source);
    const auto slots = detail::slots_at(*scale_out, replay.slots_per_unit_);
    double jobs_s = 0;
    double recorded_s = 0;
    double scheduled_s = 0;
    for (const auto& job : source.jobs) {
        const auto stages = detail::last_attempts(job);
        detail::replayed_job replayed{.parents = detail::graph_of(stages)};
        for (const auto* stage : stages) {
            if (stage->task_s.empty() && stage->tasks.value_or(0) > 0)
                return detail::fail(errc::invalid_trace, "job ", job.id, ": stage ", stage->id,
                                    ": expected the durations of its tasks, found none");
            replayed.stages.push_back(detail::to_replayed(*stage, pooled_log_ratio));
        }
        const double path_s = stages.empty() ? 0 : detail::path_time_s(job).value_or(0);
        const double job_s = detail::runtime_s(job).value_or(path_s);
        // Of a stage that ends behind its job the rest runs beside others.
        const double within_s = (std::min)(path_s, job_s);
        replayed.outside_s = job_s - within_s;
        if (!stages.empty()) {
            detail::add_outside_times(replayed, stages, slots);
            const double replayed_s =
                detail::longest_path(replayed.parents, detail::job_schedule(replayed, slots).stage_s());
            if (replayed_s > 0) replayed.time_factor = within_s / replayed_s;
            recorded_s += path_s;
            scheduled_s += replayed_s;
        }
        replay.jobs_.push_back(std::move(replayed));
        jobs_s += job_s;
    }
    if (scheduled_s > detail::most_excess * recorded_s)
        return detail::fail(errc::invalid_trace, "expected the tasks on ", slots, " slots to take the recorded ", recorded_s,
                            " s, found ", scheduled_s, " s");
    // Jobs that ran side by side share the time that some job covers.
    const double covered_s = (std::min)(source.runtime_s, detail::covered_s(source));
    replay.run_outside_s_ = source.runtime_s - covered_s;
    replay.overlap_ = jobs_s > 0 ? covered_s / jobs_s : 1;
    return replay;
}

BELLAMY_PUBLIC_INLINE result<replayed_times> application_replay::at(int scale_out) const {
    if (auto valid = validate_scale_out(scale_out); !valid) return valid.error();
    const auto slots = detail::slots_at(scale_out, slots_per_unit_);
    replayed_times times;
    double sum_s = 0;
    for (const auto& job : jobs_) {
        auto& stage_s = times.stage_s.emplace_back();
        if (!job.stages.empty()) stage_s = detail::job_schedule(job, slots).stage_s();
        for (double& time_s : stage_s) time_s *= job.time_factor;
        const double path_s = detail::longest_path(job.parents, stage_s);
        sum_s += path_s + job.outside_s;
        times.path_s.push_back(job.stages.empty() ? job.outside_s : path_s);
    }
    times.run_s = sum_s * overlap_ + run_outside_s_;
    return times;
}

BELLAMY_PUBLIC_INLINE prediction application_replay::spread(double replayed_s, int scale_out) const noexcept {
    const double doublings = std::log2(static_cast<double>(scale_out) / source_scale_out_);
    auto predicted = detail::replay_prediction(std::log(replayed_s), doublings, error_);
    predicted.median_s = replayed_s;
    predicted.outside_seen_scale_outs = scale_out != source_scale_out_;
    predicted.observed_runs = 1;
    return predicted;
}

BELLAMY_PUBLIC_INLINE curve application_replay::run_curve() const {
    detail::replay_knots knots{.log_source = std::log(source_scale_out_), .error = error_};
    // Every scale-out up to 16, then steps of a quarter, to 64 times the source.
    const int last = (std::max)(16, (std::min)(source_scale_out_, largest_scale_out / 64) * 64);
    for (int x = 1; knots.count < detail::replay_knots::most && x <= last; x += (std::max)(1, x < 16 ? 1 : x / 4)) {
        knots.log_scale_outs[knots.count] = std::log(x);
        knots.log_runtimes[knots.count++] = std::log((std::max)(at(x)->run_s, 1e-9));
    }
    return curve(knots, {.smallest = source_scale_out_, .largest = source_scale_out_}, 1);
}

BELLAMY_PUBLIC_INLINE replay_error replay_spread(std::span<const application_trace* const> history) {
    std::vector<std::pair<const application_trace*, application_replay>> replays;
    for (const auto* run : history)
        if (auto replay = application_replay::from_trace(*run)) replays.emplace_back(run, *std::move(replay));
    // Least squares of the squared error on 1 and the squared doublings, each deviation at least a tenth of the default.
    double n = 0;
    double sum_d = 0;  // sums of d = doublings squared, of d d,
    double sum_dd = 0;
    double sum_e = 0;  // of e = error squared, and of d e
    double sum_de = 0;
    for (const auto& [source, replay] : replays)
        for (const auto& [target, target_replay] : replays) {
            if (source == target || source->properties != target->properties) continue;
            const int x = target_replay.source_scale_out();  // at which the target was recorded
            const double doublings = std::log2(static_cast<double>(x) / replay.source_scale_out());
            const double log_error = std::log(target->runtime_s / (std::max)(replay.at(x)->run_s, 1e-9));
            n += 1;
            sum_d += doublings * doublings;
            sum_dd += doublings * doublings * doublings * doublings;
            sum_e += log_error * log_error;
            sum_de += log_error * log_error * doublings * doublings;
        }
    const replay_error prior;
    if (n < 3) return prior;
    const double determinant = n * sum_dd - sum_d * sum_d;
    const double slope = determinant > 1e-9 * n ? (std::max)(0.0, (n * sum_de - sum_d * sum_e) / determinant) : 0;
    const double intercept = (std::max)(0.0, (sum_e - slope * sum_d) / n);
    return {.at_source = (std::max)(std::sqrt(intercept), prior.at_source / 10),
            .per_doubling = (std::max)(std::sqrt(slope), prior.per_doubling / 10)};
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
