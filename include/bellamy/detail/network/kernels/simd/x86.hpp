// Four, eight and sixteen floats in registers of x86: SSE2, AVX2 and AVX-512.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_X86_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_X86_HPP

#include <bellamy/detail/network/kernels/simd/lanes.hpp>

#if defined(BELLAMY_ISA_SSE2) || defined(BELLAMY_ISA_AVX2) || defined(BELLAMY_ISA_AVX512)

// The header of all newer instructions costs each unit a tenth of a second more.
#if defined(BELLAMY_ISA_SSE2)
#include <emmintrin.h>
#else
#include <immintrin.h>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

template <>
struct lanes<4> {
    __m128 v;

    BELLAMY_INLINE static lanes load(const float* source) noexcept { return {_mm_loadu_ps(source)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {_mm_set1_ps(value)}; }
    BELLAMY_INLINE void store(float* target) const noexcept { _mm_storeu_ps(target, v); }

    BELLAMY_INLINE friend lanes operator+(lanes a, lanes b) noexcept { return {_mm_add_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator-(lanes a, lanes b) noexcept { return {_mm_sub_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator*(lanes a, lanes b) noexcept { return {_mm_mul_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator/(lanes a, lanes b) noexcept { return {_mm_div_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept {
#if defined(__FMA__)
        return {_mm_fmadd_ps(a.v, b.v, c.v)};
#else
        return {_mm_add_ps(_mm_mul_ps(a.v, b.v), c.v)};
#endif
    }
    BELLAMY_INLINE friend lanes minimum(lanes a, lanes b) noexcept { return {_mm_min_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes maximum(lanes a, lanes b) noexcept { return {_mm_max_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(lanes a) noexcept {
        return {_mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a.v), 23))};
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const __m128i shifted = _mm_srli_epi32(_mm_add_epi32(_mm_castps_si128(a.v), _mm_set1_epi32(exponent_shift)), 23);
        return {.exponent = {_mm_cvtepi32_ps(_mm_sub_epi32(shifted, _mm_set1_epi32(127)))},
                .inverse_power = {_mm_castsi128_ps(_mm_slli_epi32(_mm_sub_epi32(_mm_set1_epi32(254), shifted), 23))}};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return {_mm_shuffle_ps(v, v, Lane * 0x55)};
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(lanes a, lanes b) noexcept { return a + b; }
    [[nodiscard]] BELLAMY_INLINE float first() const noexcept { return _mm_cvtss_f32(v); }
    BELLAMY_INLINE friend float sum(lanes a) noexcept {
        const __m128 halves = _mm_add_ps(a.v, _mm_movehl_ps(a.v, a.v));
        return _mm_cvtss_f32(_mm_add_ss(halves, _mm_shuffle_ps(halves, halves, 0x55)));
    }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__)
        asm("" : "+x"(a.v));
#endif
        return a;
    }
};

#if !defined(BELLAMY_ISA_SSE2)

template <>
struct lanes<8> {
    __m256 v;

    BELLAMY_INLINE static lanes load(const float* source) noexcept { return {_mm256_loadu_ps(source)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {_mm256_set1_ps(value)}; }
    BELLAMY_INLINE void store(float* target) const noexcept { _mm256_storeu_ps(target, v); }

    BELLAMY_INLINE friend lanes operator+(lanes a, lanes b) noexcept { return {_mm256_add_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator-(lanes a, lanes b) noexcept { return {_mm256_sub_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator*(lanes a, lanes b) noexcept { return {_mm256_mul_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator/(lanes a, lanes b) noexcept { return {_mm256_div_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
    BELLAMY_INLINE friend lanes minimum(lanes a, lanes b) noexcept { return {_mm256_min_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes maximum(lanes a, lanes b) noexcept { return {_mm256_max_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(lanes a) noexcept {
        return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a.v), 23))};
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const __m256i shifted =
            _mm256_srli_epi32(_mm256_add_epi32(_mm256_castps_si256(a.v), _mm256_set1_epi32(exponent_shift)), 23);
        return {.exponent = {_mm256_cvtepi32_ps(_mm256_sub_epi32(shifted, _mm256_set1_epi32(127)))},
                .inverse_power = {
                    _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_sub_epi32(_mm256_set1_epi32(254), shifted), 23))}};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return {_mm256_permute_ps(v, Lane * 0x55)};
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(lanes a, lanes b) noexcept {
        return {_mm256_add_ps(_mm256_permute2f128_ps(a.v, b.v, 0x20), _mm256_permute2f128_ps(a.v, b.v, 0x31))};
    }
    [[nodiscard]] BELLAMY_INLINE float first() const noexcept { return _mm256_cvtss_f32(v); }
    BELLAMY_INLINE friend float sum(lanes a) noexcept {
        return sum(lanes<4>{_mm256_castps256_ps128(a.v)} + lanes<4>{_mm256_extractf128_ps(a.v, 1)});
    }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__)
        asm("" : "+x"(a.v));
#endif
        return a;
    }
};

#endif

#if defined(BELLAMY_ISA_AVX512)

template <>
struct lanes<16> {
    // g++ 12 warns of the unmasked forms, whose unused lanes it says are uninitialised.
    static constexpr __mmask16 all = 0xFFFF;

    __m512 v;

    BELLAMY_INLINE static lanes load(const float* source) noexcept { return {_mm512_loadu_ps(source)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {_mm512_set1_ps(value)}; }
    BELLAMY_INLINE void store(float* target) const noexcept { _mm512_storeu_ps(target, v); }

    BELLAMY_INLINE friend lanes operator+(lanes a, lanes b) noexcept { return {_mm512_add_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator-(lanes a, lanes b) noexcept { return {_mm512_sub_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator*(lanes a, lanes b) noexcept { return {_mm512_mul_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator/(lanes a, lanes b) noexcept { return {_mm512_div_ps(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
    BELLAMY_INLINE friend lanes minimum(lanes a, lanes b) noexcept { return {_mm512_maskz_min_ps(all, a.v, b.v)}; }
    BELLAMY_INLINE friend lanes maximum(lanes a, lanes b) noexcept { return {_mm512_maskz_max_ps(all, a.v, b.v)}; }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(lanes a) noexcept {
        return {_mm512_castsi512_ps(_mm512_maskz_slli_epi32(all, _mm512_castps_si512(a.v), 23))};
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const __m512i shifted =
            _mm512_maskz_srli_epi32(all, _mm512_add_epi32(_mm512_castps_si512(a.v), _mm512_set1_epi32(exponent_shift)), 23);
        return {.exponent = {_mm512_maskz_cvtepi32_ps(all, _mm512_sub_epi32(shifted, _mm512_set1_epi32(127)))},
                .inverse_power = {_mm512_castsi512_ps(
                    _mm512_maskz_slli_epi32(all, _mm512_sub_epi32(_mm512_set1_epi32(254), shifted), 23))}};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return {_mm512_maskz_permute_ps(all, v, Lane * 0x55)};
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(lanes a, lanes b) noexcept {
        return {
            _mm512_add_ps(_mm512_maskz_shuffle_f32x4(all, a.v, b.v, 0x88), _mm512_maskz_shuffle_f32x4(all, a.v, b.v, 0xDD))};
    }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__)
        asm("" : "+v"(a.v));
#endif
        return a;
    }
};

#endif

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
#endif
