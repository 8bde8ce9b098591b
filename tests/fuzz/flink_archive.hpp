// Any bytes as an archive of Flink: the archive itself, or the job that stands in it as a text.
#ifndef BELLAMY_TESTS_FUZZ_FLINK_ARCHIVE_HPP
#define BELLAMY_TESTS_FUZZ_FLINK_ARCHIVE_HPP

#include <nlohmann/json.hpp>

#include "../../examples/support/event_log/run_row.hpp"
#include "../../examples/support/flink/job_archive.hpp"
#include "../../examples/support/flink/job_run.hpp"
#include "../../examples/support/tool_error.hpp"
#include "../../examples/support/trace_file.hpp"
#include "input.hpp"

namespace fuzz {

// A text within a text: changed as it stands in the archive, it is seldom JSON any more.
[[nodiscard]] inline std::string archive_with(const std::string& job) {
    const nlohmann::json parts{{{"path", "/jobs/1"}, {"json", job}}, {{"path", "/jobs/1/exceptions"}, {"json", job}}};
    return nlohmann::json{{"archive", parts}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

inline void try_flink_archive(bytes all) {
    using namespace tools;
    if (all.empty()) return;
    const std::string content(reinterpret_cast<const char*>(all.data()) + 1, all.size() - 1);
    const auto text = all[0] % 2 == 0 ? content : archive_with(content);
    flink::archived_job job;
    try {
        job = flink::read_archive(text);
    } catch (const tool_error& refused) {
        require(std::string_view(refused.what()).find("expected ") != std::string_view::npos,
                "a refusal says what was expected");
        return;
    }
    require(job.running_at >= job.started_at && job.started_at > 0, "a job is scheduled when or after it starts");
    require(flink::slots_of(job) >= 0 && flink::parallelism_of(job) >= 0, "slots are counted");
    (void)flink::notes_on(job);
    const auto trace = flink::to_trace(job, {});
    const auto row = event_log::to_row(trace, event_log::facts_beside(flink::facts_of_row(job)));
    if (validate(trace)) require(!to_line(trace).empty(), "a valid trace is a line");
    if (!row.reason.empty()) return;
    require(row.row.runtime_s > 0 && row.row.cores >= 1, "a row has a runtime and a scale-out");
    require(event_log::to_line(row.row).find('\n') == std::string::npos, "a row is one line");
}

}  // namespace fuzz

#endif
