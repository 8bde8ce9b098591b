// Best mode's data as lists of fields for an archive, and which of them fit each other.
#ifndef BELLAMY_DETAIL_MODELS_BLEND_FIELDS_HPP
#define BELLAMY_DETAIL_MODELS_BLEND_FIELDS_HPP

#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/shape_prior.hpp>

#include <cmath>
#include <concepts>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Limits of what is read, so that a file cannot ask for hours; a fit stays below them.
inline constexpr std::size_t most_stored_points = 20000;
inline constexpr std::size_t most_stored_process_points = 1024;
inline constexpr std::size_t most_stored_features = 128;
inline constexpr std::size_t most_stored_shapes = 512;

/// A structure, const where it is written.
template <class Data, class Structure>
concept is_or_is_const = std::same_as<std::remove_const_t<Data>, Structure>;

template <class Archive, is_or_is_const<feature_column> Data>
void fields(Archive& archive, Data& of) {
    archive(of.property, of.source, of.token, of.value, of.logarithm, of.mean, of.deviation, of.lowest, of.highest);
}
template <class Archive, is_or_is_const<known_property> Data>
void fields(Archive& archive, Data& of) {
    archive(of.property, of.numbers, of.values, of.variance);
}
template <class Archive, is_or_is_const<feature_map> Data>
void fields(Archive& archive, Data& of) {
    archive(of.columns, of.known, of.data_size, of.memory_per_node, of.data_size_scales);
}
template <class Archive, is_or_is_const<scale_out_noise> Data>
void fields(Archive& archive, Data& of) {
    archive(of.log_scale_out, of.pooled_variance, of.narrow_variance, of.wide_variance, of.straggler_probability,
            of.straggler_delay);
}
template <class Archive, is_or_is_const<run_noise> Data>
void fields(Archive& archive, Data& of) {
    archive(of.by_scale_out);
}
template <class Archive, is_or_is_const<history_context> Data>
void fields(Archive& archive, Data& of) {
    archive(of.features, of.pressure, of.anomaly_variance, of.first, of.count);
}
template <class Archive, is_or_is_const<history_point> Data>
void fields(Archive& archive, Data& of) {
    archive(of.context, of.scale_out, of.log_runtime, of.variance);
}
template <class Archive, is_or_is_const<history_data> Data>
void fields(Archive& archive, Data& of) {
    archive(of.contexts, of.points);
}
template <class Archive, is_or_is_const<growth_parameters> Data>
void fields(Archive& archive, Data& of) {
    archive(of.multiples, of.level, of.lowest, of.highest, of.cliff_low, of.cliff_high);
}
template <class Archive, is_or_is_const<gaussian_process_parameters> Data>
void fields(Archive& archive, Data& of) {
    archive(of.mean, of.amplitude, of.nugget, of.shape_length, of.joint_length, of.own_length, of.pressure_length,
            of.level_lengths, of.joint_lengths, of.pressure_direction, of.pressure_from_direction);
}
template <class Archive, is_or_is_const<hierarchical_ernest_parameters> Data>
void fields(Archive& archive, Data& of) {
    archive(of.covariance, of.nugget_variance);
}
template <class Archive, is_or_is_const<blend_component> Data>
void fields(Archive& archive, Data& of) {
    archive(of.expert, of.scale, of.deviation_sd, of.weight);
}
template <class Archive, is_or_is_const<curve_shape> Data>
void fields(Archive& archive, Data& of) {
    archive(of.ratio, of.exponent, of.residual_sd, of.weight);
}
template <class Archive, is_or_is_const<shape_prior> Data>
void fields(Archive& archive, Data& of) {
    archive(of.shapes, of.noise);
}
template <class Archive, is_or_is_const<blend_data> Data>
void fields(Archive& archive, Data& of) {
    archive(of.features, of.noise, of.history, of.context_hashes, of.process_contexts, of.growth, of.processes, of.ernest,
            of.components, of.seen_scale_outs, of.lowest_log_runtime, of.highest_log_runtime, of.curvature);
}

/// Far beyond what a fit gives, and near enough that no product of a few of them overflows.
[[nodiscard]] inline bool is_moderate(double value) noexcept { return value >= -1e9 && value <= 1e9; }
[[nodiscard]] inline bool is_moderate_and_positive(double value) noexcept { return value >= 1e-12 && value <= 1e9; }

[[nodiscard]] inline bool is_consistent(const scale_out_noise& noise) noexcept {
    return is_moderate(noise.log_scale_out) && is_moderate_and_positive(noise.pooled_variance) &&
           is_moderate_and_positive(noise.narrow_variance) && is_moderate_and_positive(noise.wide_variance) &&
           noise.straggler_probability > 0 && noise.straggler_probability < 1 && is_moderate(noise.straggler_delay);
}

[[nodiscard]] inline bool is_consistent(const feature_map& features) noexcept {
    if (features.columns.size() > most_stored_features) return false;
    for (const auto& each : features.known)
        if (!(each.variance >= 0 && each.variance <= 1e9)) return false;
    return std::all_of(features.columns.begin(), features.columns.end(), [](const feature_column& each) {
        // Logarithms of doubles lie within 745; of larger ones no memory pressure could be told.
        const double most = each.logarithm ? 750 : (std::numeric_limits<double>::max)();
        const auto limited = [&](double value) { return std::abs(value) <= most; };
        return each.source <= feature_source::category && limited(each.mean) && limited(each.lowest) &&
               limited(each.highest) && each.deviation > 0 && limited(each.deviation);
    });
}

[[nodiscard]] inline bool is_consistent(const growth_parameters& growth) noexcept {
    const auto multiple = [](double each) { return each >= 0 && each <= 1e100; };
    return std::all_of(growth.multiples.begin(), growth.multiples.end(), multiple) && is_moderate(growth.level) &&
           is_moderate(growth.lowest) && is_moderate(growth.highest) && growth.lowest <= growth.highest &&
           is_moderate(growth.cliff_low) && is_moderate(growth.cliff_high);
}

/// Whether every number is one and some shape has a weight.
[[nodiscard]] inline bool is_consistent(const shape_prior& prior) noexcept {
    const auto limited = [](double value, double most) { return value >= 0 && value <= most; };
    double sum = 0;
    for (const auto& each : prior.shapes) {
        if (!limited(each.ratio, 1e9) || !limited(each.exponent, 10) || !limited(each.residual_sd, 10) ||
            !(each.weight > 0 && each.weight <= 1))
            return false;
        sum += each.weight;
    }
    return prior.shapes.size() <= most_stored_shapes && sum > 0 && is_consistent(prior.noise);
}

/// Whether the parts fit each other and every number is one, so that conditioning cannot fail on them.
[[nodiscard]] inline bool is_consistent(const blend_data& data) {
    const auto moderate = [](std::span<const double> values) {
        return std::all_of(values.begin(), values.end(), is_moderate);
    };
    const auto positive = [](std::span<const double> values) {
        return std::all_of(values.begin(), values.end(), is_moderate_and_positive);
    };
    const auto& history = data.history;
    const std::size_t features = data.features.columns.size();
    if (history.contexts.empty() || history.points.empty() || history.points.size() > most_stored_points) return false;
    if (!is_consistent(data.features) || data.seen_scale_outs.empty() || data.components.empty()) return false;
    if (data.context_hashes.size() != history.contexts.size()) return false;
    // Unknown values are completed by those of the processes' contexts.
    if (data.process_contexts < 1 || data.process_contexts > history.contexts.size()) return false;
    std::size_t next = 0;
    for (std::size_t c = 0; c < history.contexts.size(); ++c) {
        const auto& each = history.contexts[c];
        if (each.features.size() != features || !moderate(each.features) ||
            !(std::isnan(each.pressure) || is_moderate(each.pressure)))
            return false;
        if (!(each.anomaly_variance >= 0 && each.anomaly_variance <= 1e9)) return false;
        if (each.first != next || each.count == 0 || each.count > history.points.size() - next) return false;
        for (std::size_t i = 0; i < each.count; ++i) {
            const auto& point = history.points[next + i];
            if (point.context != c || !(point.scale_out >= 1 && point.scale_out <= largest_scale_out)) return false;
            if (!is_moderate(point.log_runtime) || !is_moderate_and_positive(point.variance)) return false;
        }
        next += each.count;
        if (c < data.process_contexts && next > most_stored_process_points) return false;
    }
    if (next != history.points.size()) return false;
    if (!is_consistent(data.growth)) return false;
    for (const auto& each : data.noise.by_scale_out)
        if (!is_consistent(each)) return false;
    for (const auto& each : data.processes) {
        if (!each) continue;
        const std::array lengths{each->shape_length, each->joint_length, each->own_length, each->pressure_length};
        if (!positive(lengths) || !moderate(each->amplitude) || !moderate(std::array{each->mean, each->nugget}) ||
            !moderate(each->pressure_direction))
            return false;
        if (each->level_lengths.size() != features || each->joint_lengths.size() != features) return false;
        if (!each->pressure_direction.empty() && each->pressure_direction.size() != features) return false;
        if (!positive(each->level_lengths) || !positive(each->joint_lengths)) return false;
    }
    for (const auto& each : data.components)
        if (static_cast<std::size_t>(each.expert) >= expert_kinds || !is_moderate_and_positive(each.scale) ||
            !(each.deviation_sd >= 0 && each.deviation_sd <= 1e9) || !(each.weight >= 0 && each.weight <= 1))
            return false;
    return moderate(data.ernest.covariance) && is_moderate_and_positive(data.ernest.nugget_variance) &&
           data.curvature >= 0 && is_moderate(data.curvature) && is_moderate(data.lowest_log_runtime) &&
           is_moderate(data.highest_log_runtime) && data.lowest_log_runtime <= data.highest_log_runtime &&
           std::is_sorted(data.seen_scale_outs.begin(), data.seen_scale_outs.end()) && data.seen_scale_outs.front() >= 1;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
