// Definition of the validation that trace.hpp declares.
#ifndef BELLAMY_DETAIL_TRACE_TRACE_IMPL_HPP
#define BELLAMY_DETAIL_TRACE_TRACE_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/sort.hpp>
#include <bellamy/detail/trace/stage_graph.hpp>
#include <bellamy/trace.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Each function validates one part of a trace.
class trace_validation {
public:
    static result<void> application(const application_trace& run) {
        auto named = first_error({name("the application's name", run.application), name("the run's name", run.run),
                                  name("the system's name", run.system), name("the failure", run.failure)});
        if (!named) return named;
        if (run.application.empty()) return refuse("expected the name of an application, found none");
        if (run.attempt < 1) return refuse("expected attempts counted from 1, found ", run.attempt);
        if (run.started_at_s && !std::isfinite(*run.started_at_s))
            return refuse("expected a finite started_at_s, found ", *run.started_at_s);
        const bool ended = run.outcome != trace_outcome::unfinished;
        if (!std::isfinite(run.runtime_s) || run.runtime_s < 0 || (ended && run.runtime_s <= 0))
            return refuse("expected a finite runtime_s > 0, found ", run.runtime_s);
        if (run.slots_per_unit && !(*run.slots_per_unit > 0 && *run.slots_per_unit <= largest_scale_out))
            return refuse("expected slots_per_unit > 0 and <= ", largest_scale_out, ", found ", *run.slots_per_unit);
        return first_error({validate(context{.optional = run.properties}), steps(run.scale_out), jobs(run, ended)});
    }

private:
    template <class... Parts>
    static error refuse(const Parts&... parts) noexcept {
        return fail(errc::invalid_trace, parts...);
    }

    static result<void> first_error(std::initializer_list<result<void>> checks) noexcept {
        const auto* const failed = find_if(checks, [](const auto& check) { return !check; });
        return failed == checks.end() ? result<void>() : *failed;
    }

    // Jobs begin before the end of a run that ended; the end of a cancelled job may be logged after it.
    static result<void> jobs(const application_trace& run, bool ended) {
        double previous_s = 0;
        for (const auto& trace : run.jobs) {
            const auto id = trace.id;
            if (auto valid = job(trace); !valid) return with_subject(valid.error(), "job ", id);
            if (!trace.submitted_s) continue;
            const double submitted_s = *trace.submitted_s;
            if (submitted_s < previous_s)
                return refuse("job ", id, ": expected jobs in the order of submission, found ", submitted_s, " s after ",
                              previous_s, " s");
            if (ended && submitted_s > run.runtime_s)
                return refuse("job ", id, ": expected jobs submitted within the ", run.runtime_s, " s of the run, found ",
                              submitted_s, " s");
            previous_s = submitted_s;
        }
        auto ids = values_of(run.jobs, &job_trace::id);
        sort(ids);
        if (const auto duplicate = std::adjacent_find(ids.begin(), ids.end()); duplicate != ids.end())
            return refuse("job ", *duplicate, ": expected every id once, found it twice");
        return {};
    }

    static result<void> name(std::string_view what, std::string_view text) {
        if (text.size() > longest_name_bytes)
            return refuse("expected ", what, " of at most ", longest_name_bytes, " bytes, found ", text.size());
        if (!is_utf8(text)) return refuse("expected ", what, " in UTF-8, found other bytes");
        return {};
    }

    template <class Number>
    static result<void> amount(std::string_view what, const std::optional<Number>& number) {
        if (!number) return {};
        const auto value = static_cast<double>(*number);
        if (!(value >= 0) || !std::isfinite(value)) return refuse("expected a finite ", what, " >= 0, found ", *number);
        return {};
    }

    static result<void> unit_count(std::string_view where, int scale_out) {
        if (scale_out < 0 || scale_out > largest_scale_out)
            return refuse("expected a scale-out from 0 to ", largest_scale_out, " ", where, ", found ", scale_out);
        return {};
    }

    static result<void> steps(std::span<const scale_out_step> steps) {
        double previous_s = 0;
        for (const auto& step : steps) {
            if (auto valid = unit_count("in a step", step.scale_out); !valid) return valid;
            if (!std::isfinite(step.at_s) || step.at_s < previous_s)
                return refuse("expected steps of the scale-out forwards in time, found ", step.at_s, " s after ", previous_s,
                              " s");
            previous_s = step.at_s;
        }
        return {};
    }

    static result<void> times(const std::optional<double>& submitted_s, const std::optional<double>& completed_s) {
        auto valid = first_error({amount("submitted_s", submitted_s), amount("completed_s", completed_s)});
        if (!valid) return valid;
        if (submitted_s && completed_s && *completed_s < *submitted_s)
            return refuse("expected an end after the start at ", *submitted_s, " s, found ", *completed_s, " s");
        return {};
    }

    static result<void> job(const job_trace& job) {
        if (job.id < 0) return refuse("expected an id >= 0, found ", job.id);
        auto valid = first_error({name("the failure", job.failure), times(job.submitted_s, job.completed_s)});
        if (!valid) return valid;
        std::vector<std::pair<std::int64_t, std::int64_t>> attempts;
        attempts.reserve(job.stages.size());
        for (const auto& attempt : job.stages) {
            if (auto checked = stage(attempt); !checked) return with_subject(checked.error(), "stage ", attempt.id);
            attempts.emplace_back(attempt.id, attempt.attempt);
        }
        sort(attempts);
        if (const auto duplicate = std::adjacent_find(attempts.begin(), attempts.end()); duplicate != attempts.end())
            return refuse("stage ", duplicate->first, ": expected every attempt once, found attempt ", duplicate->second,
                          " twice");
        return edges(job);
    }

    // The parents of all attempts of a stage count.
    static result<void> edges(const job_trace& job) {
        auto ids = values_of(job.stages, &stage_trace::id);
        sort_distinct(ids);
        const auto position_of = [&](std::int64_t id) {
            return static_cast<size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
        };
        stage_graph parents(ids.size());
        for (const auto& attempt : job.stages)
            for (const auto parent_id : attempt.parents) {
                const auto parent = position_of(parent_id);
                if (parent == ids.size() || ids[parent] != parent_id)
                    return refuse("stage ", attempt.id, ": expected parents among the stages of its job, found ", parent_id);
                parents[position_of(attempt.id)].push_back(parent);
            }
        auto ordered = topological_order(parents);
        if (ordered.size() == ids.size()) return {};
        sort(ordered);
        size_t missing = 0;
        while (missing < ordered.size() && ordered[missing] == missing) ++missing;
        return refuse("expected stages without a cycle, found one that stage ", ids[missing], " waits for");
    }

    static result<void> stage(const stage_trace& stage) {
        if (stage.id < 0) return refuse("expected an id >= 0, found ", stage.id);
        if (stage.attempt < 0) return refuse("expected an attempt >= 0, found ", stage.attempt);
        const auto scale_out = stage.scale_out.value_or(scale_out_range_seen{});
        auto valid =
            first_error({name("the stage's name", stage.name), name("the failure", stage.failure),
                         times(stage.submitted_s, stage.completed_s), amount("partitions", stage.partitions),
                         unit_count("at the start", scale_out.at_start), unit_count("at the end", scale_out.at_end)});
        if (!valid) return valid;
        const double rescaling_share = stage.rescaling_share.value_or(0);
        if (!(rescaling_share >= 0 && rescaling_share <= 1))
            return refuse("expected a rescaling_share from 0 to 1, found ", rescaling_share);
        return first_error({tasks(stage), metrics(stage.metrics.value_or(stage_metrics{}))});
    }

    static result<void> tasks(const stage_trace& stage) {
        auto valid = first_error({amount("number of tasks", stage.tasks), amount("first_wave", stage.first_wave)});
        if (!valid) return valid;
        for (const double task_s : stage.task_s)
            if (!(task_s >= 0) || !std::isfinite(task_s))
                return refuse("expected finite task durations >= 0, found ", task_s);
        const auto durations = static_cast<std::int64_t>(stage.task_s.size());
        if (stage.tasks && durations > *stage.tasks)
            return refuse("expected durations of at most ", *stage.tasks, " tasks, found ", durations);
        if (stage.first_wave && !stage.task_s.empty() && *stage.first_wave > durations)
            return refuse("expected a first wave of at most ", durations, " tasks, found ", *stage.first_wave);
        return {};
    }

    static result<void> metrics(const stage_metrics& metrics) {
        return first_error({amount("cpu_s", metrics.cpu_s), amount("run_s", metrics.run_s), amount("gc_s", metrics.gc_s),
                            amount("input_bytes", metrics.input_bytes), amount("output_bytes", metrics.output_bytes),
                            amount("shuffle_read_bytes", metrics.shuffle_read_bytes),
                            amount("shuffle_write_bytes", metrics.shuffle_write_bytes),
                            amount("memory_spilled_bytes", metrics.memory_spilled_bytes),
                            amount("disk_spilled_bytes", metrics.disk_spilled_bytes),
                            amount("peak_execution_memory_bytes", metrics.peak_execution_memory_bytes)});
    }
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> validate(const application_trace& trace) {
    return detail::trace_validation::application(trace);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
