// What decisions share: the expected cost of a run, and from when on a probability is hopeless.
#ifndef BELLAMY_DETAIL_DECISION_EXPECTED_COST_HPP
#define BELLAMY_DETAIL_DECISION_EXPECTED_COST_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/prediction.hpp>
#include <bellamy/price.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Mean of the cost over the predicted distribution: over the middles of 16 equally likely slices.
[[nodiscard]] inline double expected_cost(const price& costs, int scale_out, const prediction& predicted) noexcept {
    if (predicted.is_point) return cost_of(costs, scale_out, predicted.median_s);
    constexpr int slices = 16;
    double sum = 0;
    for (int i = 0; i < slices; ++i) sum += cost_of(costs, scale_out, predicted.quantile_s((i + 0.5) / slices));
    return sum / slices;
}

[[nodiscard]] inline result<void> validate_cost_of_missing(double cost) noexcept {
    if (cost >= 0 && cost <= (std::numeric_limits<double>::max)()) return {};
    return fail(errc::invalid_price, "expected a finite cost of missing the deadline >= 0, found ", cost);
}

/// Probabilities below this are hopeless and not compared: so far out in its tail, a curve that is unsure, or extrapolates,
/// would beat a fast one by its width alone.
inline constexpr double least_probability = 0.01;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
