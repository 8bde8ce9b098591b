#include "fit_experts.hpp"

#include <bellamy/detail/blend/blend_fit.hpp>

namespace bench {

bellamy::detail::fitted_blend fit_experts(std::span<const bellamy::run> history,
                                          std::array<bool, bellamy::detail::expert_kinds> taking_part, std::uint64_t seed) {
    return bellamy::detail::fit_blend(history, {.seed = seed, .experts = taking_part});
}

}  // namespace bench
