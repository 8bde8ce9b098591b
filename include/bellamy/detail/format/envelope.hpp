// Model format 1.0: what stands around the sections of a model file, and the rules by which the format may grow.
//
// All numbers are little-endian, reals IEEE 754; integers within sections take eight bytes,
// enumerators and booleans one; a text or a list is its u64 size and its UTF-8 bytes or elements (archive.hpp).
//
//   offset  type  what
//        0  u8[8] magic: "bellamy" and 0x1a
//        8  u16   major version
//       10  u16   minor version
//       12  u32   number of sections
//       16  u64   size of the whole in bytes, at most `largest_model_bytes`
//       24        the sections: u32 name (four letters), u32 flags (bit 0: must be understood), u64 size, content
//      end  u64   CRC-64/XZ of all bytes before it
//
//   section  content, as lists of fields (sections.hpp, kinds/)    stands in
//   SCHM     schema: unit, essential and optional properties       every model
//   BASE     training basis                                        every model
//   NETW     a network's widths, scaler and parameters             paper mode
//   BLND     best mode's data and hyper-parameters                 best mode
//   SHAP     prior shapes                                          cold start
//   OBSV     the runs that the model is conditioned on             best mode, cold start
//   SELF     questions and answers (self_test.hpp)                 every model
//   APPL     an application's name, properties and scale-outs      application (stages/application_bytes.hpp)
//   STGS     the parts of its runs by shape, packed (packed.hpp)   application
//   SMAL     by shape, jobs that are shares of a part, packed      application whose runs have many jobs
//   ENEL     parameters, rates and scaler of Enel's network        Enel's network (decision/enel_file.hpp)
//   RUNS     the runs that it compares with, packed                Enel's network
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

#include <bellamy/detail/base/byte_io.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/limits.hpp>

#include <algorithm>
#include <array>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Version of the model format that this library writes.
inline constexpr std::uint16_t model_format_major = 1;
inline constexpr std::uint16_t model_format_minor = 0;
/// The first major version that it still reads.
inline constexpr std::uint16_t earliest_model_format_major = 1;

}}  // namespace bellamy::BELLAMY_ABI

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr std::array<unsigned char, 8> model_magic{'b', 'e', 'l', 'l', 'a', 'm', 'y', 0x1a};
inline constexpr std::size_t model_header_bytes = 24;
inline constexpr std::size_t model_checksum_bytes = 8;
inline constexpr std::uint32_t must_be_understood = 1;

[[nodiscard]] constexpr std::uint32_t section_name(std::string_view letters) noexcept {
    std::uint32_t name = 0;
    for (std::size_t i = 0; i < 4; ++i)
        name |= static_cast<std::uint32_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
    return name;
}
inline void write_section(byte_writer& out, std::uint32_t name, const byte_writer& content) {
    out.number(name);
    out.number(must_be_understood);
    out.number(static_cast<std::uint64_t>(content.bytes().size()));
    out.append(content.bytes());
}

/// The sections with what stands around them.
[[nodiscard]] inline std::vector<std::byte> write_envelope(const byte_writer& sections, std::uint32_t count) {
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

/// Checks everything but the sections; returns their bytes.
[[nodiscard]] inline result<std::span<const std::byte>> open_envelope(std::span<const std::byte> bytes) {
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
                    model_format_major, ".x, found ", major, ".", minor);
    if (size != bytes.size()) return fail(errc::truncated, "expected ", size, " bytes, found ", bytes.size());
    const auto checked = bytes.first(bytes.size() - model_checksum_bytes);
    if (byte_reader(bytes.last(model_checksum_bytes)).number<std::uint64_t>() != crc64(checked))
        return fail(errc::corrupted, "expected the checksum of an unaltered model, found another");
    return checked.subspan(model_header_bytes);
}

/// Hands every section to `found.read(name, flags, content)`. Errors: those of the envelope and of `read`; invalid_model.
template <class Sections>
[[nodiscard]] result<void> read_sections(std::span<const std::byte> bytes, Sections& found) {
    const auto opened = open_envelope(bytes);
    if (!opened) return opened.error();
    byte_reader in(*opened);
    for (auto sections = byte_reader(bytes.subspan(12)).number<std::uint32_t>(); sections > 0; --sections) {
        const auto name = in.number<std::uint32_t>();
        const auto flags = in.number<std::uint32_t>();
        const auto size = in.number<std::uint64_t>();
        if (!in.good() || size > in.remaining())
            return fail(errc::invalid_model, "expected sections within the file, found one that ends beyond it");
        if (auto read = found.read(name, flags, byte_reader(in.take(static_cast<std::size_t>(size)))); !read)
            return read.error();
    }
    if (!in.finished())
        return fail(errc::invalid_model, "expected nothing after the last section, found ", in.remaining(), " bytes");
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
