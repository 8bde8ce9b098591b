// Models: files, descriptions, conditioning on observed runs, and drift. Part of bellamy/c.h.
#ifndef BELLAMY_C_MODEL_H
#define BELLAMY_C_MODEL_H

#include <bellamy/c/error.h>
#include <bellamy/c/run.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// A runtime model of one algorithm.
typedef struct bellamy_model bellamy_model;

/// Reads a model file. Codes: cannot_read, not_a_model, unsupported_version, truncated, corrupted, invalid_model, and
/// self_test_failed where this build or machine predicts otherwise than the one that saved the model.
BELLAMY_C_API int32_t bellamy_model_load(const char* path, bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Reads a model from the bytes of such a file, which need not be trusted.
BELLAMY_C_API int32_t bellamy_model_from_bytes(const void* bytes, size_t size, bellamy_model** result,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Writes a model file; a failure leaves an existing file as it is. Code: cannot_write.
BELLAMY_C_API int32_t bellamy_model_save(const bellamy_model* model, const char* path,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Writes the bytes of such a file, and their number to `*size`. Pass capacity 0 to query the number. Code:
/// buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_to_bytes(const bellamy_model* model, void* buffer, size_t capacity, size_t* size,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Adds an owner of the model and returns it; null for null.
BELLAMY_C_API bellamy_model* bellamy_model_retain(const bellamy_model* model) BELLAMY_C_NOEXCEPT;

/// Removes an owner; the last one frees the model. `*model` becomes null, so that a released handle is refused like a null
/// one.
BELLAMY_C_API void bellamy_model_release(bellamy_model** model) BELLAMY_C_NOEXCEPT;

/// Kind of a model: the experts of best mode, the published network, or the shapes of other jobs (cold start). Runs
/// condition the first and the third; the second is fine-tuned.
enum bellamy_model_kind { bellamy_model_kind_blend = 0, bellamy_model_kind_network = 1, bellamy_model_kind_shapes = 2 };

/// Name in words, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_model_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT;

/// The runs that a model was learned from, and its contexts.
typedef struct bellamy_model_description {
    size_t size;
    const char* algorithm;  // valid as long as the model
    const char* date;       // of its pre-training, as given in the options; valid as long as the model
    size_t essential_count;
    size_t optional_count;
    size_t stored_runs;         // observed runs that the model keeps; a network keeps none
    double shortest_runtime_s;  // of all runs
    double longest_runtime_s;
    uint32_t runs;
    uint32_t contexts;
    uint32_t observed_runs;  // those that it was conditioned or fine-tuned on
    int32_t smallest_seen_scale_out;
    int32_t largest_seen_scale_out;
    int32_t unit;
    int32_t kind;  // see bellamy_model_kind
} bellamy_model_description;

/// A property without its value.
typedef struct bellamy_property_definition {
    size_t size;
    const char* name;               // valid as long as the model
    int32_t kind;                   // see bellamy_kind
    int32_t role;                   // see bellamy_role
    int32_t scales_with_scale_out;  // 1: a value is given per unit, and the job sees value times scale-out; else 0
    int32_t is_essential;
} bellamy_property_definition;

BELLAMY_C_API int32_t bellamy_model_describe(const bellamy_model* model, bellamy_model_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Checksum of everything that the predictions depend on, as 16 hexadecimal digits and a zero byte. Costs about as much as
/// `bellamy_model_to_bytes`. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_id(const bellamy_model* model, char* buffer, size_t capacity,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Writes the properties of the model's contexts, essential ones first, and their number to `*count`. Pass capacity 0 to
/// query the number. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_properties(const bellamy_model* model, bellamy_property_definition* rows,
                                               size_t capacity, size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Builds a context from values by name, in any order: kinds, roles, the order and the unit are those of the model. Optional
/// properties may be left out; `bellamy_unknown` marks a value that is not known; a value that scales is given per unit of
/// scale-out. Roles and scaling of `values` are ignored. A whole number may stand for a quantity, and a text that spells a
/// number for that number. `rows`, an array of `count` properties with the size set in the first, is filled, and `*context`
/// points to it; names and texts stay those of `values`. Codes: essential_count_mismatch (names the missing ones),
/// unknown_property (names those that the model does not have), property_mismatch, invalid_quantity, buffer_too_small, and
/// those of bad properties.
BELLAMY_C_API int32_t bellamy_model_context(const bellamy_model* model, const bellamy_property* values, size_t count,
                                            bellamy_property* rows, size_t capacity, bellamy_context* context,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Writes a stored run, counted from 0. Its context is null; the context's properties are written to `rows`: as many
/// essential ones as the model has, then the optional ones, and their number to `*count`. Texts are valid as long as the
/// model. Pass capacity 0 to query the number. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_observed_run(const bellamy_model* model, size_t number, bellamy_run* run,
                                                 bellamy_property* rows, size_t capacity, size_t* count,
                                                 bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Conditions a model on observed runs; the old model stays as it is. Cheap: the work is done when a context is bound.
/// Codes, with the number of the run from 0: those of bad runs and contexts; not_conditionable for a network, which is
/// fine-tuned.
BELLAMY_C_API int32_t bellamy_model_condition(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                              bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// How far runs lie from their predictions. A deviate is the standard normal quantile of the predicted probability of taking
/// at most as long as observed: of mean 0 and mean square 1 where the model still fits.
typedef struct bellamy_drift {
    size_t size;
    uint32_t runs;  // those that were not killed
    uint32_t reserved;
    double mean_deviate;  // positive: slower than predicted
    double mean_square_deviate;
    double probability;  // p-value (mid-p by ranks): that runs deviate as much if the model fits; small: it fits no longer
    double factor;       // median of what the runs took, relative to what the model alone predicts
} bellamy_drift;

/// Measures the drift of runs in the order in which they happened, each predicted from the model and the runs before it.
/// Takes about a millisecond per run. Codes: those of `bellamy_model_condition`.
BELLAMY_C_API int32_t bellamy_model_drift(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                          bellamy_drift* drift, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// An outlier among runs: a straggler, or a wrong record.
typedef struct bellamy_improbable_run {
    size_t size;
    size_t run;  // its number, from 0
    double found_s;
    double expected_s;  // median of what the other runs let expect
} bellamy_improbable_run;

/// Writes the runs that are outliers with a probability of 0.95, in their order, and their number to `*count`: of the
/// history, where `bellamy_pretrain` returned this very model (one read from a file does not know) and had three contexts
/// or more (of more than 180 configurations it looks at a sample); of the stored runs, where it was conditioned. Takes
/// about a millisecond per stored run: where there are some, pass room for all rather than capacity 0 to query the number.
/// Codes: buffer_too_small; not_conditionable for a network.
BELLAMY_C_API int32_t bellamy_model_improbable_runs(const bellamy_model* model, bellamy_improbable_run* rows,
                                                    size_t capacity, size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Creates a model of an algorithm (null: unnamed) that has never run, for contexts with the properties of the example. It
/// is useful once it is conditioned on a first run.
BELLAMY_C_API int32_t bellamy_cold_start(const bellamy_context* example, const char* algorithm, bellamy_model** result,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
