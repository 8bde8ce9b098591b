// Applications stage by stage: learned from traces of past runs, and predicted before a run starts and while it runs.
#ifndef BELLAMY_APPLICATION_HPP
#define BELLAMY_APPLICATION_HPP

#include <bellamy/curve.hpp>
#include <bellamy/trace.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {
struct application_access;
struct application_state;
struct bound_application;
}  // namespace detail

/// How to learn an application.
struct application_options {
    std::uint64_t seed = 0;
    /// The result does not depend on it.
    int threads = 1;
};

/// Predictions of one run: its stages, jobs, the run, and its rest after some jobs have ended, each as a distribution over
/// the scale-out. An immutable value that keeps what it needs of its model alive; const means safe to share between threads.
/// The predictions are noexcept, allocate nothing and lock nothing. A scale-out of 0 is not known: the prediction is then
/// that of all runs, whatever their scale-out.
class forecast {
public:
    /// Number of jobs that are expected of the run.
    [[nodiscard]] size_t jobs() const noexcept;
    [[nodiscard]] size_t stages(size_t job) const noexcept;

    /// Runtime of a stage, by the positions of its job and of the stage (by id). Preconditions: job < jobs(), stage <
    /// stages(job).
    [[nodiscard]] prediction stage(size_t job, size_t stage, int scale_out) const noexcept;
    /// Path time of a job: the longest path of its stages. The only job that remains is a part of the rest, and as sure as
    /// that. Precondition: job < jobs().
    [[nodiscard]] prediction job(size_t job, int scale_out) const noexcept;

    /// Runtime of the run before it starts: a weighted mean of a model of whole runs and of the sum of the models of parts.
    [[nodiscard]] prediction run(int scale_out) const noexcept;

    /// Time from the end of the last finished job to the end of the run; from the start where no job has finished. NaN where
    /// no job remains. After the first job its quantiles allow for failures, which recorded runs seldom have: by assumption
    /// four of ten runs lose an executor at any time, which delays up to three jobs by together 15 % of the run on average.
    [[nodiscard]] prediction remaining(int scale_out) const noexcept;

    /// Number of finished jobs that the forecast has observed.
    [[nodiscard]] size_t finished_jobs() const noexcept { return finished_; }

    /// Quantile at `p` of the run factor: actual over predicted time of the rest of this run, estimated from the residuals
    /// of its finished jobs; 1.3 is 30 % longer than predicted before the start. NaN where no job has finished or none
    /// remains, and unless 0 < p < 1. With fewer than five recorded runs it is what the finished jobs alone say.
    [[nodiscard]] double run_factor(double p) const noexcept;

    /// The forecast for the rest of a run whose first jobs have ended: all jobs of `so_far` that have an end. Their
    /// residuals correct the prediction of the rest. Where they are not of the expected shape, the most frequent longer
    /// shape that begins with them is expected from here on, else the most frequent longer one. Allocates; takes
    /// microseconds, and a bind for another shape. Errors: those of `validate`; invalid_trace for another application or
    /// unit, or where a job without an end precedes one with an end.
    result<forecast> observe(const application_trace& so_far) const;

private:
    friend class application_model;
    forecast(std::shared_ptr<const detail::application_state> model, context target, size_t shape);

    std::shared_ptr<const detail::application_state> model_;
    context target_;
    std::shared_ptr<const detail::bound_application> bound_;
    size_t shape_ = 0;
    size_t finished_ = 0;
    detail::quantile_row rest_residual_{};  // quantiles of ln(actual / predicted) of the rest
};

/// A model of the runs of one application. An immutable value: const means safe to share between threads; copies share it.
class application_model {
public:
    [[nodiscard]] const std::string& application() const noexcept;
    /// Of the runs whose scale-out was known; 1 to 1 where it never was.
    [[nodiscard]] scale_out_interval seen_scale_outs() const noexcept;

    /// The forecast of a run with these properties. A property that no run had is left out, a missing one is unknown.
    /// Allocates; takes up to some milliseconds for each stage. Errors: those of `validate` for contexts, property_mismatch
    /// for a value that no run could have had: a text where all had numbers.
    result<forecast> bind(std::span<const property> properties) const;

private:
    friend struct detail::application_access;
    explicit application_model(std::shared_ptr<const detail::application_state> state) : state_(std::move(state)) {}

    std::shared_ptr<const detail::application_state> state_;
};

/// Learns an application from runs that succeeded; others are passed over. Each stage is learned by best mode as a small job
/// of its own, and so are the path time of each job, the whole run, and the time outside of path times: the quantiles of a
/// sum or of a maximum do not follow from those of its parts. Beyond the largest 128 stages of a run, a stage is a fixed
/// fraction of its job's path time, and beyond the largest 40 jobs, a job is a fraction of the small jobs' path times
/// together: their sum is more certain than each, and each model costs a bind. Runs with task durations also count, with a
/// weight of 0.3, as replayed at half and double their scale-out; of more than 32 runs only at scale-outs without a recorded
/// run. The common residuals of the jobs of a run are learned from runs predicted by models of the others. Shapes (the
/// parents of all stages by position) are learned apart; the names of stages may differ.
///
/// Takes about 0.1 s for 50 runs and each stage, on each of `threads`; allocates; touches nothing shared. Same history,
/// options and build give the same model. Errors: empty_history where no run succeeded, invalid_trace for runs of several
/// applications or units, invalid_option, and with the number of the run those of `validate`.
result<application_model> pretrain_application(std::span<const application_trace* const> history,
                                               const application_options& options = {});

namespace detail {

/// What the library itself may do with an application model: construct it, and read its state.
struct application_access {
    [[nodiscard]] static application_model make(std::shared_ptr<const application_state> state) {
        return application_model(std::move(state));
    }
    [[nodiscard]] static const application_state& state_of(const application_model& model) noexcept { return *model.state_; }
};

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/application/application_impl.hpp>  // IWYU pragma: export
#endif

#endif
