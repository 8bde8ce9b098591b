// Eight floats in an x86 register.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_AVX2_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_AVX2_HPP

#include <bellamy/detail/network/kernels/simd/sse2.hpp>

#if defined(BELLAMY_ISA_AVX2) || defined(BELLAMY_ISA_AVX512)

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

template <>
struct lanes<8> {
    __m256 v;

    BELLAMY_INLINE static lanes load(const float* from) noexcept { return {_mm256_loadu_ps(from)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {_mm256_set1_ps(value)}; }
    BELLAMY_INLINE void store(float* to) const noexcept { _mm256_storeu_ps(to, v); }

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

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
#endif
