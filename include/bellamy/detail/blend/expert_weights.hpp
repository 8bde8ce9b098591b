// The experts, and their prior weights before any run of the target.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP

#include <bellamy/detail/blend/conditioning.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The experts: Gaussian processes over the growth trend and without it, because where runtimes jump, at a memory cliff, the
/// trend misleads; hierarchical Ernest over the growth trend.
enum class expert_kind : std::uint8_t { process_over_trend = 0, process_without_trend = 1, hierarchical_ernest = 2 };
[[nodiscard]] constexpr std::string_view to_string(expert_kind kind) noexcept {
    constexpr std::array<std::string_view, 3> names{"process over the growth trend", "process without a trend",
                                                    "hierarchical Ernest"};
    return names[static_cast<std::size_t>(kind)];
}
/// Whether an expert learns what the growth trend leaves of the history.
[[nodiscard]] constexpr bool over_growth_trend(expert_kind kind) noexcept {
    return kind != expert_kind::process_without_trend;
}

inline constexpr std::size_t process_kinds = 2;
inline constexpr std::size_t expert_kinds = 3;

/// How much more an expert is believed than another before any context is looked at: work and sizes explain most of what
/// runs differ in, and the process over the growth trend learns what they leave.
[[nodiscard]] constexpr double prior_share(expert_kind kind) noexcept {
    return kind == expert_kind::process_over_trend ? 3 : 1;
}

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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
