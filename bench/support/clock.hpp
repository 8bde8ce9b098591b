// How fast this core runs right now: its clock, and how many multiply-adds it can do.
#ifndef BELLAMY_BENCH_SUPPORT_CLOCK_HPP
#define BELLAMY_BENCH_SUPPORT_CLOCK_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

/// CPU time of this thread in nanoseconds: what other processes take does not count.
[[nodiscard]] inline double now_ns() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
#else
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// The compiler must believe that the value is used, and that it may have changed.
template <class Value>
void keep(Value& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

/// Cycles per nanosecond, from a chain of multiplications that take three cycles each (x86 of all makers, most ARM).
[[nodiscard]] inline double measured_clock_ghz() {
    constexpr int steps = 200'000;
    std::uint64_t value = static_cast<std::uint64_t>(now_ns()) | 1U;
    const double begin = now_ns();
    for (int i = 0; i < steps; ++i) {
        value *= value;
        asm volatile("" : "+r"(value));
    }
    return 3 * steps / (now_ns() - begin);
}

/// Float multiply-adds of the widest instructions that the machine has, whatever this program is built for.
struct multiply_add_peak {
    std::string_view instructions = "none that this program knows";
    int lanes = 1;
    double per_ns = 0;

    /// Vectors per cycle: a whole number, or two thirds of the truth are missing.
    [[nodiscard]] double vectors_per_cycle(double clock_ghz) const { return per_ns / lanes / clock_ghz; }
};

namespace probe {

// Twelve chains: more than any core's latency times its units, fewer than there are registers.
inline constexpr int chains = 12;
inline constexpr int steps = 50'000;

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) inline void multiply_add_512() {
    __m512 sums[chains] = {};
    __m512 factor = _mm512_set1_ps(0.5F);
    for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
        for (auto& each : sums) {
            each = _mm512_fmadd_ps(each, factor, factor);
            asm volatile("" : "+v"(each));
        }
    }
}
__attribute__((target("avx2,fma"), noinline)) inline void multiply_add_256() {
    __m256 sums[chains] = {};
    __m256 factor = _mm256_set1_ps(0.5F);
    for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
        for (auto& each : sums) {
            each = _mm256_fmadd_ps(each, factor, factor);
            asm volatile("" : "+x"(each));
        }
    }
}
__attribute__((noinline)) inline void multiply_then_add_128() {
    __m128 sums[chains] = {};
    __m128 factor = _mm_set1_ps(0.5F);
    for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
        for (auto& each : sums) {
            each = _mm_add_ps(_mm_mul_ps(each, factor), factor);
            asm volatile("" : "+x"(each));
        }
    }
}
#endif

}  // namespace probe

[[nodiscard]] inline multiply_add_peak measured_multiply_add_peak() {
    multiply_add_peak peak;
    [[maybe_unused]] const auto time = [&](std::string_view name, int lanes, void (*run)()) {
        run();
        const double begin = now_ns();
        run();
        peak = {.instructions = name,
                .lanes = lanes,
                .per_ns = static_cast<double>(lanes) * probe::chains * probe::steps / (now_ns() - begin)};
    };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        time("AVX-512", 16, probe::multiply_add_512);
    } else if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
        time("AVX2 and FMA", 8, probe::multiply_add_256);
    } else {
        time("SSE2", 4, probe::multiply_then_add_128);
    }
#endif
    return peak;
}

}  // namespace bench

#endif
