// Conversion between the structs of C and the values of C++: properties, contexts, runs and predictions.
#ifndef BELLAMY_DETAIL_C_CONVERSION_HPP
#define BELLAMY_DETAIL_C_CONVERSION_HPP

#include <bellamy/detail/c/boundary.hpp>
#include <bellamy/prediction.hpp>
#include <bellamy/run.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

inline result<property> to_property(const bellamy_property& row) {
    if (row.name == nullptr) return null_pointer("a name");
    const auto kind = enumerator("a kind", row.kind, property_kind::unknown);
    if (!kind) return kind.error();
    const auto role = enumerator("a role", row.role, property_role::machine_type);
    if (!role) return role.error();
    property converted{.name = row.name, .role = *role, .scales_with_scale_out = row.scales_with_scale_out != 0};
    switch (*kind) {
        case property_kind::text:
            if (row.text == nullptr) return null_pointer("a text");
            converted.value = row.text;
            break;
        case property_kind::natural: converted.value = row.natural; break;
        case property_kind::quantity: converted.value = row.quantity; break;
        case property_kind::unknown: converted.value = std::nullopt; break;
    }
    return converted;
}

/// Converts the caller's rows one by one; errors name the row by its number from 0.
template <class Row, class Convert, class Value = typename std::invoke_result_t<Convert, const Row&>::value_type>
result<std::vector<Value>> to_values(const Row* first, size_t count, std::string_view what, Convert convert) {
    const auto rows = array_of(first, count);
    if (!rows) return rows.error();
    std::vector<Value> values;
    values.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        const auto row = rows->read_at(i);
        auto value = row ? convert(*row) : row.error();
        if (!value) return with_subject(value.error(), what, " ", i);
        values.push_back(*std::move(value));
    }
    return values;
}

inline result<std::vector<property>> to_properties(const bellamy_property* first, size_t count, std::string_view which) {
    if (const auto rows = array_of(first, count); !rows) return rows.error();
    // An absurd count is refused before any row is read.
    if (count > most_properties)
        return fail(errc::too_many_properties, "expected at most ", most_properties, " ", which, " properties, found ",
                    count);
    return to_values(first, count, which == "essential" ? "essential property" : "optional property", to_property);
}

inline result<context> to_context(const bellamy_context* pointer) {
    const auto row = read(pointer);
    if (!row) return row.error();
    const auto unit = enumerator("a unit", row->unit, scale_out_unit::core);
    if (!unit) return unit.error();
    auto essential = to_properties(row->essential, row->essential_count, "essential");
    if (!essential) return essential.error();
    auto optional = to_properties(row->optional, row->optional_count, "optional");
    if (!optional) return optional.error();
    return context{.essential = *std::move(essential), .optional = *std::move(optional), .unit = *unit};
}

inline result<run> to_run(const bellamy_run& row) {
    auto run_context = to_context(row.context);
    if (!run_context) return run_context.error();
    if (!std::isfinite(row.timestamp_s))
        return fail(invalid_argument, "expected a finite timestamp_s, or 0 where it was not recorded, found ",
                    row.timestamp_s);
    run converted{.context = *std::move(run_context),
                  .scale_out = row.scale_out,
                  .runtime_s = row.runtime_s,
                  .censored = row.censored != 0,
                  .weight = row.weight};
    if (row.timestamp_s != 0) converted.timestamp_s = row.timestamp_s;
    return converted;
}

inline result<std::vector<run>> to_runs(const bellamy_run* first, size_t count) {
    return to_values(first, count, "run", to_run);
}

/// Names and texts are not copied: they are valid as long as the property.
inline bellamy_property from_property(const property& value) noexcept {
    bellamy_property row{};
    row.name = value.name.c_str();
    row.kind = number_of(value.kind());
    row.role = number_of(value.role);
    row.scales_with_scale_out = value.scales_with_scale_out ? 1 : 0;
    if (const auto* text = value.value.text()) row.text = text->c_str();
    if (const auto* natural = value.value.natural()) row.natural = *natural;
    if (const auto* quantity = value.value.quantity()) row.quantity = *quantity;
    return row;
}

/// Without its context.
inline bellamy_run from_run(const run& observed) noexcept {
    bellamy_run row{};
    row.runtime_s = observed.runtime_s;
    row.weight = observed.weight;
    row.timestamp_s = observed.timestamp_s.value_or(0);
    row.scale_out = observed.scale_out;
    row.censored = observed.censored ? 1 : 0;
    return row;
}

inline std::uint32_t flags_of(const prediction& predicted) noexcept {
    unsigned flags = 0;
    if (predicted.outside_seen_scale_outs) flags |= bellamy_flag_outside_seen_scale_outs;
    if (predicted.outside_seen_data_sizes) flags |= bellamy_flag_outside_seen_data_sizes;
    if (predicted.unlike_any_seen_context) flags |= bellamy_flag_unlike_any_seen_context;
    if (predicted.contradictory_observed_runs) flags |= bellamy_flag_contradictory_observed_runs;
    if (predicted.is_point) flags |= bellamy_flag_point;
    if (!predicted.usable()) flags |= bellamy_flag_not_usable;
    return flags;
}

/// Fills a row in place, since this is the hot path.
inline void write_prediction(const prediction& predicted, bellamy_prediction& row) noexcept {
    static_assert(sizeof(row.log_quantiles) == sizeof(predicted.log_quantiles));
    row.median_s = predicted.median_s;
    std::copy(predicted.log_quantiles.begin(), predicted.log_quantiles.end(), row.log_quantiles);
    row.flags = flags_of(predicted);
    row.observed_runs = predicted.observed_runs;
}

/// The fields that quantiles and probabilities are computed from.
inline prediction to_distribution(const bellamy_prediction& row) noexcept {
    prediction distribution{.median_s = row.median_s, .is_point = (row.flags & bellamy_flag_point) != 0};
    std::copy(std::begin(row.log_quantiles), std::end(row.log_quantiles), distribution.log_quantiles.begin());
    return distribution;
}

/// Name of an enumerator, "unknown" where there is none. Names are literals, which end with a zero byte.
const char* name_of_enumerator(std::int32_t value, auto last) noexcept {
    const auto enumerated = enumerator({}, value, last);
    return enumerated ? to_string(*enumerated).data() : "unknown";
}

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
