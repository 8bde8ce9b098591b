// Predictions for many contexts at once, with any kind of model.
#ifndef BELLAMY_BATCH_HPP
#define BELLAMY_BATCH_HPP

#include <bellamy/detail/network/predict_batch.hpp>
#include <bellamy/model.hpp>

namespace bellamy::inline BELLAMY_ABI {

namespace detail {

[[nodiscard]] inline error in_question(std::size_t number, const error& cause) noexcept {
    return fail(cause.code(), "question ", number, ": ", cause.message());
}

[[nodiscard]] inline result<void> check_scale_out(int scale_out, int largest) noexcept {
    if (scale_out >= 1 && scale_out <= largest) return {};
    return fail(errc::invalid_scale_out, "expected a scale-out from 1 to ", largest, ", found ", scale_out);
}

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

/// One answer per question, as a curve of its context would give; a network answers 16 questions at a time, equal to the
/// last few bits. Neighbours that point to the same context have it bound once, so order questions by context. Allocates.
/// Preconditions: as many answers as questions, each question has a context. Errors, with the number of the question from 0:
/// those of `model::bind`, and invalid_scale_out; answers are then not specified.
[[nodiscard]] inline result<void> predict(const model& subject, std::span<const question> questions,
                                          std::span<prediction> answers) {
    assert(questions.size() == answers.size());
    if (questions.empty()) return {};
    return subject.kind() == model_kind::network ? detail::predict_by_batches(subject, questions, answers)
                                                 : detail::predict_by_curves(subject, questions, answers);
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
