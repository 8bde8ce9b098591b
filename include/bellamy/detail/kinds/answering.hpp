// What answers inside a model.
#ifndef BELLAMY_DETAIL_KINDS_ANSWERING_HPP
#define BELLAMY_DETAIL_KINDS_ANSWERING_HPP

#include <bellamy/detail/kinds/kinds.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
