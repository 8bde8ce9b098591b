// Times, data sizes and prices as people write them: "1h30m", "32GB", "$0.40/h". A number without a unit stays as it is.
#ifndef BELLAMY_EXAMPLES_UNITS_HPP
#define BELLAMY_EXAMPLES_UNITS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "parse.hpp"

namespace tools {

namespace detail {

struct named_factor {
    std::string_view name;
    double factor;
};

inline constexpr std::array<named_factor, 21> seconds_of_units{
    {{"ns", 1e-9},   {"us", 1e-6},    {"ms", 1e-3},  {"millis", 1e-3}, {"milliseconds", 1e-3}, {"s", 1},
     {"sec", 1},     {"seconds", 1},  {"m", 60},     {"min", 60},      {"mins", 60},           {"minutes", 60},
     {"h", 3600},    {"hr", 3600},    {"hrs", 3600}, {"hour", 3600},   {"hours", 3600},        {"d", 86400},
     {"day", 86400}, {"days", 86400}, {"minute", 60}}};

// Of 2^20 bytes, as Spark counts: a GB of 1024 MB, also called g or G.
inline constexpr std::array<named_factor, 16> megabytes_of_units{{{"B", 0x1p-20},
                                                                  {"bytes", 0x1p-20},
                                                                  {"kB", 0x1p-10},
                                                                  {"KB", 0x1p-10},
                                                                  {"K", 0x1p-10},
                                                                  {"MB", 1},
                                                                  {"GB", 0x1p10},
                                                                  {"TB", 0x1p20},
                                                                  {"PB", 0x1p30},
                                                                  {"KiB", 0x1p-10},
                                                                  {"MiB", 1},
                                                                  {"GiB", 0x1p10},
                                                                  {"TiB", 0x1p20},
                                                                  {"M", 1},
                                                                  {"G", 0x1p10},
                                                                  {"T", 0x1p20}}};

[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Of a unit by its name or that in lower case: "gb" is "GB"; "Gb", which may be bits, is not.
[[nodiscard]] inline std::optional<double> factor_of(std::span<const named_factor> units, std::string_view name) {
    const auto is_lower_case = [&](std::string_view other) {
        return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                          [](char a, char b) { return a == to_lower(b); });
    };
    for (const auto& unit : units)
        if (unit.name == name || is_lower_case(unit.name)) return unit.factor;
    return std::nullopt;
}

inline void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.size(), text.find_first_not_of(' '))); }

/// Takes a number >= 0 from the front of the text; empty where none stands there.
[[nodiscard]] inline std::optional<double> take_number(std::string_view& text) {
    double number = 0;
    const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (status != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
    return number;
}

/// Takes letters from the front of the text.
[[nodiscard]] inline std::string_view take_letters(std::string_view& text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
    const auto letters = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(letters.size());
    return letters;
}

/// The number in front of one unit.
[[nodiscard]] inline std::optional<double> parse_with_unit(std::string_view text, std::span<const named_factor> units) {
    if (const auto number = parse_number<double>(text)) return number;
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    skip_blanks(text);
    const auto factor = factor_of(units, text);
    return factor ? std::optional(*number * *factor) : std::nullopt;
}

}  // namespace detail

/// Seconds of "90", "90s", "10m", "2h", "1d", "1h30m" or "1.5 h"; empty for anything else. Units go from the largest to the
/// smallest.
[[nodiscard]] inline std::optional<double> parse_seconds(std::string_view text) {
    if (const auto number = parse_number<double>(text)) return number;
    double sum = 0;
    double last_factor = INFINITY;
    do {
        const auto number = detail::take_number(text);
        if (!number) return std::nullopt;
        detail::skip_blanks(text);
        const auto factor = detail::factor_of(detail::seconds_of_units, detail::take_letters(text));
        if (!factor || *factor >= last_factor) return std::nullopt;
        sum += *number * *factor;
        last_factor = *factor;
        detail::skip_blanks(text);
    } while (!text.empty());
    return sum;
}

/// Seconds of one "min", "ms" or another unit of time; empty for anything else.
[[nodiscard]] inline std::optional<double> seconds_of_unit(std::string_view unit) {
    return detail::factor_of(detail::seconds_of_units, unit);
}

/// Whether the word is a unit of time or of a size, in upper or lower case.
[[nodiscard]] inline bool is_unit(std::string_view word) {
    const auto is_word = [&](const detail::named_factor& unit) {
        return std::equal(word.begin(), word.end(), unit.name.begin(), unit.name.end(),
                          [](char a, char b) { return detail::to_lower(a) == detail::to_lower(b); });
    };
    return std::any_of(detail::seconds_of_units.begin(), detail::seconds_of_units.end(), is_word) ||
           ((word.size() > 1 || word == "B") &&
            std::any_of(detail::megabytes_of_units.begin(), detail::megabytes_of_units.end(), is_word));
}

/// Of "0.9" or "90%"; empty for anything else.
[[nodiscard]] inline std::optional<double> parse_probability(std::string_view text) {
    if (!text.ends_with('%')) return parse_number<double>(text);
    text.remove_suffix(1);
    const auto percent = parse_number<double>(text);
    return percent ? std::optional(*percent / 100) : std::nullopt;
}

/// Whether the last word of a column's name, as in "duration_ms" or "elapsedMinutes", is a unit of time that is not seconds.
[[nodiscard]] inline bool names_other_unit_of_time(std::string_view name) {
    std::string word;
    char before = '_';
    for (const char c : name) {
        const bool is_upper = c >= 'A' && c <= 'Z';
        const bool is_lower = c >= 'a' && c <= 'z';
        const bool was_lower = before >= 'a' && before <= 'z';
        const bool was_upper = before >= 'A' && before <= 'Z';
        const bool begins = is_upper ? !was_upper : is_lower && !was_lower && !was_upper;
        if (begins) word.clear();
        if (is_upper || is_lower) word += detail::to_lower(c);
        before = c;
    }
    return seconds_of_unit(word).value_or(1) != 1;
}

/// Megabytes (2^20 bytes) of "500", "500MB", "32gb", "32g", "1.5 TB" or "30GiB"; empty for anything else.
[[nodiscard]] inline std::optional<double> parse_megabytes(std::string_view text) {
    return detail::parse_with_unit(text, detail::megabytes_of_units);
}

/// The value of a property as the model counts it: where its name ends in MB, a size with another unit in MB. Anything else
/// as it is.
[[nodiscard]] inline std::string with_unit_of(std::string_view property, const std::string& value) {
    const bool counts_mb = property.ends_with("MB") || property.ends_with("_mb");
    if (!counts_mb || parse_number<double>(value)) return value;
    const auto megabytes = parse_megabytes(value);
    return megabytes ? fmt::format("{}", static_cast<std::uint64_t>(std::ceil(std::min(*megabytes, 1e15)))) : value;
}

/// An amount of money or a price per hour.
struct money {
    double amount = 0;
    std::string currency{};  // "$", "EUR"; empty where the text names none
};

/// "0.4", "$0.40", "0.40 EUR"; a `rate` may end in "/h", "/min" or "/s" and is per hour. Empty for anything else.
[[nodiscard]] inline std::optional<money> parse_money(std::string_view text, bool rate) {
    if (const auto number = parse_number<double>(text)) return money{.amount = *number};
    double per_hour = 1;
    if (const auto slash = text.find('/'); slash != text.npos) {
        const auto seconds = detail::factor_of(detail::seconds_of_units, text.substr(slash + 1));
        if (!rate || !seconds) return std::nullopt;
        per_hour = 3600 / *seconds;
        text = text.substr(0, slash);
    }
    money made;
    const auto take_currency = [&] {
        for (const std::string_view symbol : {"$", "€", "£", "¥"})
            if (text.starts_with(symbol)) {
                made.currency = symbol;
                text.remove_prefix(symbol.size());
                return;
            }
        made.currency = detail::take_letters(text);
    };
    take_currency();
    detail::skip_blanks(text);
    const auto number = detail::take_number(text);
    if (!number) return std::nullopt;
    detail::skip_blanks(text);
    if (made.currency.empty()) take_currency();
    const bool is_code = made.currency.empty() || made.currency.size() <= 3;
    if (!text.empty() || !is_code) return std::nullopt;
    made.amount = *number * per_hour;
    return made;
}

/// "$0.40", "-EUR 3.10", "$0.0042".
[[nodiscard]] inline std::string to_text(const money& of) {
    const double size = std::abs(of.amount);
    const bool is_code = !of.currency.empty() && std::isalpha(static_cast<unsigned char>(of.currency.back())) != 0;
    return fmt::format("{}{}{}{:.{}f}", of.amount < 0 ? "-" : "", of.currency, is_code ? " " : "", size,
                       size > 0 && size < 0.1 ? 4 : 2);
}

}  // namespace tools

#endif
