// Kernels for batches: property codes, and seconds for blocks of sixteen questions, each with its own context.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_BATCH_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_BATCH_HPP

#include <bellamy/detail/network/kernels/curve.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd { inline namespace BELLAMY_ISA {

// Properties whose first layer is summed at once, so that they share every loaded weight; questions likewise.
#if defined(BELLAMY_ISA_AVX512)
inline constexpr size_t most_rows_at_once = 16;
inline constexpr size_t questions_at_once = 8;
#elif defined(BELLAMY_ISA_AVX2) && !defined(__clang__)
inline constexpr size_t most_rows_at_once = 12;
inline constexpr size_t questions_at_once = 8;
#elif defined(BELLAMY_ISA_AVX2) || defined(BELLAMY_ISA_NEON)
inline constexpr size_t most_rows_at_once = 8;
inline constexpr size_t questions_at_once = 8;
#else
inline constexpr size_t most_rows_at_once = 4;
inline constexpr size_t questions_at_once = 4;
#endif

/// Packs rows of eight into the widest registers.
template <size_t Rows>
BELLAMY_INLINE void pack(const lanes<8> (&rows)[Rows], vector (&packed)[Rows * 8 / widest]) noexcept {
    BELLAMY_UNROLL
    for (size_t i = 0; i < Rows * 8 / widest; ++i) {
#if defined(BELLAMY_ISA_AVX512)
        packed[i].v = _mm512_insertf32x8(_mm512_castps256_ps512(rows[2 * i].v), rows[2 * i + 1].v, 1);
#elif defined(BELLAMY_ISA_AVX2)
        packed[i] = rows[i];
#else
        packed[i] = i % 2 == 0 ? rows[i / 2].low : rows[i / 2].high;
#endif
    }
}

/// The encoder's second layer: products of hidden values with the weights of their groups of four.
BELLAMY_INLINE vector second_layer_in_quads(const prepared_encoder& network, vector hidden, size_t offset) noexcept {
    const auto weights = [&](size_t i) { return vector::load(network.second.data() + i * 16 + offset); };
    const auto even = multiply_add(hidden.template in_quads<2>(), weights(2), hidden.template in_quads<0>() * weights(0));
    const auto odd = multiply_add(hidden.template in_quads<3>(), weights(3), hidden.template in_quads<1>() * weights(1));
    return even + odd;
}

/// Codes, in kernel form, of `Rows` encoded properties from their sums in the encoder's first layer.
template <size_t Rows>
BELLAMY_INLINE void encode_sums(const prepared_encoder& network, const lanes<8> (&sums)[Rows], float* codes) noexcept {
    constexpr size_t hidden_count = Rows * 8 / widest;
    constexpr size_t output_count = Rows * 4 / widest;
    vector hidden[hidden_count];
    pack(sums, hidden);
    activate_in_tiles<short_loop>(hidden);
    vector output[output_count];
    BELLAMY_UNROLL
    for (size_t i = 0; i < output_count; ++i) {
        const auto first = second_layer_in_quads(network, hidden[2 * i], 0);
        const auto second = second_layer_in_quads(network, hidden[2 * i + 1], widest % 8);
        output[i] = add_adjacent_quads(first, second);
    }
    activate(output);
    BELLAMY_UNROLL
    for (size_t i = 0; i < output_count; ++i) output[i].store(codes + i * widest);
}

/// Codes of `Rows` encoded properties, `stride` floats apart.
template <size_t Rows>
BELLAMY_INLINE void encode_some(const prepared_encoder& network, const float* encoded, size_t stride,
                                float* codes) noexcept {
    lanes<8> sums[Rows];
    BELLAMY_UNROLL
    for (auto& row_sum : sums) row_sum = lanes<8>::broadcast(0.0F);
    // Longer loop bodies gain nothing: loads are the bottleneck.
    BELLAMY_UNROLL_4
    for (size_t k = 0; k < prepared_encoder::inputs; ++k) {
        const auto weights = lanes<8>::load(network.first.data() + k * 8);
        BELLAMY_UNROLL
        for (size_t row = 0; row < Rows; ++row)
            sums[row] = multiply_add(lanes<8>::broadcast(encoded[row * stride + k]), weights, sums[row]);
    }
    encode_sums(network, sums, codes);
}

/// Codes, in kernel form, of `count` adjacent encoded properties.
inline void encode_rows(const prepared_encoder& network, const float* encoded, size_t count, float* codes) noexcept {
    constexpr auto inputs = prepared_encoder::inputs;
    constexpr auto outputs = prepared_encoder::code;
    constexpr auto rows = most_rows_at_once;
    constexpr size_t fewer_rows = (std::min)(rows, size_t{8});
    size_t i = 0;
    for (; i + rows <= count; i += rows) encode_some<rows>(network, encoded + i * inputs, inputs, codes + i * outputs);
    for (; i + fewer_rows <= count; i += fewer_rows)
        encode_some<fewer_rows>(network, encoded + i * inputs, inputs, codes + i * outputs);
    for (; i < count; ++i) {
        // A stride of 0: the same property in every row.
        alignas(64) float repeated[fewer_rows * outputs];
        encode_some<fewer_rows>(network, encoded + i * inputs, 0, repeated);
        std::copy_n(repeated, outputs, codes + i * outputs);
    }
}

/// The mean of the optional codes; zero without any.
BELLAMY_INLINE lanes<4> mean_of(const float* codes, size_t count) noexcept {
    if (count == 0) return lanes<4>::broadcast(0.0F);
    auto sum_of_codes = lanes<4>::load(codes);
    for (size_t i = 1; i < count; ++i) sum_of_codes = sum_of_codes + lanes<4>::load(codes + 4 * i);
    return sum_of_codes * lanes<4>::broadcast(1.0F / static_cast<float>(count));
}

/// Seconds at `batch_block` scale-outs, each with its own start of the head.
inline void predict_started(const prepared_runtime& network, const head_sums* starts, const float* scale_outs,
                            float* seconds) noexcept {
    constexpr auto head = prepared_runtime::head;
    alignas(64) float by_sum[head * batch_block];
    for (size_t q = 0; q < batch_block; ++q)
        for (size_t o = 0; o < head; ++o) by_sum[o * batch_block + q] = starts[q].values[o];
    for (size_t i = 0; i < batch_block; i += short_loop.vectors * widest) {
        block<head, short_loop> start;
        BELLAMY_UNROLL
        for (size_t o = 0; o < head * short_loop.vectors; ++o)
            start.values[o] =
                vector::load(by_sum + (o / short_loop.vectors) * batch_block + i + (o % short_loop.vectors) * widest);
        add_scale_out(network, load_features<short_loop>(network, scale_outs + i), start);
        store(finish(network, start), seconds + i);
    }
}

/// sums[i] += weights * code i, for `count` codes in kernel form.
inline void add_codes(const float* weights, const float* codes, head_sums* sums, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) {
        auto head_sum = lanes<8>::load(sums[i].values.data());
        BELLAMY_UNROLL
        for (size_t k = 0; k < prepared_encoder::code; ++k)
            head_sum = multiply_add(lanes<8>::broadcast(codes[i * prepared_encoder::code + k]),
                                    lanes<8>::load(weights + k * 8), head_sum);
        head_sum.store(sums[i].values.data());
    }
}

/// Seconds for `batch_block` questions.
inline void predict_coded(const prepared_network& network, const coded_question (&questions)[batch_block],
                          float* seconds) noexcept {
    const auto essential = network.essential_count();
    alignas(64) float scale_outs[batch_block];
    head_sums sums[batch_block];
    for (size_t first = 0; first < batch_block; first += questions_at_once) {
        lanes<8> head[questions_at_once];
        BELLAMY_UNROLL
        for (auto& head_sum : head) head_sum = lanes<8>::load(network.head_bias.values.data());
        const auto* block_questions = questions + first;
        alignas(64) float means[questions_at_once * 4];
        for (size_t q = 0; q < questions_at_once; ++q) {
            mean_of(block_questions[q].codes + essential * 4, block_questions[q].optional_count).store(means + q * 4);
            scale_outs[first + q] = block_questions[q].scale_out;
        }
        for (size_t position = 0; position <= essential; ++position) {
            const float* weights = network.weights_of(position).values.data();
            const float* codes[questions_at_once];
            BELLAMY_UNROLL
            for (size_t q = 0; q < questions_at_once; ++q)
                codes[q] = position < essential ? block_questions[q].codes + position * 4 : means + q * 4;
            BELLAMY_UNROLL
            for (size_t i = 0; i < 4; ++i) {
                const auto row = lanes<8>::load(weights + i * 8);
                BELLAMY_UNROLL
                for (size_t q = 0; q < questions_at_once; ++q)
                    head[q] = multiply_add(lanes<8>::broadcast(codes[q][i]), row, head[q]);
            }
        }
        BELLAMY_UNROLL
        for (size_t q = 0; q < questions_at_once; ++q) head[q].store(sums[first + q].values.data());
    }
    predict_started(network.runtime, sums, scale_outs, seconds);
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
