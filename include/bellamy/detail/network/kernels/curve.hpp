// Kernels for one context: seconds at many scale-outs, where lanes are scale-outs, and at a single one, where lanes are the
// outputs of a layer.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_CURVE_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_CURVE_HPP

#include <bellamy/detail/network/kernels/simd/activation.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd { inline namespace BELLAMY_ISA {

// Shape of the inner loops, by measurement: vectors that share every loaded weight, sums per vector that stay in registers,
// and activations whose steps are interleaved.
struct loop_shape {
    size_t vectors = 0;
    size_t sums = 0;
    size_t activations = 0;
};
#if defined(BELLAMY_ISA_AVX512)
inline constexpr loop_shape long_loop{.vectors = 2, .sums = 4, .activations = 8};
inline constexpr loop_shape short_loop{.vectors = 1, .sums = 8, .activations = 8};
#elif defined(BELLAMY_ISA_AVX2) && defined(__clang__)
inline constexpr loop_shape long_loop{.vectors = 1, .sums = 8, .activations = 8};
inline constexpr loop_shape short_loop = long_loop;
#elif defined(BELLAMY_ISA_AVX2)
inline constexpr loop_shape long_loop{.vectors = 2, .sums = 4, .activations = 4};
inline constexpr loop_shape short_loop{.vectors = 1, .sums = 8, .activations = 4};
#else
inline constexpr loop_shape long_loop{.vectors = 2, .sums = 4, .activations = 4};
inline constexpr loop_shape short_loop{.vectors = 1, .sums = 8, .activations = 2};
#endif

/// `Count` values for each of the loop's vectors of scale-outs: value by value.
template <size_t Count, loop_shape Shape>
struct block {
    vector values[Count * Shape.vectors];
};

// log(1 + f) = f + f^2 * p(f) for sqrt(1/2) <= 1 + f < sqrt(2), relative error 4e-8 (fitted like power_of_two).
inline constexpr float logarithm[] = {-0.499999911F, 0.333339512F, -0.250017554F, 0.199620709F,
                                      -0.16570513F,  0.149179921F, -0.143074974F, 0.0873475969F};

/// The three features of a vector of scale-outs.
template <class Vector>
struct scale_out_lanes {
    Vector reciprocal;
    Vector logarithm;
    Vector linear;
};

/// The features of scale-outs, in kernel form.
template <class Vector>
BELLAMY_INLINE scale_out_lanes<Vector> features_of(const prepared_runtime& network, Vector x) noexcept {
    const auto constant = [](float value) { return Vector::broadcast(value); };
    const auto [exponent, inverse_power] = split_exponent(x * constant(network.inverse_log_reference));
    // Exact but for the last product: the two numbers that are subtracted lie within a factor of two.
    const auto f =
        opaque(opaque(x * inverse_power) - constant(network.log_reference)) * constant(network.inverse_log_reference);
    const auto square = f * f;
    const auto fourth = square * square;
    const auto c = [&](size_t term) { return constant(logarithm[term]); };
    const auto low = multiply_add(multiply_add(f, c(3), c(2)), square, multiply_add(f, c(1), c(0)));
    const auto high = multiply_add(multiply_add(f, c(7), c(6)), square, multiply_add(f, c(5), c(4)));
    const auto log_1_plus_f = multiply_add(multiply_add(high, fourth, low), square, f);
    constexpr float ln_2 = 0.693147181F;
    const auto numerator = opaque(multiply_add(constant(-network.least_reciprocal), x, constant(1.0F))) -
                           constant(network.least_reciprocal_offset);
    return {.reciprocal = numerator / (x + constant(1e-6F)),
            .logarithm = multiply_add(exponent, constant(ln_2), log_1_plus_f),
            .linear = x - constant(network.least_scale_out)};
}

/// sums += values * weights; weights input by input.
template <size_t In, size_t Out, loop_shape Shape>
BELLAMY_INLINE void accumulate(block<Out, Shape>& sums, const block<In, Shape>& values, const float* weights) noexcept {
    constexpr auto at_once = Shape.vectors;
    constexpr size_t tile = (std::min)(Shape.sums, Out);
    BELLAMY_UNROLL
    for (size_t first = 0; first < Out; first += tile) {
        vector tile_sums[tile * at_once];
        BELLAMY_UNROLL
        for (size_t i = 0; i < tile * at_once; ++i) tile_sums[i] = sums.values[first * at_once + i];
        BELLAMY_UNROLL
        for (size_t i = 0; i < In; ++i) {
            BELLAMY_UNROLL
            for (size_t o = 0; o < tile; ++o) {
                const auto weight = vector::broadcast(weights[i * Out + first + o]);
                BELLAMY_UNROLL
                for (size_t k = 0; k < at_once; ++k)
                    tile_sums[o * at_once + k] =
                        multiply_add(values.values[i * at_once + k], weight, tile_sums[o * at_once + k]);
            }
        }
        BELLAMY_UNROLL
        for (size_t i = 0; i < tile * at_once; ++i) sums.values[first * at_once + i] = tile_sums[i];
    }
}

/// Each value in all lanes.
template <size_t Count, loop_shape Shape>
BELLAMY_INLINE block<Count, Shape> broadcast(const float* values) noexcept {
    constexpr auto at_once = Shape.vectors;
    block<Count, Shape> result;
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count * at_once; ++i) result.values[i] = vector::broadcast(values[i / at_once]);
    return result;
}

/// g of many vectors, as many at a time as the loop interleaves.
template <loop_shape Shape, size_t Count>
BELLAMY_INLINE void activate_in_tiles(vector (&sums)[Count]) noexcept {
    constexpr size_t interleaved = (std::min)(Shape.activations, Count);
    BELLAMY_UNROLL
    for (size_t first = 0; first < Count; first += interleaved) {
        vector tile_sums[interleaved];
        BELLAMY_UNROLL
        for (size_t i = 0; i < interleaved; ++i) tile_sums[i] = sums[first + i];
        activate(tile_sums);
        BELLAMY_UNROLL
        for (size_t i = 0; i < interleaved; ++i) sums[first + i] = tile_sums[i];
    }
}
template <size_t Count, loop_shape Shape>
BELLAMY_INLINE void activate(block<Count, Shape>& sums) noexcept {
    activate_in_tiles<Shape>(sums.values);
}

/// The scale-out network: adds the weighted code of the scale-outs to the head's sums.
template <loop_shape Shape>
BELLAMY_INLINE void add_scale_out(const prepared_runtime& network, const block<scale_out_features_count, Shape>& features,
                                  block<prepared_runtime::head, Shape>& head) noexcept {
    constexpr auto at_once = Shape.vectors;
    auto codes = broadcast<prepared_runtime::code, Shape>(network.second_bias.data());
    constexpr size_t group = 8;
    BELLAMY_UNROLL
    for (size_t first = 0; first < prepared_runtime::hidden; first += group) {
        auto hidden = broadcast<group, Shape>(network.first_bias.data() + first);
        BELLAMY_UNROLL
        for (size_t i = 0; i < scale_out_features_count; ++i) {
            BELLAMY_UNROLL
            for (size_t o = 0; o < group * at_once; ++o)
                hidden.values[o] = multiply_add(
                    features.values[i * at_once + o % at_once],
                    vector::broadcast(network.first_weights[i * prepared_runtime::hidden + first + o / at_once]),
                    hidden.values[o]);
        }
        activate(hidden);
        accumulate(codes, hidden, network.second_weights.data() + first * prepared_runtime::code);
    }
    activate(codes);
    accumulate(head, codes, network.head_weights.data());
}

/// The rest of the head: maps its sums to seconds.
template <loop_shape Shape>
BELLAMY_INLINE block<1, Shape> finish(const prepared_runtime& network, block<prepared_runtime::head, Shape>& head) noexcept {
    constexpr auto at_once = Shape.vectors;
    activate(head);
    auto even = broadcast<1, Shape>(&network.output_bias);
    constexpr float zero = 0;
    auto odd = broadcast<1, Shape>(&zero);
    BELLAMY_UNROLL
    for (size_t o = 0; o < prepared_runtime::head; o += 2) {
        const auto even_weight = vector::broadcast(network.output_weights[o]);
        const auto odd_weight = vector::broadcast(network.output_weights[o + 1]);
        BELLAMY_UNROLL
        for (size_t k = 0; k < at_once; ++k) {
            even.values[k] = multiply_add(head.values[o * at_once + k], even_weight, even.values[k]);
            odd.values[k] = multiply_add(head.values[(o + 1) * at_once + k], odd_weight, odd.values[k]);
        }
    }
    BELLAMY_UNROLL
    for (size_t k = 0; k < at_once; ++k) even.values[k] = even.values[k] + odd.values[k];
    activate(even);
    BELLAMY_UNROLL
    for (size_t k = 0; k < at_once; ++k) even.values[k] = even.values[k] * vector::broadcast(network.output_scale);
    return even;
}

template <loop_shape Shape>
BELLAMY_INLINE void store(const block<1, Shape>& values, float* to) noexcept {
    BELLAMY_UNROLL
    for (size_t k = 0; k < Shape.vectors; ++k) values.values[k].store(to + k * widest);
}

template <loop_shape Shape>
BELLAMY_INLINE block<scale_out_features_count, Shape> load_features(const prepared_runtime& network,
                                                                    const float* scale_outs) noexcept {
    block<scale_out_features_count, Shape> features;
    BELLAMY_UNROLL
    for (size_t k = 0; k < Shape.vectors; ++k) {
        const auto lane_features = features_of(network, vector::load(scale_outs + k * widest));
        features.values[k] = lane_features.reciprocal;
        features.values[Shape.vectors + k] = lane_features.logarithm;
        features.values[2 * Shape.vectors + k] = lane_features.linear;
    }
    return features;
}

/// Seconds at one block of scale-outs, for one start of the head.
template <loop_shape Shape>
BELLAMY_INLINE void predict_block(const prepared_runtime& network, const head_sums& start, const float* scale_outs,
                                  float* seconds) noexcept {
    auto head = broadcast<prepared_runtime::head, Shape>(start.values.data());
    add_scale_out(network, load_features<Shape>(network, scale_outs), head);
    store(finish(network, head), seconds);
}

/// Seconds at each scale-out, for one start of the head. Any count; `seconds` may be `scale_outs`.
inline void predict_curve(const prepared_runtime& network, const head_sums& start, const float* scale_outs, float* seconds,
                          size_t count) noexcept {
    constexpr size_t block_size = long_loop.vectors * widest;
    size_t i = 0;
    for (; i + block_size <= count; i += block_size) predict_block<long_loop>(network, start, scale_outs + i, seconds + i);
    for (; i < count; i += widest) {
        alignas(64) float rest[widest];
        for (size_t k = 0; k < widest; ++k) rest[k] = i + k < count ? scale_outs[i + k] : 1.0F;
        predict_block<short_loop>(network, start, rest, rest);
        for (size_t k = 0; k < widest && i + k < count; ++k) seconds[i + k] = rest[k];
    }
}

/// start + sum over i of values[i] * (row i of the weights), in four independent chains for low latency.
template <size_t In>
BELLAMY_INLINE lanes<8> multiply_latency(const float* values, const float* weights, lanes<8> start) noexcept {
    const auto row = [&](size_t i) { return lanes<8>::load(weights + i * 8); };
    lanes<8> chains[4] = {start, lanes<8>::broadcast(values[1]) * row(1), lanes<8>::broadcast(values[2]) * row(2),
                          lanes<8>::broadcast(values[3]) * row(3)};
    chains[0] = multiply_add(lanes<8>::broadcast(values[0]), row(0), chains[0]);
    BELLAMY_UNROLL
    for (size_t i = 4; i < In; ++i) chains[i % 4] = multiply_add(lanes<8>::broadcast(values[i]), row(i), chains[i % 4]);
    return (chains[0] + chains[1]) + (chains[2] + chains[3]);
}

/// The rest of the head: maps its sums to seconds.
BELLAMY_INLINE float finish_latency(const prepared_runtime& network, lanes<8> head) noexcept {
    const float z = sum(activate_latency(head) * lanes<8>::load(network.output_weights.data())) + network.output_bias;
    // A runtime is nearly always on the linear side of SELU, which needs no exponential.
    const float g = z > 0 ? z : activate_latency(lanes<4>::broadcast(z)).first();
    return g * network.output_scale;
}

/// The scale-out network at one scale-out: the head's sums with its weighted code added.
BELLAMY_INLINE lanes<8> add_scale_out_latency(const prepared_runtime& network, lanes<8> head, float scale_out) noexcept {
    static_assert(prepared_runtime::hidden == 16 && prepared_runtime::code == 8 && prepared_runtime::head == 8);
    const auto features = features_of(network, lanes<4>::broadcast(scale_out));
    const auto weights = [&](size_t feature) { return lanes<16>::load(network.first_weights.data() + feature * 16); };
    const auto linear =
        multiply_add(lanes<16>::broadcast(features.linear.first()), weights(2), lanes<16>::load(network.first_bias.data()));
    const auto both = multiply_add(lanes<16>::broadcast(features.reciprocal.first()), weights(0), linear);
    alignas(64) float hidden[16];
    activate_latency(multiply_add(lanes<16>::broadcast(features.logarithm.first()), weights(1), both)).store(hidden);
    alignas(64) float codes[8];
    activate_latency(multiply_latency<16>(hidden, network.second_weights.data(), lanes<8>::load(network.second_bias.data())))
        .store(codes);
    return multiply_latency<8>(codes, network.head_weights.data(), head);
}

/// Seconds at one scale-out, for one start of the head.
inline float predict_one(const prepared_runtime& network, const head_sums& start, float scale_out) noexcept {
    return finish_latency(network, add_scale_out_latency(network, lanes<8>::load(start.values.data()), scale_out));
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
