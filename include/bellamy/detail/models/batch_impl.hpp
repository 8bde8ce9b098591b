// Definitions of batch.hpp: binds many contexts, and predicts many questions by curves or by the network's batch kernels.
#ifndef BELLAMY_DETAIL_MODELS_BATCH_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_BATCH_IMPL_HPP

#include <bellamy/batch.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/detail/models/network_kind.hpp>
#include <bellamy/detail/network/distinct_properties.hpp>

#include <optional>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

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

/// Indices of the questions, grouped by equal context in order of first appearance.
inline std::vector<size_t> by_context(std::span<const question> questions) {
    context_numbering number_of;
    std::vector<size_t> context_numbers;
    std::vector<size_t> order;
    for (size_t i = 0; i < questions.size(); ++i) {
        const bool same = i > 0 && questions[i].context == questions[i - 1].context;
        context_numbers.push_back(same ? context_numbers.back() : number_of(*questions[i].context));
        order.push_back(i);
    }
    sort(order, [&](size_t a, size_t b) {
        return context_numbers[a] != context_numbers[b] ? context_numbers[a] < context_numbers[b] : a < b;
    });
    return order;
}

inline result<void> predict_by_curves(const model& general, std::span<const question> questions,
                                      std::span<prediction> answers) {
    std::optional<curve> runtimes;
    const context* bound_to = nullptr;
    for (const size_t i : by_context(questions)) {
        const auto* target = questions[i].context;
        if (bound_to == nullptr || (target != bound_to && !(*target == *bound_to))) {
            auto bound = general.bind(*target);
            if (!bound) return in_question(i, bound.error());
            runtimes.emplace(*bound);
            bound_to = target;
        }
        if (auto valid = check_scale_out(questions[i].scale_out, runtimes->largest_valid_scale_out()); !valid)
            return in_question(i, valid.error());
        answers[i] = runtimes->at(questions[i].scale_out);
    }
    return {};
}

inline result<void> predict_by_batches(const model& general, std::span<const question> questions,
                                       std::span<prediction> answers) {
    for (size_t i = 0; i < questions.size(); ++i) {
        const auto& target = *questions[i].context;
        const bool is_new = i == 0 || &target != questions[i - 1].context;
        auto valid = is_new ? general.schema().check(target) : result<void>();
        if (valid) valid = check_scale_out(questions[i].scale_out, largest_valid_scale_out(target));
        if (!valid) return in_question(i, valid.error());
    }
    std::vector<float> runtime_s(questions.size());
    predict_batch(*model_access::get_if<network_kind>(general)->prepared, questions, runtime_s);
    for (size_t i = 0; i < questions.size(); ++i)
        answers[i] = {.median_s = static_cast<double>(runtime_s[i]),
                      .observed_runs = general.basis().observed_runs,
                      .outside_seen_scale_outs = !general.basis().seen_scale_outs.contains(questions[i].scale_out)};
    return {};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<std::vector<curve>> bind_each(const model& general, std::span<const context> contexts) {
    detail::context_numbering number_of;
    std::vector<size_t> first_index;
    std::vector<curve> curves;
    curves.reserve(contexts.size());
    for (size_t i = 0; i < contexts.size(); ++i) {
        const size_t number = number_of(contexts[i]);
        if (number < first_index.size()) {
            curves.push_back(curves[first_index[number]]);
            continue;
        }
        auto bound = general.bind(contexts[i]);
        if (!bound) return detail::with_subject(bound.error(), "context ", i);
        first_index.push_back(i);
        curves.push_back(*bound);
    }
    return curves;
}

BELLAMY_PUBLIC_INLINE result<void> predict(const model& general, std::span<const question> questions,
                                           std::span<prediction> answers) {
    if (answers.size() < questions.size())
        return detail::fail(errc::buffer_too_small, "expected room for ", questions.size(), " answers, found ",
                            answers.size());
    for (size_t i = 0; i < questions.size(); ++i)
        if (questions[i].context == nullptr)
            return detail::fail(errc::invalid_option, "question ", i, ": expected a context, found none");
    if (questions.empty()) return {};
    return general.kind() == model_kind::network ? detail::predict_by_batches(general, questions, answers)
                                                 : detail::predict_by_curves(general, questions, answers);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
