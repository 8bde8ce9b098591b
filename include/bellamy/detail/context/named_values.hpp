// Definition of schema::context: a context from values by name.
#ifndef BELLAMY_DETAIL_CONTEXT_NAMED_VALUES_HPP
#define BELLAMY_DETAIL_CONTEXT_NAMED_VALUES_HPP

#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/schema.hpp>

#include <charconv>

namespace bellamy::inline BELLAMY_ABI::detail {

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

}  // namespace bellamy::inline BELLAMY_ABI::detail

namespace bellamy::inline BELLAMY_ABI {

inline result<context> schema::context(std::span<const named_value> values) const {
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

}  // namespace bellamy::inline BELLAMY_ABI

#endif
