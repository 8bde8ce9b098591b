// Definitions of what unseen_values.hpp declares.
#ifndef BELLAMY_DETAIL_MODELS_UNSEEN_VALUES_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_UNSEEN_VALUES_IMPL_HPP

#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/unseen_values.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<std::vector<unseen_value>> unseen_values(const model& general, const context& subject) {
    if (auto fits = general.schema().check(subject); !fits) return fits.error();
    std::vector<unseen_value> found;
    const auto* features = detail::features_of(general);
    if (features == nullptr) return found;
    for (const auto& each : features->known) {
        if (!detail::is_unseen(each, subject)) continue;
        const auto* words = std::get_if<std::string>(&detail::find_property(subject, each.property)->value);
        found.push_back(
            {.property = each.property, .value = words == nullptr ? std::string() : *words, .known = each.values});
    }
    return found;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
