// SELU in the form that prepared_network.hpp describes: g(y) = max(y, 0) + k * (2^min(y, 0) - 1), without a branch.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_ACTIVATION_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_ACTIVATION_HPP

#include <bellamy/detail/network/kernels/simd/vector.hpp>
#include <bellamy/detail/network/prepared_network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd { inline namespace BELLAMY_ISA {

// k * 2^f for |f| <= 1/2, relative error 1e-7 (least squares, reweighted to the smallest largest error, in float).
inline constexpr float power_of_two[] = {selu_kernel_constant, 1.67326272F,   0.579898357F,
                                         0.133995086F,         0.0233492386F, 0.00320273545F};
// Added to a number of magnitude below 2^22, leaves the nearest integer, plus 127, in the lowest bits.
inline constexpr float to_integer = 12582912.0F + 127.0F;
// 2^y below this counts as 0. Larger than the least exponent of a float: products with weights must not become denormal,
// which is slow without fused multiply-add.
inline constexpr float smallest_exponent = -64.0F;

/// Splits min(y, 0) into what adding `to_grid` rounds to, in the lowest bits, and the rest; max(y, 0) stays in y.
template <class Vector, size_t Count>
BELLAMY_INLINE void split(Vector (&y)[Count], Vector (&rounded)[Count], Vector (&rest)[Count], float to_grid) noexcept {
    const auto zero = Vector::broadcast(0.0F);
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i) {
        rest[i] = maximum(minimum(y[i], zero), Vector::broadcast(smallest_exponent));
        y[i] = maximum(zero, y[i]);  // NaN stays
    }
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i) {
        rounded[i] = opaque(rest[i] + Vector::broadcast(to_grid));
        rest[i] = rest[i] - opaque(rounded[i] - Vector::broadcast(to_grid));
    }
}

/// g of several vectors, their steps interleaved to hide latency.
template <class Vector, size_t Count>
BELLAMY_INLINE void activate(Vector (&y)[Count]) noexcept {
    Vector rounded[Count];
    Vector rest[Count];
    Vector power[Count];
    split(y, rounded, rest, to_integer);
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i)
        power[i] = multiply_add(rest[i], Vector::broadcast(power_of_two[5]), Vector::broadcast(power_of_two[4]));
    BELLAMY_UNROLL
    for (size_t degree = 4; degree > 0; --degree) {
        BELLAMY_UNROLL
        for (size_t i = 0; i < Count; ++i)
            power[i] = multiply_add(power[i], rest[i], Vector::broadcast(power_of_two[degree - 1]));
    }
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i)
        y[i] = multiply_add(power[i], low_bits_as_exponent(rounded[i]), Vector::broadcast(-selu_kernel_constant)) + y[i];
}

#if defined(BELLAMY_ISA_AVX512)

// k * 2^f for |f| <= 1/64, relative error 6e-8; multiples of 1/32 come from a table in two registers. Three multiplications
// where the polynomial above has six.
inline constexpr float power_of_two_near_zero[] = {selu_kernel_constant, 1.67328668F, 0.579762399F};
// Leaves the nearest multiple of 1/32, plus 127, in the lowest bits.
inline constexpr float to_multiple = 393216.0F + 127.0F;

struct fraction_table {
    alignas(64) std::array<std::uint32_t, 32> mantissas{};
};
/// The mantissa bits of 2^(i/32).
inline constexpr fraction_table powers_of_two_fractions = [] {
    fraction_table table;
    for (size_t i = 0; i < 32; ++i) {
        double power = 1;
        // 2^(1/32), 2^(1/16), ..., 2^(1/2).
        constexpr double roots[] = {1.0218971486541166, 1.0442737824274138, 1.0905077326652577, 1.189207115002721,
                                    1.4142135623730951};
        for (size_t bit = 0; bit < 5; ++bit)
            if ((i >> bit & 1U) != 0) power *= roots[bit];
        table.mantissas[i] = std::bit_cast<std::uint32_t>(static_cast<float>(power)) & 0x7FFFFFU;
    }
    return table;
}();

/// low_bits_as_exponent with five more bits below, which are a fraction.
BELLAMY_INLINE lanes<16> low_bits_as_power(lanes<16> a) noexcept {
    const __m512 low = _mm512_load_ps(powers_of_two_fractions.mantissas.data());
    const __m512 high = _mm512_load_ps(powers_of_two_fractions.mantissas.data() + 16);
    const __m512i bits = _mm512_castps_si512(a.v);
    const __m512i mantissa = _mm512_castps_si512(_mm512_permutex2var_ps(low, bits, high));
    constexpr int a_and_b_or_c = 0xEA;
    return {_mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_maskz_slli_epi32(all_lanes, bits, 18),
                                                          _mm512_set1_epi32(0x7F800000), mantissa, a_and_b_or_c))};
}

template <size_t Count>
BELLAMY_INLINE void activate(lanes<16> (&y)[Count]) noexcept {
    using Vector = lanes<16>;
    Vector rounded[Count];
    Vector rest[Count];
    split(y, rounded, rest, to_multiple);
    Vector power[Count];
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i) {
        rounded[i] = low_bits_as_power(rounded[i]);
        power[i] = multiply_add(rest[i], Vector::broadcast(power_of_two_near_zero[2]),
                                Vector::broadcast(power_of_two_near_zero[1]));
    }
    BELLAMY_UNROLL
    for (size_t i = 0; i < Count; ++i) {
        power[i] = multiply_add(power[i], rest[i], Vector::broadcast(power_of_two_near_zero[0]));
        y[i] = multiply_add(power[i], rounded[i], Vector::broadcast(-selu_kernel_constant)) + y[i];
    }
}

#endif

/// The same for a single vector with low latency, by Estrin's scheme: more operations in a shorter chain.
template <class Vector>
BELLAMY_INLINE Vector activate_latency(Vector y) noexcept {
    const auto zero = Vector::broadcast(0.0F);
    const auto bounded = maximum(minimum(y, zero), Vector::broadcast(smallest_exponent));
    const auto rounded = opaque(bounded + Vector::broadcast(to_integer));
    const auto rest = bounded - opaque(rounded - Vector::broadcast(to_integer));
    const auto c = [](size_t term) { return Vector::broadcast(power_of_two[term]); };
    const auto square = rest * rest;
    const auto upper = multiply_add(multiply_add(rest, c(5), c(4)), square, multiply_add(rest, c(3), c(2)));
    const auto power = multiply_add(upper, square, multiply_add(rest, c(1), c(0)));
    return multiply_add(power, low_bits_as_exponent(rounded), Vector::broadcast(-selu_kernel_constant)) + maximum(zero, y);
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
