// The kind of model that holds a fitted blend: binds contexts, and is checked when it is read from a file.
#ifndef BELLAMY_DETAIL_MODELS_BLEND_KIND_HPP
#define BELLAMY_DETAIL_MODELS_BLEND_KIND_HPP

#include <bellamy/detail/models/blend_fields.hpp>
#include <bellamy/detail/models/model_access.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The curve of a blend or a cold start: checks the runs for contradictions, and forbids an increase where that is set.
inline result<curve> curve_of(blend_curve bound, const binding& question) {
    const auto& seen = question.basis.seen_scale_outs;
    if (question.non_increasing) bound.table.forbid_increase(seen.smallest, seen.largest);
    bound.contradictory_runs = bound.contradictory_runs || contradict_each_other(question.target_runs);
    return curve(bound, seen, static_cast<std::uint32_t>(question.target_runs.size()));
}

struct blend_kind {
    static constexpr std::string_view section = "BLND";

    result<curve> bind(const binding& question) const {
        return curve_of(blend->bind(question.target, question.target_runs, question.scale_outs), question);
    }

    shared<fitted_blend> blend;
};

/// The feature map of the history; null where the model does not keep one.
inline const feature_map* features_of(const model& source) noexcept {
    const auto* const kind = model_access::get_if<blend_kind>(source);
    return kind != nullptr ? &kind->blend->data().features : nullptr;
}

inline const blend_data& stored(const blend_kind& kind) noexcept { return kind.blend->data(); }

/// From a file; the experts are factorised on first use. Error: invalid_model, where numbers are inconsistent.
[[gnu::cold]] inline result<blend_kind> restored(blend_data&& data, const schema&) {
    if (!is_consistent(data)) return malformed(blend_kind::section, "data that fit each other");
    return blend_kind{.blend = shared(fitted_blend::factorised_on_first_use(std::move(data)))};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
