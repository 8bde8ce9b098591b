// Where the parts of a network stand in the flat array of its parameters (the order of network::for_each_block).
#ifndef BELLAMY_DETAIL_NETWORK_PARAMETER_LAYOUT_HPP
#define BELLAMY_DETAIL_NETWORK_PARAMETER_LAYOUT_HPP

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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
