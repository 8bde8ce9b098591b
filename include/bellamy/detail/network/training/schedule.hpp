// When and how fast fine-tuning learns (paper, section III-D; configuration of the public prototype).
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_SCHEDULE_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_SCHEDULE_HPP

#include <bellamy/version.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Learning rate of a 0-based epoch: a linear warm-up of 10 epochs, then a cosine, 20 epochs down and 20 up.
[[nodiscard]] inline double cyclic_learning_rate(int epoch) noexcept {
    constexpr double lowest = 0.001;
    constexpr double highest = 0.01;
    if (epoch < 10) return lowest + (highest - lowest) * epoch / 10;
    return lowest + (highest - lowest) / 2 * (1 + std::cos(std::numbers::pi * (epoch - 10) / 20));
}

/// The 0-based epoch from which the scale-out network trains as well: int(7.5 * 2^runs) for more than one run.
[[nodiscard]] inline int unfreeze_epoch(std::size_t runs) noexcept {
    if (runs < 2 || runs > 24) return (std::numeric_limits<int>::max)();
    return static_cast<int>(7.5 * static_cast<double>(std::size_t{1} << runs));
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
