// The experts of a blend, and the prior mixture weights of their components.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_WEIGHTS_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/error.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Gaussian processes of the growth trend's residual, and of the log-runtime itself (the trend misleads where runtimes jump
/// at a memory cliff); hierarchical Ernest of the residual; a log-linear regression on slots, cores, memory and size, whose
/// priors are those of any job.
enum class expert_kind : std::uint8_t {
    process_over_trend = 0,
    process_without_trend = 1,
    hierarchical_ernest = 2,
    cluster_regression = 3
};
constexpr std::string_view to_string(expert_kind kind) noexcept {
    return name_at(
        kind, {"process over the growth trend", "process without a trend", "hierarchical Ernest", "cluster regression"});
}
/// Whether an expert is fitted to the residual of the growth trend.
constexpr bool uses_growth_trend(expert_kind kind) noexcept {
    return kind == expert_kind::process_over_trend || kind == expert_kind::hierarchical_ernest;
}

/// The experts that are Gaussian processes.
enum class process_kind : std::uint8_t { over_trend = 0, without_trend = 1 };
constexpr expert_kind expert_of(process_kind kind) noexcept {
    return kind == process_kind::over_trend ? expert_kind::process_over_trend : expert_kind::process_without_trend;
}

inline constexpr std::array all_experts{expert_kind::process_over_trend, expert_kind::process_without_trend,
                                        expert_kind::hierarchical_ernest, expert_kind::cluster_regression};
inline constexpr std::array all_processes{process_kind::over_trend, process_kind::without_trend};
inline constexpr size_t process_kinds = all_processes.size();
inline constexpr size_t expert_kinds = all_experts.size();

/// An array with one value for each enumerator.
template <class Enum, class Value, size_t count>
struct by_enumerator : std::array<Value, count> {
    using std::array<Value, count>::operator[];
    constexpr Value& operator[](Enum kind) noexcept { return (*this)[static_cast<size_t>(kind)]; }
    constexpr const Value& operator[](Enum kind) const noexcept { return (*this)[static_cast<size_t>(kind)]; }
};
template <class Value>
using by_expert = by_enumerator<expert_kind, Value, expert_kinds>;
template <class Value>
using by_process = by_enumerator<process_kind, Value, process_kinds>;

/// Prior weight ratio of the experts. Most differences between runs follow from work and size, as the trend and the process
/// of its residual have them; where the cluster regression takes part, runs are so few that its priors know more than they.
constexpr double prior_weight(expert_kind kind) noexcept {
    if (kind == expert_kind::cluster_regression) return 6;
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

inline bool has_expert(const std::vector<blend_component>& components, expert_kind kind) noexcept {
    return any_of(components, [&](const auto& component) { return component.expert == kind; });
}

/// Equal weights across experts, fitted ones within each: for a context unlike those that the weights were fitted to.
inline std::vector<blend_component> evenly_weighted(std::vector<blend_component> components) {
    by_expert<double> sums{};
    for (const auto& component : components) sums[component.expert] += component.weight;
    const auto experts = static_cast<double>(count_if(sums, [](double sum) { return sum > 0; }));
    for (auto& component : components)
        if (component.weight > 0) component.weight /= sums[component.expert] * experts;
    return components;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
