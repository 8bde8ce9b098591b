#include "support/golden.hpp"

#include <bellamy/detail/base/murmur3.hpp>

#include <doctest/doctest.h>

#include "support/murmur3.hpp"

using namespace bellamy::detail;

TEST_CASE("the oracle gives the hashes of the reference implementation") {
    const auto file = support::golden("murmur3.json");
    for (const auto& one : file.at("cases")) {
        const auto bytes = one.at("utf8").get<std::string>();
        CAPTURE(bytes);
        CHECK(static_cast<std::int32_t>(support::murmur3(bytes)) == one.at("signed").get<std::int32_t>());
    }
}

TEST_CASE("the hash of a packed gram is that of its bytes") {
    for (const std::string gram : {"a", "ab", "abc", " c4", "\xC2\xB5"}) {
        std::uint32_t packed = 0;
        for (std::size_t i = 0; i < gram.size(); ++i)
            packed |= static_cast<std::uint32_t>(static_cast<unsigned char>(gram[i])) << (8 * i);
        CHECK(murmur3_gram(packed, static_cast<std::uint32_t>(gram.size())) == support::murmur3(gram));
    }
}
