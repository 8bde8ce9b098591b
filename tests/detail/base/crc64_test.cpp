#include <bellamy/detail/base/crc64.hpp>

#include <doctest/doctest.h>

#include <string_view>

using bellamy::detail::crc64;

TEST_CASE("crc64 is the checksum that xz uses") {
    const auto of = [](std::string_view words) { return crc64(std::as_bytes(std::span(words))); };
    CHECK(of("123456789") == 0x995dc9bbdf1939faU);  // the check value of CRC-64/XZ
    CHECK(of("") == 0U);
}
