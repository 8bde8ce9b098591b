// Best mode as a kind of model: statistical experts, conditioned in closed form, with quantiles.
#ifndef BELLAMY_DETAIL_MODELS_BLEND_KIND_HPP
#define BELLAMY_DETAIL_MODELS_BLEND_KIND_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/shared.hpp>
#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/models/binding.hpp>
#include <bellamy/detail/models/blend_fields.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct blend_kind {
    static constexpr std::string_view name = "blend of experts";
    static constexpr std::string_view section = "BLND";
    static constexpr bool is_conditioned = true;

    shared<fitted_blend> experts;
};

/// Completes what both kinds with quantiles bind.
[[nodiscard]] inline curve curve_of(blend_curve bound, const binding& asked) {
    const auto& seen = asked.basis.seen_scale_outs;
    if (asked.non_increasing) bound.table.forbid_increase(seen.smallest, seen.largest);
    bound.contradictory_runs = contradict_each_other(asked.own);
    return curve(bound, seen, static_cast<std::uint32_t>(asked.own.size()));
}

[[nodiscard]] inline result<curve> bind(const blend_kind& kind, const binding& asked) {
    return curve_of(kind.experts->bind(asked.subject, asked.own, asked.only), asked);
}

[[nodiscard]] inline const feature_map* features_of(const blend_kind& kind) noexcept {
    return &kind.experts->data().features;
}

/// Error: invalid_model, where no expert can answer.
[[nodiscard]] inline result<void> can_answer(const blend_kind& kind) {
    if (kind.experts->usable()) return {};
    return fail(errc::invalid_model, "expected an expert that can answer in section BLND, found none");
}

[[nodiscard]] inline const blend_data& stored(const blend_kind& kind) noexcept { return kind.experts->data(); }

/// Conditions its experts when they are first asked. Error: invalid_model, where the numbers do not fit each other.
[[nodiscard]] inline result<blend_kind> restored(blend_data&& from, const schema&) {
    if (!is_consistent(from))
        return fail(errc::invalid_model, "expected data that fit each other in section BLND, found something else");
    return blend_kind{.experts = shared(fitted_blend::factorised_on_first_use(std::move(from)))};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
