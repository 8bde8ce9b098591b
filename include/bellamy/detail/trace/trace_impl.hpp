// Definition of the check that trace.hpp declares.
#ifndef BELLAMY_DETAIL_TRACE_TRACE_IMPL_HPP
#define BELLAMY_DETAIL_TRACE_TRACE_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/trace/stage_graph.hpp>
#include <bellamy/trace.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Checks one trace; the members differ in what part of it they look at.
class trace_check {
public:
    [[nodiscard]] static result<void> run(const application_trace& subject) {
        if (auto valid = name("the application's name", subject.application); !valid) return valid;
        if (auto valid = name("the run's name", subject.run); !valid) return valid;
        if (auto valid = name("the system's name", subject.system); !valid) return valid;
        if (auto valid = name("the failure", subject.failure); !valid) return valid;
        if (subject.application.empty()) return refuse("expected the name of an application, found none");
        if (subject.attempt < 1) return refuse("expected attempts counted from 1, found ", subject.attempt);
        if (subject.started_at_s && !std::isfinite(*subject.started_at_s))
            return refuse("expected a finite started_at_s, found ", *subject.started_at_s);
        const bool ended = subject.outcome != trace_outcome::unfinished;
        if (!std::isfinite(subject.runtime_s) || subject.runtime_s < 0 || (ended && subject.runtime_s <= 0))
            return refuse("expected a finite runtime_s > 0, found ", subject.runtime_s);
        if (auto valid = validate(context{.optional = subject.properties}); !valid) return valid;
        if (auto valid = steps(subject.scale_out); !valid) return valid;
        return jobs(subject, ended);
    }

private:
    template <class... Parts>
    [[nodiscard]] static error refuse(const Parts&... parts) noexcept {
        return fail(errc::invalid_trace, parts...);
    }

    // Of a run that ended all jobs began before; a cancelled one may end, in the log, after it.
    [[nodiscard]] static result<void> jobs(const application_trace& subject, bool ended) {
        std::vector<std::int64_t> ids;
        ids.reserve(subject.jobs.size());
        double last_s = 0;
        for (const auto& each : subject.jobs) {
            if (auto valid = job(each); !valid)
                return fail(valid.error().code(), "job ", each.id, ": ", valid.error().message());
            ids.push_back(each.id);
            if (!each.submitted_s) continue;
            if (*each.submitted_s < last_s)
                return refuse("job ", each.id, ": expected jobs in the order of submission, found ", *each.submitted_s,
                              " s after ", last_s, " s");
            if (ended && *each.submitted_s > subject.runtime_s)
                return refuse("job ", each.id, ": expected jobs submitted within the ", subject.runtime_s,
                              " s of the run, found ", *each.submitted_s, " s");
            last_s = *each.submitted_s;
        }
        std::sort(ids.begin(), ids.end());
        if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end())
            return refuse("job ", *twice, ": expected every id once, found it twice");
        return {};
    }

    [[nodiscard]] static result<void> name(std::string_view what, std::string_view words) {
        if (words.size() > longest_name_bytes)
            return refuse("expected ", what, " of at most ", longest_name_bytes, " bytes, found ", words.size());
        if (!is_utf8(words)) return refuse("expected ", what, " in UTF-8, found other bytes");
        return {};
    }

    template <class Number>
    [[nodiscard]] static result<void> amount(std::string_view what, const std::optional<Number>& number) {
        if (!number) return {};
        const auto value = static_cast<double>(*number);
        if (!(value >= 0) || !std::isfinite(value)) return refuse("expected a finite ", what, " >= 0, found ", *number);
        return {};
    }

    [[nodiscard]] static result<void> units(std::string_view what, int scale_out) {
        if (scale_out < 0 || scale_out > largest_scale_out)
            return refuse("expected a scale-out from 0 to ", largest_scale_out, " ", what, ", found ", scale_out);
        return {};
    }

    [[nodiscard]] static result<void> steps(std::span<const scale_out_step> all) {
        double last_s = 0;
        for (const auto& each : all) {
            if (auto valid = units("in a step", each.scale_out); !valid) return valid;
            if (!std::isfinite(each.at_s) || each.at_s < last_s)
                return refuse("expected steps of the scale-out forwards in time, found ", each.at_s, " s after ", last_s,
                              " s");
            last_s = each.at_s;
        }
        return {};
    }

    [[nodiscard]] static result<void> times(const std::optional<double>& submitted_s,
                                            const std::optional<double>& completed_s) {
        if (auto valid = amount("submitted_s", submitted_s); !valid) return valid;
        if (auto valid = amount("completed_s", completed_s); !valid) return valid;
        if (submitted_s && completed_s && *completed_s < *submitted_s)
            return refuse("expected an end after the start at ", *submitted_s, " s, found ", *completed_s, " s");
        return {};
    }

    [[nodiscard]] static result<void> job(const job_trace& subject) {
        if (subject.id < 0) return refuse("expected an id >= 0, found ", subject.id);
        if (auto valid = name("the failure", subject.failure); !valid) return valid;
        if (auto valid = times(subject.submitted_s, subject.completed_s); !valid) return valid;
        std::vector<std::pair<std::int64_t, std::int64_t>> attempts;
        attempts.reserve(subject.stages.size());
        for (const auto& each : subject.stages) {
            if (auto valid = stage(each); !valid)
                return fail(valid.error().code(), "stage ", each.id, ": ", valid.error().message());
            attempts.emplace_back(each.id, each.attempt);
        }
        std::sort(attempts.begin(), attempts.end());
        if (const auto twice = std::adjacent_find(attempts.begin(), attempts.end()); twice != attempts.end())
            return refuse("stage ", twice->first, ": expected every attempt once, found attempt ", twice->second, " twice");
        return edges(subject);
    }

    /// An edge of any attempt of a stage counts.
    [[nodiscard]] static result<void> edges(const job_trace& subject) {
        std::vector<std::int64_t> ids;
        for (const auto& each : subject.stages) ids.push_back(each.id);
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        const auto position = [&](std::int64_t id) {
            return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
        };
        stage_graph parents(ids.size());
        for (const auto& each : subject.stages) {
            for (const auto parent : each.parents) {
                const auto at = position(parent);
                if (at == ids.size() || ids[at] != parent)
                    return refuse("stage ", each.id, ": expected parents among the stages of its job, found ", parent);
                parents[position(each.id)].push_back(at);
            }
        }
        const auto order = topological_order(parents);
        if (order.size() == ids.size()) return {};
        std::vector<bool> reached(ids.size());
        for (const auto i : order) reached[i] = true;
        const auto stuck = std::find(reached.begin(), reached.end(), false) - reached.begin();
        return refuse("expected stages without a cycle, found one that stage ", ids[static_cast<std::size_t>(stuck)],
                      " waits for");
    }

    [[nodiscard]] static result<void> stage(const stage_trace& subject) {
        if (subject.id < 0) return refuse("expected an id >= 0, found ", subject.id);
        if (subject.attempt < 0) return refuse("expected an attempt >= 0, found ", subject.attempt);
        if (auto valid = name("the stage's name", subject.name); !valid) return valid;
        if (auto valid = name("the failure", subject.failure); !valid) return valid;
        if (auto valid = times(subject.submitted_s, subject.completed_s); !valid) return valid;
        if (auto valid = amount("partitions", subject.partitions); !valid) return valid;
        if (subject.scale_out) {
            if (auto valid = units("at the start", subject.scale_out->at_start); !valid) return valid;
            if (auto valid = units("at the end", subject.scale_out->at_end); !valid) return valid;
        }
        const double share = subject.rescaling_share.value_or(0);
        if (!(share >= 0 && share <= 1)) return refuse("expected a rescaling_share from 0 to 1, found ", share);
        if (auto valid = tasks(subject); !valid) return valid;
        return subject.metrics ? metrics(*subject.metrics) : result<void>();
    }

    [[nodiscard]] static result<void> tasks(const stage_trace& subject) {
        if (auto valid = amount("number of tasks", subject.tasks); !valid) return valid;
        if (auto valid = amount("first_wave", subject.first_wave); !valid) return valid;
        for (const double each : subject.task_s)
            if (!(each >= 0) || !std::isfinite(each)) return refuse("expected finite task durations >= 0, found ", each);
        const auto durations = static_cast<std::int64_t>(subject.task_s.size());
        if (subject.tasks && durations > *subject.tasks)
            return refuse("expected durations of at most ", *subject.tasks, " tasks, found ", durations);
        if (subject.first_wave && !subject.task_s.empty() && *subject.first_wave > durations)
            return refuse("expected a first wave of at most ", durations, " tasks, found ", *subject.first_wave);
        return {};
    }

    [[nodiscard]] static result<void> metrics(const stage_metrics& subject) {
        const std::pair<std::string_view, const std::optional<double>&> all[] = {
            {"cpu_s", subject.cpu_s},
            {"run_s", subject.run_s},
            {"gc_s", subject.gc_s},
            {"input_bytes", subject.input_bytes},
            {"output_bytes", subject.output_bytes},
            {"shuffle_read_bytes", subject.shuffle_read_bytes},
            {"shuffle_write_bytes", subject.shuffle_write_bytes},
            {"memory_spilled_bytes", subject.memory_spilled_bytes},
            {"disk_spilled_bytes", subject.disk_spilled_bytes},
            {"peak_execution_memory_bytes", subject.peak_execution_memory_bytes}};
        for (const auto& [what, number] : all)
            if (auto valid = amount(what, number); !valid) return valid;
        return {};
    }
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> validate(const application_trace& subject) { return detail::trace_check::run(subject); }

}}  // namespace bellamy::BELLAMY_ABI

#endif
