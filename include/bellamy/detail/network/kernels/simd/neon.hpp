// Four floats in an ARM register.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_NEON_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_NEON_HPP

#include <bellamy/detail/network/kernels/simd/lanes.hpp>

#if defined(BELLAMY_ISA_NEON)

#include <arm_neon.h>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

template <>
struct lanes<4> {
    float32x4_t v;

    BELLAMY_INLINE static lanes load(const float* from) noexcept { return {vld1q_f32(from)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {vdupq_n_f32(value)}; }
    BELLAMY_INLINE void store(float* to) const noexcept { vst1q_f32(to, v); }

    BELLAMY_INLINE friend lanes operator+(lanes a, lanes b) noexcept { return {vaddq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator-(lanes a, lanes b) noexcept { return {vsubq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator*(lanes a, lanes b) noexcept { return {vmulq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes operator/(lanes a, lanes b) noexcept { return {vdivq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes multiply_add(lanes a, lanes b, lanes c) noexcept { return {vfmaq_f32(c.v, a.v, b.v)}; }
    BELLAMY_INLINE friend lanes minimum(lanes a, lanes b) noexcept { return {vminq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes maximum(lanes a, lanes b) noexcept { return {vmaxq_f32(a.v, b.v)}; }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(lanes a) noexcept {
        return {vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(a.v), 23))};
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(lanes a) noexcept {
        const uint32x4_t shifted = vshrq_n_u32(vaddq_u32(vreinterpretq_u32_f32(a.v), vdupq_n_u32(exponent_shift)), 23);
        return {.exponent = {vsubq_f32(vcvtq_f32_u32(shifted), vdupq_n_f32(127.0F))},
                .inverse_power = {vreinterpretq_f32_u32(vshlq_n_u32(vsubq_u32(vdupq_n_u32(254), shifted), 23))}};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return {vdupq_laneq_f32(v, Lane)};
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(lanes a, lanes b) noexcept { return a + b; }
    [[nodiscard]] BELLAMY_INLINE float first() const noexcept { return vgetq_lane_f32(v, 0); }
    BELLAMY_INLINE friend float sum(lanes a) noexcept { return vaddvq_f32(a.v); }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__)
        asm("" : "+w"(a.v));
#endif
        return a;
    }
};

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
#endif
