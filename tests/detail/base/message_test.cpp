#include <bellamy/detail/base/message.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace bellamy;
using bellamy::detail::is_utf8;
using namespace std::string_view_literals;

TEST_CASE("a message is composed of words and numbers") {
    const auto made = detail::fail(errc::invalid_runtime, "expected ", 5, " of ", std::string("them"), ", found ", -2.5,
                                   " and ", std::uint64_t{1} << 63U, " and ", std::numeric_limits<double>::quiet_NaN());
    CHECK(made.code() == errc::invalid_runtime);
    CHECK(made.message() == "expected 5 of them, found -2.5 and 9223372036854775808 and nan");
}

TEST_CASE("a message that is too long is cut") {
    const std::string long_name(1000, 'x');
    const auto made = detail::fail(errc::invalid_text, "expected ", long_name, 7);
    CHECK(made.message() == "expected " + std::string(error::capacity - 9, 'x'));
}

TEST_CASE("well-formed UTF-8 is accepted and everything else is refused") {
    struct row {
        const char* what;
        std::string_view bytes;
        bool valid;
    };
    // Unicode 15, table 3-7: the first and last sequence of every line, and what lies just beyond.
    const row table[] = {
        {"nothing", "", true},
        {"ASCII, with a zero byte", "a\0\x7F"sv, true},
        {"first and last of two bytes", "\xC2\x80\xDF\xBF", true},
        {"first of three bytes", "\xE0\xA0\x80", true},
        {"last before the surrogates", "\xED\x9F\xBF", true},
        {"first after the surrogates", "\xEE\x80\x80", true},
        {"last of three bytes", "\xEF\xBF\xBF", true},
        {"first of four bytes", "\xF0\x90\x80\x80", true},
        {"U+10FFFF", "\xF4\x8F\xBF\xBF", true},
        {"mixed lengths", "a\xC3\xBC\xE6\x97\xA5\xF0\x9F\x98\x80z", true},
        {"lone continuation", "\x80", false},
        {"continuation in place of a lead", "a\xBF", false},
        {"overlong slash in two bytes", "\xC0\xAF", false},
        {"overlong in two bytes, last", "\xC1\xBF", false},
        {"overlong in three bytes", "\xE0\x9F\xBF", false},
        {"overlong in four bytes", "\xF0\x8F\xBF\xBF", false},
        {"first surrogate", "\xED\xA0\x80", false},
        {"last surrogate", "\xED\xBF\xBF", false},
        {"beyond U+10FFFF", "\xF4\x90\x80\x80", false},
        {"lead F5", "\xF5\x80\x80\x80", false},
        {"byte FF", "\xFF", false},
        {"cut after one of two", "\xC2", false},
        {"cut after two of three", "\xE2\x82", false},
        {"cut after three of four", "\xF0\x9F\x98", false},
        {"ASCII in place of a continuation", "\xE2\x82z", false},
        {"lead in place of a continuation", "\xE2\xC2\x80", false},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        CHECK(is_utf8(each.bytes) == each.valid);
    }
}
