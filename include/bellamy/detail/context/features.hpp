// Features of a context: its properties as standardised numbers, its memory pressure, and imputation of unknown values.
#ifndef BELLAMY_DETAIL_CONTEXT_FEATURES_HPP
#define BELLAMY_DETAIL_CONTEXT_FEATURES_HPP

#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/detail/context/history.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// How a feature is read from a property.
enum class feature_source : std::uint8_t {
    number = 0,    ///< a natural number or quantity, of one unit of scale-out where it scales
    token = 1,     ///< the `token`-th blank-separated number of a text
    category = 2,  ///< 1 where the text is `value`, else 0
    per_core = 3,  ///< a natural number or quantity over the cores of a unit, the property `value`
    cores = 4      ///< a number with the role of a node's cores
};

struct feature_column {
    std::string property{};
    feature_source source = feature_source::number;
    std::uint32_t token = 0;
    std::string value{};
    bool logarithm = false;
    /// Standardisation over the points (contexts x scale-outs) of the history.
    double mean = 0;
    double deviation = 1;
    double lowest = 0;
    double highest = 0;
};

/// A property of the history, with the values that it has there.
struct known_property {
    std::string property{};
    /// How many numbers each value consists of, for numbers and texts of numbers; 0 for any other text.
    std::uint32_t numbers_per_value = 0;
    /// Where `numbers_per_value` is 0: the texts of the history, sorted; columns may exist for only some of them.
    std::vector<std::string> values{};
    /// Variance of the log-runtime between values; added for a value that is not in the history.
    double variance = 0;
};

/// Of ln(data size), a factor of two and room for rounding. Sizes that are no farther from those seen are like them: a
/// narrow range does not say that no other size can come.
inline constexpr double far_log_size = 0.7;

/// The features of one context.
struct context_features {
    /// Standardised and winsorised at ten standard deviations; 0 (the mean) where unknown.
    std::vector<double> values{};
    /// Standardised but not winsorised: a trend of the data size must extrapolate where sizes hardly differed.
    std::vector<double> unclamped{};
    /// ln(data size) - ln(memory of a unit of the scale-out that experts see); NaN where one of them is not known.
    double pressure = not_a_number;
    /// A text has a value that is not in the history, and is not a machine type that numbers describe. Fitted models
    /// extrapolate to other numbers, but not to another text.
    bool unseen_text = false;
    /// Variance of the log-runtime between values of such texts.
    double unseen_variance = 0;
    /// `unseen_text`, or a number lies far outside the range of the history.
    bool unlike_any_seen = false;
    /// The data size lies outside the range of the history, however little.
    bool outside_seen_sizes = false;
    /// Cores of a unit of scale-out over those of the history's smallest; 1 where cores are not known everywhere.
    double relative_cores = 1;
    /// ln(data size) less that of the history, where that has only one.
    double log_size_ratio = 0;
};

inline constexpr size_t most_categories = 24;
inline constexpr size_t most_feature_columns = 64;
/// Cores of the largest machine over those of the smallest; beyond, they count something else and are one number of many.
inline constexpr double most_relative_cores = 1000;

/// Maps contexts to features; fitted to a history by `make_feature_map`.
struct feature_map {
    std::vector<feature_column> columns{};
    std::vector<known_property> known{};
    /// Names of the properties with these roles; empty where the history has none. Without a size there is no pressure;
    /// without a memory it is taken to be the same everywhere.
    std::string data_size{};
    std::string memory_per_node{};
    /// The data size is that of one unit of scale-out.
    bool data_size_scales = false;
    /// Name of the property with this role, where every context of the history has it, and the least cores there. Then the
    /// scale-out that experts see counts slots in units of `least_cores`: eight nodes of two cores are four of four.
    std::string cores_per_node{};
    double least_cores = 1;
    /// Name of the text property with this role, where every context of the history has the memory of its cores as a number.
    std::string machine_type{};
    /// Logarithm of the only data size of the history; NaN where sizes differ or are not known.
    double only_log_size = not_a_number;

    bool has_pressure() const noexcept { return !data_size.empty(); }
    /// Slope of the pressure over ln(scale-out): memory grows with the scale-out, and so do data whose size is per unit.
    double pressure_slope() const noexcept { return data_size_scales ? 0.0 : -1.0; }

    /// Cores of a unit relative to `least_cores`; 1 where a context of the history, or this one, has none.
    double relative_cores(double cores) const noexcept {
        return !cores_per_node.empty() && cores > 0 && std::isfinite(cores) ? cores / least_cores : 1;
    }

    /// ln(units of memory) of a node with these relative cores: without a memory, that of a core is the same everywhere.
    double log_units_of_memory(double relative) const noexcept { return memory_per_node.empty() ? 0 : std::log(relative); }

    /// Whether it tells of a cluster or of the data size.
    bool is_of_cluster(const feature_column& column) const noexcept {
        return column.property == data_size || column.source == feature_source::cores ||
               column.property == memory_per_node || column.property == machine_type;
    }

    /// Whether contexts differ in nothing but machines and data sizes.
    bool are_of_clusters() const noexcept {
        return all_of(columns, [&](const feature_column& column) { return is_of_cluster(column); });
    }

    context_features operator()(const context& target) const;
};

inline const property* find_property(const context& in, std::string_view name) noexcept {
    return find_property_if(in, [&](const property& each) { return each.name == name; });
}

/// Number of the property with this name; NaN where the context has none.
inline double number_with_name(std::string_view name, const context& target) noexcept {
    const auto* property = find_property(target, name);
    return property == nullptr ? not_a_number : property->value.number();
}

/// The blank-separated numbers of a text; none where any of its tokens is not a finite number.
inline std::vector<double> numbers_of(std::string_view words) {
    std::vector<double> numbers;
    size_t begin = 0;
    while ((begin = words.find_first_not_of(" \t", begin)) != std::string_view::npos) {
        const size_t end = (std::min)(words.find_first_of(" \t", begin), words.size());
        const auto value = decimal_of(words.substr(begin, end - begin));
        if (!value) return {};
        numbers.push_back(*value);
        begin = end;
    }
    return numbers;
}

/// The numbers of any property: its value, or those of its text.
inline std::vector<double> all_numbers_of(const property& source) {
    if (const auto* words = source.value.text()) return numbers_of(*words);
    return {source.value.number()};
}

/// Logarithm of the property with this name; 0 where no property has its role: then it is the same everywhere. NaN where it
/// is missing, unknown or 0.
inline double log_of_property(std::string_view name, const context& target) noexcept {
    if (name.empty()) return 0;
    const double value = number_with_name(name, target);
    return value > 0 ? std::log(value) : not_a_number;
}

/// Memory pressure: ln(data size) - ln(memory per node). Precondition: a property has the role of a data size.
inline double pressure_of(const context& target, std::string_view size, std::string_view memory) noexcept {
    return log_of_property(size, target) - log_of_property(memory, target);
}

// The feature before standardising; NaN where the context does not have it. The logarithm of 0 is minus infinity.
inline double raw_value(const feature_column& column, const context& target) {
    const auto* property = find_property(target, column.property);
    if (property == nullptr) return not_a_number;
    const auto* words = property->value.text();
    if (column.source == feature_source::category)
        return words == nullptr ? not_a_number : *words == column.value ? 1.0 : 0.0;
    double value = property->value.number();
    if (column.source == feature_source::per_core) value /= number_with_name(column.value, target);
    if (column.source == feature_source::token) {
        const auto numbers = words == nullptr ? std::vector<double>() : numbers_of(*words);
        if (column.token >= numbers.size()) return not_a_number;
        value = numbers[column.token];
    }
    if (!column.logarithm) return value;
    return value >= 0 ? std::log(value) : not_a_number;
}

/// Whether the context's value of this property is not in the history. Unknown values are not: `context_completions`
/// imputes them.
inline bool is_unseen(const known_property& known, const context& target) {
    const auto* property = find_property(target, known.property);
    if (property == nullptr || property->kind() == property_kind::unknown) return false;
    if (known.numbers_per_value > 0) return all_numbers_of(*property).size() != known.numbers_per_value;
    const auto* words = property->value.text();
    return words == nullptr || !std::binary_search(known.values.begin(), known.values.end(), *words);
}

inline context_features feature_map::operator()(const context& target) const {
    context_features features;
    features.values.reserve(columns.size());
    features.unclamped.reserve(columns.size());
    // For a text that is not in the history, all categories are at their mean.
    std::vector<std::string_view> unseen_names;
    for (const auto& property : known)
        if (is_unseen(property, target)) {
            unseen_names.push_back(property.property);
            features.unseen_variance += property.variance;
        }
    features.unlike_any_seen = !unseen_names.empty();
    const auto is_unseen_name = [&](std::string_view name) { return contains(unseen_names, name); };
    features.unseen_text = any_of(unseen_names, [&](auto name) { return name != machine_type; });
    for (const auto& column : columns) {
        const bool is_masked = is_unseen_name(column.property);
        const double raw = is_masked ? not_a_number : raw_value(column, target);
        if (std::isnan(raw)) {
            features.values.push_back(0);
            features.unclamped.push_back(0);
            continue;
        }
        const bool is_log_size = column.property == data_size && column.logarithm;
        const double slack =
            (std::max)(0.5 * (column.highest - column.lowest), is_log_size ? far_log_size : 1e-9 * std::abs(column.mean));
        if (raw < column.lowest - slack || raw > column.highest + slack) {
            features.unlike_any_seen = true;
            // Cores and memory say what another machine type is, unless its memory is unlike that of all others.
            if (column.property == memory_per_node && is_unseen_name(machine_type)) features.unseen_text = true;
        }
        if (column.property == data_size && (raw < column.lowest || raw > column.highest))
            features.outside_seen_sizes = true;
        features.unclamped.push_back((raw - column.mean) / column.deviation);
        features.values.push_back(std::clamp(features.unclamped.back(), -10.0, 10.0));
    }
    features.relative_cores = relative_cores(number_with_name(cores_per_node, target));
    if (has_pressure())
        features.pressure = pressure_of(target, data_size, memory_per_node) + log_units_of_memory(features.relative_cores);
    if (std::isfinite(only_log_size)) {
        const double log_ratio = std::log(number_with_name(data_size, target)) - only_log_size;
        if (std::isfinite(log_ratio)) features.log_size_ratio = log_ratio;
        features.outside_seen_sizes = std::abs(log_ratio) > 0;  // not of an unknown size
        features.unlike_any_seen |= std::abs(log_ratio) > far_log_size;
    }
    return features;
}

/// One imputation of a context, and its probability: the part of the history's contexts that have these values.
struct completion {
    context_features features{};
    double probability = 1;
};

/// More completions are thinned to this many, because the cost of binding grows with them.
inline constexpr size_t most_completions = 8;

class context_completions {
public:
    /// Both must outlive this.
    context_completions(const feature_map& map, std::span<const history_context> contexts) noexcept
        : map_(map), contexts_(contexts) {}

    /// A single completion, the context itself, where all its values are known.
    std::vector<completion> operator()(const context& target) const {
        completion known{.features = map_(target)};
        const bool cores_unknown = !map_.cores_per_node.empty() && is_unknown(target, map_.cores_per_node);
        std::vector<size_t> unknown_columns;
        for (size_t i = 0; i < map_.columns.size(); ++i) {
            const bool by_cores = cores_unknown && map_.columns[i].source == feature_source::per_core;
            if (by_cores || is_unknown(target, map_.columns[i].property)) unknown_columns.push_back(i);
        }
        const bool size_unknown = map_.has_pressure() && is_unknown(target, map_.data_size);
        const bool memory_unknown = map_.has_pressure() && (cores_unknown || is_unknown(target, map_.memory_per_node));
        if (unknown_columns.empty() && !size_unknown && !memory_unknown) return {std::move(known)};

        std::vector<completion> all;
        for (const auto& source : contexts_) {
            auto imputed = known;
            for (const size_t i : unknown_columns)
                imputed.features.values[i] = imputed.features.unclamped[i] = source.features[i];
            if (cores_unknown) {
                const double log_cores = log_of_feature(map_.cores_per_node, source);
                imputed.features.relative_cores = std::isnan(log_cores) ? 1 : map_.relative_cores(std::exp(log_cores));
            }
            if (size_unknown || memory_unknown) {
                const double log_size = size_unknown ? log_size_of(source) : log_of_property(map_.data_size, target);
                const double log_memory = memory_unknown ? log_memory_of(source)
                                                         : log_of_property(map_.memory_per_node, target) -
                                                               map_.log_units_of_memory(imputed.features.relative_cores);
                imputed.features.pressure = std::isfinite(log_size - log_memory) ? log_size - log_memory : source.pressure;
            }
            const auto same = find_if(all, [&](const auto& previous) { return same_numbers(previous, imputed); });
            if (same == all.end()) {
                all.push_back(std::move(imputed));
            } else {
                same->probability += 1;
            }
        }
        return thinned(std::move(all), [&](const completion& imputed) {
            return unknown_columns.empty() ? imputed.features.pressure : imputed.features.values[unknown_columns.front()];
        });
    }

private:
    // A property that the history has and this context lacks is unknown too.
    bool is_unknown(const context& target, std::string_view name) const noexcept {
        const auto* property = find_property(target, name);
        if (property != nullptr) return property->kind() == property_kind::unknown;
        return any_of(map_.known, [&](const auto& known) { return known.property == name; });
    }

    static bool same_numbers(const completion& a, const completion& b) noexcept {
        const bool same_pressure = a.features.pressure == b.features.pressure ||
                                   (std::isnan(a.features.pressure) && std::isnan(b.features.pressure));
        return same_pressure && a.features.values == b.features.values;
    }

    // Logarithm of a number of the history's context, of one unit of the scale-out that experts see, from its standardised
    // feature; NaN where it has no column, because it is constant over the history. Then it follows from the pressure.
    double log_of_feature(std::string_view name, const history_context& source) const noexcept {
        for (size_t i = 0; i < map_.columns.size(); ++i) {
            const auto& column = map_.columns[i];
            if (column.property == name && column.logarithm)
                return column.mean + column.deviation * source.features[i] +
                       (column.source == feature_source::per_core ? std::log(map_.least_cores) : 0.0);
        }
        return not_a_number;
    }
    // A size that is the same in all of the history has no column.
    double log_size_of(const history_context& source) const noexcept {
        const double log_size = log_of_feature(map_.data_size, source);
        return std::isnan(log_size) ? log_of_feature(map_.memory_per_node, source) + source.pressure : log_size;
    }
    double log_memory_of(const history_context& source) const noexcept {
        const double log_memory = log_of_feature(map_.memory_per_node, source);
        return std::isnan(log_memory) ? log_of_feature(map_.data_size, source) - source.pressure : log_memory;
    }

    // Completions evenly along one of the unknown numbers, both ends included; normalises the probabilities.
    static std::vector<completion> thinned(std::vector<completion> all, const auto& number) {
        sort_stably(all, [&](const auto& a, const auto& b) { return number(a) < number(b); });
        std::vector<completion> kept;
        const size_t count = (std::min)(all.size(), most_completions);
        for (size_t i = 0; i < count; ++i)
            kept.push_back(std::move(all[count < 2 ? 0 : i * (all.size() - 1) / (count - 1)]));
        const double sum = sum_of(values_of(kept, &completion::probability));
        for (auto& completion : kept) completion.probability /= sum;
        return kept;
    }

    const feature_map& map_;
    std::span<const history_context> contexts_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
