// Cost of a run on a cluster, in the caller's currency and with the caller's prices.
#ifndef BELLAMY_PRICE_HPP
#define BELLAMY_PRICE_HPP

#include <bellamy/detail/base/message.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Price and billing of one kind of machine.
struct price {
    /// Of one unit of scale-out (see `scale_out_unit`), in any currency. NaN: no price is given, and costs are NaN, too;
    /// where a cost decides, that is an error. Machines that are free have a price of 0.
    double per_unit_and_hour = std::numeric_limits<double>::quiet_NaN();
    /// Until the job begins; it is paid for and counts towards a deadline.
    double start_up_s = 0;
    /// Started billing periods are paid in full; 0 bills exact seconds.
    double billing_granularity_s = 0;
    /// Of the whole cluster, where it can be taken away (spot machines).
    double interruptions_per_hour = 0;
    /// Fraction of the run that one interruption makes necessary again.
    double rerun_share = 0.5;
};

/// Checks that everything is finite and not negative, and rerun_share at most 1; where no cost `decides`, the price may be
/// missing. Error: invalid_price.
inline result<void> validate(const price& terms, bool decides = true) noexcept {
    // NaN must be refused.
    const auto wrong = [](double value, double largest) { return !(value >= 0 && value <= largest); };
    constexpr double finite = (std::numeric_limits<double>::max)();
    const auto refuse = [](std::string_view what, double value) {
        return detail::fail(errc::invalid_price, "expected ", what, ", found ", value);
    };
    const bool is_missing = std::isnan(terms.per_unit_and_hour);
    if (!is_missing && wrong(terms.per_unit_and_hour, finite))
        return refuse("a price >= 0 per unit and hour", terms.per_unit_and_hour);
    if (wrong(terms.start_up_s, finite)) return refuse("a start-up >= 0 seconds", terms.start_up_s);
    if (wrong(terms.billing_granularity_s, finite))
        return refuse("a billing granularity >= 0 seconds", terms.billing_granularity_s);
    if (wrong(terms.interruptions_per_hour, finite))
        return refuse("interruptions >= 0 per hour", terms.interruptions_per_hour);
    if (wrong(terms.rerun_share, 1)) return refuse("a share from 0 to 1 to run again", terms.rerun_share);
    if (is_missing && decides)
        return detail::fail(errc::invalid_price, "expected a price per unit and hour (0 where free), found none");
    return {};
}

/// Expected seconds from the request to the result: start-up, the run, and reruns after interruptions (their number is
/// proportional to the runtime, and each repeats a fraction of the run).
[[nodiscard]] inline double time_to_result_s(const price& terms, double runtime_s) noexcept {
    const double rerun_per_hour = terms.interruptions_per_hour * terms.rerun_share;
    return terms.start_up_s + runtime_s * (1 + rerun_per_hour * runtime_s / 3600);
}

/// Longest runtime whose time to the result is at most `limit_s`, the inverse of time_to_result_s; at most 0 where no run is
/// that short.
[[nodiscard]] inline double runtime_within_s(const price& terms, double limit_s) noexcept {
    const double left_s = limit_s - terms.start_up_s;
    const double a = terms.interruptions_per_hour / 3600 * terms.rerun_share;  // expected reruns per second of the run
    if (a <= 0 || left_s <= 0) return left_s;
    // Positive root of a x^2 + x = left_s; hypot avoids overflow of 4 a left_s.
    return 2 * left_s / (1 + std::hypot(1.0, 2 * std::sqrt(a) * std::sqrt(left_s)));
}

/// Cost of the time to the result at a scale-out; infinite where it exceeds the range of a double, NaN without a price.
[[nodiscard]] inline double cost_of(const price& terms, int scale_out, double runtime_s) noexcept {
    if (terms.per_unit_and_hour <= 0) return 0;  // an infinite time would give NaN
    double paid_s = time_to_result_s(terms, runtime_s);
    if (terms.billing_granularity_s > 0)
        paid_s = std::ceil(paid_s / terms.billing_granularity_s) * terms.billing_granularity_s;
    return terms.per_unit_and_hour * scale_out * paid_s / 3600;
}

/// Longest runtime whose cost at a scale-out is at most `budget`, the inverse of cost_of; infinite where machines are free,
/// at most 0 where no run is that cheap, NaN without a price.
[[nodiscard]] inline double runtime_within_budget_s(const price& terms, int scale_out, double budget) noexcept {
    constexpr double longest_s = (std::numeric_limits<double>::max)();
    const double per_second = terms.per_unit_and_hour * scale_out / 3600;
    if (per_second <= 0) return std::numeric_limits<double>::infinity();
    double paid_s = (std::min)(budget / per_second, longest_s);
    if (terms.billing_granularity_s > 0)  // rounding must not take a period that is paid
        paid_s = std::floor(paid_s / terms.billing_granularity_s * (1 + 1e-15)) * terms.billing_granularity_s;
    return runtime_within_s(terms, (std::min)(paid_s, longest_s));
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
