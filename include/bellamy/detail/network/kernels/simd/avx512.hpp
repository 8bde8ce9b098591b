// Sixteen floats in an x86 register.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_AVX512_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_AVX512_HPP

#include <bellamy/detail/network/kernels/simd/avx2.hpp>

#if defined(BELLAMY_ISA_AVX512)

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

template <>
struct lanes<16> {
    // g++ 12 warns of the unmasked forms, whose unused lanes it says are uninitialised.
    static constexpr __mmask16 all = 0xFFFF;

    __m512 v;

    BELLAMY_INLINE static lanes load(const float* from) noexcept { return {_mm512_loadu_ps(from)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {_mm512_set1_ps(value)}; }
    BELLAMY_INLINE void store(float* to) const noexcept { _mm512_storeu_ps(to, v); }

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

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
#endif
