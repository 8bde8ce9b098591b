// Rescales runs of a context that differs from the target in its data size alone, by a power law of the size.
#ifndef BELLAMY_DETAIL_CONTEXT_RESIZED_RUNS_HPP
#define BELLAMY_DETAIL_CONTEXT_RESIZED_RUNS_HPP

#include <bellamy/run.hpp>

#include <cmath>
#include <limits>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior of the exponent with which runtimes of one job grow with its data size: mean and standard deviation over seven
/// jobs, four of the C3O experiments (Will et al. 2020), three of the traces of Ellis.
inline constexpr double size_exponent_mean = 0.9;
inline constexpr double size_exponent_deviation = 0.3;

/// Runs whose runtimes were multiplied by one common factor.
struct resized_runs {
    std::vector<run> runs{};
    /// Standard deviation of the logarithm of that factor.
    double deviation = 0;
};

/// The property with the role of the data size; null where there is none.
[[nodiscard]] inline property* data_size_of(context& context) noexcept {
    for (auto* list : {&context.essential, &context.optional})
        for (auto& property : *list)
            if (property.role == property_role::data_size) return &property;
    return nullptr;
}

/// Logarithm of a data size; NaN where it is no number.
[[nodiscard]] inline double log_of_size(const property& size) noexcept {
    if (const auto* natural = std::get_if<std::uint64_t>(&size.value)) return std::log(static_cast<double>(*natural));
    if (const auto* quantity = std::get_if<double>(&size.value)) return std::log(*quantity);
    return std::numeric_limits<double>::quiet_NaN();
}

/// The runs of the nearest other data size, rescaled to the target's; none where no context differs in its size alone.
[[nodiscard]] inline resized_runs resize_runs(std::span<const run> observed, context target) {
    resized_runs resized;
    const property* const target_size = data_size_of(target);
    if (target_size == nullptr) return resized;
    const double target_log_size = log_of_size(*target_size);
    double nearest_log_ratio = std::numeric_limits<double>::infinity();
    for (const auto& run : observed) {
        auto context = run.context;
        property* const size = data_size_of(context);
        if (size == nullptr) continue;
        const double log_ratio = target_log_size - log_of_size(*size);
        // Also where a size is 0 or unknown: there is no factor between them.
        if (!std::isfinite(log_ratio) || size->value == target_size->value) continue;
        if (!(std::abs(log_ratio) < std::abs(nearest_log_ratio)) && log_ratio != nearest_log_ratio) continue;
        size->value = target_size->value;
        if (!(context == target)) continue;
        if (log_ratio != nearest_log_ratio) resized.runs.clear();
        nearest_log_ratio = log_ratio;
        resized.runs.push_back(run);
    }
    if (resized.runs.empty()) return resized;
    resized.deviation = size_exponent_deviation * std::abs(nearest_log_ratio);
    for (auto& run : resized.runs) run.runtime_s *= std::exp(size_exponent_mean * nearest_log_ratio);
    return resized;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
