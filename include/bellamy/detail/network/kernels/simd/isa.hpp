// Which instructions this translation unit may use, as the name of an inline namespace: what is compiled with other flags
// has another name, so that units with different flags can be linked into one program.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_ISA_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_ISA_HPP

#include <bellamy/detail/base/unroll.hpp>
#include <bellamy/version.hpp>

// BELLAMY_PORTABLE_KERNELS asks for plain C++ where the compiler knows better: for comparison, and for debugging.
#if defined(BELLAMY_PORTABLE_KERNELS)
#define BELLAMY_ISA portable
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
#define BELLAMY_ISA avx512
#define BELLAMY_ISA_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#define BELLAMY_ISA avx2
#define BELLAMY_ISA_AVX2
#elif defined(__SSE2__) || defined(_M_X64)
#define BELLAMY_ISA sse2
#define BELLAMY_ISA_SSE2
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define BELLAMY_ISA neon
#define BELLAMY_ISA_NEON
#else
#define BELLAMY_ISA portable
#endif

#define BELLAMY_ISA_TEXT_OF(name) #name
#define BELLAMY_ISA_TEXT(name) BELLAMY_ISA_TEXT_OF(name)
namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {
/// What the kernels of this translation unit run on.
inline constexpr const char* isa_name = BELLAMY_ISA_TEXT(BELLAMY_ISA);
}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA
#undef BELLAMY_ISA_TEXT
#undef BELLAMY_ISA_TEXT_OF

#if defined(__GNUC__)
#define BELLAMY_INLINE [[gnu::always_inline]] inline
#else
#define BELLAMY_INLINE inline
#endif

#endif
