// Definitions of what application.hpp declares: fitting an application, binding it, and forecasts of its runs.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_IMPL_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_IMPL_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/application/application_fit.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE size_t forecast::jobs() const noexcept { return bound_->jobs(); }

BELLAMY_PUBLIC_INLINE size_t forecast::stages(size_t job) const noexcept { return bound_->parts.stages[job].size(); }

BELLAMY_PUBLIC_INLINE prediction forecast::stage(size_t job, size_t stage, int scale_out) const noexcept {
    return bound_->stage(job, stage, scale_out);
}

BELLAMY_PUBLIC_INLINE prediction forecast::job(size_t job, int scale_out) const noexcept {
    if (job != finished_ || job + 1 != jobs()) return bound_->path(job, scale_out);
    // The only job that remains takes its part of the rest, so that the rest is never shorter.
    return detail::scaled(
        remaining(scale_out),
        std::log((std::max)(bound_->path_s(job, scale_out) / bound_->parts_after_s(job, scale_out), 1e-9)));
}

BELLAMY_PUBLIC_INLINE prediction forecast::run(int scale_out) const noexcept {
    auto predicted = bound_->parts.run->at(scale_out);
    const double median_s = bound_->run(scale_out).mean_s();
    const double shift = std::log(median_s) - std::log(predicted.median_s);
    predicted.median_s = median_s;
    for (double& log_quantile : predicted.log_quantiles) log_quantile += shift;
    return predicted;
}

BELLAMY_PUBLIC_INLINE prediction forecast::remaining(int scale_out) const noexcept {
    if (finished_ == 0) return run(scale_out);
    if (finished_ >= jobs()) return {};
    const double rest_s = bound_->run(scale_out).scaled_s(bound_->parts_after_s(finished_, scale_out));
    prediction predicted = bound_->parts.run->at(scale_out);
    for (size_t i = 0; i < rest_residual_.size(); ++i) predicted.log_quantiles[i] = std::log(rest_s) + rest_residual_[i];
    predicted.median_s = std::exp(predicted.log_quantiles[predicted.log_quantiles.size() / 2]);
    predicted.is_point = false;
    return predicted;
}

BELLAMY_PUBLIC_INLINE double forecast::run_factor(double p) const noexcept {
    if (!(p > 0 && p < 1) || finished_ == 0 || finished_ >= jobs()) return detail::not_a_number;
    return std::exp(detail::quantile_at(rest_residual_, detail::normal_quantile(p)));
}

BELLAMY_PUBLIC_INLINE forecast::forecast(std::shared_ptr<const detail::application_state> model, context target,
                                         size_t shape)
    : model_(std::move(model)),
      target_(std::move(target)),
      bound_(std::make_shared<const detail::bound_application>(
          detail::bind_parts(model_->shapes[shape].parts, model_->shapes[shape].statistics, target_))),
      shape_(shape) {}

namespace detail {

/// The shape to expect of a run that begins with these jobs: the first longer one that begins with them, else the first
/// longer one.
inline size_t expected_shape(std::span<const application_shape> shapes, std::span<const std::uint64_t> first_jobs) {
    for (const bool must_continue : {true, false})
        for (size_t shape = 0; shape < shapes.size(); ++shape) {
            const auto& jobs = shapes[shape].statistics.shape;
            if (jobs.size() > first_jobs.size() && (!must_continue || begins_with(jobs, first_jobs))) return shape;
        }
    return 0;
}

/// Hashes of the stage graphs of the finished jobs of a run. Error: invalid_trace, where one follows an unfinished job.
inline result<std::vector<std::uint64_t>> finished_jobs(const application_trace& so_far) {
    std::vector<std::uint64_t> finished;
    bool is_running = false;
    for (const auto& job : so_far.jobs) {
        const auto job_s = runtime_s(job);
        if (job_s && is_running)
            return fail(errc::invalid_trace, "expected finished jobs first, found job ", job.id,
                        " finished after one that is not");
        is_running = !job_s;
        if (job_s) finished.push_back(shape_of(job, shape_detail::parents));
    }
    return finished;
}

/// The scale-out at the end of a finished job; 0 where it is not known. A run that was rescaled within half a minute only
/// looks as if its executors had joined late, so that the scale-out of the run may be another one.
inline int scale_out_of(const job_trace& job, const application_trace& run) {
    const int at_end = scale_out_at(run.scale_out, *job.completed_s);
    return at_end == 0 ? constant_scale_out(run).value_or(0) : at_end;
}

/// The path time of a finished job over the scale-outs that it had: at each of them, the time there over the path time is
/// the share of the job's work that was done. Scale-outs that executors pass through as they join are none.
inline double path_over_changes_s(const bound_application& bound, size_t number, const application_trace& run, int at_end) {
    const auto& job = run.jobs[number];
    std::span<const scale_out_step> steps = run.scale_out;
    double at_s = *job.completed_s;
    double work = 0;
    size_t end = 0;
    for (size_t i = steps.size(); i-- > 0;) {
        const double part_s = at_s - (std::max)(steps[i].at_s, *job.submitted_s);
        if (part_s <= 0) continue;
        if (end == 0) end = i + 1;
        work += part_s / bound.path_s(number, settled_scale_out(steps.subspan(i, end - i)));
        at_s -= part_s;
    }
    return work > 0 ? (*job.completed_s - at_s) / work : bound.path_s(number, at_end);
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<forecast> forecast::observe(const application_trace& so_far) const {
    if (auto valid = validate(so_far); !valid) return valid.error();
    if (so_far.application != model_->application || so_far.unit != target_.unit)
        return detail::fail(errc::invalid_trace, "expected a run of ", model_->application, " over units of ",
                            to_string(target_.unit), ", found one of ", so_far.application, " over units of ",
                            to_string(so_far.unit));
    const auto finished = detail::finished_jobs(so_far);
    if (!finished) return finished.error();
    const auto shape = finished->empty() ? shape_ : detail::expected_shape(model_->shapes, *finished);
    auto updated = shape == shape_ ? *this : forecast(model_, target_, shape);
    updated.finished_ = finished->size();
    if (finished->empty()) return updated;
    const auto& bound = *updated.bound_;
    std::vector<detail::predicted_job> jobs;
    int scale_out = 0;
    for (size_t job = 0; job < finished->size() && job < bound.jobs(); ++job) {
        scale_out = detail::scale_out_of(so_far.jobs[job], so_far);
        jobs.push_back({.predicted_s = detail::path_over_changes_s(bound, job, so_far, scale_out),
                        .actual_s = detail::path_time_s(so_far.jobs[job]).value_or(0)});
    }
    std::vector<double> remaining_s;
    for (size_t job = finished->size(); job < bound.jobs(); ++job) remaining_s.push_back(bound.path_s(job, scale_out));
    updated.rest_residual_ = bound.statistics->factor.rest_residual(
        jobs, remaining_s, bound.outside_after_s(finished->size(), scale_out), bound.parts.run->at(scale_out).log_quantiles);
    return updated;
}

BELLAMY_PUBLIC_INLINE const std::string& application_model::application() const noexcept { return state_->application; }

BELLAMY_PUBLIC_INLINE scale_out_interval application_model::seen_scale_outs() const noexcept {
    return state_->seen_scale_outs;
}

BELLAMY_PUBLIC_INLINE result<forecast> application_model::bind(std::span<const property> properties) const {
    if (auto valid = validate(context{.optional = {properties.begin(), properties.end()}}); !valid) return valid.error();
    if (auto valid = state_->properties.check(properties); !valid) return valid.error();
    auto target = state_->properties.context_of(properties);
    if (auto valid = validate(target); !valid) return valid.error();
    return forecast(state_, std::move(target), 0);
}

BELLAMY_PUBLIC_INLINE result<application_model> pretrain_application(std::span<const application_trace* const> history,
                                                                     const application_options& options) {
    if (options.threads < 1 || options.threads > 1024)
        return detail::fail(errc::invalid_option, "expected threads from 1 to 1024, found ", options.threads);
    std::vector<const application_trace*> runs;
    for (size_t i = 0; i < history.size(); ++i) {
        if (history[i] == nullptr) return detail::fail(errc::invalid_trace, "run ", i, ": expected a trace, found none");
        if (auto valid = validate(*history[i]); !valid) return detail::with_subject(valid.error(), "run ", i);
        if (history[i]->application != history.front()->application || history[i]->unit != history.front()->unit)
            return detail::fail(errc::invalid_trace, "run ", i, ": expected ", history.front()->application,
                                " over units of ", to_string(history.front()->unit), ", found ", history[i]->application,
                                " over ", to_string(history[i]->unit));
        if (history[i]->outcome == trace_outcome::succeeded && !history[i]->jobs.empty()) runs.push_back(history[i]);
    }
    if (runs.empty())
        return detail::fail(errc::empty_history, "expected a run with jobs that succeeded, found none among ",
                            history.size());
    auto state = std::make_shared<detail::application_state>();
    state->application = runs.front()->application;
    state->properties = detail::common_context(runs);
    std::vector<int> scale_outs;
    for (const auto* run : runs)
        if (const auto scale_out = detail::constant_scale_out(*run)) scale_outs.push_back(*scale_out);
    if (!scale_outs.empty()) {
        const auto [least, most] = std::minmax_element(scale_outs.begin(), scale_outs.end());
        state->seen_scale_outs = {*least, *most};
    }
    for (const auto& group : detail::by_shape(runs))
        state->shapes.push_back(
            detail::shape_fit(group, state->properties, options.seed, static_cast<size_t>(options.threads)).fit());
    return detail::application_access::make(std::move(state));
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
