// A learned run beside what was predicted of it, job by job, and how far the two are apart.
#ifndef BELLAMY_DETAIL_APPLICATION_PREDICTED_RUN_HPP
#define BELLAMY_DETAIL_APPLICATION_PREDICTED_RUN_HPP

#include <bellamy/detail/models/blend_fields.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A run's jobs as predicted without it, and as they were, in seconds.
struct predicted_run {
    std::vector<double> predicted_s{};
    std::vector<double> actual_s{};
    /// After each job, to the end of the run: predicted and actual.
    std::vector<double> predicted_rest_s{};
    std::vector<double> actual_rest_s{};
};

/// Deviations of a run's jobs from their predictions, as far as the run has come.
struct job_deviations {
    std::vector<double> of_job{};  // ln(actual / predicted)
    std::vector<double> so_far{};  // the same for the sum of the jobs until then

    void add(double actual_s, double predicted_s) {
        actual_sum_s_ += actual_s;
        predicted_sum_s_ += predicted_s;
        actual_s_.push_back(actual_s);
        predicted_s_.push_back(predicted_s);
        of_job.push_back(log_ratio(actual_s, predicted_s));
        so_far.push_back(log_ratio(actual_sum_s_, predicted_sum_s_));
    }
    /// The same run as far as this job, in jobs from 0.
    [[nodiscard]] job_deviations until(std::size_t job) const {
        job_deviations made;
        for (std::size_t i = 0; i <= job; ++i) made.add(actual_s_[i], predicted_s_[i]);
        return made;
    }

    /// The same run without what looks like a failure: of up to three successive jobs, those that together lie farthest
    /// above the median deviation, in the `usual` ones of each job, take as long as that median has it. A lost executor
    /// slows few jobs, a slow day all of them. Precondition: jobs were added here, not read from a file.
    [[nodiscard]] job_deviations without_failure(std::span<const double> usual) const {
        constexpr std::size_t most_jobs = 3;
        double farthest = 2;  // less is noise
        auto sorted = of_job;
        sorted.push_back(0);  // as predicted: one job is no norm
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        std::size_t first = 0;
        std::size_t last = 0;
        for (std::size_t from = 0; from < of_job.size(); ++from) {
            double sum = 0;
            for (std::size_t job = from; job < (std::min)(from + most_jobs, of_job.size()); ++job) {
                sum += (of_job[job] - *middle) / usual[job];
                if (!(sum > farthest)) continue;
                farthest = sum;
                first = from;
                last = job + 1;
            }
        }
        job_deviations made;
        for (std::size_t job = 0; job < of_job.size(); ++job) {
            const double faster = job >= first && job < last ? std::exp((std::min)(*middle - of_job[job], 0.0)) : 1;
            made.add(faster * actual_s_[job], predicted_s_[job]);
        }
        return made;
    }

    /// Both at least a millisecond: what is shorter was not measured.
    [[nodiscard]] static double log_ratio(double actual_s, double predicted_s) noexcept {
        return std::log((std::max)(actual_s, 1e-3) / (std::max)(predicted_s, 1e-3));
    }

private:
    // What has been added is stored, not what could be added next.
    template <class Archive, is_or_is_const<job_deviations> Data>
    friend void fields(Archive& archive, Data& of) {
        archive(of.of_job, of.so_far);
    }

    std::vector<double> actual_s_{};
    std::vector<double> predicted_s_{};
    double actual_sum_s_ = 0;
    double predicted_sum_s_ = 0;
};

/// Deviations of a run that has ended, and after each job ln(actual / predicted) of its rest.
struct finished_run {
    job_deviations jobs{};
    std::vector<double> rests{};

    explicit finished_run(const predicted_run& of) {
        for (std::size_t job = 0; job < of.actual_s.size(); ++job) {
            jobs.add(of.actual_s[job], of.predicted_s[job]);
            rests.push_back(job_deviations::log_ratio(of.actual_rest_s[job], of.predicted_rest_s[job]));
        }
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
