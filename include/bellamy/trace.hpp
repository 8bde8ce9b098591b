// Traces: recorded runs of applications, by job, stage and task.
#ifndef BELLAMY_TRACE_HPP
#define BELLAMY_TRACE_HPP

#include <bellamy/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// How a run, a job or a stage ended. Unfinished: it still runs, or the record was cut off before its end.
enum class trace_outcome : std::uint8_t { succeeded = 0, failed = 1, killed = 2, unfinished = 3 };

[[nodiscard]] constexpr std::string_view to_string(trace_outcome outcome) noexcept {
    return detail::name_at(outcome, {"succeeded", "failed", "killed", "unfinished"});
}

/// From `at_s` on, the application has this scale-out; 0 before its first executor.
struct scale_out_step {
    double at_s = 0;
    int scale_out = 0;
    bool operator==(const scale_out_step&) const = default;
};

/// Sums over the ended task attempts of a stage attempt, with failed ones; absent where not measured. Peak memory is the
/// maximum over tasks.
struct stage_metrics {
    std::optional<double> cpu_s{};
    std::optional<double> run_s{};
    std::optional<double> gc_s{};
    std::optional<double> input_bytes{};
    std::optional<double> output_bytes{};
    std::optional<double> shuffle_read_bytes{};
    std::optional<double> shuffle_write_bytes{};
    std::optional<double> memory_spilled_bytes{};
    std::optional<double> disk_spilled_bytes{};
    std::optional<double> peak_execution_memory_bytes{};
    bool operator==(const stage_metrics&) const = default;
};

/// Scale-outs at the start and at the end of a stage.
struct scale_out_range_seen {
    int at_start = 0;
    int at_end = 0;
    bool operator==(const scale_out_range_seen&) const = default;
};

/// One attempt of a stage. Times are seconds from the start of the run.
struct stage_trace {
    std::int64_t id = 0;
    std::int64_t attempt = 0;
    std::string name{};
    /// Ids of stages of the same job that must end first.
    std::vector<std::int64_t> parents{};
    std::optional<std::int64_t> tasks{};
    /// Partitions of all RDDs of the stage together.
    std::optional<std::int64_t> partitions{};
    /// Since the start of the run.
    std::optional<double> submitted_s{};
    std::optional<double> completed_s{};
    trace_outcome outcome = trace_outcome::succeeded;
    /// First line of the reason, where the outcome is not succeeded.
    std::string failure{};
    std::optional<scale_out_range_seen> scale_out{};
    /// Fraction of the stage's time during which the scale-out changed.
    std::optional<double> rescaling_share{};
    std::optional<stage_metrics> metrics{};
    /// Durations in seconds of the tasks that succeeded, in the order of launch.
    std::vector<double> task_s{};
    /// How many of those tasks were the first on a core of their executor: a stage's first wave is slower.
    std::optional<std::int64_t> first_wave{};
    bool operator==(const stage_trace&) const = default;
};

/// One job: the stages that an action of the driver started. A source without stages has jobs without them.
struct job_trace {
    std::int64_t id = 0;
    std::optional<double> submitted_s{};
    std::optional<double> completed_s{};
    trace_outcome outcome = trace_outcome::succeeded;
    std::string failure{};
    std::vector<stage_trace> stages{};
    bool operator==(const job_trace&) const = default;
};

/// One run of an application.
struct application_trace {
    /// The system that ran it, for example "spark 3.5.5".
    std::string system{};
    std::string application{};
    std::string run{};
    /// Number of this attempt to run the application, from 1.
    std::int64_t attempt = 1;
    scale_out_unit unit = scale_out_unit::node;
    /// Tasks that one unit of scale-out runs at a time, where the source states it: cores of a unit over cores of a task.
    std::optional<double> slots_per_unit{};
    /// Seconds since the Unix epoch.
    std::optional<double> started_at_s{};
    /// From start to end; of an unfinished run, until the last recorded time.
    double runtime_s = 0;
    trace_outcome outcome = trace_outcome::succeeded;
    std::string failure{};
    /// Known before the start, and may affect the runtime; without the scale-out.
    std::vector<property> properties{};
    /// Steps in the order of time; empty where not known.
    std::vector<scale_out_step> scale_out{};
    /// In the order of submission.
    std::vector<job_trace> jobs{};
    bool operator==(const application_trace&) const = default;
};

/// Checks a run: numbers finite and not negative, times forwards, parents known and without a cycle, no job's id and
/// no stage attempt twice, jobs in the order of submission, no more task durations than tasks, names in UTF-8 of at most
/// `longest_name_bytes`. A job without stages is valid, also beside others that have some: it counts as one stage.
/// Allocates; takes time linear in the stages and their parents, times a logarithm. Errors: invalid_trace, and those of
/// `validate` for properties.
result<void> validate(const application_trace& trace);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/trace/trace_impl.hpp>  // IWYU pragma: export
#endif

#endif
