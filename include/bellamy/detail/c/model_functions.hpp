// Functions of bellamy/c/error.h and bellamy/c/model.h, and what a model's handle points to.
#ifndef BELLAMY_DETAIL_C_MODEL_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_MODEL_FUNCTIONS_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/c/conversion.hpp>
#include <bellamy/drift.hpp>
#include <bellamy/serialize.hpp>
#include <bellamy/training.hpp>

#include <algorithm>

struct bellamy_model : bellamy::detail::c::shared<bellamy::model> {
    static constexpr std::string_view what = "a model";
    using shared::shared;
    explicit bellamy_model(bellamy::trained pretrained)
        : shared(std::move(pretrained.model)), improbable_in_history(std::move(pretrained.report.experts.improbable_runs)) {}

    // A model does not keep its history.
    const std::vector<bellamy::improbable_run> improbable_in_history{};
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

inline bellamy_property_definition from_definition(const property_definition& definition, bool is_essential) noexcept {
    bellamy_property_definition row{};
    row.name = definition.name.c_str();
    row.kind = number_of(definition.kind);
    row.role = number_of(definition.role);
    row.scales_with_scale_out = definition.scales_with_scale_out ? 1 : 0;
    row.is_essential = is_essential ? 1 : 0;
    return row;
}

inline bellamy_model_description description_of(const model& described) {
    const auto& basis = described.basis();
    bellamy_model_description row{};
    row.algorithm = basis.algorithm.c_str();
    row.date = basis.date.c_str();
    row.essential_count = described.schema().essential.size();
    row.optional_count = described.schema().optional.size();
    row.stored_runs = described.observed().size();
    row.shortest_runtime_s = basis.shortest_runtime_s;
    row.longest_runtime_s = basis.longest_runtime_s;
    row.runs = basis.runs;
    row.contexts = basis.contexts;
    row.observed_runs = basis.observed_runs;
    row.smallest_seen_scale_out = basis.seen_scale_outs.smallest;
    row.largest_seen_scale_out = basis.seen_scale_outs.largest;
    row.unit = number_of(described.schema().unit);
    row.kind = number_of(described.kind());
    return row;
}

/// The value alone: roles and scaling are the schema's.
inline result<named_value> to_named_value(const bellamy_property& row) {
    auto converted = to_property(row);
    if (!converted) return converted.error();
    return named_value(std::move(converted->name), std::move(converted->value));
}

/// Row of a property whose name and text are the caller's, since they outlive the call.
inline bellamy_property row_of(const property& value, std::span<const bellamy_property> caller_rows) noexcept {
    auto row = from_property(value);
    const auto& caller_row =
        *std::find_if(caller_rows.begin(), caller_rows.end(), [&](const auto& named) { return value.name == named.name; });
    row.name = caller_row.name;
    if (value.kind() == property_kind::text) row.text = caller_row.text;
    return row;
}

/// Writes the context of these values, or nothing where the schema refuses it. `rows` may be `values`.
inline result<void> write_context(const schema& expected, const bellamy_property* values, size_t count,
                                  bellamy_property* rows, size_t capacity, bellamy_context* written) {
    const auto size = validated_size(written);
    if (!size) return size.error();
    if (count > 2 * most_properties)
        return fail(errc::too_many_properties, "expected at most ", 2 * most_properties, " values, found ", count);
    const auto named = to_values(values, count, "value", to_named_value);
    if (!named) return named.error();
    const auto fitting = expected.context(*named);
    if (!fitting) return fitting.error();
    const auto table = rows_for(count, rows, capacity);
    if (!table) return table.error();

    const auto caller_rows =
        to_values(values, count, "value", [](const bellamy_property& row) -> result<bellamy_property> { return row; });
    std::vector<bellamy_property> ordered;
    for_each_property(*fitting, [&](const property& value) { ordered.push_back(row_of(value, *caller_rows)); });
    for (size_t i = 0; i < count; ++i) table->write_at(i, ordered[i]);
    const auto essential_count = fitting->essential.size();
    auto row = bellamy_context_of(rows, essential_count, nullptr, 0);
    if (essential_count < count) row.optional = &table->row_at(essential_count);
    row.optional_count = count - essential_count;
    row.unit = number_of(fitting->unit);
    write(row, *size, written);
    return {};
}

/// Writes rows of properties or of their definitions, essential ones first.
template <class Row, class List>
result<void> write_properties(const List& essential, const List& optional, Row* rows, size_t capacity, size_t* count,
                              auto convert) noexcept {
    const auto table = counted_rows_for(essential.size() + optional.size(), rows, capacity, count);
    if (!table) return table.error();
    for (size_t i = 0; i < table->size(); ++i) {
        const bool is_essential = i < essential.size();
        table->write_at(i, convert(is_essential ? essential[i] : optional[i - essential.size()], is_essential));
    }
    return {};
}

inline result<void> write_observed_run(const model& conditioned, size_t number, bellamy_run* written, bellamy_property* rows,
                                       size_t capacity, size_t* count) noexcept {
    if (auto valid = check_part("stored runs", number, conditioned.observed().size()); !valid) return valid;
    const auto size = validated_size(written);
    if (!size) return size.error();
    const auto& observed = conditioned.observed()[number];
    if (auto done = write_properties(observed.context.essential, observed.context.optional, rows, capacity, count,
                                     [](const property& value, bool) { return from_property(value); });
        !done)
        return done;
    write(from_run(observed), *size, written);
    return {};
}

inline result<void> write_id(const model& identified, char* buffer, size_t capacity) {
    if (buffer == nullptr) return null_pointer("a buffer");
    const auto id = model_id(identified);
    if (capacity <= id.size())
        return fail(errc::buffer_too_small, "expected room for ", id.size() + 1, " bytes, found ", capacity);
    std::copy_n(id.c_str(), id.size() + 1, buffer);
    return {};
}

inline result<void> write_bytes(std::span<const std::byte> bytes, void* buffer, size_t capacity, size_t* size) noexcept {
    if (size == nullptr) return null_pointer("a place for the number of bytes");
    *size = bytes.size();
    if (capacity == 0) return {};
    if (buffer == nullptr) return null_pointer("a buffer");
    if (capacity < bytes.size())
        return fail(errc::buffer_too_small, "expected room for ", bytes.size(), " bytes, found ", capacity);
    std::memcpy(buffer, bytes.data(), bytes.size());
    return {};
}

extern "C" {

BELLAMY_C_API uint32_t bellamy_abi_version(void) BELLAMY_C_NOEXCEPT { return BELLAMY_C_ABI_VERSION; }

BELLAMY_C_API const char* bellamy_version(void) BELLAMY_C_NOEXCEPT { return BELLAMY_VERSION; }

BELLAMY_C_API const char* bellamy_code_name(int32_t code) BELLAMY_C_NOEXCEPT {
    switch (code) {
        case bellamy_errc_invalid_argument: return "invalid_argument";
        case bellamy_errc_out_of_memory: return "out_of_memory";
        case bellamy_errc_unexpected: return "unexpected";
        default: break;
    }
    // The names are literals, which end with a zero byte.
    return code < 0 || code > 255 ? "unknown" : to_string(static_cast<bellamy::errc>(code)).data();
}

BELLAMY_C_API const char* bellamy_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(kind, property_kind::unknown);
}
BELLAMY_C_API const char* bellamy_role_name(int32_t role) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(role, property_role::machine_type);
}
BELLAMY_C_API const char* bellamy_unit_name(int32_t unit) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(unit, scale_out_unit::core);
}
BELLAMY_C_API const char* bellamy_model_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(kind, model_kind::shapes);
}

BELLAMY_C_API int32_t bellamy_model_load(const char* path, bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::model> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::load(path);
    });
}

BELLAMY_C_API int32_t bellamy_model_from_bytes(const void* bytes, size_t size, bellamy_model** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::model> {
        if (bytes == nullptr) return null_pointer("bytes");
        return bellamy::from_bytes(std::span(static_cast<const std::byte*>(bytes), size));
    });
}

BELLAMY_C_API int32_t bellamy_model_save(const bellamy_model* model, const char* path,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& value) -> result<void> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::save(value, path);
    });
}

BELLAMY_C_API int32_t bellamy_model_to_bytes(const bellamy_model* model, void* buffer, size_t capacity, size_t* size,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model,
                   [&](const auto& value) { return write_bytes(bellamy::to_bytes(value), buffer, capacity, size); });
}

BELLAMY_C_API bellamy_model* bellamy_model_retain(const bellamy_model* model) BELLAMY_C_NOEXCEPT { return retain(model); }

BELLAMY_C_API void bellamy_model_release(bellamy_model** model) BELLAMY_C_NOEXCEPT { release(model); }

BELLAMY_C_API int32_t bellamy_model_describe(const bellamy_model* model, bellamy_model_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& described) { return store(description_of(described), description); });
}

BELLAMY_C_API int32_t bellamy_model_id(const bellamy_model* model, char* buffer, size_t capacity,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, write_id, buffer, capacity);
}

BELLAMY_C_API int32_t bellamy_model_properties(const bellamy_model* model, bellamy_property_definition* rows,
                                               size_t capacity, size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& value) {
        const auto& schema = value.schema();
        return write_properties(schema.essential, schema.optional, rows, capacity, count, from_definition);
    });
}

BELLAMY_C_API int32_t bellamy_model_context(const bellamy_model* model, const bellamy_property* values, size_t count,
                                            bellamy_property* rows, size_t capacity, bellamy_context* context,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model,
                   [&](const auto& value) { return write_context(value.schema(), values, count, rows, capacity, context); });
}

BELLAMY_C_API int32_t bellamy_model_observed_run(const bellamy_model* model, size_t number, bellamy_run* run,
                                                 bellamy_property* rows, size_t capacity, size_t* count,
                                                 bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, write_observed_run, number, run, rows, capacity, count);
}

BELLAMY_C_API int32_t bellamy_model_condition(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                              bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, model, [&](const auto& general) -> bellamy::result<bellamy::model> {
        const auto observed = to_runs(runs, count);
        if (!observed) return observed.error();
        return general.condition(*observed);
    });
}

BELLAMY_C_API int32_t bellamy_model_drift(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                          bellamy_drift* drift, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& predictor) -> result<void> {
        if (const auto size = validated_size(drift); !size) return size.error();
        const auto recent = to_runs(runs, count);
        if (!recent) return recent.error();
        const auto measured = bellamy::measure_drift(predictor, *recent);
        if (!measured) return measured.error();
        const bellamy_drift row{
            sizeof(row),           measured->runs,  0, measured->mean_deviate, measured->mean_square_deviate,
            measured->probability, measured->factor};
        return store(row, drift);
    });
}

BELLAMY_C_API int32_t bellamy_model_improbable_runs(const bellamy_model* model, bellamy_improbable_run* rows,
                                                    size_t capacity, size_t* count,
                                                    bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& value) -> result<void> {
        const auto stored = bellamy::improbable_runs(value);
        if (!stored) return stored.error();
        const auto& found = value.observed().empty() ? model->improbable_in_history : *stored;
        const auto table = counted_rows_for(found.size(), rows, capacity, count);
        if (!table) return table.error();
        for (size_t i = 0; i < table->size(); ++i)
            table->write_at(i, {0, found[i].run, found[i].found_s, found[i].expected_s});
        return {};
    });
}

BELLAMY_C_API int32_t bellamy_cold_start(const bellamy_context* example, const char* algorithm, bellamy_model** result,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::model> {
        const auto context = to_context(example);
        if (!context) return context.error();
        return bellamy::cold_start(*context, algorithm == nullptr ? "" : algorithm);
    });
}

}  // extern "C"

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
