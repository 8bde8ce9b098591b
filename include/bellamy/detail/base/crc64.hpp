// CRC-64/XZ (ECMA-182 polynomial, reflected): detects every burst of up to 64 wrong bits.
#ifndef BELLAMY_DETAIL_BASE_CRC64_HPP
#define BELLAMY_DETAIL_BASE_CRC64_HPP

#include <bellamy/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What a byte becomes when it is followed by as many zero bytes as its table's number says.
[[nodiscard]] constexpr std::array<std::array<std::uint64_t, 256>, 8> crc64_tables() noexcept {
    std::array<std::array<std::uint64_t, 256>, 8> tables{};
    for (std::uint64_t i = 0; i < 256; ++i) {
        std::uint64_t value = i;
        for (std::size_t zeros = 0; zeros < tables.size(); ++zeros) {
            for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xC96C5795D7870F42U : 0U);
            tables[zeros][i] = value;
        }
    }
    return tables;
}

/// Eight bytes at a time: their table entries do not wait for each other.
[[nodiscard]] inline std::uint64_t crc64(std::span<const std::byte> bytes) noexcept {
    static constexpr auto tables = crc64_tables();
    std::uint64_t crc = ~std::uint64_t{0};
    for (; bytes.size() >= tables.size(); bytes = bytes.subspan(tables.size())) {
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < tables.size(); ++i)
            next ^= tables[tables.size() - 1 - i][((crc >> (8 * i)) ^ std::to_integer<std::uint64_t>(bytes[i])) & 0xffU];
        crc = next;
    }
    for (const std::byte each : bytes) crc = tables[0][(crc ^ std::to_integer<std::uint64_t>(each)) & 0xffU] ^ (crc >> 8U);
    return ~crc;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
