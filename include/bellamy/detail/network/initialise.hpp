// Random initial parameters (paper's prototype): weights normal with standard deviation 0.75 / sqrt(fan-in), biases zero.
#ifndef BELLAMY_DETAIL_NETWORK_INITIALISE_HPP
#define BELLAMY_DETAIL_NETWORK_INITIALISE_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

template <class Scalar, dimensions D>
[[nodiscard]] network<Scalar, D> random_network(std::size_t essential_count, random_generator& random) {
    network<Scalar, D> fresh(essential_count);
    fresh.for_each_block(fresh, [&](auto block, std::size_t fan_in) {
        for (Scalar& each : block)
            each = fan_in == 0 ? Scalar(0)
                               : static_cast<Scalar>(random.normal() * 0.75 / std::sqrt(static_cast<double>(fan_in)));
    });
    return fresh;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
