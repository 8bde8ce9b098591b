// Functions of bellamy/c/training.h: pre-training and fine-tuning.
#ifndef BELLAMY_DETAIL_C_TRAINING_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_TRAINING_FUNCTIONS_HPP

#include <bellamy/detail/c/model_functions.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/pretrain.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

inline progress_callback to_progress(bellamy_progress_callback callback, void* user_data) {
    if (callback == nullptr) return {};
    return [=](const training_progress& now) {
        const bellamy_training_progress row{sizeof(row), now.training_loss, now.best_loss, now.share_done, now.seconds_left,
                                            now.epoch,   now.epochs,        now.trial,     now.trials};
        return callback(&row, user_data) != 0;
    };
}

inline bellamy_pretrain_options from_options(const pretrain_options& options) noexcept {
    bellamy_pretrain_options row{};
    row.seed = options.seed;
    row.dropout = options.configuration.dropout;
    row.learning_rate = options.configuration.learning_rate;
    row.weight_decay = options.configuration.weight_decay;
    row.time_budget_s = options.time_budget_s;
    row.target_noise_s = options.target_noise_s;
    row.validation_share = options.validation_share;
    row.mode = number_of(options.mode);
    row.epochs = options.epochs;
    row.batch_size = options.batch_size;
    row.trials = options.trials;
    row.threads = options.threads;
    return row;
}

inline result<pretrain_options> to_options(const bellamy_pretrain_options* pointer) {
    if (pointer == nullptr) return pretrain_options{};
    const auto row = read(pointer);
    if (!row) return row.error();
    const auto mode = enumerator("a mode", row->mode, training_mode::paper);
    if (!mode) return mode.error();
    return pretrain_options{
        .mode = *mode,
        .algorithm = row->algorithm == nullptr ? "" : row->algorithm,
        .date = row->date == nullptr ? "" : row->date,
        .seed = row->seed,
        .epochs = row->epochs,
        .batch_size = row->batch_size,
        .configuration = {.dropout = row->dropout, .learning_rate = row->learning_rate, .weight_decay = row->weight_decay},
        .trials = row->trials,
        .threads = row->threads,
        .time_budget_s = row->time_budget_s,
        .target_noise_s = row->target_noise_s,
        .validation_share = row->validation_share,
        .progress = to_progress(row->progress, row->progress_user_data)};
}

inline bellamy_fine_tune_options from_options(const fine_tune_options& options) noexcept {
    bellamy_fine_tune_options row{};
    row.seed = options.seed;
    row.target_noise_s = options.target_noise_s;
    row.strategy = number_of(options.strategy);
    row.epochs = options.epochs;
    row.early_stopping = options.early_stopping ? 1 : 0;
    return row;
}

inline result<fine_tune_options> to_options(const bellamy_fine_tune_options* pointer) {
    if (pointer == nullptr) return fine_tune_options{};
    const auto row = read(pointer);
    if (!row) return row.error();
    const auto strategy = enumerator("a strategy", row->strategy, reuse_strategy::local);
    if (!strategy) return strategy.error();
    return fine_tune_options{.strategy = *strategy,
                             .seed = row->seed,
                             .epochs = row->epochs,
                             .target_noise_s = row->target_noise_s,
                             .early_stopping = row->early_stopping != 0,
                             .progress = to_progress(row->progress, row->progress_user_data)};
}

inline bellamy_training_report from_report(const training_report& report) noexcept {
    bellamy_training_report row{};
    row.error_before_s = report.error_before_s;
    row.error_after_s = report.error_after_s;
    row.dropout = report.chosen.dropout;
    row.learning_rate = report.chosen.learning_rate;
    row.weight_decay = report.chosen.weight_decay;
    row.jitter = report.experts.jitter;
    row.epochs = report.epochs;
    row.best_epoch = report.best_epoch;
    row.stopped = number_of(report.stopped);
    row.usable_experts = static_cast<std::int32_t>(report.experts.usable.size());
    row.contradictory_configurations = report.contradictory_configurations;
    row.fitted_contexts = report.experts.fitted_contexts;
    row.censored_runs = report.censored_runs;
    return row;
}

/// The outcome of a training; its report is written unless the caller's is null. `check_report` has refused one of the wrong
/// size before the training.
inline result<trained> reported(result<trained> outcome, bellamy_training_report* report) {
    if (outcome && report != nullptr) write(from_report(outcome->report), report->size, report);
    return outcome;
}

inline result<void> check_report(const bellamy_training_report* report) noexcept {
    if (report == nullptr) return {};
    if (const auto size = validated_size(report); !size) return size.error();
    return {};
}

extern "C" {

BELLAMY_C_API int32_t bellamy_default_pretrain_options(bellamy_pretrain_options* options,
                                                       bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, [&] { return store(from_options(bellamy::pretrain_options{}), options); });
}

BELLAMY_C_API int32_t bellamy_default_fine_tune_options(bellamy_fine_tune_options* options,
                                                        bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, [&] { return store(from_options(bellamy::fine_tune_options{}), options); });
}

BELLAMY_C_API int32_t bellamy_pretrain(const bellamy_run* runs, size_t count, const bellamy_pretrain_options* options,
                                       bellamy_training_report* report, bellamy_model** result,
                                       bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&]() -> bellamy::result<bellamy::trained> {
        if (auto valid = check_report(report); !valid) return valid.error();
        const auto settings = to_options(options);
        if (!settings) return settings.error();
        const auto history = to_runs(runs, count);
        if (!history) return history.error();
        return reported(bellamy::pretrain(*history, *settings), report);
    });
}

BELLAMY_C_API int32_t bellamy_model_learn(const bellamy_model* model, const bellamy_run* history, size_t count,
                                          bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, model, [&](const auto& general) -> bellamy::result<bellamy::model> {
        const auto runs = to_runs(history, count);
        if (!runs) return runs.error();
        return bellamy::learn(general, *runs);
    });
}

BELLAMY_C_API int32_t bellamy_model_fine_tune(const bellamy_model* model, const bellamy_run* runs, size_t count,
                                              const bellamy_fine_tune_options* options, bellamy_training_report* report,
                                              bellamy_model** result, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, model, [&](const auto& general) -> bellamy::result<bellamy::trained> {
        if (auto valid = check_report(report); !valid) return valid.error();
        const auto settings = to_options(options);
        if (!settings) return settings.error();
        const auto observed = to_runs(runs, count);
        if (!observed) return observed.error();
        return reported(bellamy::fine_tune(general, *observed, *settings), report);
    });
}

}  // extern "C"

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
