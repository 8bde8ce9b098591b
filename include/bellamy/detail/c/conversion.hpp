// Between the structs of C and the values of C++.
#ifndef BELLAMY_DETAIL_C_CONVERSION_HPP
#define BELLAMY_DETAIL_C_CONVERSION_HPP

#include <bellamy/detail/c/boundary.hpp>
#include <bellamy/prediction.hpp>
#include <bellamy/run.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

[[nodiscard]] inline result<property> to_property(const bellamy_property& from) {
    if (from.name == nullptr) return null_pointer("a name");
    const auto kind = enumerator("a kind", from.kind, property_kind::unknown);
    if (!kind) return kind.error();
    const auto role = enumerator("a role", from.role, property_role::machine_type);
    if (!role) return role.error();
    property made{.name = from.name, .role = *role, .scales_with_scale_out = from.scales_with_scale_out != 0};
    switch (*kind) {
        case property_kind::text:
            if (from.text == nullptr) return null_pointer("a text");
            made.value = std::string(from.text);
            break;
        case property_kind::natural: made.value = from.natural; break;
        case property_kind::quantity: made.value = from.quantity; break;
        case property_kind::unknown: made.value = std::monostate{}; break;
    }
    return made;
}

/// The caller's rows as values; errors name the row by its number from 0.
template <class Row, class Convert>
[[nodiscard]] auto to_values(const Row* first, std::size_t count, std::string_view what, Convert convert)
    -> result<std::vector<typename std::invoke_result_t<Convert, const Row&>::value_type>> {
    const auto rows = array_of(first, count);
    if (!rows) return rows.error();
    std::vector<typename std::invoke_result_t<Convert, const Row&>::value_type> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = rows->read_at(i);
        auto one = row ? convert(*row) : row.error();
        if (!one) return fail(one.error().code(), what, " ", i, ": ", one.error().message());
        made.push_back(*std::move(one));
    }
    return made;
}

[[nodiscard]] inline result<std::vector<property>> to_properties(const bellamy_property* first, std::size_t count,
                                                                 std::string_view which) {
    if (const auto rows = array_of(first, count); !rows) return rows.error();
    // Absurd numbers are refused here, before any of that is read.
    if (count > most_properties)
        return fail(errc::too_many_properties, "expected at most ", most_properties, " ", which, " properties, found ",
                    count);
    return to_values(first, count, which == "essential" ? "essential property" : "optional property", to_property);
}

[[nodiscard]] inline result<context> to_context(const bellamy_context* from) {
    const auto given = read(from);
    if (!given) return given.error();
    const auto unit = enumerator("a unit", given->unit, scale_out_unit::core);
    if (!unit) return unit.error();
    auto essential = to_properties(given->essential, given->essential_count, "essential");
    if (!essential) return essential.error();
    auto optional = to_properties(given->optional, given->optional_count, "optional");
    if (!optional) return optional.error();
    return context{.essential = *std::move(essential), .optional = *std::move(optional), .unit = *unit};
}

[[nodiscard]] inline result<run> to_run(const bellamy_run& from) {
    auto in = to_context(from.context);
    if (!in) return in.error();
    if (!std::isfinite(from.timestamp_s))
        return fail(invalid_argument, "expected a finite timestamp_s, or 0 where it was not recorded, found ",
                    from.timestamp_s);
    run made{.context = *std::move(in),
             .scale_out = from.scale_out,
             .runtime_s = from.runtime_s,
             .censored = from.censored != 0,
             .weight = from.weight};
    if (from.timestamp_s != 0) made.timestamp_s = from.timestamp_s;
    return made;
}

[[nodiscard]] inline result<std::vector<run>> to_runs(const bellamy_run* first, std::size_t count) {
    return to_values(first, count, "run", to_run);
}

/// Names and texts stay the property's own.
[[nodiscard]] inline bellamy_property from_property(const property& subject) noexcept {
    bellamy_property row{};
    row.name = subject.name.c_str();
    row.kind = static_cast<std::int32_t>(subject.kind());
    row.role = static_cast<std::int32_t>(subject.role);
    row.scales_with_scale_out = subject.scales_with_scale_out ? 1 : 0;
    if (const auto* words = std::get_if<std::string>(&subject.value)) row.text = words->c_str();
    if (const auto* number = std::get_if<std::uint64_t>(&subject.value)) row.natural = *number;
    if (const auto* real = std::get_if<double>(&subject.value)) row.quantity = *real;
    return row;
}

[[nodiscard]] inline bellamy_run from_run(const run& subject) noexcept {
    bellamy_run row{};
    row.runtime_s = subject.runtime_s;
    row.weight = subject.weight;
    row.timestamp_s = subject.timestamp_s.value_or(0);
    row.scale_out = subject.scale_out;
    row.censored = subject.censored ? 1 : 0;
    return row;
}

[[nodiscard]] inline std::uint32_t flags_of(const prediction& subject) noexcept {
    unsigned flags = 0;
    if (subject.outside_seen_scale_outs) flags |= bellamy_flag_outside_seen_scale_outs;
    if (subject.outside_seen_data_sizes) flags |= bellamy_flag_outside_seen_data_sizes;
    if (subject.unlike_any_seen_context) flags |= bellamy_flag_unlike_any_seen_context;
    if (subject.contradictory_observed_runs) flags |= bellamy_flag_contradictory_observed_runs;
    if (subject.is_point) flags |= bellamy_flag_point;
    if (!subject.usable()) flags |= bellamy_flag_not_usable;
    return flags;
}

/// Fills a row in place: this is the hot path.
inline void write_prediction(const prediction& subject, bellamy_prediction& row) noexcept {
    static_assert(sizeof(row.log_quantiles) == sizeof(subject.log_quantiles));
    row.median_s = subject.median_s;
    std::copy(subject.log_quantiles.begin(), subject.log_quantiles.end(), row.log_quantiles);
    row.flags = flags_of(subject);
    row.observed_runs = subject.observed_runs;
}

/// The part that quantiles and probabilities are computed from.
[[nodiscard]] inline prediction to_distribution(const bellamy_prediction& from) noexcept {
    prediction made{.median_s = from.median_s, .is_point = (from.flags & bellamy_flag_point) != 0};
    std::copy(std::begin(from.log_quantiles), std::end(from.log_quantiles), made.log_quantiles.begin());
    return made;
}

/// The name of an enumerator, "unknown" where there is none. Names are literals, which end with a zero byte.
template <class Enum>
[[nodiscard]] const char* name_of_enumerator(std::int32_t value, Enum last) noexcept {
    const auto known = enumerator({}, value, last);
    return known ? to_string(*known).data() : "unknown";
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
