// Applications stage by stage: learned from traces, predicted before a run starts and while it runs, and rescaled. Part of
// bellamy/c.h.
#ifndef BELLAMY_C_APPLICATION_H
#define BELLAMY_C_APPLICATION_H

#include <bellamy/c/choose.h>
#include <bellamy/c/trace.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// A model of the runs of one application.
typedef struct bellamy_application bellamy_application;

/// Predictions of one run; it keeps what it needs of the application alive.
typedef struct bellamy_forecast bellamy_forecast;

typedef struct bellamy_application_options {
    size_t size;
    uint64_t seed;
    int32_t threads;  // 0 is 1; the result does not depend on it
} bellamy_application_options;

/// Learns an application from runs that succeeded; others are passed over. Options may be null. Takes about 0.1 s for 50
/// runs and each stage. Codes: empty_history, invalid_option, and with the number of the run invalid_trace and those of bad
/// properties.
BELLAMY_C_API int32_t bellamy_application_pretrain(const bellamy_application_trace* runs, size_t count,
                                                   const bellamy_application_options* options, bellamy_application** result,
                                                   bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As for models: files and bytes, with the same codes. Code of the last two also: number_too_large.
BELLAMY_C_API int32_t bellamy_application_load(const char* path, bellamy_application** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_application_from_bytes(const void* bytes, size_t size, bellamy_application** result,
                                                     bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_application_save(const bellamy_application* application, const char* path,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_application_to_bytes(const bellamy_application* application, void* buffer, size_t capacity,
                                                   size_t* size, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As for models.
BELLAMY_C_API bellamy_application* bellamy_application_retain(const bellamy_application* application) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API void bellamy_application_release(bellamy_application** application) BELLAMY_C_NOEXCEPT;

typedef struct bellamy_application_description {
    size_t size;
    const char* application;          // valid as long as the handle
    int32_t smallest_seen_scale_out;  // 1 to 1 where none was known
    int32_t largest_seen_scale_out;
} bellamy_application_description;

BELLAMY_C_API int32_t bellamy_application_describe(const bellamy_application* application,
                                                   bellamy_application_description* description,
                                                   bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The forecast of a run with these properties. One that no run had is left out, a missing one is unknown. Takes up
/// to some milliseconds for each stage. Codes: those of bad properties.
BELLAMY_C_API int32_t bellamy_application_bind(const bellamy_application* application, const bellamy_property* properties,
                                               size_t count, bellamy_forecast** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As for models.
BELLAMY_C_API bellamy_forecast* bellamy_forecast_retain(const bellamy_forecast* forecast) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API void bellamy_forecast_release(bellamy_forecast** forecast) BELLAMY_C_NOEXCEPT;

/// The forecast for the rest of a run whose first jobs have ended: all jobs of `so_far` that have an end. Codes:
/// invalid_trace, also where a job without an end precedes one with an end, and those of bad properties.
BELLAMY_C_API int32_t bellamy_forecast_observe(const bellamy_forecast* forecast, const bellamy_application_trace* so_far,
                                               bellamy_forecast** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

typedef struct bellamy_forecast_description {
    size_t size;
    size_t jobs;           // expected jobs of the run, with the finished ones
    size_t finished_jobs;  // that the forecast has observed
    // Actual over predicted time of the rest of the run, estimated from the residuals of its finished jobs: 1.3 is 30 %
    // longer than predicted before the start. Median, 5 % and 95 % quantiles; NaN where no job has finished or none remains.
    double run_factor;
    double run_factor_p05;
    double run_factor_p95;
} bellamy_forecast_description;

BELLAMY_C_API int32_t bellamy_forecast_describe(const bellamy_forecast* forecast, bellamy_forecast_description* description,
                                                bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The expected number of stages of each job. `*count` is the number of jobs; pass capacity 0 to query it. Code:
/// buffer_too_small.
BELLAMY_C_API int32_t bellamy_forecast_stage_counts(const bellamy_forecast* forecast, size_t* stages, size_t capacity,
                                                    size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// One row for each scale-out; 0 is a scale-out that is not known. These allocate nothing. `_run` is the whole run before it
/// starts, `_remaining` from the end of the last finished job to the end of the run (not usable where no job remains).
/// Codes: invalid_scale_out; invalid_argument for a job or stage that is not expected.
BELLAMY_C_API int32_t bellamy_forecast_run(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                           bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_forecast_remaining(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                                 bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_forecast_job(const bellamy_forecast* forecast, size_t job, const int32_t* scale_outs,
                                           size_t count, bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_forecast_stage(const bellamy_forecast* forecast, size_t job, size_t stage,
                                             const int32_t* scale_outs, size_t count, bellamy_prediction* rows,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The progress of a running application, its deadline, and its costs.
typedef struct bellamy_rescale_request {
    size_t size;
    double deadline_s;       // from the start of the run to its end
    double elapsed_s;        // since the start of the run
    double probability;      // required probability of meeting the deadline
    double cost_of_change;   // beside the price of its delay
    double cost_of_missing;  // of the deadline; above 0, the least expected cost decides, this included
    int32_t scale_out;       // at present
} bellamy_rescale_request;

enum bellamy_rescale_verdict {
    bellamy_rescale_verdict_chosen = 0,
    bellamy_rescale_verdict_misses_deadline = 1,
    bellamy_rescale_verdict_not_usable = 2,
    bellamy_rescale_verdict_costs_more = 3,
    bellamy_rescale_verdict_not_worth_the_change = 4
};

/// Why a scale-out was chosen or not.
typedef struct bellamy_rescale_assessment {
    size_t size;
    double median_s;    // of the rest of the run, without the delay of the change
    double quantile_s;  // at the probability of the request
    double probability;
    double expected_cost;
    uint32_t flags;  // of bellamy_flag
    int32_t scale_out;
    int32_t verdict;
} bellamy_rescale_assessment;

enum bellamy_rescale_outcome {
    bellamy_rescale_outcome_meets_deadline = 0,
    bellamy_rescale_outcome_misses_deadline = 1,
    bellamy_rescale_outcome_deadline_passed = 2,
    bellamy_rescale_outcome_nothing_to_come = 3,
    bellamy_rescale_outcome_no_usable_prediction = 4,
    bellamy_rescale_outcome_costs_least = 5
};

/// Stay, or go to this scale-out.
typedef struct bellamy_rescale_decision {
    size_t size;
    int64_t candidate;  // its index, also where it stays; -1: nothing to come, or no usable prediction
    double probability;
    double expected_cost;
    int32_t scale_out;  // to run at; the present one where it stays
    int32_t changes;    // 1: go to it; 0: stay
    int32_t outcome;    // see bellamy_rescale_outcome
} bellamy_rescale_decision;

/// Whether the run of a forecast should stay, or go to one of these scale-outs; the present one among them stands for
/// staying. The price, which must be given, is of one unit; its start-up is the delay of a change. `rows`, where not null,
/// receives one row for each scale-out. Nothing is executed. Codes: invalid_deadline, invalid_runtime, invalid_probability,
/// invalid_price, invalid_scale_out, empty_candidates, buffer_too_small.
BELLAMY_C_API int32_t bellamy_forecast_rescale(const bellamy_forecast* forecast, const int32_t* scale_outs, size_t count,
                                               const bellamy_price* price, const bellamy_rescale_request* request,
                                               bellamy_rescale_decision* decision, bellamy_rescale_assessment* rows,
                                               size_t capacity, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// In words, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_rescale_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API const char* bellamy_rescale_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
