// Residuals of the jobs of a run, ln(actual / predicted time): their state-space model, and the effect of failures on them.
#ifndef BELLAMY_DETAIL_APPLICATION_JOB_RESIDUALS_HPP
#define BELLAMY_DETAIL_APPLICATION_JOB_RESIDUALS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/models/blend_fields.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A finished job, and the rest of its run after it; the rest is 0 where it is not known.
struct predicted_job {
    double predicted_s = 0;
    double actual_s = 0;
    double predicted_rest_s = 0;
    double actual_rest_s = 0;
};
using predicted_run = std::vector<predicted_job>;

/// ln(actual / predicted). Both count as at least a millisecond: shorter times were not measured.
inline double log_residual(double actual_s, double predicted_s) noexcept {
    return std::log((std::max)(actual_s, 1e-3) / (std::max)(predicted_s, 1e-3));
}

struct job_residual {
    double job = 0;
    double so_far = 0;  // of the sum of this job and all before it
    double rest = 0;    // of the rest of the run after this job
};

void fields(auto& archive, is_or_is_const<job_residual> auto& residual) {
    archive(residual.job, residual.so_far, residual.rest);
}

inline std::vector<job_residual> residuals_of(std::span<const predicted_job> jobs) {
    std::vector<job_residual> residuals;
    double actual_sum_s = 0;
    double predicted_sum_s = 0;
    for (const auto& job : jobs) {
        actual_sum_s += job.actual_s;
        predicted_sum_s += job.predicted_s;
        residuals.push_back({.job = log_residual(job.actual_s, job.predicted_s),
                             .so_far = log_residual(actual_sum_s, predicted_sum_s),
                             .rest = log_residual(job.actual_rest_s, job.predicted_rest_s)});
    }
    return residuals;
}

/// Standard deviations of the residuals of one job over the recorded runs.
struct residual_deviation {
    double standard = 0;
    double robust = 0;  // without the influence of outliers
};

void fields(auto& archive, is_or_is_const<residual_deviation> auto& deviation) {
    archive(deviation.standard, deviation.robust);
}

/// Takes out what looks like a failure: of up to three successive jobs, those whose residuals together lie farthest above
/// the run's median, in robust deviations of each job, get the median residual. A lost executor slows few jobs, a slow day
/// all of them.
inline std::vector<predicted_job> without_failure(std::span<const predicted_job> jobs,
                                                  std::span<const residual_deviation> deviations) {
    constexpr size_t most_jobs = 3;
    double farthest = 2;  // less is noise
    const auto residuals = residuals_of(jobs);
    std::vector<double> job_residuals{0.0};  // prior: one job alone is no median
    for (const auto& residual : residuals) job_residuals.push_back(residual.job);
    const double median = upper_median(std::move(job_residuals));
    size_t first = 0;
    size_t last = 0;
    for (size_t begin = 0; begin < jobs.size(); ++begin) {
        double sum = 0;
        for (size_t job = begin; job < (std::min)(begin + most_jobs, jobs.size()); ++job) {
            sum += (residuals[job].job - median) / deviations[job].robust;
            if (!(sum > farthest)) continue;
            farthest = sum;
            first = begin;
            last = job + 1;
        }
    }
    std::vector<predicted_job> corrected(jobs.begin(), jobs.end());
    for (size_t job = first; job < last; ++job)
        corrected[job].actual_s *= std::exp((std::min)(median - residuals[job].job, 0.0));
    return corrected;
}

/// Prior for failures, which recorded runs seldom have: of ten runs four lose an executor, at any time. It delays the
/// running job and up to two more, which compute again what was lost: together by an exponentially distributed fraction of
/// the run.
struct failure_prior {
    double probability = 0.4;
    double mean_delay = 0.15;
    size_t most_jobs = 3;
};

/// A failure: when it comes, as a fraction of the jobs' time, and its size, as a probability of the delay; both in [0, 1).
struct failure_point {
    double moment = 0;
    double size = 0;

    /// A low-discrepancy sequence in the unit square (additive recurrence of the plastic number, Roberts 2018).
    static failure_point nth(size_t n) noexcept {
        const auto fraction = [n](double step) {
            const double value = 0.5 + step * static_cast<double>(n);
            return value - std::floor(value);
        };
        return {.moment = fraction(0.7548776662466927), .size = fraction(0.5698402909980532)};
    }
};

/// The run as it would have been with a failure.
inline predicted_run with_failure(predicted_run run, const failure_prior& prior, const failure_point& failure,
                                  random_generator& random) {
    double predicted_s = 0;
    double actual_s = 0;
    for (const auto& job : run) {
        predicted_s += job.predicted_s;
        actual_s += job.actual_s;
    }
    size_t first = 0;
    for (double left_s = actual_s * failure.moment - run[0].actual_s; left_s > 0 && first + 1 < run.size();)
        left_s -= run[++first].actual_s;
    const size_t last = (std::min)(first + 1 + random.below(prior.most_jobs), run.size());
    // Each job's fraction of the delay, uniform over all divisions: normalised exponential variates.
    std::vector<double> fractions;
    double sum = 0;
    for (size_t job = first; job < last; ++job)
        sum += fractions.emplace_back(-std::log((std::max)(random.uniform(), 0x1p-53)));
    const double delay_s = -predicted_s * prior.mean_delay * std::log1p(-failure.size);
    for (size_t job = first; job < last; ++job) {
        const double job_delay_s = delay_s * fractions[job - first] / sum;
        run[job].actual_s += job_delay_s;
        for (size_t before = 0; before < job; ++before) run[before].actual_rest_s += job_delay_s;
    }
    return run;
}

/// A state-space model of the residuals of a run's jobs: a factor that all jobs share, one that drifts from job to job
/// (AR(1)), and noise. Residuals are in standard deviations of each job, clipped.
struct residual_model {
    static constexpr double clip = 2.5;
    double shared_variance = 0;
    double drift_variance = 0;
    double persistence = 0.5;  // of the drift from one job to the next
    double noise_variance = 1;

    /// Posterior means of the two factors after some jobs.
    struct state {
        double shared = 0;
        double drift = 0;
        double log_likelihood = 0;
    };

    /// Kalman filter.
    state filter(std::span<const double> scaled_residuals) const noexcept {
        state posterior;
        double shared_covariance = shared_variance;
        double cross_covariance = 0;
        double drift_covariance = drift_variance;
        for (size_t job = 0; job < scaled_residuals.size(); ++job) {
            if (job > 0) {
                const double squared = persistence * persistence;
                posterior.drift *= persistence;
                cross_covariance *= persistence;
                drift_covariance = squared * drift_covariance + (1 - squared) * drift_variance;
            }
            const double variance =
                (std::max)(shared_covariance + 2 * cross_covariance + drift_covariance + noise_variance, 1e-12);
            const double shared_sum = shared_covariance + cross_covariance;
            const double drift_sum = cross_covariance + drift_covariance;
            const double shared_gain = shared_sum / variance;
            const double drift_gain = drift_sum / variance;
            const double innovation = scaled_residuals[job] - posterior.shared - posterior.drift;
            posterior.log_likelihood += log_density(innovation, variance);
            posterior.shared += shared_gain * innovation;
            posterior.drift += drift_gain * innovation;
            shared_covariance -= shared_gain * shared_sum;
            cross_covariance -= shared_gain * drift_sum;
            drift_covariance -= drift_gain * drift_sum;
        }
        return posterior;
    }

    /// Maximum likelihood over a grid of how the mean square of the residuals divides into the three variances.
    static residual_model fit(std::span<const std::vector<double>> scaled_runs) {
        double sum = 0;
        double count = 0;
        for (const auto& run : scaled_runs)
            for (const double residual : run) {
                sum += residual * residual;
                count += 1;
            }
        const double variance = count > 0 ? (std::max)(sum / count, 1e-6) : 1;
        residual_model best{.noise_variance = variance};
        double best_log_likelihood = -infinite;
        for (const double shared : {0.0, 0.1, 0.25, 0.5})
            for (const double drift : {0.0, 0.1, 0.25, 0.5, 0.7}) {
                if (shared + drift > 0.95) continue;
                for (const double persistence : {0.5, 0.8, 0.95}) {
                    const residual_model candidate{.shared_variance = shared * variance,
                                                   .drift_variance = drift * variance,
                                                   .persistence = persistence,
                                                   .noise_variance = (1 - shared - drift) * variance};
                    double log_likelihood = 0;
                    for (const auto& run : scaled_runs) log_likelihood += candidate.filter(run).log_likelihood;
                    if (log_likelihood > best_log_likelihood) {
                        best_log_likelihood = log_likelihood;
                        best = candidate;
                    }
                    if (drift == 0) break;
                }
            }
        return best;
    }
};

void fields(auto& archive, is_or_is_const<residual_model> auto& model) {
    archive(model.shared_variance, model.drift_variance, model.persistence, model.noise_variance);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
