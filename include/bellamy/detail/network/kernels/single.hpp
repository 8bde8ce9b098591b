// Seconds at one scale-out, as soon as possible: lanes are the outputs of a layer, and every sum is split in four.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SINGLE_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SINGLE_HPP

#include <bellamy/detail/network/kernels/curve.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

/// start + sum over i of values[i] * (row i of the weights), in four chains.
template <std::size_t In>
BELLAMY_INLINE lanes<8> multiply_soon(const float* values, const float* weights, lanes<8> start) noexcept {
    const auto row = [&](std::size_t i) { return lanes<8>::load(weights + i * 8); };
    lanes<8> chains[4] = {start, lanes<8>::broadcast(values[1]) * row(1), lanes<8>::broadcast(values[2]) * row(2),
                          lanes<8>::broadcast(values[3]) * row(3)};
    chains[0] = multiply_add(lanes<8>::broadcast(values[0]), row(0), chains[0]);
    BELLAMY_UNROLL
    for (std::size_t i = 4; i < In; ++i) chains[i % 4] = multiply_add(lanes<8>::broadcast(values[i]), row(i), chains[i % 4]);
    return (chains[0] + chains[1]) + (chains[2] + chains[3]);
}

/// From the head's sums to seconds.
BELLAMY_INLINE float finish_soon(const prepared_runtime& network, lanes<8> head) noexcept {
    const float z = sum(activate_soon(head) * lanes<8>::load(network.output_weights.data())) + network.output_bias;
    // A runtime nearly always comes from the linear side, where there is nothing to wait for.
    const float g = z > 0 ? z : activate_soon(lanes<4>::broadcast(z)).first();
    return g * network.output_scale;
}

/// The head's sums, once the scale-out has been added.
BELLAMY_INLINE lanes<8> add_scale_out_soon(const prepared_runtime& network, lanes<8> head, float scale_out) noexcept {
    static_assert(prepared_runtime::hidden == 16 && prepared_runtime::code == 8 && prepared_runtime::head == 8);
    const auto features = features_of(network, lanes<4>::broadcast(scale_out));
    const auto weights = [&](std::size_t feature) { return lanes<16>::load(network.first_weights.data() + feature * 16); };
    const auto linear =
        multiply_add(lanes<16>::broadcast(features.linear.first()), weights(2), lanes<16>::load(network.first_bias.data()));
    const auto both = multiply_add(lanes<16>::broadcast(features.reciprocal.first()), weights(0), linear);
    alignas(64) float hidden[16];
    activate_soon(multiply_add(lanes<16>::broadcast(features.logarithm.first()), weights(1), both)).store(hidden);
    alignas(64) float codes[8];
    activate_soon(multiply_soon<16>(hidden, network.second_weights.data(), lanes<8>::load(network.second_bias.data())))
        .store(codes);
    return multiply_soon<8>(codes, network.head_weights.data(), head);
}

/// Seconds at one scale-out, for one start of the head.
inline float predict_one(const prepared_runtime& network, const head_sums& start, float scale_out) noexcept {
    return finish_soon(network, add_scale_out_soon(network, lanes<8>::load(start.values.data()), scale_out));
}

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
