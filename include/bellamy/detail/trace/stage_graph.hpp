// A graph of stages: what each waits for, an order to walk it in, and the longest path through it.
#ifndef BELLAMY_DETAIL_TRACE_STAGE_GRAPH_HPP
#define BELLAMY_DETAIL_TRACE_STAGE_GRAPH_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// For every stage the positions of those it waits for, ascending and each once.
using stage_graph = std::vector<std::vector<std::size_t>>;

/// An order in which parents come first, the lower position first where there is a choice of one level; shorter than the
/// graph where it has a cycle.
[[nodiscard]] inline std::vector<std::size_t> topological_order(const stage_graph& parents) {
    std::vector<std::size_t> waiting(parents.size());
    std::vector<std::vector<std::size_t>> children(parents.size());
    std::vector<std::size_t> order;
    order.reserve(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
        waiting[i] = parents[i].size();
        for (const auto parent : parents[i]) children[parent].push_back(i);
        if (parents[i].empty()) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size(); ++next)
        for (const auto child : children[order[next]])
            if (--waiting[child] == 0) order.push_back(child);
    return order;
}

/// The longest sum of stage times along the edges; 0 without stages. `order` is topological.
[[nodiscard]] inline double longest_path(const stage_graph& parents, std::span<const std::size_t> order,
                                         std::span<const double> time_s, std::span<double> end_s) noexcept {
    double longest = 0;
    for (const auto i : order) {
        double begin_s = 0;
        for (const auto parent : parents[i]) begin_s = (std::max)(begin_s, end_s[parent]);
        end_s[i] = begin_s + time_s[i];
        longest = (std::max)(longest, end_s[i]);
    }
    return longest;
}

[[nodiscard]] inline double longest_path(const stage_graph& parents, std::span<const double> time_s) {
    std::vector<double> end_s(parents.size());
    return longest_path(parents, topological_order(parents), time_s, end_s);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
