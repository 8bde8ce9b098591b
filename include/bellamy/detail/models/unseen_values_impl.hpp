// Definition of `unseen_values`: compares the texts of a context with those of the history.
#ifndef BELLAMY_DETAIL_MODELS_UNSEEN_VALUES_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_UNSEEN_VALUES_IMPL_HPP

#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/unseen_values.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<std::vector<unseen_value>> unseen_values(const model& general, const context& target) {
    if (auto fits = general.schema().check(target); !fits) return fits.error();
    std::vector<unseen_value> unseen;
    const auto* features = detail::features_of(general);
    if (features == nullptr) return unseen;
    for (const auto& known : features->known) {
        if (!detail::is_unseen(known, target)) continue;
        const auto* words = detail::find_property(target, known.property)->value.text();
        unseen.push_back(
            {.property = known.property, .value = words == nullptr ? std::string() : *words, .known = known.values});
    }
    return unseen;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
