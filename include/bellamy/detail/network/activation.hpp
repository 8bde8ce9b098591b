// SELU (Klambauer et al. 2017), the activation of every hidden layer and of the prediction itself.
#ifndef BELLAMY_DETAIL_NETWORK_ACTIVATION_HPP
#define BELLAMY_DETAIL_NETWORK_ACTIVATION_HPP

#include <bellamy/version.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr double selu_scale = 1.0507009873554805;
inline constexpr double selu_alpha = 1.6732632423543772;
/// What SELU tends to, negated, for ever smaller inputs: also the value alpha dropout puts in.
inline constexpr double selu_saturation = selu_scale * selu_alpha;

template <std::floating_point Scalar>
[[nodiscard]] Scalar selu(Scalar x) noexcept {
    return x > 0 ? Scalar(selu_scale) * x : Scalar(selu_saturation) * (std::exp(x) - 1);
}

template <std::floating_point Scalar, std::size_t Size>
void apply_selu(std::span<Scalar, Size> values) noexcept {
    for (Scalar& value : values) value = selu(value);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
