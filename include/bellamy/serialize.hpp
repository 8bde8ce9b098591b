// Models as bytes, files and C++ headers.
//
// The format, all numbers little-endian:
//   offset 0   8 bytes  magic "bellamy" and 0x1a
//          8   u16 u16  format version: major, minor
//         12   u32      number of sections
//         16   u64      size of the whole in bytes
//         24            sections, each: u32 name (four letters), u32 flags (bit 0: must be understood), u64 size, content
//         end  u64      CRC-64/XZ of all bytes before it
// A reader accepts its own major version and refuses unknown sections that must be understood; it skips the others.
#ifndef BELLAMY_SERIALIZE_HPP
#define BELLAMY_SERIALIZE_HPP

#include <bellamy/detail/byte_io.hpp>
#include <bellamy/detail/crc64.hpp>
#include <bellamy/detail/file.hpp>
#include <bellamy/detail/utf8.hpp>
#include <bellamy/model.hpp>

#include <optional>
#include <string>

namespace bellamy::inline BELLAMY_ABI {

/// Version of the model format that this library writes; it reads every minor version of this major one.
inline constexpr std::uint16_t model_format_major = 0;
inline constexpr std::uint16_t model_format_minor = 1;

/// Larger model files are refused.
inline constexpr std::size_t largest_model_bytes = std::size_t{64} << 20U;

namespace detail {

inline constexpr std::array<unsigned char, 8> model_magic{'b', 'e', 'l', 'l', 'a', 'm', 'y', 0x1a};
inline constexpr std::size_t model_header_bytes = 24;
inline constexpr std::size_t model_checksum_bytes = 8;
inline constexpr std::size_t longest_name_bytes = 65536;
inline constexpr std::uint32_t must_be_understood = 1;

[[nodiscard]] constexpr std::uint32_t section_name(std::string_view letters) noexcept {
    std::uint32_t name = 0;
    for (std::size_t i = 0; i < 4; ++i)
        name |= static_cast<std::uint32_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
    return name;
}
inline constexpr std::uint32_t schema_section = section_name("SCHM");
inline constexpr std::uint32_t basis_section = section_name("BASE");
inline constexpr std::uint32_t network_section = section_name("NETW");

inline void write_section(byte_writer& out, std::uint32_t name, const byte_writer& content) {
    out.number(name);
    out.number(must_be_understood);
    out.number(static_cast<std::uint64_t>(content.bytes().size()));
    out.append(content.bytes());
}

inline void write_definitions(byte_writer& out, const std::vector<property_definition>& list) {
    out.number(static_cast<std::uint32_t>(list.size()));
    for (const auto& each : list) {
        out.text(each.name);
        out.number(static_cast<std::uint8_t>(each.kind));
        out.number(static_cast<std::uint8_t>(each.role));
        out.number(static_cast<std::uint8_t>(each.scales_with_scale_out ? 1 : 0));
    }
}

[[nodiscard]] inline byte_writer write_schema(const schema& value) {
    byte_writer out;
    out.number(static_cast<std::uint8_t>(value.unit));
    write_definitions(out, value.essential);
    write_definitions(out, value.optional);
    return out;
}

[[nodiscard]] inline byte_writer write_basis(const training_basis& value) {
    byte_writer out;
    out.text(value.algorithm);
    out.number(value.runs);
    out.number(value.contexts);
    out.number(value.observed_runs);
    out.number(static_cast<std::uint32_t>(value.seen_scale_outs.smallest));
    out.number(static_cast<std::uint32_t>(value.seen_scale_outs.largest));
    return out;
}

[[nodiscard]] constexpr std::array<std::size_t, 6> widths(const dimensions& d) noexcept {
    return {d.encoding, d.encoder_hidden, d.code, d.scale_out_hidden, d.scale_out_code, d.head_hidden};
}

[[nodiscard]] inline byte_writer write_network(const network<>& value) {
    byte_writer out;
    for (const std::size_t width : widths(dimensions{})) out.number(static_cast<std::uint32_t>(width));
    out.number(static_cast<std::uint32_t>(value.essential_count()));
    for (const float each : value.runtime.scaler.minimum) out.number(each);
    for (const float each : value.runtime.scaler.span) out.number(each);
    for (const float each : value.parameters()) out.number(each);
    return out;
}

[[nodiscard]] inline error malformed(std::string_view section, std::string_view expected) noexcept {
    return fail(errc::invalid_model, "expected ", expected, " in section ", section, ", found something else");
}

[[nodiscard]] inline bool read_definitions(byte_reader& in, std::vector<property_definition>& list) {
    const std::size_t count = in.number<std::uint32_t>();
    if (count > most_properties) return false;
    for (std::size_t i = 0; i < count; ++i) {
        property_definition each{.name = in.text(longest_name_bytes)};
        const auto kind = in.number<std::uint8_t>();
        const auto role = in.number<std::uint8_t>();
        const auto scales = in.number<std::uint8_t>();
        if (!in.good() || each.name.empty() || !is_utf8(each.name) || kind > 2 || role > 4 || scales > 1) return false;
        each.kind = static_cast<property_kind>(kind);
        each.role = static_cast<property_role>(role);
        each.scales_with_scale_out = scales == 1;
        list.push_back(std::move(each));
    }
    return true;
}

[[nodiscard]] inline result<schema> read_schema(byte_reader in) {
    schema value;
    const auto unit = in.number<std::uint8_t>();
    if (unit > 3) return malformed("SCHM", "a unit of scale-out from 0 to 3");
    value.unit = static_cast<scale_out_unit>(unit);
    if (!read_definitions(in, value.essential) || !read_definitions(in, value.optional) || !in.finished())
        return malformed("SCHM", "valid property definitions");
    return value;
}

[[nodiscard]] inline result<training_basis> read_basis(byte_reader in) {
    training_basis value{.algorithm = in.text(longest_name_bytes)};
    value.runs = in.number<std::uint32_t>();
    value.contexts = in.number<std::uint32_t>();
    value.observed_runs = in.number<std::uint32_t>();
    const auto smallest = in.number<std::uint32_t>();
    const auto largest = in.number<std::uint32_t>();
    if (!in.finished() || !is_utf8(value.algorithm)) return malformed("BASE", "a complete training basis");
    if (smallest < 1 || smallest > largest || largest > static_cast<std::uint32_t>(largest_scale_out))
        return malformed("BASE", "ordered scale-outs");
    value.seen_scale_outs = {.smallest = static_cast<int>(smallest), .largest = static_cast<int>(largest)};
    return value;
}

[[nodiscard]] inline result<network<>> read_network(byte_reader in) {
    for (const std::size_t width : widths(dimensions{}))
        if (in.number<std::uint32_t>() != width) return malformed("NETW", "a network of the default dimensions");
    const std::size_t essential = in.number<std::uint32_t>();
    if (essential > most_properties || in.remaining() != 4 * (6 + network<>::parameter_count(essential)))
        return malformed("NETW", "as many parameters as the dimensions need");
    network<> value(essential);
    for (float& each : value.runtime.scaler.minimum) each = in.real();
    for (float& each : value.runtime.scaler.span) each = in.real();
    std::vector<float> parameters(network<>::parameter_count(essential));
    bool finite = true;
    for (float& each : parameters) {
        each = in.real();
        finite = finite && std::isfinite(each);
    }
    for (std::size_t i = 0; i < scale_out_features_count; ++i)
        finite = finite && std::isfinite(value.runtime.scaler.minimum[i]) && std::isfinite(value.runtime.scaler.span[i]) &&
                 value.runtime.scaler.span[i] > 0;
    if (!finite) return malformed("NETW", "finite parameters");
    value.set_parameters(parameters);
    return value;
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
    if (major != model_format_major)
        return fail(errc::unsupported_version, "expected model format ", model_format_major, ".x, found ", major, ".",
                    minor);
    if (size != bytes.size()) return fail(errc::truncated, "expected ", size, " bytes, found ", bytes.size());
    const auto checked = bytes.first(bytes.size() - model_checksum_bytes);
    if (byte_reader(bytes.last(model_checksum_bytes)).number<std::uint64_t>() != crc64(checked))
        return fail(errc::corrupted, "expected the checksum of an unaltered model, found another");
    return checked.subspan(model_header_bytes);
}

[[nodiscard]] inline std::vector<std::byte> write_model(const model& subject) {
    byte_writer sections;
    write_section(sections, schema_section, write_schema(subject.schema()));
    write_section(sections, basis_section, write_basis(subject.basis()));
    write_section(sections, network_section, write_network(subject.parameters()));

    byte_writer out;
    out.append(std::as_bytes(std::span(model_magic)));
    out.number(model_format_major);
    out.number(model_format_minor);
    out.number(std::uint32_t{3});
    out.number(static_cast<std::uint64_t>(model_header_bytes + sections.bytes().size() + model_checksum_bytes));
    out.append(sections.bytes());
    out.number(crc64(out.bytes()));
    return std::move(out).take();
}

[[nodiscard]] inline result<model> read_model(std::span<const std::byte> bytes) {
    const auto opened = open_envelope(bytes);
    if (!opened) return opened.error();
    byte_reader in(*opened);
    auto sections = byte_reader(bytes.subspan(12)).number<std::uint32_t>();
    std::optional<schema> properties;
    std::optional<training_basis> basis;
    std::optional<network<>> parameters;
    const auto keep = [](auto& place, auto&& read) -> result<void> {
        if (!read) return read.error();
        if (place) return fail(errc::invalid_model, "expected every section once, found one twice");
        place = *std::forward<decltype(read)>(read);
        return {};
    };
    for (; sections > 0; --sections) {
        const auto name = in.number<std::uint32_t>();
        const auto flags = in.number<std::uint32_t>();
        const auto size = in.number<std::uint64_t>();
        if (!in.good() || size > in.remaining())
            return fail(errc::invalid_model, "expected sections within the file, found one that ends beyond it");
        const byte_reader content(in.take(static_cast<std::size_t>(size)));
        result<void> kept;
        if (name == schema_section) {
            kept = keep(properties, read_schema(content));
        } else if (name == basis_section) {
            kept = keep(basis, read_basis(content));
        } else if (name == network_section) {
            kept = keep(parameters, read_network(content));
        } else if ((flags & must_be_understood) != 0) {
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        }
        if (!kept) return kept.error();
    }
    if (!in.finished())
        return fail(errc::invalid_model, "expected nothing after the last section, found ", in.remaining(), " bytes");
    if (!properties || !basis || !parameters || parameters->essential_count() != properties->essential.size())
        return fail(errc::invalid_model, "expected schema, basis and network that fit each other, found less");
    return model(*std::move(properties), *std::move(basis), *std::move(parameters));
}

}  // namespace detail

/// The model as bytes. Allocates.
[[nodiscard]] inline std::vector<std::byte> to_bytes(const model& subject) { return detail::write_model(subject); }

/// The model that bytes hold; nothing in them is trusted. Errors: not_a_model, unsupported_version, truncated, corrupted,
/// invalid_model.
[[nodiscard]] inline result<model> from_bytes(std::span<const std::byte> bytes) { return detail::read_model(bytes); }

/// The same for an embedded array.
[[nodiscard]] inline result<model> from_bytes(std::span<const unsigned char> bytes) {
    return from_bytes(std::as_bytes(bytes));
}

/// Writes a model file; a failure leaves the file that was there before. Error: cannot_write.
[[nodiscard]] inline result<void> save(const model& subject, const std::string& path) {
    return detail::write_file(path, to_bytes(subject));
}

/// Reads a model file. Errors: cannot_read, and those of `from_bytes`.
[[nodiscard]] inline result<model> load(const std::string& path) {
    const auto bytes = detail::read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    return from_bytes(std::span(*bytes));
}

/// The model as a C++ header that defines `bellamy_models::NAME`, an array for `from_bytes`; it includes nothing.
/// `comment` stands at its top, line by line. Error: invalid_option where `name` is not an identifier.
[[nodiscard]] inline result<std::string> to_header(const model& subject, std::string_view name,
                                                   std::string_view comment = {}) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (name.empty() || is_digit(name.front()) ||
        !std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); }))
        return detail::fail(errc::invalid_option, "expected a C++ identifier, found \"", name, "\"");
    const auto bytes = to_bytes(subject);
    std::string guard = "BELLAMY_MODELS_" + std::string(name);
    std::ranges::transform(guard, guard.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    std::string out;
    for (std::size_t at = 0; at < comment.size();) {
        const std::size_t end = (std::min)(comment.find('\n', at), comment.size());
        std::string line = "// " + std::string(comment.substr(at, end - at));
        while (line.back() == '\\') line.pop_back();  // it would make the next line part of the comment
        out += line + "\n";
        at = end + 1;
    }
    out += "#ifndef " + guard + "\n#define " + guard + "\n\nnamespace bellamy_models {\n\n";
    out += "inline constexpr unsigned char " + std::string(name) + "[" + std::to_string(bytes.size()) + "] = {";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        out += i % 24 == 0 ? "\n    " : " ";
        out += std::to_string(std::to_integer<unsigned>(bytes[i])) + ",";
    }
    out += "\n};\n\n}  // namespace bellamy_models\n\n#endif\n";
    return out;
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
