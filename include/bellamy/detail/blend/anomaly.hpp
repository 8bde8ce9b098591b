// Finds contexts of a history that no other context and no feature explains, so that they mislead no prediction.
#ifndef BELLAMY_DETAIL_BLEND_ANOMALY_HPP
#define BELLAMY_DETAIL_BLEND_ANOMALY_HPP

#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// ln of the odds against an anomaly of whatever size before the points are looked at: 55 to 1.
inline constexpr double anomaly_log_odds = 4;

/// Deviations that an anomaly may have.
inline constexpr std::array<double, 6> anomaly_deviations{0.04, 0.08, 0.16, 0.32, 0.64, 1.28};

/// Sets each context's anomaly: the size from the list that explains its points best, given all other contexts', where
/// that is better by more than the odds, else 0 (a spike and slab prior: Mitchell, Beauchamp 1988). The worst context
/// first, because beside an anomaly its neighbours look strange too; a quarter of the contexts at most. True where there
/// is any. Cost: n^3 operations for n points, once more than there are anomalies.
inline bool find_anomalies(history_data& history, double pressure_slope, process_objective objective,
                           const gaussian_process_parameters& parameters) {
    for (auto& each : history.contexts) each.anomaly = 0;
    process_fit process(history, pressure_slope, objective);
    bool any = false;
    for (std::size_t left = history.contexts.size() / 4; left > 0; --left) {
        const auto answers = process.without_each(parameters);
        if (answers.empty()) break;
        history_context* worst = nullptr;
        double most = anomaly_log_odds;
        double variance = 0;
        for (auto& own : history.contexts) {
            if (own.anomaly > 0) continue;
            const auto& answer = answers[static_cast<std::size_t>(&own - history.contexts.data())];
            const double usual = log_density_of_points(history, own, {}, answer);
            for (const double deviation : anomaly_deviations) {
                auto wider = answer;
                for (std::size_t i = 0; i < own.count; ++i)
                    for (std::size_t j = 0; j < own.count; ++j)
                        wider.covariance(i, j) += deviation * deviation *
                                                  anomaly_covariance(std::log(history.points[own.first + i].scale_out),
                                                                     std::log(history.points[own.first + j].scale_out));
                const double gain = log_density_of_points(history, own, {}, wider) - usual;
                if (gain <= most) continue;
                worst = &own;
                most = gain;
                variance = deviation * deviation;
            }
        }
        if (worst == nullptr) break;
        worst->anomaly = variance;
        any = true;
    }
    return any;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
