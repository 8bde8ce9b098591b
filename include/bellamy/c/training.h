// Pre-training on recorded runs, and fine-tuning. Part of bellamy/c.h.
#ifndef BELLAMY_C_TRAINING_H
#define BELLAMY_C_TRAINING_H

#include <bellamy/c/run.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct bellamy_model bellamy_model;

/// Progress of a training after an epoch.
typedef struct bellamy_training_progress {
    size_t size;
    double training_loss;
    double best_loss;
    double share_done;
    double seconds_left;
    int32_t epoch;
    int32_t epochs;
    int32_t trial;
    int32_t trials;
} bellamy_training_progress;

/// Called by one training thread at a time. Return 0 to cancel: the best state so far is the result. Must not throw.
typedef int32_t (*bellamy_progress_callback)(const bellamy_training_progress* progress, void* user_data);

enum bellamy_mode { bellamy_mode_best = 0, bellamy_mode_paper = 1 };

/// How to pre-train; `bellamy_default_pretrain_options` sets all but the size.
typedef struct bellamy_pretrain_options {
    size_t size;
    const char* algorithm;  // kept in the model; null is unnamed
    const char* date;       // kept in the model, in any format; null is none
    uint64_t seed;
    bellamy_progress_callback progress;  // may be null; best mode does not call it
    void* progress_user_data;
    // For a network (paper mode) alone:
    double dropout;
    double learning_rate;
    double weight_decay;
    double time_budget_s;     // 0 means no limit
    double target_noise_s;    // standard deviation of the noise added to every runtime
    double validation_share;  // of the runs, held out to pick the best epoch
    int32_t mode;             // see bellamy_mode
    int32_t epochs;
    int32_t batch_size;
    int32_t trials;   // more than 1: searches among that many of the paper's 27 configurations
    int32_t threads;  // the result does not depend on it
} bellamy_pretrain_options;

enum bellamy_strategy {
    bellamy_strategy_partial_unfreeze = 0,
    bellamy_strategy_full_unfreeze = 1,
    bellamy_strategy_partial_reset = 2,
    bellamy_strategy_full_reset = 3,
    bellamy_strategy_local = 4
};

/// How to fine-tune; `bellamy_default_fine_tune_options` sets all but the size.
typedef struct bellamy_fine_tune_options {
    size_t size;
    uint64_t seed;
    bellamy_progress_callback progress;
    void* progress_user_data;
    double target_noise_s;
    int32_t strategy;  // see bellamy_strategy
    int32_t epochs;
    int32_t early_stopping;
} bellamy_fine_tune_options;

enum bellamy_stop {
    bellamy_stop_all_epochs_done = 0,
    bellamy_stop_target_error_reached = 1,
    bellamy_stop_no_improvement = 2,
    bellamy_stop_cancelled = 3,
    bellamy_stop_nothing_to_learn = 4,
    bellamy_stop_time_budget_spent = 5,
    bellamy_stop_closed_form = 6
};

/// How a training went. Errors are mean absolute errors in seconds.
typedef struct bellamy_training_report {
    size_t size;
    double error_before_s;
    double error_after_s;
    double dropout;  // of the configuration that was chosen, like the next two
    double learning_rate;
    double weight_decay;
    double jitter;           // best mode: largest number added to a covariance's diagonal; normally 0
    int32_t epochs;          // of all trials together
    int32_t best_epoch;      // whose parameters were kept
    int32_t stopped;         // see bellamy_stop
    int32_t usable_experts;  // best mode: how many of the three could be fitted
    /// Pairs of context and scale-out whose runs differ by more than a factor of two.
    uint32_t contradictory_configurations;
    uint32_t fitted_contexts;  // best mode: contexts in the fit
    /// In pre-training: runs whose runtime is a lower bound. Where all of them are, predictions may be far too short.
    uint32_t censored_runs;
} bellamy_training_report;

BELLAMY_C_API int32_t bellamy_default_pretrain_options(bellamy_pretrain_options* options,
                                                       bellamy_error* error) BELLAMY_C_NOEXCEPT;
BELLAMY_C_API int32_t bellamy_default_fine_tune_options(bellamy_fine_tune_options* options,
                                                        bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Pre-trains a general model on the runs of at least two contexts; options and report may be null. Same runs, options and
/// build give the same model. Codes, with the number of the run from 0: those of bad runs and contexts and of runs that
/// disagree about their properties; empty_history, single_context, unknown_value, invalid_option, training_diverged.
BELLAMY_C_API int32_t bellamy_pretrain(const bellamy_run* runs, size_t count, const bellamy_pretrain_options* options,
                                       bellamy_training_report* report, bellamy_model** result,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// A model of the whole history, which begins as that of the model did and has the runs since then: as `bellamy_pretrain`,
/// within noise, in a small fraction of its time, since hyper-parameters stay what they were where the model has enough runs
/// and the properties no new values. Codes: as `bellamy_pretrain`; not_conditionable for a network.
BELLAMY_C_API int32_t bellamy_model_learn(const bellamy_model* model, const bellamy_run* history, size_t count,
                                          bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

/// Fine-tunes a network on the observed runs of one context, and conditions the other kinds; the general model stays as it
/// is. Options and report may be null. Codes: as `bellamy_model_condition`; invalid_option, training_diverged.
BELLAMY_C_API int32_t bellamy_model_fine_tune(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                              const bellamy_fine_tune_options* options, bellamy_training_report* report,
                                              bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
