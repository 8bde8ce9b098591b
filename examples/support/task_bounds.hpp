// What the tasks of a run tell of its runtime at other scale-outs, where the tasks themselves are not kept.
#ifndef BELLAMY_EXAMPLES_TASK_BOUNDS_HPP
#define BELLAMY_EXAMPLES_TASK_BOUNDS_HPP

#include <bellamy/curve.hpp>

#include <optional>

#include "history.hpp"

namespace tools {

/// No run is shorter than its longest task, nor than the work of its tasks over the cores that they can use.
struct task_bounds {
    int scale_out = 1;  // of the run
    double runtime_s = 0;
    double longest_task_s = 0;
    double task_core_s = 0;
    double cores_per_unit = 1;
    double most_cores = 1;  // that the largest stage can use

    [[nodiscard]] double at(int scale_out) const noexcept;
};

/// Of the last run that succeeded; empty where its tasks or the cores of an executor are not known, its scale-out is an
/// average, or it differs from the next in more than its data size.
[[nodiscard]] std::optional<task_bounds> task_bounds_of(const application_history& of, const bellamy::context& next);

/// Of the last five runs that succeeded, like the next in all but their data size, and whose tasks are known; 0 where none
/// is.
[[nodiscard]] double least_longest_task_s(const application_history& of, const bellamy::context& next);

/// For runs of one size: the runtimes at that size plus the difference of the bounds, with the error of a replay for each
/// doubling of it.
[[nodiscard]] bellamy::curve scaled_by_tasks(const bellamy::curve& runtimes, const task_bounds& bounds);

/// The scale-out beyond which there are more cores than tasks in any stage of such runs, and which is not below any that
/// ran; the largest of all where none is known, or the next run has more data than those by more than a tenth, which may be
/// more tasks. Stages that run at once, and tasks of several cores, may gain beyond it: it errs on the slow side.
[[nodiscard]] int last_gain_by_tasks(const application_history& of, const bellamy::context& next,
                                     std::optional<double> next_mb);

/// The runtimes, at no scale-out shorter than so many seconds, and beyond `last_gain` no shorter than there.
[[nodiscard]] bellamy::curve not_below(const bellamy::curve& runtimes, double shortest_s, int last_gain);

}  // namespace tools

#endif
