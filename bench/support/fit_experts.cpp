#include "fit_experts.hpp"

#include <bellamy/detail/blend/blend_fit.hpp>

namespace bench {

bellamy::detail::fitted_blend fit_experts(std::span<const bellamy::run> history,
                                          bellamy::detail::by_expert<bool> taking_part, std::uint64_t seed) {
    return bellamy::detail::fit_blend(history, {.seed = seed, .experts = taking_part});
}

}  // namespace bench
