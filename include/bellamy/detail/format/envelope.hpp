// Model format 1.0: the envelope of a model file (header, sections, checksum), and the sections common to all kinds.
//
// All numbers are little-endian, reals IEEE 754; integers within sections take eight bytes,
// enumerators and booleans one; a text or a list is its u64 size and its UTF-8 bytes or elements (archive.hpp).
//
//   offset  type  what
//        0  u8[8] magic: "bellamy" and 0x1a
//        8  u16   major version
//       10  u16   minor version
//       12  u32   number of sections
//       16  u64   size of the file in bytes, at most `largest_model_bytes`
//       24        the sections: u8[4] name, u32 flags (bit 0: must be understood), u64 size, content
//      end  u64   CRC-64/XZ of all bytes before it
//
//   section  content, as lists of fields (archive.hpp)             stands in
//   SCHM     schema: unit, essential and optional properties       every model
//   BASE     training basis                                        every model
//   NETW     a network's widths, scaler and parameters             paper mode
//   BLND     best mode's data and hyper-parameters                 best mode
//   SHAP     prior shapes                                          cold start
//   OBSV     the runs that the model is conditioned on             best mode, cold start
//   SELF     questions and answers (self_test.hpp)                 every model
//   APPL     an application's name, properties and scale-outs      application (application_file_impl.hpp)
//   STGS     the parts of its runs by shape, packed (packed.hpp)   application
//
// Nothing may stand between or after the sections, no section may occur twice, and a section ends where its fields do. Every
// size is checked against the bytes that are there before anything is allocated for it.
//
// How it grows: a reader accepts the major versions from `earliest_model_format_major` to its own, and any minor one. It
// skips a section it does not know, unless bit 0 of its flags says that it must be understood. So what an old reader may
// ignore is a new section without that bit, and what it may not is one with it; both raise the minor version. What an old
// reader would misread, other fields in a section or other answers from the same fields, raises the major version.
#ifndef BELLAMY_DETAIL_FORMAT_ENVELOPE_HPP
#define BELLAMY_DETAIL_FORMAT_ENVELOPE_HPP

#include <bellamy/detail/format/archive.hpp>
#include <bellamy/detail/models/blend_fields.hpp>
#include <bellamy/detail/models/predictor.hpp>

#include <algorithm>
#include <array>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Version of the model format that this library writes.
inline constexpr std::uint16_t model_format_major = 1;
inline constexpr std::uint16_t model_format_minor = 0;
/// The first major version that it still reads.
inline constexpr std::uint16_t earliest_model_format_major = 1;

namespace detail {

inline constexpr std::array<unsigned char, 8> model_magic{'b', 'e', 'l', 'l', 'a', 'm', 'y', 0x1a};
inline constexpr size_t model_header_bytes = 24;
inline constexpr size_t model_checksum_bytes = 8;
inline constexpr size_t section_name_bytes = 4;
inline constexpr std::uint32_t must_be_understood = 1;

/// Adds header and checksum to the sections.
inline std::vector<std::byte> write_envelope(const byte_writer& sections, std::uint32_t count) {
    byte_writer out;
    out.append(std::as_bytes(std::span(model_magic)));
    out.number(model_format_major);
    out.number(model_format_minor);
    out.number(count);
    out.number(static_cast<std::uint64_t>(model_header_bytes + sections.bytes().size() + model_checksum_bytes));
    out.append(sections.bytes());
    out.number(crc64(out.bytes()));
    return std::move(out).take();
}

/// Checks magic, version, size and checksum; returns the bytes of the sections.
[[gnu::cold]] inline result<std::span<const std::byte>> open_envelope(std::span<const std::byte> bytes) {
    const auto magic = std::as_bytes(std::span(model_magic));
    if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin()))
        return fail(errc::not_a_model, "expected a bellamy model, found other bytes (", bytes.size(), " of them)");
    byte_reader in(bytes.subspan(magic.size()));
    const auto major = in.number<std::uint16_t>();
    const auto minor = in.number<std::uint16_t>();
    (void)in.number<std::uint32_t>();
    const auto size = in.number<std::uint64_t>();
    if (!in.good() || bytes.size() < model_header_bytes + model_checksum_bytes)
        return fail(errc::truncated, "expected a complete model, found only ", bytes.size(), " bytes");
    if (major < earliest_model_format_major || major > model_format_major)
        return fail(errc::unsupported_version, "expected model format ", earliest_model_format_major, ".x to ",
                    model_format_major, ".x, found ", major, ".", minor, ": read it with the version that saved it");
    if (size != bytes.size())
        return fail(errc::truncated, "expected a complete model of ", size, " bytes, found ", bytes.size());
    const auto checked = bytes.first(bytes.size() - model_checksum_bytes);
    if (byte_reader(bytes.last(model_checksum_bytes)).number<std::uint64_t>() != crc64(checked))
        return fail(errc::corrupted, "expected the checksum of an unaltered model, found another: copy or save it again");
    return checked.subspan(model_header_bytes);
}

/// Passes every section to `sections.read(name, flags, content)`. Errors: those of the envelope and of `read`;
/// invalid_model.
[[gnu::cold]] result<void> read_sections(std::span<const std::byte> bytes, auto& sections) {
    const auto opened = open_envelope(bytes);
    if (!opened) return opened.error();
    byte_reader in(*opened);
    for (auto count = byte_reader(bytes.subspan(12)).number<std::uint32_t>(); count > 0; --count) {
        const auto name = in.text(section_name_bytes);
        const auto flags = in.number<std::uint32_t>();
        const auto size = in.number<std::uint64_t>();
        if (!in.good() || size > in.remaining())
            return fail(errc::invalid_model, "expected sections within the file, found one that ends beyond it");
        if (auto read = sections.read(name, flags, byte_reader(in.take(static_cast<size_t>(size)))); !read)
            return read.error();
    }
    if (!in.finished())
        return fail(errc::invalid_model, "expected nothing after the last section, found ", in.remaining(), " bytes");
    return {};
}

void fields(auto& archive, is_or_is_const<property_definition> auto& definition) {
    archive(definition.name, definition.kind, definition.role, definition.scales_with_scale_out);
}
void fields(auto& archive, is_or_is_const<schema> auto& schema) { archive(schema.unit, schema.essential, schema.optional); }
void fields(auto& archive, is_or_is_const<scale_out_interval> auto& interval) {
    archive(interval.smallest, interval.largest);
}
void fields(auto& archive, is_or_is_const<training_basis> auto& basis) {
    archive(basis.algorithm, basis.runs, basis.contexts, basis.observed_runs, basis.seen_scale_outs,
            basis.shortest_runtime_s, basis.longest_runtime_s, basis.date);
}
void fields(auto& archive, is_or_is_const<property> auto& property) {
    archive(property.name, property.value, property.role, property.scales_with_scale_out);
}
void fields(auto& archive, is_or_is_const<context> auto& context) {
    archive(context.unit, context.essential, context.optional);
}
void fields(auto& archive, is_or_is_const<run> auto& run) {
    archive(run.context, run.scale_out, run.runtime_s, run.censored, run.weight, run.timestamp_s);
}

/// Serialises a value as the content of a section.
template <class Writer = archive_writer>
byte_writer content_of(const auto& value) {
    byte_writer content;
    Writer archive(content);
    archive(value);
    return content;
}

template <class Writer = archive_writer>
void write_section(byte_writer& out, std::string_view name, const auto& value) {
    const auto content = content_of<Writer>(value);
    out.text(name);
    out.number(must_be_understood);
    out.number(static_cast<std::uint64_t>(content.bytes().size()));
    out.append(content.bytes());
}

/// Reads a section of one value. Error: invalid_model where it does not end with the value.
template <class Value, class Reader = archive_reader>
[[gnu::cold]] result<Value> read_section(byte_reader content, std::string_view name) {
    Value value;
    Reader archive(content);
    archive(value);
    if (!archive.finished()) return malformed(name, "complete data");
    return value;
}

/// Reads a section and stores its value. Error: invalid_model, also where the section occurs twice.
template <class Reader = archive_reader, class Value>
result<void> keep_once(std::optional<Value>& stored, byte_reader content, std::string_view name) {
    auto read = read_section<Value, Reader>(content, name);
    if (!read) return read.error();
    if (stored) return fail(errc::invalid_model, "expected every section once, found one twice");
    stored = *std::move(read);
    return {};
}

/// Of names, kinds and roles of properties.
bool are_valid_definitions(const auto& list) noexcept {
    return all_of(list, [](const auto& property) {
        return !property.name.empty() && property.name.size() <= longest_name_bytes &&
               property.kind < property_kind::unknown && property.role <= property_role::machine_type;
    });
}
inline bool is_valid(const std::vector<property_definition>& list) noexcept {
    return list.size() <= most_properties && are_valid_definitions(list);
}
inline bool is_valid(const scale_out_interval& seen) noexcept {
    return 1 <= seen.smallest && seen.smallest <= seen.largest && seen.largest <= largest_scale_out;
}

inline result<void> validate(const schema& value) {
    if (value.unit > scale_out_unit::core) return malformed("SCHM", "a unit of scale-out from 0 to 3");
    if (!is_valid(value.essential) || !is_valid(value.optional)) return malformed("SCHM", "valid property definitions");
    return {};
}

inline result<void> validate(const training_basis& value) {
    if (value.algorithm.size() > longest_name_bytes || value.date.size() > longest_name_bytes)
        return malformed("BASE", "names of usual length");
    if (!(value.shortest_runtime_s >= 0 && value.shortest_runtime_s <= value.longest_runtime_s &&
          std::isfinite(value.longest_runtime_s)))
        return malformed("BASE", "ordered runtimes");
    if (!is_valid(value.seen_scale_outs)) return malformed("BASE", "ordered scale-outs");
    return {};
}

}
}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
