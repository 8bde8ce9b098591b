// The best mode's data as bytes: one list of fields serves writing and reading.
#ifndef BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP
#define BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP

#include <bellamy/detail/base/byte_io.hpp>
#include <bellamy/detail/base/utf8.hpp>
#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/shape_prior.hpp>

#include <concepts>
#include <limits>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Limits of what is read, so that a file cannot ask for hours; a fit stays below them.
inline constexpr std::size_t most_stored_points = 20000;
inline constexpr std::size_t most_stored_process_points = 1024;
inline constexpr std::size_t most_stored_features = 128;
inline constexpr std::size_t most_stored_shapes = 512;

/// Calls archive(field, ...) with the fields of a structure in the order in which they are stored.
template <class Archive, class Data>
void fields(Archive& archive, Data& of) {
    using structure = std::remove_const_t<Data>;
    if constexpr (std::is_same_v<structure, feature_column>) {
        archive(of.property, of.source, of.token, of.value, of.logarithm, of.mean, of.deviation, of.lowest, of.highest);
    } else if constexpr (std::is_same_v<structure, known_property>) {
        archive(of.property, of.numbers, of.values);
    } else if constexpr (std::is_same_v<structure, feature_map>) {
        archive(of.columns, of.known, of.data_size, of.memory_per_node, of.data_size_scales, of.pressure_mean);
    } else if constexpr (std::is_same_v<structure, scale_out_noise>) {
        archive(of.log_scale_out, of.pooled, of.narrow, of.wide, of.straggler, of.delay);
    } else if constexpr (std::is_same_v<structure, run_noise>) {
        archive(of.at);
    } else if constexpr (std::is_same_v<structure, history_context>) {
        archive(of.features, of.pressure, of.anomaly, of.first, of.count);
    } else if constexpr (std::is_same_v<structure, history_point>) {
        archive(of.context, of.scale_out, of.log_runtime, of.variance);
    } else if constexpr (std::is_same_v<structure, history_data>) {
        archive(of.contexts, of.points);
    } else if constexpr (std::is_same_v<structure, gaussian_process_parameters>) {
        archive(of.mean, of.amplitude, of.nugget, of.shape_length, of.joint_length, of.own_length, of.pressure_length,
                of.level_lengths, of.joint_lengths, of.pressure_direction, of.pressure_from_direction);
    } else if constexpr (std::is_same_v<structure, hierarchical_ernest_parameters>) {
        archive(of.deviation, of.nugget);
    } else if constexpr (std::is_same_v<structure, blend_component>) {
        archive(of.expert, of.scale, of.deviation, of.weight);
    } else if constexpr (std::is_same_v<structure, curve_shape>) {
        archive(of.ratio, of.exponent, of.deviation, of.weight);
    } else if constexpr (std::is_same_v<structure, shape_prior>) {
        archive(of.shapes, of.noise);
    } else {
        static_assert(std::is_same_v<structure, blend_data>);
        archive(of.features, of.noise, of.history, of.context_hashes, of.process_contexts, of.processes, of.ernest,
                of.components, of.seen_scale_outs, of.lowest_log_runtime, of.highest_log_runtime, of.bend);
    }
}

class blend_writer {
public:
    explicit blend_writer(byte_writer& out) noexcept : out_(out) {}

    template <class... Values>
    void operator()(const Values&... values) {
        (write(values), ...);
    }

private:
    void write(double value) { out_.number(value); }
    void write(const std::string& value) { out_.text(value); }
    template <class Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>) void write(Number value) {
        out_.number(static_cast<std::uint64_t>(value));
    }
    template <class Value, std::size_t Size>
    void write(const std::array<Value, Size>& values) {
        for (const auto& each : values) write(each);
    }
    template <class Value>
    void write(const std::vector<Value>& values) {
        out_.number(static_cast<std::uint64_t>(values.size()));
        for (const auto& each : values) write(each);
    }
    template <class Value>
    void write(const std::optional<Value>& value) {
        write(value.has_value());
        if (value) write(*value);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void write(const Structure& value) { fields(*this, value); }

    byte_writer& out_;
};

class blend_reader {
public:
    explicit blend_reader(byte_reader in) noexcept : in_(in) {}

    template <class... Values>
    void operator()(Values&... values) {
        (read(values), ...);
    }
    /// Everything was read, nothing is left, and every number was one of its kind.
    [[nodiscard]] bool finished() const noexcept { return good_ && in_.finished(); }

private:
    void read(double& value) { value = std::bit_cast<double>(in_.number<std::uint64_t>()); }
    void read(std::string& value) {
        value = in_.text(65536);
        good_ = good_ && is_utf8(value);
    }
    void read(bool& value) { value = integer(1) == 1; }
    void read(int& value) { value = static_cast<int>(integer(static_cast<std::uint64_t>(largest_scale_out))); }
    // Which of them std::size_t is depends on the machine.
    template <std::unsigned_integral Number>
    void read(Number& value) {
        value = static_cast<Number>(integer((std::numeric_limits<Number>::max)()));
    }
    void read(feature_source& value) { value = static_cast<feature_source>(integer(2)); }
    void read(expert_kind& value) { value = static_cast<expert_kind>(integer(expert_kinds - 1)); }
    template <class Value, std::size_t Size>
    void read(std::array<Value, Size>& values) {
        for (auto& each : values) read(each);
    }
    template <class Value>
    void read(std::vector<Value>& values) {
        // Every element takes eight bytes or more: a number of them that lies cannot make us allocate.
        const auto size = integer(in_.remaining() / 8);
        for (std::uint64_t i = 0; i < size && good_ && in_.good(); ++i) read(values.emplace_back());
    }
    template <class Value>
    void read(std::optional<Value>& value) {
        bool there = false;
        read(there);
        if (there) read(value.emplace());
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void read(Structure& value) { fields(*this, value); }

    [[nodiscard]] std::uint64_t integer(std::uint64_t largest) {
        const auto value = in_.number<std::uint64_t>();
        if (value > largest) good_ = false;
        return good_ ? value : 0;
    }

    byte_reader in_;
    bool good_ = true;
};

/// Far beyond what a fit gives, and near enough that no product of a few of them overflows.
[[nodiscard]] inline bool is_moderate(double value) noexcept { return value >= -1e9 && value <= 1e9; }
[[nodiscard]] inline bool is_moderate_and_positive(double value) noexcept { return value >= 1e-12 && value <= 1e9; }

[[nodiscard]] inline bool is_consistent(const scale_out_noise& noise) noexcept {
    return is_moderate(noise.log_scale_out) && is_moderate_and_positive(noise.pooled) &&
           is_moderate_and_positive(noise.narrow) && is_moderate_and_positive(noise.wide) && noise.straggler > 0 &&
           noise.straggler < 1 && is_moderate(noise.delay);
}

[[nodiscard]] inline bool is_consistent(const feature_map& features) noexcept {
    if (features.columns.size() > most_stored_features || !is_moderate(features.pressure_mean)) return false;
    return std::all_of(features.columns.begin(), features.columns.end(), [](const feature_column& each) {
        return std::isfinite(each.mean) && std::isfinite(each.lowest) && std::isfinite(each.highest) && each.deviation > 0 &&
               std::isfinite(each.deviation);
    });
}

/// Whether every number is one and some shape has a weight.
[[nodiscard]] inline bool is_consistent(const shape_prior& prior) noexcept {
    const auto limited = [](double value, double most) { return value >= 0 && value <= most; };
    double sum = 0;
    for (const auto& each : prior.shapes) {
        if (!limited(each.ratio, 1e9) || !limited(each.exponent, 10) || !limited(each.deviation, 10) ||
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
    if (data.context_hashes.size() != history.contexts.size() || data.process_contexts > history.contexts.size())
        return false;
    std::size_t next = 0;
    for (std::size_t c = 0; c < history.contexts.size(); ++c) {
        const auto& each = history.contexts[c];
        if (each.features.size() != features || !moderate(each.features) ||
            !(std::isnan(each.pressure) || is_moderate(each.pressure)))
            return false;
        if (!(each.anomaly >= 0 && each.anomaly <= 1e9)) return false;
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
    for (const auto& each : data.noise.at)
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
        if (!is_moderate_and_positive(each.scale) || !(each.deviation >= 0 && each.deviation <= 1e9) ||
            !(each.weight >= 0 && each.weight <= 1))
            return false;
    return moderate(data.ernest.deviation) && is_moderate_and_positive(data.ernest.nugget) && data.bend >= 0 &&
           is_moderate(data.bend) && is_moderate(data.lowest_log_runtime) && is_moderate(data.highest_log_runtime) &&
           data.lowest_log_runtime <= data.highest_log_runtime &&
           std::is_sorted(data.seen_scale_outs.begin(), data.seen_scale_outs.end()) && data.seen_scale_outs.front() >= 1;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
