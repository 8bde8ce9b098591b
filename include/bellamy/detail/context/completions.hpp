// Imputation of a context's unknown values by those of the history's contexts.
#ifndef BELLAMY_DETAIL_CONTEXT_COMPLETIONS_HPP
#define BELLAMY_DETAIL_CONTEXT_COMPLETIONS_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/context/history.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One imputation of a context, and its probability: the part of the history's contexts that have these values.
struct completion {
    context_features features{};
    double probability = 1;
};

/// More completions are thinned to this many, because the cost of binding grows with them.
inline constexpr std::size_t most_completions = 8;

class context_completions {
public:
    /// Both must outlive this.
    context_completions(const feature_map& map, std::span<const history_context> contexts) noexcept
        : map_(map), contexts_(contexts) {}

    /// A single completion, the context itself, where all its values are known.
    [[nodiscard]] std::vector<completion> operator()(const context& target) const {
        completion known{.features = map_(target)};
        std::vector<std::size_t> unknown_columns;
        for (std::size_t i = 0; i < map_.columns.size(); ++i)
            if (is_unknown(target, map_.columns[i].property)) unknown_columns.push_back(i);
        const bool size_unknown = map_.has_pressure() && is_unknown(target, map_.data_size);
        const bool memory_unknown = map_.has_pressure() && is_unknown(target, map_.memory_per_node);
        if (unknown_columns.empty() && !size_unknown && !memory_unknown) return {std::move(known)};

        std::vector<completion> all;
        for (const auto& source : contexts_) {
            auto imputed = known;
            for (const std::size_t i : unknown_columns)
                imputed.features.values[i] = imputed.features.unlimited[i] = source.features[i];
            if (size_unknown || memory_unknown) {
                const double log_size = size_unknown ? log_size_of(source) : log_of_property(map_.data_size, target);
                const double log_memory =
                    memory_unknown ? log_memory_of(source) : log_of_property(map_.memory_per_node, target);
                imputed.features.pressure = std::isfinite(log_size - log_memory) ? log_size - log_memory : source.pressure;
            }
            const auto same =
                std::find_if(all.begin(), all.end(), [&](const auto& previous) { return same_numbers(previous, imputed); });
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
    [[nodiscard]] bool is_unknown(const context& target, std::string_view name) const noexcept {
        const auto* property = find_property(target, name);
        if (property != nullptr) return property->kind() == property_kind::unknown;
        return std::any_of(map_.known.begin(), map_.known.end(), [&](const auto& known) { return known.property == name; });
    }

    [[nodiscard]] static bool same_numbers(const completion& a, const completion& b) noexcept {
        const bool same_pressure = a.features.pressure == b.features.pressure ||
                                   (std::isnan(a.features.pressure) && std::isnan(b.features.pressure));
        return same_pressure && a.features.values == b.features.values;
    }

    // Logarithm of the target's own number; 0 where no property has this role: then it is the same everywhere.
    [[nodiscard]] static double log_of_property(std::string_view name, const context& target) noexcept {
        if (name.empty()) return 0;
        const auto* property = find_property(target, name);
        return property == nullptr ? std::numeric_limits<double>::quiet_NaN() : std::log(number_of(*property));
    }
    // Logarithm of a number of the history's context, from its standardised feature; NaN where it has no column, because it
    // is constant over the history. Then it follows from the pressure.
    [[nodiscard]] double log_of_feature(std::string_view name, const history_context& source) const noexcept {
        for (std::size_t i = 0; i < map_.columns.size(); ++i) {
            const auto& column = map_.columns[i];
            if (column.property == name && column.source == feature_source::number && column.logarithm)
                return column.mean + column.deviation * source.features[i];
        }
        return std::numeric_limits<double>::quiet_NaN();
    }
    [[nodiscard]] double log_size_of(const history_context& source) const noexcept {
        const double log_size = log_of_feature(map_.data_size, source);
        return std::isnan(log_size) ? log_of_feature(map_.memory_per_node, source) + source.pressure : log_size;
    }
    [[nodiscard]] double log_memory_of(const history_context& source) const noexcept {
        const double log_memory = log_of_feature(map_.memory_per_node, source);
        return std::isnan(log_memory) ? log_of_feature(map_.data_size, source) - source.pressure : log_memory;
    }

    // Completions evenly along one of the unknown numbers, both ends included; normalises the probabilities.
    template <class Number>
    [[nodiscard]] static std::vector<completion> thinned(std::vector<completion> all, const Number& number) {
        sort_stably(all, [&](const auto& a, const auto& b) { return number(a) < number(b); });
        std::vector<completion> kept;
        const std::size_t count = (std::min)(all.size(), most_completions);
        for (std::size_t i = 0; i < count; ++i)
            kept.push_back(std::move(all[count < 2 ? 0 : i * (all.size() - 1) / (count - 1)]));
        double sum = 0;
        for (const auto& completion : kept) sum += completion.probability;
        for (auto& completion : kept) completion.probability /= sum;
        return kept;
    }

    const feature_map& map_;
    std::span<const history_context> contexts_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
