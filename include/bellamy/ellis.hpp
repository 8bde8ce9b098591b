// Ellis (Thamsen et al., CLOUD 2017), a baseline: a curve over the scale-out for every job of an application, and its rule.
#ifndef BELLAMY_ELLIS_HPP
#define BELLAMY_ELLIS_HPP

#include <bellamy/curve.hpp>
#include <bellamy/job_times.hpp>
#include <bellamy/trace.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Runtime curves of an application's jobs by position, from its earlier runs at one known scale-out; all other runs are
/// left out. A job seen at up to two scale-outs has its mean time, up to five Ernest's curve, else Bell's. An immutable
/// value.
class ellis_model {
public:
    /// Allocates. Errors: those of `validate` for traces; empty_history where no run has jobs and one known scale-out;
    /// invalid_option for runs of different applications; too_many_scale_outs.
    [[nodiscard]] static result<ellis_model> learn(std::span<const application_trace> runs);

    /// Number of runs learned from; the rule is meant for more than three.
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }
    [[nodiscard]] std::size_t jobs() const noexcept { return curves_.size(); }
    /// Precondition: job < jobs().
    [[nodiscard]] double job_s(std::size_t job, int scale_out) const noexcept {
        return means_s_[job] > 0 ? means_s_[job] : curves_[job].at(scale_out).median_s;
    }
    /// Writes scale_outs.size() x (jobs() - first_job) times for `ellis_rule`; the result refers to both spans. Allocates
    /// nothing. Errors: buffer_too_small, and empty_candidates where no job is to come.
    [[nodiscard]] result<job_times> times(std::size_t first_job, std::span<const int> scale_outs,
                                          std::span<double> time_s) const noexcept;

private:
    [[nodiscard]] result<void> add_job(std::span<const run> runs);

    std::vector<curve> curves_;
    std::vector<double> means_s_;  // 0: the curve is used
    std::size_t runs_ = 0;
};

/// Ellis's rule: changes the scale-out where the jobs after the next one are predicted to miss the rest of the target, or to
/// undercut it, by a margin. Returns the present scale-out where they do not, where less than two jobs are to come, and
/// where the next job has no usable time at it. Allocates nothing. Errors: those of `enel_rule`; invalid_scale_out where the
/// present one is not among the candidates.
[[nodiscard]] result<int> ellis_rule(const job_times& times, const rule_request& request) noexcept;

/// Ellis's first scale-out after less than three earlier runs: the most, the middle, or the middle of a half (the lower one
/// where both runs met their target). Errors: invalid_scale_out, invalid_option for three runs or more.
[[nodiscard]] result<int> ellis_first_scale_out(int least, int most, std::size_t earlier_runs, bool all_met) noexcept;

/// Ellis's first scale-out after three or more: the smallest whose predicted total is below the target, else the fastest.
/// 0 where none is usable. Errors: those of `enel_rule`.
[[nodiscard]] result<int> ellis_first_scale_out(std::span<const int> scale_outs, std::span<const double> total_s,
                                                double target_s) noexcept;

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/enel/ellis_impl.hpp>  // IWYU pragma: export
#endif

#endif
