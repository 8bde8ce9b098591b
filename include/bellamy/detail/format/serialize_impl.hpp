// Definitions of serialize.hpp: models as bytes, files and C++ headers.
#ifndef BELLAMY_DETAIL_FORMAT_SERIALIZE_IMPL_HPP
#define BELLAMY_DETAIL_FORMAT_SERIALIZE_IMPL_HPP

#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/format/model_bytes.hpp>
#include <bellamy/serialize.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE std::vector<std::byte> to_bytes(const model& source) { return detail::write_model(source); }

BELLAMY_PUBLIC_INLINE std::string model_id(const model& source) {
    detail::byte_writer content;
    (void)detail::write_content(content, source);
    return detail::hexadecimal(detail::crc64(content.bytes()));
}

BELLAMY_PUBLIC_INLINE result<model> from_bytes(std::span<const std::byte> bytes) { return detail::read_model(bytes); }

BELLAMY_PUBLIC_INLINE result<void> save(const model& source, const std::string& path) {
    return detail::write_file(path, to_bytes(source));
}

BELLAMY_PUBLIC_INLINE result<model> load(const std::string& path) {
    const auto bytes = detail::read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    return from_bytes(*bytes);
}

BELLAMY_PUBLIC_INLINE result<std::string> to_header(const model& source, std::string_view name, std::string_view comment) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (name.empty() || is_digit(name.front()) || !detail::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); }))
        return detail::fail(errc::invalid_option, "expected a C++ identifier, found \"", name, "\"");
    const auto bytes = to_bytes(source);
    std::string guard = "BELLAMY_MODELS_" + std::string(name);
    for (char& c : guard)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    std::string out;
    for (size_t begin = 0; begin < comment.size();) {
        const size_t end = (std::min)(comment.find('\n', begin), comment.size());
        std::string line = "// " + std::string(comment.substr(begin, end - begin));
        while (line.back() == '\\') line.pop_back();  // a backslash would continue the comment on the next line
        out += line + "\n";
        begin = end + 1;
    }
    out += "#ifndef " + guard + "\n#define " + guard + "\n\nnamespace bellamy_models {\n\n";
    out += "inline constexpr unsigned char " + std::string(name) + "[" + std::to_string(bytes.size()) + "] = {";
    for (size_t i = 0; i < bytes.size(); ++i) {
        out += i % 24 == 0 ? "\n    " : " ";
        out += std::to_string(std::to_integer<unsigned>(bytes[i])) + ",";
    }
    out += "\n};\n\n}  // namespace bellamy_models\n\n#endif\n";
    return out;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
