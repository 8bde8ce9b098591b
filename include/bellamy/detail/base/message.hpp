// Error messages composed without allocation and without the locale; checks of UTF-8.
#ifndef BELLAMY_DETAIL_BASE_MESSAGE_HPP
#define BELLAMY_DETAIL_BASE_MESSAGE_HPP

#include <bellamy/error.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Bytes of the first character; 0 where they are not well-formed. Precondition: bytes are not empty.
constexpr size_t first_character_bytes(std::string_view bytes) noexcept {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    size_t following = 0;
    unsigned lowest = 0x80;   // allowed range of the first following byte: excludes overlong forms,
    unsigned highest = 0xBF;  // surrogates and what lies beyond U+10FFFF
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) {
        following = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        following = 2;
        if (lead == 0xE0) lowest = 0xA0;
        if (lead == 0xED) highest = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        following = 3;
        if (lead == 0xF0) lowest = 0x90;
        if (lead == 0xF4) highest = 0x8F;
    } else {
        return 0;
    }
    if (bytes.size() <= following) return 0;
    for (size_t k = 1; k <= following; ++k) {
        const auto byte = static_cast<unsigned char>(bytes[k]);
        if (byte < lowest || byte > highest) return 0;
        lowest = 0x80;
        highest = 0xBF;
    }
    return following + 1;
}

constexpr bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const size_t length = first_character_bytes(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

/// A text of bounded size, without allocation.
class message {
public:
    /// Appends whole characters, as far as they fit; bytes that are not UTF-8 become question marks.
    [[gnu::cold]] void append(std::string_view words) noexcept {
        while (!words.empty()) {
            const size_t length = first_character_bytes(words);
            if (text_.size() - size_ < (std::max)(length, size_t{1})) return;
            if (length == 0) text_[size_++] = '?';
            for (size_t i = 0; i < length; ++i) text_[size_++] = words[i];
            words.remove_prefix((std::max)(length, size_t{1}));
        }
    }

    template <class Number>
    requires(std::integral<Number> || std::floating_point<Number>) [[gnu::cold]] void append(Number number) noexcept {
        std::array<char, 32> digits{};
        const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), +number);
        if (status == std::errc{}) append(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())));
    }

    std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, error::capacity> text_{};
    size_t size_ = 0;
};

/// `fail(errc::x, "expected ", 5, " essential properties, found ", 4)`
template <class... Parts>
[[gnu::cold]] error fail(errc code, const Parts&... parts) noexcept {
    message text;
    (text.append(parts), ...);
    return error(code, text.view());
}

/// The same error with its subject in front, as in "run 5: expected ...".
template <class... Parts>
[[gnu::cold]] error with_subject(const error& cause, const Parts&... subject) noexcept {
    return fail(cause.code(), subject..., ": ", cause.message());
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
