// Predictions for contexts whose properties are encoded already: the part of a batch that other libraries compute as well.
#ifndef BELLAMY_BENCH_SUPPORT_ENCODED_BATCH_HPP
#define BELLAMY_BENCH_SUPPORT_ENCODED_BATCH_HPP

#include <bellamy/detail/network/kernels/dispatch.hpp>

namespace bench {

/// Seconds for `count` questions. `encoded` holds, for each, the network's essential properties and `optional_count`
/// optional ones, 40 floats each.
inline void predict_encoded(const bellamy::detail::prepared_network& network, const float* encoded,
                            std::size_t optional_count, const float* scale_outs, float* seconds,
                            std::size_t count) noexcept {
    using namespace bellamy;
    constexpr auto code = detail::prepared_encoder::code;
    constexpr auto block = detail::batch_block;
    const auto rows = network.essential_count() + optional_count;
    for (std::size_t i = 0; i < count; i += block) {
        const std::size_t asked = (std::min)(block, count - i);
        alignas(64) float codes[block * 2 * most_properties * code];
        detail::simd::encode_rows(network.encoder, encoded + i * rows * detail::prepared_encoder::inputs, asked * rows,
                                  codes);
        detail::coded_question questions[block];
        // What is missing in the last block repeats its last question.
        for (std::size_t q = 0; q < block; ++q) {
            const std::size_t which = (std::min)(q, asked - 1);
            questions[q] = {
                .codes = codes + which * rows * code, .optional_count = optional_count, .scale_out = scale_outs[i + which]};
        }
        alignas(64) float answers[block];
        detail::simd::predict_coded(network, questions, answers);
        std::copy_n(answers, asked, seconds + i);
    }
}

}  // namespace bench

#endif
