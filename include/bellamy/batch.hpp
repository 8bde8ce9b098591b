// Curves and predictions for many contexts at once, with any kind of model.
#ifndef BELLAMY_BATCH_HPP
#define BELLAMY_BATCH_HPP

#include <bellamy/model.hpp>

#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// One curve per context, in the same order, as from `model::bind`. Equal contexts are bound once. Allocates. Errors, with
/// the number of the context from 0: those of `model::bind`.
result<std::vector<curve>> bind_each(const model& general, std::span<const context> contexts);

/// One answer per question, as a curve of its context would give. Equal contexts are bound once, wherever they stand, and
/// one curve is held at a time; a network answers 16 questions at a time, equal to the last few bits. Allocates.
/// Errors: buffer_too_small for fewer answers than questions; and with the number of one such question from 0, those of
/// `model::bind`, invalid_scale_out, and invalid_option for one without a context; answers are then not specified.
result<void> predict(const model& general, std::span<const question> questions, std::span<prediction> answers);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/batch_impl.hpp>  // IWYU pragma: export
#endif

#endif
