// Contradictory runs: far apart within one configuration.
#ifndef BELLAMY_DETAIL_CONTEXT_CONTRADICTION_HPP
#define BELLAMY_DETAIL_CONTEXT_CONTRADICTION_HPP

#include <bellamy/run.hpp>

#include <algorithm>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Two runs of one configuration contradict each other where one took more than this many times as long as the other.
inline constexpr double most_usual_ratio = 2;

/// How many configurations (context, scale-out) of a history have runs that contradict each other; censored ones do not
/// count. `context_of(index)` numbers the runs' contexts.
template <class Number>
[[nodiscard]] std::uint32_t count_contradictions_of(std::span<const run> history, const Number& context_of) {
    struct ended_run {
        std::uint32_t context;
        int scale_out;
        double runtime_s;
    };
    std::vector<ended_run> ended;
    for (std::size_t i = 0; i < history.size(); ++i)
        if (!history[i].censored)
            ended.push_back(
                {.context = context_of(i), .scale_out = history[i].scale_out, .runtime_s = history[i].runtime_s});
    std::sort(ended.begin(), ended.end(), [](const ended_run& a, const ended_run& b) {
        if (a.context != b.context) return a.context < b.context;
        return a.scale_out != b.scale_out ? a.scale_out < b.scale_out : a.runtime_s < b.runtime_s;
    });
    std::uint32_t count = 0;
    for (std::size_t first = 0, last = 0; first < ended.size(); first = last) {
        while (last < ended.size() && ended[last].context == ended[first].context &&
               ended[last].scale_out == ended[first].scale_out)
            ++last;
        if (ended[last - 1].runtime_s > most_usual_ratio * ended[first].runtime_s) ++count;
    }
    return count;
}
[[nodiscard]] inline std::uint32_t count_contradictions(std::span<const run> history,
                                                        std::span<const std::uint32_t> contexts) {
    return count_contradictions_of(history, [&](std::size_t i) { return contexts[i]; });
}

/// Whether runs of one context contradict each other at any scale-out.
[[nodiscard]] inline bool contradict_each_other(std::span<const run> of_one_context) {
    return count_contradictions_of(of_one_context, [](std::size_t) { return std::uint32_t{0}; }) > 0;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
