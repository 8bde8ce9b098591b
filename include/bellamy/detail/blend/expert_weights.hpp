// The experts, and their prior weights before any run of the target.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP

#include <bellamy/detail/blend/conditioning.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// The experts: Gaussian processes fitted by leaving contexts out, and, over the growth trend, by marginal likelihood and by
/// leaving contexts out; hierarchical Ernest over the growth trend. One has no trend: where runtimes jump, at a memory
/// cliff, the trend misleads.
enum class expert_kind : std::uint8_t {
    process_marginal = 0,
    process_left_out = 1,
    process_left_out_growth = 2,
    hierarchical_ernest = 3
};
[[nodiscard]] constexpr std::string_view to_string(expert_kind kind) noexcept {
    constexpr std::array<std::string_view, 4> names{"process by marginal likelihood", "process by leaving contexts out",
                                                    "process by leaving contexts out, over the growth trend",
                                                    "hierarchical Ernest"};
    return names[static_cast<std::size_t>(kind)];
}
/// Whether an expert learns what the growth trend leaves of the history.
[[nodiscard]] constexpr bool over_growth_trend(expert_kind kind) noexcept { return kind != expert_kind::process_left_out; }

inline constexpr std::size_t process_kinds = 3;
inline constexpr std::size_t expert_kinds = 4;

/// One part of the prior mixture: an expert, its covariance scaled by `scale` squared, plus `deviation` squared times the
/// deviation kernel.
struct blend_component {
    expert_kind expert = expert_kind::hierarchical_ernest;
    double scale = 1;
    double deviation = 0;
    double weight = 0;
};

/// Equal weights across experts, learned ones within each: for a context unlike those that the weights were learned from.
[[nodiscard]] inline std::vector<blend_component> evenly_weighted(std::vector<blend_component> components) {
    std::array<double, expert_kinds> sums{};
    for (const auto& each : components) sums[static_cast<std::size_t>(each.expert)] += each.weight;
    const auto experts = static_cast<double>(std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0; }));
    for (auto& each : components)
        if (each.weight > 0) each.weight /= sums[static_cast<std::size_t>(each.expert)] * experts;
    return components;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
