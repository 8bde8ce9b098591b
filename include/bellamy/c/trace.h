// Traces: what a finished or running application did, job by job and stage by stage. Part of bellamy/c.h.
#ifndef BELLAMY_C_TRACE_H
#define BELLAMY_C_TRACE_H

#include <bellamy/c/run.h>

// In C++, math.h is 125,000 tokens.
#if defined(__GNUC__)
#define BELLAMY_C_NAN __builtin_nan("")
#else
#include <math.h>
#define BELLAMY_C_NAN ((double)NAN)
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/// How a run, a job or a stage ended. Unfinished: it still runs, or its end was not recorded.
enum bellamy_trace_outcome {
    bellamy_trace_outcome_succeeded = 0,
    bellamy_trace_outcome_failed = 1,
    bellamy_trace_outcome_killed = 2,
    bellamy_trace_outcome_unfinished = 3
};

/// One attempt of a stage. Times are seconds from the start of the run, NaN where not known.
typedef struct bellamy_stage_trace {
    size_t size;
    const char* name;        // null is unnamed
    const int64_t* parents;  // ids of stages of the same job that must end first
    const double* task_s;    // durations in seconds of the tasks that succeeded, in the order of launch
    size_t parent_count;
    size_t task_count;
    int64_t id;
    int64_t attempt;
    int64_t tasks;            // -1 where not known, as the next three
    int64_t first_wave;       // of the durations, how many were among the first on a core of their executor
    int32_t start_scale_out;  // both or none
    int32_t end_scale_out;
    double submitted_s;
    double completed_s;
    int32_t outcome;  // see bellamy_trace_outcome
} bellamy_stage_trace;

/// The stages that an action of the driver started; a source without stages has jobs without them.
typedef struct bellamy_job_trace {
    size_t size;
    const bellamy_stage_trace* stages;
    size_t stage_count;
    int64_t id;
    double submitted_s;  // NaN where not known, as the next one
    double completed_s;
    int32_t outcome;
} bellamy_job_trace;

/// From `at_s` on, the application has so many units of scale-out; 0 before its first executor.
typedef struct bellamy_scale_out_step {
    size_t size;
    double at_s;
    int32_t scale_out;
} bellamy_scale_out_step;

/// One run of an application.
typedef struct bellamy_application_trace {
    size_t size;
    const char* application;
    const char* run;                     // null is unnamed
    const bellamy_property* properties;  // known before the start; without the scale-out
    size_t property_count;
    const bellamy_scale_out_step* steps;  // in the order of time; none where not known
    size_t step_count;
    const bellamy_job_trace* jobs;  // in the order of submission
    size_t job_count;
    double runtime_s;  // from start to end; of an unfinished run, until the last time that is known
    int32_t unit;      // see bellamy_unit
    int32_t outcome;   // see bellamy_trace_outcome
} bellamy_application_trace;

/// A stage that succeeded; where it has parents, tasks or a scale-out, set them.
static inline bellamy_stage_trace bellamy_stage_of(int64_t id, double submitted_s, double completed_s) {
    const bellamy_stage_trace stage = {
        sizeof(bellamy_stage_trace), NULL, NULL, NULL, 0, 0, id, 0, -1, -1, -1, -1, submitted_s, completed_s, 0};
    return stage;
}
/// A job that succeeded.
static inline bellamy_job_trace bellamy_job_of(int64_t id, double submitted_s, double completed_s,
                                               const bellamy_stage_trace* stages, size_t stage_count) {
    const bellamy_job_trace job = {sizeof(bellamy_job_trace), stages, stage_count, id, submitted_s, completed_s, 0};
    return job;
}
/// A job that has been submitted and not ended.
static inline bellamy_job_trace bellamy_running_job_of(int64_t id, double submitted_s) {
    const bellamy_job_trace job = {sizeof(bellamy_job_trace),       NULL, 0, id, submitted_s, BELLAMY_C_NAN,
                                   bellamy_trace_outcome_unfinished};
    return job;
}

#if defined(__cplusplus)
}
#endif

#endif
