// Predictions for many contexts at once, with any kind of model.
#ifndef BELLAMY_BATCH_HPP
#define BELLAMY_BATCH_HPP

#include <bellamy/detail/network/predict_batch.hpp>
#include <bellamy/model.hpp>

namespace bellamy::inline BELLAMY_ABI {

/// One answer per question, as a curve of its context would give; a network answers 16 questions at a time, equal to the
/// last few bits. Neighbours that point to the same context have it bound once, so order questions by context. Allocates.
/// Preconditions: as many answers as questions, each question has a context. Errors, with the number of the question from 0:
/// those of `model::bind`, and invalid_scale_out; answers are then not specified.
[[nodiscard]] result<void> predict(const model& subject, std::span<const question> questions, std::span<prediction> answers);

}  // namespace bellamy::inline BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/kinds/batch.hpp>  // IWYU pragma: export
#endif

#endif
