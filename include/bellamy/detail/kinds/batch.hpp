// Definitions of what batch.hpp declares.
#ifndef BELLAMY_DETAIL_KINDS_BATCH_HPP
#define BELLAMY_DETAIL_KINDS_BATCH_HPP

#include <bellamy/batch.hpp>
#include <bellamy/detail/context/question_errors.hpp>
#include <bellamy/detail/kinds/model_access.hpp>
#include <bellamy/detail/network/predict_batch.hpp>

#include <cassert>
#include <optional>

namespace bellamy::inline BELLAMY_ABI {

namespace detail {

/// Binds each context once where its questions follow each other.
[[nodiscard]] inline result<void> predict_by_curves(const model& subject, std::span<const question> questions,
                                                    std::span<prediction> answers) {
    std::optional<curve> runtimes;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (i == 0 || questions[i].context != questions[i - 1].context) {
            auto bound = subject.bind(*questions[i].context);
            if (!bound) return in_question(i, bound.error());
            runtimes.emplace(*bound);
        }
        if (auto valid = check_scale_out(questions[i].scale_out, runtimes->largest_valid_scale_out()); !valid)
            return in_question(i, valid.error());
        answers[i] = runtimes->at(questions[i].scale_out);
    }
    return {};
}

[[nodiscard]] inline result<void> predict_by_batches(const model& subject, std::span<const question> questions,
                                                     std::span<prediction> answers) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const auto& asked = *questions[i].context;
        const bool is_new = i == 0 || &asked != questions[i - 1].context;
        auto valid = is_new ? subject.schema().check(asked) : result<void>();
        if (valid) valid = check_scale_out(questions[i].scale_out, largest_valid_scale_out(asked));
        if (!valid) return in_question(i, valid.error());
    }
    std::vector<float> runtime_s(questions.size());
    predict_batch(*model_access::get<network_kind>(subject).prepared, questions, runtime_s);
    for (std::size_t i = 0; i < questions.size(); ++i)
        answers[i] = {.median_s = static_cast<double>(runtime_s[i]),
                      .observed_runs = subject.basis().observed_runs,
                      .outside_seen_scale_outs = !subject.basis().seen_scale_outs.contains(questions[i].scale_out)};
    return {};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> predict(const model& subject, std::span<const question> questions,
                                           std::span<prediction> answers) {
    assert(questions.size() == answers.size());
    if (questions.empty()) return {};
    return subject.kind() == model_kind::network ? detail::predict_by_batches(subject, questions, answers)
                                                 : detail::predict_by_curves(subject, questions, answers);
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
