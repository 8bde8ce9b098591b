// The registers of the instructions in use.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP

#include <bellamy/detail/network/kernels/simd/avx512.hpp>
#include <bellamy/detail/network/kernels/simd/neon.hpp>
#include <bellamy/detail/network/kernels/simd/portable.hpp>

namespace bellamy::inline BELLAMY_ABI::detail::simd::inline BELLAMY_ISA {

#if defined(BELLAMY_ISA_AVX512)
inline constexpr std::size_t widest = 16;
#elif defined(BELLAMY_ISA_AVX2)
inline constexpr std::size_t widest = 8;
#else
inline constexpr std::size_t widest = 4;
#endif

/// The widest vector that is one register.
using vector = lanes<widest>;

#if !defined(BELLAMY_ISA_AVX512) && !defined(BELLAMY_ISA_AVX2)
/// Row r, lane l becomes row l, lane r.
BELLAMY_INLINE void transpose(lanes<8> (&rows)[8]) noexcept {
    transpose(rows[0].low, rows[1].low, rows[2].low, rows[3].low);
    transpose(rows[0].high, rows[1].high, rows[2].high, rows[3].high);
    transpose(rows[4].low, rows[5].low, rows[6].low, rows[7].low);
    transpose(rows[4].high, rows[5].high, rows[6].high, rows[7].high);
    BELLAMY_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
        const auto moved = rows[i].high;
        rows[i].high = rows[i + 4].low;
        rows[i + 4].low = moved;
    }
}
#endif

}  // namespace bellamy::inline BELLAMY_ABI::detail::simd::inline BELLAMY_ISA

#endif
