// What is derived from a trace, in one place so that all who read traces agree.
#ifndef BELLAMY_DETAIL_TRACE_TRACE_METRICS_HPP
#define BELLAMY_DETAIL_TRACE_TRACE_METRICS_HPP

#include <bellamy/trace.hpp>

#include <algorithm>
#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The scale-out of the last step at or before this time; 0 before the first. Steps stand in the order of time.
[[nodiscard]] inline int scale_out_at(std::span<const scale_out_step> steps, double time_s) noexcept {
    int now = 0;
    for (const auto& each : steps) {
        if (each.at_s > time_s) break;
        now = each.scale_out;
    }
    return now;
}

/// A scale-out that lasts this long is not one that executors pass through while they join.
inline constexpr double settled_after_s = 30;

/// The first scale-out above 0 that lasts, or the last one; 0 where there is none. This is what a run was started with.
[[nodiscard]] inline int settled_scale_out(std::span<const scale_out_step> steps) noexcept {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool lasts = i + 1 == steps.size() || steps[i + 1].at_s - steps[i].at_s >= settled_after_s;
        if (steps[i].scale_out > 0 && lasts) return steps[i].scale_out;
    }
    return steps.empty() ? 0 : steps.back().scale_out;
}

/// The one scale-out that a run had once its executors had joined; empty where it is not known, or changed later.
[[nodiscard]] inline std::optional<int> constant_scale_out(const application_trace& trace) noexcept {
    const std::span<const scale_out_step> steps = trace.scale_out;
    const int settled = settled_scale_out(steps);
    if (settled < 1 || steps.back().scale_out != settled) return std::nullopt;
    bool reached = false;
    for (const auto& each : steps) {
        if (reached && each.scale_out != settled) return std::nullopt;
        reached = reached || each.scale_out == settled;
    }
    return settled;
}

/// The share of [begin, end] from the first to the last change of the scale-out within it; 0 for fewer than two changes.
[[nodiscard]] inline double rescaling_share(std::span<const scale_out_step> steps, double begin_s, double end_s) noexcept {
    double first_s = end_s;
    double last_s = begin_s;
    int now = 0;
    int changes = 0;
    for (const auto& each : steps) {
        if (each.scale_out == now) continue;
        now = each.scale_out;
        if (each.at_s < begin_s || each.at_s > end_s) continue;
        if (changes++ == 0) first_s = each.at_s;
        last_s = each.at_s;
    }
    return changes < 2 || !(end_s > begin_s) ? 0 : (last_s - first_s) / (end_s - begin_s);
}

/// Numerator over denominator: 0 for 0/x, 1 for x/0.
[[nodiscard]] inline double ratio_of(const std::optional<double>& numerator,
                                     const std::optional<double>& denominator) noexcept {
    if (!numerator || !denominator || *numerator == 0) return 0;
    return *denominator == 0 ? 1 : *numerator / *denominator;
}

/// The five ratios that Enel looks at: CPU over run time, collection of garbage over run time, and, squashed by r / (1 + r),
/// shuffle read over written, input over output, spilled over peak memory. An absent number makes 0. Unsquashed x/0 is 1.
[[nodiscard]] inline std::array<double, 5> ratios_of(const stage_metrics& of) noexcept {
    const auto squash = [](const std::optional<double>& numerator, const std::optional<double>& denominator) {
        const double ratio = ratio_of(numerator, denominator);
        return ratio / (1 + ratio);
    };
    return {ratio_of(of.cpu_s, of.run_s), ratio_of(of.gc_s, of.run_s), squash(of.shuffle_read_bytes, of.shuffle_write_bytes),
            squash(of.input_bytes, of.output_bytes), squash(of.disk_spilled_bytes, of.peak_execution_memory_bytes)};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
