// The kind of model that holds a cold start's prior of curve shapes: binds contexts, and is checked when it is read.
#ifndef BELLAMY_DETAIL_MODELS_SHAPES_KIND_HPP
#define BELLAMY_DETAIL_MODELS_SHAPES_KIND_HPP

#include <bellamy/detail/models/blend_kind.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct shapes_kind {
    static constexpr std::string_view section = "SHAP";

    result<curve> bind(const binding& question) const {
        auto others = resize_runs(question.observed, question.target);
        if (others.runs.empty() && question.target_runs.empty())
            others = resize_runs(question.observed, question.target, /*any_values=*/true);
        return curve_of(prior->bind(question.target_runs, default_scale_outs, others, cores_of_unit(question.target)),
                        question);
    }

    shared<shape_prior> prior;
};

inline const shape_prior& stored(const shapes_kind& kind) noexcept { return *kind.prior; }

/// From a file. Error: invalid_model, where numbers are inconsistent.
[[gnu::cold]] inline result<shapes_kind> restored(shape_prior&& prior, const schema&) {
    if (!is_consistent(prior)) return malformed(shapes_kind::section, "data that fit each other");
    return shapes_kind{.prior = shared(std::move(prior))};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
