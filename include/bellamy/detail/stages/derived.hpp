// What is derived from a trace, in one place so that all who read traces agree.
#ifndef BELLAMY_DETAIL_STAGES_DERIVED_HPP
#define BELLAMY_DETAIL_STAGES_DERIVED_HPP

#include <bellamy/trace.hpp>

#include <algorithm>
#include <array>

namespace bellamy::inline BELLAMY_ABI::detail {

/// The scale-out of the last step at or before this time; 0 before the first. Steps stand in the order of time.
[[nodiscard]] inline int scale_out_at(std::span<const scale_out_step> steps, double time_s) noexcept {
    int now = 0;
    for (const auto& each : steps) {
        if (each.at_s > time_s) break;
        now = each.scale_out;
    }
    return now;
}

/// The one scale-out that a run had, apart from the units of scale-out that joined before or within its first job; empty
/// where it is not known, or changed later.
[[nodiscard]] inline std::optional<int> constant_scale_out(const application_trace& trace) noexcept {
    if (trace.scale_out.empty()) return std::nullopt;
    const int last = trace.scale_out.back().scale_out;
    if (last < 1) return std::nullopt;
    const double settled_s = trace.jobs.empty() || !trace.jobs.front().completed_s ? 0 : *trace.jobs.front().completed_s;
    for (const auto& each : trace.scale_out)
        if (each.at_s > settled_s && each.scale_out != last) return std::nullopt;
    return scale_out_at(trace.scale_out, settled_s) == last ? std::optional(last) : std::nullopt;
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
