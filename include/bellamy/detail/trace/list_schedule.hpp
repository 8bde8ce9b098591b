// List scheduling of tasks on slots: the tasks of one stage, and the stages of a recorded job on another number of slots.
#ifndef BELLAMY_DETAIL_TRACE_LIST_SCHEDULE_HPP
#define BELLAMY_DETAIL_TRACE_LIST_SCHEDULE_HPP

#include <bellamy/detail/trace/stage_graph.hpp>

#include <functional>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Orders heaps with the earliest first.
inline constexpr std::greater<> earliest_first{};

/// Slots by the time from which on they are free, as a heap with the earliest first.
class slot_queue {
public:
    /// Precondition: at least one slot.
    explicit slot_queue(size_t slots) : free_s_(slots, 0.0) {}

    /// Runs a task on the slot that is free first, not before `ready_s`; returns its end.
    double run(double ready_s, double task_s) noexcept {
        std::pop_heap(free_s_.begin(), free_s_.end(), earliest_first);
        double& free_s = free_s_.back();
        const double end_s = (std::max)(free_s, ready_s) + task_s;
        free_s = end_s;
        std::push_heap(free_s_.begin(), free_s_.end(), earliest_first);
        return end_s;
    }

    /// When the next slot is free.
    double next_free_s() const noexcept { return free_s_.front(); }

private:
    std::vector<double> free_s_;
};

/// When the last of these tasks ends on this many slots, in O(tasks log slots). Precondition: slots > 0.
inline double list_schedule_s(std::span<const double> task_s, size_t slots) {
    slot_queue queue((std::min)(slots, (std::max)(task_s.size(), size_t{1})));
    double end_s = 0;
    for (const double duration_s : task_s) end_s = (std::max)(end_s, queue.run(0, duration_s));
    return end_s;
}

/// A stage to replay. Tasks of the first wave take longer, because code is loaded and caches are cold.
struct replayed_stage {
    std::vector<double> task_s{};  // in the order of launch
    size_t first_wave = 0;         // number of tasks that ran in the first wave: the first ones
    double slowdown = 1;           // of tasks in the first wave
    double outside_s = 0;          // part of the stage's runtime that its tasks do not explain

    /// The duration of a task when it is launched in the first wave, or after it.
    double task_duration_s(size_t task, bool in_first_wave) const noexcept {
        const bool recorded_in_first_wave = task < first_wave;
        if (recorded_in_first_wave == in_first_wave) return task_s[task];
        return recorded_in_first_wave ? task_s[task] / slowdown : task_s[task] * slowdown;
    }
};

/// A job to replay: its stages by position, their graph, and the part of its runtime that its longest path does not explain.
struct replayed_job {
    std::vector<replayed_stage> stages{};
    stage_graph parents{};
    double outside_s = 0;
    double time_factor = 1;  // recorded time over that of the schedule at the recorded scale-out
};

/// Replays a job on this many slots. As in Spark's FIFO mode, a free slot takes the next task of the first stage by position
/// among those whose parents have ended. O((tasks + edges) log(stages + slots)).
class job_schedule {
public:
    job_schedule(const replayed_job& job, size_t slots)
        : job_(job), slots_(slots), queue_(slots), stages_(job.stages.size()) {
        for (size_t stage = 0; stage < stages_.size(); ++stage) {
            stages_[stage].missing_parents = job.parents[stage].size();
            for (const auto parent : job.parents[stage]) stages_[parent].children.push_back(stage);
            if (job.parents[stage].empty()) push(pending_, {0.0, stage});
        }
        run();
    }

    /// Runtimes of the stages, by position.
    std::vector<double> stage_s() const {
        std::vector<double> runtime_s;
        for (const auto& stage : stages_) runtime_s.push_back(stage.end_s - stage.begin_s);
        return runtime_s;
    }

private:
    struct stage_progress {
        double begin_s = 0;
        double end_s = 0;
        size_t launched_tasks = 0;
        size_t missing_parents = 0;
        std::vector<size_t> children{};
    };

    template <class Value>
    static void push(std::vector<Value>& heap, const std::type_identity_t<Value>& value) {
        heap.push_back(value);
        std::push_heap(heap.begin(), heap.end(), earliest_first);
    }
    template <class Value>
    static void pop(std::vector<Value>& heap) noexcept {
        std::pop_heap(heap.begin(), heap.end(), earliest_first);
        heap.pop_back();
    }

    void run() {
        while (!pending_.empty() || !ready_.empty()) {
            const double free_s = queue_.next_free_s();
            // While no stage is ready, the slots wait for the first one that will be.
            while (!pending_.empty() && (pending_.front().first <= free_s || ready_.empty())) {
                push(ready_, pending_.front().second);
                pop(pending_);
            }
            launch_task(ready_.front());
        }
    }

    // Launches the next task of a stage; ends the stage with its last task.
    void launch_task(size_t position) {
        const auto& recorded = job_.stages[position];
        auto& stage = stages_[position];
        if (!recorded.task_s.empty()) {
            const auto task = stage.launched_tasks++;
            const double end_s = queue_.run(stage.begin_s, recorded.task_duration_s(task, task < slots_));
            stage.end_s = (std::max)(stage.end_s, end_s);
            if (stage.launched_tasks < recorded.task_s.size()) return;
        }
        stage.end_s = (std::max)(stage.end_s, stage.begin_s) + recorded.outside_s;
        pop(ready_);
        for (const auto child : stage.children) {
            stages_[child].begin_s = (std::max)(stages_[child].begin_s, stage.end_s);
            if (--stages_[child].missing_parents == 0) push(pending_, {stages_[child].begin_s, child});
        }
    }

    const replayed_job& job_;
    size_t slots_;
    slot_queue queue_;
    std::vector<stage_progress> stages_;
    std::vector<std::pair<double, size_t>> pending_;  // stages whose parents have ended, by when they are ready
    std::vector<size_t> ready_;                       // stages that are ready, by position
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
