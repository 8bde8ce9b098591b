// The graph of the stages of a job, its topological order, and its longest path.
#ifndef BELLAMY_DETAIL_TRACE_STAGE_GRAPH_HPP
#define BELLAMY_DETAIL_TRACE_STAGE_GRAPH_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// For each stage the positions of its parents, ascending and each once.
using stage_graph = std::vector<std::vector<size_t>>;

/// Parents first, by Kahn's algorithm: stages without parents by position, then children as their last parent is taken.
/// Shorter than the graph where it has a cycle.
inline std::vector<size_t> topological_order(const stage_graph& parents) {
    std::vector<size_t> missing_parents(parents.size());
    std::vector<std::vector<size_t>> children(parents.size());
    std::vector<size_t> order;
    order.reserve(parents.size());
    for (size_t stage = 0; stage < parents.size(); ++stage) {
        missing_parents[stage] = parents[stage].size();
        for (const auto parent : parents[stage]) children[parent].push_back(stage);
        if (parents[stage].empty()) order.push_back(stage);
    }
    for (size_t next = 0; next < order.size(); ++next)
        for (const auto child : children[order[next]])
            if (--missing_parents[child] == 0) order.push_back(child);
    return order;
}

/// The longest sum of stage times along the edges; 0 without stages. Precondition: no cycle.
inline double longest_path(const stage_graph& parents, std::span<const double> time_s) {
    std::vector<double> end_s(parents.size());
    double longest_s = 0;
    for (const auto stage : topological_order(parents)) {
        double begin_s = 0;
        for (const auto parent : parents[stage]) begin_s = (std::max)(begin_s, end_s[parent]);
        end_s[stage] = begin_s + time_s[stage];
        longest_s = (std::max)(longest_s, end_s[stage]);
    }
    return longest_s;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
