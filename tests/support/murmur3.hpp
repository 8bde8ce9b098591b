// MurmurHash3_x86_32 of any bytes, as the reference describes it: the oracle of the hash of grams.
#ifndef BELLAMY_TESTS_SUPPORT_MURMUR3_HPP
#define BELLAMY_TESTS_SUPPORT_MURMUR3_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace support {

[[nodiscard]] inline std::uint32_t murmur3(std::string_view words) noexcept {
    const auto scrambled = [](std::uint32_t block) { return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U; };
    std::uint32_t hash = 0;
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        block |= static_cast<std::uint32_t>(static_cast<unsigned char>(words[i])) << (8U * (i % 4));
        if (i % 4 != 3) continue;
        hash = std::rotl(hash ^ scrambled(block), 13) * 5U + 0xe6546b64U;
        block = 0;
    }
    hash ^= scrambled(block) ^ static_cast<std::uint32_t>(words.size());
    hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
    return hash ^ (hash >> 16U);
}

}  // namespace support

#endif
