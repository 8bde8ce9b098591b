// What a file stores of a blend, field by field, and the checks of what was read.
#ifndef BELLAMY_DETAIL_MODELS_BLEND_FIELDS_HPP
#define BELLAMY_DETAIL_MODELS_BLEND_FIELDS_HPP

#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/shape_prior.hpp>

#include <cmath>
#include <concepts>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Limits of what is read, so that a damaged file cannot cost hours; a fit stays below them.
inline constexpr size_t most_stored_points = 20000;
inline constexpr size_t most_stored_process_points = 1024;
inline constexpr size_t most_stored_features = 128;
inline constexpr size_t most_stored_shapes = 512;
/// In units of the smallest machine's cores.
inline constexpr double most_stored_slots = largest_scale_out * most_relative_cores;

/// `Structure` when it is read, const when it is written.
template <class Data, class Structure>
concept is_or_is_const = std::same_as<std::remove_const_t<Data>, Structure>;

void fields(auto& archive, is_or_is_const<feature_column> auto& data) {
    archive(data.property, data.source, data.token, data.value, data.logarithm, data.mean, data.deviation, data.lowest,
            data.highest);
}
void fields(auto& archive, is_or_is_const<known_property> auto& data) {
    archive(data.property, data.numbers_per_value, data.values, data.variance);
}
void fields(auto& archive, is_or_is_const<feature_map> auto& data) {
    archive(data.columns, data.known, data.data_size, data.memory_per_node, data.data_size_scales, data.cores_per_node,
            data.least_cores, data.machine_type, data.only_log_size);
}
void fields(auto& archive, is_or_is_const<scale_out_noise> auto& data) {
    archive(data.log_scale_out, data.pooled_variance, data.narrow_variance, data.wide_variance, data.straggler_probability,
            data.straggler_delay);
}
void fields(auto& archive, is_or_is_const<run_noise> auto& data) { archive(data.by_scale_out); }
void fields(auto& archive, is_or_is_const<history_context> auto& data) {
    archive(data.features, data.pressure, data.anomaly_variance, data.first, data.count);
}
void fields(auto& archive, is_or_is_const<history_point> auto& data) {
    archive(data.context, data.scale_out, data.log_runtime, data.variance);
}
void fields(auto& archive, is_or_is_const<history_data> auto& data) { archive(data.contexts, data.points); }
void fields(auto& archive, is_or_is_const<growth_parameters> auto& data) {
    archive(data.coefficients, data.log_unit, data.half_log_range, data.cliff_lower, data.cliff_upper);
}
void fields(auto& archive, is_or_is_const<gaussian_process_parameters> auto& data) {
    archive(data.mean, data.amplitude, data.nugget, data.shape_length, data.joint_length, data.own_length,
            data.pressure_length, data.level_lengths, data.joint_lengths, data.pressure_direction,
            data.pressure_from_direction);
}
void fields(auto& archive, is_or_is_const<hierarchical_ernest_parameters> auto& data) {
    archive(data.covariance, data.nugget_variance);
}
void fields(auto& archive, is_or_is_const<blend_component> auto& data) {
    archive(data.expert, data.scale, data.deviation_sd, data.weight);
}
void fields(auto& archive, is_or_is_const<curve_shape> auto& data) {
    archive(data.ratio, data.exponent, data.residual_sd, data.weight);
}
void fields(auto& archive, is_or_is_const<shape_prior> auto& data) { archive(data.shapes, data.noise); }
void fields(auto& archive, is_or_is_const<blend_data> auto& data) {
    archive(data.features, data.noise, data.history, data.context_hashes, data.process_contexts, data.growth,
            data.processes[process_kind::over_trend], data.processes[process_kind::without_trend], data.ernest,
            data.components, data.seen_scale_outs, data.lowest_log_runtime, data.highest_log_runtime, data.curvature);
}

/// Bounds far beyond what a fit gives, within which no product of a few numbers overflows. NaN is outside.
inline bool is_moderate(double value) noexcept { return value >= -1e9 && value <= 1e9; }
inline bool is_moderate_and_positive(double value) noexcept { return value >= 1e-12 && value <= 1e9; }

[[gnu::cold]] inline bool is_consistent(const scale_out_noise& noise) noexcept {
    return is_moderate(noise.log_scale_out) && is_moderate_and_positive(noise.pooled_variance) &&
           is_moderate_and_positive(noise.narrow_variance) && is_moderate_and_positive(noise.wide_variance) &&
           noise.straggler_probability > 0 && noise.straggler_probability < 1 && is_moderate(noise.straggler_delay);
}

[[gnu::cold]] inline bool is_consistent(const feature_map& features) noexcept {
    if (features.columns.size() > most_stored_features) return false;
    for (const auto& property : features.known)
        if (!(property.variance >= 0 && property.variance <= 1e9)) return false;
    const bool size_within = std::isnan(features.only_log_size) || std::abs(features.only_log_size) <= 750;
    if (!size_within || !is_moderate_and_positive(features.least_cores)) return false;
    return all_of(features.columns, [](const feature_column& column) {
        // Logarithms of doubles lie within 745; of larger ones no memory pressure could be computed.
        const double most = column.logarithm ? 750 : (std::numeric_limits<double>::max)();
        const auto within = [&](double value) { return std::abs(value) <= most; };
        return column.source <= feature_source::cores && within(column.mean) && within(column.lowest) &&
               within(column.highest) && column.deviation > 0 && within(column.deviation);
    });
}

[[gnu::cold]] inline bool is_consistent(const growth_parameters& growth) noexcept {
    return all_of(growth.coefficients, [](double coefficient) { return coefficient >= 0 && coefficient <= 1e100; }) &&
           is_moderate(growth.log_unit) && growth.half_log_range >= 0 && is_moderate(growth.half_log_range) &&
           is_moderate(growth.cliff_lower) && is_moderate(growth.cliff_upper);
}

/// Whether every number is within bounds and some shape has a weight.
[[gnu::cold]] inline bool is_consistent(const shape_prior& prior) noexcept {
    const auto within = [](double value, double most) { return value >= 0 && value <= most; };
    double sum = 0;
    for (const auto& shape : prior.shapes) {
        if (!within(shape.ratio, 1e9) || !within(shape.exponent, 10) || !within(shape.residual_sd, 10) ||
            !(shape.weight > 0 && shape.weight <= 1))
            return false;
        sum += shape.weight;
    }
    return prior.shapes.size() <= most_stored_shapes && sum > 0 && is_consistent(prior.noise);
}

inline bool all_moderate(std::span<const double> values) noexcept { return all_of(values, is_moderate); }
inline bool all_moderate_and_positive(std::span<const double> values) noexcept {
    return all_of(values, is_moderate_and_positive);
}

/// Whether contexts and points are contiguous, and their numbers within bounds. At most `most_stored_process_points` points
/// of the first `process_contexts` contexts.
[[gnu::cold]] inline bool is_consistent(const history_data& history, size_t features, size_t process_contexts) {
    if (history.points.empty() || history.points.size() > most_stored_points) return false;
    size_t next = 0;
    for (size_t c = 0; c < history.contexts.size(); ++c) {
        const auto& context = history.contexts[c];
        if (context.features.size() != features || !all_moderate(context.features) ||
            !(std::isnan(context.pressure) || is_moderate(context.pressure)) ||
            !(context.anomaly_variance >= 0 && context.anomaly_variance <= 1e9))
            return false;
        if (context.first != next || context.count == 0 || context.count > history.points.size() - next) return false;
        for (const auto& point : history.points_of(context))
            if (point.context != c || !(point.scale_out >= 1 && point.scale_out <= most_stored_slots) ||
                !is_moderate(point.log_runtime) || !is_moderate_and_positive(point.variance))
                return false;
        next += context.count;
        if (c < process_contexts && next > most_stored_process_points) return false;
    }
    return next == history.points.size();
}

[[gnu::cold]] inline bool is_consistent(const gaussian_process_parameters& process, size_t features) {
    const std::array lengths{process.shape_length, process.joint_length, process.own_length, process.pressure_length};
    return all_moderate_and_positive(lengths) && all_moderate(process.amplitude) && is_moderate(process.mean) &&
           is_moderate(process.nugget) && all_moderate(process.pressure_direction) &&
           (process.pressure_direction.empty() || process.pressure_direction.size() == features) &&
           process.level_lengths.size() == features && all_moderate_and_positive(process.level_lengths) &&
           process.joint_lengths.size() == features && all_moderate_and_positive(process.joint_lengths);
}

/// Whether the sizes of the parts agree and every number is within bounds, so that binding cannot fail on them.
[[gnu::cold]] inline bool is_consistent(const blend_data& data) {
    const size_t contexts = data.history.contexts.size();
    const size_t features = data.features.columns.size();
    // Unknown properties are completed by the values of the processes' contexts, of which there must be one.
    if (data.process_contexts < 1 || data.process_contexts > contexts || data.context_hashes.size() != contexts)
        return false;
    if (!is_consistent(data.features) || !is_consistent(data.history, features, data.process_contexts) ||
        !is_consistent(data.growth))
        return false;
    for (const auto& noise : data.noise.by_scale_out)
        if (!is_consistent(noise)) return false;
    for (const auto& process : data.processes)
        if (process && !is_consistent(*process, features)) return false;
    for (const auto& component : data.components)
        if (component.expert > all_experts.back() || !is_moderate_and_positive(component.scale) ||
            !(component.deviation_sd >= 0 && component.deviation_sd <= 1e9) ||
            !(component.weight >= 0 && component.weight <= 1))
            return false;
    return !data.components.empty() && all_moderate(data.ernest.covariance) &&
           is_moderate_and_positive(data.ernest.nugget_variance) && data.curvature >= 0 && is_moderate(data.curvature) &&
           is_moderate(data.lowest_log_runtime) && is_moderate(data.highest_log_runtime) &&
           data.lowest_log_runtime <= data.highest_log_runtime && !data.seen_scale_outs.empty() &&
           std::is_sorted(data.seen_scale_outs.begin(), data.seen_scale_outs.end()) && data.seen_scale_outs.front() >= 1;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
