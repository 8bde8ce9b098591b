// Cold start as a kind of model: shapes of other jobs' curves, conditioned in closed form, with quantiles.
#ifndef BELLAMY_DETAIL_MODELS_SHAPES_KIND_HPP
#define BELLAMY_DETAIL_MODELS_SHAPES_KIND_HPP

#include <bellamy/detail/models/blend_kind.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct shapes_kind {
    static constexpr std::string_view name = "shapes of other jobs";
    static constexpr std::string_view section = "SHAP";
    static constexpr bool is_conditioned = true;

    shared<shape_prior> prior;
};

[[nodiscard]] inline result<curve> bind(const shapes_kind& kind, const binding& asked) {
    return curve_of(kind.prior->bind(asked.own, default_scale_outs, resize_runs(asked.observed, asked.subject)), asked);
}

/// Shapes know no values of contexts.
[[nodiscard]] inline const feature_map* features_of(const shapes_kind&) noexcept { return nullptr; }

[[nodiscard]] inline result<void> can_answer(const shapes_kind&) noexcept { return {}; }

[[nodiscard]] inline const shape_prior& stored(const shapes_kind& kind) noexcept { return *kind.prior; }

/// Error: invalid_model, where the numbers do not fit each other.
[[nodiscard]] inline result<shapes_kind> restored(shape_prior&& from, const schema&) {
    if (!is_consistent(from))
        return fail(errc::invalid_model, "expected data that fit each other in section SHAP, found something else");
    return shapes_kind{.prior = shared(std::move(from))};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
