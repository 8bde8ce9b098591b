// The kernels that predictions run on: those of this translation unit's instructions or, in a program that links the CMake
// target bellamy::compiled, those of the best instructions that the machine has.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_DISPATCH_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_DISPATCH_HPP

#if defined(BELLAMY_COMPILED_KERNELS)

#include <bellamy/detail/network/kernels/simd/kernel_list.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace compiled {

inline const char* const isa_name = best_kernels().isa_name;
inline const std::size_t widest = best_kernels().widest;

inline void predict_curve(const prepared_runtime& network, const head_sums& start, const float* scale_outs, float* seconds,
                          std::size_t count) noexcept {
    best_kernels().predict_curve(network, start, scale_outs, seconds, count);
}
inline float predict_one(const prepared_runtime& network, const head_sums& start, float scale_out) noexcept {
    return best_kernels().predict_one(network, start, scale_out);
}
inline void encode_rows(const prepared_encoder& network, const float* encoded, std::size_t count, float* codes) noexcept {
    best_kernels().encode_rows(network, encoded, count, codes);
}
inline void add_codes(const float* weights, const float* codes, head_sums* sums, std::size_t count) noexcept {
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

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::compiled

#else

#include <bellamy/detail/network/kernels/batch.hpp>

#endif

#endif
