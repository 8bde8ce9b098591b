// Runs of one context from pairs of scale-out and runtime.
#ifndef BELLAMY_TESTS_BASELINE_OBSERVED_RUNS_HPP
#define BELLAMY_TESTS_BASELINE_OBSERVED_RUNS_HPP

#include "../support/made_up_job.hpp"

#include <utility>
#include <vector>

namespace support {

/// Scale-outs and seconds.
using points = std::vector<std::pair<int, double>>;

[[nodiscard]] inline std::vector<bellamy::run> observed_runs(const points& measured) {
    std::vector<bellamy::run> runs;
    for (const auto& [scale_out, runtime_s] : measured)
        runs.push_back({.context = made_up_context(10), .scale_out = scale_out, .runtime_s = runtime_s});
    return runs;
}

/// Medians of a curve at some scale-outs.
[[nodiscard]] inline std::vector<double> medians(const bellamy::curve& runtimes, const std::vector<int>& scale_outs) {
    std::vector<double> all;
    for (const int x : scale_outs) all.push_back(runtimes.at(x).median_s);
    return all;
}

}  // namespace support

#endif
