// The kernels by name, for programs that pick the instructions while they run (CMake target bellamy::compiled).
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_LIST_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_SIMD_KERNEL_LIST_HPP

#include <bellamy/detail/network/prepared_network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One entry for each function that network_kernels.hpp offers; see there.
struct kernel_list {
    const char* isa_name;
    std::size_t widest;
    void (*predict_curve)(const prepared_runtime&, const head_sums&, const float*, float*, std::size_t) noexcept;
    float (*predict_one)(const prepared_runtime&, const head_sums&, float) noexcept;
    void (*encode_rows)(const prepared_encoder&, const float*, std::size_t, float*) noexcept;
    void (*add_codes)(const float*, const float*, head_sums*, std::size_t) noexcept;
    void (*predict_started)(const prepared_runtime&, const head_sums*, const float*, float*) noexcept;
    void (*predict_coded)(const prepared_network&, const coded_question (&)[batch_block], float*) noexcept;
};

/// The kernels for the best instructions of this machine. Defined in the compiled library.
[[nodiscard]] const kernel_list& best_kernels() noexcept;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
