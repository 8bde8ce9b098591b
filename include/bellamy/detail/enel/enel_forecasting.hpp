// Forecast of a running application by Enel's network: fine-tuning on its finished jobs, then times of the jobs to come.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FORECASTING_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FORECASTING_HPP

#include <bellamy/detail/enel/enel_pass.hpp>
#include <bellamy/detail/enel/enel_training_set.hpp>
#include <bellamy/detail/maths/empirical.hpp>
#include <bellamy/detail/network/training/adam.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Fits the perceptrons of overhead and runtime to the finished jobs of a running application; all other layers are frozen.
class enel_fine_tuning {
public:
    static constexpr int most_epochs = 100;
    static constexpr int patience = 50;          // epochs without improvement
    static constexpr double target_error_s = 5;  // mean absolute error at which it ends

    /// The batch must outlive this. Allocates in the constructor only.
    enel_fine_tuning(std::span<const double> start, const enel_batch& observed, const enel_rates& rates,
                     const enel_noise& noise, std::uint64_t seed)
        : observed_(observed),
          noisy_(observed),
          noise_(noise),
          rates_(rates),
          random_(seed),
          parameters_(start.begin(), start.end()),
          best_(parameters_),
          gradient_(parameters_.size()),
          // Where no stage rescales, the overhead has no gradient: weight decay alone would shrink it.
          first_(observed.any_rescales() ? enel_layout::overhead : enel_layout::runtime),
          adam_(enel_layout::source - first_, rates.weight_decay),
          pass_(enel_capacity::covering({&observed, 1})) {
        encode_all(parameters_.data(), observed_, pass_.codes());
    }

    /// One step on the batch; returns loss and error before it.
    enel_time_loss run_epoch() {
        if (noise_.any()) {
            noise_.apply(observed_, noisy_, random_);
            encode_all(parameters_.data(), noisy_, pass_.codes());
        }
        pass_.forward(parameters_.data(), noisy_);
        const auto loss = compare_times(noisy_, pass_.times());
        pass_.times().backward(parameters_.data(), gradient_.data(), noisy_);
        const auto trained = [&](auto& values) { return std::span(values).subspan(first_, enel_layout::source - first_); };
        adam_.step(trained(parameters_), trained(gradient_), rates_.learning_rate);
        ++epoch_;
        const double error_s = (std::max)(loss.error_s, target_error_s);
        if (error_s < best_error_s_) {
            best_error_s_ = error_s;
            best_epoch_ = epoch_;
            best_ = parameters_;
        }
        return loss;
    }

    /// Runs epochs until the error is small enough, `patience` epochs bring no improvement, or `most_epochs` are done.
    void run() {
        while (epoch_ < most_epochs && epoch_ - best_epoch_ < patience)
            if (run_epoch().error_s <= target_error_s) return;
    }

    int epoch() const noexcept { return epoch_; }
    /// Parameters after the last step, and after the step of the best epoch.
    const aligned_vector<double>& parameters() const noexcept { return parameters_; }
    const aligned_vector<double>& best() const noexcept { return best_; }

private:
    const enel_batch& observed_;
    enel_batch noisy_;
    enel_noise noise_;
    enel_rates rates_;
    random_generator random_;
    aligned_vector<double> parameters_;
    aligned_vector<double> best_;
    aligned_vector<double> gradient_;
    size_t first_;  // offset of the trained parameters
    adam<double> adam_;
    enel_pass pass_;
    int epoch_ = 0;
    int best_epoch_ = 0;
    double best_error_s_ = infinite;
};

/// Predicts the jobs to come of a running application at candidate scale-outs. Their stages are copied from the template,
/// the nearest earlier run.
class enel_forecaster {
public:
    /// Assumed share of the next job's time during which executors come or go.
    static constexpr double assumed_share = 0.9;

    /// The set must outlive the forecaster. `finished` holds the finished jobs alone; `scale_out` is the present one.
    enel_forecaster(const enel_training_set& set, enel_run finished, int scale_out)
        : set_(set), observed_(finished.jobs.size()), scale_out_(scale_out), future_(std::move(finished)) {
        future_.finished = false;
        if (!future_.has_scale_outs())
            for (auto& job : future_.jobs) set_scale_out(job, scale_out, scale_out, 0);
        append_jobs_to_come();
    }

    size_t jobs() const noexcept { return future_.jobs.size() - observed_; }
    size_t stages(size_t job) const noexcept { return future_.jobs[observed_ + job].stages.size(); }
    /// Median driver time before every job to come, and after the last one.
    const std::vector<double>& gaps_s() const noexcept { return gaps_s_; }

    /// Parameters fitted to the finished jobs; as pre-trained where there are none.
    std::vector<double> fine_tune(std::span<const double> parameters, const enel_rates& rates, std::uint64_t seed) const {
        if (observed_ == 0) return {parameters.begin(), parameters.end()};
        const auto batch = grapher().observed_batch();
        enel_fine_tuning tuning(parameters, batch, rates, {}, seed);
        tuning.run();
        return {tuning.best().begin(), tuning.best().end()};
    }

    /// Predicts with job number `first` to come changing to scale-out x: earlier ones keep the present scale-out, later ones
    /// run at x. Before the start of the run all jobs run at x. Calls visit(seconds, seconds of its stages)
    /// for each job to come.
    void forecast(std::span<const double> parameters, int x, size_t first, const auto& visit) {
        const bool started = observed_ > 0;
        for (size_t job = 0; job < jobs(); ++job) {
            auto& next = future_.jobs[observed_ + job];
            if (!started || job > first)
                set_scale_out(next, x, x, 0);
            else if (job < first)
                set_scale_out(next, scale_out_, scale_out_, 0);
            else
                set_scale_out(next, scale_out_, x, assumed_share);
        }
        const auto builder = grapher();
        std::vector<enel_job_graph> graphs;
        graphs.reserve(jobs());
        // Before the start, the second job knows the first one from the history alone.
        for (size_t job = 0; job < jobs(); ++job)
            graphs.push_back(builder.graph(observed_ + job, started || job > 1, job > (started ? 0 : 1)));
        const auto batch = enel_batch_builder::build(graphs);
        enel_pass pass(enel_capacity::covering({&batch, 1}));
        encode_all(parameters.data(), batch, pass.codes());
        pass.forward(parameters.data(), batch);
        for (size_t job = 0; job < jobs(); ++job)
            visit(pass.times().job_s()[job],
                  pass.times().stage_s().subspan(batch.first_row[job] + 2, batch.order_of(job).size()));
    }

private:
    enel_grapher grapher() const { return {set_.runs, future_, set_.runs.size(), observed_, set_.scaler}; }

    static void set_scale_out(enel_job& job, double start, double end, double rescaling_share) {
        const auto set = [&](auto& job_or_stage) {
            job_or_stage.start = start;
            job_or_stage.end = end;
            job_or_stage.rescaling_share = rescaling_share;
        };
        set(job);
        for (auto& stage : job.stages) set(stage);
    }

    void append_jobs_to_come() {
        const auto* earlier = template_run();
        if (earlier == nullptr) return;
        for (size_t job = observed_; job < earlier->jobs.size(); ++job) {
            future_.jobs.push_back(earlier->jobs[job]);
            remove_observations(future_.jobs.back());
        }
        for (size_t job = observed_; job <= earlier->jobs.size(); ++job)
            gaps_s_.push_back(median_gap_s(job, earlier->jobs.size()));
    }

    // The nearest run in scale-out among those of equal properties, else the nearest in data size; null where no run has
    // jobs beyond the finished ones.
    const enel_run* template_run() const {
        const auto alike = grapher();
        const double scale_out = observed_ > 0 ? future_.jobs.back().mean_scale_out() : scale_out_;
        for (const auto* earlier : alike.nearest(observed_ > 0 ? observed_ - 1 : 0, scale_out))
            if (earlier->jobs.size() > observed_) return earlier;
        const enel_run* nearest = nullptr;
        double least = infinite;
        for (const auto& earlier : set_.runs) {
            if (earlier.application != future_.application || earlier.jobs.size() <= observed_) continue;
            const double distance = distance_to(earlier, scale_out);
            if (distance >= least) continue;
            least = distance;
            nearest = &earlier;
        }
        return nearest;
    }

    // Another shape is further away than any data size, and the scale-out breaks ties.
    double distance_to(const enel_run& earlier, double scale_out) const {
        const auto log_size = [](const enel_run& run) {
            return std::log(1 + static_cast<double>(run.data_size_mb.value_or(0)));
        };
        return std::abs(log_size(earlier) - log_size(future_)) + (begins_alike(earlier) ? 0 : 1e3) +
               1e-3 * std::abs(earlier.jobs[observed_].mean_scale_out() - scale_out);
    }

    // Whether the finished jobs have the graphs of the first jobs of an earlier run.
    bool begins_alike(const enel_run& earlier) const {
        for (size_t i = 0; i < observed_; ++i)
            if (earlier.jobs[i].parents != future_.jobs[i].parents) return false;
        return true;
    }

    // No failure, attempt 0, metrics and times not known.
    static void remove_observations(enel_job& job) {
        job.time_s = 0;
        for (auto& stage : job.stages) {
            stage.metrics = {};
            stage.time_s = 0;
            stage.context[enel_failure_row].fill(0);
            encode_natural(0, std::span(stage.context[enel_attempt_row]));
        }
    }

    // Over the runs of the application with as many jobs.
    double median_gap_s(size_t job, size_t job_count) const {
        std::vector<double> gaps_s;
        for (const auto& earlier : set_.runs)
            if (earlier.application == future_.application && earlier.jobs.size() == job_count)
                gaps_s.push_back(job < job_count ? earlier.jobs[job].gap_s : earlier.last_gap_s);
        return median_of(std::move(gaps_s));
    }

    const enel_training_set& set_;
    size_t observed_;  // finished jobs
    int scale_out_;
    enel_run future_;  // finished jobs, then those to come
    std::vector<double> gaps_s_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
