// When executors came and went, as steps of how many there are.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_EXECUTOR_HISTORY_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_EXECUTOR_HISTORY_HPP

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events.hpp"

namespace tools::event_log {

/// The driver, which is an executor only in local mode.
[[nodiscard]] inline bool is_driver(std::string_view executor) noexcept {
    return executor == "driver" || executor == "<driver>" || executor == "localhost";
}

/// From this time on, so many.
struct executor_step {
    milliseconds at = 0;
    std::int64_t executors = 0;
    std::int64_t cores = 0;
};

struct executor_summary {
    std::int64_t added = 0;
    std::int64_t removed = 0;
    std::int64_t most_executors = 0;
    std::int64_t most_cores = 0;
    std::vector<executor_step> steps{};  // in the order of time, each one a change
};

/// Each executor counts once until it is removed.
class executor_history {
public:
    void add(const executor_changed& executor) {
        if (!executor.at || !present_.try_emplace(executor.id, executor.cores).second) return;
        changes_.push_back({*executor.at, 1, executor.cores, is_driver(executor.id)});
    }

    void remove(const executor_changed& executor) {
        const auto found = present_.find(executor.id);
        if (!executor.at || found == present_.end()) return;
        changes_.push_back({*executor.at, -1, -found->second, is_driver(executor.id)});
        present_.erase(found);
    }

    /// Those that were added without cores have so many.
    void set_unknown_cores(std::int64_t cores) {
        for (auto& [id, own] : present_)
            if (own == 0) own = cores;
        for (auto& each : changes_)
            if (each.cores == 0) each.cores = each.executors * cores;
    }

    [[nodiscard]] bool empty() const noexcept { return changes_.empty(); }

    /// Changes of one millisecond are taken together.
    [[nodiscard]] executor_summary summarise(bool with_driver) const;

private:
    struct change {
        milliseconds at = 0;
        int executors = 0;
        std::int64_t cores = 0;
        bool of_driver = false;
    };
    std::unordered_map<std::string, std::int64_t> present_{};  // with their cores
    std::vector<change> changes_{};
};

}  // namespace tools::event_log

#endif
