// Recorded executions of a job: properties, contexts and runs. Part of bellamy/c.h.
#ifndef BELLAMY_C_RUN_H
#define BELLAMY_C_RUN_H

#include <bellamy/c/error.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum bellamy_kind { bellamy_kind_text = 0, bellamy_kind_natural = 1, bellamy_kind_quantity = 2, bellamy_kind_unknown = 3 };

/// Meaning of a property, where it is known; a role occurs at most once in a context.
enum bellamy_role {
    bellamy_role_none = 0,
    bellamy_role_data_size = 1,
    bellamy_role_memory_per_node = 2,
    bellamy_role_cores_per_node = 3,
    bellamy_role_machine_type = 4
};

/// What one unit of scale-out is.
enum bellamy_unit { bellamy_unit_node = 0, bellamy_unit_executor = 1, bellamy_unit_slot = 2, bellamy_unit_core = 3 };

/// A named fact about a job's context. Its kind selects the value that is used; an unknown one has none.
typedef struct bellamy_property {
    size_t size;
    const char* name;
    const char* text;
    uint64_t natural;  // at most 39 bits
    double quantity;   // > 0
    int32_t kind;
    int32_t role;
    int32_t scales_with_scale_out;  // the job sees value times scale-out, for example a cluster's total memory
} bellamy_property;

/// Where and on what a job runs: essential properties in a fixed order, optional ones, and the unit of scale-out.
typedef struct bellamy_context {
    size_t size;
    const bellamy_property* essential;
    size_t essential_count;
    const bellamy_property* optional;
    size_t optional_count;
    int32_t unit;
} bellamy_context;

/// One recorded execution of a job.
typedef struct bellamy_run {
    size_t size;
    const bellamy_context* context;  // may be shared by runs
    double runtime_s;
    double weight;       // of the run in training; 1 by default
    double timestamp_s;  // since the Unix epoch; 0 where it was not recorded
    int32_t scale_out;
    int32_t censored;  // right-censored: killed after runtime_s, so that the true runtime is longer
} bellamy_run;

/// Names of enumerators, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API const char* bellamy_role_name(int32_t role) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API const char* bellamy_unit_name(int32_t unit) BELLAMY_C_NOEXCEPT;

static inline bellamy_property bellamy_text(const char* name, const char* value) {
    const bellamy_property property = {sizeof(bellamy_property), name, value, 0, 0, bellamy_kind_text, 0, 0};
    return property;
}
static inline bellamy_property bellamy_natural(const char* name, uint64_t value) {
    const bellamy_property property = {sizeof(bellamy_property), name, NULL, value, 0, bellamy_kind_natural, 0, 0};
    return property;
}
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
/// Selected for a floating-point value, so that it does not compile: it would be truncated silently.
struct bellamy_expected_a_whole_number {
    char unused;
};
#define bellamy_natural(name, value)                                                          \
    bellamy_natural(name, _Generic((value), float                                             \
                                   : (struct bellamy_expected_a_whole_number){0}, double      \
                                   : (struct bellamy_expected_a_whole_number){0}, long double \
                                   : (struct bellamy_expected_a_whole_number){0}, default     \
                                   : (value)))
#endif
static inline bellamy_property bellamy_quantity(const char* name, double value) {
    const bellamy_property property = {sizeof(bellamy_property), name, NULL, 0, value, bellamy_kind_quantity, 0, 0};
    return property;
}
static inline bellamy_property bellamy_unknown(const char* name) {
    const bellamy_property property = {sizeof(bellamy_property), name, NULL, 0, 0, bellamy_kind_unknown, 0, 0};
    return property;
}
static inline bellamy_context bellamy_context_of(const bellamy_property* essential, size_t essential_count,
                                                 const bellamy_property* optional, size_t optional_count) {
    const bellamy_context context = {sizeof(bellamy_context), essential,        essential_count, optional,
                                     optional_count,          bellamy_unit_node};
    return context;
}
static inline bellamy_run bellamy_run_of(const bellamy_context* context, int32_t scale_out, double runtime_s) {
    const bellamy_run run = {sizeof(bellamy_run), context, runtime_s, 1, 0, scale_out, 0};
    return run;
}

#if defined(__cplusplus)
}
#endif

#endif
