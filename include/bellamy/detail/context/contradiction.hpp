// Contradictory runs: far apart within one configuration.
#ifndef BELLAMY_DETAIL_CONTEXT_CONTRADICTION_HPP
#define BELLAMY_DETAIL_CONTEXT_CONTRADICTION_HPP

#include <bellamy/run.hpp>

#include <map>
#include <span>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Two runs of one configuration contradict each other where one took more than this many times as long as the other.
inline constexpr double most_usual_ratio = 2;

/// Whether runs of one context contradict each other at any scale-out; censored ones do not count.
[[nodiscard]] inline bool contradict_each_other(std::span<const run> of_one_context) {
    std::map<int, std::pair<double, double>> ranges;
    for (const auto& each : of_one_context) {
        if (each.censored) continue;
        auto& range = ranges.try_emplace(each.scale_out, each.runtime_s, each.runtime_s).first->second;
        range = {(std::min)(range.first, each.runtime_s), (std::max)(range.second, each.runtime_s)};
        if (range.second > most_usual_ratio * range.first) return true;
    }
    return false;
}

/// How many configurations (context, scale-out) of a history have runs that contradict each other. `contexts` numbers the
/// runs' contexts.
[[nodiscard]] inline std::uint32_t count_contradictions(std::span<const run> history,
                                                        std::span<const std::uint32_t> contexts) {
    std::map<std::pair<std::uint32_t, int>, std::pair<double, double>> ranges;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const auto& each = history[i];
        if (each.censored) continue;
        auto& range = ranges.try_emplace({contexts[i], each.scale_out}, each.runtime_s, each.runtime_s).first->second;
        range = {(std::min)(range.first, each.runtime_s), (std::max)(range.second, each.runtime_s)};
    }
    std::uint32_t count = 0;
    for (const auto& [configuration, range] : ranges)
        if (range.second > most_usual_ratio * range.first) ++count;
    return count;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
