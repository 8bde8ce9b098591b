// Corrects the forecast of the remaining jobs by the residuals of the finished ones.
#ifndef BELLAMY_DETAIL_APPLICATION_RUN_FACTOR_HPP
#define BELLAMY_DETAIL_APPLICATION_RUN_FACTOR_HPP

#include <bellamy/detail/application/job_residuals.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Predicts the residual of the rest of a run, ln(actual / predicted), from those of its finished jobs: jobs of a run share
/// a slow day, a lost executor, another plan. A weighted mean of estimators: rests of the recorded runs whose last jobs have
/// similar residuals, robust ridge regression, and a state-space model, and the first two without what looks like a failure,
/// too. Weights and spread come from leave-one-out errors on the recorded runs, with and without simulated failures, since
/// no estimator is best everywhere (bench/stages). An immutable value; const means safe to share between threads.
class run_factor {
public:
    static constexpr size_t estimators = 6;
    using estimates = std::array<double, estimators>;

    run_factor() = default;

    /// Precondition: all runs have the same number of jobs. O(runs^2 x jobs).
    explicit run_factor(std::span<const predicted_run> runs) {
        if (runs.empty()) return;
        jobs_ = runs.front().size();
        for (const auto& run : runs) runs_.push_back(residuals_of(run));
        for (size_t job = 0; job < jobs_; ++job) {
            std::vector<double> residuals;
            for (const auto& run : runs_) residuals.push_back(run[job].job);
            deviations_.push_back({.standard = (std::max)(0.02, root_mean_square(residuals)),
                                   .robust = (std::max)(0.1, robust_sd(residuals))});
        }
        std::vector<std::vector<double>> scaled_runs;
        for (const auto& run : runs_) scaled_runs.push_back(scaled(run));
        model_ = residual_model::fit(scaled_runs);
        if (runs.size() >= fewest_runs && jobs_ >= 2) checkpoints_ = checkpoints_of(runs);
    }

    /// Quantiles of the residual of the rest. `remaining_s` are the predicted times of the remaining jobs, `outside_s` that
    /// of the rest outside of jobs. With fewer than five runs the rest is no surer than the whole run, `run_log_quantiles`;
    /// likewise where the jobs are unlike any recorded run's. Precondition: a finished job.
    quantile_row rest_residual(std::span<const predicted_job> finished, std::span<const double> remaining_s,
                               double outside_s, const quantile_row& run_log_quantiles = {}) const {
        const size_t job = finished.size() - 1;
        const bool few_runs = checkpoints_.empty() || job >= jobs_ || is_unlike_recorded(finished);
        const double mean =
            few_runs ? prior_mean(finished) : nearest(job).mean(estimate(finished, runs_.size(), remaining_s, outside_s));
        quantile_row quantiles = few_runs ? prior_spread(run_log_quantiles) : nearest(job).spread;
        for (double& quantile : quantiles) quantile += mean;
        return quantiles;
    }

    /// Whether numbers from a file are in range, and those of runs with so many jobs.
    bool is_consistent(size_t jobs) const noexcept {
        const auto all = [](const auto& values, size_t count, const auto& is_valid) {
            return values.size() == count && all_of(values, is_valid);
        };
        const auto positive = [](double value) { return value > 0 && value <= 1e9; };
        const auto not_negative = [](double value) { return value >= 0 && value <= 1e9; };
        const auto is_fraction = [](double value) { return value >= 0 && value <= 1; };
        const auto is_run = [&](const std::vector<job_residual>& run) {
            return all(run, jobs_, [](const job_residual& residual) {
                return is_moderate(residual.job) && is_moderate(residual.so_far) && is_moderate(residual.rest);
            });
        };
        return jobs_ == (runs_.empty() ? 0 : jobs) && all_of(runs_, is_run) &&
               all(deviations_, jobs_,
                   [&](const residual_deviation& sd) { return positive(sd.standard) && positive(sd.robust); }) &&
               not_negative(model_.shared_variance) && not_negative(model_.drift_variance) &&
               not_negative(model_.noise_variance) && is_fraction(model_.persistence) &&
               all_of(checkpoints_, [&](const checkpoint& position) {
                   return position.job < jobs_ && all(position.weights, estimators, is_fraction) &&
                          all_of(position.spread, is_moderate) &&
                          std::is_sorted(position.spread.begin(), position.spread.end());
               });
    }

private:
    friend void fields(auto& archive, is_or_is_const<run_factor> auto& factor) {
        archive(factor.runs_, factor.jobs_, factor.deviations_, factor.model_, factor.checkpoints_);
    }

    static constexpr size_t fewest_runs = 5;
    static constexpr double prior_deviation = 0.3;  // at least, with fewer runs
    static constexpr size_t most_failures = 256;

    /// A job after which the estimators were weighted.
    struct checkpoint {
        size_t job = 0;
        estimates weights{};
        quantile_row spread{};  // of the residual about the weighted mean

        double mean(const estimates& estimated) const noexcept { return dot(weights.data(), estimated.data(), estimators); }

        friend void fields(auto& archive, is_or_is_const<checkpoint> auto& position) {
            archive(position.job, position.weights, position.spread);
        }
    };

    // Posterior mean of the residual that jobs of one run share, where that of each job alone has the same variance.
    static double prior_mean(std::span<const predicted_job> finished) {
        const double jobs = count_of(finished);
        return std::clamp(residuals_of(finished).back().so_far, -10.0, 10.0) * jobs / (jobs + 1);
    }

    static quantile_row prior_spread(const quantile_row& run_log_quantiles) {
        auto spread = sample_quantiles({}, prior_deviation);
        for (size_t i = 0; i < spread.size(); ++i) {
            const double of_run = run_log_quantiles[i] - run_log_quantiles[spread.size() / 2];
            if (std::abs(of_run) > std::abs(spread[i])) spread[i] = of_run;
        }
        return spread;
    }

    // Whether more jobs in a row than a failure delays took far longer, or far less time, than those of recorded runs: the
    // estimators go little beyond these.
    bool is_unlike_recorded(std::span<const predicted_job> finished) const {
        constexpr size_t in_a_row = failure_prior{}.most_jobs + 1;
        constexpr double factor_of_one_and_a_half = 0.405;
        constexpr double most_deviations = 6;
        if (finished.size() < in_a_row) return false;
        size_t longer = 0;
        size_t shorter = 0;
        for (size_t job = finished.size() - in_a_row; job < finished.size(); ++job) {
            const double residual = log_residual(finished[job].actual_s, finished[job].predicted_s);
            const double least = (std::max)(factor_of_one_and_a_half, most_deviations * deviations_[job].standard);
            if (residual > least) ++longer;
            if (residual < -least) ++shorter;
        }
        return longer == in_a_row || shorter == in_a_row;
    }

    // Residuals of the jobs in standard deviations, clipped.
    std::vector<double> scaled(std::span<const job_residual> run) const {
        constexpr double clip = residual_model::clip;
        std::vector<double> residuals;
        for (size_t job = 0; job < run.size(); ++job)
            residuals.push_back(std::clamp(run[job].job / deviations_[job].standard, -clip, clip));
        return residuals;
    }

    // Weighted median of the rests of recorded runs. Weights fall with the distance of the last `window` residuals with the
    // tails of Student's t, so that one job that took far longer, as after a failure, does not outweigh the others.
    double residual_by_similar_runs(std::span<const job_residual> finished, size_t left_out, size_t window,
                                    double width) const {
        constexpr double degrees_of_freedom = 4;
        const size_t job = finished.size() - 1;
        std::vector<std::pair<double, double>> rests;
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (i == left_out) continue;
            double distance = 0;
            double decay = 1;
            for (size_t back = 0; back < window && back <= job; ++back) {
                const double difference =
                    (finished[job - back].job - runs_[i][job - back].job) / deviations_[job - back].robust;
                distance += decay * degrees_of_freedom * std::log1p(difference * difference / degrees_of_freedom);
                decay *= 0.7;
            }
            rests.emplace_back(runs_[i][job].rest, std::exp(-0.5 * distance / (width * width)) + 1e-3);
        }
        return weighted_median(std::move(rests));
    }

    using regressors = std::array<double, 3>;
    // 1, the exponentially weighted mean of the last residuals, and the residual of all jobs together.
    static regressors regressors_of(std::span<const job_residual> finished) noexcept {
        const size_t job = finished.size() - 1;
        double sum = 0;
        double weight = 0;
        double decay = 1;
        for (size_t back = 0; back <= job && decay > 1e-6; ++back) {
            sum += decay * finished[job - back].job;
            weight += decay;
            decay *= 0.6;
        }
        return {1, sum / weight, finished[job].so_far};
    }

    // Ridge regression by least absolute deviations: six rounds of iteratively reweighted least squares.
    double residual_by_regression(std::span<const job_residual> finished, size_t left_out) const {
        struct regression_row {
            regressors x{};
            double rest = 0;
            double weight = 1;
        };
        std::vector<regression_row> runs;
        double least = infinite;
        double most = -least;
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (i == left_out) continue;
            const auto begun = std::span(runs_[i]).first(finished.size());
            runs.push_back({.x = regressors_of(begun), .rest = begun.back().rest});
            least = (std::min)(least, begun.back().rest);
            most = (std::max)(most, begun.back().rest);
        }
        const double count = count_of(runs);
        regressors ridge{1e-6, 0, 0};
        for (size_t c = 1; c < 3; ++c) {
            for (const auto& run : runs) ridge[c] += run.x[c] * run.x[c] / count;
            ridge[c] = 5 * (ridge[c] + 1e-6);  // worth five runs
        }
        regressors slopes{};
        for (int round = 0; round < 6; ++round) {
            matrix normal(3, 3);
            slopes = {};
            for (const auto& run : runs)
                for (size_t r = 0; r < 3; ++r) {
                    slopes[r] += run.weight * run.x[r] * run.rest;
                    for (size_t c = 0; c < 3; ++c) normal(r, c) += run.weight * run.x[r] * run.x[c];
                }
            for (size_t r = 0; r < 3; ++r) normal(r, r) += ridge[r];
            if (!factorise(normal)) return 0;
            solve_transposed(normal, slopes);
            solve_upper(normal, slopes);
            double sum = 0;
            for (auto& run : runs) {
                run.weight = 1 / (std::max)(std::abs(run.rest - dot(slopes.data(), run.x.data(), 3)), 0.03);
                sum += run.weight / count;
            }
            for (auto& run : runs) run.weight /= sum;
        }
        return std::clamp(dot(slopes.data(), regressors_of(finished).data(), 3), least - 0.5, most + 0.5);
    }

    // By the state-space model: ln of the rest with each remaining job's predicted residual over the rest without.
    double residual_by_state_space(std::span<const job_residual> finished, std::span<const double> remaining_s,
                                   double outside_s) const {
        const auto state = model_.filter(scaled(finished));
        double before_s = outside_s;
        double after_s = outside_s;
        double decay = 1;
        for (size_t i = 0; i < remaining_s.size() && finished.size() + i < jobs_; ++i) {
            decay *= model_.persistence;
            before_s += remaining_s[i];
            const double residual = deviations_[finished.size() + i].standard * (state.shared + state.drift * decay);
            after_s += remaining_s[i] * std::exp(residual);
        }
        return log_residual(after_s, before_s);
    }

    estimates estimate(std::span<const predicted_job> finished, size_t left_out, std::span<const double> remaining_s,
                       double outside_s) const {
        const auto observed = residuals_of(finished);
        const auto corrected = residuals_of(without_failure(finished, deviations_));
        return {
            residual_by_similar_runs(observed, left_out, 8, 2),        residual_by_regression(observed, left_out),
            residual_by_state_space(observed, remaining_s, outside_s), residual_by_similar_runs(corrected, left_out, 4, 1),
            residual_by_similar_runs(corrected, left_out, 8, 2),       residual_by_regression(corrected, left_out)};
    }

    /// Estimates for a run by the others, beside the actual residual of its rest.
    struct leave_one_out_case {
        estimates estimated{};
        double actual = 0;
        double weight = 1;
    };

    // Recorded runs, and the same with simulated failures, which count as much as the prior says.
    std::vector<std::vector<leave_one_out_case>> leave_one_out_estimates(std::span<const predicted_run> runs,
                                                                         std::span<const size_t> jobs) const {
        std::vector<std::vector<leave_one_out_case>> by_job(jobs.size());
        const auto add = [&](const predicted_run& run, size_t left_out, double weight) {
            for (size_t i = 0; i < jobs.size(); ++i) {
                const auto job = jobs[i];
                const auto remaining_s = values_of(std::span(run).subspan(job + 1), &predicted_job::predicted_s);
                by_job[i].push_back({.estimated = estimate(std::span(run).first(job + 1), left_out, remaining_s, 0),
                                     .actual = log_residual(run[job].actual_rest_s, run[job].predicted_rest_s),
                                     .weight = weight});
            }
        };
        constexpr failure_prior prior;
        for (size_t i = 0; i < runs.size(); ++i) add(runs[i], i, 1 - prior.probability);
        const size_t failures = (std::min)(8 * runs.size(), most_failures);
        const double weight = prior.probability * count_of(runs) / static_cast<double>(failures);
        random_generator random(0);
        for (size_t n = 0; n < failures; ++n) {
            const size_t i = n * runs.size() / failures;
            add(with_failure(runs[i], prior, failure_point::nth(n), random), i, weight);
        }
        return by_job;
    }

    // Weights and spread after up to eight jobs, each from the job and its neighbours.
    std::vector<checkpoint> checkpoints_of(std::span<const predicted_run> runs) const {
        std::vector<size_t> jobs;
        for (size_t job = 0; job + 1 < jobs_; job += (std::max)(size_t{1}, jobs_ / 8)) jobs.push_back(job);
        const auto by_job = leave_one_out_estimates(runs, jobs);
        std::vector<checkpoint> checkpoints;
        for (size_t i = 0; i < jobs.size(); ++i) {
            const size_t window = (std::min)(jobs.size(), size_t{3});
            const size_t first = i == 0 ? 0 : (std::min)(i - 1, jobs.size() - window);
            std::vector<leave_one_out_case> pooled;
            for (size_t j = first; j < first + window; ++j) append(pooled, by_job[j]);
            checkpoint fitted{.job = jobs[i], .weights = weights_of(pooled)};
            std::vector<std::pair<double, double>> errors;
            errors.reserve(pooled.size());
            for (const auto& run : pooled) errors.emplace_back(run.actual - fitted.mean(run.estimated), run.weight);
            fitted.spread = weighted_quantiles(std::move(errors), 0.01);
            // The weights were chosen on the same errors, and few runs rarely show the farthest: wider by this factor, with
            // which the part late of bench/stages holds what is stated.
            const double widening = std::sqrt((count_of(runs) + 1) / (count_of(runs) - 1));
            const double median = fitted.spread[fitted.spread.size() / 2];
            for (double& quantile : fitted.spread) quantile = widening * (quantile - median);
            checkpoints.push_back(fitted);
        }
        return checkpoints;
    }

    // Sixteenth powers of the inverse mean relative errors: nearly all weight is on the best estimators.
    static estimates weights_of(std::span<const leave_one_out_case> runs) noexcept {
        estimates weights{};
        double total = 0;
        for (size_t e = 0; e < estimators; ++e) {
            double error = 0;
            double sum = 0;
            for (const auto& run : runs) {
                error += run.weight * (std::min)(std::abs(std::expm1(run.estimated[e] - run.actual)), 3.0);
                sum += run.weight;
            }
            weights[e] = std::pow((std::max)(error / sum, 1e-4), -16.0);
            total += weights[e];
        }
        for (double& weight : weights) weight /= total;
        return weights;
    }

    // Weights and spread after this job: those of the nearest checkpoint, the earlier of two.
    const checkpoint& nearest(size_t job) const noexcept {
        const auto distance = [job](const checkpoint& position) {
            return position.job > job ? position.job - job : job - position.job;
        };
        const auto* best = &checkpoints_.front();
        for (const auto& position : checkpoints_)
            if (distance(position) < distance(*best)) best = &position;
        return *best;
    }

    std::vector<std::vector<job_residual>> runs_;
    size_t jobs_ = 0;
    std::vector<residual_deviation> deviations_;  // by job
    residual_model model_{};
    std::vector<checkpoint> checkpoints_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
