// Traces as Enel's network reads them: encoded stages and jobs, scaled scale-outs, and job graphs with the summaries of the
// previous job in this run (P) and in the history (H).
#ifndef BELLAMY_DETAIL_ENEL_ENEL_GRAPH_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_GRAPH_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/enel/enel_batch.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

#include <string>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Encodings of a stage's context: attempt, failure, id, name, tasks, partitions.
inline constexpr size_t enel_stage_rows = 6;
/// The two that say how its execution went.
inline constexpr size_t enel_attempt_row = 0;
inline constexpr size_t enel_failure_row = 1;

/// An executed stage, encoded for the network.
struct enel_stage {
    enel_metrics metrics{};                                // all zeros: not known
    std::array<enel_encoding, enel_stage_rows> context{};  // encoded properties, one a row
    double start = 0;                                      // scale-outs at its start and its end
    double end = 0;
    double rescaling_share = 0;  // of its time, during which executors come or go
    double time_s = 0;           // 0: not known
};

struct enel_job {
    std::vector<enel_stage> stages{};
    stage_graph parents{};
    std::uint64_t shape = 0;
    double start = 0;
    double end = 0;
    double rescaling_share = 0;
    double time_s = 0;
    double gap_s = 0;  // driver time before the job

    double mean_scale_out() const noexcept { return (start + end) / 2; }
};

struct enel_run {
    std::string application{};
    std::int64_t attempt = 1;
    std::vector<property> properties{};
    std::optional<std::uint64_t> data_size_mb{};
    std::vector<enel_job> jobs{};
    bool finished = true;   // no job is to come
    double last_gap_s = 0;  // driver time after the last job

    bool has_scale_outs() const noexcept {
        return any_of(jobs, [](const enel_job& job) { return job.start > 0 || job.end > 0; });
    }
};

/// Numbers are encoded as 32 binary digits.
inline constexpr std::uint64_t enel_largest_number = (std::uint64_t{1} << 32U) - 1;

/// Reads a valid trace as an `enel_run`. Error: number_too_large.
class enel_reader {
public:
    static result<enel_run> read(const application_trace& trace) {
        enel_reader reader(trace);
        enel_run run{.application = trace.application, .attempt = trace.attempt, .properties = trace.properties};
        for (const auto& property : trace.properties)
            if (property.name == "data_size_MB") run.data_size_mb = reader.data_size(property);
        sort(run.properties, [](const property& a, const property& b) { return a.name < b.name; });
        double ended_s = 0;
        for (const auto& job : trace.jobs) {
            run.jobs.push_back(reader.read(job));
            run.jobs.back().gap_s = (std::max)(0.0, job.submitted_s.value_or(ended_s) - ended_s);
            ended_s = job.completed_s.value_or(ended_s);
        }
        run.last_gap_s = (std::max)(0.0, trace.runtime_s - ended_s);
        if (reader.largest_ > enel_largest_number)
            return fail(errc::number_too_large, "expected numbers of at most ", enel_largest_number,
                        " for Enel's network, found ", reader.largest_);
        return run;
    }

private:
    explicit enel_reader(const application_trace& trace) : steps_(trace.scale_out) {}

    std::optional<std::uint64_t> data_size(const property& size) {
        const double number = size.value.number();
        if (!(number >= 0 && number < 1e18)) return std::nullopt;
        return update_largest(static_cast<std::uint64_t>(std::llround(number)));
    }

    enel_job read(const job_trace& job) {
        const auto stages = last_attempts(job);
        enel_job result{.parents = graph_of(stages), .shape = shape_of(job)};
        for (const auto* stage : stages) result.stages.push_back(read(*stage));
        read_times(job, result);
        if (!stages.empty()) return result;
        // A job without stages counts as one.
        result.parents.emplace_back();
        result.stages.push_back(
            {.start = result.start, .end = result.end, .rescaling_share = result.rescaling_share, .time_s = result.time_s});
        return result;
    }

    enel_stage read(const stage_trace& stage) {
        enel_stage result;
        if (stage.metrics) result.metrics = ratios_of(*stage.metrics);
        encode(stage.attempt, result.context[enel_attempt_row]);
        encode_text(stage.failure, std::span(result.context[enel_failure_row]));
        encode(stage.id, result.context[2]);
        encode_text(stage.name, std::span(result.context[3]));
        if (stage.tasks) encode(*stage.tasks, result.context[4]);
        if (stage.partitions) encode(*stage.partitions, result.context[5]);
        read_times(stage, result);
        if (stage.scale_out) {
            result.start = stage.scale_out->at_start;
            result.end = stage.scale_out->at_end;
        }
        if (stage.rescaling_share) result.rescaling_share = *stage.rescaling_share;
        return result;
    }

    // The time of a job or a stage, and the scale-outs meanwhile.
    void read_times(const auto& recorded, auto& result) const {
        result.start = scale_out_at(steps_, recorded.submitted_s.value_or(0));
        result.end = recorded.completed_s ? scale_out_at(steps_, *recorded.completed_s) : result.start;
        if (!recorded.submitted_s || !recorded.completed_s) return;
        result.rescaling_share = rescaling_share(steps_, *recorded.submitted_s, *recorded.completed_s);
        if (recorded.outcome != trace_outcome::unfinished) result.time_s = *recorded.completed_s - *recorded.submitted_s;
    }

    void encode(std::int64_t value, enel_encoding& row) {
        encode_natural(update_largest(static_cast<std::uint64_t>(value)), std::span(row));
    }

    std::uint64_t update_largest(std::uint64_t value) noexcept {
        largest_ = (std::max)(largest_, value);
        return value;
    }

    std::span<const scale_out_step> steps_;
    std::uint64_t largest_ = 0;  // number encoded so far: refused where it has more than 32 binary digits
};

/// Min-max scaling of the features (x, ln(1 + x), 1 - 1/(x + 1e-6)) of a scale-out x by the training runs; not clipped.
struct enel_scaler {
    enel_scale_out low{};
    enel_scale_out high{};

    static enel_scale_out features(double x) noexcept { return {x, std::log1p(x), 1 - 1 / (x + 1e-6)}; }

    /// Extremes over the start and end scale-outs of all jobs and stages.
    static enel_scaler fit(std::span<const enel_run> runs) noexcept {
        double least = infinite;
        double most = -infinite;
        const auto add = [&](const auto& job_or_stage) {
            least = (std::min)({least, job_or_stage.start, job_or_stage.end});
            most = (std::max)({most, job_or_stage.start, job_or_stage.end});
        };
        for (const auto& run : runs) {
            for (const auto& job : run.jobs) {
                add(job);
                for (const auto& stage : job.stages) add(stage);
            }
        }
        // The features are monotone in x.
        return {.low = features(least), .high = features(most)};
    }

    enel_scale_out operator()(double x) const noexcept {
        auto scaled = features(x);
        for (size_t i = 0; i < scaled.size(); ++i)
            scaled[i] = (scaled[i] - low[i]) / (high[i] > low[i] ? high[i] - low[i] : 1);
        return scaled;
    }
};

/// Number of nearest executions in the history that H averages.
inline constexpr size_t enel_neighbours = 5;

/// Mean of arrays, element by element; zeros where none was added.
template <size_t Size>
class enel_mean {
public:
    void add(const std::array<double, Size>& value) noexcept {
        ++count_;
        add_to(std::span(sum_), value);
    }
    std::array<double, Size> value() const noexcept {
        auto mean = sum_;
        if (count_ > 0)
            for (double& element : mean) element /= count_;
        return mean;
    }

private:
    std::array<double, Size> sum_{};
    double count_ = 0;
};

/// Builds the graphs of one run's jobs, summaries of their previous jobs (P) and of the nearest executions in the history
/// (H) included.
class enel_grapher {
public:
    /// All arguments must outlive the grapher. `self`: position of the run in the history, where it is no neighbour of
    /// itself; beyond the end where it is not in the history. `observed`: number of the run's finished jobs.
    enel_grapher(std::span<const enel_run> history, const enel_run& run, size_t self, size_t observed,
                 const enel_scaler& scaler)
        : run_(run), observed_(observed), scaler_(scaler) {
        for (size_t i = 0; i < history.size(); ++i)
            if (i != self && is_alike(history[i])) alike_.push_back(&history[i]);
    }

    /// Runs of the same application, properties and shape, in the order of the history.
    std::span<const enel_run* const> alike() const noexcept { return alike_; }

    /// `previous_observed`: whether the previous job has run; `in_batch`: whether its graph precedes this one in the batch.
    enel_job_graph graph(size_t job, bool previous_observed, bool in_batch) const {
        const auto& executed = run_.jobs[job];
        enel_job_graph result{.parents = executed.parents, .time_s = executed.time_s, .previous_in_batch = in_batch};
        for (const auto& stage : executed.stages) result.stages.push_back(node_of(stage));
        result.required = required_rows(job);
        if (run_.data_size_mb) encode_natural(*run_.data_size_mb, std::span(result.optional.emplace_back()));
        const bool has_previous = job > 0 && previous_observed;
        if (has_previous) result.previous = summary_of(run_.jobs[job - 1]);
        if (job > 0) result.history = history_of(job, has_previous);
        return result;
    }

    /// Mini-batch of the finished jobs.
    enel_batch observed_batch() const {
        std::vector<enel_job_graph> graphs;
        graphs.reserve(observed_);
        for (size_t job = 0; job < observed_; ++job) graphs.push_back(graph(job, true, job > 0));
        return enel_batch_builder::build(graphs);
    }

    /// The nearest executions of a job by mean scale-out, the nearest first; of two as near, the later one.
    std::vector<const enel_run*> nearest(size_t job, double scale_out) const {
        std::vector<std::pair<double, size_t>> by_distance;
        for (size_t i = 0; i < alike_.size(); ++i)
            if (job < alike_[i]->jobs.size())
                by_distance.emplace_back(std::abs(alike_[i]->jobs[job].mean_scale_out() - scale_out), alike_.size() - i);
        sort(by_distance);
        by_distance.resize((std::min)(by_distance.size(), enel_neighbours));
        std::vector<const enel_run*> result;
        result.reserve(by_distance.size());
        for (const auto& [distance, from_end] : by_distance) result.push_back(alike_[alike_.size() - from_end]);
        return result;
    }

private:
    bool is_alike(const enel_run& earlier) const {
        if (earlier.application != run_.application || earlier.properties != run_.properties) return false;
        if (earlier.jobs.size() < observed_ || (run_.finished && earlier.jobs.size() != observed_)) return false;
        for (size_t i = 0; i < observed_; ++i)
            if (earlier.jobs[i].shape != run_.jobs[i].shape) return false;
        return true;
    }

    enel_node node_of(const enel_stage& stage) const {
        return {.metrics = stage.metrics,
                .start = scaler_(stage.start),
                .end = scaler_(stage.end),
                .rescaling_share = stage.rescaling_share,
                .rescales = stage.start != stage.end,
                .time_s = stage.time_s,
                .context = {stage.context.begin(), stage.context.end()}};
    }

    std::vector<enel_encoding> required_rows(size_t job) const {
        std::vector<enel_encoding> rows(3);
        encode_text(run_.application, std::span(rows[0]));
        if (run_.attempt > 1) encode_text(std::to_string(run_.attempt), std::span(rows[1]));
        encode_natural(job, std::span(rows[2]));
        return rows;
    }

    enel_node summary_of(const enel_job& previous) const {
        enel_node result{
            .start = scaler_(previous.start), .end = scaler_(previous.end), .rescaling_share = previous.rescaling_share};
        enel_mean<enel_metrics_count> metrics;
        for (const auto& stage : previous.stages) {
            if (any_not_zero(stage.metrics)) metrics.add(stage.metrics);
            append(result.context, stage.context);
        }
        result.metrics = metrics.value();
        return result;
    }

    enel_node history_of(size_t job, bool previous_observed) const {
        const auto neighbours = nearest(job - 1, run_.jobs[previous_observed ? job - 1 : job].mean_scale_out());
        if (neighbours.empty()) return {};
        enel_mean<enel_metrics_count> metrics;
        enel_mean<scale_out_features_count> start;
        enel_mean<scale_out_features_count> end;
        enel_mean<1> rescaling_share_mean;
        std::vector<enel_mean<enel_widths.encoding>> rows(neighbours.front()->jobs[job - 1].stages.size() * enel_stage_rows);
        for (const auto* run : neighbours) {
            const auto& neighbour = run->jobs[job - 1];
            // Where this job has not run yet, neighbours may differ in their stages.
            rows.resize((std::max)(rows.size(), neighbour.stages.size() * enel_stage_rows));
            start.add(scaler_(neighbour.start));
            end.add(scaler_(neighbour.end));
            rescaling_share_mean.add({neighbour.rescaling_share});
            for (size_t i = 0; i < neighbour.stages.size(); ++i) {
                const auto& stage = neighbour.stages[i];
                if (any_not_zero(stage.metrics)) metrics.add(stage.metrics);
                for (size_t k = 0; k < enel_stage_rows; ++k) rows[i * enel_stage_rows + k].add(stage.context[k]);
            }
        }
        enel_node result{.metrics = metrics.value(),
                         .start = start.value(),
                         .end = end.value(),
                         .rescaling_share = rescaling_share_mean.value()[0]};
        for (const auto& row : rows) result.context.push_back(row.value());
        return result;
    }

    const enel_run& run_;
    size_t observed_;
    const enel_scaler& scaler_;
    std::vector<const enel_run*> alike_;
};

/// Mini-batch of all jobs of a finished run. `self`: as for `enel_grapher`.
inline enel_batch batch_of(std::span<const enel_run> history, const enel_run& run, size_t self, const enel_scaler& scaler) {
    return enel_grapher(history, run, self, run.jobs.size(), scaler).observed_batch();
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
