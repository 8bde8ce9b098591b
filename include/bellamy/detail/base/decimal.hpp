// Parses and writes decimal numbers, independent of the locale.
#ifndef BELLAMY_DETAIL_BASE_DECIMAL_HPP
#define BELLAMY_DETAIL_BASE_DECIMAL_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Parses a text like "-12.5e3"; nothing for any other text (with a leading plus or a blank, or a word for infinity), or for
/// a number beyond the range of a double. Correctly rounded where at most 15 significant digits
/// count units of 10^-22 to 10^22 (integer and power are exact then, which leaves one rounding; Clinger 1990), else
/// within 1e-14 of it, except below the smallest normal double. (libc++ 14 has no std::from_chars for double.)
inline std::optional<double> decimal_of(std::string_view text) noexcept {
    size_t position = 0;
    const auto current = [&] { return position < text.size() ? text[position] : ' '; };
    const auto skip = [&](char expected) { return current() == expected && ++position > 0; };
    const auto is_digit = [&] { return current() >= '0' && current() <= '9'; };
    const bool negative = skip('-');

    std::uint64_t digits = 0;  // the leading digits, as far as they fit
    std::int64_t power = 0;
    bool has_digits = false;
    const auto take_digits = [&](int after_point) {
        for (; is_digit(); ++position) {
            has_digits = true;
            const bool fits = digits < 100'000'000'000'000'000;
            if (fits) digits = digits * 10 + static_cast<std::uint64_t>(text[position] - '0');
            power += (fits ? 0 : 1) - after_point;
        }
    };
    take_digits(0);
    if (skip('.')) take_digits(1);
    if (!has_digits) return std::nullopt;
    for (; digits > 0 && digits % 10 == 0; digits /= 10) ++power;  // zeros at the end are not significant

    if (skip('e') || skip('E')) {
        const bool negative_exponent = skip('-');
        if (!negative_exponent) (void)skip('+');
        if (!is_digit()) return std::nullopt;
        std::int64_t exponent = 0;
        // Far beyond any double, and far below any overflow of the sum.
        for (; is_digit(); ++position) exponent = (std::min)(exponent * 10 + (text[position] - '0'), std::int64_t{1} << 40);
        power += negative_exponent ? -exponent : exponent;
    }
    if (position != text.size()) return std::nullopt;

    auto value = static_cast<double>(digits);
    if (digits != 0) {
        constexpr int step = 22;
        for (; power > step && std::isfinite(value); power -= step) value *= 1e22;
        for (; power < -step && value > 0; power += step) value /= 1e22;
        double factor = 1;  // exact up to 1e22
        for (auto i = (std::min)(std::abs(power), std::int64_t{step}); i > 0; --i) factor *= 10;
        value = power < 0 ? value / factor : value * factor;
        if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    }
    return negative ? -value : value;
}

/// The same, and correctly rounded where the standard library reads doubles: what was written to be read again is the same.
inline std::optional<double> nearest_decimal_of(std::string_view text) noexcept {
    auto value = decimal_of(text);
#if defined(__cpp_lib_to_chars)
    if (value) (void)std::from_chars(text.data(), text.data() + text.size(), *value);
#endif
    return value;
}

/// The shortest text from which a number is read as the same.
template <class Number>
std::string number_text(Number number) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
