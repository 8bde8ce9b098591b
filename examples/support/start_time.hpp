// When a run began, as tables spell it.
#ifndef BELLAMY_EXAMPLES_START_TIME_HPP
#define BELLAMY_EXAMPLES_START_TIME_HPP

#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

#include "parse.hpp"

namespace tools {

namespace detail {

/// Takes a number of so many digits from the front of the text; empty where none stands there.
[[nodiscard]] inline std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    const auto digits = text.substr(0, count);
    if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
    text.remove_prefix(count);
    return parse_number<int>(digits);
}

[[nodiscard]] inline bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == any_of.npos) return false;
    text.remove_prefix(1);
    return true;
}

/// Seconds east of Greenwich of "", "Z", "+02:00" or "-0530"; empty for anything else.
[[nodiscard]] inline std::optional<int> offset_s(std::string_view text) {
    if (text.empty() || text == "Z" || text == "z" || text == "UTC") return 0;
    const int sign = text.front() == '-' ? -1 : 1;
    if (!take(text, "+-")) return std::nullopt;
    const auto hours = take_digits(text, 2);
    (void)take(text, ":");
    const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
    if (!hours || !minutes || *hours > 14 || *minutes > 59 || !text.empty()) return std::nullopt;
    return sign * (3600 * *hours + 60 * *minutes);
}

/// Seconds since midnight from the front of the text, "22:15" or "22:15:30.5"; empty where no time stands there.
[[nodiscard]] inline std::optional<double> take_time_of_day_s(std::string_view& text) {
    const auto hours = take_digits(text, 2);
    if (!hours || *hours > 23 || !take(text, ":")) return std::nullopt;
    const auto minutes = take_digits(text, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    double seconds = 0;
    if (take(text, ":")) {
        const auto whole = take_digits(text, 2);
        if (!whole || *whole > 60) return std::nullopt;
        seconds = *whole;
        if (take(text, ".,")) {
            double unit = 0.1;
            for (auto digit = take_digits(text, 1); digit; digit = take_digits(text, 1), unit /= 10)
                seconds += unit * *digit;
        }
    }
    return 3600 * *hours + 60 * *minutes + seconds;
}

}  // namespace detail

/// Seconds since 1970 of a number of them, or of a date and time as ISO 8601 writes it: "2026-01-31T22:15:00+01:00",
/// "2026-01-31 22:15" (UTC where no zone is given) or "2026-01-31". Empty for anything else.
[[nodiscard]] inline std::optional<double> parse_start(std::string_view text) {
    if (const auto number = parse_number<double>(text)) {
        const bool is_compact_date = text.size() == 8 && (text.starts_with("19") || text.starts_with("20"));
        return std::abs(*number) < 1e11 && !is_compact_date ? number : std::nullopt;  // larger ones are milliseconds
    }
    const auto year = detail::take_digits(text, 4);
    if (!year || !detail::take(text, "-")) return std::nullopt;
    const auto month = detail::take_digits(text, 2);
    if (!month || !detail::take(text, "-")) return std::nullopt;
    const auto day = detail::take_digits(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    const double midnight_s = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
    if (text.empty()) return midnight_s;
    if (!detail::take(text, "Tt ")) return std::nullopt;
    const auto time_of_day_s = detail::take_time_of_day_s(text);
    if (!time_of_day_s) return std::nullopt;
    (void)detail::take(text, " ");
    const auto east_s = detail::offset_s(text);
    return east_s ? std::optional(midnight_s + *time_of_day_s - *east_s) : std::nullopt;
}

}  // namespace tools

#endif
