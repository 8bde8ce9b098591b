// The registers of the instructions in use.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP

#include <bellamy/detail/network/kernels/simd/avx512.hpp>
#include <bellamy/detail/network/kernels/simd/neon.hpp>
#include <bellamy/detail/network/kernels/simd/portable.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

#if defined(BELLAMY_ISA_AVX512)
inline constexpr std::size_t widest = 16;
#elif defined(BELLAMY_ISA_AVX2)
inline constexpr std::size_t widest = 8;
#else
inline constexpr std::size_t widest = 4;
#endif

/// The widest vector that is one register.
using vector = lanes<widest>;

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
