// Models: from files and back, what they know, and how they learn from new runs. Part of bellamy/c.h.
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
/// self_test_failed where this build or machine answers otherwise than the one that saved the model.
BELLAMY_C_API int32_t bellamy_model_load(const char* path, bellamy_model** made, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The same for the bytes of such a file; nothing in them is trusted.
BELLAMY_C_API int32_t bellamy_model_from_bytes(const void* bytes, size_t size, bellamy_model** made,
                                               bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Writes a model file; a failure leaves the file that was there before. Code: cannot_write.
BELLAMY_C_API int32_t bellamy_model_save(const bellamy_model* model, const char* path,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The bytes of such a file, and in `*size` their number; with a capacity of 0, their number alone. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_to_bytes(const bellamy_model* model, void* buffer, size_t capacity, size_t* size,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// One more owner of the model, which is returned; null for null.
BELLAMY_C_API bellamy_model* bellamy_model_retain(const bellamy_model* model) BELLAMY_C_NOEXCEPT;

/// One owner less: the last one frees the model. `*model` becomes null, so that a closed handle is refused like a null one.
BELLAMY_C_API void bellamy_model_release(bellamy_model** model) BELLAMY_C_NOEXCEPT;

/// What answers inside a model: the experts of best mode, the published network, other jobs' shapes (cold start).
/// Conditioned are the first and the third, fine-tuned is the second.
enum bellamy_model_kind { bellamy_model_kind_blend = 0, bellamy_model_kind_network = 1, bellamy_model_kind_shapes = 2 };

/// In words, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_model_kind_name(int32_t kind) BELLAMY_C_NOEXCEPT;

/// What a model was made from and what its contexts look like.
typedef struct bellamy_model_description {
    size_t size;
    const char* algorithm;  // valid as long as the model
    const char* date;       // of its pre-training, in the words of who did it; the same
    size_t essential_count;
    size_t optional_count;
    size_t stored_runs;         // of the observed ones; a network has turned them into parameters
    double shortest_runtime_s;  // of those seen
    double longest_runtime_s;
    uint32_t runs;
    uint32_t contexts;
    uint32_t observed_runs;  // that it was conditioned or fine-tuned on
    int32_t smallest_seen_scale_out;
    int32_t largest_seen_scale_out;
    int32_t unit;
    int32_t kind;  // see bellamy_model_kind
} bellamy_model_description;

/// A property without its value.
typedef struct bellamy_property_definition {
    size_t size;
    const char* name;  // valid as long as the model
    int32_t kind;
    int32_t role;
    int32_t scales_with_scale_out;
    int32_t is_essential;
} bellamy_property_definition;

BELLAMY_C_API int32_t bellamy_model_describe(const bellamy_model* model, bellamy_model_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// A checksum of all that the model answers from, as 16 hexadecimal digits and a zero byte. Costs about as much as
/// `bellamy_model_to_bytes`. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_id(const bellamy_model* model, char* buffer, size_t capacity,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The properties of the model's contexts, essential ones first, and in `*count` their number; with a capacity of 0, their
/// number alone. Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_properties(const bellamy_model* model, bellamy_property_definition* rows,
                                               size_t capacity, size_t* count, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// The context whose properties have these values, in any order: kinds, roles, the order and the unit are the model's.
/// Optional properties may be left out, `bellamy_unknown` stands for a value that is not known, what scales is given per
/// unit of scale-out; roles and scaling of `values` do not count. A whole number may stand for a quantity, and a text that
/// spells a number for that number. `rows` has room for `count` properties, of which the first says its size, and becomes
/// what `*context` points to; names and texts stay those of `values`. Codes: essential_count_mismatch names those that are
/// missing, unknown_property those that the model does not have; property_mismatch, invalid_quantity, buffer_too_small, and
/// those of bad properties.
BELLAMY_C_API int32_t bellamy_model_context(const bellamy_model* model, const bellamy_property* values, size_t count,
                                            bellamy_property* rows, size_t capacity, bellamy_context* context,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// One of the stored runs, counted from 0, without its context (null), whose properties come in `rows`: as many essential
/// ones as the model has, then the optional ones. Texts are valid as long as the model; `*count` and capacity as above.
/// Code: buffer_too_small.
BELLAMY_C_API int32_t bellamy_model_observed_run(const bellamy_model* model, size_t number, bellamy_run* run,
                                                 bellamy_property* rows, size_t capacity, size_t* count,
                                                 bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// A model that has seen these runs too; the old one stays as it is. Cheap: the work is done when a context is bound. Codes,
/// with the number of the run from 0: those of bad runs and contexts; not_conditionable for a network, which is fine-tuned.
BELLAMY_C_API int32_t bellamy_model_condition(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                              bellamy_model** made, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// How far runs lie from what a model foretold. Deviates are the normal ones of the predicted probability to take at most as
/// long: of mean 0 and mean square 1 where the model still fits.
typedef struct bellamy_drift {
    size_t size;
    uint32_t runs;  // looked at; those that were killed are left out
    uint32_t reserved;
    double mean_deviate;  // positive: slower than predicted
    double mean_square_deviate;
    double probability;  // that runs of a model that fits deviate as much or more; small: they fit no longer
} bellamy_drift;

/// The drift of runs in the order in which they happened, each predicted from the model and the runs before it. About a
/// millisecond for each run. Codes: those of `bellamy_model_condition`.
BELLAMY_C_API int32_t bellamy_model_drift(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                          bellamy_drift* drift, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// A model of an algorithm (null: unnamed) that has never run, for contexts with the properties of the example. It is of use
/// once it is conditioned on a first run.
BELLAMY_C_API int32_t bellamy_cold_start(const bellamy_context* example, const char* algorithm, bellamy_model** made,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
