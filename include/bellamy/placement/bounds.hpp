// A cost rate that no plan can be below, whatever the links.
#ifndef BELLAMY_PLACEMENT_BOUNDS_HPP
#define BELLAMY_PLACEMENT_BOUNDS_HPP

#include <bellamy/detail/placement/bounds.hpp>

namespace bellamy::inline BELLAMY_ABI::placement {

/// Least cost rate of that many tasks on the cheapest free slots, as if every task could talk to every other for nothing.
/// Infinite where the free slots do not suffice. Allocates one number per free slot; O(free slots).
[[nodiscard]] inline double pooled_bound(const network& net, std::uint64_t tasks) {
    std::vector<double> slopes;
    slopes.reserve(static_cast<std::size_t>(net.free_slots()));
    for (std::size_t i = 0; i < net.size(); ++i) detail::append_hull_slopes(net, i, slopes);
    if (tasks > slopes.size()) return detail::infinite;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(tasks);
    std::nth_element(slopes.begin(), middle, slopes.end());
    double sum = net.base_cost_rate();
    for (auto each = slopes.begin(); each != middle; ++each) sum += *each;
    return sum;
}

}  // namespace bellamy::inline BELLAMY_ABI::placement

#endif
