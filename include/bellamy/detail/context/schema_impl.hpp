// Definitions of schema.hpp: checks of contexts against a schema, and contexts from named values.
#ifndef BELLAMY_DETAIL_CONTEXT_SCHEMA_IMPL_HPP
#define BELLAMY_DETAIL_CONTEXT_SCHEMA_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/nearest_name.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/schema.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

inline result<void> check_definition(const property_definition& expected, const property& found) {
    if (expected == define(found)) return {};
    if (found.kind() == property_kind::unknown && found.name == expected.name) return {};
    const auto scales = [](bool yes) { return std::string_view(yes ? ", scaling" : ""); };
    return fail(errc::property_mismatch, "expected property ", expected.name, " (", to_string(expected.kind), ", role ",
                to_string(expected.role), scales(expected.scales_with_scale_out), "), found ", found.name, " (",
                to_string(found.kind()), ", role ", to_string(found.role), scales(found.scales_with_scale_out), ")");
}

/// The first element of this name; null where there is none. The list holds properties, definitions or named values.
const auto* find(const auto& list, std::string_view name) noexcept {
    const auto position = find_if(list, [&](const auto& named) { return named.name == name; });
    return position == list.end() ? nullptr : &*position;
}

bool has_name(const auto& list, std::string_view name) noexcept { return find(list, name) != nullptr; }

inline const property* find_unknown(const context& source) noexcept {
    return find_property_if(source, [](const property& each) { return each.kind() == property_kind::unknown; });
}

/// The error of a wrong number of essential properties; it names the first that is missing, or the first that is unknown.
inline error count_mismatch(const schema& expected, const context& found) {
    const auto wrong_count = [&](const auto&... reason) {
        return fail(errc::essential_count_mismatch, "expected ", expected.essential.size(), " essential properties, found ",
                    found.essential.size(), reason...);
    };
    for (const auto& definition : expected.essential)
        if (!has_name(found.essential, definition.name)) return wrong_count(": ", definition.name, " is missing");
    for (const auto& property : found.essential)
        if (!has_name(expected.essential, property.name)) return wrong_count(": ", property.name, " is none of them");
    return wrong_count();  // no name differs: one is given twice
}

inline result<void> check_essential(const schema& expected, const context& found) {
    if (found.unit != expected.unit)
        return fail(errc::unit_mismatch, "expected a scale-out that counts units of ", to_string(expected.unit), ", found ",
                    to_string(found.unit));
    if (found.essential.size() != expected.essential.size()) return count_mismatch(expected, found);
    for (size_t i = 0; i < expected.essential.size(); ++i)
        if (auto same = check_definition(expected.essential[i], found.essential[i]); !same) return same;
    return {};
}

/// A double as a number of this kind; nothing for a fraction where a natural number is expected. What reads JSON has every
/// number as a double.
inline std::optional<property_value> number_of(property_kind kind, double number) noexcept {
    if (kind == property_kind::quantity) return number;
    constexpr double largest_exact = 9007199254740992;  // 2^53; validate refuses what no property can hold
    if (!(number >= 0 && number <= largest_exact && number == std::floor(number))) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

/// A property of this value, with the name, the scaling and the role (what it means, such as a data size) of its definition.
inline result<property> with_value(const property_definition& expected, const property_value& value) {
    property result{.name = expected.name,
                    .value = value,
                    .role = expected.role,
                    .scales_with_scale_out = expected.scales_with_scale_out};
    if (result.kind() == expected.kind || result.kind() == property_kind::unknown) return result;
    if (const auto* words = value.text()) {
        const auto read = nearest_decimal_of(*words);
        const auto number = read ? number_of(expected.kind, *read) : std::nullopt;
        if (!number)
            return fail(errc::invalid_quantity, "expected a ", to_string(expected.kind), " for property ", expected.name,
                        ", alone and in the unit of the history, found \"", *words, "\"");
        result.value = *number;
        return result;
    }
    if (const auto* real = value.quantity(); real != nullptr && expected.kind == property_kind::natural) {
        const auto number = number_of(expected.kind, *real);
        if (!number)
            return fail(errc::property_mismatch, "expected a natural number for property ", expected.name,
                        ", found the quantity ", *real);
        result.value = *number;
        return result;
    }
    const auto* natural = value.natural();
    if (natural == nullptr || expected.kind != property_kind::quantity)
        return fail(errc::property_mismatch, "expected a ", to_string(expected.kind), " for property ", expected.name,
                    ", found a ", to_string(result.kind()));
    result.value = static_cast<double>(*natural);
    return result;
}

/// The names, separated by commas, of the elements for which the predicate holds.
std::string names_in(const auto& list, auto predicate) {
    std::string names;
    for (const auto& named : list)
        if (predicate(named)) names += (names.empty() ? "" : ", ") + named.name;
    return names;
}

/// Checks that every value is of a property of the schema, and that every essential property has exactly one value.
inline result<void> check_names(const schema& expected, std::span<const named_value> values) {
    const auto every = [](const auto&) { return true; };
    const auto is_unknown = [&](const named_value& value) {
        return !has_name(expected.essential, value.name) && !has_name(expected.optional, value.name);
    };
    if (const auto first = find_if(values, is_unknown); first != values.end()) {
        std::vector<std::string> names;
        for_each_property(expected, [&](const auto& definition) { names.push_back(definition.name); });
        const auto meant = nearest_name(first->name, names);
        return fail(
            errc::unknown_property, "expected no properties but those of the model, found ", names_in(values, is_unknown),
            meant.empty() ? "" : " (is " + first->name + " meant to be " + meant + "?)", "; the model has ",
            names_in(expected.essential, every), expected.optional.empty() ? "" : ", ", names_in(expected.optional, every));
    }
    const auto lacks = [&](const property_definition& definition) { return !has_name(values, definition.name); };
    if (const auto missing = names_in(expected.essential, lacks); !missing.empty())
        return fail(errc::essential_count_mismatch, "expected values of ", missing, ", found none");
    for (const auto& value : values)
        if (has_name(values.first(static_cast<size_t>(&value - values.data())), value.name))
            return fail(errc::duplicate_property, "expected every property once, found ", value.name, " twice");
    return {};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> schema::check(const bellamy::context& target) const {
    if (auto valid = validate(target); !valid) return valid;
    if (auto same = detail::check_essential(*this, target); !same) return same;
    for (const auto& property : target.optional) {
        const auto* expected = detail::find(optional, property.name);
        if (expected == nullptr)
            return detail::fail(errc::unknown_property, "expected optional properties that the model knows, found ",
                                property.name);
        if (auto same = detail::check_definition(*expected, property); !same) return same;
    }
    return {};
}

BELLAMY_PUBLIC_INLINE result<schema> schema_of(std::span<const run> history) {
    if (history.empty()) return detail::fail(errc::empty_history, "expected at least one run, found an empty history");
    schema common{.unit = history.front().context.unit};
    for (const auto& run : history)
        if (const auto* unknown = detail::find_unknown(run.context))
            return detail::fail(errc::unknown_value, "run ", &run - history.data(), ": expected a known value of property ",
                                unknown->name, " in a history, found unknown");
    for (const auto& property : history.front().context.essential) common.essential.push_back(define(property));
    const auto in_run = [&](const bellamy::run& run, const error& cause) {
        return detail::with_subject(cause, "run ", &run - history.data());
    };
    for (const auto& run : history) {
        if (auto valid = validate(run); !valid) return in_run(run, valid.error());
        if (auto same = detail::check_essential(common, run.context); !same) return in_run(run, same.error());
        for (const auto& property : run.context.optional) {
            const auto* known = detail::find(common.optional, property.name);
            if (known == nullptr) {
                common.optional.push_back(define(property));
            } else if (auto same = detail::check_definition(*known, property); !same) {
                return in_run(run, same.error());
            }
        }
    }
    if (common.optional.size() > most_properties)
        return detail::fail(errc::too_many_properties, "expected at most ", most_properties, " optional properties, found ",
                            common.optional.size());
    return common;
}

BELLAMY_PUBLIC_INLINE std::vector<std::uint32_t> context_numbers(std::span<const run> history) {
    detail::context_numbering number_of;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(history.size());
    for (const auto& run : history) numbers.push_back(static_cast<std::uint32_t>(number_of(run.context)));
    return numbers;
}

BELLAMY_PUBLIC_INLINE result<context> schema::context(std::span<const named_value> values) const {
    if (auto known = detail::check_names(*this, values); !known) return known.error();
    bellamy::context result{.unit = unit};
    for (const auto& [definitions, properties] :
         {std::pair{&essential, &result.essential}, std::pair{&optional, &result.optional}}) {
        for (const auto& expected : *definitions) {
            const auto* named = detail::find(values, expected.name);
            if (named == nullptr) continue;
            auto property = detail::with_value(expected, named->value);
            if (!property) return property.error();
            properties->push_back(*std::move(property));
        }
    }
    if (auto valid = validate(result); !valid) return valid.error();
    return result;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
