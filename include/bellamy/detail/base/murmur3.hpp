// MurmurHash3_x86_32 (Austin Appleby, public domain algorithm), for grams of at most three bytes and for any text.
#ifndef BELLAMY_DETAIL_BASE_MURMUR3_HPP
#define BELLAMY_DETAIL_BASE_MURMUR3_HPP

#include <bellamy/version.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bellamy::inline BELLAMY_ABI::detail {

[[nodiscard]] constexpr std::uint32_t murmur3_scramble(std::uint32_t block) noexcept {
    return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

[[nodiscard]] constexpr std::uint32_t murmur3_finish(std::uint32_t hash) noexcept {
    hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
    return hash ^ (hash >> 16U);
}

/// Hash, with seed 0, of 1 to 3 bytes packed little-endian: only the tail of the general algorithm is left of it.
[[nodiscard]] constexpr std::uint32_t murmur3_gram(std::uint32_t packed, std::uint32_t size) noexcept {
    return murmur3_finish(murmur3_scramble(packed) ^ size);
}

/// Hash, with seed 0, of any bytes.
[[nodiscard]] constexpr std::uint32_t murmur3(std::string_view bytes) noexcept {
    std::uint32_t hash = 0;
    std::uint32_t block = 0;
    std::uint32_t filled = 0;
    for (const char c : bytes) {
        block |= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << (8U * filled);
        if (++filled == 4) {
            hash = std::rotl(hash ^ murmur3_scramble(block), 13) * 5U + 0xe6546b64U;
            block = 0;
            filled = 0;
        }
    }
    hash ^= murmur3_scramble(block);  // an empty tail scrambles to 0
    return murmur3_finish(hash ^ static_cast<std::uint32_t>(bytes.size()));
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
