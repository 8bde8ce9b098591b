// Losses of the paper: Smooth L1 of the runtime and the derivatives that backpropagation starts from.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_LOSS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_LOSS_HPP

#include <bellamy/version.hpp>

#include <cmath>
#include <concepts>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Smooth L1 with beta 1: quadratic below one second, linear above.
template <std::floating_point Scalar>
[[nodiscard]] Scalar smooth_l1(Scalar residual) noexcept {
    const Scalar size = std::abs(residual);
    return size < 1 ? Scalar(0.5) * residual * residual : size - Scalar(0.5);
}

template <std::floating_point Scalar>
[[nodiscard]] Scalar smooth_l1_derivative(Scalar residual) noexcept {
    return residual > 1 ? Scalar(1) : residual < -1 ? Scalar(-1) : residual;
}

/// Prediction minus target; a censored target is a lower bound, so a prediction above it is no error.
template <std::floating_point Scalar>
[[nodiscard]] Scalar residual_of(Scalar predicted, Scalar target, bool censored) noexcept {
    return censored && predicted > target ? Scalar(0) : predicted - target;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
