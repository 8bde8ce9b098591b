// The graph of a job with what Enel's network knows beforehand: the previous job of this run (P), and how it ran in the
// nearest executions of the history (H).
#ifndef BELLAMY_DETAIL_ENEL_ENEL_GRAPH_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_GRAPH_HPP

#include <bellamy/detail/enel/enel_run.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Executions of the history that H is the mean of.
inline constexpr std::size_t enel_neighbours = 5;

/// The mean of what was added; zeros where nothing was.
template <std::size_t Size>
class enel_mean {
public:
    void add(const std::array<double, Size>& value) noexcept {
        ++count_;
        for (std::size_t i = 0; i < Size; ++i) sum_[i] += value[i];
    }
    [[nodiscard]] std::array<double, Size> value() const noexcept {
        auto mean = sum_;
        if (count_ > 0)
            for (double& each : mean) each /= count_;
        return mean;
    }

private:
    std::array<double, Size> sum_{};
    double count_ = 0;
};

[[nodiscard]] inline bool is_known(const enel_metrics& metrics) noexcept {
    return std::any_of(metrics.begin(), metrics.end(), [](double each) { return each != 0; });
}

/// Builds graphs of one run's jobs against a history.
class enel_grapher {
public:
    /// Everything must outlive the grapher. `self`: the position of the run in the history, which it is not a neighbour of;
    /// beyond its end where it is not in it. `observed`: how many of the run's jobs have ended.
    enel_grapher(std::span<const enel_run> history, const enel_run& run, std::size_t self, std::size_t observed,
                 const enel_scaler& scaler)
        : run_(run), scaler_(scaler) {
        for (std::size_t i = 0; i < history.size(); ++i)
            if (i != self && is_alike(history[i], observed)) alike_.push_back(&history[i]);
    }

    /// Runs of the same application, properties and shape, in the order of the history.
    [[nodiscard]] std::span<const enel_run* const> alike() const noexcept { return alike_; }

    /// `previous_observed`: whether the job before is known; `in_batch`: whether its graph stands before this one.
    [[nodiscard]] enel_job_graph graph(std::size_t job, bool previous_observed, bool in_batch) const {
        const auto& subject = run_.jobs[job];
        enel_job_graph result{.parents = subject.parents, .time_s = subject.time_s, .previous_in_batch = in_batch};
        for (const auto& each : subject.stages) result.stages.push_back(node_of(each));
        result.required = required_rows(job);
        if (run_.data_size_mb) encode_natural(*run_.data_size_mb, std::span(result.optional.emplace_back()));
        const bool has_previous = job > 0 && previous_observed;
        if (has_previous) result.previous = summary_of(run_.jobs[job - 1]);
        if (job > 0) result.history = history_of(job, has_previous);
        return result;
    }

    /// The nearest executions of a job, the nearest first; of two as near, the later one.
    [[nodiscard]] std::vector<const enel_run*> nearest(std::size_t job, double scale_out) const {
        std::vector<std::pair<double, std::size_t>> by_distance;
        for (std::size_t i = 0; i < alike_.size(); ++i)
            if (job < alike_[i]->jobs.size())
                by_distance.emplace_back(std::abs(alike_[i]->jobs[job].mean_scale_out() - scale_out), alike_.size() - i);
        std::sort(by_distance.begin(), by_distance.end());
        by_distance.resize((std::min)(by_distance.size(), enel_neighbours));
        std::vector<const enel_run*> result;
        result.reserve(by_distance.size());
        for (const auto& each : by_distance) result.push_back(alike_[alike_.size() - each.second]);
        return result;
    }

private:
    [[nodiscard]] bool is_alike(const enel_run& other, std::size_t observed) const {
        if (other.application != run_.application || other.properties != run_.properties) return false;
        if (other.jobs.size() < observed || (run_.finished && other.jobs.size() != observed)) return false;
        for (std::size_t i = 0; i < observed; ++i)
            if (other.jobs[i].shape != run_.jobs[i].shape) return false;
        return true;
    }

    [[nodiscard]] enel_node node_of(const enel_stage& stage) const {
        return {.metrics = stage.metrics,
                .start = scaler_(stage.start),
                .end = scaler_(stage.end),
                .rescaling_share = stage.rescaling_share,
                .rescales = stage.start != stage.end,
                .time_s = stage.time_s,
                .context = {stage.context.begin(), stage.context.end()}};
    }

    [[nodiscard]] std::vector<enel_encoding> required_rows(std::size_t job) const {
        std::vector<enel_encoding> rows(3);
        encode_text(run_.application, std::span(rows[0]));
        if (run_.attempt > 1) encode_text(std::to_string(run_.attempt), std::span(rows[1]));
        encode_natural(job, std::span(rows[2]));
        return rows;
    }

    [[nodiscard]] enel_node summary_of(const enel_job& previous) const {
        enel_node result{
            .start = scaler_(previous.start), .end = scaler_(previous.end), .rescaling_share = previous.rescaling_share};
        enel_mean<enel_metrics_count> metrics;
        for (const auto& stage : previous.stages) {
            if (is_known(stage.metrics)) metrics.add(stage.metrics);
            result.context.insert(result.context.end(), stage.context.begin(), stage.context.end());
        }
        result.metrics = metrics.value();
        return result;
    }

    [[nodiscard]] enel_node history_of(std::size_t job, bool previous_observed) const {
        const auto neighbours = nearest(job - 1, run_.jobs[previous_observed ? job - 1 : job].mean_scale_out());
        if (neighbours.empty()) return {};
        enel_mean<enel_metrics_count> metrics;
        enel_mean<scale_out_features_count> start;
        enel_mean<scale_out_features_count> end;
        enel_mean<1> share;
        std::vector<enel_mean<enel_widths.encoding>> rows(neighbours.front()->jobs[job - 1].stages.size() * enel_stage_rows);
        for (const auto* each : neighbours) {
            const auto& neighbour = each->jobs[job - 1];
            // Of a job that has not run here, neighbours may differ in their stages.
            rows.resize((std::max)(rows.size(), neighbour.stages.size() * enel_stage_rows));
            start.add(scaler_(neighbour.start));
            end.add(scaler_(neighbour.end));
            share.add({neighbour.rescaling_share});
            for (std::size_t i = 0; i < neighbour.stages.size(); ++i) {
                const auto& stage = neighbour.stages[i];
                if (is_known(stage.metrics)) metrics.add(stage.metrics);
                for (std::size_t k = 0; k < enel_stage_rows; ++k) rows[i * enel_stage_rows + k].add(stage.context[k]);
            }
        }
        enel_node result{
            .metrics = metrics.value(), .start = start.value(), .end = end.value(), .rescaling_share = share.value()[0]};
        for (const auto& each : rows) result.context.push_back(each.value());
        return result;
    }

    const enel_run& run_;
    const enel_scaler& scaler_;
    std::vector<const enel_run*> alike_;
};

/// All jobs of a finished run as a batch. `self` is its position in the history, beyond its end where it is not in it.
[[nodiscard]] inline enel_batch batch_of(std::span<const enel_run> history, const enel_run& run, std::size_t self,
                                         const enel_scaler& scaler) {
    const enel_grapher grapher(history, run, self, run.jobs.size(), scaler);
    std::vector<enel_job_graph> graphs;
    graphs.reserve(run.jobs.size());
    for (std::size_t job = 0; job < run.jobs.size(); ++job) graphs.push_back(grapher.graph(job, true, job > 0));
    return enel_batch_maker::make(graphs);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
