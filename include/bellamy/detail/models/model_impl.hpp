// Definitions of model.hpp: creating a network's model, binding a context, appending observed runs.
#ifndef BELLAMY_DETAIL_MODELS_MODEL_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_MODEL_IMPL_HPP

#include <bellamy/detail/models/network_kind.hpp>
#include <bellamy/model.hpp>

#include <cassert>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE model::model(bellamy::schema properties, training_basis basis, network<> parameters)
    : model(std::move(properties), std::move(basis), model_kind::network,
            detail::shared<detail::predictor>(
                detail::predictor_of<detail::network_kind>(detail::network_kind(std::move(parameters)))),
            {}) {
    assert(this->parameters().essential_count() == schema_.essential.size());
}

BELLAMY_PUBLIC_INLINE const network<>& model::parameters() const noexcept {
    assert(kind() == model_kind::network);
    return static_cast<const detail::predictor_of<detail::network_kind>&>(*predictor_).kind.parameters;
}

BELLAMY_PUBLIC_INLINE result<curve> model::bind(const context& target, const bind_options& options,
                                                std::span<const int> scale_outs) const {
    if (auto valid = schema_.check(target); !valid) return valid.error();
    std::vector<run> target_runs;
    for (const auto& run : observed_)
        if (run.context == target) target_runs.push_back(run);
    return predictor_->bind({.target = target,
                             .target_runs = target_runs,
                             .observed = observed_,
                             .basis = basis_,
                             .non_increasing = options.non_increasing,
                             .scale_outs = scale_outs});
}

BELLAMY_PUBLIC_INLINE result<model> model::condition(std::span<const run> runs) const {
    if (!is_conditioned(kind()))
        return detail::fail(errc::not_conditionable, "expected a model that observed runs can condition, found a ",
                            to_string(kind()), ": fine_tune adapts it");
    if (auto valid = detail::validate_observed(schema_, runs); !valid) return valid.error();
    auto conditioned = *this;
    detail::append(conditioned.observed_, runs);
    conditioned.basis_ = detail::conditioned_basis(general_basis_, conditioned.observed_);
    return conditioned;
}

BELLAMY_PUBLIC_INLINE model model::general(double since_s) const {
    auto kept = *this;
    std::erase_if(kept.observed_, [&](const run& run) { return !(run.timestamp_s && *run.timestamp_s >= since_s); });
    kept.basis_ = detail::conditioned_basis(general_basis_, kept.observed_);
    return kept;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
