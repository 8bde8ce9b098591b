// Layers with forward and backward next to each other; parameters and gradients stand in flat arrays, samples in columns.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_LAYERS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_LAYERS_HPP

#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/activation.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace bellamy::inline BELLAMY_ABI::detail {

/// A few samples (fine-tuning): products are evaluated as they stand. Many (pre-training): Eigen's blocked product.
enum class batch_size { few, many };

/// The same numbers with sizes known at run time only, so that all layers share a few instances of Eigen's blocked product:
/// they are most of what a unit that trains costs to compile.
template <class Matrix>
[[nodiscard]] auto with_dynamic_size(Matrix& values) noexcept {
    using scalar = typename Matrix::Scalar;
    using plain = Eigen::Matrix<scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using target = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(values.data())>>, const plain, plain>;
    // A row stands in memory like a matrix of one row whose columns are next to each other.
    const Eigen::Index stride = Matrix::RowsAtCompileTime == 1 ? 1 : values.outerStride();
    return Eigen::Map<target, 0, Eigen::OuterStride<>>(values.data(), values.rows(), values.cols(),
                                                       Eigen::OuterStride<>(stride));
}

/// Whether this is the transpose of something that stands in columns.
template <class Matrix>
inline constexpr bool is_transposed = Matrix::IsRowMajor&& Matrix::RowsAtCompileTime != 1;

/// result = left * right, without a temporary; the operands may be transposed.
template <batch_size Size, class Result, class Left, class Right>
void multiply(Result&& result, const Left& left, const Right& right) {
    if constexpr (Size == batch_size::few) {
        result.noalias() = left.lazyProduct(right);
    } else if constexpr (is_transposed<Left>) {
        const auto upright = left.transpose();
        with_dynamic_size(result).noalias() = with_dynamic_size(upright).transpose() * with_dynamic_size(right);
    } else if constexpr (is_transposed<Right>) {
        const auto upright = right.transpose();
        with_dynamic_size(result).noalias() = with_dynamic_size(left) * with_dynamic_size(upright).transpose();
    } else {
        with_dynamic_size(result).noalias() = with_dynamic_size(left) * with_dynamic_size(right);
    }
}

/// y = W x + b over columns. Parameters: W input by input (Out numbers each), then b.
template <class Scalar, int In, int Out, bool HasBias, batch_size Size>
class linear_layer {
public:
    /// `inputs` is needed where In is Eigen::Dynamic.
    explicit linear_layer(Eigen::Index inputs = In) noexcept : inputs_(inputs) {}

    [[nodiscard]] std::size_t parameter_count() const noexcept {
        return static_cast<std::size_t>((inputs_ + (HasBias ? 1 : 0)) * Out);
    }

    template <class Input, class Output>
    void forward(const Scalar* parameters, const Input& x, Output&& y) const {
        multiply<Size>(y, weights(parameters), x);
        if constexpr (HasBias) y.colwise() += bias(parameters);
    }

    /// From the gradient of y: that of the parameters.
    template <class Input, class Gradient>
    void backward_parameters(Scalar* parameter_gradient, const Input& x, const Gradient& dy) const {
        multiply<Size>(weights(parameter_gradient), dy, x.transpose());
        if constexpr (HasBias) bias(parameter_gradient) = dy.rowwise().sum();
    }

    /// From the gradient of y: that of x.
    template <class Gradient, class InputGradient>
    void backward_input(const Scalar* parameters, const Gradient& dy, InputGradient&& dx) const {
        multiply<Size>(dx, weights(parameters).transpose(), dy);
    }

    using matrix = Eigen::Matrix<Scalar, Out, In>;
    using vector = Eigen::Matrix<Scalar, Out, 1>;
    [[nodiscard]] auto weights(Scalar* at) const noexcept { return Eigen::Map<matrix>(at, Out, inputs_); }
    [[nodiscard]] auto weights(const Scalar* at) const noexcept { return Eigen::Map<const matrix>(at, Out, inputs_); }
    [[nodiscard]] auto bias(Scalar* at) const noexcept { return Eigen::Map<vector>(at + inputs_ * Out); }
    [[nodiscard]] auto bias(const Scalar* at) const noexcept { return Eigen::Map<const vector>(at + inputs_ * Out); }

private:
    Eigen::Index inputs_;
};

/// All values of a span as one type, whatever the layer, because every type more costs compile time.
template <class Scalar>
[[nodiscard]] Eigen::Map<flat_array<Scalar>> flat(std::span<Scalar> values) noexcept {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// SELU in place. Written with max and min because Eigen does not vectorise a select.
template <class Scalar>
void selu_forward(std::span<Scalar> values) noexcept {
    auto z = flat(values);
    z = Scalar(selu_scale) * (z.max)(Scalar(0)) + Scalar(selu_saturation) * ((z.min)(Scalar(0)).exp() - Scalar(1));
}

/// gradient *= SELU'(z), given y = SELU(z): its slope is a function of its value.
template <class Scalar>
void selu_backward(std::span<const Scalar> y, std::span<Scalar> gradient) noexcept {
    constexpr auto scale = Scalar(selu_scale);
    constexpr auto saturation = Scalar(selu_saturation);
    for (std::size_t i = 0; i < y.size(); ++i) gradient[i] *= y[i] > 0 ? scale : y[i] + saturation;
}

/// The leading columns of a matrix as one span.
template <class Matrix>
[[nodiscard]] auto leading(Matrix& matrix, Eigen::Index count) noexcept {
    return std::span(matrix.data(), static_cast<std::size_t>(matrix.rows() * count));
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

/// Alpha dropout (Klambauer et al. 2017): a dropped value becomes SELU's saturation, then an affine map keeps mean and
/// variance.
template <class Scalar>
class alpha_dropout {
public:
    explicit alpha_dropout(double probability) noexcept : probability_(probability) {
        const double c = selu_saturation;
        slope_ = static_cast<Scalar>(1 / std::sqrt((1 - probability) * (1 + probability * c * c)));
        offset_ = static_cast<Scalar>(static_cast<double>(slope_) * probability * c);
    }

    [[nodiscard]] bool active() const noexcept { return probability_ > 0; }

    /// Draws ones (keep) and zeros (drop); the probability is rounded to 16 bits, four draws from one random number.
    void draw(random_generator& random, std::span<Scalar> mask) const noexcept {
        const auto threshold = static_cast<std::uint64_t>(std::lround(probability_ * 65536));
        for (std::size_t i = 0; i < mask.size(); i += 4) {
            std::uint64_t bits = random.bits();
            for (Scalar& each : mask.subspan(i, (std::min)(std::size_t{4}, mask.size() - i))) {
                each = (bits & 0xffffU) >= threshold ? Scalar(1) : Scalar(0);
                bits >>= 16U;
            }
        }
    }

    void forward(std::span<const Scalar> mask, std::span<Scalar> values) const noexcept {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = slope_ * (mask[i] * values[i] - (1 - mask[i]) * Scalar(selu_saturation)) + offset_;
    }

    void backward(std::span<const Scalar> mask, std::span<Scalar> gradient) const noexcept {
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] *= mask[i] * slope_;
    }

private:
    double probability_;
    Scalar slope_;
    Scalar offset_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
