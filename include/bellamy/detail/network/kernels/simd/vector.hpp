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

}  // namespace bellamy::inline BELLAMY_ABI::detail::simd::inline BELLAMY_ISA

#endif
