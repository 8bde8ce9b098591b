// Fits the feature map to a history: which numbers distinguish its contexts, and their standardisation.
#ifndef BELLAMY_DETAIL_CONTEXT_FEATURES_FIT_HPP
#define BELLAMY_DETAIL_CONTEXT_FEATURES_FIT_HPP

#include <bellamy/detail/context/features.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

// All values of one property over the contexts of a history.
struct property_values {
    const property* first = nullptr;
    std::vector<const property*> values{};  // one per context that has it
    std::vector<double> counts{};           // points of that context
};

inline std::vector<property_values> gather_properties(const history_view& history, const std::vector<double>& points) {
    std::vector<property_values> all;
    std::map<std::string, size_t, std::less<>> numbers;
    const auto add = [&](const property& value, double count) {
        const auto [number, added] = numbers.try_emplace(value.name, all.size());
        if (added) all.push_back({.first = &value});
        all[number->second].values.push_back(&value);
        all[number->second].counts.push_back(count);
    };
    for (size_t c = 0; c < history.contexts.size(); ++c)
        for_each_property(*history.contexts[c], [&](const property& value) { add(value, points[c]); });
    return all;
}

// Columns of numbers of one property: one, or one per token.
inline void add_number_columns(std::vector<feature_column>& columns, const property_values& property, size_t numbers) {
    const bool tokens = property.first->kind() == property_kind::text;
    const auto number =
        property.first->role == property_role::cores_per_node ? feature_source::cores : feature_source::number;
    for (size_t t = 0; t < numbers; ++t) {
        feature_column column{.property = property.first->name,
                              .source = tokens ? feature_source::token : number,
                              .token = static_cast<std::uint32_t>(t)};
        column.logarithm = all_of(property.values, [&](const auto* value) { return all_numbers_of(*value)[t] > 0; });
        columns.push_back(std::move(column));
    }
}

// One-hot columns of the most frequent values of one property, in alphabetical order.
inline void add_category_columns(std::vector<feature_column>& columns, const property_values& property,
                                 const std::map<std::string, double>& counts) {
    std::vector<std::pair<double, const std::string*>> order;
    order.reserve(counts.size());
    for (const auto& [value, count] : counts) order.emplace_back(-count, &value);
    sort_stably(order, [](const auto& a, const auto& b) { return a.first < b.first; });
    if (order.size() > most_categories) order.resize(most_categories);
    sort(order, [](const auto& a, const auto& b) { return *a.second < *b.second; });
    for (const auto& [count, value] : order)
        columns.push_back(
            {.property = property.first->name, .source = feature_source::category, .value = *value, .logarithm = false});
}

// Mean, deviation and range over the points; false where the column is constant.
inline bool standardise(feature_column& column, const history_view& history, const std::vector<double>& points) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    column.lowest = infinite;
    column.highest = -column.lowest;
    std::vector<double> raw;
    for (size_t c = 0; c < history.contexts.size(); ++c) {
        const double value = raw_value(column, *history.contexts[c]);
        raw.push_back(value);
        if (!std::isfinite(value)) continue;
        count += points[c];
        sum += points[c] * value;
        column.lowest = (std::min)(column.lowest, value);
        column.highest = (std::max)(column.highest, value);
    }
    if (!(count > 0)) return false;
    column.mean = sum / count;
    for (size_t c = 0; c < raw.size(); ++c)
        if (std::isfinite(raw[c])) squares += points[c] * (raw[c] - column.mean) * (raw[c] - column.mean);
    column.deviation = std::sqrt(squares / count);
    return column.deviation > 1e-9 * (1 + std::abs(column.mean));
}

// Whether every context has this number, and it is positive.
inline bool is_known_everywhere(std::string_view name, const history_view& history) {
    return !name.empty() &&
           all_of(history.contexts, [&](const context* context) { return number_with_name(name, *context) > 0; });
}

// Least and largest number of this name over the contexts, all of which have it.
inline std::pair<double, double> range_over_contexts(std::string_view name, const history_view& history) {
    std::pair range(infinite, -infinite);
    for (const auto* context : history.contexts) {
        const double number = number_with_name(name, *context);
        range = {(std::min)(range.first, number), (std::max)(range.second, number)};
    }
    return range;
}

inline bool units_are_slots(const history_view& history) {
    return any_of(history.contexts, [](const context* context) {
        return context->unit == scale_out_unit::slot || context->unit == scale_out_unit::core;
    });
}

// Where cores are known everywhere and a unit of scale-out may have several, slots are what experts see. A data size of a
// unit grows with the units, whatever cores they have.
inline void count_slots(feature_map& map, std::string_view cores, const history_view& history) {
    if (units_are_slots(history) || map.data_size_scales || !is_known_everywhere(cores, history)) return;
    const auto [least, most] = range_over_contexts(cores, history);
    if (most > most_relative_cores * least) return;
    map.cores_per_node = cores;
    map.least_cores = least;
}

// Cores and the memory of a core say what a machine type is, where units are slots, or cores are known and vary, or memory
// does and nothing but clusters and sizes differs. The memory of a node would grow with its cores.
inline void describe_machines(feature_map& map, std::vector<feature_column>& columns, std::string_view machine_type,
                              const history_view& history, const std::vector<double>& points) {
    if (!is_known_everywhere(map.memory_per_node, history)) return;
    const bool cores_known = !map.cores_per_node.empty();
    const auto varies = [&](const std::string& number) {
        const auto [least, most] = range_over_contexts(number, history);
        return least < most;
    };
    const auto is_of_cluster = [&](feature_column column) {
        return map.is_of_cluster(column) || column.property == machine_type || !standardise(column, history, points);
    };
    const bool suffices = cores_known
                              ? varies(map.cores_per_node) || (varies(map.memory_per_node) && all_of(columns, is_of_cluster))
                              : units_are_slots(history) && !map.data_size_scales;
    if (!suffices) return;
    map.machine_type = machine_type;
    for (auto& column : columns) {
        if (!cores_known || column.property != map.memory_per_node) continue;
        column.source = feature_source::per_core;
        column.value = map.cores_per_node;
    }
}

/// Features of a machine type's name count for less by this factor where numbers say what the machine is.
inline constexpr double machine_name_scale = 10;
/// Of so few machine types, cores and memory would explain any differences, whether or not they cause them.
inline constexpr size_t most_confounded_machines = 3;

// Few names that several contexts share keep their part; where each has one context, it is the level of that.
inline double name_scale(const feature_map& map, const history_view& history) {
    const auto name = find_if(map.known, [&](const known_property& known) { return known.property == map.machine_type; });
    if (name == map.known.end()) return 1;
    const size_t machines = name->values.size();
    return machines <= most_confounded_machines && machines < history.contexts.size() ? 1 : machine_name_scale;
}

/// The feature map of a grouped history. Natural numbers and quantities become logarithms where all are positive; a text
/// becomes numbers where every value in the history is the same count of them, else categories. Constant columns are
/// dropped, but for the memory of a core.
inline feature_map make_feature_map(const history_view& history) {
    std::vector<double> points(history.contexts.size(), 0.0);
    for (const auto& configuration : history.configurations) points[configuration.context] += 1;
    feature_map map;
    std::string cores;
    std::string machine_type;
    std::vector<feature_column> candidates;
    for (const auto& property : gather_properties(history, points)) {
        known_property known{.property = property.first->name};
        size_t numbers = all_numbers_of(*property.first).size();
        for (const auto* value : property.values)
            if (all_numbers_of(*value).size() != numbers) numbers = 0;
        known.numbers_per_value = static_cast<std::uint32_t>(numbers);
        if (numbers > 0) {
            add_number_columns(candidates, property, numbers);
        } else {
            std::map<std::string, double> counts;
            for (size_t i = 0; i < property.values.size(); ++i)
                if (const auto* text = property.values[i]->value.text()) counts[*text] += property.counts[i];
            for (const auto& [value, count] : counts) known.values.push_back(value);
            add_category_columns(candidates, property, counts);
        }
        if (property.values.size() == history.contexts.size()) map.known.push_back(std::move(known));
        const auto has = [&](property_role role, bool is_text) {
            return property.first->role == role && (property.first->kind() == property_kind::text) == is_text;
        };
        if (has(property_role::data_size, false)) {
            map.data_size = property.first->name;
            map.data_size_scales = property.first->scales_with_scale_out;
        }
        if (has(property_role::memory_per_node, false)) map.memory_per_node = property.first->name;
        if (has(property_role::cores_per_node, false)) cores = property.first->name;
        if (has(property_role::machine_type, true)) machine_type = property.first->name;
    }
    count_slots(map, cores, history);
    describe_machines(map, candidates, machine_type, history, points);
    if (!map.data_size_scales && is_known_everywhere(map.data_size, history)) {
        const auto [least, largest] = range_over_contexts(map.data_size, history);
        if (least == largest) map.only_log_size = std::log(least);
    }
    for (auto& column : candidates) {
        if (map.columns.size() >= most_feature_columns) continue;
        if (!standardise(column, history, points)) {
            // A core's memory that never varied stays, so that a machine of another one is known to be different.
            if (map.machine_type.empty() || column.property != map.memory_per_node) continue;
            column.deviation = 1;
        }
        if (column.property == map.machine_type && column.source == feature_source::category)
            column.deviation *= name_scale(map, history);
        // Where nearly all runs are at one end of the range of data sizes, as if half of them were at each end: a size seen
        // once is not far from the others.
        const double half = 0.5 * (column.highest - column.lowest);
        if (column.property == map.data_size && std::abs(column.mean - column.lowest - half) > 0.8 * half)
            column.deviation = half;
        map.columns.push_back(std::move(column));
    }
    const auto has_pressure = [&](const context* context) {
        return std::isfinite(pressure_of(*context, map.data_size, map.memory_per_node));
    };
    // Both properties exist, but are positive together in no context.
    if (map.has_pressure() && !any_of(history.contexts, has_pressure)) map.data_size.clear();
    return map;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
