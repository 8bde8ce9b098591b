// A context of C from values by name.
#ifndef BELLAMY_DETAIL_C_CONTEXT_BY_NAME_HPP
#define BELLAMY_DETAIL_C_CONTEXT_BY_NAME_HPP

#include <bellamy/detail/c/conversion.hpp>
#include <bellamy/schema.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

/// The value alone: roles and scaling are the schema's.
[[nodiscard]] inline result<named_value> to_named_value(const bellamy_property& from) {
    auto given = to_property(from);
    if (!given) return given.error();
    named_value made(std::move(given->name), std::monostate{});
    made.value = std::move(given->value);
    return made;
}

/// The row of a property; its name and text are the caller's, which outlive the call.
[[nodiscard]] inline bellamy_property row_of(const property& subject, std::span<const bellamy_property> given) noexcept {
    auto row = from_property(subject);
    const auto& own = *std::find_if(given.begin(), given.end(), [&](const auto& each) { return subject.name == each.name; });
    row.name = own.name;
    if (subject.kind() == property_kind::text) row.text = own.text;
    return row;
}

/// Writes nothing unless there is such a context. `rows` may be `values`.
[[nodiscard]] inline result<void> write_context(const schema& expected, const bellamy_property* values, std::size_t count,
                                                bellamy_property* rows, std::size_t capacity, bellamy_context* place) {
    const auto size = size_of(place);
    if (!size) return size.error();
    if (count > 2 * most_properties)
        return fail(errc::too_many_properties, "expected at most ", 2 * most_properties, " values, found ", count);
    const auto named = to_values(values, count, "value", to_named_value);
    if (!named) return named.error();
    const auto made = expected.context(*named);
    if (!made) return made.error();
    if (capacity < count)
        return fail(errc::buffer_too_small, "expected room for ", count, " rows of bellamy_property, found ", capacity);
    const auto room = array_of(rows, count);
    if (!room) return room.error();

    const auto given =
        to_values(values, count, "value", [](const bellamy_property& row) -> result<bellamy_property> { return row; });
    std::vector<bellamy_property> written;
    for (const auto* list : {&made->essential, &made->optional})
        for (const auto& each : *list) written.push_back(row_of(each, *given));
    for (std::size_t i = 0; i < count; ++i) room->write_at(i, written[i]);
    const auto essential_count = made->essential.size();
    auto told = bellamy_context_of(rows, essential_count, nullptr, 0);
    if (essential_count < count) told.optional = &room->row_at(essential_count);
    told.optional_count = count - essential_count;
    told.unit = static_cast<std::int32_t>(made->unit);
    write(told, *size, place);
    return {};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
