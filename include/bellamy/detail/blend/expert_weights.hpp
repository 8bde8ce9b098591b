// The experts of a blend, and the prior mixture weights of their components.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP

#include <bellamy/detail/blend/conditioning.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Gaussian processes of the growth trend's residual, and of the log-runtime itself (the trend misleads where runtimes jump
/// at a memory cliff); hierarchical Ernest of the residual.
enum class expert_kind : std::uint8_t { process_over_trend = 0, process_without_trend = 1, hierarchical_ernest = 2 };
[[nodiscard]] constexpr std::string_view to_string(expert_kind kind) noexcept {
    constexpr std::array<std::string_view, 3> names{"process over the growth trend", "process without a trend",
                                                    "hierarchical Ernest"};
    return names[static_cast<std::size_t>(kind)];
}
/// Whether an expert is fitted to the residual of the growth trend.
[[nodiscard]] constexpr bool uses_growth_trend(expert_kind kind) noexcept {
    return kind != expert_kind::process_without_trend;
}

inline constexpr std::size_t process_kinds = 2;
inline constexpr std::size_t expert_kinds = 3;

/// Prior weight ratio of the experts: most differences between runs follow from work and size, as the trend and the process
/// of its residual have them.
[[nodiscard]] constexpr double prior_weight(expert_kind kind) noexcept {
    return kind == expert_kind::process_over_trend ? 3 : 1;
}

/// Component of the prior mixture: an expert's covariance times `scale` squared, plus `deviation_sd` squared times the
/// deviation kernel.
struct blend_component {
    expert_kind expert = expert_kind::hierarchical_ernest;
    double scale = 1;
    double deviation_sd = 0;
    double weight = 0;
};

/// Equal weights across experts, fitted ones within each: for a context unlike those that the weights were fitted to.
[[nodiscard]] inline std::vector<blend_component> evenly_weighted(std::vector<blend_component> components) {
    std::array<double, expert_kinds> sums{};
    for (const auto& component : components) sums[static_cast<std::size_t>(component.expert)] += component.weight;
    const auto experts = static_cast<double>(std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0; }));
    for (auto& component : components)
        if (component.weight > 0) component.weight /= sums[static_cast<std::size_t>(component.expert)] * experts;
    return components;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
