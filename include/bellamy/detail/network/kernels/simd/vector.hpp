// Vectors of floats in the registers of the instruction set in use: those of x86, of ARM, or single floats in plain C++; and
// the name of that set, as an inline namespace.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// What is compiled with other flags has another name, so that units with different flags can be linked into one program.
// BELLAMY_PORTABLE_KERNELS asks for plain C++ where the compiler knows better: for comparison, and for debugging.
#if defined(BELLAMY_PORTABLE_KERNELS) || !defined(__GNUC__)
#define BELLAMY_ISA portable
#define BELLAMY_ISA_PORTABLE
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
#define BELLAMY_ISA avx512
#define BELLAMY_ISA_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#define BELLAMY_ISA avx2
#define BELLAMY_ISA_AVX2
#elif defined(__SSE2__)
#define BELLAMY_ISA sse2
#define BELLAMY_ISA_SSE2
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define BELLAMY_ISA neon
#define BELLAMY_ISA_NEON
#else
#define BELLAMY_ISA portable
#define BELLAMY_ISA_PORTABLE
#endif

#if defined(__GNUC__)
#define BELLAMY_INLINE [[gnu::always_inline]] inline
#else
#define BELLAMY_INLINE inline
#endif

#define BELLAMY_ISA_TEXT_OF(name) #name
#define BELLAMY_ISA_TEXT(name) BELLAMY_ISA_TEXT_OF(name)

#if defined(BELLAMY_ISA_NEON)
#include <arm_neon.h>
#elif defined(BELLAMY_ISA_SSE2)
// The header of all newer instructions costs each unit a tenth of a second more.
#include <emmintrin.h>
#elif defined(BELLAMY_ISA_AVX2) || defined(BELLAMY_ISA_AVX512)
#include <immintrin.h>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd { inline namespace BELLAMY_ISA {

/// What the kernels of this translation unit run on.
inline constexpr const char* isa_name = BELLAMY_ISA_TEXT(BELLAMY_ISA);

/// x = 2^exponent * y with y in [sqrt(1/2), sqrt(2)), and 2^-exponent.
template <class Vector>
struct binary_fraction {
    Vector exponent;
    Vector inverse_power;
};

// Added to the bits of a float, carries into the exponent from sqrt(1/2) on: bits of 1 minus bits of sqrt(1/2).
inline constexpr std::uint32_t exponent_shift = 0x3F800000U - 0x3F3504F3U;

/// `Count` floats. Where a register has fewer, two halves, as here; specialised for every width that has registers.
///
/// minimum and maximum return their second argument where one is NaN, but with -ffinite-math-only. `in_quads<i>` repeats
/// lane i of every group of four within its group; `add_adjacent_quads(a, b)` adds the groups of four of a, then of b, two
/// by two; `low_bits_as_exponent` turns the lowest eight bits into 2^(bits - 127); `opaque` hides a value from -ffast-math,
/// which would cancel constants that are added to round.
template <size_t Count>
struct lanes {
    using half = lanes<Count / 2>;
    half low;
    half high;

    BELLAMY_INLINE static lanes load(const float* source) noexcept {
        return {half::load(source), half::load(source + Count / 2)};
    }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {half::broadcast(value), half::broadcast(value)}; }
    BELLAMY_INLINE void store(float* target) const noexcept {
        low.store(target);
        high.store(target + Count / 2);
    }

    BELLAMY_INLINE friend lanes operator+(const lanes& a, const lanes& b) noexcept {
        return {a.low + b.low, a.high + b.high};
    }
    BELLAMY_INLINE friend lanes operator-(const lanes& a, const lanes& b) noexcept {
        return {a.low - b.low, a.high - b.high};
    }
    BELLAMY_INLINE friend lanes operator*(const lanes& a, const lanes& b) noexcept {
        return {a.low * b.low, a.high * b.high};
    }
    BELLAMY_INLINE friend lanes operator/(const lanes& a, const lanes& b) noexcept {
        return {a.low / b.low, a.high / b.high};
    }
    BELLAMY_INLINE friend lanes multiply_add(const lanes& a, const lanes& b, const lanes& c) noexcept {
        return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
    }
    BELLAMY_INLINE friend lanes minimum(const lanes& a, const lanes& b) noexcept {
        return {minimum(a.low, b.low), minimum(a.high, b.high)};
    }
    BELLAMY_INLINE friend lanes maximum(const lanes& a, const lanes& b) noexcept {
        return {maximum(a.low, b.low), maximum(a.high, b.high)};
    }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(const lanes& a) noexcept {
        return {low_bits_as_exponent(a.low), low_bits_as_exponent(a.high)};
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(const lanes& a) noexcept {
        const auto lower = split_exponent(a.low);
        const auto upper = split_exponent(a.high);
        return {.exponent = {lower.exponent, upper.exponent}, .inverse_power = {lower.inverse_power, upper.inverse_power}};
    }
    /// Precondition: four lanes, here and of the next function.
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        float values[Count];
        store(values);
        return broadcast(values[Lane]);
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(const lanes& a, const lanes& b) noexcept { return a + b; }
    BELLAMY_INLINE float first() const noexcept { return low.first(); }
    BELLAMY_INLINE friend float sum(const lanes& a) noexcept { return sum(a.low + a.high); }
    BELLAMY_INLINE friend lanes opaque(const lanes& a) noexcept { return {opaque(a.low), opaque(a.high)}; }
};

#if defined(BELLAMY_ISA_NEON)

inline constexpr size_t widest = 4;

BELLAMY_INLINE float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) noexcept { return vfmaq_f32(c, a, b); }
BELLAMY_INLINE float32x4_t minimum(float32x4_t a, float32x4_t b) noexcept { return vminq_f32(a, b); }
BELLAMY_INLINE float32x4_t maximum(float32x4_t a, float32x4_t b) noexcept { return vmaxq_f32(a, b); }
template <int Lane>
BELLAMY_INLINE float32x4_t in_quads(float32x4_t a) noexcept {
    return vdupq_laneq_f32(a, Lane);
}
BELLAMY_INLINE float32x4_t add_adjacent_quads(float32x4_t a, float32x4_t b) noexcept { return a + b; }
BELLAMY_INLINE float32x4_t low_bits_as_exponent(float32x4_t a) noexcept {
    return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(a), 23));
}
BELLAMY_INLINE float sum(float32x4_t a) noexcept { return vaddvq_f32(a); }

#elif defined(BELLAMY_ISA_SSE2) || defined(BELLAMY_ISA_AVX2) || defined(BELLAMY_ISA_AVX512)

BELLAMY_INLINE __m128 multiply_add(__m128 a, __m128 b, __m128 c) noexcept {
#if defined(__FMA__)
    return _mm_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}
BELLAMY_INLINE __m128 minimum(__m128 a, __m128 b) noexcept { return _mm_min_ps(a, b); }
BELLAMY_INLINE __m128 maximum(__m128 a, __m128 b) noexcept { return _mm_max_ps(a, b); }
template <int Lane>
BELLAMY_INLINE __m128 in_quads(__m128 a) noexcept {
    return _mm_shuffle_ps(a, a, Lane * 0x55);
}
BELLAMY_INLINE __m128 add_adjacent_quads(__m128 a, __m128 b) noexcept { return a + b; }
// By name, since g++ 12 allocates registers worse where it sees the shift as one.
BELLAMY_INLINE __m128 low_bits_as_exponent(__m128 a) noexcept {
    return _mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a), 23));
}
BELLAMY_INLINE float sum(__m128 a) noexcept {
    const __m128 halves = a + _mm_movehl_ps(a, a);
    return halves[0] + halves[1];
}

#if defined(BELLAMY_ISA_SSE2)
inline constexpr size_t widest = 4;
#else

BELLAMY_INLINE __m256 multiply_add(__m256 a, __m256 b, __m256 c) noexcept { return _mm256_fmadd_ps(a, b, c); }
BELLAMY_INLINE __m256 minimum(__m256 a, __m256 b) noexcept { return _mm256_min_ps(a, b); }
BELLAMY_INLINE __m256 maximum(__m256 a, __m256 b) noexcept { return _mm256_max_ps(a, b); }
template <int Lane>
BELLAMY_INLINE __m256 in_quads(__m256 a) noexcept {
    return _mm256_permute_ps(a, Lane * 0x55);
}
BELLAMY_INLINE __m256 add_adjacent_quads(__m256 a, __m256 b) noexcept {
    return _mm256_permute2f128_ps(a, b, 0x20) + _mm256_permute2f128_ps(a, b, 0x31);
}
BELLAMY_INLINE __m256 low_bits_as_exponent(__m256 a) noexcept {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), 23));
}
BELLAMY_INLINE float sum(__m256 a) noexcept { return sum(_mm256_castps256_ps128(a) + _mm256_extractf128_ps(a, 1)); }

#if defined(BELLAMY_ISA_AVX2)
inline constexpr size_t widest = 8;
#else
inline constexpr size_t widest = 16;

// g++ 12 warns of the unmasked forms, whose unused lanes it says are uninitialised.
inline constexpr __mmask16 all_lanes = 0xFFFF;
BELLAMY_INLINE __m512 multiply_add(__m512 a, __m512 b, __m512 c) noexcept { return _mm512_fmadd_ps(a, b, c); }
BELLAMY_INLINE __m512 minimum(__m512 a, __m512 b) noexcept { return _mm512_maskz_min_ps(all_lanes, a, b); }
BELLAMY_INLINE __m512 maximum(__m512 a, __m512 b) noexcept { return _mm512_maskz_max_ps(all_lanes, a, b); }
template <int Lane>
BELLAMY_INLINE __m512 in_quads(__m512 a) noexcept {
    return _mm512_maskz_permute_ps(all_lanes, a, Lane * 0x55);
}
BELLAMY_INLINE __m512 low_bits_as_exponent(__m512 a) noexcept {
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(all_lanes, _mm512_castps_si512(a), 23));
}
BELLAMY_INLINE __m512 add_adjacent_quads(__m512 a, __m512 b) noexcept {
    return _mm512_maskz_shuffle_f32x4(all_lanes, a, b, 0x88) + _mm512_maskz_shuffle_f32x4(all_lanes, a, b, 0xDD);
}

#endif
#endif
#endif

#if defined(BELLAMY_ISA_PORTABLE)

inline constexpr size_t widest = 4;

/// A single float in plain C++, of which wider lanes are made.
template <>
struct lanes<1> {
    float v;

    static lanes load(const float* source) noexcept { return {*source}; }
    static lanes broadcast(float value) noexcept { return {value}; }
    void store(float* target) const noexcept { *target = v; }

    friend lanes operator+(lanes a, lanes b) noexcept { return {a.v + b.v}; }
    friend lanes operator-(lanes a, lanes b) noexcept { return {a.v - b.v}; }
    friend lanes operator*(lanes a, lanes b) noexcept { return {a.v * b.v}; }
    friend lanes operator/(lanes a, lanes b) noexcept { return {a.v / b.v}; }
    friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept { return {a.v * b.v + c.v}; }
    friend lanes minimum(lanes a, lanes b) noexcept { return a.v < b.v ? a : b; }
    friend lanes maximum(lanes a, lanes b) noexcept { return a.v > b.v ? a : b; }
    friend lanes low_bits_as_exponent(lanes a) noexcept {
        return {std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.v) << 23U)};
    }
    friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const auto biased = (std::bit_cast<std::uint32_t>(a.v) + exponent_shift) >> 23U;
        return {.exponent = {static_cast<float>(biased) - 127.0F},
                .inverse_power = {std::bit_cast<float>((254U - biased) << 23U)}};
    }
    float first() const noexcept { return v; }
    friend float sum(lanes a) noexcept { return a.v; }
    friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__) && defined(__GNUC__)
        asm("" : "+m"(a.v));
#endif
        return a;
    }
};

#else

/// Floats in one register, a vector of GCC and clang.
template <size_t Count>
requires(Count <= widest) struct lanes<Count> {
    using register_type = pack_of<float, Count>;
    using bits_type = pack_of<std::uint32_t, Count>;
    using integers_type = pack_of<std::int32_t, Count>;

    register_type v;

    BELLAMY_INLINE static lanes load(const float* source) noexcept {
        lanes loaded;
        std::memcpy(&loaded.v, source, sizeof loaded.v);
        return loaded;
    }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {value - register_type{}}; }
    BELLAMY_INLINE void store(float* target) const noexcept { std::memcpy(target, &v, sizeof v); }

    BELLAMY_INLINE friend lanes operator+(lanes a, lanes b) noexcept { return {a.v + b.v}; }
    BELLAMY_INLINE friend lanes operator-(lanes a, lanes b) noexcept { return {a.v - b.v}; }
    BELLAMY_INLINE friend lanes operator*(lanes a, lanes b) noexcept { return {a.v * b.v}; }
    BELLAMY_INLINE friend lanes operator/(lanes a, lanes b) noexcept { return {a.v / b.v}; }
    BELLAMY_INLINE friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept {
        return {simd::multiply_add(a.v, b.v, c.v)};
    }
    BELLAMY_INLINE friend lanes minimum(lanes a, lanes b) noexcept { return {simd::minimum(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes maximum(lanes a, lanes b) noexcept { return {simd::maximum(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(lanes a) noexcept { return {simd::low_bits_as_exponent(a.v)}; }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const bits_type biased = (std::bit_cast<bits_type>(a.v) + exponent_shift) >> 23U;
        // AVX2 converts signed integers only.
        return {.exponent = {__builtin_convertvector(std::bit_cast<integers_type>(biased - 127U), register_type)},
                .inverse_power = {std::bit_cast<register_type>((254U - biased) << 23U)}};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return {simd::in_quads<Lane>(v)};
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(lanes a, lanes b) noexcept {
        return {simd::add_adjacent_quads(a.v, b.v)};
    }
    BELLAMY_INLINE float first() const noexcept { return v[0]; }
    BELLAMY_INLINE friend float sum(lanes a) noexcept { return simd::sum(a.v); }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__) && defined(BELLAMY_ISA_NEON)
        asm("" : "+w"(a.v));
#elif defined(__FAST_MATH__)
        asm("" : "+v"(a.v));
#endif
        return a;
    }
};

#endif

/// The widest vector that is one register.
using vector = lanes<widest>;

}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA
#undef BELLAMY_ISA_TEXT
#undef BELLAMY_ISA_TEXT_OF

#endif
