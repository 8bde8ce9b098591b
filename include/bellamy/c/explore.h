// Proposes which run of a job to make next, to find its cheapest cluster in a few. Part of bellamy/c.h.
#ifndef BELLAMY_C_EXPLORE_H
#define BELLAMY_C_EXPLORE_H

#include <bellamy/c/choose.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// What is assumed of a job's runtimes before its first run, learned from other jobs.
typedef struct bellamy_exploration_prior bellamy_exploration_prior;

/// The runs of one other job.
typedef struct bellamy_other_job {
    size_t size;
    const bellamy_run* runs;
    size_t run_count;
} bellamy_other_job;

/// Learns how runtimes depend on slots, cores, memory and data size, which the roles of properties tell. Takes milliseconds
/// for each hundred runs. Codes, with the number of the job and the run from 0: those of bad runs; empty_history where there
/// is no job, or a job without runs.
BELLAMY_C_API int32_t bellamy_learn_exploration(const bellamy_other_job* jobs, size_t count,
                                                bellamy_exploration_prior** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As `bellamy_model_retain` and `bellamy_model_release`.
BELLAMY_C_API bellamy_exploration_prior* bellamy_exploration_prior_retain(const bellamy_exploration_prior* prior)
    BELLAMY_C_NOEXCEPT;
BELLAMY_C_API void bellamy_exploration_prior_release(bellamy_exploration_prior** prior) BELLAMY_C_NOEXCEPT;

/// A cluster that the job may be tried on.
typedef struct bellamy_trial_candidate {
    size_t size;
    const bellamy_context* context;  // may be shared
    const bellamy_price* price;      // may be shared; null where no price is given, for the goal smallest_within_deadline
    int32_t scale_out;
} bellamy_trial_candidate;

/// What the search is for, and when it is to stop.
typedef struct bellamy_exploration_request {
    size_t size;
    const bellamy_request* wanted;
    double runs_to_come;  // > 0; a trial is proposed if it costs less than it gains in all of them. For goals that compare
                          // money
    double least_gain;    // stops where the expected gain is at most this share of the best run's value; 0 does not
} bellamy_exploration_request;

/// A run to make next.
typedef struct bellamy_proposed_trial {
    size_t size;
    size_t candidate;  // its index in the caller's list
    double median_s;
    double quantile_s;     // at the probability of the request
    double probability;    // of keeping the deadline or the budget; 1 where there is neither
    double expected_cost;  // of this run
    double expected_gain;  // of each run to come over the best run in the limit so far; NaN before there was one
} bellamy_proposed_trial;

/// Whether to make another run, and why not.
enum bellamy_exploration_verdict {
    bellamy_exploration_verdict_go_on = 0,
    bellamy_exploration_verdict_costs_more_than_it_gains = 1,
    bellamy_exploration_verdict_below_least_gain = 2,
    bellamy_exploration_verdict_everything_tried = 3,
    bellamy_exploration_verdict_hopeless = 4  // no candidate meets the limit with a probability of 0.01 or more
};

/// Whether to go on, and the candidate to take if the search ended now, which need not have run.
typedef struct bellamy_exploration {
    size_t size;
    size_t proposed;   // trials that were written
    int64_t best_run;  // the candidate of the best run in the limit so far; -1 before there was one
    size_t candidate;  // the best with what is known now
    double median_s;
    double quantile_s;  // at the probability of the request
    double probability;
    double expected_cost;
    uint32_t flags;
    uint32_t observed_runs;
    int32_t scale_out;
    int32_t
        limit;  // of bellamy_verdict: chosen, or misses_deadline or exceeds_budget where it is the most likely to keep it
    int32_t verdict;  // of bellamy_exploration_verdict; all but go_on stop
} bellamy_exploration;

/// Proposes up to `trials` runs, which can be made at the same time, the best first; `next` has room for as many. What would
/// come next is proposed also where the verdict is to stop. `runs` are those of the job so far, in any order. `known` may be
/// null. Takes milliseconds for 500 candidates and 20 runs. Codes, with the number of the candidate or run from 0: those of
/// `bellamy_choose`, of bad contexts and runs; invalid_option for a number of runs to come or trials that is not positive,
/// or a negative least gain.
BELLAMY_C_API int32_t bellamy_explore(const bellamy_trial_candidate* candidates, size_t count, const bellamy_run* runs,
                                      size_t run_count, const bellamy_exploration_request* request,
                                      const bellamy_exploration_prior* known, bellamy_exploration* answer,
                                      bellamy_proposed_trial* next, size_t trials, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Name in words, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_exploration_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
