// The properties of traces as contexts that one schema fits.
#ifndef BELLAMY_DETAIL_APPLICATION_COMMON_CONTEXT_HPP
#define BELLAMY_DETAIL_APPLICATION_COMMON_CONTEXT_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/models/blend_fields.hpp>
#include <bellamy/trace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

[[nodiscard]] inline std::optional<double> number_in(const property& of) noexcept {
    if (const auto* natural = std::get_if<std::uint64_t>(&of.value)) return static_cast<double>(*natural);
    if (const auto* real = std::get_if<double>(&of.value)) return *real;
    return std::nullopt;
}

[[nodiscard]] inline const property* find_property(std::span<const property> all, std::string_view name) noexcept {
    const auto found = std::find_if(all.begin(), all.end(), [&](const property& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

/// Spearman's rank correlation; 0 where one of them does not vary.
[[nodiscard]] inline double rank_correlation(std::span<const double> a, std::span<const double> b) {
    const auto ranks = [](std::span<const double> values) {
        std::vector<double> made(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            for (const double other : values) made[i] += other < values[i] ? 1 : other == values[i] ? 0.5 : 0;
        return made;
    };
    const auto x = ranks(a);
    const auto y = ranks(b);
    const double mean = static_cast<double>(a.size()) / 2;
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
        xy += (x[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// Which properties of an application's runs become those of its contexts, and as what. A property is essential where every
/// run has it, else optional; a number is a quantity where it is not natural in all runs, and text where it is not a number
/// in all. A number whose ranks are those of the data size (rank correlation of at least 0.8, such as partitions by size)
/// is left out: it says nothing more, and a short history would take it for a cause.
class common_context {
public:
    common_context() = default;

    explicit common_context(std::span<const application_trace* const> runs) {
        if (runs.empty()) return;
        unit_ = runs.front()->unit;
        std::vector<std::string> names;
        for (const auto* run : runs)
            for (const auto& each : run->properties)
                if (each.kind() != property_kind::unknown && std::find(names.begin(), names.end(), each.name) == names.end())
                    names.push_back(each.name);
        for (const auto& name : names) add(runs, name);
    }

    /// Error: property_mismatch, where a value is none that the runs could have had.
    [[nodiscard]] result<void> check(std::span<const property> properties) const {
        for (const auto& each : kept_) {
            const auto* found = find_property(properties, each.name);
            if (found == nullptr || found->kind() == property_kind::unknown || each.kind == property_kind::text) continue;
            const auto number = number_in(*found);
            if (!number)
                return fail(errc::property_mismatch, "expected a number as ", each.name, ", found the text \"",
                            *std::get_if<std::string>(&found->value), "\"");
            if (each.kind == property_kind::quantity && !(*number > 0))
                return fail(errc::property_mismatch, "expected a number above 0 as ", each.name, ", found ", *number);
        }
        return {};
    }

    /// A property that is not there is unknown; one that no run had is left out.
    [[nodiscard]] context of(std::span<const property> properties) const {
        context made{.unit = unit_};
        for (const auto& each : kept_) {
            const auto* found = find_property(properties, each.name);
            if (found == nullptr || found->kind() == property_kind::unknown) {
                if (each.essential) made.essential.push_back(unknown(each.name));
                continue;
            }
            (each.essential ? made.essential : made.optional).push_back(as(each, *found));
        }
        return made;
    }

    /// Whether what a file holds are properties of contexts.
    [[nodiscard]] bool is_consistent() const noexcept {
        return unit_ <= scale_out_unit::core && kept_.size() <= 2 * most_properties &&
               std::all_of(kept_.begin(), kept_.end(), [](const kept_property& each) {
                   return !each.name.empty() && each.name.size() <= longest_name_bytes &&
                          each.kind < property_kind::unknown && each.role <= property_role::machine_type;
               });
    }

private:
    struct kept_property {
        std::string name{};
        property_kind kind = property_kind::text;
        property_role role = property_role::none;
        bool essential = true;

        template <class Archive, is_or_is_const<kept_property> Data>
        friend void fields(Archive& archive, Data& of) {
            archive(of.name, of.kind, of.role, of.essential);
        }
    };

    template <class Archive, is_or_is_const<common_context> Data>
    friend void fields(Archive& archive, Data& of) {
        archive(of.unit_, of.kept_);
    }

    void add(std::span<const application_trace* const> runs, const std::string& name) {
        kept_property made{.name = name, .kind = property_kind::natural};
        std::vector<double> numbers;
        std::vector<double> sizes;
        bool positive = true;
        for (const auto* run : runs) {
            const auto* found = find_property(run->properties, name);
            if (found == nullptr || found->kind() == property_kind::unknown) {
                made.essential = false;
                continue;
            }
            if (found->role != property_role::none) made.role = found->role;
            const auto number = number_in(*found);
            if (!number) made.kind = property_kind::text;
            if (number && found->kind() == property_kind::quantity && made.kind == property_kind::natural)
                made.kind = property_kind::quantity;
            positive = positive && number && *number > 0;
            for (const auto& other : run->properties)
                if (number && other.role == property_role::data_size)
                    if (const auto size = number_in(other)) {
                        numbers.push_back(*number);
                        sizes.push_back(*size);
                    }
        }
        if (made.kind == property_kind::quantity && !positive) made.kind = property_kind::text;
        if (made.kind != property_kind::text && made.role == property_role::none && sizes.size() == runs.size() &&
            std::abs(rank_correlation(numbers, sizes)) >= 0.8)
            return;
        const auto same_kind = [&](const kept_property& each) { return each.essential == made.essential; };
        if (std::count_if(kept_.begin(), kept_.end(), same_kind) < static_cast<std::ptrdiff_t>(most_properties))
            kept_.push_back(std::move(made));
    }

    [[nodiscard]] static property as(const kept_property& meaning, const property& found) {
        property made{.name = meaning.name, .role = meaning.role};
        const auto number = number_in(found);
        if (meaning.kind == property_kind::text) {
            made.value = number ? as_text(*number) : *std::get_if<std::string>(&found.value);
        } else if (!number || (meaning.kind == property_kind::quantity && !(*number > 0))) {
            return unknown(meaning.name);
        } else if (meaning.kind == property_kind::quantity) {
            made.value = *number;
        } else {
            made.value = static_cast<std::uint64_t>(std::llround(*number));
        }
        return made;
    }
    [[nodiscard]] static std::string as_text(double number) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return {digits.data(), end};
    }

    std::vector<kept_property> kept_{};
    scale_out_unit unit_ = scale_out_unit::node;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
