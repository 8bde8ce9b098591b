// What a run on a cluster costs, in the caller's currency and with the caller's prices.
#ifndef BELLAMY_PRICE_HPP
#define BELLAMY_PRICE_HPP

#include <bellamy/detail/base/message.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Price and billing of one kind of machine.
struct price {
    /// Of one unit of scale-out (see `scale_out_unit`), in any currency.
    double per_unit_and_hour = 0;
    /// Until the job begins; paid for, and part of what a deadline waits for.
    double start_up_s = 0;
    /// Started periods are paid in full; 0 is paid by the exact second.
    double billing_granularity_s = 0;
    /// Of the whole cluster, where it can be taken away (spot machines).
    double interruptions_per_hour = 0;
    /// Share of the work that one interruption makes necessary again.
    double rerun_share = 0.5;
};

/// Checks that everything is finite and not negative, and rerun_share at most 1. Error: invalid_price.
[[nodiscard]] inline result<void> validate(const price& subject) noexcept {
    const auto wrong = [](double value, double most) { return !(value >= 0 && value <= most); };
    constexpr double finite = (std::numeric_limits<double>::max)();
    const auto refuse = [](std::string_view what, double value) {
        return detail::fail(errc::invalid_price, "expected ", what, ", found ", value);
    };
    if (wrong(subject.per_unit_and_hour, finite)) return refuse("a price >= 0 per unit and hour", subject.per_unit_and_hour);
    if (wrong(subject.start_up_s, finite)) return refuse("a start-up >= 0 seconds", subject.start_up_s);
    if (wrong(subject.billing_granularity_s, finite))
        return refuse("a billing granularity >= 0 seconds", subject.billing_granularity_s);
    if (wrong(subject.interruptions_per_hour, finite))
        return refuse("interruptions >= 0 per hour", subject.interruptions_per_hour);
    if (wrong(subject.rerun_share, 1)) return refuse("a share from 0 to 1 to run again", subject.rerun_share);
    return {};
}

/// Seconds from the request to the result: start-up, the run, and what interruptions are expected to make necessary again
/// (their number is proportional to the time at risk, each costs a share of the run).
[[nodiscard]] inline double time_to_result_s(const price& subject, double runtime_s) noexcept {
    const double rerun_per_hour = subject.interruptions_per_hour * subject.rerun_share;
    return subject.start_up_s + runtime_s * (1 + rerun_per_hour * runtime_s / 3600);
}

/// The longest runtime whose time to the result is at most `limit_s`: the inverse of the above; at most 0 where none is as
/// short.
[[nodiscard]] inline double runtime_within_s(const price& subject, double limit_s) noexcept {
    const double left_s = limit_s - subject.start_up_s;
    const double a = subject.interruptions_per_hour / 3600 * subject.rerun_share;
    if (a <= 0 || left_s <= 0) return left_s;
    // hypot, because the square of what is under the root may overflow where the root does not.
    return 2 * left_s / (1 + std::hypot(1.0, 2 * std::sqrt(a) * std::sqrt(left_s)));
}

/// What the time to the result costs at a scale-out; infinite where that is more than a double holds.
[[nodiscard]] inline double cost_of(const price& subject, int scale_out, double runtime_s) noexcept {
    if (subject.per_unit_and_hour <= 0) return 0;  // also where the time is infinite
    double paid_s = time_to_result_s(subject, runtime_s);
    if (subject.billing_granularity_s > 0)
        paid_s = std::ceil(paid_s / subject.billing_granularity_s) * subject.billing_granularity_s;
    return subject.per_unit_and_hour * scale_out * paid_s / 3600;
}

/// The longest runtime whose cost at a scale-out is at most `budget`: the inverse of the above, and as long as a double
/// holds where machines are free; at most 0 where no run is as cheap.
[[nodiscard]] inline double runtime_within_budget_s(const price& subject, int scale_out, double budget) noexcept {
    constexpr double longest_s = (std::numeric_limits<double>::max)();
    const double per_second = subject.per_unit_and_hour * scale_out / 3600;
    if (per_second <= 0) return std::numeric_limits<double>::infinity();
    double paid_s = (std::min)(budget / per_second, longest_s);
    if (subject.billing_granularity_s > 0)
        paid_s = std::floor(paid_s / subject.billing_granularity_s) * subject.billing_granularity_s;
    return runtime_within_s(subject, (std::min)(paid_s, longest_s));
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
