// When two costs are the same: differences of at most 1e-9 (1 + |cost|) are rounding, and never decide.
#ifndef BELLAMY_DETAIL_PLACEMENT_TOLERANCE_HPP
#define BELLAMY_DETAIL_PLACEMENT_TOLERANCE_HPP

#include <bellamy/version.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr std::size_t none = static_cast<std::size_t>(-1);

inline constexpr double relative_tolerance = 1e-9;

[[nodiscard]] inline double tolerance(double cost) noexcept { return relative_tolerance * (1 + std::abs(cost)); }

/// Whether a cost is below another by more than rounding; anything finite is better than an infinite one.
[[nodiscard]] inline bool better(double cost, double than) noexcept {
    return std::isinf(than) ? cost < than : cost < than - tolerance(than);
}

/// The lowest index whose value is the least, but for rounding; none where all are infinite.
[[nodiscard]] inline std::size_t first_least(std::span<const double> values) noexcept {
    double least = infinite;
    for (const double each : values) least = each < least ? each : least;
    if (std::isinf(least)) return none;
    const double most = least + tolerance(least);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] <= most) return i;
    return none;
}

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
