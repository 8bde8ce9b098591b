// Four floats in plain C++, for machines that the other headers do not know.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_PORTABLE_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_PORTABLE_HPP

#include <bellamy/detail/network/kernels/simd/lanes.hpp>

#if !defined(BELLAMY_ISA_AVX512) && !defined(BELLAMY_ISA_AVX2) && !defined(BELLAMY_ISA_SSE2) && !defined(BELLAMY_ISA_NEON)

#include <bit>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

template <>
struct lanes<4> {
    float v[4];

    template <class Function>
    BELLAMY_INLINE static lanes each(Function function) noexcept {
        return {{function(0), function(1), function(2), function(3)}};
    }
    BELLAMY_INLINE static lanes load(const float* from) noexcept {
        return each([=](int i) { return from[i]; });
    }
    BELLAMY_INLINE static lanes broadcast(float value) noexcept {
        return each([=](int) { return value; });
    }
    BELLAMY_INLINE void store(float* to) const noexcept {
        for (int i = 0; i < 4; ++i) to[i] = v[i];
    }

    BELLAMY_INLINE friend lanes operator+(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] + b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator-(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] - b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator*(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] * b.v[i]; });
    }
    BELLAMY_INLINE friend lanes operator/(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] / b.v[i]; });
    }
    BELLAMY_INLINE friend lanes multiply_add(const lanes& a, const lanes& b, const lanes& c) noexcept {
        return each([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
    }
    BELLAMY_INLINE friend lanes minimum(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    BELLAMY_INLINE friend lanes maximum(const lanes& a, const lanes& b) noexcept {
        return each([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    BELLAMY_INLINE friend lanes low_bits_as_exponent(const lanes& a) noexcept {
        return each([&](int i) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.v[i]) << 23U); });
    }
    BELLAMY_INLINE friend binary_fraction<lanes> split_exponent(const lanes& a) noexcept {
        const auto shifted = [&](int i) { return (std::bit_cast<std::uint32_t>(a.v[i]) + exponent_shift) >> 23U; };
        return {.exponent = each([&](int i) { return static_cast<float>(shifted(i)) - 127.0F; }),
                .inverse_power = each([&](int i) { return std::bit_cast<float>((254U - shifted(i)) << 23U); })};
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
        for (float& each : a.v) asm("" : "+m"(each));
#endif
        return a;
    }
};

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
#endif
