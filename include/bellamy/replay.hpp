// Replays one recorded run at other scale-outs by scheduling its tasks again.
#ifndef BELLAMY_REPLAY_HPP
#define BELLAMY_REPLAY_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/trace/list_schedule.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Error of a replay, as standard deviations of ln runtime: at the scale-out of the source (a second run of it would differ
/// as well), and for each doubling or halving of it. On real clusters tasks themselves take longer where disks are shared,
/// so the default is wide: estimate it by `replay_spread` where several scale-outs are recorded.
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
/// scale-out, in the order of launch, each to the slot that is free first. Tasks in the first wave are slower, as in the
/// record. Stages of a job that are ready together share the slots. Time of a stage, of a job and of the run that tasks do
/// not explain stays as it was, so that a replay at the scale-out of its source takes what was recorded. An immutable value;
/// const means safe to share between threads.
class application_replay {
public:
    /// Replays a run that was recorded at one scale-out. One unit has the slots that the source states; else a core or a
    /// slot has one, and other units have those that first waves show, at least one. Errors: those of `validate`;
    /// invalid_trace where the run did not succeed, its scale-out is not known or changed, a stage with tasks has no task
    /// durations, or the tasks cannot have run on these slots in the recorded time; invalid_option where `error` is not from
    /// 0 to 10.
    static result<application_replay> from_trace(const application_trace& source, const replay_error& error = {});

    /// Allocates; takes time linear in the tasks, times a logarithm. Error: invalid_scale_out.
    result<replayed_times> at(int scale_out) const;

    /// The run's runtime over scale-outs, with the spread that replay has. Replays some forty scale-outs and interpolates
    /// between them. Allocates.
    [[nodiscard]] curve run_curve() const;

    /// A time replayed at this scale-out as a distribution. Allocates nothing.
    [[nodiscard]] prediction spread(double replayed_s, int scale_out) const noexcept;

    [[nodiscard]] int source_scale_out() const noexcept { return source_scale_out_; }

private:
    application_replay() = default;

    std::vector<detail::replayed_job> jobs_;
    double run_outside_s_ = 0;  // time that no job covers
    double overlap_ = 1;        // time that some job covers over the sum of the jobs' times
    double slots_per_unit_ = 1;
    int source_scale_out_ = 1;
    replay_error error_{};
};

/// Error of replays of one application's runs, from each run replayed at the scale-outs of the others with the same
/// properties; the default where there are fewer than three such pairs. Runs that cannot be replayed are passed over.
/// Allocates; takes a replay for each pair.
[[nodiscard]] replay_error replay_spread(std::span<const application_trace* const> history);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/trace/replay_impl.hpp>  // IWYU pragma: export
#endif

#endif
