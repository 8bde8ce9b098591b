// Traces as C sees them, and handles of applications.
#ifndef BELLAMY_TESTS_C_TRACES_HPP
#define BELLAMY_TESTS_C_TRACES_HPP

#include "../support/made_up_application.hpp"
#include "job.hpp"

namespace support {

using c_application = std::unique_ptr<bellamy_application, close_handle>;
using c_forecast = std::unique_ptr<bellamy_forecast, close_handle>;

/// Runs of C that point to copies of C++'s.
class c_traces {
public:
    explicit c_traces(std::vector<bellamy::application_trace> of) : of_(std::move(of)) {
        for (const auto& each : of_) runs.push_back(row_of(each));
    }
    c_traces(const c_traces&) = delete;
    c_traces& operator=(const c_traces&) = delete;

    std::vector<bellamy_application_trace> runs{};

private:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    bellamy_application_trace row_of(const bellamy::application_trace& from) {
        auto& properties = properties_.emplace_back();
        for (const auto& each : from.properties) {
            properties.push_back(bellamy_natural(each.name.c_str(), *each.value.natural()));
            properties.back().role = static_cast<std::int32_t>(each.role);
        }
        auto& steps = steps_.emplace_back();
        for (const auto& each : from.scale_out) steps.push_back({sizeof(steps[0]), each.at_s, each.scale_out});
        auto& jobs = jobs_.emplace_back();
        for (const auto& each : from.jobs) {
            auto& stages = stages_.emplace_back();
            for (const auto& stage : each.stages) stages.push_back(row_of(stage));
            jobs.push_back(bellamy_job_of(each.id, each.submitted_s.value_or(unknown), each.completed_s.value_or(unknown),
                                          stages.data(), stages.size()));
            jobs.back().outcome = static_cast<std::int32_t>(each.outcome);
        }
        bellamy_application_trace made{};
        made.size = sizeof(made);
        made.application = from.application.c_str();
        made.run = from.run.c_str();
        made.properties = properties.data();
        made.property_count = properties.size();
        made.steps = steps.data();
        made.step_count = steps.size();
        made.jobs = jobs.data();
        made.job_count = jobs.size();
        made.runtime_s = from.runtime_s;
        made.unit = static_cast<std::int32_t>(from.unit);
        made.outcome = static_cast<std::int32_t>(from.outcome);
        return made;
    }

    static bellamy_stage_trace row_of(const bellamy::stage_trace& from) {
        auto made = bellamy_stage_of(from.id, from.submitted_s.value_or(unknown), from.completed_s.value_or(unknown));
        made.name = from.name.c_str();
        made.parents = from.parents.data();
        made.parent_count = from.parents.size();
        made.task_s = from.task_s.data();
        made.task_count = from.task_s.size();
        made.attempt = from.attempt;
        made.tasks = from.tasks.value_or(-1);
        made.first_wave = from.first_wave.value_or(-1);
        if (from.scale_out) {
            made.start_scale_out = from.scale_out->at_start;
            made.end_scale_out = from.scale_out->at_end;
        }
        made.outcome = static_cast<std::int32_t>(from.outcome);
        return made;
    }

    std::vector<bellamy::application_trace> of_;
    std::deque<std::vector<bellamy_property>> properties_{};
    std::deque<std::vector<bellamy_scale_out_step>> steps_{};
    std::deque<std::vector<bellamy_job_trace>> jobs_{};
    std::deque<std::vector<bellamy_stage_trace>> stages_{};
};

/// Learned from `etl_history`, one run of which has task durations.
[[nodiscard]] inline std::vector<bellamy::application_trace> history_with_tasks() {
    auto history = etl_history();
    history[0] = made_up_trace(1, 500, 2);
    return history;
}

[[nodiscard]] inline c_application learned_application(const std::vector<bellamy::application_trace>& history) {
    const c_traces traces(history);
    c_application made;
    auto error = sized<bellamy_error>();
    const auto code = bellamy_application_pretrain(traces.runs.data(), traces.runs.size(), nullptr, into(made), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    return made;
}

[[nodiscard]] inline std::vector<std::byte> bytes_of(const c_application& application) {
    std::size_t size = 0;
    REQUIRE(bellamy_application_to_bytes(application.get(), nullptr, 0, &size, nullptr) == bellamy_errc_ok);
    std::vector<std::byte> bytes(size);
    REQUIRE(bellamy_application_to_bytes(application.get(), bytes.data(), size, &size, nullptr) == bellamy_errc_ok);
    return bytes;
}

}  // namespace support

#endif
