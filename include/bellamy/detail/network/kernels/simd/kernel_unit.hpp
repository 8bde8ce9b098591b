// The kernels for the instructions that this translation unit is compiled for, as a list.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_UNIT_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_UNIT_HPP

#include <bellamy/detail/network/kernels/batch.hpp>
#include <bellamy/detail/network/kernels/simd/kernel_list.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace simd { inline namespace BELLAMY_ISA {

inline constexpr kernel_list all_kernels{.isa_name = isa_name,
                                         .widest = widest,
                                         .predict_curve = predict_curve,
                                         .predict_one = predict_one,
                                         .encode_rows = encode_rows,
                                         .add_codes = add_codes,
                                         .predict_started = predict_started,
                                         .predict_coded = predict_coded};

}}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
