// From text, of a table or of the command line, to numbers and properties.
#ifndef BELLAMY_EXAMPLES_PARSE_HPP
#define BELLAMY_EXAMPLES_PARSE_HPP

#include <bellamy/schema.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool_error.hpp"

namespace tools {

/// The number that all of the text spells, whatever the locale; empty where it spells none or one out of range.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stopped, status] = std::from_chars(text.data(), end, number);
    if (status != std::errc{} || stopped != end) return std::nullopt;
    return number;
}

/// "4.0" as "4": how other programs write whole numbers. Anything else as it is.
[[nodiscard]] inline std::string_view without_zero_decimals(std::string_view text) {
    const auto point = text.find('.');
    if (point == 0 || point == text.npos || point + 1 == text.size()) return text;
    return text.find_first_not_of('0', point + 1) == text.npos ? text.substr(0, point) : text;
}

/// "2:12" as "2" and "12".
[[nodiscard]] inline std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
        end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end == text.npos ? end : end - begin));
    }
    return parts;
}

/// A natural number; `where` tells in an error where the text stands. Errors: not_a_number, number_too_large.
[[nodiscard]] inline std::uint64_t to_natural(std::string_view text, std::string_view where) {
    text = without_zero_decimals(text);
    if (const auto number = parse_number<std::uint64_t>(text)) return *number;
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
        throw tool_error(
            "number_too_large",
            fmt::format("expected at most 39 bits ({}; else give it in a larger unit, such as MB) in {}, found {}",
                        bellamy::largest_natural, where, text));
    throw tool_error("not_a_number", fmt::format("expected a natural number in {}, found \"{}\"", where, text));
}

/// Any number. Error: not_a_number.
[[nodiscard]] inline double to_real(std::string_view text, std::string_view where) {
    if (const auto number = parse_number<double>(text)) return *number;
    throw tool_error("not_a_number", fmt::format("expected a number in {}, found \"{}\"", where, text));
}

/// Seconds until the first executor. Error: not_a_number.
[[nodiscard]] inline double to_wait(std::string_view text, std::string_view where) {
    const double wait_s = to_real(text, where);
    if (wait_s >= 0 && std::isfinite(wait_s)) return wait_s;
    throw tool_error("not_a_number", fmt::format("expected a finite wait of at least 0 s in {}, found {}", where, wait_s));
}

/// A whole number. Error: not_a_number.
[[nodiscard]] inline int to_whole(std::string_view text, std::string_view where) {
    if (const auto number = parse_number<int>(without_zero_decimals(text))) return *number;
    throw tool_error("not_a_number", fmt::format("expected a whole number in {}, found \"{}\"", where, text));
}

/// A property as its definition says, its value from the text. Errors: not_a_number, number_too_large.
[[nodiscard]] inline bellamy::property to_property(const bellamy::property_definition& meaning, const std::string& text,
                                                   std::string_view where) {
    bellamy::property made{
        .name = meaning.name, .role = meaning.role, .scales_with_scale_out = meaning.scales_with_scale_out};
    switch (meaning.kind) {
        case bellamy::property_kind::text: made.value = text; break;
        case bellamy::property_kind::natural: made.value = to_natural(text, where); break;
        case bellamy::property_kind::quantity: made.value = to_real(text, where); break;
        case bellamy::property_kind::unknown: break;  // in no model
    }
    return made;
}

}  // namespace tools

#endif
