// Batch prediction: one network, many contexts.
#ifndef BELLAMY_DETAIL_NETWORK_PREDICT_BATCH_HPP
#define BELLAMY_DETAIL_NETWORK_PREDICT_BATCH_HPP

#include <bellamy/detail/network/distinct_properties.hpp>
#include <bellamy/detail/network/kernels/dispatch.hpp>

#include <cassert>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Predicted seconds for each question, in blocks of 16. Contexts of one job have most values in common: each distinct value
/// is encoded once. Preconditions: as many results as questions; contexts that fit the network's schema; scale-outs that are
/// valid for them (see `largest_valid_scale_out`).
inline void predict_batch(const prepared_network& network, std::span<const question> questions, std::span<float> runtime_s) {
    assert(questions.size() == runtime_s.size());
    constexpr auto code_size = prepared_encoder::code;
    distinct_properties<float, prepared_encoder::inputs> number_of;
    std::vector<std::uint32_t> numbers;
    for (const auto& question : questions)
        for_each_property(*question.context,
                          [&](const property& each) { numbers.push_back(number_of(each, question.scale_out)); });
    const auto& encoded = number_of.encoded();
    std::vector<float> distinct_codes(encoded.size() * code_size);
    if (!encoded.empty()) simd::encode_rows(network.encoder, encoded[0].data(), encoded.size(), distinct_codes.data());
    std::vector<float> codes(numbers.size() * code_size);
    for (size_t i = 0; i < numbers.size(); ++i)
        std::copy_n(distinct_codes.data() + numbers[i] * code_size, code_size, codes.data() + i * code_size);

    const float* next = codes.data();
    for (size_t first = 0; first < questions.size(); first += batch_block) {
        const auto block = questions.subspan(first, (std::min)(batch_block, questions.size() - first));
        coded_question coded[batch_block];
        for (size_t q = 0; q < block.size(); ++q) {
            const auto optional = block[q].context->optional.size();
            coded[q] = {.codes = next, .optional_count = optional, .scale_out = static_cast<float>(block[q].scale_out)};
            next += (network.essential_count() + optional) * code_size;
        }
        // The last block is padded with its last question.
        for (size_t q = block.size(); q < batch_block; ++q) coded[q] = coded[block.size() - 1];
        alignas(64) std::array<float, batch_block> predicted_s;
        simd::predict_coded(network, coded, predicted_s.data());
        std::copy_n(predicted_s.begin(), block.size(), runtime_s.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
