// The kernels that predictions run on: those of this translation unit's instructions or, in a program that links the CMake
// target bellamy::compiled, those of the best instructions that the machine has.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_DISPATCH_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_DISPATCH_HPP

#if defined(BELLAMY_COMPILED_KERNELS)
#include <bellamy/detail/network/prepared_network.hpp>
#else
#include <bellamy/detail/network/kernels/batch.hpp>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd {

/// The kernels for one set of instructions.
struct kernel_table {
    const char* isa_name;
    size_t widest;
    void (*predict_curve)(const prepared_runtime&, const head_sums&, const float*, float*, size_t) noexcept;
    float (*predict_one)(const prepared_runtime&, const head_sums&, float) noexcept;
    void (*encode_rows)(const prepared_encoder&, const float*, size_t, float*) noexcept;
    void (*add_codes)(const float*, const float*, head_sums*, size_t) noexcept;
    void (*predict_started)(const prepared_runtime&, const head_sums*, const float*, float*) noexcept;
    void (*predict_coded)(const prepared_network&, const coded_question (&)[batch_block], float*) noexcept;
};

#if defined(BELLAMY_COMPILED_KERNELS)

// Defined by kernel_unit.hpp in units of the compiled library.
namespace sse2 {
extern const kernel_table kernels;
}
namespace avx2 {
extern const kernel_table kernels;
}
namespace avx512 {
extern const kernel_table kernels;
}

/// The kernels for the best instructions of this machine.
inline const kernel_table& best_kernels() noexcept {
    static const kernel_table& best = []() -> const kernel_table& {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
            return avx512::kernels;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
            return avx2::kernels;
        return sse2::kernels;
    }();
    return best;
}

inline namespace compiled {

inline const char* const isa_name = best_kernels().isa_name;
inline const size_t widest = best_kernels().widest;

inline void predict_curve(const prepared_runtime& network, const head_sums& start, const float* scale_outs, float* seconds,
                          size_t count) noexcept {
    best_kernels().predict_curve(network, start, scale_outs, seconds, count);
}
inline float predict_one(const prepared_runtime& network, const head_sums& start, float scale_out) noexcept {
    return best_kernels().predict_one(network, start, scale_out);
}
inline void encode_rows(const prepared_encoder& network, const float* encoded, size_t count, float* codes) noexcept {
    best_kernels().encode_rows(network, encoded, count, codes);
}
inline void add_codes(const float* weights, const float* codes, head_sums* sums, size_t count) noexcept {
    best_kernels().add_codes(weights, codes, sums, count);
}
inline void predict_started(const prepared_runtime& network, const head_sums* starts, const float* scale_outs,
                            float* seconds) noexcept {
    best_kernels().predict_started(network, starts, scale_outs, seconds);
}
inline void predict_coded(const prepared_network& network, const coded_question (&questions)[batch_block],
                          float* seconds) noexcept {
    best_kernels().predict_coded(network, questions, seconds);
}

}  // namespace compiled

#endif

}}}  // namespace bellamy::BELLAMY_ABI::detail::simd

#endif
