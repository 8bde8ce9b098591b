// The properties of an application's runs as contexts of one schema.
#ifndef BELLAMY_DETAIL_APPLICATION_COMMON_CONTEXT_HPP
#define BELLAMY_DETAIL_APPLICATION_COMMON_CONTEXT_HPP

#include <bellamy/detail/format/envelope.hpp>
#include <bellamy/trace.hpp>

#include <cmath>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The property of this name, where its value is known; else null.
inline const property* find_known(std::span<const property> properties, std::string_view name) noexcept {
    const auto match = find_if(properties, [&](const property& property) { return property.name == name; });
    return match == properties.end() || match->kind() == property_kind::unknown ? nullptr : &*match;
}

/// Spearman's rank correlation; 0 where one of them does not vary.
inline double rank_correlation(std::span<const double> a, std::span<const double> b) {
    // Less their mean.
    const auto ranks_of = [](std::span<const double> values) {
        std::vector<double> ranks(values.size(), -count_of(values) / 2);
        for (size_t i = 0; i < values.size(); ++i)
            for (const double value : values) ranks[i] += value < values[i] ? 1 : value == values[i] ? 0.5 : 0;
        return ranks;
    };
    const auto x = ranks_of(a);
    const auto y = ranks_of(b);
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// The schema of an application's contexts. A property is essential where every run has it, else optional. It is natural or
/// a quantity where all runs have such a number, else text. A number with a rank correlation of at least 0.8 to the data
/// size, such as partitions by size, is left out: it adds no information, and a short history would take it for a cause.
class common_context {
public:
    common_context() = default;

    explicit common_context(std::span<const application_trace* const> runs) {
        if (runs.empty()) return;
        unit_ = runs.front()->unit;
        std::vector<std::string> names;
        for (const auto* run : runs)
            for (const auto& property : run->properties)
                if (property.kind() != property_kind::unknown) place_among(names, property.name);
        for (const auto& name : names) add(runs, name);
    }

    /// Error: property_mismatch, where no run could have had a value.
    result<void> check(std::span<const property> properties) const {
        for (const auto& definition : definitions_) {
            const auto* known = find_known(properties, definition.name);
            if (known == nullptr || definition.kind == property_kind::text) continue;
            const double number = known->value.number();
            if (std::isnan(number))
                return fail(errc::property_mismatch, "expected a number as ", definition.name, ", found the text \"",
                            *known->value.text(), "\"");
            if (definition.kind == property_kind::quantity && !(number > 0))
                return fail(errc::property_mismatch, "expected a number above 0 as ", definition.name, ", found ", number);
        }
        return {};
    }

    /// The context of these properties: a missing one is unknown, one that no run had is left out.
    context context_of(std::span<const property> properties) const {
        context converted{.unit = unit_};
        for (const auto& definition : definitions_) {
            const auto* known = find_known(properties, definition.name);
            if (known != nullptr) {
                (definition.essential ? converted.essential : converted.optional).push_back(convert(definition, *known));
            } else if (definition.essential) {
                converted.essential.push_back(unknown(definition.name));
            }
        }
        return converted;
    }

    /// Whether the content of a file can be a schema.
    bool is_consistent() const noexcept {
        return unit_ <= scale_out_unit::core && definitions_.size() <= 2 * most_properties &&
               are_valid_definitions(definitions_);
    }

private:
    struct defined_property {
        std::string name{};
        property_kind kind = property_kind::text;
        property_role role = property_role::none;
        bool essential = true;

        friend void fields(auto& archive, is_or_is_const<defined_property> auto& property) {
            archive(property.name, property.kind, property.role, property.essential);
        }
    };

    friend void fields(auto& archive, is_or_is_const<common_context> auto& properties) {
        archive(properties.unit_, properties.definitions_);
    }

    // Defines a property by its values in all runs, unless it only repeats the data size.
    void add(std::span<const application_trace* const> runs, const std::string& name) {
        defined_property added{.name = name, .kind = property_kind::natural};
        std::vector<double> numbers;
        std::vector<double> sizes;
        bool positive = true;
        for (const auto* run : runs) {
            const auto* known = find_known(run->properties, name);
            if (known == nullptr) {
                added.essential = false;
                continue;
            }
            if (known->role != property_role::none) added.role = known->role;
            const double number = known->value.number();
            const bool is_number = !std::isnan(number);
            if (!is_number)
                added.kind = property_kind::text;
            else if (known->kind() == property_kind::quantity && added.kind == property_kind::natural)
                added.kind = property_kind::quantity;
            positive = positive && number > 0;
            for (const auto& size : run->properties)
                if (is_number && size.role == property_role::data_size && !std::isnan(size.value.number())) {
                    numbers.push_back(number);
                    sizes.push_back(size.value.number());
                }
        }
        if (added.kind == property_kind::quantity && !positive) added.kind = property_kind::text;
        const bool is_text = added.kind == property_kind::text;
        if (is_text && added.role != property_role::machine_type) added.role = property_role::none;  // no data size
        if (!is_text && added.role == property_role::none && sizes.size() == runs.size() &&
            std::abs(rank_correlation(numbers, sizes)) >= 0.8)
            return;
        const auto alike = count_if(
            definitions_, [&](const defined_property& definition) { return definition.essential == added.essential; });
        if (alike < most_properties) definitions_.push_back(std::move(added));
    }

    static property convert(const defined_property& definition, const property& known) {
        property converted{.name = definition.name, .role = definition.role};
        const double number = known.value.number();
        const bool is_number = !std::isnan(number);
        if (definition.kind == property_kind::text) {
            converted.value = is_number ? number_text(number) : *known.value.text();
        } else if (!is_number || (definition.kind == property_kind::quantity && !(number > 0))) {
            return unknown(definition.name);
        } else if (definition.kind == property_kind::quantity) {
            converted.value = number;
        } else {
            converted.value = static_cast<std::uint64_t>(std::llround(number));
        }
        return converted;
    }

    std::vector<defined_property> definitions_;
    scale_out_unit unit_ = scale_out_unit::node;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
