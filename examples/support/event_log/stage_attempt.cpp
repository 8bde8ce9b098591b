#include "stage_attempt.hpp"

#include <algorithm>

namespace tools::event_log {

void stage_attempt::complete(stage_info info) {
    if (!info.submitted) info.submitted = info_.submitted;
    if (info.name.empty()) info.name = std::move(info_.name);
    if (info.parents.empty()) info.parents = std::move(info_.parents);
    if (info.tasks <= 0) info.tasks = info_.tasks;
    if (info.partitions <= 0) info.partitions = info_.partitions;
    info_ = std::move(info);
    complete_ = true;
}

stage_attempt::task& stage_attempt::find_or_add(const task_info& info) {
    const auto [found, is_new] = place_of_task_.try_emplace(info.id, tasks_.size());
    if (is_new) {
        const auto [executor, is_first] = place_of_executor_.try_emplace(info.executor, executors_.size());
        if (is_first) executors_.push_back(info.executor);
        tasks_.push_back({.id = info.id, .index = info.index, .executor = executor->second});
        ++running_;
    }
    return tasks_[found->second];
}

void stage_attempt::start(const task_info& info) {
    if (info.launched && (!first_launch_ || *info.launched < *first_launch_)) first_launch_ = info.launched;
    if (settled_) return;
    auto& known = find_or_add(info);
    if (info.launched) known.launched = *info.launched;
}

void stage_attempt::end(const task_ended& ended) {
    if (ended.metrics) metrics_.add(*ended.metrics);
    start(ended.info);
    if (settled_) return;
    auto& known = find_or_add(ended.info);
    if (!known.ended) --running_;
    known.ended = true;
    known.index = ended.info.index;
    known.finished = ended.info.finished.value_or(known.launched);
    known.succeeded = ended.reason == "Success" && ended.info.finished && known.launched > 0;
}

void stage_attempt::settle(const slots_of_executor& slots, bool with_durations) {
    if (settled_) return;
    settled_ = true;
    if (!tells_tasks_) return;
    place_of_task_ = {};
    std::sort(tasks_.begin(), tasks_.end(),
              [](const task& a, const task& b) { return a.launched != b.launched ? a.launched < b.launched : a.id < b.id; });

    // Of each task that succeeded the attempt that finished first.
    std::unordered_map<std::int64_t, const task*> first;
    for (const auto& each : tasks_) {
        if (!each.succeeded) continue;
        const auto [found, is_new] = first.try_emplace(each.index, &each);
        if (!is_new && each.finished < found->second->finished) found->second = &each;
    }

    succeeded_ = static_cast<std::int64_t>(first.size());
    std::vector<std::optional<std::int64_t>> left;
    for (const auto& each : executors_) left.push_back(slots(each));
    const bool known = std::all_of(left.begin(), left.end(), [](const auto& each) { return each.has_value(); });
    std::int64_t in_first_wave = 0;
    for (const auto& each : tasks_) {
        auto& free = left[each.executor];
        const bool is_among_first = free && *free > 0;
        if (is_among_first) --*free;
        if (!each.succeeded || first.at(each.index) != &each) continue;
        if (is_among_first) ++in_first_wave;
        // Clocks run backwards; durations do not.
        if (with_durations) task_ms_.push_back((std::max<milliseconds>)(0, each.finished - each.launched));
    }
    if (known && with_durations) first_wave_ = in_first_wave;
    tasks_ = {};
    executors_ = {};
    place_of_executor_ = {};
    task_ms_.shrink_to_fit();
}

}  // namespace tools::event_log
