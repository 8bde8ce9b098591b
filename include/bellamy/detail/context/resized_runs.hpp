// Runs of a context that differs from the one asked about in its data size alone, as they would be with the other size.
#ifndef BELLAMY_DETAIL_CONTEXT_RESIZED_RUNS_HPP
#define BELLAMY_DETAIL_CONTEXT_RESIZED_RUNS_HPP

#include <bellamy/run.hpp>

#include <cmath>
#include <limits>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Runtimes grow with the data size to this power, between sizes of one job: mean and standard deviation over seven jobs,
/// four of the C3O experiments (Will et al. 2020), three of the traces of Ellis.
inline constexpr double usual_size_exponent = 0.9;
inline constexpr double size_exponent_deviation = 0.3;

/// Runs whose runtimes were multiplied by one factor.
struct resized_runs {
    std::vector<run> runs{};
    /// Standard deviation of the factor's logarithm.
    double deviation = 0;
};

/// The context's data size; null where it has none.
[[nodiscard]] inline property* data_size_of(context& subject) noexcept {
    for (auto* list : {&subject.essential, &subject.optional})
        for (auto& each : *list)
            if (each.role == property_role::data_size) return &each;
    return nullptr;
}

/// NaN where it is no number.
[[nodiscard]] inline double logarithm_of_size(const property& size) noexcept {
    if (const auto* natural = std::get_if<std::uint64_t>(&size.value)) return std::log(static_cast<double>(*natural));
    if (const auto* quantity = std::get_if<double>(&size.value)) return std::log(*quantity);
    return std::numeric_limits<double>::quiet_NaN();
}

/// Those of the size that is nearest, none where no other context differs in its size alone.
[[nodiscard]] inline resized_runs resize_runs(std::span<const run> observed, context subject) {
    resized_runs made;
    property* const size = data_size_of(subject);
    if (size == nullptr) return made;
    const double asked = logarithm_of_size(*size);
    const property_value asked_value = size->value;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& each : observed) {
        auto other = each.context;
        property* const own = data_size_of(other);
        if (own == nullptr) continue;
        const double ratio = asked - logarithm_of_size(*own);
        // Also where a size is 0 or not known: there is no factor between them.
        if (!std::isfinite(ratio) || own->value == asked_value) continue;
        if (!(std::abs(ratio) < std::abs(nearest)) && ratio != nearest) continue;
        own->value = asked_value;
        if (!(other == subject)) continue;
        if (ratio != nearest) made.runs.clear();
        nearest = ratio;
        made.runs.push_back(each);
    }
    if (made.runs.empty()) return made;
    made.deviation = size_exponent_deviation * std::abs(nearest);
    for (auto& each : made.runs) each.runtime_s *= std::exp(usual_size_exponent * nearest);
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
