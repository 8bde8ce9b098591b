#include <bellamy/detail/base/message.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace bellamy;

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
