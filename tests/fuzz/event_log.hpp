// Any bytes as a Spark event log: read in one piece, read in two, its facts and its trace.
#ifndef BELLAMY_TESTS_FUZZ_EVENT_LOG_HPP
#define BELLAMY_TESTS_FUZZ_EVENT_LOG_HPP

#include <algorithm>

#include "../../examples/support/event_log/facts.hpp"
#include "../../examples/support/event_log/run_row.hpp"
#include "../../examples/support/event_log/to_trace.hpp"
#include "../../examples/support/tool_error.hpp"
#include "../../examples/support/trace_file.hpp"
#include "input.hpp"

namespace fuzz {

inline void push_all(tools::event_log::log_reader& to, std::span<const char> rest, std::size_t block) {
    to.begin_part();
    for (bool useful = true; useful && !rest.empty();) {
        const auto part = rest.first((std::min)(block, rest.size()));
        rest = rest.subspan(part.size());
        useful = to.push(part);
    }
    to.finish();
}

/// A run that was read and says when it starts.
inline void check_run(const tools::event_log::log_reader& read) {
    using namespace tools::event_log;
    const auto trace = to_trace(read.log(), {});
    const bool ended = trace.outcome != bellamy::trace_outcome::unfinished;
    const bool is_instant = ended && trace.runtime_s <= 0;
    const bool ended_too_soon = ended && std::any_of(trace.jobs.begin(), trace.jobs.end(), [&](const auto& each) {
                                    return each.submitted_s && *each.submitted_s > trace.runtime_s;
                                });
    const auto valid = validate(trace);
    require(valid.has_value() || is_instant || ended_too_soon,
            "every trace is valid but that of no duration, or of a job that began after its end");
    require(!valid.has_value() || !ended_too_soon, "a job that began after the end is refused");
    if (valid) require(!tools::to_line(trace).empty(), "a valid trace is a line");
    const auto row = to_row(read, trace);
    if (!row.reason.empty()) return;
    require(row.row.runtime_s > 0 && row.row.executors >= 1 && row.row.cores >= 0, "a row has a runtime and a scale-out");
    require(to_line(row.row).find('\n') == std::string::npos, "a row is one line");
}

inline void try_event_log(bytes all) {
    using namespace tools::event_log;
    if (all.empty()) return;
    const auto block = std::size_t{1} + all[0];
    const std::span<const char> content(reinterpret_cast<const char*>(all.data()) + 1, all.size() - 1);
    log_reader whole;
    push_all(whole, content, (std::max)(content.size(), std::size_t{1}));
    log_reader parts;
    push_all(parts, content, block);

    auto facts = facts_of(whole);
    auto facts_of_parts = facts_of(parts);
    if (!whole.unreadable() && !whole.counts().damaged)  // else how much was read depends on the blocks
        require(facts.dump() == facts_of_parts.dump(), "blocks of any size give the same facts");
    require(!whole.log().application().at || whole.counts().events > 0, "what starts an application is an event");
    if (whole.log().application().at) check_run(whole);
}

}  // namespace fuzz

#endif
