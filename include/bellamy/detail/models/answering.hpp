// What answers inside a model.
#ifndef BELLAMY_DETAIL_MODELS_ANSWERING_HPP
#define BELLAMY_DETAIL_MODELS_ANSWERING_HPP

#include <bellamy/detail/models/kinds.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Of one of the kinds; a name of its own, so that a model can be declared without it.
struct answering {
    any_kind kind;
};

/// Checks observed runs against a model's schema; errors name the run.
[[nodiscard]] inline result<void> validate_observed(const schema& expected, std::span<const run> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto valid = expected.check(runs[i].context);
        if (valid) valid = validate(runs[i]);
        if (!valid) return fail(valid.error().code(), "run ", i, ": ", valid.error().message());
    }
    return {};
}

/// Binds what answers inside a model. Where `only` is not empty, the curve need not answer at other scale-outs.
[[nodiscard]] inline result<curve> bind_kind(const any_kind& kind, const schema& properties, const training_basis& basis,
                                             std::span<const run> observed, const context& subject, bool non_increasing,
                                             std::span<const int> only = {}) {
    if (auto fits = properties.check(subject); !fits) return fits.error();
    std::vector<run> own;
    for (const auto& each : observed)
        if (each.context == subject) own.push_back(each);
    const binding asked{.subject = subject,
                        .own = own,
                        .observed = observed,
                        .basis = basis,
                        .non_increasing = non_increasing,
                        .only = only};
    return std::visit([&](const auto& each) { return bind(each, asked); }, kind);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
