// Text of tables and files, as a terminal, a comment or a picture can show it.
#ifndef BELLAMY_EXAMPLES_PRINTABLE_HPP
#define BELLAMY_EXAMPLES_PRINTABLE_HPP

#include <algorithm>
#include <string>

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

}  // namespace tools

#endif
