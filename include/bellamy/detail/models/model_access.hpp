// What the library itself may do with a model: make one of any kind, and look inside.
#ifndef BELLAMY_DETAIL_MODELS_MODEL_ACCESS_HPP
#define BELLAMY_DETAIL_MODELS_MODEL_ACCESS_HPP

#include <bellamy/detail/models/answering.hpp>
#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What the library itself may do with a model: make one of any kind, and look inside.
struct model_access {
    /// Precondition: what answers was learned from runs of the schema, and the observed runs fit it.
    [[nodiscard]] static model make(schema properties, training_basis basis, any_kind kind, std::vector<run> observed = {}) {
        const auto name = static_cast<model_kind>(kind.index());
        return {std::move(properties), std::move(basis), name, shared(answering{std::move(kind)}), std::move(observed)};
    }
    [[nodiscard]] static const any_kind& kind_of(const model& subject) noexcept { return subject.answers_->kind; }
    /// Precondition: the model is of this kind.
    template <class Kind>
    [[nodiscard]] static const Kind& get(const model& subject) noexcept {
        return *std::get_if<Kind>(&subject.answers_->kind);
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
