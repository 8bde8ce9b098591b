// Quantities derived from a trace: stage graphs, runtimes of stages and jobs, scale-outs over time, ratios for Enel.
#ifndef BELLAMY_DETAIL_TRACE_TRACE_METRICS_HPP
#define BELLAMY_DETAIL_TRACE_TRACE_METRICS_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/detail/trace/list_schedule.hpp>
#include <bellamy/trace.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The last attempt of each stage, in the order of stage ids.
inline std::vector<const stage_trace*> last_attempts(const job_trace& job) {
    std::vector<const stage_trace*> attempts;
    for (const auto& attempt : job.stages) attempts.push_back(&attempt);
    sort(attempts, [](const stage_trace* a, const stage_trace* b) {
        return a->id != b->id ? a->id < b->id : a->attempt > b->attempt;
    });
    const auto same_stage = [](const stage_trace* a, const stage_trace* b) { return a->id == b->id; };
    attempts.erase(std::unique(attempts.begin(), attempts.end(), same_stage), attempts.end());
    return attempts;
}

/// The graph of stages in the order of their ids. Parents that are not among the stages are left out.
inline stage_graph graph_of(std::span<const stage_trace* const> stages) {
    stage_graph parents(stages.size());
    for (size_t i = 0; i < stages.size(); ++i) {
        for (const auto id : stages[i]->parents) {
            const auto parent =
                std::lower_bound(stages.begin(), stages.end(), id,
                                 [](const stage_trace* stage, std::int64_t parent_id) { return stage->id < parent_id; });
            if (parent != stages.end() && (*parent)->id == id)
                parents[i].push_back(static_cast<size_t>(parent - stages.begin()));
        }
        sort_distinct(parents[i]);
    }
    return parents;
}

/// Whether the hash of a job's graph includes the names of its stages. Names are not known before a run starts: two stages
/// of one source line may swap places, and a name may hold a value that differs between runs.
enum class shape_detail : std::uint8_t { parents, parents_and_names };

/// FNV-1a hash of the parents, and names, of a job's stages by position; the same on every machine.
inline std::uint64_t shape_of(const job_trace& job, shape_detail detail = shape_detail::parents_and_names) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add_byte = [&](std::uint64_t byte) { hash = (hash ^ (byte & 255U)) * 0x100000001b3U; };
    const auto add_number = [&](std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) add_byte(number >> shift);
    };
    const auto stages = last_attempts(job);
    const auto graph = graph_of(stages);
    add_number(stages.size());
    for (size_t stage = 0; stage < stages.size(); ++stage) {
        if (detail == shape_detail::parents_and_names) {
            add_number(stages[stage]->name.size());
            for (const char c : stages[stage]->name) add_byte(static_cast<unsigned char>(c));
        }
        add_number(graph[stage].size());
        for (const auto parent : graph[stage]) add_number(parent);
    }
    return hash;
}

/// The shape of a run: the hashes of its jobs' graphs, without names. Runs of different shapes did different work.
inline std::vector<std::uint64_t> shape_of(const application_trace& trace) {
    std::vector<std::uint64_t> shape;
    for (const auto& job : trace.jobs) shape.push_back(shape_of(job, shape_detail::parents));
    return shape;
}

/// Whether a run of this shape begins with these jobs.
inline bool begins_with(std::span<const std::uint64_t> shape, std::span<const std::uint64_t> first_jobs) noexcept {
    return first_jobs.size() <= shape.size() && std::equal(first_jobs.begin(), first_jobs.end(), shape.begin());
}

/// Wall-clock time of a stage that has ended. Where only its tasks are recorded, their list schedule on the slots that the
/// stage had; empty where neither is known.
inline std::optional<double> runtime_s(const stage_trace& stage) {
    if (stage.outcome == trace_outcome::unfinished) return std::nullopt;
    if (stage.submitted_s && stage.completed_s) return *stage.completed_s - *stage.submitted_s;
    if (stage.task_s.empty() || !stage.scale_out || stage.scale_out->at_start < 1) return std::nullopt;
    return list_schedule_s(stage.task_s, static_cast<size_t>(stage.scale_out->at_start));
}

/// Wall-clock time of a job that has ended, else empty.
inline std::optional<double> runtime_s(const job_trace& job) {
    if (job.outcome == trace_outcome::unfinished || !job.submitted_s || !job.completed_s) return std::nullopt;
    return *job.completed_s - *job.submitted_s;
}

/// Path time of a job: the longest path of its stages' runtimes. Its wall-clock time where it has no stages, or one of
/// unknown runtime.
inline std::optional<double> path_time_s(const job_trace& job) {
    const auto stages = last_attempts(job);
    std::vector<double> time_s;
    for (const auto* stage : stages) {
        const auto stage_s = runtime_s(*stage);
        if (!stage_s) return runtime_s(job);
        time_s.push_back(*stage_s);
    }
    return time_s.empty() ? runtime_s(job) : longest_path(graph_of(stages), time_s);
}

/// The scale-out of the last step at or before this time; 0 before the first. Steps are in the order of time.
inline int scale_out_at(std::span<const scale_out_step> steps, double time_s) noexcept {
    int scale_out = 0;
    for (const auto& step : steps) {
        if (step.at_s > time_s) break;
        scale_out = step.scale_out;
    }
    return scale_out;
}

/// Executors that join pass through scale-outs; one that lasts this long is settled.
inline constexpr double settled_after_s = 30;

/// The scale-out that a run was started with: the first above 0 that lasts; 0 where there is none.
inline int settled_scale_out(std::span<const scale_out_step> steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
        const bool lasts = i + 1 == steps.size() || steps[i + 1].at_s - steps[i].at_s >= settled_after_s;
        if (steps[i].scale_out > 0 && lasts) return steps[i].scale_out;
    }
    return 0;
}

/// The scale-out of a run that kept it once its executors had joined; empty where it is not known, or changed later.
inline std::optional<int> constant_scale_out(const application_trace& trace) {
    const auto& steps = trace.scale_out;
    const int settled = settled_scale_out(steps);
    const auto is_settled = [&](const scale_out_step& step) { return step.scale_out == settled; };
    if (settled < 1 || !std::all_of(find_if(steps, is_settled), steps.end(), is_settled)) return std::nullopt;
    return settled;
}

/// Fraction of [begin, end] from the first to the last change of the scale-out within it; 0 for fewer than two changes.
inline double rescaling_share(std::span<const scale_out_step> steps, double begin_s, double end_s) noexcept {
    double first_s = end_s;
    double last_s = begin_s;
    int scale_out = 0;
    for (const auto& step : steps) {
        if (step.scale_out != scale_out && step.at_s >= begin_s && step.at_s <= end_s) {
            first_s = (std::min)(first_s, step.at_s);
            last_s = step.at_s;
        }
        scale_out = step.scale_out;
    }
    return last_s > first_s ? (last_s - first_s) / (end_s - begin_s) : 0;
}

/// 0 where the numerator is 0 or one of them is absent, 1 where only the denominator is 0.
inline double ratio_of(const std::optional<double>& numerator, const std::optional<double>& denominator) noexcept {
    if (!numerator || !denominator || *numerator == 0) return 0;
    return *denominator == 0 ? 1 : *numerator / *denominator;
}

/// The five ratios of Enel's network: CPU over run time, garbage collection over run time, and, squashed by r / (1 + r),
/// shuffle read over written, input over output, spilled over peak memory. x/0 counts as 1 before it is squashed.
inline std::array<double, 5> ratios_of(const stage_metrics& metrics) noexcept {
    const auto squashed = [](const std::optional<double>& numerator, const std::optional<double>& denominator) {
        const double ratio = ratio_of(numerator, denominator);
        return ratio / (1 + ratio);
    };
    return {ratio_of(metrics.cpu_s, metrics.run_s), ratio_of(metrics.gc_s, metrics.run_s),
            squashed(metrics.shuffle_read_bytes, metrics.shuffle_write_bytes),
            squashed(metrics.input_bytes, metrics.output_bytes),
            squashed(metrics.disk_spilled_bytes, metrics.peak_execution_memory_bytes)};
}

/// The times of a run's parts in seconds; absent where not known.
struct part_times {
    std::vector<std::vector<std::optional<double>>> stage_s{};  // by job and position
    std::vector<std::optional<double>> path_s{};                // by job
    double run_s = 0;
    double outside_s = 0;  // the run's time without the path times
};

inline part_times times_of(const application_trace& trace) {
    part_times times{.run_s = trace.runtime_s, .outside_s = trace.runtime_s};
    for (const auto& job : trace.jobs) {
        auto& stage_s = times.stage_s.emplace_back();
        for (const auto* stage : last_attempts(job)) stage_s.push_back(runtime_s(*stage));
        times.path_s.push_back(path_time_s(job));
        times.outside_s -= times.path_s.back().value_or(0);
    }
    return times;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
