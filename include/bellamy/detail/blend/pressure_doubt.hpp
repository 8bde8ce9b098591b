// Uncertainty of the pressure of a context with an unseen text, for which no direction was learned.
#ifndef BELLAMY_DETAIL_BLEND_PRESSURE_DOUBT_HPP
#define BELLAMY_DETAIL_BLEND_PRESSURE_DOUBT_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>

#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A difference from the computed pressure, and its probability.
struct pressure_hypothesis {
    double shift = 0;
    double share = 1;
};

/// Standard deviation of a context's pressure given the history's most similar context: where no context differs in a
/// feature, the direction has its prior.
[[nodiscard]] inline double pressure_doubt(std::span<const history_context> contexts,
                                           std::span<const double> features) noexcept {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& each : contexts) {
        double squares = 0;
        for (std::size_t f = 0; f < features.size(); ++f)
            squares += (features[f] - each.features[f]) * (features[f] - each.features[f]);
        least = (std::min)(least, squares);
    }
    return std::isfinite(least) ? std::sqrt(least / direction_precision) : 0.0;
}

/// That normal distribution as five values; the computed pressure alone where there is no doubt.
[[nodiscard]] inline std::vector<pressure_hypothesis> pressure_hypotheses(double doubt) {
    if (!(doubt > 0)) return {{}};
    std::vector<pressure_hypothesis> made;
    double sum = 0;
    for (const double deviate : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        made.push_back({.shift = deviate * doubt, .share = std::exp(-0.5 * deviate * deviate)});
        sum += made.back().share;
    }
    for (auto& each : made) each.share /= sum;
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
