// Definitions of what model.hpp declares.
#ifndef BELLAMY_DETAIL_MODELS_MODEL_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_MODEL_IMPL_HPP

#include <bellamy/detail/models/answering.hpp>
#include <bellamy/model.hpp>

#include <cassert>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

static_assert(to_string(model_kind::blend) == blend_kind::name && to_string(model_kind::network) == network_kind::name &&
              to_string(model_kind::shapes) == shapes_kind::name);
static_assert(is_conditioned(model_kind::blend) == blend_kind::is_conditioned &&
              is_conditioned(model_kind::network) == network_kind::is_conditioned &&
              is_conditioned(model_kind::shapes) == shapes_kind::is_conditioned);

}  // namespace detail

BELLAMY_PUBLIC_INLINE model::model(bellamy::schema properties, training_basis basis, network<> parameters)
    : model(std::move(properties), std::move(basis), model_kind::network,
            detail::shared(detail::answering{detail::network_kind(std::move(parameters))}), {}) {
    assert(this->parameters().essential_count() == schema_.essential.size());
}

BELLAMY_PUBLIC_INLINE const network<>& model::parameters() const noexcept {
    assert(kind() == model_kind::network);
    return std::get_if<detail::network_kind>(&answers_->kind)->parameters;
}

BELLAMY_PUBLIC_INLINE result<curve> model::bind(const context& subject, const bind_options& options) const {
    return detail::bind_kind(answers_->kind, schema_, basis_, observed_, subject, options.non_increasing);
}

BELLAMY_PUBLIC_INLINE result<model> model::condition(std::span<const run> runs) const {
    if (!is_conditioned(kind()))
        return detail::fail(errc::not_conditionable, "expected a model that observed runs can condition, found a ",
                            to_string(kind()), ": fine_tune adapts it");
    if (auto valid = detail::validate_observed(schema_, runs); !valid) return valid.error();
    auto wiser = *this;
    wiser.observed_.insert(wiser.observed_.end(), runs.begin(), runs.end());
    detail::widen(wiser.basis_, runs);
    wiser.basis_.observed_runs = static_cast<std::uint32_t>(wiser.observed_.size());
    return wiser;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
