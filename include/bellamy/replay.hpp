// From one run with the durations of its tasks to its times at other scale-outs, by scheduling the tasks again.
#ifndef BELLAMY_REPLAY_HPP
#define BELLAMY_REPLAY_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/trace/job_replay.hpp>
#include <bellamy/trace.hpp>

#include <array>
#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

/// What replay errs by, as the standard deviation of ln runtime: at the scale-out of the source (another run of it would
/// differ as well), and more for each doubling or halving of it. On real clusters tasks themselves take longer where disks
/// are shared, so that the default is wide: learn it by `replay_spread` where several scale-outs are recorded.
struct replay_error {
    double at_source = 0.1;
    double per_doubling = 0.15;
};

/// The times of a run replayed at one scale-out, in seconds.
struct replayed_times {
    std::vector<std::vector<double>> stage_s{};  // by job and stage, in the order of ids
    std::vector<double> path_s{};                // by job
    double run_s = 0;
};

/// A recorded run that can be replayed at other scale-outs. Each stage's tasks are scheduled again on the slots of the
/// scale-out, in the order of launch, each to the slot that is free first; those of the first wave keep its slowdown, and
/// others gain it where they come into it. Stages of a job that are ready together share the slots. What tasks do not
/// explain of a stage, of a job and of the run stays as it was. An immutable value; const means safe to share between
/// threads.
class application_replay {
public:
    /// Replays a run that was recorded at one scale-out. One unit has the slots that the first waves show, else one slot.
    /// Errors: those of `validate`; invalid_trace where the run did not succeed, its scale-out is not known or changed, or a
    /// stage with tasks has no task durations; invalid_option where `error` is not from 0 to 10.
    [[nodiscard]] static result<application_replay> of(const application_trace& source, const replay_error& error = {});

    /// Allocates; takes time linear in the tasks, times a logarithm. Error: invalid_scale_out.
    [[nodiscard]] result<replayed_times> at(int scale_out) const;

    /// The run's runtime over scale-outs, with the spread that replay has. Replays some forty scale-outs and interpolates
    /// between them. Allocates while it is made.
    [[nodiscard]] curve run_curve() const;

    /// A time replayed at this scale-out as a distribution. Allocates nothing.
    [[nodiscard]] prediction spread(double replayed_s, int scale_out) const noexcept {
        const double doublings = std::log2(static_cast<double>(scale_out) / source_scale_out_);
        const double deviation = std::hypot(error_.at_source, error_.per_doubling * doublings);
        prediction made{.median_s = replayed_s, .is_point = false};
        for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
            made.log_quantiles[i] = std::log(replayed_s) + deviation * detail::standard_normal_quantiles[i];
        made.outside_seen_scale_outs = scale_out != source_scale_out_;
        made.observed_runs = 1;
        return made;
    }

    [[nodiscard]] int source_scale_out() const noexcept { return source_scale_out_; }

private:
    application_replay() = default;

    std::vector<detail::replayed_job> jobs_{};
    std::vector<double> job_outside_s_{};
    double run_outside_s_ = 0;
    double overlap_ = 1;
    double slots_per_unit_ = 1;
    int source_scale_out_ = 1;
    replay_error error_{};
};

/// What replay errs by on these runs of one application, from each run replayed at the scale-outs of the others with the
/// same properties; the default where there is no such pair. Allocates; takes a replay for each pair. Runs that cannot be
/// replayed are passed over.
[[nodiscard]] replay_error replay_spread(std::span<const application_trace* const> history);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/trace/replay_impl.hpp>  // IWYU pragma: export
#endif

#endif
