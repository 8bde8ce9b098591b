// Predictions for one context over scale-outs, and for many contexts at once. Part of bellamy/c.h.
#ifndef BELLAMY_C_PREDICTION_H
#define BELLAMY_C_PREDICTION_H

#include <bellamy/c/model.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Runtime over scale-outs of one context. It does not need the model any more.
typedef struct bellamy_curve bellamy_curve;

typedef struct bellamy_bind_options {
    size_t size;
    /// Median runtimes do not increase with the scale-out up to the turning point that the data support. Not for a network.
    int32_t non_increasing;
} bellamy_bind_options;

/// Binds a model to one context; options may be null. Takes up to a millisecond. Codes: essential_count_mismatch,
/// property_mismatch, unknown_property, unit_mismatch, those of bad properties, and invalid_option where an option is not
/// for this kind of model.
BELLAMY_C_API int32_t bellamy_model_bind(const bellamy_model* model, const bellamy_context* context,
                                         const bellamy_bind_options* options, bellamy_curve** result,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// As `bellamy_model_retain` and `bellamy_model_release`.
BELLAMY_C_API bellamy_curve* bellamy_curve_retain(const bellamy_curve* curve) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API void bellamy_curve_release(bellamy_curve** curve) BELLAMY_C_NOEXCEPT;

/// Runs and scale-outs that a curve rests on, and the largest scale-out that it predicts.
typedef struct bellamy_curve_description {
    size_t size;
    uint32_t observed_runs;
    int32_t smallest_seen_scale_out;
    int32_t largest_seen_scale_out;
    int32_t largest_valid_scale_out;
} bellamy_curve_description;

BELLAMY_C_API int32_t bellamy_curve_describe(const bellamy_curve* curve, bellamy_curve_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Warnings about a prediction. After a cold start `bellamy_flag_unlike_any_seen_context` means: no run of the context was
/// observed, and of those that ended and differ in their data size alone, none has at least half, or none has at most twice
/// its size.
enum bellamy_flag {
    bellamy_flag_outside_seen_scale_outs = 1,      // an extrapolation
    bellamy_flag_unlike_any_seen_context = 2,      // a text that is not in the history, or a number far from its range
    bellamy_flag_contradictory_observed_runs = 4,  // they differ by more than a factor of two at one scale-out, or one took
                                                   // less than a tenth or more than ten times of what was expected
    bellamy_flag_point = 8,                        // only the median is known, and taken for certain (networks)
    bellamy_flag_not_usable = 16,                  // the median is not a positive, finite runtime
    bellamy_flag_outside_seen_data_sizes = 32  // an extrapolation over data size, or less memory for it than any that ran
};

/// Predicted runtime at one scale-out, as a distribution. The two functions below need neither a model nor a curve.
typedef struct bellamy_prediction {
    size_t size;
    double median_s;
    double log_quantiles[17];  // of ln(seconds), at fixed probabilities; not used where only the median is known
    uint32_t flags;            // of bellamy_flag
    uint32_t observed_runs;    // of this context
} bellamy_prediction;

/// The runtime in seconds that is exceeded with probability 1 - p. NaN unless 0 < p < 1, and for an invalid prediction.
BELLAMY_C_API double bellamy_prediction_quantile(const bellamy_prediction* prediction, double p) BELLAMY_C_NOEXCEPT;

/// Probability that the run takes at most `limit_s` seconds. NaN for an invalid prediction.
BELLAMY_C_API double bellamy_prediction_probability(const bellamy_prediction* prediction, double limit_s) BELLAMY_C_NOEXCEPT;

/// Predicts the runtime at each scale-out, one row for each. Allocates nothing. Code: invalid_scale_out.
BELLAMY_C_API int32_t bellamy_curve_predict(const bellamy_curve* curve, const int32_t* scale_outs, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Median runtimes in seconds at scale-outs first, first + 1, ..., NaN where a scale-out is not valid. Faster for a network
/// than one prediction at a time. Allocates nothing.
BELLAMY_C_API int32_t bellamy_curve_medians(const bellamy_curve* curve, int32_t first, size_t count, float* runtime_s,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// A context and a scale-out to predict the runtime for.
typedef struct bellamy_question {
    size_t size;
    const bellamy_context* context;
    int32_t scale_out;
} bellamy_question;

/// Predicts many questions at once, one row for each, as a curve of its context would; for a network, equal but for
/// rounding. Equal contexts are bound once. Codes, with the number of the question from 0: those of `bellamy_model_bind`,
/// and invalid_scale_out.
BELLAMY_C_API int32_t bellamy_model_predict(const bellamy_model* model, const bellamy_question* questions, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
