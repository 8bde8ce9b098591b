// The rules of Enel and of Ellis as published, over predicted times of the jobs to come.
#ifndef BELLAMY_DETAIL_DECISION_PUBLISHED_RULES_HPP
#define BELLAMY_DETAIL_DECISION_PUBLISHED_RULES_HPP

#include <bellamy/detail/base/inline.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/rescale.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

[[nodiscard]] inline result<void> validate_scale_outs(std::span<const int> scale_outs) noexcept {
    if (scale_outs.empty()) return fail(errc::empty_candidates, "expected at least one scale-out, found none");
    int before = 0;
    for (const int each : scale_outs) {
        if (each <= before || each > largest_scale_out)
            return fail(errc::invalid_scale_out, "expected ascending scale-outs from 1 to ", largest_scale_out, ", found ",
                        each, " after ", before);
        before = each;
    }
    return {};
}

[[nodiscard]] inline result<void> validate_target(double target_s) noexcept {
    if (target_s > 0 && target_s <= (std::numeric_limits<double>::max)()) return {};
    return fail(errc::invalid_deadline, "expected a finite target > 0 seconds, found ", target_s);
}

[[nodiscard]] inline result<void> validate_rule(const job_times& times, const rule_request& now) noexcept {
    if (auto valid = validate_scale_outs(times.scale_outs); !valid) return valid;
    if (auto valid = validate_target(now.target_s); !valid) return valid;
    if (!(now.elapsed_s >= 0 && now.elapsed_s <= (std::numeric_limits<double>::max)()))
        return fail(errc::invalid_runtime, "expected a finite elapsed time >= 0 seconds, found ", now.elapsed_s);
    if (auto valid = validate_scale_out(now.scale_out); !valid) return valid;
    if (times.time_s.size() / times.scale_outs.size() < times.jobs)
        return fail(errc::buffer_too_small, "expected ", times.scale_outs.size(), " x ", times.jobs, " times, found ",
                    times.time_s.size());
    return {};
}

[[nodiscard]] inline bool is_usable_time(double time_s) noexcept {
    return time_s > 0 && time_s <= (std::numeric_limits<double>::max)();
}

/// Sum of the times of jobs first.. at the k-th scale-out; NaN where one of them is not usable.
[[nodiscard]] inline double sum_from(const job_times& times, std::size_t k, std::size_t first) noexcept {
    double sum = 0;
    for (std::size_t i = first; i < times.jobs; ++i) {
        const double time_s = times.time_s[k * times.jobs + i];
        sum += is_usable_time(time_s) ? time_s : std::numeric_limits<double>::quiet_NaN();
    }
    return sum;
}

/// The first scale-out whose sum is below its limit, else the first one of the least sum; none where all are NaN.
class smallest_or_fastest {
public:
    void add(std::size_t k, double sum, double limit) noexcept {
        if (sum < limit && !smallest_) smallest_ = k;
        if (std::isnan(sum) || (fastest_ && !(sum < least_))) return;
        fastest_ = k;
        least_ = sum;
    }
    [[nodiscard]] std::optional<std::size_t> answer() const noexcept { return smallest_ ? smallest_ : fastest_; }

private:
    std::optional<std::size_t> smallest_{};
    std::optional<std::size_t> fastest_{};
    double least_ = 0;
};

/// The first scale-out in a range whose total is below a limit, else the fastest there; 0 where none is usable.
[[nodiscard]] inline result<int> first_below(std::span<const int> scale_outs, std::span<const double> total_s, int least,
                                             int most, double limit_s) noexcept {
    if (auto valid = validate_scale_outs(scale_outs); !valid) return valid.error();
    if (total_s.size() < scale_outs.size())
        return fail(errc::buffer_too_small, "expected ", scale_outs.size(), " totals, found ", total_s.size());
    smallest_or_fastest search;
    for (std::size_t k = 0; k < scale_outs.size(); ++k)
        if (scale_outs[k] >= least && scale_outs[k] <= most)
            search.add(k, is_usable_time(total_s[k]) ? total_s[k] : std::numeric_limits<double>::quiet_NaN(), limit_s);
    return search.answer() ? scale_outs[*search.answer()] : 0;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<std::size_t> enel_rule(const job_times& times, const rule_request& now,
                                                    std::span<int> chosen) noexcept {
    if (auto valid = detail::validate_rule(times, now); !valid) return valid.error();
    if (chosen.size() < times.jobs)
        return detail::fail(errc::buffer_too_small, "expected room for ", times.jobs, " answers, found ", chosen.size());
    if (times.jobs <= 1) return std::size_t{0};
    const int least = times.scale_outs.front();
    const int reach = (std::max)(least, now.scale_out + (times.scale_outs.back() - least) / 8);
    const double budget_s = 1.05 * now.target_s - now.elapsed_s;
    for (std::size_t job = 0; job < times.jobs; ++job) {
        detail::smallest_or_fastest search;
        for (std::size_t k = 0; k < times.scale_outs.size() && times.scale_outs[k] <= reach; ++k) {
            if (std::isnan(detail::sum_from(times, k, 0))) continue;
            double before_s = 0;
            for (std::size_t i = 0; i < job; ++i) before_s += times.time_s[k * times.jobs + i];
            search.add(k, detail::sum_from(times, k, job), budget_s - before_s);
        }
        if (!search.answer()) return std::size_t{0};
        chosen[job] = times.scale_outs[*search.answer()];
    }
    return times.jobs;
}

BELLAMY_PUBLIC_INLINE result<int> enel_first_scale_out(std::span<const int> scale_outs, std::span<const double> total_s,
                                                       int least_seen, int most_seen, double target_s) noexcept {
    if (auto valid = detail::validate_target(target_s); !valid) return valid.error();
    if (least_seen < 1 || most_seen < least_seen)
        return detail::fail(errc::invalid_scale_out, "expected scale-outs seen from 1 on, the least first, found ",
                            least_seen, " and ", most_seen);
    return detail::first_below(scale_outs, total_s, least_seen, most_seen, 0.9 * target_s);
}

BELLAMY_PUBLIC_INLINE result<int> ellis_rule(const job_times& times, const rule_request& now) noexcept {
    if (auto valid = detail::validate_rule(times, now); !valid) return valid.error();
    const auto at = std::find(times.scale_outs.begin(), times.scale_outs.end(), now.scale_out);
    if (at == times.scale_outs.end())
        return detail::fail(errc::invalid_scale_out, "expected the present scale-out ", now.scale_out,
                            " among those of the times, found it not");
    if (times.jobs < 2) return now.scale_out;
    const auto present = static_cast<std::size_t>(at - times.scale_outs.begin());
    const double next_s = times.time_s[present * times.jobs];
    if (!detail::is_usable_time(next_s)) return now.scale_out;
    const double left_s = now.target_s - now.elapsed_s - next_s;
    const double rest_s = detail::sum_from(times, present, 1);
    detail::smallest_or_fastest search;
    for (std::size_t k = 0; k < times.scale_outs.size(); ++k) search.add(k, detail::sum_from(times, k, 1), 0.9 * left_s);
    if (!search.answer()) return now.scale_out;
    const int wanted = times.scale_outs[*search.answer()];
    // A rest that is not known counts as too long.
    if (!(rest_s <= 1.05 * left_s)) return wanted;
    if (rest_s < 0.85 * left_s) return (std::min)(wanted, now.scale_out);
    return now.scale_out;
}

BELLAMY_PUBLIC_INLINE result<int> ellis_first_scale_out(int least, int most, std::size_t earlier_runs,
                                                        bool all_met) noexcept {
    if (least < 1 || most < least || most > largest_scale_out)
        return detail::fail(errc::invalid_scale_out, "expected scale-outs from 1 to ", largest_scale_out,
                            ", the least first, found ", least, " and ", most);
    const int middle = least + (most - least) / 2;
    if (earlier_runs == 0) return most;
    if (earlier_runs == 1) return middle;
    if (earlier_runs == 2) return all_met ? least + (middle - least) / 2 : middle + (most - middle) / 2;
    return detail::fail(errc::invalid_option, "expected less than 3 earlier runs, found ", earlier_runs);
}

BELLAMY_PUBLIC_INLINE result<int> ellis_first_scale_out(std::span<const int> scale_outs, std::span<const double> total_s,
                                                        double target_s) noexcept {
    if (auto valid = detail::validate_target(target_s); !valid) return valid.error();
    return detail::first_below(scale_outs, total_s, 1, largest_scale_out, target_s);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
