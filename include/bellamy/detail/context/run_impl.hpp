// Definitions of run.hpp: equality of contexts, and validation of properties, contexts and runs.
#ifndef BELLAMY_DETAIL_CONTEXT_RUN_IMPL_HPP
#define BELLAMY_DETAIL_CONTEXT_RUN_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

inline result<void> validate_property(const property& property) {
    if (property.name.empty() || !is_utf8(property.name))
        return fail(errc::invalid_text, "expected a property name in UTF-8 that is not empty, found \"", property.name,
                    "\"");
    if (property.name.size() > longest_name_bytes)
        return fail(errc::invalid_text, "expected a property name of at most ", longest_name_bytes, " bytes, found ",
                    property.name.size());
    if (property.role > property_role::machine_type)
        return fail(errc::invalid_option, "expected a role from 0 to ", static_cast<int>(property_role::machine_type),
                    " in property ", property.name, ", found ", static_cast<int>(property.role));
    switch (property.kind()) {
        case property_kind::text:
            if (!is_utf8(*property.value.text()))
                return fail(errc::invalid_text, "expected UTF-8 text in property ", property.name, ", found other bytes");
            if (property.scales_with_scale_out)
                return fail(errc::invalid_text, "expected a number in property ", property.name,
                            " because it scales with the scale-out, found text");
            if (property.role != property_role::none && property.role != property_role::machine_type)
                return fail(errc::property_mismatch, "expected a number in property ", property.name, " of the role ",
                            to_string(property.role), ", in one unit throughout, found the text \"", *property.value.text(),
                            "\"");
            break;
        case property_kind::natural:
            if (const auto value = *property.value.natural(); value > largest_natural)
                return fail(errc::number_too_large, "expected at most 39 bits (", largest_natural,
                            "; else give it in a larger unit, such as MB) in property ", property.name, ", found ", value);
            break;
        case property_kind::quantity:
            if (const double value = *property.value.quantity(); !(value > 0) || !std::isfinite(value))
                return fail(errc::invalid_quantity, "expected a finite quantity > 0 in property ", property.name, ", found ",
                            value);
            break;
        case property_kind::unknown: break;
    }
    return {};
}

// Quadratic, but over at most 64 short names.
inline result<void> validate_distinct(std::span<const property* const> all) {
    for (size_t i = 0; i < all.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (all[i]->name == all[j]->name)
                return fail(errc::duplicate_property, "expected every property once, found ", all[i]->name, " twice");
            if (all[i]->role != property_role::none && all[i]->role == all[j]->role)
                return fail(errc::duplicate_property, "expected every role once, found ", to_string(all[i]->role), " in ",
                            all[j]->name, " and ", all[i]->name);
        }
    }
    return {};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE bool operator==(const context& a, const context& b) {
    const auto same = [](const property& x, const property& y) { return x.name == y.name && x.value == y.value; };
    if (a.unit != b.unit || a.essential.size() != b.essential.size() || a.optional.size() != b.optional.size()) return false;
    if (!std::equal(a.essential.begin(), a.essential.end(), b.essential.begin(), same)) return false;
    return std::all_of(a.optional.begin(), a.optional.end(), [&](const property& x) {
        return std::any_of(b.optional.begin(), b.optional.end(), [&](const property& y) { return same(x, y); });
    });
}

BELLAMY_PUBLIC_INLINE result<void> validate(const context& context) {
    if (context.unit > scale_out_unit::core)
        return detail::fail(errc::invalid_option, "expected a unit of scale-out from 0 to ",
                            static_cast<int>(scale_out_unit::core), ", found ", static_cast<int>(context.unit));
    std::vector<const property*> all;
    size_t scaling = 0;
    for (const auto* list : {&context.essential, &context.optional}) {
        if (list->size() > most_properties)
            return detail::fail(errc::too_many_properties, "expected at most ", most_properties,
                                " essential and as many optional properties, found ", list->size());
        for (const auto& property : *list) {
            if (auto valid = detail::validate_property(property); !valid) return valid;
            all.push_back(&property);
            if (property.scales_with_scale_out) ++scaling;
        }
    }
    if (scaling > most_scaling_properties)
        return detail::fail(errc::too_many_properties, "expected at most ", most_scaling_properties,
                            " properties that scale with the scale-out, found ", scaling);
    return detail::validate_distinct(all);
}

BELLAMY_PUBLIC_INLINE result<void> validate_scale_out(int scale_out) noexcept {
    return detail::check_scale_out(scale_out, largest_scale_out);
}

BELLAMY_PUBLIC_INLINE result<void> validate(const run& run) {
    if (auto valid = validate(run.context); !valid) return valid;
    if (auto valid = validate_scale_out(run.scale_out); !valid) return valid;
    if (!(run.runtime_s > 0) || !std::isfinite(run.runtime_s))
        return detail::fail(errc::invalid_runtime, "expected a finite runtime > 0 seconds, found ", run.runtime_s);
    if (!(run.weight > 0) || !std::isfinite(run.weight))
        return detail::fail(errc::invalid_weight, "expected a finite weight > 0, found ", run.weight);
    if (run.timestamp_s && !std::isfinite(*run.timestamp_s))
        return detail::fail(errc::invalid_quantity, "expected finite seconds as timestamp, found ", *run.timestamp_s);
    for (const auto* list : {&run.context.essential, &run.context.optional}) {
        for (const auto& property : *list) {
            const auto* natural = property.value.natural();
            const auto factor = property.scales_with_scale_out ? static_cast<std::uint64_t>(run.scale_out) : 1U;
            const auto* real = property.value.quantity();
            if (real != nullptr && !std::isfinite(*real * static_cast<double>(factor)))
                return detail::fail(errc::invalid_quantity, "expected a finite quantity in property ", property.name,
                                    ", found ", *real, " times ", factor);
            if (natural != nullptr && *natural > largest_natural / factor)
                return detail::fail(errc::number_too_large, "expected at most 39 bits (", largest_natural,
                                    "; else give it in a larger unit, such as MB) in property ", property.name, ", found ",
                                    *natural, " times ", factor);
        }
    }
    return {};
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
