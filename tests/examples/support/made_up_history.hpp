// A table of runs of one application as `bellamy import` writes it, and what is advised on it.
#ifndef BELLAMY_TESTS_EXAMPLES_MADE_UP_HISTORY_HPP
#define BELLAMY_TESTS_EXAMPLES_MADE_UP_HISTORY_HPP

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "run_program.hpp"

namespace support {

struct recorded_run {
    int executors = 1;
    double runtime_s = 0;
    int data_mb = 1000;
    double wait_s = 5;
    std::string outcome = "succeeded";
    std::string flags{};
    std::string arguments{};
};

inline constexpr double first_start_s = 1.7e9;
inline constexpr double day_s = 86400;

/// A run a day, of executors of one core.
[[nodiscard]] inline std::string history_table(const std::vector<recorded_run>& runs, std::string_view name = "daily") {
    std::string text =
        "application\trun\tattempt\tstarted_at_s\truntime_s\twait_s\toutcome\texecutors\tcores\tdata_size_MB\targuments\t"
        "executor_memory_MB\texecutor_cores\tflags\n";
    double start_s = first_start_s;
    for (std::size_t i = 0; i < runs.size(); ++i, start_s += day_s) {
        const auto& run = runs[i];
        text += fmt::format("{0}\tr{1}\t1\t{2:.0f}\t{3}\t{4}\t{5}\t{6}\t{6}\t{7}\t{8}\t4096\t1\t{9}\n", name, i, start_s,
                            run.runtime_s, run.wait_s, run.outcome, run.executors, run.data_mb, run.arguments, run.flags);
    }
    return text;
}

/// Runs on 2, 4 and 8 executors in turn, which take 20 s and 1000 s over their number, within 3 %.
[[nodiscard]] inline std::vector<recorded_run> usual_runs(std::size_t count) {
    std::vector<recorded_run> made;
    for (std::size_t i = 0; i < count; ++i) {
        const int executors = 2 << (i % 3);
        const double scatter = 1 + 0.01 * (static_cast<double>((5 * i) % 7) - 3);
        made.push_back({.executors = executors,
                        .runtime_s = (20 + 1000.0 / executors) * scatter,
                        .data_mb = 1000 + 10 * static_cast<int>((5 * i) % 9)});
    }
    return made;
}

/// The record of the only application; exit codes of an answer are 0 and 4.
[[nodiscard]] inline nlohmann::json advised_record(const std::string& history, const std::vector<std::string>& more) {
    const auto finished = run_program(std::vector<std::string>{BELLAMY_PROGRAM, "recommend", history, "--json"} + more);
    CAPTURE(finished.command);
    CAPTURE(finished.err);
    REQUIRE((finished.exit_code == 0 || finished.exit_code == 4));
    return nlohmann::json::parse(finished.out).at("applications").at(0);
}

/// Whether one of the warnings contains the words.
[[nodiscard]] inline bool warns_of(const nlohmann::json& advice, std::string_view words) {
    for (const auto& warning : advice.at("warnings"))
        if (warning.get<std::string>().find(words) != std::string::npos) return true;
    return false;
}

}  // namespace support

#endif
