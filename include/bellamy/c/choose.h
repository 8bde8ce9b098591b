// Chooses a scale-out and a kind of machine from predictions, and explains the choice in a table. Part of bellamy/c.h.
#ifndef BELLAMY_C_CHOOSE_H
#define BELLAMY_C_CHOOSE_H

#include <bellamy/c/prediction.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Price and billing of one kind of machine, in any currency.
typedef struct bellamy_price {
    size_t size;
    double per_unit_and_hour;  // 0 where machines are free, NaN where no price is given
    double start_up_s;
    double billing_granularity_s;   // started periods are paid in full; 0 is paid by the exact second
    double interruptions_per_hour;  // of the whole cluster (spot machines)
    double rerun_share;             // fraction of the work that is repeated after an interruption
} bellamy_price;

/// One way to run the job.
typedef struct bellamy_candidate {
    size_t size;
    const bellamy_curve* curve;
    const bellamy_price* price;  // may be shared; null where no price is given, for the goal smallest_within_deadline
    int32_t scale_out;
} bellamy_candidate;

enum bellamy_goal {
    bellamy_goal_smallest_within_deadline = 0,
    bellamy_goal_cheapest_within_deadline = 1,
    bellamy_goal_fastest_within_budget = 2,
    bellamy_goal_least_expected_cost = 3
};

/// A limit that the goal does not have must be 0.
typedef struct bellamy_request {
    size_t size;
    double deadline_s;       // from the request to the result, start-up included
    double budget;           // in the currency of the prices
    double probability;      // required probability of keeping the deadline or the budget
    double cost_of_missing;  // of the deadline; for the goal least_expected_cost alone, where it is part of the cost
    int32_t goal;
} bellamy_request;

enum bellamy_verdict {
    bellamy_verdict_chosen = 0,
    bellamy_verdict_larger_than_needed = 1,
    bellamy_verdict_misses_deadline = 2,
    bellamy_verdict_not_usable = 3,
    bellamy_verdict_costs_more = 4,
    bellamy_verdict_exceeds_budget = 5,
    bellamy_verdict_slower = 6,
    bellamy_verdict_unlike_any_seen = 7  // or outside the seen data sizes; a known candidate keeps the limit, too
};

/// Why a candidate was chosen or not.
typedef struct bellamy_assessment {
    size_t size;
    size_t candidate;  // its index in the caller's list
    double median_s;
    double quantile_s;     // at the probability of the request
    double probability;    // of keeping the deadline or the budget; 1 where there is neither
    double expected_cost;  // as choose.hpp says: that of one of several curves may be raised; NaN without a price
    uint32_t flags;
    uint32_t observed_runs;
    int32_t scale_out;
    int32_t verdict;
} bellamy_assessment;

enum bellamy_outcome {
    bellamy_outcome_meets_deadline = 0,  // or the budget
    bellamy_outcome_meets_deadline_by_extrapolation = 1,
    bellamy_outcome_infeasible = 2,
    bellamy_outcome_meets_deadline_unlike_any_seen = 3,
    bellamy_outcome_costs_least = 4,
    bellamy_outcome_costs_least_unlike_any_seen = 5
};

/// The chosen candidate or, when infeasible, the one most likely to keep the limit.
typedef struct bellamy_decision {
    size_t size;
    int64_t candidate;  // -1 when no prediction was usable; the outcome is then infeasible, the other fields are 0
    double median_s;
    double quantile_s;
    double probability;
    double expected_cost;  // as in bellamy_assessment
    uint32_t flags;
    uint32_t observed_runs;
    int32_t scale_out;
    int32_t outcome;
} bellamy_decision;

/// Chooses the best candidate; ties go to the smaller scale-out, then to the earlier one. `rows`, where not null, receives
/// one row per candidate in their order. Codes: invalid_deadline, invalid_budget, invalid_probability, empty_candidates,
/// missing_curve, invalid_price, invalid_scale_out, buffer_too_small.
BELLAMY_C_API int32_t bellamy_choose(const bellamy_candidate* candidates, size_t count, const bellamy_request* request,
                                     bellamy_decision* decision, bellamy_assessment* rows, size_t capacity,
                                     bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Names in words, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API const char* bellamy_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
