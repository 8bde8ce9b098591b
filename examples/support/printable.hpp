// Text of tables and files, as a terminal, a comment or a picture can show it.
#ifndef BELLAMY_EXAMPLES_PRINTABLE_HPP
#define BELLAMY_EXAMPLES_PRINTABLE_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace tools {

/// The text on one line, with a blank for each control character: a line end, an escape, those of two bytes from U+0080.
[[nodiscard]] inline std::string printable(std::string text) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    std::replace_if(text.begin(), text.end(), is_control, ' ');
    for (auto at = text.find('\xC2'); at != text.npos && at + 1 < text.size(); at = text.find('\xC2', at + 1)) {
        const auto second = static_cast<unsigned char>(text[at + 1]);
        if (second >= 0x80 && second < 0xA0) text.replace(at, 2, " ");
    }
    return text;
}

/// The first bytes, with "..." where there are more; a character of UTF-8 is not cut.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return std::string(text);
    auto end = most_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "...";
}

}  // namespace tools

#endif
