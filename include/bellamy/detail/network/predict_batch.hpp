// A network's answers to many different contexts at once.
#ifndef BELLAMY_DETAIL_NETWORK_PREDICT_BATCH_HPP
#define BELLAMY_DETAIL_NETWORK_PREDICT_BATCH_HPP

#include <bellamy/detail/network/distinct_properties.hpp>
#include <bellamy/detail/network/kernels/dispatch.hpp>

#include <cassert>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Predicted seconds for each question, 16 at a time. Contexts of one job share most of their values, each of which is
/// encoded once. Preconditions: as many results as questions; contexts that fit the network's schema; scale-outs that are
/// valid for them (see `largest_valid_scale_out`).
inline void predict_batch(const prepared_network& network, std::span<const question> questions, std::span<float> runtime_s) {
    assert(questions.size() == runtime_s.size());
    constexpr auto code_size = prepared_encoder::code;
    distinct_properties<float, prepared_encoder::inputs> number_of;
    std::vector<std::uint32_t> numbers;
    for (const auto& asked : questions)
        for (const auto* list : {&asked.context->essential, &asked.context->optional})
            for (const auto& each : *list) numbers.push_back(number_of(each, asked.scale_out));
    const auto& encoded = number_of.encoded();
    std::vector<float> distinct_codes((encoded.size() + rows_padding) * code_size);
    if (!encoded.empty()) simd::encode_rows(network.encoder, encoded[0].data(), encoded.size(), distinct_codes.data());
    std::vector<float> codes(numbers.size() * code_size);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        std::copy_n(distinct_codes.data() + numbers[i] * code_size, code_size, codes.data() + i * code_size);

    const float* next = codes.data();
    for (std::size_t from = 0; from < questions.size(); from += batch_block) {
        const auto asked = questions.subspan(from, (std::min)(batch_block, questions.size() - from));
        coded_question coded[batch_block];
        for (std::size_t q = 0; q < asked.size(); ++q) {
            const auto optional = asked[q].context->optional.size();
            coded[q] = {.codes = next, .optional_count = optional, .scale_out = static_cast<float>(asked[q].scale_out)};
            next += (network.essential_count() + optional) * code_size;
        }
        // What is missing in the last block repeats its last question.
        for (std::size_t q = asked.size(); q < batch_block; ++q) coded[q] = coded[asked.size() - 1];
        alignas(64) std::array<float, batch_block> answers;
        simd::predict_coded(network, coded, answers.data());
        std::copy_n(answers.begin(), asked.size(), runtime_s.begin() + static_cast<std::ptrdiff_t>(from));
    }
}

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
