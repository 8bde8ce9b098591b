// A state-space model of how the jobs of a run deviate from their predictions: a shared factor and one that drifts.
#ifndef BELLAMY_DETAIL_APPLICATION_DRIFTING_FACTOR_HPP
#define BELLAMY_DETAIL_APPLICATION_DRIFTING_FACTOR_HPP

#include <bellamy/detail/models/blend_fields.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A factor that all jobs of a run have, one that drifts from job to job (AR(1)), and noise; deviations in units of each
/// job's own spread, clipped. Conditioning is a Kalman filter.
struct drifting_factor {
    static constexpr double clip = 2.5;
    double shared_variance = 0;
    double drift_variance = 0;
    double persistence = 0.5;
    double noise_variance = 1;

    struct state {
        double shared = 0;
        double drift = 0;
        double log_likelihood = 0;
    };

    [[nodiscard]] state filter(std::span<const double> scaled) const noexcept {
        state now;
        double ss = shared_variance;
        double sd = 0;
        double dd = drift_variance;
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            if (i > 0) {
                now.drift *= persistence;
                sd *= persistence;
                dd = persistence * persistence * dd + (1 - persistence * persistence) * drift_variance;
            }
            const double variance = (std::max)(ss + 2 * sd + dd + noise_variance, 1e-12);
            const double shared_gain = (ss + sd) / variance;
            const double drift_gain = (sd + dd) / variance;
            const double surprise = scaled[i] - now.shared - now.drift;
            now.log_likelihood -= 0.5 * (std::log(variance) + surprise * surprise / variance);
            now.shared += shared_gain * surprise;
            now.drift += drift_gain * surprise;
            const double s = ss + sd;
            const double d = sd + dd;
            ss -= shared_gain * s;
            sd -= shared_gain * d;
            dd -= drift_gain * d;
        }
        return now;
    }

    /// The likeliest of a grid.
    [[nodiscard]] static drifting_factor fit(std::span<const std::vector<double>> scaled_runs) {
        double sum = 0;
        double count = 0;
        for (const auto& run : scaled_runs)
            for (const double each : run) {
                sum += each * each;
                count += 1;
            }
        const double total = count > 0 ? (std::max)(sum / count, 1e-6) : 1;
        drifting_factor best{.noise_variance = total};
        double likeliest = -std::numeric_limits<double>::infinity();
        for (const double shared : {0.0, 0.1, 0.25, 0.5})
            for (const double drift : {0.0, 0.1, 0.25, 0.5, 0.7}) {
                if (shared + drift > 0.95) continue;
                for (const double persistence : {0.5, 0.8, 0.95}) {
                    const drifting_factor tried{.shared_variance = shared * total,
                                                .drift_variance = drift * total,
                                                .persistence = persistence,
                                                .noise_variance = (1 - shared - drift) * total};
                    double likelihood = 0;
                    for (const auto& run : scaled_runs) likelihood += tried.filter(run).log_likelihood;
                    if (likelihood > likeliest) {
                        likeliest = likelihood;
                        best = tried;
                    }
                    if (drift == 0) break;
                }
            }
        return best;
    }
};

template <class Archive, is_or_is_const<drifting_factor> Data>
void fields(Archive& archive, Data& of) {
    archive(of.shared_variance, of.drift_variance, of.persistence, of.noise_variance);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
