// MurmurHash3_x86_32 (Austin Appleby, public domain algorithm) for grams of at most three bytes.
#ifndef BELLAMY_DETAIL_BASE_MURMUR3_HPP
#define BELLAMY_DETAIL_BASE_MURMUR3_HPP

#include <bellamy/version.hpp>

#include <bit>
#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
