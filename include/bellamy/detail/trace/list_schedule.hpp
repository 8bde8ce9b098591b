// List scheduling: each task, in order, goes to the slot that is free first.
#ifndef BELLAMY_DETAIL_TRACE_LIST_SCHEDULE_HPP
#define BELLAMY_DETAIL_TRACE_LIST_SCHEDULE_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Slots by the time from which on they are free, the earliest first.
class slot_queue {
public:
    /// Precondition: at least one slot.
    explicit slot_queue(std::size_t slots) : free_s_(slots, 0.0) {}

    /// Runs a task on the slot that is free first, not before `ready_s`; returns when it ends.
    double run(double ready_s, double task_s) noexcept {
        std::pop_heap(free_s_.begin(), free_s_.end(), std::greater<>{});
        double& free_s = free_s_.back();
        const double end_s = (std::max)(free_s, ready_s) + task_s;
        free_s = end_s;
        std::push_heap(free_s_.begin(), free_s_.end(), std::greater<>{});
        return end_s;
    }

    /// When the next slot is free.
    [[nodiscard]] double next_free_s() const noexcept { return free_s_.front(); }

private:
    std::vector<double> free_s_;
};

/// When the last of these tasks ends on this many slots, in O(tasks log slots). Precondition: slots > 0.
[[nodiscard]] inline double list_schedule_s(std::span<const double> task_s, std::size_t slots) {
    slot_queue queue((std::min)(slots, (std::max)(task_s.size(), std::size_t{1})));
    double end_s = 0;
    for (const double each : task_s) end_s = (std::max)(end_s, queue.run(0, each));
    return end_s;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
