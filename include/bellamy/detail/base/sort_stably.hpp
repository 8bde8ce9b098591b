// Stable sort.
#ifndef BELLAMY_DETAIL_BASE_SORT_STABLY_HPP
#define BELLAMY_DETAIL_BASE_SORT_STABLY_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In place of std::stable_sort, for which newer clang warns of a deprecated function inside libstdc++ 12.
template <class Value>
void sort_stably(std::vector<Value>& values, const auto& less) {
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (less(values[a], values[b])) return true;
        return a < b && !less(values[b], values[a]);
    });
    std::vector<Value> sorted;
    sorted.reserve(values.size());
    for (const std::size_t i : order) sorted.push_back(std::move(values[i]));
    values = std::move(sorted);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
