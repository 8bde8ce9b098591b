// Walks a JSON document once, in its order: what is read and what is passed over are both checked.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_JSON_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_JSON_HPP

#include <simdjson.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tools::event_log::json {

using simdjson::ondemand::array;
using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

/// The text is no JSON, or nests too deeply to be anybody's event.
struct malformed {};

inline constexpr int deepest = 512;

/// At most so far is looked for the end of a key: less than the padding behind every line.
inline constexpr std::size_t longest_plain_key = 64;

namespace detail {

template <class Result>
[[nodiscard]] auto take(Result&& from) {
    if (from.error() != simdjson::SUCCESS) throw malformed();
    return std::forward<Result>(from).value_unsafe();
}

// The token without the blanks behind it.
[[nodiscard]] inline std::string_view token(value& from) {
    const std::string_view text = from.raw_json_token();
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// The token of a string with its quotes. That it is closed, of UTF-8 and without control characters is checked for the whole
// line; what stands right behind it is not.
[[nodiscard]] inline std::string_view quoted_token(value& from) {
    const auto text = token(from);
    if (text.size() < 2 || text.back() != '"') throw malformed();
    return text;
}

// Numbers beyond 64 bits or beyond double are numbers all the same, of no use to anybody.
[[nodiscard]] inline std::optional<std::int64_t> to_integer(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    const auto [stop, status] = std::from_chars(text.data(), end, whole);
    if (stop == end && status == std::errc()) return whole;
    if (stop == end && status == std::errc::result_out_of_range) return std::nullopt;
    double real = 0;
    const auto [real_stop, real_status] = std::from_chars(text.data(), end, real);
    if (real_stop != end || text.find_first_of("nN") != text.npos) throw malformed();
    if (real_status != std::errc() || !(real > -9e18 && real < 9e18)) return std::nullopt;
    return static_cast<std::int64_t>(real);
}

}  // namespace detail

namespace detail {

// The key where it stands, unless it holds escapes, which no key of Spark does.
[[nodiscard]] inline std::string_view key_of(simdjson::ondemand::field& field) {
    const char* const begin = field.key().raw();
    const auto* const end = static_cast<const char*>(std::memchr(begin, '"', longest_plain_key));
    if (end != nullptr && std::memchr(begin, '\\', static_cast<std::size_t>(end - begin)) == nullptr)
        return {begin, static_cast<std::size_t>(end - begin)};
    const auto key = field.unescaped_key();
    return key.error() == simdjson::SUCCESS ? key.value_unsafe() : std::string_view();
}

}  // namespace detail

/// Calls `read(key, value)` for every field. What `read` does not consume must have been checked by one of the readers
/// below.
template <class Read>
void each_field(object from, const Read& read) {
    for (auto each : from) {
        auto field = detail::take(std::move(each));
        const auto key = detail::key_of(field);
        value content = field.value();
        read(key, content);
    }
}

template <class Read>
void each_element(array from, const Read& read) {
    for (auto each : from) {
        value content = detail::take(std::move(each));
        read(content);
    }
}

/// Checks a value that nobody wants.
inline void pass(value& from, int depth = 0) {
    if (depth > deepest) throw malformed();
    switch (detail::take(from.type())) {
        case json_type::object:
            each_field(detail::take(from.get_object()), [depth](std::string_view, value& inner) { pass(inner, depth + 1); });
            break;
        case json_type::array:
            each_element(detail::take(from.get_array()), [depth](value& inner) { pass(inner, depth + 1); });
            break;
        case json_type::number: (void)detail::to_integer(detail::token(from)); break;
        case json_type::string: (void)detail::quoted_token(from); break;
        case json_type::boolean:
            if (const auto text = detail::token(from); text != "true" && text != "false") throw malformed();
            break;
        case json_type::null:
            if (detail::token(from) != "null") throw malformed();
            break;
    }
}

/// The integer that is the value; else nothing.
[[nodiscard]] inline std::optional<std::int64_t> integer(value& from) {
    if (detail::take(from.type()) == json_type::number) return detail::to_integer(detail::token(from));
    pass(from);
    return std::nullopt;
}

/// The text that is the value, valid as long as the line; else nothing.
[[nodiscard]] inline std::optional<std::string_view> text(value& from) {
    if (detail::take(from.type()) != json_type::string) {
        pass(from);
        return std::nullopt;
    }
    const auto quoted = detail::quoted_token(from);
    if (quoted.find('\\') == quoted.npos) return quoted.substr(1, quoted.size() - 2);
    const auto read = from.get_string();
    // Half of a surrogate pair is no text, but closes as one.
    return read.error() == simdjson::SUCCESS ? std::optional(read.value_unsafe()) : std::nullopt;
}

[[nodiscard]] inline bool is_true(value& from) {
    pass(from);
    return detail::take(from.type()) == json_type::boolean && detail::token(from) == "true";
}

/// The fields of a value that is an object; any other value is passed over.
template <class Read>
void fields_of(value& from, const Read& read) {
    if (detail::take(from.type()) != json_type::object) return pass(from);
    each_field(detail::take(from.get_object()), read);
}

/// The elements of a value that is an array; any other value is passed over.
template <class Read>
void elements_of(value& from, const Read& read) {
    if (detail::take(from.type()) != json_type::array) return pass(from);
    each_element(detail::take(from.get_array()), read);
}

}  // namespace tools::event_log::json

#endif
