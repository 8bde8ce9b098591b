// Reads a decimal number the same way whatever the locale and the standard library.
#ifndef BELLAMY_DETAIL_BASE_DECIMAL_HPP
#define BELLAMY_DETAIL_BASE_DECIMAL_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Powers of ten that a double holds exactly.
inline constexpr std::array<double, 23> exact_powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The number that a text like "-12.5e3" stands for; nothing where it is any other text (a leading plus, a blank and the
/// words for infinity among them), or beyond what a double holds. Correctly rounded where at most 15 significant digits
/// count units of 10^-22 to 10^22 (integer and power are exact then, which leaves one rounding; Clinger 1990), else
/// within 1e-14 of it, except below the smallest normal double. (libc++ 14 has no std::from_chars for double.)
[[nodiscard]] inline std::optional<double> decimal_of(std::string_view text) noexcept {
    std::size_t at = 0;
    const auto is_digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    const bool negative = !text.empty() && text[0] == '-';
    if (negative) ++at;

    std::uint64_t digits = 0;  // the significant ones, as far as they fit
    int count = 0;             // of these
    std::int64_t power = 0;
    std::int64_t zeros = 0;  // since the last digit taken: they only matter once another one follows
    bool any = false;
    bool fraction = false;
    constexpr int most_digits = 18;
    for (;; ++at) {
        if (at < text.size() && text[at] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit()) break;
        any = true;
        if (fraction) --power;
        if (text[at] == '0' || count + zeros >= most_digits) {
            if (count > 0) ++zeros;
            continue;
        }
        for (; zeros > 0; --zeros, ++count) digits *= 10;
        digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
        ++count;
    }
    if (!any) return std::nullopt;
    power += zeros;

    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        const bool below = at < text.size() && text[at] == '-';
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        if (!is_digit()) return std::nullopt;
        std::int64_t exponent = 0;
        // Far beyond any double, and far below any overflow of the sum.
        for (; is_digit(); ++at) exponent = (std::min)(exponent * 10 + (text[at] - '0'), std::int64_t{1} << 40);
        power += below ? -exponent : exponent;
    }
    if (at != text.size()) return std::nullopt;

    auto value = static_cast<double>(digits);
    if (digits != 0) {
        constexpr std::int64_t step = exact_powers_of_ten.size() - 1;
        for (; power > step && std::isfinite(value); power -= step) value *= exact_powers_of_ten.back();
        for (; power < -step && value > 0; power += step) value /= exact_powers_of_ten.back();
        if (power > 0 && power <= step) value *= exact_powers_of_ten[static_cast<std::size_t>(power)];
        if (power < 0 && power >= -step) value /= exact_powers_of_ten[static_cast<std::size_t>(-power)];
        if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    }
    return negative ? -value : value;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
