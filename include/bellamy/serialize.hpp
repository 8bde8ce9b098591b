// Models as bytes, files and C++ headers.
// The format, its versions and what is checked: detail/format/envelope.hpp.
#ifndef BELLAMY_SERIALIZE_HPP
#define BELLAMY_SERIALIZE_HPP

#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/format/model_bytes.hpp>

#include <algorithm>
#include <string>

namespace bellamy::inline BELLAMY_ABI {

/// The model as bytes, with a self-test: a few questions and the answers it gives now. Costs up to three times a `bind`.
/// Allocates.
[[nodiscard]] inline std::vector<std::byte> to_bytes(const model& subject) { return detail::write_model(subject); }

/// What identifies a model: 16 hexadecimal digits, a checksum of all that it answers from. The same on every machine, before
/// saving and after loading; it does not protect against forgery. Allocates.
[[nodiscard]] inline std::string model_id(const model& subject) {
    detail::byte_writer content;
    (void)detail::write_content(content, subject);
    const auto checksum = detail::crc64(content.bytes());
    std::string id;
    for (int digit = 15; digit >= 0; --digit) id += "0123456789abcdef"[(checksum >> (4 * digit)) & 15U];
    return id;
}

/// The model that bytes hold; nothing in them is trusted. It has answered the questions of its self-test within a
/// ten-thousandth. What is recomputed, the factors of best mode, takes milliseconds. Errors: not_a_model,
/// unsupported_version, truncated, corrupted, invalid_model; self_test_failed where this build or machine answers otherwise.
[[nodiscard]] inline result<model> from_bytes(std::span<const std::byte> bytes) { return detail::read_model(bytes); }

/// The same for an embedded array.
[[nodiscard]] inline result<model> from_bytes(std::span<const unsigned char> bytes) {
    return from_bytes(std::as_bytes(bytes));
}

/// Writes a model file: beside it, through to the disk, and then in its place. A failure, a crash included, leaves the file
/// that was there before (a crash also its temporary file, whose name begins with the model's). Error: cannot_write.
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
