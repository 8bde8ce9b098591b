// Applications stage by stage: learned from the traces of past runs, foretold before a run starts and while it runs.
#ifndef BELLAMY_APPLICATION_HPP
#define BELLAMY_APPLICATION_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/trace.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {
struct application_access;
struct application_state;
struct bound_application;
struct shape_parts;
}  // namespace detail

/// How to learn an application.
struct application_options {
    std::uint64_t seed = 0;
    /// The result does not depend on it.
    int threads = 1;
};

/// What is foretold of one run: its stages, jobs, the run, and after some jobs have ended its rest, each as a distribution
/// over the scale-out. An immutable value that keeps what it needs of its model alive; const means safe to share between
/// threads. The predictions are noexcept, allocate nothing and lock nothing. A scale-out of 0 is not known: the answer is
/// then that of all runs, whatever their scale-out.
class forecast {
public:
    /// Jobs of the shape that is expected.
    [[nodiscard]] std::size_t jobs() const noexcept;
    [[nodiscard]] std::size_t stages(std::size_t job) const noexcept;

    /// Runtime of a stage by the positions of its job and of itself (by id). Preconditions: job < jobs(), stage <
    /// stages(job).
    [[nodiscard]] prediction stage(std::size_t job, std::size_t stage, int scale_out) const noexcept;
    /// Path time of a job: the longest path of its stages. Precondition: job < jobs().
    [[nodiscard]] prediction job(std::size_t job, int scale_out) const noexcept;

    /// Runtime of the run before it starts: what is learned of runs as wholes together with the sum of their parts.
    [[nodiscard]] prediction run(int scale_out) const noexcept;

    /// From the end of the last finished job to the end of the run, that is from the start where none has finished. NaN
    /// where no job is to come. Once a job has finished, its quantiles allow for failures, which learned runs seldom show:
    /// four of ten runs are taken to lose an executor at any time, which delays up to three jobs by together 15 % of the
    /// run on average.
    [[nodiscard]] prediction remaining(int scale_out) const noexcept;

    /// Jobs that the forecast has seen finish.
    [[nodiscard]] std::size_t finished_jobs() const noexcept { return finished_; }

    /// Run factor: time of the rest of this run over what was foretold of it before it began, as the deviations of its
    /// finished jobs tell; 1.3 is 30 % longer. Its quantile at `p`. NaN where no job has finished or none is to come, and
    /// unless 0 < p < 1. Fewer than five learned runs tell no factor: the median is then 1.
    [[nodiscard]] double run_factor(double p) const noexcept;

    /// The forecast for the rest of a run whose first jobs have ended: all jobs of `so_far` that have an end. What they
    /// deviated by speaks for the rest. Where they are not of the expected shape, the largest shape that begins with them is
    /// expected from here on, else the largest that is longer. Allocates; takes microseconds, and a bind for another shape.
    /// Errors: those of `validate`; invalid_trace for another application or unit, or where a job without an end precedes
    /// one with an end.
    [[nodiscard]] result<forecast> observe(const application_trace& so_far) const;

private:
    friend class application_model;
    friend struct detail::application_access;
    forecast(std::shared_ptr<const detail::application_state> model, context subject, const detail::shape_parts& expected);

    std::shared_ptr<const detail::application_state> model_;
    context subject_;
    std::shared_ptr<const detail::bound_application> bound_;
    std::size_t finished_ = 0;
    detail::quantile_row rest_{};  // ln(actual / predicted) of the rest
};

/// What is learned of one application. An immutable value: const means safe to share between threads; copies share it.
class application_model {
public:
    [[nodiscard]] const std::string& application() const noexcept;
    /// Of the runs whose scale-out was known; 1 to 1 where it never was.
    [[nodiscard]] scale_out_interval seen_scale_outs() const noexcept;

    /// The forecast of a run with these properties. A property that no run had is left out, one that is missing is not
    /// known. Allocates; takes up to some milliseconds for each stage. Errors: those of `validate` for contexts,
    /// property_mismatch for a value that none of the runs could have had: a text where all had numbers.
    [[nodiscard]] result<forecast> bind(std::span<const property> properties) const;

private:
    friend struct detail::application_access;
    explicit application_model(std::shared_ptr<const detail::application_state> state) : state_(std::move(state)) {}

    std::shared_ptr<const detail::application_state> state_;
};

/// Learns an application from runs that succeeded; others are passed over. Each stage is learned as a small job of its own
/// by best mode, and so are the path time of each job, the run as a whole, and the time outside of path times: sums and
/// maxima of quantiles are not quantiles, and what is learned directly needs neither. Beyond the largest 128 stages of a
/// run, a stage is learned as its share of its job's path time, and beyond the largest 40 jobs, a job as its share of the
/// small jobs' path times together: their sum is surer than each, and each part costs a bind. Runs with task
/// durations also count, lightly, as replayed at half and double their scale-out, of more than 32 runs only where none was
/// recorded. What the parts of a run share is learned from jobs predicted by the other runs. Shapes (the parents of all
/// stages by position) are learned apart; a stage's name may differ.
///
/// Takes about 0.1 s for 50 runs and each stage, on each of `threads`; allocates; touches nothing shared. Same history,
/// options and build give the same model. Errors: empty_history where no run succeeded, invalid_trace for runs of several
/// applications or units, invalid_option, and with the number of the run those of `validate`.
[[nodiscard]] result<application_model> pretrain_application(std::span<const application_trace* const> history,
                                                             const application_options& options = {});

namespace detail {

/// What the library itself may do with an application model: make one, and look inside.
struct application_access {
    [[nodiscard]] static application_model make(std::shared_ptr<const application_state> state) {
        return application_model(std::move(state));
    }
    [[nodiscard]] static const application_state& state_of(const application_model& of) noexcept { return *of.state_; }
};

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/application/application_fit.hpp>  // IWYU pragma: export
#include <bellamy/detail/application/forecast.hpp>         // IWYU pragma: export
#endif

#endif
