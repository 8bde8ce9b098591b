// Enel (Scheinert et al., IPCCC 2021), paper mode: a graph network over the stages of an application's jobs, fine-tuned on
// the finished jobs of the present run. Needs Eigen, as all training does.
#ifndef BELLAMY_ENEL_HPP
#define BELLAMY_ENEL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/parallel_training.hpp>
#include <bellamy/trace.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Settings of pre-training, as published but for one: hyperparameters are drawn at random, not by an estimator.
struct enel_options {
    int trials = 40;
    /// Of a trial without early stopping.
    int epochs = 300;
    std::uint64_t seed = 0;
    /// Shared by the trials of the search and the workers of a trial; the result does not depend on it.
    int threads = 1;
    /// Workers that train every trial, each on its share of the runs. At most one per training run.
    parallel_options parallel{};
};

/// Outcome of pre-training.
struct enel_report {
    size_t training_runs = 0;
    size_t validation_runs = 0;
    /// Runs without jobs or scale-outs, which training cannot use.
    size_t unused_runs = 0;
    int epochs = 0;  // of all trials
    int best_epoch = 0;
    double validation_loss = 0;
};

/// State of a running application, and how to predict its jobs to come.
struct enel_question {
    /// The present one.
    int scale_out = 1;
    /// First of the jobs to come, counted from 0, that can run at another scale-out: 0 where the next job has not begun,
    /// else 1.
    size_t first_job = 0;
    /// Fine-tunes the network on the finished jobs first, as published.
    bool fine_tune = true;
    /// Seed of the noise in fine-tuning.
    std::uint64_t seed = 0;
};

/// Predicted times of the jobs to come at candidate scale-outs. Point predictions; one that is zero or negative is not
/// usable.
class enel_forecast {
public:
    [[nodiscard]] std::span<const int> scale_outs() const noexcept { return scale_outs_; }
    [[nodiscard]] size_t jobs() const noexcept { return stages_.size(); }
    [[nodiscard]] size_t stages(size_t job) const noexcept { return stages_[job]; }

    /// Time of a job to come, and of its stages by id, at the k-th scale-out. Seconds.
    [[nodiscard]] double job_s(size_t k, size_t job) const noexcept { return job_s_[k * jobs() + job]; }
    [[nodiscard]] std::span<const double> stage_s(size_t k, size_t job) const noexcept {
        return std::span(stage_s_).subspan(k * first_stage_.back() + first_stage_[job], stages_[job]);
    }
    /// Driver time before a job to come, for `jobs()` after the last one: the median of earlier runs. Seconds.
    [[nodiscard]] double gap_s(size_t job) const noexcept { return gaps_s_[job]; }
    /// Seconds from the end of the last finished job to the end of the run.
    [[nodiscard]] double rest_s(size_t k) const noexcept {
        double sum = gaps_s_[jobs()];
        for (size_t i = 0; i < jobs(); ++i) sum += gaps_s_[i] + job_s(k, i);
        return sum;
    }

private:
    friend class enel_model;
    std::vector<int> scale_outs_;
    std::vector<size_t> stages_;
    std::vector<size_t> first_stage_{0};
    std::vector<double> job_s_;
    std::vector<double> stage_s_;
    std::vector<double> gaps_s_{0};
};

/// A pre-trained network with its history of runs. An immutable value, cheap to copy; any number of threads may use it.
class enel_model {
public:
    /// Pre-trains on runs of one or several applications. A job without stages counts as one stage. Allocates; takes seconds
    /// to minutes. Errors: those of `validate` for traces; empty_history where no run has jobs and scale-outs;
    /// invalid_option; number_too_large (ids, tasks, data sizes beyond 32 bits); training_diverged.
    static result<enel_model> pretrain(std::span<const application_trace> runs, const enel_options& options = {});

    /// Pre-trains as one worker, counted from 0, of `options.parallel.workers` in as many processes. Each calls this with
    /// the same runs and options and gets the same model: that of `pretrain` with these options, if the averager sums in the
    /// order of the workers.
    ///
    /// Trains on the calling thread and blocks while an average is late. Errors: those of `pretrain`; invalid_option for
    /// fewer than two workers, and for a worker that is none of them; worker_lost where `averager.finish()` returns nothing.
    static result<enel_model> pretrain_as_worker(std::span<const application_trace> runs, const enel_options& options,
                                                 int worker, averager<double> auto& averager) {
        return pretrain_with(runs, options, worker, detail::averager_reference<double>(averager));
    }

    [[nodiscard]] const enel_report& report() const noexcept;

    /// Predicts the jobs after those of `so_far`, which holds the finished jobs alone; without any, the whole run at each
    /// scale-out. The stages of the jobs to come are those of the nearest earlier run of the application. Allocates; takes
    /// milliseconds. Errors: those of `validate` for traces;
    /// empty_history where no earlier run of this application is known; empty_candidates; invalid_scale_out;
    /// number_too_large.
    result<enel_forecast> forecast(const application_trace& so_far, std::span<const int> scale_outs,
                                   const enel_question& question) const;

private:
    struct state;

    explicit enel_model(std::shared_ptr<const state> learned) : state_(std::move(learned)) {}
    static result<enel_model> pretrain_with(std::span<const application_trace> runs, const enel_options& options, int worker,
                                            detail::averager_reference<double> averager);
    static result<enel_model> learn(std::span<const application_trace> runs, const enel_options& options,
                                    const auto& run_search);
    result<void> check(const application_trace& so_far, std::span<const int> scale_outs,
                       const enel_question& question) const;

    std::shared_ptr<const state> state_;
};

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/enel/enel_impl.hpp>  // IWYU pragma: export
#endif

#endif
