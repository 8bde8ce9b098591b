// A history's runs by context and scale-out.
#ifndef BELLAMY_DETAIL_CONTEXT_GROUP_RUNS_HPP
#define BELLAMY_DETAIL_CONTEXT_GROUP_RUNS_HPP

#include <bellamy/detail/context/history.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct history_view {
    std::vector<const context*> contexts{};
    /// By context in order of first appearance, then by scale-out.
    std::vector<configuration> configurations{};
};

/// Groups runs; those of weight 0 do not exist. The contexts pointed to are the history's.
[[nodiscard]] inline history_view group_runs(std::span<const run> history) {
    history_view view;
    context_numbering number_of;
    std::vector<std::map<int, configuration>> by_context;
    for (const auto& each : history) {
        if (!(each.weight > 0)) continue;
        const std::size_t number = number_of(each.context);
        if (number == view.contexts.size()) {
            view.contexts.push_back(&each.context);
            by_context.emplace_back();
        }
        auto& target = by_context[number][each.scale_out];
        target.context = number;
        target.scale_out = each.scale_out;
        target.log_runtimes.push_back(std::log(each.runtime_s));
        target.weights.push_back(each.weight);
        target.censored.push_back(each.censored);
        target.runs.push_back(static_cast<std::size_t>(&each - history.data()));
    }
    for (auto& one : by_context)
        for (auto& [scale_out, runs] : one) view.configurations.push_back(std::move(runs));
    return view;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
