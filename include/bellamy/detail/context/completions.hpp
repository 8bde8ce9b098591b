// Imputes the unknown values of a context by those of the history's contexts.
#ifndef BELLAMY_DETAIL_CONTEXT_COMPLETIONS_HPP
#define BELLAMY_DETAIL_CONTEXT_COMPLETIONS_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/context/history.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One imputation, and its share of the history's contexts; shares sum to 1.
struct completion {
    context_features features{};
    double share = 1;
};

/// More are thinned to this many, because the cost of binding grows with them.
inline constexpr std::size_t most_completions = 8;

class context_completions {
public:
    /// Refers to both; they must outlive it.
    context_completions(const feature_map& map, std::span<const history_context> contexts) noexcept
        : map_(map), contexts_(contexts) {}

    /// One completion, the context itself, where everything is known.
    [[nodiscard]] std::vector<completion> operator()(const context& subject) const {
        completion known{.features = map_(subject)};
        std::vector<std::size_t> blanks;
        for (std::size_t i = 0; i < map_.columns.size(); ++i)
            if (is_unknown(subject, map_.columns[i].property)) blanks.push_back(i);
        const bool size_unknown = map_.has_pressure() && is_unknown(subject, map_.data_size);
        const bool memory_unknown = map_.has_pressure() && is_unknown(subject, map_.memory_per_node);
        if (blanks.empty() && !size_unknown && !memory_unknown) return {std::move(known)};

        std::vector<completion> all;
        for (const auto& each : contexts_) {
            auto one = known;
            for (const std::size_t i : blanks) one.features.values[i] = one.features.unlimited[i] = each.features[i];
            if (size_unknown || memory_unknown) {
                const double size = size_unknown ? size_of(each) : own_logarithm(map_.data_size, subject);
                const double memory = memory_unknown ? memory_of(each) : own_logarithm(map_.memory_per_node, subject);
                one.features.pressure = std::isfinite(size - memory) ? size - memory : each.pressure;
            }
            const auto same =
                std::find_if(all.begin(), all.end(), [&](const auto& other) { return same_numbers(other, one); });
            if (same == all.end()) {
                all.push_back(std::move(one));
            } else {
                same->share += 1;
            }
        }
        return thinned(std::move(all), [&](const completion& one) {
            return blanks.empty() ? one.features.pressure : one.features.values[blanks.front()];
        });
    }

private:
    // A property that every context of the history has and this one lacks is unknown too.
    [[nodiscard]] bool is_unknown(const context& subject, std::string_view name) const noexcept {
        const auto* found = find_property(subject, name);
        if (found != nullptr) return found->kind() == property_kind::unknown;
        return std::any_of(map_.known.begin(), map_.known.end(), [&](const auto& each) { return each.property == name; });
    }

    [[nodiscard]] static bool same_numbers(const completion& a, const completion& b) noexcept {
        const bool same_pressure = a.features.pressure == b.features.pressure ||
                                   (std::isnan(a.features.pressure) && std::isnan(b.features.pressure));
        return same_pressure && a.features.values == b.features.values;
    }

    // 0 where the history names no such property: then it is the same everywhere.
    [[nodiscard]] static double own_logarithm(std::string_view name, const context& subject) noexcept {
        if (name.empty()) return 0;
        const auto* found = find_property(subject, name);
        return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : std::log(number_of(*found));
    }
    // ln of a number of the history's context; NaN where it is constant over the history and so has no column. Then it
    // follows from the pressure.
    [[nodiscard]] double logarithm_of(std::string_view name, const history_context& of) const noexcept {
        for (std::size_t i = 0; i < map_.columns.size(); ++i) {
            const auto& column = map_.columns[i];
            if (column.property == name && column.source == feature_source::number && column.logarithm)
                return column.mean + column.deviation * of.features[i];
        }
        return std::numeric_limits<double>::quiet_NaN();
    }
    [[nodiscard]] double size_of(const history_context& of) const noexcept {
        const double size = logarithm_of(map_.data_size, of);
        return std::isnan(size) ? logarithm_of(map_.memory_per_node, of) + of.pressure : size;
    }
    [[nodiscard]] double memory_of(const history_context& of) const noexcept {
        const double memory = logarithm_of(map_.memory_per_node, of);
        return std::isnan(memory) ? logarithm_of(map_.data_size, of) - of.pressure : memory;
    }

    // Evenly along one of the unknown numbers, both ends included.
    template <class Number>
    [[nodiscard]] static std::vector<completion> thinned(std::vector<completion> all, const Number& number) {
        sort_stably(all, [&](const auto& a, const auto& b) { return number(a) < number(b); });
        std::vector<completion> kept;
        const std::size_t count = (std::min)(all.size(), most_completions);
        for (std::size_t i = 0; i < count; ++i)
            kept.push_back(std::move(all[count < 2 ? 0 : i * (all.size() - 1) / (count - 1)]));
        double sum = 0;
        for (const auto& each : kept) sum += each.share;
        for (auto& each : kept) each.share /= sum;
        return kept;
    }

    const feature_map& map_;
    std::span<const history_context> contexts_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
