// A network's parameters as one flat array: offsets of its parts, and random initial values.
#ifndef BELLAMY_DETAIL_NETWORK_PARAMETERS_HPP
#define BELLAMY_DETAIL_NETWORK_PARAMETERS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

template <dimensions D>
struct parameter_layout {
    static constexpr std::size_t scale_out = 0;
    static constexpr std::size_t encoder =
        (scale_out_features_count + 1) * D.scale_out_hidden + (D.scale_out_hidden + 1) * D.scale_out_code;
    static constexpr std::size_t decoder = encoder + (D.encoding + D.code) * D.encoder_hidden;
    static constexpr std::size_t head = decoder + (D.encoding + D.code) * D.encoder_hidden;

    /// Inputs of the head: the scale-out code, the essential codes, the mean of the optional codes.
    [[nodiscard]] static constexpr std::size_t head_inputs(std::size_t essential_count) noexcept {
        return D.scale_out_code + (essential_count + 1) * D.code;
    }
};

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
