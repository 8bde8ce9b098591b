// CRC-64/XZ (ECMA-182 polynomial, reflected): detects every burst of up to 64 wrong bits.
#ifndef BELLAMY_DETAIL_BASE_CRC64_HPP
#define BELLAMY_DETAIL_BASE_CRC64_HPP

#include <bellamy/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bellamy::inline BELLAMY_ABI::detail {

[[nodiscard]] constexpr std::array<std::uint64_t, 256> crc64_table() noexcept {
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t i = 0; i < 256; ++i) {
        std::uint64_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xC96C5795D7870F42U : 0U);
        table[i] = value;
    }
    return table;
}

[[nodiscard]] inline std::uint64_t crc64(std::span<const std::byte> bytes) noexcept {
    static constexpr auto table = crc64_table();
    std::uint64_t crc = ~std::uint64_t{0};
    for (const std::byte each : bytes) crc = table[(crc ^ std::to_integer<std::uint64_t>(each)) & 0xffU] ^ (crc >> 8U);
    return ~crc;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
