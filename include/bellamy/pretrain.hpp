// Pre-training: from the runs of many contexts to a general model of one algorithm.
#ifndef BELLAMY_PRETRAIN_HPP
#define BELLAMY_PRETRAIN_HPP

#include <bellamy/detail/pretraining.hpp>
#include <bellamy/training.hpp>

namespace bellamy::inline BELLAMY_ABI {

/// How to pre-train; the defaults are the paper's, with one configuration of its search space.
struct pretrain_options {
    /// Kept in the model's training basis.
    std::string algorithm{};
    std::uint64_t seed = 0;
    int epochs = 2500;
    int batch_size = 64;
    double dropout = 0.05;
    double learning_rate = 0.01;
    double weight_decay = 0.001;
    /// Standard deviation of the noise added to every runtime in every batch.
    double target_noise_s = 0.25;
    /// Share of the runs of each (context, scale-out) held out to pick the best epoch.
    double validation_share = 0.2;
    progress_callback progress{};
};

namespace detail {

[[nodiscard]] inline result<void> validate(const pretrain_options& options) {
    const auto outside = [](std::string_view name, double value, std::string_view range) {
        return fail(errc::invalid_option, "expected ", name, " ", range, ", found ", value);
    };
    if (options.epochs < 1) return outside("epochs", options.epochs, ">= 1");
    if (options.batch_size < 1 || options.batch_size > 65536)
        return outside("batch_size", options.batch_size, "from 1 to 65536");
    if (!(options.dropout >= 0 && options.dropout < 1)) return outside("dropout", options.dropout, "in [0, 1)");
    if (!(options.learning_rate > 0 && options.learning_rate <= 1))
        return outside("learning_rate", options.learning_rate, "in (0, 1]");
    if (!(options.weight_decay >= 0 && options.weight_decay <= 1))
        return outside("weight_decay", options.weight_decay, "in [0, 1]");
    if (!(options.target_noise_s >= 0 && options.target_noise_s <= 1e6))
        return outside("target_noise_s", options.target_noise_s, "in [0, 1e6]");
    if (!(options.validation_share >= 0 && options.validation_share < 1))
        return outside("validation_share", options.validation_share, "in [0, 1)");
    return {};
}

}  // namespace detail

/// Trains a general model on the runs of at least two contexts (paper, section III-D, one configuration).
///
/// Same history, options and build give the same model. Allocates; takes seconds for a thousand runs; touches nothing
/// shared. Cancelling returns the best model so far. Errors: those of `schema_of`, single_context, invalid_option,
/// training_diverged.
[[nodiscard]] inline result<trained> pretrain(std::span<const run> history, const pretrain_options& options = {}) {
    auto shared = schema_of(history);
    if (!shared) return shared.error();
    if (auto valid = detail::validate(options); !valid) return valid.error();
    if (!detail::is_utf8(options.algorithm)) return detail::fail(errc::invalid_text, "expected an algorithm name in UTF-8");
    const auto contexts = detail::context_numbers(history);
    const std::size_t context_count = std::ranges::max(contexts) + std::size_t{1};
    if (context_count < 2)
        return detail::fail(errc::single_context, "expected runs of at least 2 contexts to pre-train on, found 1");

    const auto set = detail::make_training_set<float, dimensions{}>(history);
    detail::random_generator random(options.seed);
    const auto split = detail::stratified_holdout(contexts, set.scale_outs, options.validation_share, random);
    const auto scaler = min_max_scaler<float>::of(set.scale_outs);
    detail::pretraining<float, dimensions{}> training(set, split, scaler,
                                                      {.dropout = options.dropout,
                                                       .learning_rate = options.learning_rate,
                                                       .weight_decay = options.weight_decay,
                                                       .target_noise_s = options.target_noise_s,
                                                       .batch_size = options.batch_size},
                                                      random.bits());
    auto stopped = stop_reason::all_epochs_done;
    while (training.epoch() < options.epochs) {
        training.run_epoch();
        const training_progress progress{.epoch = training.epoch(),
                                         .epochs = options.epochs,
                                         .training_loss = training.training_loss(),
                                         .best_loss = training.best_loss()};
        if (options.progress && !options.progress(progress)) {
            stopped = stop_reason::cancelled;
            break;
        }
    }
    if (!std::isfinite(training.best_loss()))
        return detail::fail(errc::training_diverged, "expected a finite validation loss in ", training.epoch(),
                            " epochs, found none; a smaller learning rate may help");
    training_basis basis{.algorithm = options.algorithm,
                         .runs = static_cast<std::uint32_t>(history.size()),
                         .contexts = static_cast<std::uint32_t>(context_count),
                         .seen_scale_outs = detail::seen_scale_outs(history)};
    return trained{.model = model(*std::move(shared), std::move(basis), training.best_network()),
                   .report = {.epochs = training.epoch(),
                              .best_epoch = training.best_epoch(),
                              .stopped = stopped,
                              .error_before_s = training.first_error_s(),
                              .error_after_s = training.best_error_s()}};
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
