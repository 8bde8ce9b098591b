// The trivial baseline: the runtime observed at the nearest scale-out.
#ifndef BELLAMY_BASELINE_NEAREST_HPP
#define BELLAMY_BASELINE_NEAREST_HPP

#include <bellamy/baseline/ernest.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace baseline {

/// Errors: those of `ernest`.
[[nodiscard]] inline result<curve> nearest(std::span<const run> observed) {
    const auto points = detail::observed_scale_outs::of(observed);
    if (!points) return points.error();
    return curve(detail::nearest_curve{*points}, detail::interval_of(*points), static_cast<std::uint32_t>(observed.size()));
}

}}}  // namespace bellamy::BELLAMY_ABI::baseline

#endif
