// The registers of the instruction set in use: those of x86, of ARM, or four floats in plain C++.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_VECTOR_HPP

#include <bellamy/detail/network/kernels/simd/x86.hpp>

#if defined(BELLAMY_ISA_NEON)
#include <arm_neon.h>
#elif !defined(BELLAMY_ISA_AVX512) && !defined(BELLAMY_ISA_AVX2) && !defined(BELLAMY_ISA_SSE2)
#include <bit>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

#if defined(BELLAMY_ISA_NEON)

template <>
struct lanes<4> {
    float32x4_t v;

    BELLAMY_INLINE static lanes load(const float* source) noexcept { return {vld1q_f32(source)}; }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept { return {vdupq_n_f32(value)}; }
    BELLAMY_INLINE void store(float* target) const noexcept { vst1q_f32(target, v); }

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

#elif !defined(BELLAMY_ISA_AVX512) && !defined(BELLAMY_ISA_AVX2) && !defined(BELLAMY_ISA_SSE2)

// Four floats in plain C++.
template <>
struct lanes<4> {
    float v[4];

    template <class Function>
    BELLAMY_INLINE static lanes by_lane(Function function) noexcept {
        return {{function(0), function(1), function(2), function(3)}};
    }
    BELLAMY_INLINE static lanes load(const float* source) noexcept {
        return by_lane([=](int i) { return source[i]; });
    }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept {
        return by_lane([=](int) { return value; });
    }
    BELLAMY_INLINE void store(float* target) const noexcept {
        for (int i = 0; i < 4; ++i) target[i] = v[i];
    }

    BELLAMY_INLINE friend lanes operator+(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] + b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator-(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] - b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator*(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] * b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator/(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] / b.v[i]; });
    }
    BELLAMY_INLINE friend lanes multiply_add(const lanes& a, const lanes& b, const lanes& c) noexcept {
        return by_lane([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
    }
    BELLAMY_INLINE friend lanes minimum(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    BELLAMY_INLINE friend lanes maximum(const lanes& a, const lanes& b) noexcept {
        return by_lane([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(const lanes& a) noexcept {
        return by_lane([&](int i) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.v[i]) << 23U); });
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(const lanes& a) noexcept {
        const auto shifted = [&](int i) { return (std::bit_cast<std::uint32_t>(a.v[i]) + exponent_shift) >> 23U; };
        return {.exponent = by_lane([&](int i) { return static_cast<float>(shifted(i)) - 127.0F; }),
                .inverse_power = by_lane([&](int i) { return std::bit_cast<float>((254U - shifted(i)) << 23U); })};
    }
    template <int Lane>
    BELLAMY_INLINE lanes in_quads() const noexcept {
        return broadcast(v[Lane]);
    }
    BELLAMY_INLINE friend lanes add_adjacent_quads(const lanes& a, const lanes& b) noexcept { return a + b; }
    [[nodiscard]] BELLAMY_INLINE float first() const noexcept { return v[0]; }
    BELLAMY_INLINE friend float sum(const lanes& a) noexcept { return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]); }
    BELLAMY_INLINE friend lanes opaque(lanes a) noexcept {
#if defined(__FAST_MATH__) && defined(__GNUC__)
        for (float& lane : a.v) asm("" : "+m"(lane));
#endif
        return a;
    }
};

#endif

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
