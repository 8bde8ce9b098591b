// Sizes of executors, and how two of them compare. Cores and memory of 0 are not known.
#ifndef BELLAMY_EXAMPLES_EXECUTOR_SIZES_HPP
#define BELLAMY_EXAMPLES_EXECUTOR_SIZES_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "history.hpp"

namespace tools {

[[nodiscard]] inline bool have_equal_executors(const spark_size& one, const spark_size& other) {
    return one.executor_cores == other.executor_cores && one.executor_memory_mb == other.executor_memory_mb;
}

/// Whether the same is known of both. In local mode the driver does the work, which is no executor.
[[nodiscard]] inline bool are_comparable(const spark_size& one, const spark_size& other) {
    return (one.executor_cores > 0) == (other.executor_cores > 0) &&
           (one.executor_memory_mb > 0) == (other.executor_memory_mb > 0) && one.is_local == other.is_local;
}

/// Whether there are no more cores and no more memory.
[[nodiscard]] inline bool fits_into(const spark_size& one, const spark_size& room) {
    return one.executor_cores <= room.executor_cores && one.executor_memory_mb <= room.executor_memory_mb;
}

/// The larger of the shares of cores and memory; 1 where neither is known.
[[nodiscard]] inline double share_of(const spark_size& one, const spark_size& whole) {
    double share = 0;
    const auto take = [&](std::int64_t part, std::int64_t of) {
        if (part > 0 && of > 0) share = std::max(share, static_cast<double>(part) / static_cast<double>(of));
    };
    take(one.executor_cores, whole.executor_cores);
    take(one.executor_memory_mb, whole.executor_memory_mb);
    return share > 0 ? share : 1;
}

/// Executors of the runs that succeeded and that compare with those of the last of these, each size once; that of the last
/// stands first. It alone where no machine type had several: what executors change is then not told from what types do.
[[nodiscard]] inline std::vector<spark_size> executor_sizes_of(const application_history& of) {
    std::vector<spark_size> made{of.facts[of.last_complete()].size};
    std::map<std::string, spark_size> first_on;  // a machine type
    bool vary_on_a_type = false;
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        const auto& size = of.facts[i].size;
        if (of.runs[i].censored || !are_comparable(size, made.front())) continue;
        const auto& first = first_on.emplace(of.facts[i].machine, size).first->second;
        vary_on_a_type = vary_on_a_type || !have_equal_executors(first, size);
        if (std::none_of(made.begin(), made.end(), [&](const auto& known) { return have_equal_executors(known, size); }))
            made.push_back(size);
    }
    if (!vary_on_a_type) made.resize(1);
    return made;
}

/// "2 cores, 4096 MB".
[[nodiscard]] inline std::string describe_executor(const spark_size& of) {
    std::string made;
    if (of.executor_cores > 0) made = fmt::format("{} core{}", of.executor_cores, of.executor_cores == 1 ? "" : "s");
    if (of.executor_memory_mb > 0) made += fmt::format("{}{} MB", made.empty() ? "" : ", ", of.executor_memory_mb);
    return made;
}

}  // namespace tools

#endif
