// Defines the functions of bellamy/c/error.h and bellamy/c/model.h, and what a model's handle points to.
#ifndef BELLAMY_DETAIL_C_MODEL_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_MODEL_FUNCTIONS_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/c/context_by_name.hpp>
#include <bellamy/drift.hpp>
#include <bellamy/serialize.hpp>

struct bellamy_model : bellamy::detail::c::shared<bellamy::model> {
    static constexpr std::string_view what = "a model";
    using shared::shared;
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

[[nodiscard]] inline bellamy_property_definition from_definition(const property_definition& subject,
                                                                 bool is_essential) noexcept {
    bellamy_property_definition row{};
    row.name = subject.name.c_str();
    row.kind = static_cast<std::int32_t>(subject.kind);
    row.role = static_cast<std::int32_t>(subject.role);
    row.scales_with_scale_out = subject.scales_with_scale_out ? 1 : 0;
    row.is_essential = is_essential ? 1 : 0;
    return row;
}

[[nodiscard]] inline bellamy_model_description description_of(const model& subject) {
    bellamy_model_description told{};
    told.algorithm = subject.basis().algorithm.c_str();
    told.date = subject.basis().date.c_str();
    told.essential_count = subject.schema().essential.size();
    told.optional_count = subject.schema().optional.size();
    told.stored_runs = subject.observed().size();
    told.shortest_runtime_s = subject.basis().shortest_runtime_s;
    told.longest_runtime_s = subject.basis().longest_runtime_s;
    told.runs = subject.basis().runs;
    told.contexts = subject.basis().contexts;
    told.observed_runs = subject.basis().observed_runs;
    told.smallest_seen_scale_out = subject.basis().seen_scale_outs.smallest;
    told.largest_seen_scale_out = subject.basis().seen_scale_outs.largest;
    told.unit = static_cast<std::int32_t>(subject.schema().unit);
    told.kind = static_cast<std::int32_t>(subject.kind());
    return told;
}

/// Essential ones first.
template <class Row, class List, class Convert>
[[nodiscard]] result<void> write_properties(const List& essential, const List& optional, Row* rows, std::size_t capacity,
                                            std::size_t* count, Convert convert) noexcept {
    const auto room = room_for(essential.size() + optional.size(), rows, capacity, count);
    if (!room) return room.error();
    for (std::size_t i = 0; i < room->size(); ++i) {
        const bool is_essential = i < essential.size();
        room->write_at(i, convert(is_essential ? essential[i] : optional[i - essential.size()], is_essential));
    }
    return {};
}

[[nodiscard]] inline result<void> write_observed_run(const model& subject, std::size_t number, bellamy_run* place,
                                                     bellamy_property* rows, std::size_t capacity,
                                                     std::size_t* count) noexcept {
    if (number >= subject.observed().size())
        return fail(invalid_argument, "expected the number of one of ", subject.observed().size(), " stored runs, found ",
                    number);
    const auto size = size_of(place);
    if (!size) return size.error();
    const auto& found = subject.observed()[number];
    if (auto written = write_properties(found.context.essential, found.context.optional, rows, capacity, count,
                                        [](const property& one, bool) { return from_property(one); });
        !written)
        return written;
    write(from_run(found), *size, place);
    return {};
}

[[nodiscard]] inline result<void> write_id(const model& subject, char* buffer, std::size_t capacity) {
    if (buffer == nullptr) return null_pointer("a buffer");
    const auto id = model_id(subject);
    if (capacity <= id.size())
        return fail(errc::buffer_too_small, "expected room for ", id.size() + 1, " bytes, found ", capacity);
    std::copy_n(id.c_str(), id.size() + 1, buffer);
    return {};
}

[[nodiscard]] inline result<void> write_bytes(std::span<const std::byte> bytes, void* buffer, std::size_t capacity,
                                              std::size_t* size) noexcept {
    if (size == nullptr) return null_pointer("a place for the number of bytes");
    *size = bytes.size();
    if (capacity == 0) return {};
    if (buffer == nullptr) return null_pointer("a buffer");
    if (capacity < bytes.size())
        return fail(errc::buffer_too_small, "expected room for ", bytes.size(), " bytes, found ", capacity);
    std::memcpy(buffer, bytes.data(), bytes.size());
    return {};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

extern "C" {

uint32_t bellamy_abi_version(void) BELLAMY_C_NOEXCEPT { return BELLAMY_C_ABI_VERSION; }

const char* bellamy_version(void) BELLAMY_C_NOEXCEPT { return BELLAMY_VERSION; }

const char* bellamy_code_name(int32_t code) BELLAMY_C_NOEXCEPT {
    switch (code) {
        case bellamy_errc_invalid_argument: return "invalid_argument";
        case bellamy_errc_out_of_memory: return "out_of_memory";
        case bellamy_errc_unexpected: return "unexpected";
        default: break;
    }
    // The names are literals, which end with a zero byte.
    return code < 0 || code > 255 ? "unknown" : to_string(static_cast<bellamy::errc>(code)).data();
}

const char* bellamy_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(kind, bellamy::property_kind::unknown);
}
const char* bellamy_role_name(int32_t role) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(role, bellamy::property_role::machine_type);
}
const char* bellamy_unit_name(int32_t unit) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(unit, bellamy::scale_out_unit::core);
}
const char* bellamy_model_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(kind, bellamy::model_kind::shapes);
}

int32_t bellamy_model_load(const char* path, bellamy_model** made, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::model> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::load(path);
    });
}

int32_t bellamy_model_from_bytes(const void* bytes, size_t size, bellamy_model** made,
                                 bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::model> {
        if (bytes == nullptr) return null_pointer("bytes");
        return bellamy::from_bytes(std::span(static_cast<const std::byte*>(bytes), size));
    });
}

int32_t bellamy_model_save(const bellamy_model* model, const char* path, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const bellamy::model& subject) -> bellamy::result<void> {
        if (path == nullptr) return null_pointer("a path");
        return bellamy::save(subject, path);
    });
}

int32_t bellamy_model_to_bytes(const bellamy_model* model, void* buffer, size_t capacity, size_t* size,
                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model,
                   [&](const auto& subject) { return write_bytes(bellamy::to_bytes(subject), buffer, capacity, size); });
}

bellamy_model* bellamy_model_retain(const bellamy_model* model) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::retain(model);
}

void bellamy_model_release(bellamy_model** model) BELLAMY_C_NOEXCEPT { bellamy::detail::c::release(model); }

int32_t bellamy_model_describe(const bellamy_model* model, bellamy_model_description* description,
                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const bellamy::model& subject) -> bellamy::result<void> {
        const auto size = size_of(description);
        if (!size) return size.error();
        write(description_of(subject), *size, description);
        return {};
    });
}

int32_t bellamy_model_id(const bellamy_model* model, char* buffer, size_t capacity,
                         bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const auto& subject) { return write_id(subject, buffer, capacity); });
}

int32_t bellamy_model_properties(const bellamy_model* model, bellamy_property_definition* rows, size_t capacity,
                                 size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const bellamy::model& subject) {
        const auto& schema = subject.schema();
        return write_properties(schema.essential, schema.optional, rows, capacity, count, from_definition);
    });
}

int32_t bellamy_model_context(const bellamy_model* model, const bellamy_property* values, size_t count,
                              bellamy_property* rows, size_t capacity, bellamy_context* context,
                              bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const bellamy::model& subject) {
        return write_context(subject.schema(), values, count, rows, capacity, context);
    });
}

int32_t bellamy_model_observed_run(const bellamy_model* model, size_t number, bellamy_run* run, bellamy_property* rows,
                                   size_t capacity, size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model,
                   [&](const auto& subject) { return write_observed_run(subject, number, run, rows, capacity, count); });
}

int32_t bellamy_model_condition(const bellamy_model* model, const bellamy_run* runs, size_t count, bellamy_model** made,
                                bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::model> {
        if (auto valid = check_handle(model); !valid) return valid.error();
        const auto observed = to_runs(runs, count);
        if (!observed) return observed.error();
        return model->value.condition(*observed);
    });
}

int32_t bellamy_model_drift(const bellamy_model* model, const bellamy_run* runs, size_t count, bellamy_drift* drift,
                            bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const bellamy::model& subject) -> bellamy::result<void> {
        const auto size = size_of(drift);
        if (!size) return size.error();
        const auto recent = to_runs(runs, count);
        if (!recent) return recent.error();
        const auto found = bellamy::measure_drift(subject, *recent);
        if (!found) return found.error();
        bellamy_drift told{};
        told.runs = found->runs;
        told.mean_deviate = found->mean_deviate;
        told.mean_square_deviate = found->mean_square_deviate;
        told.probability = found->probability;
        write(told, *size, drift);
        return {};
    });
}

int32_t bellamy_cold_start(const bellamy_context* example, const char* algorithm, bellamy_model** made,
                           bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::model> {
        const auto known = to_context(example);
        if (!known) return known.error();
        return bellamy::cold_start(*known, algorithm == nullptr ? "" : algorithm);
    });
}

}  // extern "C"

#endif
