// What a kind of model is bound with.
#ifndef BELLAMY_DETAIL_MODELS_BINDING_HPP
#define BELLAMY_DETAIL_MODELS_BINDING_HPP

#include <bellamy/schema.hpp>
#include <bellamy/training_basis.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A question to a model: its references must outlive the call.
struct binding {
    const context& subject;
    /// Observed runs of this very context.
    std::span<const run> own;
    /// All observed runs.
    std::span<const run> observed;
    const training_basis& basis;
    /// Medians must not increase with the scale-out.
    bool non_increasing = false;
    /// Where not empty, the curve is asked about these scale-outs alone: a kind may save the work for the others.
    std::span<const int> only{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
