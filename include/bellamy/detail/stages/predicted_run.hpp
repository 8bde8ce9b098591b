// A learned run beside what was predicted of it, job by job, and how far the two are apart.
#ifndef BELLAMY_DETAIL_STAGES_PREDICTED_RUN_HPP
#define BELLAMY_DETAIL_STAGES_PREDICTED_RUN_HPP

#include <bellamy/detail/kinds/blend_fields.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bellamy::inline BELLAMY_ABI::detail {

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
        of_job.push_back(log_ratio(actual_s, predicted_s));
        so_far.push_back(log_ratio(actual_sum_s_, predicted_sum_s_));
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
