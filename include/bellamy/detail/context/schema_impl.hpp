// Definitions of what schema.hpp declares.
#ifndef BELLAMY_DETAIL_CONTEXT_SCHEMA_IMPL_HPP
#define BELLAMY_DETAIL_CONTEXT_SCHEMA_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/schema.hpp>

#include <algorithm>
#include <charconv>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

[[nodiscard]] inline result<void> check_definition(const property_definition& expected, const property& found) {
    if (expected == define(found)) return {};
    if (found.kind() == property_kind::unknown && found.name == expected.name) return {};
    const auto scales = [](bool yes) { return std::string_view(yes ? ", scaling" : ""); };
    return fail(errc::property_mismatch, "expected property ", expected.name, " (", to_string(expected.kind), ", role ",
                to_string(expected.role), scales(expected.scales_with_scale_out), "), found ", found.name, " (",
                to_string(found.kind()), ", role ", to_string(found.role), scales(found.scales_with_scale_out), ")");
}

[[nodiscard]] inline const property_definition* find(const std::vector<property_definition>& list, std::string_view name) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
    return at == list.end() ? nullptr : &*at;
}

/// `List` holds properties or definitions.
template <class List>
[[nodiscard]] bool has_name(const List& list, std::string_view name) noexcept {
    return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
}

[[nodiscard]] inline const property* find_unknown(const context& in) noexcept {
    for (const auto* list : {&in.essential, &in.optional})
        for (const auto& each : *list)
            if (each.kind() == property_kind::unknown) return &each;
    return nullptr;
}

/// Names the first essential property that is missing, or the first that is not known.
[[nodiscard]] inline error count_mismatch(const schema& expected, const context& found) {
    const auto tell = [&](const auto&... which) {
        return fail(errc::essential_count_mismatch, "expected ", expected.essential.size(), " essential properties, found ",
                    found.essential.size(), which...);
    };
    for (const auto& each : expected.essential)
        if (!has_name(found.essential, each.name)) return tell(": ", each.name, " is missing");
    for (const auto& each : found.essential)
        if (!has_name(expected.essential, each.name)) return tell(": ", each.name, " is none of them");
    return tell();
}

[[nodiscard]] inline result<void> check_essential(const schema& expected, const context& found) {
    if (found.unit != expected.unit)
        return fail(errc::unit_mismatch, "expected a scale-out that counts units of ", to_string(expected.unit), ", found ",
                    to_string(found.unit));
    if (found.essential.size() != expected.essential.size()) return count_mismatch(expected, found);
    for (std::size_t i = 0; i < expected.essential.size(); ++i)
        if (auto same = check_definition(expected.essential[i], found.essential[i]); !same) return same;
    return {};
}

/// The number that a text spells; nothing where it spells none of this kind.
[[nodiscard]] inline std::optional<property_value> number_of_text(property_kind kind, std::string_view words) noexcept {
    if (kind == property_kind::quantity) {
        const auto real = decimal_of(words);
        return real ? std::optional<property_value>(*real) : std::nullopt;
    }
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(words.data(), words.data() + words.size(), number);
    if (status != std::errc{} || end != words.data() + words.size()) return std::nullopt;
    return number;
}

/// A property as the schema defines it, with the value given.
[[nodiscard]] inline result<property> with_value(const property_definition& expected, const property_value& given) {
    property made{.name = expected.name,
                  .value = given,
                  .role = expected.role,
                  .scales_with_scale_out = expected.scales_with_scale_out};
    if (made.kind() == expected.kind || made.kind() == property_kind::unknown) return made;
    if (const auto* words = std::get_if<std::string>(&given)) {
        const auto number = number_of_text(expected.kind, *words);
        if (!number)
            return fail(errc::invalid_quantity, "expected a ", to_string(expected.kind), " for property ", expected.name,
                        ", found \"", *words, "\"");
        made.value = *number;
        return made;
    }
    if (const auto* real = std::get_if<double>(&given); real != nullptr && expected.kind == property_kind::natural)
        return fail(errc::property_mismatch, "expected a natural number for property ", expected.name,
                    ", found the quantity ", *real);
    const auto* whole = std::get_if<std::uint64_t>(&given);
    if (whole == nullptr || expected.kind != property_kind::quantity)
        return fail(errc::property_mismatch, "expected a ", to_string(expected.kind), " for property ", expected.name,
                    ", found a ", to_string(made.kind()));
    made.value = static_cast<double>(*whole);
    return made;
}

/// The names of a list for a message, those that `wanted` takes.
template <class List, class Wanted>
[[nodiscard]] std::string names_in(const List& list, Wanted wanted) {
    std::string names;
    for (const auto& each : list)
        if (wanted(each)) names += (names.empty() ? "" : ", ") + each.name;
    return names;
}

/// Whether every value is of a property that the schema has, every essential one has a value, and none has two.
[[nodiscard]] inline result<void> check_names(const schema& expected, std::span<const named_value> values) {
    const auto every = [](const auto&) { return true; };
    const auto is_strange = [&](const named_value& each) {
        return find(expected.essential, each.name) == nullptr && find(expected.optional, each.name) == nullptr;
    };
    if (const auto strange = names_in(values, is_strange); !strange.empty())
        return fail(errc::unknown_property, "expected no properties but those of the model, found ", strange,
                    "; the model has ", names_in(expected.essential, every), expected.optional.empty() ? "" : ", ",
                    names_in(expected.optional, every));
    const auto lacks = [&](const property_definition& each) { return !has_name(values, each.name); };
    if (const auto missing = names_in(expected.essential, lacks); !missing.empty())
        return fail(errc::essential_count_mismatch, "expected values of ", missing, ", found none");
    for (const auto& each : values)
        if (has_name(values.first(static_cast<std::size_t>(&each - values.data())), each.name))
            return fail(errc::duplicate_property, "expected every property once, found ", each.name, " twice");
    return {};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> schema::check(const bellamy::context& subject) const {
    if (auto valid = validate(subject); !valid) return valid;
    if (auto same = detail::check_essential(*this, subject); !same) return same;
    for (const auto& each : subject.optional) {
        const auto* expected = detail::find(optional, each.name);
        if (expected == nullptr)
            return detail::fail(errc::unknown_property, "expected optional properties that the model knows, found ",
                                each.name);
        if (auto same = detail::check_definition(*expected, each); !same) return same;
    }
    return {};
}

BELLAMY_PUBLIC_INLINE result<schema> schema_of(std::span<const run> history) {
    if (history.empty()) return detail::fail(errc::empty_history, "expected at least one run, found an empty history");
    schema shared{.unit = history.front().context.unit};
    for (const auto& each : history)
        if (const auto* blank = detail::find_unknown(each.context))
            return detail::fail(errc::unknown_value, "run ", &each - history.data(), ": expected a known value of property ",
                                blank->name, " in a history, found unknown");
    for (const auto& each : history.front().context.essential) shared.essential.push_back(define(each));
    const auto in_run = [&](const run& each, const error& cause) {
        return detail::fail(cause.code(), "run ", &each - history.data(), ": ", cause.message());
    };
    for (const auto& each : history) {
        if (auto valid = validate(each); !valid) return in_run(each, valid.error());
        if (auto same = detail::check_essential(shared, each.context); !same) return in_run(each, same.error());
        for (const auto& one : each.context.optional) {
            const auto* known = detail::find(shared.optional, one.name);
            if (known == nullptr) {
                shared.optional.push_back(define(one));
            } else if (auto same = detail::check_definition(*known, one); !same) {
                return in_run(each, same.error());
            }
        }
    }
    if (shared.optional.size() > most_properties)
        return detail::fail(errc::too_many_properties, "expected at most ", most_properties, " optional properties, found ",
                            shared.optional.size());
    return shared;
}

BELLAMY_PUBLIC_INLINE std::vector<std::uint32_t> context_numbers(std::span<const run> history) {
    detail::context_numbering number;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(history.size());
    for (const auto& each : history) numbers.push_back(static_cast<std::uint32_t>(number(each.context)));
    return numbers;
}

BELLAMY_PUBLIC_INLINE result<context> schema::context(std::span<const named_value> values) const {
    if (auto known = detail::check_names(*this, values); !known) return known.error();
    bellamy::context made{.unit = unit};
    for (const auto& [from, into] : {std::pair{&essential, &made.essential}, std::pair{&optional, &made.optional}}) {
        for (const auto& expected : *from) {
            const auto given = std::find_if(values.begin(), values.end(),
                                            [&name = expected.name](const auto& each) { return each.name == name; });
            if (given == values.end()) continue;
            auto one = detail::with_value(expected, given->value);
            if (!one) return one.error();
            into->push_back(*std::move(one));
        }
    }
    if (auto valid = validate(made); !valid) return valid.error();
    return made;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
