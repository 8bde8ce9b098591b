// Stable sort, and the distinct values in order.
#ifndef BELLAMY_DETAIL_BASE_SORT_HPP
#define BELLAMY_DETAIL_BASE_SORT_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In place of std::stable_sort, for which newer clang warns of a deprecated function inside libstdc++ 12.
template <class Value>
void sort_stably(std::vector<Value>& values, const auto& less) {
    std::vector<size_t> order(values.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        if (less(values[a], values[b])) return true;
        return a < b && !less(values[b], values[a]);
    });
    std::vector<Value> sorted;
    sorted.reserve(values.size());
    for (const size_t i : order) sorted.push_back(std::move(values[i]));
    values = std::move(sorted);
}

/// Sorts and removes what is there more than once.
void sort_distinct(auto& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
