// The data size of files that a run is about to read, as its application's history counts sizes.
#ifndef BELLAMY_EXAMPLES_INPUT_SIZE_HPP
#define BELLAMY_EXAMPLES_INPUT_SIZE_HPP

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "history.hpp"
#include "next_size.hpp"
#include "tool_error.hpp"

namespace tools {

/// Bytes that are given or listed tell nothing where past runs are measured by something else. Error: unknown_size.
inline void require_bytes(const application_history& of) {
    if (of.size_unit == "MB") return;
    throw tool_error("unknown_size", fmt::format("expected past runs whose bytes were counted for --data-size and --input, "
                                                 "found {} with data sizes in {}",
                                                 of.name, of.size_unit));
}

/// The history counts what was read, which may be the files several times or in parts: their size times what the latest runs
/// read of theirs. Errors: unknown_size where no run tells, and those of `listed_size`.
[[nodiscard]] inline next_size size_of_files(const application_history& of, const std::vector<std::string>& paths) {
    constexpr std::size_t latest = 20;
    std::vector<double> ratios;
    for (auto i = of.runs.size(); i-- > 0 && ratios.size() < latest;) {
        const auto read = data_size(of.runs[i]);
        if (!of.runs[i].censored && read && of.facts[i].source_mb > 0)
            ratios.push_back(*read / static_cast<double>(of.facts[i].source_mb));
    }
    if (!ratios.empty()) return scaled_size(listed_size(paths), std::move(ratios));
    throw tool_error("unknown_size",
                     fmt::format("expected past runs whose logs tell the size of their files (scans of Spark SQL) for "
                                 "--input, found none of {}: how often it reads them is not known; give --data-size "
                                 "as the history counts it, {:.0f} MB in the last run",
                                 of.name, data_size(of.runs[of.last_complete()]).value_or(0)));
}

}  // namespace tools

#endif
