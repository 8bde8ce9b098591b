// What the jobs of a run share beyond what is predicted of each by itself: a slow day, a lost executor, a plan that went
// another way. From the finished jobs' deviations to the rest's.
#ifndef BELLAMY_DETAIL_APPLICATION_RUN_FACTOR_HPP
#define BELLAMY_DETAIL_APPLICATION_RUN_FACTOR_HPP

#include <bellamy/detail/application/drifting_factor.hpp>
#include <bellamy/detail/application/simulated_failure.hpp>
#include <bellamy/detail/maths/empirical.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Foretells ln(actual / predicted) of a run's rest from its finished jobs. The estimators are: none (the prediction
/// stands); the rests of runs whose last four, or eight, jobs deviated alike; a robust ridge regression on the recent and
/// the summed deviation; a drifting factor; and the last four once more without what looks like a failure. They are weighted
/// by how they did on the learned runs, each left out in turn, without and with simulated failures; the spread is that of
/// the same runs.
///
/// No estimator wins everywhere. On the chains of Enel and Ellis, runs 36 to 45 after 1 to 35, the weighted mean errs by
/// 0.92 and 0.89 times as much as the sum of the jobs' medians (bench/stages). An immutable value; const means safe to share
/// between threads.
class run_factor {
public:
    static constexpr std::size_t estimators = 9;
    using estimates = std::array<double, estimators>;

    /// All runs have the same number of jobs. O(runs^2 x jobs looked at).
    explicit run_factor(std::span<const predicted_run> runs) {
        for (const auto& each : runs) {
            finished_run made(each);
            predicted_s_.push_back(each.predicted_s);
            runs_.push_back(std::move(made.jobs));
            rests_.push_back(std::move(made.rests));
        }
        if (runs_.empty()) return;
        jobs_ = runs_.front().of_job.size();
        scale();
        judge(runs);
    }
    run_factor() = default;

    /// Quantiles of ln(actual / predicted) of the rest after the finished jobs. `predicted_s` are the predictions of the
    /// jobs to come and `outside_s` that of what is beside them, for the drifting factor.
    [[nodiscard]] quantile_row rest_after(const job_deviations& finished, std::span<const double> predicted_s,
                                          double outside_s) const {
        const std::size_t job = finished.of_job.size() - 1;
        if (judged_.empty() || job >= jobs_) return sample_quantiles({}, usual_deviation);
        const auto& judged = nearest(job);
        const auto estimated = estimate(finished, runs_.size(), predicted_s, outside_s);
        double offset = 0;
        for (std::size_t i = 0; i < estimators; ++i) offset += judged.weights[i] * estimated[i];
        quantile_row made = judged.spread;
        for (double& each : made) each += offset;
        return made;
    }

    /// Whether the numbers of a file are those of runs with so many jobs.
    [[nodiscard]] bool is_consistent(std::size_t jobs) const noexcept {
        if (jobs_ != (runs_.empty() ? 0 : jobs) || rests_.size() != runs_.size() || predicted_s_.size() != runs_.size())
            return false;
        const auto are = [](std::span<const double> values, std::size_t count, const auto& good) {
            return values.size() == count && std::all_of(values.begin(), values.end(), good);
        };
        const auto positive = [](double value) { return value > 0 && value <= 1e9; };
        const auto finite = [](double value) { return value >= 0 && std::isfinite(value); };
        const auto share = [](double value) { return value >= 0 && value <= 1; };
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (!are(runs_[i].of_job, jobs_, is_moderate) || !are(runs_[i].so_far, jobs_, is_moderate) ||
                !are(rests_[i], jobs_, is_moderate) || !are(predicted_s_[i], jobs_, finite))
                return false;
        if (!are(robust_, jobs_, positive) || !are(spread_, jobs_, positive) || !share(factor_.persistence)) return false;
        for (const double each : {factor_.shared_variance, factor_.drift_variance, factor_.noise_variance})
            if (!(each >= 0 && each <= 1e9)) return false;
        return std::all_of(judged_.begin(), judged_.end(), [&](const judgement& each) {
            return each.job < jobs_ && are(each.weights, estimators, share) &&
                   are(each.spread, each.spread.size(), is_moderate) &&
                   std::is_sorted(each.spread.begin(), each.spread.end());
        });
    }

private:
    template <class Archive, is_or_is_const<run_factor> Data>
    friend void fields(Archive& archive, Data& of) {
        archive(of.runs_, of.rests_, of.predicted_s_, of.jobs_, of.robust_, of.spread_, of.factor_, of.judged_);
    }

    static constexpr std::size_t fewest_runs = 5;
    static constexpr double usual_deviation = 0.3;
    static constexpr double tails = 4;  // degrees of freedom
    static constexpr std::size_t most_failures = 256;

    struct judgement {
        std::size_t job = 0;
        estimates weights{};
        quantile_row spread{};

        template <class Archive, is_or_is_const<judgement> Data>
        friend void fields(Archive& archive, Data& of) {
            archive(of.job, of.weights, of.spread);
        }
    };

    void scale() {
        std::vector<double> own(runs_.size());
        for (std::size_t job = 0; job < jobs_; ++job) {
            for (std::size_t i = 0; i < runs_.size(); ++i) own[i] = runs_[i].of_job[job];
            robust_.push_back((std::max)(0.1, robust_sd(own)));
            spread_.push_back((std::max)(0.02, root_mean_square(own)));
        }
        std::vector<std::vector<double>> scaled;
        for (const auto& run : runs_) scaled.push_back(scaled_of(run));
        factor_ = drifting_factor::fit(scaled);
    }

    [[nodiscard]] std::vector<double> scaled_of(const job_deviations& run) const {
        std::vector<double> scaled;
        for (std::size_t job = 0; job < run.of_job.size(); ++job)
            scaled.push_back(
                (std::min)((std::max)(run.of_job[job] / spread_[job], -drifting_factor::clip), drifting_factor::clip));
        return scaled;
    }

    // The rests of the learned runs, weighted by how alike the last `window` jobs deviated, with the tails of Student's t:
    // one job that took far longer, as after a failure, does not outweigh the others.
    [[nodiscard]] double alike(std::size_t job, const job_deviations& now, std::size_t without, std::size_t window,
                               double width) const {
        std::vector<std::pair<double, double>> rests;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (i == without) continue;
            double distance = 0;
            double fading = 1;
            for (std::size_t back = 0; back < window && back <= job; ++back) {
                const double off = (now.of_job[job - back] - runs_[i].of_job[job - back]) / robust_[job - back];
                distance += fading * tails * std::log1p(off * off / tails);
                fading *= 0.7;
            }
            rests.emplace_back(rests_[i][job], std::exp(-0.5 * distance / (width * width)) + 1e-3);
        }
        return weighted_median(std::move(rests));
    }

    /// 1, the deviation of the recent jobs, and that of all together.
    [[nodiscard]] static std::array<double, 3> row_of(std::size_t job, const job_deviations& run) noexcept {
        double sum = 0;
        double all = 0;
        double fading = 1;
        for (std::size_t back = 0; back <= job && fading > 1e-6; ++back) {
            sum += fading * run.of_job[job - back];
            all += fading;
            fading *= 0.6;
        }
        return {1, sum / all, run.so_far[job]};
    }

    // Least absolute deviations by six rounds of reweighted least squares, with a ridge of five rows' worth.
    [[nodiscard]] double regressed(std::size_t job, const job_deviations& now, std::size_t without) const {
        std::vector<std::array<double, 3>> rows;
        std::vector<double> rests;
        std::array<double, 3> ridge{1e-6, 0, 0};
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (i == without) continue;
            rows.push_back(row_of(job, runs_[i]));
            rests.push_back(rests_[i][job]);
        }
        const auto count = static_cast<double>(rows.size());
        for (std::size_t c = 1; c < 3; ++c) {
            for (const auto& row : rows) ridge[c] += row[c] * row[c] / count;
            ridge[c] = 5 * (ridge[c] + 1e-6);
        }
        std::vector<double> weights(rows.size(), 1.0);
        std::array<double, 3> slopes{};
        for (int round = 0; round < 6; ++round) {
            slopes = solve(rows, rests, weights, ridge);
            double sum = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                weights[i] = 1 / (std::max)(std::abs(rests[i] - dot(slopes, rows[i])), 0.03);
                sum += weights[i] / count;
            }
            for (double& each : weights) each /= sum;
        }
        const auto [least, most] = std::minmax_element(rests.begin(), rests.end());
        return (std::min)((std::max)(dot(slopes, row_of(job, now)), *least - 0.5), *most + 0.5);
    }

    [[nodiscard]] static double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) noexcept {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    // Normal equations of three columns by Cramer's rule; the ridge keeps them regular.
    [[nodiscard]] static std::array<double, 3> solve(std::span<const std::array<double, 3>> rows,
                                                     std::span<const double> right, std::span<const double> weights,
                                                     const std::array<double, 3>& ridge) noexcept {
        std::array<std::array<double, 3>, 3> a{};
        std::array<double, 3> b{};
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t r = 0; r < 3; ++r) {
                b[r] += weights[i] * rows[i][r] * right[i];
                for (std::size_t c = 0; c < 3; ++c) a[r][c] += weights[i] * rows[i][r] * rows[i][c];
            }
        for (std::size_t r = 0; r < 3; ++r) a[r][r] += ridge[r];
        const auto determinant = [](const std::array<std::array<double, 3>, 3>& m) {
            return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                   m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        };
        const double all = determinant(a);
        std::array<double, 3> solved{};
        if (!(std::abs(all) > 1e-300)) return solved;
        for (std::size_t c = 0; c < 3; ++c) {
            auto replaced = a;
            for (std::size_t r = 0; r < 3; ++r) replaced[r][c] = b[r];
            solved[c] = determinant(replaced) / all;
        }
        return solved;
    }

    [[nodiscard]] double drifted(std::size_t job, const job_deviations& now, std::span<const double> predicted_s,
                                 double outside_s) const {
        const auto state = factor_.filter(scaled_of(now));
        double before_s = outside_s;
        double after_s = outside_s;
        double fading = 1;
        for (std::size_t i = 0; i < predicted_s.size() && job + 1 + i < jobs_; ++i) {
            fading *= factor_.persistence;
            before_s += predicted_s[i];
            after_s += predicted_s[i] * std::exp(spread_[job + 1 + i] * (state.shared + state.drift * fading));
        }
        return job_deviations::log_ratio(after_s, before_s);
    }

    [[nodiscard]] estimates estimate(const job_deviations& finished, std::size_t without,
                                     std::span<const double> predicted_s, double outside_s) const {
        estimates made{};
        std::size_t next = 1;
        const std::size_t job = finished.of_job.size() - 1;
        const auto without_failure = finished.without_failure(robust_);
        for (const auto* now : {&finished, &without_failure}) {
            made[next++] = alike(job, *now, without, 4, 1);
            made[next++] = alike(job, *now, without, 8, 2);
            made[next++] = regressed(job, *now, without);
            made[next++] = drifted(job, *now, predicted_s, outside_s);
        }
        return made;
    }

    // A learned run without and with a failure: what has been foretold of it, and what came, at one position.
    struct trial {
        std::size_t run = 0;
        finished_run ended;
        double weight = 1;
    };
    using estimates_of_trials = std::vector<estimates>;

    // The learned runs first, then some of them with simulated failures, which together count as the prior says.
    [[nodiscard]] static std::vector<trial> trials_of(std::span<const predicted_run> runs) {
        constexpr failure_prior prior;
        const std::size_t failures = (std::min)(8 * runs.size(), most_failures);
        const double weight = prior.probability * static_cast<double>(runs.size()) / static_cast<double>(failures);
        random_generator random(0);
        std::vector<trial> made;
        for (std::size_t i = 0; i < runs.size(); ++i)
            made.push_back({.run = i, .ended = finished_run(runs[i]), .weight = 1 - prior.probability});
        for (std::size_t i = 0; i < failures; ++i) {
            const std::size_t run = i * runs.size() / failures;
            made.push_back({.run = run,
                            .ended = finished_run(with_failure(runs[run], prior, failure_place::nth(i), random)),
                            .weight = weight});
        }
        return made;
    }

    // Leaves each run out at up to eight positions; a position's weights and spread come from it and its neighbours.
    void judge(std::span<const predicted_run> runs) {
        if (runs_.size() < fewest_runs || jobs_ < 2) return;
        const auto trials = trials_of(runs);
        const std::size_t step = (std::max)(std::size_t{1}, jobs_ / 8);
        std::vector<estimates_of_trials> estimated;
        for (std::size_t job = 0; job + 1 < jobs_; job += step) {
            judged_.push_back({.job = job});
            auto& own = estimated.emplace_back();
            for (const auto& each : trials)
                own.push_back(estimate(each.ended.jobs.until(job), each.run, to_come_s(each.run, job), 0));
        }
        for (std::size_t at = 0; at < judged_.size(); ++at) weigh(at, trials, estimated);
    }

    // By their errors to the sixteenth power: most of the weight is the best one's.
    void weigh(std::size_t at, std::span<const trial> trials, std::span<const estimates_of_trials> estimated) {
        const std::size_t first =
            at == 0 ? 0 : (std::min)(at - 1, judged_.size() - (std::min)(judged_.size(), std::size_t{3}));
        const std::size_t last = (std::min)(first + 3, judged_.size());
        auto& own = judged_[at];
        double all = 0;
        for (std::size_t e = 0; e < estimators; ++e) {
            double error = 0;
            for (std::size_t p = first; p < last; ++p)
                for (std::size_t i = 0; i < trials.size(); ++i) {
                    const double off = estimated[p][i][e] - trials[i].ended.rests[judged_[p].job];
                    error += trials[i].weight * (std::min)(std::abs(std::expm1(off)), 3.0);
                }
            error /= static_cast<double>((last - first) * runs_.size());
            own.weights[e] = std::pow((std::max)(error, 1e-4), -16.0);
            all += own.weights[e];
        }
        for (double& each : own.weights) each /= all;
        std::vector<std::pair<double, double>> off;
        for (std::size_t p = first; p < last; ++p)
            for (std::size_t i = 0; i < trials.size(); ++i) {
                double offset = 0;
                for (std::size_t e = 0; e < estimators; ++e) offset += own.weights[e] * estimated[p][i][e];
                off.emplace_back(trials[i].ended.rests[judged_[p].job] - offset, trials[i].weight);
            }
        own.spread = weighted_quantiles(std::move(off), 0.01);
        const double middle = own.spread[own.spread.size() / 2];
        for (double& each : own.spread) each -= middle;
    }

    [[nodiscard]] const judgement& nearest(std::size_t job) const noexcept {
        const auto* best = &judged_.front();
        for (const auto& each : judged_)
            if ((each.job > job ? each.job - job : job - each.job) < (best->job > job ? best->job - job : job - best->job))
                best = &each;
        return *best;
    }

    [[nodiscard]] std::span<const double> to_come_s(std::size_t run, std::size_t job) const noexcept {
        return std::span(predicted_s_[run]).subspan(job + 1);
    }

    std::vector<job_deviations> runs_{};
    std::vector<std::vector<double>> rests_{};        // by run and job: ln(actual / predicted)
    std::vector<std::vector<double>> predicted_s_{};  // by run and job
    std::size_t jobs_ = 0;
    std::vector<double> robust_{};
    std::vector<double> spread_{};
    drifting_factor factor_{};
    std::vector<judgement> judged_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
