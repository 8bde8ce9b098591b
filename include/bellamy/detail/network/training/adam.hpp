// The Adam optimiser (Kingma, Ba 2015) with weight decay as part of the gradient (L2 regularisation; not AdamW).
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_ADAM_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_ADAM_HPP

#include <bellamy/detail/base/eigen.hpp>

#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Optimises one contiguous block of parameters; holds its moments and its step count.
template <class Scalar>
class adam {
public:
    adam(size_t size, Scalar weight_decay)
        : first_(flat_array<Scalar>::Zero(static_cast<Eigen::Index>(size))), second_(first_), weight_decay_(weight_decay) {}

    /// One step; weight decay is added to the gradient in place. Does not allocate.
    void step(std::span<Scalar> parameters, std::span<Scalar> gradient, Scalar learning_rate) noexcept {
        constexpr Scalar beta1 = Scalar(0.9);
        constexpr Scalar beta2 = Scalar(0.999);
        constexpr Scalar epsilon = Scalar(1e-8);
        const auto size = static_cast<Eigen::Index>(parameters.size());
        Eigen::Map<flat_array<Scalar>> p(parameters.data(), size);
        Eigen::Map<flat_array<Scalar>> g(gradient.data(), size);
        ++steps_;
        // Bias corrections of both moments, in double: 1 - 0.999^steps cancels in float.
        const auto correction1 = static_cast<Scalar>(1 / (1 - std::pow(0.9, steps_)));
        const auto correction2 = static_cast<Scalar>(1 / std::sqrt(1 - std::pow(0.999, steps_)));
        g += weight_decay_ * p;
        first_ = beta1 * first_ + (1 - beta1) * g;
        second_ = beta2 * second_ + (1 - beta2) * g.square();
        p -= (learning_rate * correction1) * first_ / (second_.sqrt() * correction2 + epsilon);
    }

private:
    flat_array<Scalar> first_;
    flat_array<Scalar> second_;
    Scalar weight_decay_;
    double steps_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
