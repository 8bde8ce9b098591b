// Composes the text of an error from words and numbers, without allocation and without the locale.
#ifndef BELLAMY_DETAIL_MESSAGE_HPP
#define BELLAMY_DETAIL_MESSAGE_HPP

#include <bellamy/error.hpp>

#include <charconv>
#include <concepts>

namespace bellamy::inline BELLAMY_ABI::detail {

class message {
public:
    void append(std::string_view words) noexcept {
        for (const char c : words) {
            if (size_ == text_.size()) return;
            text_[size_++] = c;
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
