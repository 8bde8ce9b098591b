// What the published rules of Enel and Ellis share: validated times, sums over the rest of the run, and the smallest
// scale-out below a limit.
#ifndef BELLAMY_DETAIL_ENEL_PUBLISHED_RULE_HPP
#define BELLAMY_DETAIL_ENEL_PUBLISHED_RULE_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/job_times.hpp>

#include <cmath>
#include <limits>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

[[nodiscard]] inline bool is_usable_time(double time_s) noexcept {
    return time_s > 0 && time_s <= (std::numeric_limits<double>::max)();
}

[[nodiscard]] inline result<void> validate_scale_outs(std::span<const int> scale_outs) noexcept {
    if (scale_outs.empty()) return fail(errc::empty_candidates, "expected at least one scale-out, found none");
    int before = 0;
    for (const int scale_out : scale_outs) {
        if (scale_out <= before || scale_out > largest_scale_out)
            return fail(errc::invalid_scale_out, "expected ascending scale-outs from 1 to ", largest_scale_out, ", found ",
                        scale_out, " after ", before);
        before = scale_out;
    }
    return {};
}

[[nodiscard]] inline result<void> validate_target(double target_s) noexcept {
    if (is_usable_time(target_s)) return {};
    return fail(errc::invalid_deadline, "expected a finite target > 0 seconds, found ", target_s);
}

[[nodiscard]] inline result<void> validate_rule(const job_times& times, const rule_request& request) noexcept {
    if (auto valid = validate_scale_outs(times.scale_outs); !valid) return valid;
    if (auto valid = validate_target(request.target_s); !valid) return valid;
    if (!(request.elapsed_s >= 0 && request.elapsed_s <= (std::numeric_limits<double>::max)()))
        return fail(errc::invalid_runtime, "expected a finite elapsed time >= 0 seconds, found ", request.elapsed_s);
    if (auto valid = validate_scale_out(request.scale_out); !valid) return valid;
    if (times.time_s.size() / times.scale_outs.size() < times.jobs)
        return fail(errc::buffer_too_small, "expected ", times.scale_outs.size(), " x ", times.jobs, " times, found ",
                    times.time_s.size());
    return {};
}

/// Sum of the times of jobs first.. at the k-th scale-out; NaN where one of them is not usable.
[[nodiscard]] inline double sum_from(const job_times& times, std::size_t k, std::size_t first) noexcept {
    double sum_s = 0;
    for (std::size_t job = first; job < times.jobs; ++job) {
        const double time_s = times.time_s[k * times.jobs + job];
        sum_s += is_usable_time(time_s) ? time_s : std::numeric_limits<double>::quiet_NaN();
    }
    return sum_s;
}

/// Position of the first scale-out whose time is below its limit, else of the fastest one; none where all times are NaN.
class smallest_or_fastest {
public:
    void add(std::size_t k, double time_s, double limit_s) noexcept {
        if (time_s < limit_s && !smallest_) smallest_ = k;
        if (std::isnan(time_s) || (fastest_ && !(time_s < fastest_s_))) return;
        fastest_ = k;
        fastest_s_ = time_s;
    }
    [[nodiscard]] std::optional<std::size_t> position() const noexcept { return smallest_ ? smallest_ : fastest_; }

private:
    std::optional<std::size_t> smallest_{};
    std::optional<std::size_t> fastest_{};
    double fastest_s_ = 0;
};

/// The first of the scale-outs in [least, most] whose total is below a limit, else the fastest there; 0 where none is
/// usable.
[[nodiscard]] inline result<int> first_below(std::span<const int> scale_outs, std::span<const double> total_s, int least,
                                             int most, double limit_s) noexcept {
    if (auto valid = validate_scale_outs(scale_outs); !valid) return valid.error();
    if (total_s.size() < scale_outs.size())
        return fail(errc::buffer_too_small, "expected ", scale_outs.size(), " totals, found ", total_s.size());
    smallest_or_fastest search;
    for (std::size_t k = 0; k < scale_outs.size(); ++k)
        if (scale_outs[k] >= least && scale_outs[k] <= most)
            search.add(k, is_usable_time(total_s[k]) ? total_s[k] : std::numeric_limits<double>::quiet_NaN(), limit_s);
    return search.position() ? scale_outs[*search.position()] : 0;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
