// Defines the table of the kernels for the instructions that this translation unit is compiled for. Included in one unit of
// a program for each set of instructions: in those of the CMake target bellamy::compiled.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_UNIT_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_UNIT_HPP

#include <bellamy/detail/network/kernels/dispatch.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::simd { inline namespace BELLAMY_ISA {

extern const kernel_table kernels;
const kernel_table kernels{.isa_name = isa_name,
                           .widest = widest,
                           .predict_curve = predict_curve,
                           .predict_one = predict_one,
                           .encode_rows = encode_rows,
                           .add_codes = add_codes,
                           .predict_started = predict_started,
                           .predict_coded = predict_coded};

}}}}  // namespace bellamy::BELLAMY_ABI::detail::simd::BELLAMY_ISA

#endif
