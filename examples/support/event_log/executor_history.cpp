#include "executor_history.hpp"

#include <algorithm>

namespace tools::event_log {

executor_summary executor_history::summarise(bool with_driver) const {
    executor_summary made;
    auto sorted = changes_;
    if (!with_driver) std::erase_if(sorted, [](const change& each) { return each.of_driver; });
    std::stable_sort(sorted.begin(), sorted.end(), [](const change& a, const change& b) { return a.at < b.at; });
    executor_step now;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& each = sorted[i];
        ++(each.executors > 0 ? made.added : made.removed);
        now = {each.at, now.executors + each.executors, saturated_sum(now.cores, each.cores)};
        if (i + 1 < sorted.size() && sorted[i + 1].at == each.at) continue;
        const auto before = made.steps.empty() ? executor_step() : made.steps.back();
        if (now.executors != before.executors || now.cores != before.cores) made.steps.push_back(now);
        made.most_executors = (std::max)(made.most_executors, now.executors);
        made.most_cores = (std::max)(made.most_cores, now.cores);
    }
    return made;
}

}  // namespace tools::event_log
