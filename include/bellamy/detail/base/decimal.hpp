// Reads a decimal number the same way whatever the locale and the standard library.
#ifndef BELLAMY_DETAIL_BASE_DECIMAL_HPP
#define BELLAMY_DETAIL_BASE_DECIMAL_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The number that a text like "-12.5e3" stands for; nothing where it is any other text (a leading plus, a blank and the
/// words for infinity among them), or beyond what a double holds. Correctly rounded where at most 15 significant digits
/// count units of 10^-22 to 10^22 (integer and power are exact then, which leaves one rounding; Clinger 1990), else
/// within 1e-14 of it, except below the smallest normal double. (libc++ 14 has no std::from_chars for double.)
[[nodiscard]] inline std::optional<double> decimal_of(std::string_view text) noexcept {
    std::size_t at = 0;
    const auto next = [&] { return at < text.size() ? text[at] : ' '; };
    const auto skip = [&](char expected) { return next() == expected && ++at > 0; };
    const auto is_digit = [&] { return next() >= '0' && next() <= '9'; };
    const bool negative = skip('-');

    std::uint64_t digits = 0;  // the leading ones, as far as they fit
    std::int64_t power = 0;
    bool any = false;
    const auto take_digits = [&](int behind_point) {
        for (; is_digit(); ++at) {
            any = true;
            const bool fits = digits < 100'000'000'000'000'000;
            if (fits) digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
            power += (fits ? 0 : 1) - behind_point;
        }
    };
    take_digits(0);
    if (skip('.')) take_digits(1);
    if (!any) return std::nullopt;
    for (; digits > 0 && digits % 10 == 0; digits /= 10) ++power;  // zeros at the end are not significant

    if (skip('e') || skip('E')) {
        const bool below = skip('-');
        if (!below) (void)skip('+');
        if (!is_digit()) return std::nullopt;
        std::int64_t exponent = 0;
        // Far beyond any double, and far below any overflow of the sum.
        for (; is_digit(); ++at) exponent = (std::min)(exponent * 10 + (text[at] - '0'), std::int64_t{1} << 40);
        power += below ? -exponent : exponent;
    }
    if (at != text.size()) return std::nullopt;

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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
