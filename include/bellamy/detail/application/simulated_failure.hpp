// Failures that learned runs did not have: what a lost executor might have cost one of them.
#ifndef BELLAMY_DETAIL_APPLICATION_SIMULATED_FAILURE_HPP
#define BELLAMY_DETAIL_APPLICATION_SIMULATED_FAILURE_HPP

#include <bellamy/detail/application/predicted_run.hpp>
#include <bellamy/detail/base/random.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior for failures, which runs to learn from seldom show: of ten runs four lose an executor, at any time. It delays the
/// running job and up to two more, which compute again what was lost: together by an exponential share of the run.
struct failure_prior {
    double probability = 0.4;
    double mean_delay = 0.15;
    std::size_t most_jobs = 3;
};

/// Where in its run a failure comes, as a share of the jobs' time, and how large it is, as a probability: both in [0, 1).
struct failure_place {
    double moment = 0;
    double size = 0;

    /// Points that fill the unit square evenly, the more the better (additive recurrence of the plastic number, Roberts
    /// 2018).
    [[nodiscard]] static failure_place nth(std::size_t n) noexcept {
        const auto share = [n](double step) {
            const double at = 0.5 + step * static_cast<double>(n);
            return at - std::floor(at);
        };
        return {.moment = share(0.7548776662466927), .size = share(0.5698402909980532)};
    }
};

/// The run as it would have been with one failure.
[[nodiscard]] inline predicted_run with_failure(predicted_run run, const failure_prior& prior, const failure_place& place,
                                                random_generator& random) {
    double predicted_s = 0;
    double actual_s = 0;
    for (const double each : run.predicted_s) predicted_s += each;
    for (const double each : run.actual_s) actual_s += each;
    std::size_t first = 0;
    for (double left_s = actual_s * place.moment - run.actual_s[0]; left_s > 0 && first + 1 < run.actual_s.size();)
        left_s -= run.actual_s[++first];
    const std::size_t last = (std::min)(first + 1 + random.below(prior.most_jobs), run.actual_s.size());
    // Each job's part of the delay: uniform over all divisions.
    std::vector<double> parts;
    double all = 0;
    for (std::size_t job = first; job < last; ++job)
        all += parts.emplace_back(-std::log((std::max)(random.uniform(), 0x1p-53)));
    const double delay_s = -predicted_s * prior.mean_delay * std::log1p(-place.size);
    for (std::size_t job = first; job < last; ++job) {
        const double own_s = delay_s * parts[job - first] / all;
        run.actual_s[job] += own_s;
        for (std::size_t before = 0; before < job; ++before) run.actual_rest_s[before] += own_s;
    }
    return run;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
