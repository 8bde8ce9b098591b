// What the contexts of one model have in common: names, kinds and roles of their properties, and the unit of scale-out.
#ifndef BELLAMY_SCHEMA_HPP
#define BELLAMY_SCHEMA_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>

namespace bellamy::inline BELLAMY_ABI {

/// A property without its value.
struct property_definition {
    std::string name{};
    property_kind kind = property_kind::text;
    property_role role = property_role::none;
    bool scales_with_scale_out = false;

    friend bool operator==(const property_definition&, const property_definition&) = default;
};

[[nodiscard]] inline property_definition define(const property& example) {
    return {.name = example.name,
            .kind = example.kind(),
            .role = example.role,
            .scales_with_scale_out = example.scales_with_scale_out};
}

/// Stands for a value that is not known, in a list of named ones.
inline constexpr std::monostate unknown_value{};

/// A property's value by its name, which is all that a schema asks for: {"machine", "m5.large"}, {"size_gb", 15}.
struct named_value {
    std::string name{};
    property_value value{};

    template <std::convertible_to<std::string_view> Text>
    requires(!std::is_null_pointer_v<Text>) named_value(std::string of, const Text& text)
        : name(std::move(of)), value(std::string(std::string_view(text))) {}
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) named_value(std::string of, Number number) : name(std::move(of)) {
        if (number < 0) {
            value = static_cast<double>(number);
        } else {
            value = static_cast<std::uint64_t>(number);
        }
    }
    template <std::floating_point Number>
    named_value(std::string of, Number number) : name(std::move(of)), value(static_cast<double>(number)) {}
    named_value(std::string of, std::monostate not_known) : name(std::move(of)), value(not_known) {}
};

/// The properties that a model was trained with, essential ones in order, and what one unit of its scale-out is.
struct schema {
    std::vector<property_definition> essential{};
    std::vector<property_definition> optional{};
    scale_out_unit unit = scale_out_unit::node;

    friend bool operator==(const schema&, const schema&) = default;

    /// Checks that a context has all essential properties in order and no optional property that is not known here.
    /// Errors: unit_mismatch, essential_count_mismatch, property_mismatch, unknown_property, and those of `validate`.
    [[nodiscard]] result<void> check(const bellamy::context& subject) const;

    /// The context with these values, in any order: kinds, roles, the order and the unit are the schema's. Optional
    /// properties may be left out, `unknown_value` stands for what is not known, what scales is given per unit of scale-out.
    /// A whole number may stand for a quantity, and a text that spells a number for that number. Errors:
    /// essential_count_mismatch names those that are missing, unknown_property those that the schema does not have;
    /// property_mismatch, invalid_quantity, and those of `validate`. Allocates.
    [[nodiscard]] result<bellamy::context> context(std::span<const named_value> values) const;
    /// The same for values in braces.
    [[nodiscard]] result<bellamy::context> context(std::initializer_list<named_value> values) const {
        return context(std::span(values.begin(), values.size()));
    }
};

/// The schema that all the runs share; optional properties are the union of theirs.
/// Errors: empty_history, unknown_value, and, with the number of the run from 0, those of `validate` and, where two runs
/// disagree, of `schema::check`.
[[nodiscard]] result<schema> schema_of(std::span<const run> history);

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

}  // namespace detail

inline result<void> schema::check(const bellamy::context& subject) const {
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

inline result<schema> schema_of(std::span<const run> history) {
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

/// The number of each run's context, counted from 0 in order of first appearance. Allocates.
[[nodiscard]] inline std::vector<std::uint32_t> context_numbers(std::span<const run> history) {
    detail::context_numbering number;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(history.size());
    for (const auto& each : history) numbers.push_back(static_cast<std::uint32_t>(number(each.context)));
    return numbers;
}

}  // namespace bellamy::inline BELLAMY_ABI

#include <bellamy/detail/context/named_values.hpp>  // IWYU pragma: export

#endif
