// Whether the driver's clock was set while tasks ran, by how long their executors say that they ran, or by months between
// two events.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_DRIVER_CLOCK_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_DRIVER_CLOCK_HPP

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "events.hpp"

namespace tools::event_log {

/// The driver sees a task from its launch to its end; its executor, which has a clock of its own, sees a part of that.
struct driver_clock {
    /// The most by which a task was longer for its executor than for the driver.
    milliseconds shortfall = 0;
    /// The most by which it was longer for the driver.
    milliseconds excess = 0;
    /// The most by which the times of two events, one behind the other, differ.
    milliseconds jump = 0;
    std::optional<milliseconds> last{};  // event's time

    /// Of the next event of Spark.
    void tick(milliseconds at) noexcept {
        if (last) jump = (std::max)(jump, std::abs(at - *last));
        last = at;
    }

    void compare(const task_ended& task) noexcept {
        if (task.reason != "Success" || !task.metrics || task.metrics->run_ms <= 0) return;
        if (!task.info.launched || !task.info.finished) return;
        const auto beyond = *task.info.finished - *task.info.launched - task.metrics->run_ms;
        shortfall = (std::max)(shortfall, -beyond);
        excess = (std::max)(excess, beyond);
    }

    /// Some batch jobs wait for days, none for a quarter of a year.
    [[nodiscard]] bool has_jumped() const noexcept { return jump > milliseconds{90} * 24 * 3'600'000; }

    /// A clock that is kept true goes back by less than a second; a busy driver is late by seconds, not by minutes.
    [[nodiscard]] bool was_set() const noexcept { return shortfall > 1000 || excess > 600'000 || has_jumped(); }
};

}  // namespace tools::event_log

#endif
