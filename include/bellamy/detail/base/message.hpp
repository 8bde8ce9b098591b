// Composes the text of an error from words and numbers, without allocation and without the locale.
#ifndef BELLAMY_DETAIL_BASE_MESSAGE_HPP
#define BELLAMY_DETAIL_BASE_MESSAGE_HPP

#include <bellamy/detail/base/utf8.hpp>
#include <bellamy/error.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class message {
public:
    /// Whole characters, as far as they fit; bytes that are not UTF-8 become question marks.
    void append(std::string_view words) noexcept {
        while (!words.empty()) {
            const std::size_t length = first_character(words);
            if (text_.size() - size_ < (std::max)(length, std::size_t{1})) return;
            if (length == 0) text_[size_++] = '?';
            for (std::size_t i = 0; i < length; ++i) text_[size_++] = words[i];
            words.remove_prefix((std::max)(length, std::size_t{1}));
        }
    }

    template <class Number>
    requires(std::integral<Number> || std::floating_point<Number>) void append(Number number) noexcept {
        std::array<char, 32> digits{};
        const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
        if (status == std::errc{}) append(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
    }

    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, error::capacity> text_{};
    std::size_t size_ = 0;
};

/// `fail(errc::x, "expected ", 5, " essential properties, found ", 4)`
template <class... Parts>
[[nodiscard]] error fail(errc code, const Parts&... parts) noexcept {
    message text;
    (text.append(parts), ...);
    return error(code, text.view());
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
