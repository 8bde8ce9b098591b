// Decides whether a running application should change its scale-out, with a table of reasons. Nothing is executed.
#ifndef BELLAMY_RESCALE_HPP
#define BELLAMY_RESCALE_HPP

#include <bellamy/choose.hpp>
#include <bellamy/run.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Progress of a running application, its deadline and the costs of changing and of missing.
struct rescale_request {
    /// From the start of the run to its end.
    double deadline_s = 0;
    /// Since the start of the run.
    double elapsed_s = 0;
    /// Required probability of meeting the deadline; 0.5 looks at the median alone. More than any candidate has may choose a
    /// less likely, cheaper one than a little less: see `rescale_outcome::misses_deadline`.
    double probability = 0.9;
    /// The present scale-out.
    int scale_out = 1;
    /// Unfinished jobs. With none, there is nothing to decide: it stays.
    size_t jobs_to_come = 1;
    /// What a change costs besides the price of its delay, in the currency of the prices. A change must save more than this.
    double cost_of_change = 0;
    /// What a missed deadline costs, in the same currency. Above 0, the least expected cost decides, that of missing
    /// included: a deadline is not met at any price. The probability then only decides between the outcomes meets_deadline
    /// and costs_least.
    double cost_of_missing = 0;
};

/// One scale-out for the rest of the run; the present one means staying.
struct rescale_candidate {
    int scale_out = 1;
    /// Seconds from now to the end of the run at this scale-out, without the delay of the change.
    prediction rest{};
    /// There must be a price: the least cost decides. `start_up_s` is the delay of a change to this scale-out: paid for, and
    /// added to the rest. It does not count for the present scale-out.
    price costs{};
};

/// Why a candidate was chosen or not.
enum class rescale_verdict : std::uint8_t {
    chosen = 0,
    misses_deadline = 1,       // its probability of meeting the deadline is too low
    not_usable = 2,            // the prediction is not a positive, finite time
    costs_more = 3,            // meets the deadline, but so does a cheaper one; or, where missing has a cost, one is cheaper
    not_worth_the_change = 4,  // meets the deadline at less cost, but saves no more than the change costs
};

[[nodiscard]] constexpr std::string_view to_string(rescale_verdict why) noexcept {
    return detail::name_at(why,
                           {"chosen", "misses the deadline", "no usable prediction", "costs more", "not worth the change"});
}

/// One row of the table behind a decision.
struct rescale_assessment {
    size_t candidate = 0;  // its index in the caller's list
    int scale_out = 0;
    prediction rest{};
    /// Of meeting the deadline, the delay of the change included.
    double probability = 0;
    /// Of the rest of the run, in the currency of the prices; the change and what missing costs included.
    double expected_cost = 0;
    rescale_verdict why = rescale_verdict::not_usable;
};

enum class rescale_outcome : std::uint8_t {
    meets_deadline = 0,
    /// No candidate meets the deadline with the required probability. The best effort is the cheapest of those that are
    /// about as likely to meet it as the likeliest (four fifths of its odds) or, where that is hopeless for all (below
    /// 0.01), the one of least median.
    misses_deadline = 1,
    /// No time is left. The best effort is the candidate of least median or, where missing has a cost, which now is certain,
    /// the cheapest one.
    deadline_passed = 2,
    /// All jobs are finished: it stays.
    nothing_to_come = 3,
    /// No candidate has a usable prediction: it stays.
    no_usable_prediction = 4,
    /// Missing has a cost, and the cheapest candidate meets the deadline with less than the required probability.
    costs_least = 5,
};

[[nodiscard]] constexpr std::string_view to_string(rescale_outcome kind) noexcept {
    return detail::name_at(kind, {"meets the deadline", "misses the deadline", "deadline passed", "nothing to come",
                                  "no usable prediction", "costs least"});
}

/// Stay, or change to this scale-out.
struct rescale_decision {
    rescale_outcome outcome = rescale_outcome::no_usable_prediction;
    int scale_out = 1;
    bool changes = false;
    /// The chosen row; empty where no candidate was chosen.
    std::optional<rescale_assessment> candidate{};
};

/// The candidate of least expected cost among those that meet the deadline with the required probability or, where missing
/// has a cost, among all. Hysteresis: every scale-out but the present one is charged the cost of a change. Ties go to
/// staying, then to the smaller scale-out.
///
/// `table`, where given, receives one row per candidate in their order; it must have room for all of them. Allocates
/// nothing, locks nothing; any number of threads may call it. Errors: invalid_deadline (not finite, not > 0),
/// invalid_runtime (elapsed time), invalid_probability, invalid_scale_out, invalid_price (also of the change
/// and of missing), empty_candidates (where a job is to come), buffer_too_small.
result<rescale_decision> rescale(std::span<const rescale_candidate> candidates, const rescale_request& wanted,
                                 std::span<rescale_assessment> table = {}) noexcept;

/// Predicts the remaining time of a run at a scale-out: application.hpp's `forecast`, or a type of yours.
template <class Forecast>
concept predicts_remaining_time = requires(const Forecast& forecast, int scale_out) {
    { forecast.remaining(scale_out) }
    noexcept->std::same_as<prediction>;
    { forecast.jobs() }
    noexcept->std::convertible_to<size_t>;
    { forecast.finished_jobs() }
    noexcept->std::convertible_to<size_t>;
};

namespace detail {

/// A reference to a forecast of any type, so that the decision is compiled once.
struct any_forecast {
    const void* object = nullptr;
    prediction (*remaining)(const void*, int) noexcept = nullptr;
    size_t jobs_to_come = 0;
};

result<rescale_decision> rescale_by(const any_forecast& forecast, std::span<const int> scale_outs, const price& costs,
                                    const rescale_request& wanted, std::span<rescale_assessment> table) noexcept;

}  // namespace detail

/// The same for scale-outs of one kind of machine and a forecast, which also knows the number of unfinished jobs:
/// `wanted.jobs_to_come` is ignored.
template <predicts_remaining_time Forecast>
result<rescale_decision> rescale(const Forecast& forecast, std::span<const int> scale_outs, const price& costs,
                                 const rescale_request& wanted, std::span<rescale_assessment> table = {}) noexcept {
    const size_t jobs = forecast.jobs();
    const size_t finished = forecast.finished_jobs();
    const auto remaining = [](const void* object, int scale_out) noexcept {
        return static_cast<const Forecast*>(object)->remaining(scale_out);
    };
    return detail::rescale_by(
        {.object = &forecast, .remaining = remaining, .jobs_to_come = finished < jobs ? jobs - finished : 0}, scale_outs,
        costs, wanted, table);
}

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/decision/rescale_impl.hpp>  // IWYU pragma: export
#endif

#endif
