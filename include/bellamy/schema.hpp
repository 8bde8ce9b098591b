// The schema that all contexts of a model share: names, kinds and roles of their properties, and the unit of scale-out.
#ifndef BELLAMY_SCHEMA_HPP
#define BELLAMY_SCHEMA_HPP

#include <bellamy/run.hpp>

#include <initializer_list>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A property without its value.
struct property_definition {
    std::string name{};
    property_kind kind = property_kind::text;
    property_role role = property_role::none;
    bool scales_with_scale_out = false;

    bool operator==(const property_definition&) const = default;
};

[[nodiscard]] inline property_definition define(const property& example) {
    return {.name = example.name,
            .kind = example.kind(),
            .role = example.role,
            .scales_with_scale_out = example.scales_with_scale_out};
}

/// Stands for a value that is not known, in a list of named ones.
inline constexpr std::nullopt_t unknown_value = std::nullopt;

/// A property's value by its name, which is all that a schema asks for: {"machine", "m5.large"}, {"size_gb", 15}.
struct named_value {
    std::string name{};
    property_value value{};

    named_value(std::string property, property_value given) : name(std::move(property)), value(std::move(given)) {}
};

namespace detail {

/// A map, or a list of pairs, whose entries are names and values.
template <class Map>
concept values_by_name = requires(const Map& map) {
    named_value(map.begin()->first, map.begin()->second);
    map.end();
};

}  // namespace detail

/// The properties that a model was trained with, essential ones in order, and what one unit of its scale-out is.
struct schema {
    std::vector<property_definition> essential{};
    std::vector<property_definition> optional{};
    scale_out_unit unit = scale_out_unit::node;

    bool operator==(const schema&) const = default;

    /// Checks that a context has all essential properties in order and no optional property that the schema does not have.
    /// Errors: unit_mismatch, essential_count_mismatch, property_mismatch, unknown_property, and those of `validate`.
    result<void> check(const bellamy::context& target) const;

    /// The context with these values, in any order: kinds, roles, the order and the unit are the schema's. Optional
    /// properties may be left out, `unknown_value` stands for what is not known, what scales is given per unit of scale-out.
    /// A whole number may stand for a quantity, a double without a fraction for a natural number, and a text that spells a
    /// number for that number. Errors:
    /// essential_count_mismatch names those that are missing, unknown_property those that the schema does not have;
    /// property_mismatch, invalid_quantity, and those of `validate`. Allocates.
    result<bellamy::context> context(std::span<const named_value> values) const;
    /// The same for values in braces.
    result<bellamy::context> context(std::initializer_list<named_value> values) const {
        return context(std::span(values.begin(), values.size()));
    }
    /// The same for a map from names to values, of one type or of `property_value`.
    template <detail::values_by_name Map>
    result<bellamy::context> context(const Map& values) const {
        std::vector<named_value> named;
        for (const auto& [name, value] : values) named.emplace_back(name, value);
        return context(std::span<const named_value>(named));
    }
};

/// The schema that all the runs share; optional properties are the union of theirs.
/// Errors: empty_history, unknown_value, and, with the number of the run from 0, those of `validate` and, where two runs
/// disagree, of `schema::check`.
result<schema> schema_of(std::span<const run> history);

/// The number of each run's context, counted from 0 in order of first appearance. Allocates.
[[nodiscard]] std::vector<std::uint32_t> context_numbers(std::span<const run> history);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/context/schema_impl.hpp>  // IWYU pragma: export
#endif

#endif
