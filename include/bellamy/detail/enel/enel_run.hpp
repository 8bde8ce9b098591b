// A trace as Enel's network reads it: encoded rows, ratios of metrics, scale-outs and times of every stage and job.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_RUN_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_RUN_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/enel/enel_batch.hpp>
#include <bellamy/detail/trace/shape.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/encoding.hpp>

#include <limits>
#include <string>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Rows of a stage's context: attempt, failure, id, name, tasks, partitions.
inline constexpr std::size_t enel_stage_rows = 6;
/// Of which these two say how it went, not what it is.
inline constexpr std::size_t enel_attempt_row = 0;
inline constexpr std::size_t enel_failure_row = 1;

struct enel_stage {
    enel_metrics metrics{};  // all zeros: not known
    std::array<enel_encoding, enel_stage_rows> context{};
    double start = 0;  // scale-outs
    double end = 0;
    double rescaling_share = 0;
    double time_s = 0;  // 0: not known
};

struct enel_job {
    std::vector<enel_stage> stages{};
    stage_graph parents{};
    std::uint64_t shape = 0;
    double start = 0;
    double end = 0;
    double rescaling_share = 0;
    double time_s = 0;
    double gap_s = 0;  // of the driver, before the job

    [[nodiscard]] double mean_scale_out() const noexcept { return (start + end) / 2; }
};

struct enel_run {
    std::string application{};
    std::int64_t attempt = 1;
    std::vector<property> properties{};
    std::optional<std::uint64_t> data_size_mb{};
    std::vector<enel_job> jobs{};
    bool finished = true;  // no job is to come
    double tail_s = 0;     // of the driver, after the last job

    [[nodiscard]] bool has_scale_outs() const noexcept {
        return std::any_of(jobs.begin(), jobs.end(), [](const enel_job& each) { return each.start > 0 || each.end > 0; });
    }
};

/// The largest number that Enel's 32 binary digits hold.
inline constexpr std::uint64_t enel_largest_number = (std::uint64_t{1} << 32U) - 1;

/// Makes an `enel_run` from a valid trace. Error: number_too_large.
class enel_reader {
public:
    [[nodiscard]] static result<enel_run> read(const application_trace& trace) {
        enel_reader reader(trace);
        enel_run run{.application = trace.application, .attempt = trace.attempt, .properties = trace.properties};
        for (const auto& each : trace.properties)
            if (each.name == "data_size_MB") run.data_size_mb = reader.size_of(each);
        std::sort(run.properties.begin(), run.properties.end(),
                  [](const property& a, const property& b) { return a.name < b.name; });
        double ended_s = 0;
        for (const auto& each : trace.jobs) {
            run.jobs.push_back(reader.read(each));
            run.jobs.back().gap_s = (std::max)(0.0, each.submitted_s.value_or(ended_s) - ended_s);
            ended_s = each.completed_s.value_or(ended_s);
        }
        run.tail_s = (std::max)(0.0, trace.runtime_s - ended_s);
        if (reader.too_large_ > enel_largest_number)
            return fail(errc::number_too_large, "expected numbers of at most ", enel_largest_number,
                        " for Enel's network, found ", reader.too_large_);
        return run;
    }

private:
    explicit enel_reader(const application_trace& trace) : steps_(trace.scale_out) {}

    [[nodiscard]] std::optional<std::uint64_t> size_of(const property& size) {
        if (const auto* natural = std::get_if<std::uint64_t>(&size.value)) return checked(*natural);
        const auto* quantity = std::get_if<double>(&size.value);
        if (quantity == nullptr || !(*quantity >= 0 && *quantity < 1e18)) return std::nullopt;
        return checked(static_cast<std::uint64_t>(std::llround(*quantity)));
    }

    [[nodiscard]] enel_job read(const job_trace& job) {
        const auto stages = last_attempts(job);
        enel_job result{.parents = graph_of(stages), .shape = shape_of(job)};
        for (const auto* each : stages) result.stages.push_back(read(*each));
        result.start = scale_out_at(steps_, job.submitted_s.value_or(0));
        result.end = job.completed_s ? scale_out_at(steps_, *job.completed_s) : result.start;
        if (job.submitted_s && job.completed_s) {
            result.rescaling_share = rescaling_share(steps_, *job.submitted_s, *job.completed_s);
            if (job.outcome != trace_outcome::unfinished) result.time_s = *job.completed_s - *job.submitted_s;
        }
        if (!stages.empty()) return result;
        // A job without stages counts as one.
        result.parents.emplace_back();
        result.stages.push_back(
            {.start = result.start, .end = result.end, .rescaling_share = result.rescaling_share, .time_s = result.time_s});
        return result;
    }

    [[nodiscard]] enel_stage read(const stage_trace& stage) {
        enel_stage result;
        if (stage.metrics) result.metrics = ratios_of(*stage.metrics);
        number(stage.attempt, result.context[enel_attempt_row]);
        encode_text(stage.failure, std::span(result.context[enel_failure_row]));
        number(stage.id, result.context[2]);
        encode_text(stage.name, std::span(result.context[3]));
        if (stage.tasks) number(*stage.tasks, result.context[4]);
        if (stage.partitions) number(*stage.partitions, result.context[5]);
        const bool timed = stage.submitted_s && stage.completed_s;
        if (stage.scale_out) {
            result.start = stage.scale_out->at_start;
            result.end = stage.scale_out->at_end;
        } else {
            result.start = scale_out_at(steps_, stage.submitted_s.value_or(0));
            result.end = stage.completed_s ? scale_out_at(steps_, *stage.completed_s) : result.start;
        }
        if (stage.rescaling_share)
            result.rescaling_share = *stage.rescaling_share;
        else if (timed)
            result.rescaling_share = rescaling_share(steps_, *stage.submitted_s, *stage.completed_s);
        if (timed && stage.outcome != trace_outcome::unfinished) result.time_s = *stage.completed_s - *stage.submitted_s;
        return result;
    }

    void number(std::int64_t value, enel_encoding& row) {
        encode_natural(checked(static_cast<std::uint64_t>(value)), std::span(row));
    }

    [[nodiscard]] std::uint64_t checked(std::uint64_t value) noexcept {
        too_large_ = (std::max)(too_large_, value);
        return value;
    }

    std::span<const scale_out_step> steps_;
    std::uint64_t too_large_ = 0;
};

/// Scale-outs x as (x, ln(1 + x), 1 - 1/(x + 1e-6)), scaled by the extremes of the training runs; not clipped.
struct enel_scaler {
    enel_scale_out low{};
    enel_scale_out high{};

    [[nodiscard]] static enel_scale_out features(double x) noexcept { return {x, std::log1p(x), 1 - 1 / (x + 1e-6)}; }

    /// Over the start and end scale-outs of all jobs and stages.
    [[nodiscard]] static enel_scaler of(std::span<const enel_run> runs) noexcept {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double least = infinity;
        double most = -infinity;
        const auto add = [&](const auto& each) {
            least = (std::min)({least, each.start, each.end});
            most = (std::max)({most, each.start, each.end});
        };
        for (const auto& run : runs) {
            for (const auto& job : run.jobs) {
                add(job);
                for (const auto& stage : job.stages) add(stage);
            }
        }
        // The features are monotone.
        return {.low = features(least), .high = features(most)};
    }

    [[nodiscard]] enel_scale_out operator()(double x) const noexcept {
        auto scaled = features(x);
        for (std::size_t i = 0; i < scaled.size(); ++i)
            scaled[i] = (scaled[i] - low[i]) / (high[i] > low[i] ? high[i] - low[i] : 1);
        return scaled;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
