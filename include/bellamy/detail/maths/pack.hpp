// Packs: several numbers in one register, for loops that compilers do not vectorise well by themselves.
#ifndef BELLAMY_DETAIL_MATHS_PACK_HPP
#define BELLAMY_DETAIL_MATHS_PACK_HPP

#include <bellamy/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

// Vectors of GCC and clang; other compilers take the numbers one by one, with the same results. More than four lanes gain
// nothing on a few scale-outs.
#if defined(__GNUC__) && defined(__AVX__)
inline constexpr size_t pack_lanes = 4;
using pack [[gnu::vector_size(32)]] = double;
using pack_bits [[gnu::vector_size(32)]] = std::int64_t;
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON))
inline constexpr size_t pack_lanes = 2;
using pack [[gnu::vector_size(16)]] = double;
using pack_bits [[gnu::vector_size(16)]] = std::int64_t;
#else
inline constexpr size_t pack_lanes = 1;
using pack = double;
using pack_bits = std::int64_t;
#endif

/// Lanes of the widest pack of a type.
template <class Scalar>
inline constexpr size_t widest_lanes = pack_lanes == 1 ? 1 : pack_lanes * sizeof(double) / sizeof(Scalar);

template <class Scalar, size_t Lanes>
struct pack_type {
#if defined(__GNUC__)
    using type [[gnu::vector_size(Lanes * sizeof(Scalar))]] = Scalar;
#endif
};
template <class Scalar>
struct pack_type<Scalar, 1> {
    using type = Scalar;
};
/// A pack of this many numbers, a power of two up to the widest.
template <class Scalar, size_t Lanes>
using pack_of = typename pack_type<Scalar, Lanes>::type;

/// Lanes of a pack; 1 for a double.
template <class Pack>
inline constexpr size_t lanes_of = std::is_same_v<Pack, double> ? 1 : pack_lanes;

/// Unaligned load and store of a number or a pack.
template <class Scalar>
void load(auto& target, const Scalar* source) noexcept {
    std::memcpy(&target, source, sizeof target);
}
template <class Scalar>
void store(Scalar* target, const auto& source) noexcept {
    std::memcpy(target, &source, sizeof source);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
