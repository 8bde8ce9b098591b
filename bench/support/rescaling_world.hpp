// The simulated cluster of bench/rescaling: runs drawn from recorded ones, moved to other scale-outs, with slow days, lost
// executors and delays of a change.
#ifndef BELLAMY_BENCH_RESCALING_WORLD_HPP
#define BELLAMY_BENCH_RESCALING_WORLD_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

#include "growth_lines.hpp"
#include "stage_cases.hpp"

#include <map>

namespace bench {

/// What the simulator adds to recorded runs.
struct rescaling_noise {
    /// Standard deviation of the logarithm of a factor that all jobs of a run share.
    double run_deviation = 0.1;
    /// Share of the runs that lose an executor, for one to three jobs that are slower by 1.2 to 1.8.
    double failures = 0.3;
    /// A change of the scale-out stops the run for so long: uniform, in seconds. Policies know the mean.
    double shortest_delay_s = 2;
    double longest_delay_s = 10;
};

/// Recorded runs of one application with jobs of one shape, and the laws that move a job's time to another scale-out:
/// Ernest with the data size, fitted to all of these runs. Refers to the traces.
class recorded_application {
public:
    recorded_application(std::string name, std::vector<const bellamy::application_trace*> runs)
        : name_(std::move(name)), runs_(std::move(runs)) {
        for (std::size_t job = 0; job < runs_.front()->jobs.size(); ++job) {
            std::vector<bellamy::run> seen;
            for (const auto* each : runs_) seen.push_back(as_run(*each, scale_out_of(*each), job_s(*each, job)));
            laws_.emplace_back(ernest_columns, seen);
        }
        std::vector<double> gaps;
        for (const auto* each : runs_) {
            gaps.push_back(0);
            for (std::size_t job = 0; job <= jobs(); ++job) gaps.back() += gap_s(*each, job);
        }
        usual_gaps_s_ = median_of(std::move(gaps));
        int least = scale_out_of(*runs_.front());
        int most = least;
        for (const auto* each : runs_) {
            least = (std::min)(least, scale_out_of(*each));
            most = (std::max)(most, scale_out_of(*each));
        }
        const int step = (std::max)(1, (most - least) / 14);
        for (int x = least; x <= most; x += step) scale_outs_.push_back(x);
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::span<const bellamy::application_trace* const> runs() const noexcept { return runs_; }
    [[nodiscard]] std::size_t jobs() const noexcept { return laws_.size(); }
    /// Ascending, from the least to the most recorded; at most 15 of them.
    [[nodiscard]] const std::vector<int>& scale_outs() const noexcept { return scale_outs_; }

    /// Time of a job of a recorded run, moved to another scale-out.
    [[nodiscard]] double moved_s(const bellamy::application_trace& run, std::size_t job, int scale_out) const {
        const auto subject = as_run(run, 1, 1).context;
        const double ratio = laws_[job](subject, scale_out) / laws_[job](subject, scale_out_of(run));
        return job_s(run, job) * (std::min)((std::max)(ratio, 0.02), 50.0);
    }
    /// Time of the driver before a job; after the last one for `jobs()`.
    [[nodiscard]] double gap_s(const bellamy::application_trace& run, std::size_t job) const {
        const double from_s = job == 0 ? 0 : *run.jobs[job - 1].completed_s;
        const double to_s = job == jobs() ? run.runtime_s : *run.jobs[job].submitted_s;
        return (std::max)(0.0, to_s - from_s);
    }
    /// A run of this data size as the laws have it, with the median of the gaps.
    [[nodiscard]] double usual_s(const bellamy::application_trace& run, int scale_out) const {
        double sum = usual_gaps_s_;
        for (const auto& law : laws_) sum += law(as_run(run, 1, 1).context, scale_out);
        return sum;
    }

private:
    [[nodiscard]] static int scale_out_of(const bellamy::application_trace& run) {
        return *bellamy::detail::constant_scale_out(run);
    }
    [[nodiscard]] static double job_s(const bellamy::application_trace& run, std::size_t job) {
        return (std::max)(1e-3, bellamy::detail::runtime_s(run.jobs[job]).value_or(0));
    }
    [[nodiscard]] static bellamy::run as_run(const bellamy::application_trace& of, int scale_out, double runtime_s) {
        const double size = data_size_of(context_of(of));
        bellamy::run made{.scale_out = scale_out, .runtime_s = runtime_s};
        made.context.essential = {
            bellamy::quantity("data_size_MB", size > 0 ? size : 1.0).with_role(bellamy::property_role::data_size)};
        return made;
    }

    std::string name_;
    std::vector<const bellamy::application_trace*> runs_;
    std::vector<fitted_law> laws_{};
    double usual_gaps_s_ = 0;
    std::vector<int> scale_outs_{};
};

/// Groups by application and number of jobs with at least eight runs that succeeded at one known scale-out, several
/// scale-outs among them. Only what may be learned from: of numbered runs those up to 35, of others those that the split
/// by size does not hide.
[[nodiscard]] inline std::vector<recorded_application> recorded_applications(std::span<const tools::trace_line> lines) {
    std::vector<recorded_application> made;
    for (const auto& [name, all] : by_application(lines)) {
        std::map<std::vector<std::uint64_t>, std::vector<const tools::trace_line*>> groups;
        for (const auto* each : all) {
            const auto& trace = each->trace;
            if (trace.outcome != bellamy::trace_outcome::succeeded || trace.jobs.empty() ||
                detail::run_number_of(*each) > 35)
                continue;
            const auto timed = [](const auto& job) { return bellamy::detail::runtime_s(job).has_value(); };
            if (bellamy::detail::constant_scale_out(trace) && std::ranges::all_of(trace.jobs, timed))
                groups[bellamy::detail::shape_of(trace)].push_back(each);
        }
        for (auto& [shape, group] : groups) {
            std::ranges::stable_sort(group, {}, [](const auto* each) {
                const double size = data_size_of(context_of(each->trace));
                return std::isnan(size) ? 0.0 : size;
            });
            std::vector<const bellamy::application_trace*> runs;
            std::set<int> scale_outs;
            for (std::size_t i = 0; i < group.size(); ++i) {
                if (!(detail::run_number_of(*group[i]) > 0) && i % 4 == 2) continue;
                runs.push_back(&group[i]->trace);
                scale_outs.insert(*bellamy::detail::constant_scale_out(group[i]->trace));
            }
            if (runs.size() >= 8 && scale_outs.size() >= 3)
                made.emplace_back(fmt::format("{} ({} jobs)", name, shape.size()), std::move(runs));
        }
    }
    return made;
}

/// One simulated run: what it takes at every scale-out, whoever decides.
struct drawn_run {
    const recorded_application* of = nullptr;
    const bellamy::application_trace* recorded = nullptr;
    double target_s = 0;
    /// By job and position in `scale_outs()`.
    std::vector<std::vector<double>> job_s{};
    /// Before each job, and after the last one.
    std::vector<double> gap_s{};
    /// Of a change before each job; there is none before the first one.
    std::vector<double> delay_s{};

    [[nodiscard]] std::size_t jobs() const noexcept { return job_s.size(); }
    [[nodiscard]] const std::vector<int>& scale_outs() const noexcept { return of->scale_outs(); }
};

/// The target is 1.2 to 1.8 times what the laws have for the run's size at the fastest scale-out: it does not depend on how
/// this run goes.
[[nodiscard]] inline drawn_run draw_run(const recorded_application& of, const bellamy::application_trace& recorded,
                                        const rescaling_noise& noise, bellamy::detail::random_generator& random) {
    drawn_run made{.of = &of, .recorded = &recorded};
    const auto& scale_outs = of.scale_outs();
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const int x : scale_outs) fastest_s = (std::min)(fastest_s, of.usual_s(recorded, x));
    made.target_s = fastest_s * (1.2 + 0.6 * random.uniform());
    const double factor = std::exp(noise.run_deviation * random.normal());
    const bool fails = random.uniform() < noise.failures;
    const std::size_t first_slow = random.below(of.jobs());
    const std::size_t slow_jobs = 1 + random.below(3);
    const double slowness = 1.2 + 0.6 * random.uniform();
    for (std::size_t job = 0; job < of.jobs(); ++job) {
        const bool slow = fails && job >= first_slow && job < first_slow + slow_jobs;
        auto& times = made.job_s.emplace_back();
        for (const int x : scale_outs) {
            const double usual_s = of.moved_s(recorded, job, slow ? (std::max)(1, x - 1) : x);
            times.push_back(usual_s * factor * (slow ? slowness : 1));
        }
        made.gap_s.push_back(of.gap_s(recorded, job));
        made.delay_s.push_back(noise.shortest_delay_s + (noise.longest_delay_s - noise.shortest_delay_s) * random.uniform());
    }
    made.gap_s.push_back(of.gap_s(recorded, of.jobs()));
    return made;
}

/// A run as it goes on, and the trace that it leaves. A change stops it for its delay, at the new scale-out.
class simulated_run {
public:
    explicit simulated_run(const drawn_run& drawn) : drawn_(drawn) {
        const auto& recorded = *drawn.recorded;
        trace_.application = recorded.application;
        trace_.run = recorded.run;
        trace_.unit = recorded.unit;
        trace_.properties = recorded.properties;
        trace_.outcome = bellamy::trace_outcome::unfinished;
    }

    /// Runs the next job at this position of the scale-outs.
    void run_job(std::size_t at) {
        const std::size_t job = trace_.jobs.size();
        const int x = drawn_.scale_outs()[at];
        if (trace_.scale_out.empty() || trace_.scale_out.back().scale_out != x) {
            trace_.scale_out.push_back({.at_s = now_s_, .scale_out = x});
            if (job > 0) pay(drawn_.delay_s[job], x);
            if (job > 0) ++changes_;
        }
        pay(drawn_.gap_s[job], x);
        const double begin_s = now_s_;
        const double time_s = drawn_.job_s[job][at];
        pay(time_s, x);
        trace_.jobs.push_back(moved(drawn_.recorded->jobs[job], begin_s, time_s));
        trace_.runtime_s = now_s_;
    }
    /// After the last job.
    void finish() {
        pay(drawn_.gap_s[drawn_.jobs()], trace_.scale_out.back().scale_out);
        trace_.runtime_s = now_s_;
        trace_.outcome = bellamy::trace_outcome::succeeded;
    }

    [[nodiscard]] const bellamy::application_trace& trace() const noexcept { return trace_; }
    [[nodiscard]] double elapsed_s() const noexcept { return now_s_; }
    [[nodiscard]] double executor_s() const noexcept { return executor_s_; }
    [[nodiscard]] int changes() const noexcept { return changes_; }

private:
    void pay(double time_s, int x) {
        now_s_ += time_s;
        executor_s_ += time_s * x;
    }

    // Stages keep their place in the job. What was measured of tasks belongs to the recorded run.
    [[nodiscard]] static bellamy::job_trace moved(bellamy::job_trace job, double begin_s, double time_s) {
        const double from_s = *job.submitted_s;
        const double ratio = time_s / (std::max)(1e-3, *job.completed_s - from_s);
        const auto move = [&](std::optional<double>& at_s) {
            if (at_s) at_s = (std::min)(begin_s + time_s, begin_s + (std::max)(0.0, *at_s - from_s) * ratio);
        };
        for (auto& stage : job.stages) {
            move(stage.submitted_s);
            move(stage.completed_s);
            stage.scale_out.reset();
            stage.rescaling_share.reset();
            stage.metrics.reset();
            stage.task_s.clear();
            stage.first_wave.reset();
        }
        job.submitted_s = begin_s;
        job.completed_s = begin_s + time_s;
        return job;
    }

    const drawn_run& drawn_;
    bellamy::application_trace trace_{};
    double now_s_ = 0;
    double executor_s_ = 0;
    int changes_ = 0;
};

/// Past runs at one scale-out each, for policies to learn from: draws from these recorded runs at scale-outs spread over the
/// range.
[[nodiscard]] inline std::vector<bellamy::application_trace> simulated_history(
    const recorded_application& of, std::span<const bellamy::application_trace* const> recorded, std::size_t count,
    const rescaling_noise& noise, bellamy::detail::random_generator& random) {
    constexpr std::size_t different = 6;  // scale-outs that somebody tried
    const std::size_t kept = (std::min)(different, of.scale_outs().size());
    std::vector<bellamy::application_trace> history;
    for (std::size_t i = 0; i < count; ++i) {
        const auto drawn = draw_run(of, *recorded[random.below(recorded.size())], noise, random);
        simulated_run run(drawn);
        const std::size_t at = (i % kept) * (of.scale_outs().size() - 1) / (std::max)(std::size_t{1}, kept - 1);
        for (std::size_t job = 0; job < drawn.jobs(); ++job) run.run_job(at);
        run.finish();
        history.push_back(run.trace());
        history.back().run = std::to_string(i);
    }
    return history;
}

}  // namespace bench

#endif
