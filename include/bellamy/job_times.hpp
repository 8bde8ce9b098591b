// Predicted times of the jobs to come at candidate scale-outs: what the published rules of Enel and Ellis decide from.
#ifndef BELLAMY_JOB_TIMES_HPP
#define BELLAMY_JOB_TIMES_HPP

#include <bellamy/error.hpp>
#include <bellamy/run.hpp>

#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Point predictions of the jobs to come at ascending scale-outs.
struct job_times {
    std::span<const int> scale_outs{};
    std::size_t jobs = 0;
    /// scale_outs.size() x jobs: the i-th job to come at the k-th scale-out stands at k * jobs + i. Seconds, the expected
    /// gap before the job included. A time that is not finite and positive makes its scale-out unusable.
    std::span<const double> time_s{};
};

/// State of the running application that a rule decides for.
struct rule_request {
    int scale_out = 1;     // the present one
    double elapsed_s = 0;  // since the start of the run
    double target_s = 0;   // runtime of the whole run that is aimed at
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
