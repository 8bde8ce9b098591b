// Components of a blend, for tests of their weights.
#ifndef BELLAMY_TESTS_SUPPORT_TWO_EXPERTS_HPP
#define BELLAMY_TESTS_SUPPORT_TWO_EXPERTS_HPP

#include <bellamy/detail/blend/expert_weights.hpp>
#include <vector>

namespace support {

/// Two components each.
[[nodiscard]] inline std::vector<bellamy::detail::blend_component> two_experts() {
    using bellamy::detail::expert_kind;
    return {{.expert = expert_kind::process_over_trend, .scale = 1},
            {.expert = expert_kind::process_over_trend, .scale = 2},
            {.expert = expert_kind::hierarchical_ernest, .scale = 1},
            {.expert = expert_kind::hierarchical_ernest, .scale = 2}};
}

}  // namespace support

#endif
