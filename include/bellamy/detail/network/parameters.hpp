// A network's parameters as one flat array: offsets of its parts, and random initial values.
#ifndef BELLAMY_DETAIL_NETWORK_PARAMETERS_HPP
#define BELLAMY_DETAIL_NETWORK_PARAMETERS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Offsets of the parts in the flat array of parameters (the order of network::for_each_block).
template <dimensions D>
struct parameter_layout {
    static constexpr size_t scale_out = 0;
    static constexpr size_t encoder =
        (scale_out_features_count + 1) * D.scale_out_hidden + (D.scale_out_hidden + 1) * D.scale_out_code;
    static constexpr size_t decoder = encoder + (D.encoding + D.code) * D.encoder_hidden;
    static constexpr size_t head = decoder + (D.encoding + D.code) * D.encoder_hidden;

    /// Inputs of the head: the scale-out code, the essential codes, the mean of the optional codes.
    static constexpr size_t head_inputs(size_t essential_count) noexcept {
        return D.scale_out_code + (essential_count + 1) * D.code;
    }
};

/// Random initial parameters (the paper's prototype): weights normal with standard deviation 0.75 / sqrt(fan-in), biases
/// zero.
template <class Scalar, dimensions D>
network<Scalar, D> random_network(size_t essential_count, random_generator& random) {
    network<Scalar, D> initial(essential_count);
    initial.for_each_block(initial, [&](auto block, size_t fan_in) {
        for (Scalar& parameter : block)
            parameter = fan_in == 0 ? Scalar(0)
                                    : static_cast<Scalar>(random.normal() * 0.75 / std::sqrt(static_cast<double>(fan_in)));
    });
    return initial;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
