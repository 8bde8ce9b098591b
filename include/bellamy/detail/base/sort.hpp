// Sorts, searches and collects values of a container, as std::ranges would, which libc++ 14 does not have.
#ifndef BELLAMY_DETAIL_BASE_SORT_HPP
#define BELLAMY_DETAIL_BASE_SORT_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

// Loops of their own: libstdc++ unrolls each of its searches four times.
constexpr bool all_of(const auto& values, const auto& holds) {
    for (const auto& value : values)
        if (!holds(value)) return false;
    return true;
}
constexpr auto find_if(auto& values, const auto& holds) {
    auto place = values.begin();
    while (place != values.end() && !holds(*place)) ++place;
    return place;
}
constexpr bool any_of(const auto& values, const auto& holds) { return find_if(values, holds) != values.end(); }
constexpr bool contains(const auto& values, const auto& value) {
    return any_of(values, [&](const auto& other) { return other == value; });
}

constexpr size_t count_if(const auto& values, const auto& holds) {
    return static_cast<size_t>(std::count_if(values.begin(), values.end(), holds));
}

/// To compute with.
constexpr double count_of(const auto& values) noexcept { return static_cast<double>(values.size()); }
constexpr double sum_of(const auto& values) noexcept {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
}

void sort(auto& values) { std::sort(values.begin(), values.end()); }
void sort(auto& values, const auto& less) { std::sort(values.begin(), values.end(), less); }

void append(auto& values, const auto& more) { values.insert(values.end(), more.begin(), more.end()); }

/// The values of one of several lists that are kept one after the other; `offsets` holds where each begins, and the end.
auto slice_of(const auto& values, const auto& offsets, size_t list) noexcept {
    return std::span(values).subspan(offsets[list], offsets[list + 1] - offsets[list]);
}

/// The numbers from 0 to count - 1.
inline std::vector<size_t> first_indices(size_t count) {
    std::vector<size_t> indices(count);
    for (size_t i = 0; i < count; ++i) indices[i] = i;
    return indices;
}

/// The place of a value among others, to which it is added where it is none of them.
template <class Value>
size_t place_among(std::vector<Value>& values, const Value& value) {
    size_t place = 0;
    while (place < values.size() && values[place] != value) ++place;
    if (place == values.size()) values.push_back(value);
    return place;
}

/// One member of each.
template <class Element, class Value>
std::vector<Value> values_of(const auto& elements, Value Element::*member) {
    std::vector<Value> values;
    values.reserve(elements.size());
    for (const Element& element : elements) values.push_back(element.*member);
    return values;
}

/// In place of std::stable_sort, for which newer clang warns of a deprecated function inside libstdc++ 12.
template <class Value>
void sort_stably(std::vector<Value>& values, const auto& less) {
    auto order = first_indices(values.size());
    sort(order, [&](size_t a, size_t b) {
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
    sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Sorts undirected edges, the lower end of each first. Returns the first that is there twice, or the end.
auto sort_edges(auto& edges) {
    for (auto& edge : edges)
        if (edge.a > edge.b) std::swap(edge.a, edge.b);
    sort(edges, [](const auto& x, const auto& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return std::adjacent_find(edges.begin(), edges.end(),
                              [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; });
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
