// The instruction set of this translation unit, as the name of an inline namespace, and vectors of floats of any width as
// two halves. Include vector.hpp for the registers themselves.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_LANES_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_LANES_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/version.hpp>

#include <cstddef>
#include <cstdint>

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
namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

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
template <std::size_t Count>
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
    [[nodiscard]] BELLAMY_INLINE float first() const noexcept { return low.first(); }
    BELLAMY_INLINE friend float sum(const lanes& a) noexcept { return sum(a.low + a.high); }
    BELLAMY_INLINE friend lanes opaque(const lanes& a) noexcept { return {opaque(a.low), opaque(a.high)}; }
};

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA
#undef BELLAMY_ISA_TEXT
#undef BELLAMY_ISA_TEXT_OF

#endif
