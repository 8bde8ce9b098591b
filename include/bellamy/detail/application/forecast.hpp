// Definitions of what application.hpp declares: binding an application, its forecast, and conditioning it.
#ifndef BELLAMY_DETAIL_APPLICATION_FORECAST_HPP
#define BELLAMY_DETAIL_APPLICATION_FORECAST_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/application/application_parts.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// The shape that a run which has begun with these jobs is expected to have.
[[nodiscard]] inline const shape_parts& expected_shape(std::span<const shape_parts> shapes,
                                                       std::span<const std::uint64_t> begun) {
    for (const auto& each : shapes)
        if (each.shape.size() > begun.size() && begins_with(each.shape, begun)) return each;
    for (const auto& each : shapes)
        if (each.shape.size() > begun.size()) return each;
    return shapes.front();
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE std::size_t forecast::jobs() const noexcept { return bound_->jobs(); }

BELLAMY_PUBLIC_INLINE std::size_t forecast::stages(std::size_t job) const noexcept {
    return bound_->parts.stages[job].size();
}

BELLAMY_PUBLIC_INLINE prediction forecast::stage(std::size_t job, std::size_t stage, int scale_out) const noexcept {
    return bound_->stage(job, stage, scale_out);
}

BELLAMY_PUBLIC_INLINE prediction forecast::job(std::size_t job, int scale_out) const noexcept {
    return bound_->path(job, scale_out);
}

BELLAMY_PUBLIC_INLINE prediction forecast::run(int scale_out) const noexcept {
    auto made = bound_->parts.run.at(scale_out);
    const double median_s = bound_->run_s(scale_out, bound_->sum_s(scale_out));
    const double shift = std::log(median_s) - std::log(made.median_s);
    made.median_s = median_s;
    for (double& each : made.log_quantiles) each += shift;
    return made;
}

BELLAMY_PUBLIC_INLINE prediction forecast::remaining(int scale_out) const noexcept {
    if (finished_ == 0) return run(scale_out);
    if (finished_ >= jobs()) return {};
    const double sum_s = bound_->sum_s(scale_out);
    const double rest_s = bound_->rest_s(finished_, scale_out) * bound_->run_s(scale_out, sum_s) / sum_s;
    prediction made = bound_->parts.run.at(scale_out);
    for (std::size_t i = 0; i < rest_.size(); ++i) made.log_quantiles[i] = std::log(rest_s) + rest_[i];
    made.median_s = std::exp(made.log_quantiles[made.log_quantiles.size() / 2]);
    made.is_point = false;
    return made;
}

BELLAMY_PUBLIC_INLINE double forecast::run_factor(double p) const noexcept {
    if (!(p > 0 && p < 1) || finished_ == 0 || finished_ >= jobs()) return std::numeric_limits<double>::quiet_NaN();
    return std::exp(detail::quantile_at(rest_, detail::normal_quantile(p)));
}

BELLAMY_PUBLIC_INLINE forecast::forecast(std::shared_ptr<const detail::application_state> model, context subject,
                                         const detail::shape_parts& expected)
    : model_(std::move(model)),
      subject_(std::move(subject)),
      bound_(std::make_shared<const detail::bound_application>(detail::bind_parts(expected, subject_))) {}

BELLAMY_PUBLIC_INLINE const std::string& application_model::application() const noexcept { return state_->application; }

BELLAMY_PUBLIC_INLINE scale_out_interval application_model::seen_scale_outs() const noexcept { return state_->seen; }

BELLAMY_PUBLIC_INLINE result<forecast> application_model::bind(std::span<const property> properties) const {
    if (auto valid = validate(context{.optional = {properties.begin(), properties.end()}}); !valid) return valid.error();
    if (auto fits = state_->properties.check(properties); !fits) return fits.error();
    auto subject = state_->properties.of(properties);
    if (auto valid = validate(subject); !valid) return valid.error();
    return forecast(state_, std::move(subject), state_->shapes.front());
}

BELLAMY_PUBLIC_INLINE result<forecast> forecast::observe(const application_trace& so_far) const {
    if (auto valid = validate(so_far); !valid) return valid.error();
    if (so_far.application != model_->application || so_far.unit != subject_.unit)
        return detail::fail(errc::invalid_trace, "expected a run of ", model_->application, " over units of ",
                            to_string(subject_.unit), ", found one of ", so_far.application, " over units of ",
                            to_string(so_far.unit));
    std::vector<std::uint64_t> begun;
    for (const auto& each : so_far.jobs) {
        if (!detail::runtime_s(each)) break;
        begun.push_back(detail::shape_of(each, detail::shape_detail::parents));
    }
    for (std::size_t job = begun.size(); job < so_far.jobs.size(); ++job)
        if (detail::runtime_s(so_far.jobs[job]))
            return detail::fail(errc::invalid_trace, "expected finished jobs first, found job ", so_far.jobs[job].id,
                                " finished after one that is not");
    forecast made = *this;
    made.finished_ = begun.size();
    if (begun.empty()) return made;
    const auto& expected = detail::expected_shape(model_->shapes, begun);
    if (&expected != bound_->learned)
        made.bound_ = std::make_shared<const detail::bound_application>(detail::bind_parts(expected, subject_));
    const auto& bound = *made.bound_;
    detail::job_deviations deviations;
    int now = 0;
    for (std::size_t job = 0; job < begun.size() && job < bound.jobs(); ++job) {
        const auto& one = so_far.jobs[job];
        // Each job at its own: a run that was rescaled within half a minute only looks as if its executors had joined late.
        now = one.completed_s ? detail::scale_out_at(so_far.scale_out, *one.completed_s) : 0;
        if (now == 0) now = detail::constant_scale_out(so_far).value_or(0);
        deviations.add(detail::path_time_s(one).value_or(0), bound.path_s(job, now));
    }
    std::vector<double> to_come;
    for (std::size_t job = begun.size(); job < bound.jobs(); ++job) to_come.push_back(bound.path_s(job, now));
    made.rest_ = bound.learned->factor.rest_after(deviations, to_come, bound.outside_after_s(begun.size(), now));
    return made;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
