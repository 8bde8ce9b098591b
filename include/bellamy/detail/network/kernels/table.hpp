// Seconds from a table over scale-outs: what a scale-out adds to the head depends on the network only, so all contexts share
// it.
//
// The table holds T (log2 domain) and k * 2^T. With c the context's part of the sum, k * 2^(T + c) = (k * 2^T) * 2^c: eight
// powers per context, and none per scale-out but the last.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_TABLE_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_TABLE_HPP

#include <bellamy/detail/network/kernels/single.hpp>

namespace bellamy::inline BELLAMY_ABI::detail::simd::inline BELLAMY_ISA {

/// k * 2^y. Precondition: |y| <= largest_split_exponent; else any number.
template <class Vector>
BELLAMY_INLINE Vector power(Vector y) noexcept {
    const auto bounded =
        maximum(minimum(y, Vector::broadcast(largest_split_exponent)), Vector::broadcast(-largest_split_exponent));
    const auto rounded = opaque(bounded + Vector::broadcast(to_integer));
    const auto rest = bounded - opaque(rounded - Vector::broadcast(to_integer));
    auto result = Vector::broadcast(power_of_two[5]);
    BELLAMY_UNROLL
    for (std::size_t degree = 5; degree > 0; --degree)
        result = multiply_add(result, rest, Vector::broadcast(power_of_two[degree - 1]));
    return result * low_bits_as_exponent(rounded);
}

/// Fills in the block that starts at a scale-out.
inline void fill_table_block(const prepared_runtime& network, int first, scale_out_table_block& out) noexcept {
    constexpr auto size = scale_out_table_block::size;
    for (std::size_t i = 0; i < size; i += widest * short_loop.vectors) {
        alignas(64) float scale_outs[widest * short_loop.vectors];
        for (std::size_t k = 0; k < std::size(scale_outs); ++k)
            scale_outs[k] = static_cast<float>(first + static_cast<int>(i + k));
        constexpr float nothing[prepared_runtime::head] = {};
        auto head = broadcast<prepared_runtime::head, short_loop>(nothing);
        add_scale_out(network, load_features<short_loop>(network, scale_outs), head);
        BELLAMY_UNROLL
        for (std::size_t o = 0; o < prepared_runtime::head * short_loop.vectors; ++o) {
            const auto at = (o / short_loop.vectors) * size + i + (o % short_loop.vectors) * widest;
            head.values[o].store(out.sums.data() + at);
            power(head.values[o]).store(out.powers.data() + at);
        }
    }
}

/// Seconds at one vector of a table block, the powers split.
BELLAMY_INLINE vector predict_split(const prepared_runtime& network, const float* start, const float* start_powers,
                                    const scale_out_table_block& table, std::size_t at) noexcept {
    constexpr auto size = scale_out_table_block::size;
    const auto zero = vector::broadcast(0.0F);
    vector sums[2] = {vector::broadcast(network.output_bias), zero};
    BELLAMY_UNROLL
    for (std::size_t o = 0; o < prepared_runtime::head; ++o) {
        const auto linear = maximum(zero, vector::load(table.sums.data() + o * size + at) + vector::broadcast(start[o]));
        const auto power =
            minimum(multiply_add(vector::load(table.powers.data() + o * size + at), vector::broadcast(start_powers[o]),
                                 vector::broadcast(-selu_kernel_constant)),
                    zero);
        sums[o % 2] = multiply_add(linear + power, vector::broadcast(network.output_weights[o]), sums[o % 2]);
    }
    vector output[1] = {sums[0] + sums[1]};
    activate(output);
    return output[0] * vector::broadcast(network.output_scale);
}

/// The same with the powers computed anew, for sums of any size.
BELLAMY_INLINE vector predict_unsplit(const prepared_runtime& network, const float* start,
                                      const scale_out_table_block& table, std::size_t at) noexcept {
    constexpr loop_shape one{.vectors = 1, .sums = short_loop.sums, .in_turns = short_loop.in_turns};
    block<prepared_runtime::head, one> head;
    BELLAMY_UNROLL
    for (std::size_t o = 0; o < prepared_runtime::head; ++o)
        head.values[o] =
            vector::load(table.sums.data() + o * scale_out_table_block::size + at) + vector::broadcast(start[o]);
    return finish(network, head).values[0];
}

/// Calls evaluate(block, lane) for the vectors that hold entries first .. first + count, and stores those entries.
template <class Evaluate>
BELLAMY_INLINE void for_each_vector(const scale_out_table_block* blocks, std::size_t first, float* seconds,
                                    std::size_t count, Evaluate evaluate) noexcept {
    constexpr auto size = scale_out_table_block::size;
    const std::size_t end = first + count;
    for (std::size_t i = first / widest * widest; i < end; i += widest) {
        const vector result = evaluate(blocks[i / size], i % size);
        if (i >= first && i + widest <= end) {
            result.store(seconds + (i - first));
        } else {
            alignas(64) float some[widest];
            result.store(some);
            for (std::size_t k = (std::max)(i, first); k < (std::min)(i + widest, end); ++k)
                seconds[k - first] = some[k - i];
        }
    }
}

/// Seconds at entries first .. first + count of a table, for one start of the head. `can_split`: no sum of the table is
/// larger than largest_split_exponent.
inline void predict_table(const prepared_runtime& network, const head_sums& start, const scale_out_table_block* blocks,
                          bool can_split, std::size_t first, float* seconds, std::size_t count) noexcept {
    const float* sums = start.values.data();
    // So written that it is not true of NaN.
    bool split = can_split;
    for (const float each : start.values) split = split && each <= largest_split_exponent && each >= -largest_split_exponent;
    if (split) {
        alignas(32) float powers[prepared_runtime::head];
        (power(lanes<8>::load(sums)) * lanes<8>::broadcast(1 / selu_kernel_constant)).store(powers);
        for_each_vector(blocks, first, seconds, count, [&](const scale_out_table_block& table, std::size_t lane) {
            return predict_split(network, sums, powers, table, lane);
        });
    } else {
        for_each_vector(blocks, first, seconds, count, [&](const scale_out_table_block& table, std::size_t lane) {
            return predict_unsplit(network, sums, table, lane);
        });
    }
}

/// Seconds at one entry of a table, as soon as possible.
inline float predict_table_one(const prepared_runtime& network, const head_sums& start, const scale_out_table_block* blocks,
                               std::size_t entry) noexcept {
    constexpr auto size = scale_out_table_block::size;
    const auto& table = blocks[entry / size];
    alignas(32) float sums[prepared_runtime::head];
    for (std::size_t o = 0; o < prepared_runtime::head; ++o) sums[o] = start.values[o] + table.sums[o * size + entry % size];
    return finish_soon(network, lanes<8>::load(sums));
}

}  // namespace bellamy::inline BELLAMY_ABI::detail::simd::inline BELLAMY_ISA

#endif
