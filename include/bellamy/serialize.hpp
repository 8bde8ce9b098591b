// Models as bytes, files and C++ headers.
//
// The format, all numbers little-endian:
//   offset 0   8 bytes  magic "bellamy" and 0x1a
//          8   u16 u16  format version: major, minor
//         12   u32      number of sections
//         16   u64      size of the whole in bytes
//         24            sections, each: u32 name (four letters), u32 flags (bit 0: must be understood), u64 size, content
//         end  u64      CRC-64/XZ of all bytes before it
// Sections: SCHM schema, BASE training basis, and either NETW a network (with LOGN where it is in log mode), or BLND the
// best mode's data or SHAP a cold start's shapes with OBSV the runs it is conditioned on. A reader accepts its own major
// version and refuses unknown sections that must be understood; it skips the others.
#ifndef BELLAMY_SERIALIZE_HPP
#define BELLAMY_SERIALIZE_HPP

#include <bellamy/detail/file.hpp>
#include <bellamy/detail/model_format.hpp>

#include <algorithm>
#include <string>

namespace bellamy::inline BELLAMY_ABI {

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
        !std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); }))
        return detail::fail(errc::invalid_option, "expected a C++ identifier, found \"", name, "\"");
    const auto bytes = to_bytes(subject);
    std::string guard = "BELLAMY_MODELS_" + std::string(name);
    std::transform(guard.begin(), guard.end(), guard.begin(),
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
