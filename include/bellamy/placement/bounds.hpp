// A cost rate that no plan can be below, whatever the links.
#ifndef BELLAMY_PLACEMENT_BOUNDS_HPP
#define BELLAMY_PLACEMENT_BOUNDS_HPP

#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// Least cost rate of that many tasks on the cheapest free slots, as if every task could talk to every other for nothing.
/// Infinite where the free slots do not suffice. Allocates one number per free slot; O(free slots).
[[nodiscard]] double pooled_bound(const network& net, std::uint64_t tasks);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/bounds_impl.hpp>  // IWYU pragma: export
#endif

#endif
