// A small event log in the words of Spark 3.5, and what was read of any text.
#ifndef BELLAMY_TESTS_EXAMPLES_MADE_UP_LOG_HPP
#define BELLAMY_TESTS_EXAMPLES_MADE_UP_LOG_HPP

#include "../../../examples/support/event_log/facts.hpp"
#include "../../../examples/support/event_log/to_trace.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// Milliseconds at which the made-up applications begin.
inline constexpr std::int64_t log_start = 1'700'000'000'000;

struct made_up_log {
    std::string name = "daily report";
    std::string id = "app-20260101000000-0001";
    std::string attempt{};
    std::int64_t start = log_start;
    int executors = 2;
    int tasks = 6;
    std::int64_t task_ms = 1000;
    std::int64_t heap_bytes = 0;     // in use of an executor
    std::int64_t spilled_bytes = 0;  // by a task
    bool out_of_memory = false;      // the first task fails so, and runs again
    bool ends = true;

    /// The executors come after 2 s; one job of one stage, whose tasks fill the cores wave by wave.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> all{R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.5"})"};
        const auto attempt_field = attempt.empty() ? "" : fmt::format(R"(,"App Attempt ID":"{}")", attempt);
        all.push_back(fmt::format(
            R"({{"Event":"SparkListenerApplicationStart","App Name":"{}","App ID":"{}","Timestamp":{},"User":"u"{}}})", name,
            id, start, attempt_field));
        all.push_back(
            R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.executor.memory":"2g","spark.executor.cores":"1"}})");
        for (int i = 0; i < executors; ++i)
            all.push_back(fmt::format(
                R"({{"Event":"SparkListenerExecutorAdded","Timestamp":{},"Executor ID":"{}","Executor Info":{{"Host":"h","Total Cores":1}}}})",
                start + 2000, i));
        all.push_back(fmt::format(R"({{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":{},"Stage IDs":[0]}})",
                                  start + 3000));
        all.push_back(fmt::format(
            R"({{"Event":"SparkListenerStageSubmitted","Stage Info":{{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":{},"RDD Info":[{{"Number of Partitions":{}}}],"Parent IDs":[],"Submission Time":{}}}}})",
            tasks, tasks, start + 3000));
        auto last = start + 3000;
        if (out_of_memory)
            all.push_back(fmt::format(
                R"({{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{{"Reason":"ExceptionFailure","Class Name":"java.lang.OutOfMemoryError"}},"Task Info":{{"Task ID":{},"Index":0,"Launch Time":{},"Finish Time":{},"Executor ID":"0","Speculative":false}}}})",
                tasks, start + 3000, start + 3001));
        for (int i = 0; i < tasks; ++i) {
            const auto launched = start + 3000 + task_ms * (i / executors);
            last = launched + task_ms;
            const auto info =
                fmt::format(R"("Task ID":{},"Index":{},"Launch Time":{},"Executor ID":"{}","Speculative":false)", i, i,
                            launched, i % executors);
            all.push_back(fmt::format(
                R"({{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{{{},"Finish Time":0}}}})",
                info));
            all.push_back(fmt::format(
                R"({{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{{{}}},"Task Info":{{{},"Finish Time":{}}},"Task Executor Metrics":{{"JVMHeapMemory":{}}},"Task Metrics":{{"Executor Run Time":900,"Executor CPU Time":800000000,"Disk Bytes Spilled":{},"Input Metrics":{{"Bytes Read":1048576}}}}}})",
                R"("Reason":"Success")", info, last, heap_bytes, spilled_bytes));
        }
        all.push_back(fmt::format(
            R"({{"Event":"SparkListenerStageCompleted","Stage Info":{{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":{},"Submission Time":{},"Completion Time":{}}}}})",
            tasks, start + 3000, last));
        all.push_back(fmt::format(
            R"({{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":{},"Job Result":{{"Result":"JobSucceeded"}}}})",
            last));
        if (ends) all.push_back(fmt::format(R"({{"Event":"SparkListenerApplicationEnd","Timestamp":{}}})", last + 1000));
        return all;
    }

    [[nodiscard]] std::string text() const { return joined(lines()); }

    [[nodiscard]] static std::string joined(const std::vector<std::string>& lines) {
        std::string made;
        for (const auto& each : lines) made += each + "\n";
        return made;
    }
};

/// Reads bytes as one part of a log.
[[nodiscard]] inline std::unique_ptr<tools::event_log::log_reader> read_log(std::string_view bytes,
                                                                            std::size_t block = 1U << 16U) {
    auto reader = std::make_unique<tools::event_log::log_reader>();
    reader->begin_part();
    for (std::size_t at = 0; at < bytes.size(); at += block) {
        const auto part = bytes.substr(at, block);
        if (!reader->push({part.data(), part.size()})) break;
    }
    reader->finish();
    return reader;
}

}  // namespace support

#endif
