#include <bellamy/detail/format/archive.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using bellamy::detail::crc64;

namespace {

// Bit by bit, as the polynomial says.
std::uint64_t naive_crc64(std::span<const std::byte> bytes) {
    std::uint64_t crc = ~std::uint64_t{0};
    for (const std::byte each : bytes) {
        crc ^= std::to_integer<std::uint64_t>(each);
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xC96C5795D7870F42U : crc >> 1U;
    }
    return ~crc;
}

}  // namespace

TEST_CASE("crc64 is the checksum that xz uses") {
    const auto of = [](std::string_view words) { return crc64(std::as_bytes(std::span(words))); };
    CHECK(of("123456789") == 0x995dc9bbdf1939faU);  // the check value of CRC-64/XZ
    CHECK(of("") == 0U);
}

TEST_CASE("crc64 of any length is that of its bits, one by one") {
    std::vector<std::byte> bytes;
    for (std::uint32_t i = 0; i < 40; ++i) {
        CHECK(crc64(bytes) == naive_crc64(bytes));
        bytes.push_back(static_cast<std::byte>((i * 2654435761U) >> 24U));
    }
}

TEST_CASE("a value of every kind comes back from its bytes, and a kind that no property has is refused") {
    using namespace bellamy;
    for (const property_value& each :
         {property_value("r5.large"), property_value(15), property_value(1.5), property_value(std::nullopt)}) {
        detail::byte_writer bytes;
        detail::archive_writer writer(bytes);
        writer(each);
        property_value read;
        detail::archive_reader reader{detail::byte_reader(bytes.bytes())};
        reader(read);
        CHECK(reader.finished());
        CHECK(read == each);
    }
    const std::vector<std::byte> fifth_kind(1, std::byte{4});
    property_value read;
    detail::archive_reader reader{detail::byte_reader(fifth_kind)};
    reader(read);
    CHECK_FALSE(reader.finished());
}
