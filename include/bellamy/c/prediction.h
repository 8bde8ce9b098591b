// Predictions for one context over scale-outs, and for many contexts at once. Part of bellamy/c.h.
#ifndef BELLAMY_C_PREDICTION_H
#define BELLAMY_C_PREDICTION_H

#include <bellamy/c/model.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Runtime over scale-outs for one context; it needs no model behind it.
typedef struct bellamy_curve bellamy_curve;

typedef struct bellamy_bind_options {
    size_t size;
    /// Median runtimes do not increase with the scale-out up to the turning point that the data support. Not for a network.
    int32_t non_increasing;
} bellamy_bind_options;

/// The runtimes of one context; options may be null. Takes up to a millisecond. Codes: essential_count_mismatch,
/// property_mismatch, unknown_property, unit_mismatch, those of bad properties, and invalid_option where an option is not
/// for this kind of model.
BELLAMY_C_API int32_t bellamy_model_bind(const bellamy_model* model, const bellamy_context* context,
                                         const bellamy_bind_options* options, bellamy_curve** made,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As for models.
BELLAMY_C_API bellamy_curve* bellamy_curve_retain(const bellamy_curve* curve) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API void bellamy_curve_release(bellamy_curve** curve) BELLAMY_C_NOEXCEPT;

/// What a curve's answers rest on, and the largest scale-out that it can be asked about.
typedef struct bellamy_curve_description {
    size_t size;
    uint32_t observed_runs;
    int32_t smallest_seen_scale_out;
    int32_t largest_seen_scale_out;
    int32_t largest_valid_scale_out;
} bellamy_curve_description;

BELLAMY_C_API int32_t bellamy_curve_describe(const bellamy_curve* curve, bellamy_curve_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// What the caller should know about a prediction.
enum bellamy_flag {
    bellamy_flag_outside_seen_scale_outs = 1,      // an extrapolation
    bellamy_flag_unlike_any_seen_context = 2,      // a text that the history does not have, or a number far from its
    bellamy_flag_contradictory_observed_runs = 4,  // they differ by more than a factor of two at one scale-out
    bellamy_flag_point = 8,                        // only the median is known, and taken for certain (networks)
    bellamy_flag_not_usable = 16,                  // the median is not a positive, finite runtime
    bellamy_flag_outside_seen_data_sizes = 32      // an extrapolation in that direction
};

/// Predicted runtime at one scale-out, as a distribution: the two functions below answer questions about it, without a model
/// or a curve.
typedef struct bellamy_prediction {
    size_t size;
    double median_s;
    double log_quantiles[17];  // of ln(seconds), at fixed probabilities; not used where only the median is known
    uint32_t flags;            // of bellamy_flag
    uint32_t observed_runs;    // of this very context that the answer rests on
} bellamy_prediction;

/// The runtime in seconds that is exceeded with probability 1 - p. NaN unless 0 < p < 1, and for what is no prediction.
BELLAMY_C_API double bellamy_prediction_quantile(const bellamy_prediction* prediction, double p) BELLAMY_C_NOEXCEPT;

/// Probability that the run takes at most `limit_s` seconds. NaN for what is no prediction.
BELLAMY_C_API double bellamy_prediction_probability(const bellamy_prediction* prediction, double limit_s) BELLAMY_C_NOEXCEPT;

/// One row per scale-out. Allocates nothing. Code: invalid_scale_out.
BELLAMY_C_API int32_t bellamy_curve_predict(const bellamy_curve* curve, const int32_t* scale_outs, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Medians in seconds at scale-outs first, first + 1, ..., NaN where a scale-out is not valid; a network answers many
/// together several times faster each. Allocates nothing.
BELLAMY_C_API int32_t bellamy_curve_medians(const bellamy_curve* curve, int32_t first, size_t count, float* runtime_s,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT;

typedef struct bellamy_question {
    size_t size;
    const bellamy_context* context;
    int32_t scale_out;
} bellamy_question;

/// One row per question, as a curve of its context would answer; for a network in paper mode 16 questions at a time, equal
/// to the last few bits. Equal contexts are bound once. Codes, with the number of one such question from 0:
/// those of `bellamy_model_bind`, and invalid_scale_out.
BELLAMY_C_API int32_t bellamy_model_predict(const bellamy_model* model, const bellamy_question* questions, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
