// Losses, and layers with their forward and backward passes; parameters stand in flat arrays, samples in columns.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_LAYERS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_LAYERS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/training/columns.hpp>
#include <bellamy/network.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Smooth L1 with beta 1: quadratic below one second, linear above.
template <std::floating_point Scalar>
Scalar smooth_l1(Scalar residual) noexcept {
    const Scalar size = std::abs(residual);
    return size < 1 ? Scalar(0.5) * residual * residual : size - Scalar(0.5);
}

template <std::floating_point Scalar>
Scalar smooth_l1_derivative(Scalar residual) noexcept {
    return residual > 1 ? Scalar(1) : residual < -1 ? Scalar(-1) : residual;
}

/// Residual: prediction minus target. A right-censored target is a lower bound: a prediction above it has the residual 0.
template <std::floating_point Scalar>
Scalar residual_of(Scalar predicted, Scalar target, bool censored) noexcept {
    return censored && predicted > target ? Scalar(0) : predicted - target;
}

/// A linear layer, y = W x + b, over columns. Parameters: W input by input (Out numbers each), then b.
template <class Scalar, size_t In, size_t Out, bool HasBias>
class linear_layer {
public:
    /// `inputs` is needed where In is std::dynamic_extent.
    constexpr explicit linear_layer(size_t inputs = In) noexcept : inputs_(inputs) {}

    constexpr size_t parameter_count() const noexcept { return (inputs() + (HasBias ? 1 : 0)) * Out; }

    void forward(const Scalar* parameters, std::span<const Scalar> x, std::span<Scalar> y) const noexcept {
        const size_t count = y.size() / Out;
        for (size_t i = 0; i < count; ++i) {
            if constexpr (HasBias)
                std::copy_n(parameters + inputs() * Out, Out, y.data() + i * Out);
            else
                std::fill_n(y.data() + i * Out, Out, Scalar(0));
        }
        add_all_combined<Out>(y.data(), parameters, x.data(), inputs(), 1, inputs(), count);
    }

    /// Gradient by the parameters, given the gradient by y.
    void backward_parameters(Scalar* gradient, std::span<const Scalar> x, std::span<const Scalar> dy) const noexcept {
        constexpr Scalar unit = 1;
        const size_t count = dy.size() / Out;
        std::fill_n(gradient, parameter_count(), Scalar(0));
        add_all_combined<Out>(gradient, dy.data(), x.data(), 1, inputs(), count, inputs());
        if constexpr (HasBias) add_combined<Out, 1>(gradient + inputs() * Out, dy.data(), &unit, 0, 0, count);
    }

    /// Gradient by x, or by as many of the first inputs as a column of dx has, given the gradient by y.
    void backward_input(const Scalar* parameters, std::span<const Scalar> dy, std::span<Scalar> dx) const noexcept {
        fill_zeros(dx);
        add_backward_input(parameters, dy, dx);
    }
    /// The same, added to dx.
    void add_backward_input(const Scalar* parameters, std::span<const Scalar> dy, std::span<Scalar> dx) const noexcept {
        const size_t count = dy.size() / Out;
        const size_t input_count = count == 0 ? 0 : dx.size() / count;
        Scalar* next = dx.data();
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < input_count; ++k) *next++ += dot_of<Out>(parameters + k * Out, dy.data() + i * Out);
    }

private:
    constexpr size_t inputs() const noexcept { return In == std::dynamic_extent ? inputs_ : In; }

    size_t inputs_;
};

/// A span as an Eigen array of one type for all layers: every further type costs compile time.
template <class Scalar>
Eigen::Map<flat_array<Scalar>> flat(std::span<Scalar> values) noexcept {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// SELU in place, by max and min: Eigen does not vectorise a select.
template <class Scalar>
void selu_forward(std::span<Scalar> values) noexcept {
    auto z = flat(values);
    z = Scalar(selu_scale) * (z.max)(Scalar(0)) + Scalar(selu_saturation) * ((z.min)(Scalar(0)).exp() - Scalar(1));
}

/// Chain rule through SELU: gradient *= SELU'(z), given y = SELU(z), of which the derivative is a function.
template <class Scalar>
void selu_backward(std::span<const Scalar> y, std::span<Scalar> gradient) noexcept {
    constexpr auto scale = Scalar(selu_scale);
    constexpr auto saturation = Scalar(selu_saturation);
    for (size_t i = 0; i < y.size(); ++i) gradient[i] *= y[i] > 0 ? scale : y[i] + saturation;
}

/// tanh in place. Eigen vectorises it for float only; for double, the exponential form is as exact as needed (2e-16).
template <class Scalar>
void tanh_forward(std::span<Scalar> values) noexcept {
    auto z = flat(values);
    if constexpr (std::is_same_v<Scalar, float>) {
        z = z.tanh();
    } else {
        z = Scalar(1) - Scalar(2) / ((Scalar(2) * ((z.min)(Scalar(20)).max)(Scalar(-20))).exp() + Scalar(1));
    }
}

/// Alpha dropout (Klambauer et al. 2017): replaces dropped values by the limit of SELU at minus infinity, then keeps mean
/// and variance by an affine map.
template <class Scalar>
class alpha_dropout {
public:
    explicit alpha_dropout(double probability) noexcept : probability_(probability) {
        const double c = selu_saturation;
        slope_ = static_cast<Scalar>(1 / std::sqrt((1 - probability) * (1 + probability * c * c)));
        offset_ = static_cast<Scalar>(static_cast<double>(slope_) * probability * c);
    }

    bool active() const noexcept { return probability_ > 0; }

    /// Draws ones (keep) and zeros (drop); the probability is rounded to 16 bits, four draws from one random number.
    void draw(random_generator& random, std::span<Scalar> mask) const noexcept {
        const auto threshold = static_cast<std::uint64_t>(std::lround(probability_ * 65536));
        for (size_t i = 0; i < mask.size(); i += 4) {
            std::uint64_t bits = random.bits();
            for (Scalar& keep : mask.subspan(i, (std::min)(size_t{4}, mask.size() - i))) {
                keep = (bits & 0xffffU) >= threshold ? Scalar(1) : Scalar(0);
                bits >>= 16U;
            }
        }
    }

    void forward(std::span<const Scalar> mask, std::span<Scalar> values) const noexcept {
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = slope_ * (mask[i] * values[i] - (1 - mask[i]) * Scalar(selu_saturation)) + offset_;
    }

    void backward(std::span<const Scalar> mask, std::span<Scalar> gradient) const noexcept {
        for (size_t i = 0; i < gradient.size(); ++i) gradient[i] *= mask[i] * slope_;
    }

private:
    double probability_;
    Scalar slope_;
    Scalar offset_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
