// What one attempt of a stage did: the sums of its tasks, and their durations once it is over.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_STAGE_ATTEMPT_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_STAGE_ATTEMPT_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "events.hpp"

namespace tools::event_log {

/// Cores of an executor over the cores that a task takes; empty where the log does not tell.
using slots_of_executor = std::function<std::optional<std::int64_t>(const std::string& executor)>;

/// Tasks are kept one by one until the stage attempt is over, then their durations alone.
class stage_attempt {
public:
    explicit stage_attempt(stage_info info) : info_(std::move(info)) {}

    [[nodiscard]] const stage_info& info() const noexcept { return info_; }
    [[nodiscard]] const task_metrics& metrics() const noexcept { return metrics_; }
    [[nodiscard]] bool is_complete() const noexcept { return complete_; }
    [[nodiscard]] std::size_t running() const noexcept { return running_; }
    [[nodiscard]] bool is_settled() const noexcept { return settled_; }
    [[nodiscard]] bool has_first_launch() const noexcept { return first_launch_.has_value(); }
    [[nodiscard]] std::optional<milliseconds> first_launch() const noexcept { return first_launch_; }
    /// Durations of the tasks that succeeded, of each task the attempt that finished first, in the order of launch.
    [[nodiscard]] const std::vector<milliseconds>& task_ms() const noexcept { return task_ms_; }
    /// Tasks that succeeded, once it is settled.
    [[nodiscard]] std::int64_t succeeded_tasks() const noexcept { return succeeded_; }
    [[nodiscard]] std::optional<std::int64_t> first_wave() const noexcept { return first_wave_; }

    /// The last of what was stated about it counts, but what is not stated any more stays.
    void complete(stage_info info);
    void start(const task_info& task);
    void end(const task_ended& task);
    /// The sums of tasks that are not told one by one.
    void take_sums(const task_metrics& sums) {
        metrics_.add(sums);
        tells_tasks_ = false;
    }
    [[nodiscard]] bool tells_tasks() const noexcept { return tells_tasks_; }

    /// Forgets the tasks one by one: durations and the first wave stay. Tasks that end later count in the sums only.
    void settle(const slots_of_executor& slots, bool with_durations);

private:
    struct task {
        std::int64_t id = 0;
        std::int64_t index = 0;
        milliseconds launched = 0;
        milliseconds finished = 0;
        std::size_t executor = 0;
        bool succeeded = false;
        bool ended = false;
    };
    task& find_or_add(const task_info& info);

    stage_info info_;
    task_metrics metrics_{};
    bool complete_ = false;
    bool settled_ = false;
    bool tells_tasks_ = true;
    std::size_t running_ = 0;
    std::vector<task> tasks_{};
    std::unordered_map<std::int64_t, std::size_t> place_of_task_{};
    std::vector<std::string> executors_{};
    std::unordered_map<std::string, std::size_t> place_of_executor_{};
    std::optional<milliseconds> first_launch_{};
    std::vector<milliseconds> task_ms_{};
    std::int64_t succeeded_ = 0;
    std::optional<std::int64_t> first_wave_{};
};

}  // namespace tools::event_log

#endif
