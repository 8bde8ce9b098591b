// One recorded job run again on other slots: its stages when their parents have ended, their tasks by list scheduling.
#ifndef BELLAMY_DETAIL_TRACE_JOB_REPLAY_HPP
#define BELLAMY_DETAIL_TRACE_JOB_REPLAY_HPP

#include <bellamy/detail/trace/job_graph.hpp>
#include <bellamy/detail/trace/list_schedule.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A stage to be replayed. Tasks of the first wave take longer, because code is loaded and caches are cold.
struct replayed_stage {
    std::vector<double> task_s{};  // in the order of launch
    std::size_t first_wave = 0;    // so many of them, the first ones, were of the first wave
    double slowdown = 1;           // of the first wave
    double outside_s = 0;          // of the stage's runtime, what its tasks do not explain

    /// The duration of a task when it is launched in the first wave or after it.
    [[nodiscard]] double task_as(std::size_t task, bool in_first_wave) const noexcept {
        const bool was = task < first_wave;
        if (was == in_first_wave) return task_s[task];
        return was ? task_s[task] / slowdown : task_s[task] * slowdown;
    }
};

/// A job to be replayed: stages by position, and what each waits for.
struct replayed_job {
    std::vector<replayed_stage> stages{};
    stage_graph parents{};
};

/// Runtimes of the stages on this many slots. As in Spark's FIFO mode a free slot takes the next task of the stage with the
/// lowest position among those whose parents have ended. O((tasks + edges) log(stages + slots)).
class job_schedule {
public:
    job_schedule(const replayed_job& job, std::size_t slots) : job_(job), slots_(slots), queue_(slots) {
        const auto stages = job.stages.size();
        runtime_s_.resize(stages);
        begin_s_.resize(stages);
        end_s_.resize(stages);
        launched_.resize(stages);
        waits_for_.resize(stages);
        children_.resize(stages);
        for (std::size_t i = 0; i < stages; ++i) {
            waits_for_[i] = job.parents[i].size();
            for (const auto parent : job.parents[i]) children_[parent].push_back(i);
        }
        for (std::size_t i = 0; i < stages; ++i)
            if (waits_for_[i] == 0) push(pending_, {0.0, i});
        run();
    }

    [[nodiscard]] std::span<const double> runtime_s() const noexcept { return runtime_s_; }

private:
    // Heaps with the least at the front.
    template <class Value>
    static void push(std::vector<Value>& heap, const std::type_identity_t<Value>& value) {
        heap.push_back(value);
        std::push_heap(heap.begin(), heap.end(), std::greater<>{});
    }
    template <class Value>
    static void pop(std::vector<Value>& heap) noexcept {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
        heap.pop_back();
    }

    void run() {
        while (!pending_.empty() || !ready_.empty()) {
            const double free_s = queue_.next_free_s();
            // Without a stage that is ready, the slots wait for the first that will be.
            while (!pending_.empty() && (pending_.front().first <= free_s || ready_.empty())) {
                push(ready_, pending_.front().second);
                pop(pending_);
            }
            launch(ready_.front());
        }
    }

    void launch(std::size_t at) {
        const auto& stage = job_.stages[at];
        if (!stage.task_s.empty()) {
            const auto task = launched_[at]++;
            const double end_s = queue_.run(begin_s_[at], stage.task_as(task, task < slots_));
            end_s_[at] = (std::max)(end_s_[at], end_s);
            if (launched_[at] < stage.task_s.size()) return;
        }
        end_s_[at] = (std::max)(end_s_[at], begin_s_[at]) + stage.outside_s;
        runtime_s_[at] = end_s_[at] - begin_s_[at];
        pop(ready_);
        for (const auto child : children_[at]) {
            begin_s_[child] = (std::max)(begin_s_[child], end_s_[at]);
            if (--waits_for_[child] == 0) push(pending_, {begin_s_[child], child});
        }
    }

    const replayed_job& job_;
    std::size_t slots_;
    slot_queue queue_;
    std::vector<double> runtime_s_{};
    std::vector<double> begin_s_{};
    std::vector<double> end_s_{};
    std::vector<std::size_t> launched_{};
    std::vector<std::size_t> waits_for_{};
    std::vector<std::vector<std::size_t>> children_{};
    // Stages whose parents have ended: those that will be ready by when, those that are by position.
    std::vector<std::pair<double, std::size_t>> pending_{};
    std::vector<std::size_t> ready_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
