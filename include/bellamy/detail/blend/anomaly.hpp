// Finds contexts of a history that neither features nor other contexts explain, so that they mislead no prediction.
#ifndef BELLAMY_DETAIL_BLEND_ANOMALY_HPP
#define BELLAMY_DETAIL_BLEND_ANOMALY_HPP

#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/expert_weights_fit.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior log-odds against a context being anomalous (55:1).
inline constexpr double anomaly_log_odds = 4;

/// Candidate standard deviations of an anomaly.
inline constexpr std::array<double, 6> anomaly_deviations{0.04, 0.08, 0.16, 0.32, 0.64, 1.28};

/// Sets each context's anomaly: the candidate of the highest likelihood of its points given all other contexts', where that
/// beats none by more than the log-odds, else 0 (spike and slab prior: Mitchell, Beauchamp 1988). Greedy from the worst
/// context, because an anomaly makes its neighbours look anomalous; at most a quarter of the contexts. True where there is
/// any. Cost: n^3 operations for n points, once more than there are anomalies.
inline bool find_anomalies(history_data& history, double pressure_slope, process_objective objective,
                           const gaussian_process_parameters& parameters) {
    for (auto& each : history.contexts) each.anomaly_variance = 0;
    process_fit process(history, pressure_slope, objective);
    bool any = false;
    for (std::size_t left = history.contexts.size() / 4; left > 0; --left) {
        const auto answers = process.without_each(parameters);
        if (answers.empty()) break;
        history_context* worst = nullptr;
        double most = anomaly_log_odds;
        double variance = 0;
        for (auto& own : history.contexts) {
            if (own.anomaly_variance > 0) continue;
            const auto& answer = answers[static_cast<std::size_t>(&own - history.contexts.data())];
            const double usual = log_density_of_points(history, own, {}, answer);
            const auto log_scale_outs = history.log_scale_outs_of(own);
            for (const double deviation : anomaly_deviations) {
                auto wider = answer;
                for (std::size_t i = 0; i < own.count; ++i)
                    for (std::size_t j = 0; j < own.count; ++j)
                        wider.covariance(i, j) +=
                            deviation * deviation * anomaly_covariance(log_scale_outs[i], log_scale_outs[j]);
                const double gain = log_density_of_points(history, own, {}, wider) - usual;
                if (gain <= most) continue;
                worst = &own;
                most = gain;
                variance = deviation * deviation;
            }
        }
        if (worst == nullptr) break;
        worst->anomaly_variance = variance;
        any = true;
    }
    return any;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
