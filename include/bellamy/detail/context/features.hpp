// A context as numbers that the experts compare: standardised features and the memory pressure.
#ifndef BELLAMY_DETAIL_CONTEXT_FEATURES_HPP
#define BELLAMY_DETAIL_CONTEXT_FEATURES_HPP

#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One number per context.
enum class feature_source : std::uint8_t {
    number = 0,   ///< a natural number or quantity, of one unit of scale-out where it scales
    token = 1,    ///< the `token`-th blank-separated number of a text
    category = 2  ///< 1 where the text is `value`, else 0
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

/// A property of the history, and its values there: another value is unlike any seen.
struct known_property {
    std::string property{};
    /// Numbers (or texts of numbers): how many each value consists of. 0: text of any other kind.
    std::uint32_t numbers = 0;
    /// The texts seen, sorted, where `numbers` is 0; the columns may stand for fewer.
    std::vector<std::string> values{};
    /// Variance of the log-runtime between values, for one never seen.
    double variance = 0;
};

/// A context as the experts see it.
struct context_features {
    /// Standardised and winsorised at ten standard deviations; 0 (the mean) where unknown.
    std::vector<double> values{};
    /// The same as they are: a trend of the data size goes on where sizes hardly differed.
    std::vector<double> unlimited{};
    /// ln(data size) - ln(memory per node); NaN where one of them is not known.
    double pressure = std::numeric_limits<double>::quiet_NaN();
    /// A text has a value never seen. What was learned of experts and pressures extends to other numbers, but not to that.
    bool unseen_text = false;
    /// Variance of the log-runtime between such values.
    double unseen_variance = 0;
    /// That, or a number lies far outside the ones seen.
    bool unlike_any_seen = false;
    /// The data size lies outside those seen, however little.
    bool outside_seen_sizes = false;
};

inline constexpr std::size_t most_categories = 24;
inline constexpr std::size_t most_feature_columns = 64;

/// From contexts to features; plain data, made by `make_feature_map`.
struct feature_map {
    std::vector<feature_column> columns{};
    std::vector<known_property> known{};
    /// Names of the properties with these roles; empty where the history has none. Without a size there is no pressure;
    /// without a memory it is taken to be the same everywhere.
    std::string data_size{};
    std::string memory_per_node{};
    /// The data size is that of one unit of scale-out.
    bool data_size_scales = false;

    [[nodiscard]] bool has_pressure() const noexcept { return !data_size.empty(); }
    /// Change of the pressure with ln(scale-out): memory grows with it, and so do data whose size is per unit.
    [[nodiscard]] double pressure_slope() const noexcept { return data_size_scales ? 0.0 : -1.0; }

    [[nodiscard]] context_features operator()(const context& subject) const;
};

[[nodiscard]] inline const property* find_property(const context& in, std::string_view name) noexcept {
    for (const auto& each : in.essential)
        if (each.name == name) return &each;
    for (const auto& each : in.optional)
        if (each.name == name) return &each;
    return nullptr;
}

/// Value of a natural number or quantity.
[[nodiscard]] inline double number_of(const property& subject) noexcept {
    if (const auto* natural = std::get_if<std::uint64_t>(&subject.value)) return static_cast<double>(*natural);
    if (const auto* real = std::get_if<double>(&subject.value)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
}

/// The blank-separated numbers of a text; empty where one of its tokens is not a finite number, or where it has none.
[[nodiscard]] inline std::vector<double> numbers_of(std::string_view words) {
    std::vector<double> numbers;
    std::size_t at = 0;
    while (true) {
        at = words.find_first_not_of(" \t", at);
        if (at == std::string_view::npos) return numbers;
        const std::size_t end = (std::min)(words.find_first_of(" \t", at), words.size());
        const auto value = decimal_of(words.substr(at, end - at));
        if (!value) return {};
        numbers.push_back(*value);
        at = end;
    }
}

/// The numbers of any property: its value, or those of its text.
[[nodiscard]] inline std::vector<double> all_numbers_of(const property& subject) {
    if (const auto* words = std::get_if<std::string>(&subject.value)) return numbers_of(*words);
    return {number_of(subject)};
}

// ln(data size) - ln(memory per node), or ln(data size) where no property has that memory.
[[nodiscard]] inline double pressure_of(const context& subject, std::string_view size, std::string_view memory) noexcept {
    const auto logarithm = [&](std::string_view name) {
        const auto* found = find_property(subject, name);
        const double value = found == nullptr ? 0 : number_of(*found);
        return value > 0 ? std::log(value) : std::numeric_limits<double>::quiet_NaN();
    };
    return logarithm(size) - (memory.empty() ? 0.0 : logarithm(memory));
}

// The column's number before standardising; NaN where the context does not have it. The logarithm of 0 lies below any seen.
[[nodiscard]] inline double raw_value(const feature_column& column, const context& subject) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const auto* found = find_property(subject, column.property);
    if (found == nullptr) return unknown;
    double value = unknown;
    if (column.source == feature_source::category) {
        const auto* words = std::get_if<std::string>(&found->value);
        return words == nullptr ? unknown : *words == column.value ? 1.0 : 0.0;
    }
    if (column.source == feature_source::token) {
        const auto* words = std::get_if<std::string>(&found->value);
        if (words == nullptr) return unknown;
        const auto numbers = numbers_of(*words);
        if (column.token >= numbers.size()) return unknown;
        value = numbers[column.token];
    } else {
        value = number_of(*found);
    }
    if (!column.logarithm) return value;
    return value >= 0 ? std::log(value) : unknown;
}

/// Whether the context has a value of this property that the history has not. Unknown ones are not: see
/// `context_completions`.
[[nodiscard]] inline bool is_unseen(const known_property& known, const context& subject) {
    const auto* found = find_property(subject, known.property);
    if (found == nullptr || found->kind() == property_kind::unknown) return false;
    if (known.numbers > 0) return all_numbers_of(*found).size() != known.numbers;
    const auto* words = std::get_if<std::string>(&found->value);
    return words == nullptr || !std::binary_search(known.values.begin(), known.values.end(), *words);
}

inline context_features feature_map::operator()(const context& subject) const {
    context_features made;
    made.values.reserve(columns.size());
    made.unlimited.reserve(columns.size());
    // For a text never seen all categories are at their mean.
    std::vector<std::string_view> strange;
    for (const auto& each : known)
        if (is_unseen(each, subject)) {
            strange.push_back(each.property);
            made.unseen_variance += each.variance;
        }
    made.unseen_text = !strange.empty();
    made.unlike_any_seen = made.unseen_text;
    for (const auto& column : columns) {
        const bool blind = std::find(strange.begin(), strange.end(), column.property) != strange.end();
        const double raw = blind ? std::numeric_limits<double>::quiet_NaN() : raw_value(column, subject);
        if (std::isnan(raw)) {
            made.values.push_back(0);
            made.unlimited.push_back(0);
            continue;
        }
        const double slack = 0.5 * (column.highest - column.lowest);
        if (raw < column.lowest - slack || raw > column.highest + slack) made.unlike_any_seen = true;
        if (column.property == data_size && (raw < column.lowest || raw > column.highest)) made.outside_seen_sizes = true;
        made.unlimited.push_back((raw - column.mean) / column.deviation);
        made.values.push_back(std::clamp(made.unlimited.back(), -10.0, 10.0));
    }
    if (has_pressure()) made.pressure = pressure_of(subject, data_size, memory_per_node);
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
