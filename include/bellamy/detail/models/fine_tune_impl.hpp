// Definitions of fine_tune.hpp: the network that each reuse strategy starts from, and the epochs with their stopping rules.
#ifndef BELLAMY_DETAIL_MODELS_FINE_TUNE_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_FINE_TUNE_IMPL_HPP

#include <bellamy/detail/models/network_kind.hpp>
#include <bellamy/detail/network/training/eta.hpp>
#include <bellamy/detail/network/training/fine_tuning.hpp>
#include <bellamy/fine_tune.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

inline result<void> validate(const fine_tune_options& options) {
    if (options.epochs < 1) return fail(errc::invalid_option, "expected epochs >= 1, found ", options.epochs);
    if (!(options.target_noise_s >= 0 && options.target_noise_s <= 1e6))
        return fail(errc::invalid_option, "expected target_noise_s in [0, 1e6], found ", options.target_noise_s);
    if (options.strategy > reuse_strategy::local)
        return fail(errc::invalid_option, "expected a reuse strategy from 0 to 4, found ",
                    static_cast<int>(options.strategy));
    return {};
}

/// Initial network of a strategy: the general one, or one with some parts or all at random.
template <class Scalar, dimensions D>
network<Scalar, D> starting_network(const network<Scalar, D>& general, reuse_strategy strategy,
                                    std::span<const int> observed_scale_outs, random_generator& random) {
    if (strategy == reuse_strategy::partial_unfreeze || strategy == reuse_strategy::full_unfreeze) return general;
    auto start = random_network<Scalar, D>(general.essential_count(), random);
    if (strategy == reuse_strategy::local) {
        start.runtime.scaler = min_max_scaler<Scalar>::of(observed_scale_outs);
        return start;
    }
    start.encoder = general.encoder;
    start.decoder = general.decoder;
    start.runtime.scaler = general.runtime.scaler;
    if (strategy == reuse_strategy::partial_reset) start.runtime.scale_out = general.runtime.scale_out;
    return start;
}

inline int first_scale_out_epoch(reuse_strategy strategy, size_t runs) noexcept {
    const bool delayed = strategy == reuse_strategy::partial_unfreeze || strategy == reuse_strategy::partial_reset;
    return delayed ? unfreeze_epoch(runs) : 0;
}

/// Trains until all epochs are done, the target error is reached, or the best error is 1000 epochs old.
template <class Scalar, dimensions D>
stop_reason run_fine_tuning(fine_tuning<Scalar, D>& tuning, const fine_tune_options& options) {
    constexpr int patience = 1000;
    const training_pace pace;
    while (tuning.epoch() < options.epochs) {
        const auto epoch = tuning.run_epoch();
        const training_progress progress{.epoch = tuning.epoch(),
                                         .epochs = options.epochs,
                                         .training_loss = epoch.loss,
                                         .best_loss = tuning.best_error_s(),
                                         .share_done = static_cast<double>(tuning.epoch()) / options.epochs,
                                         .seconds_left = pace.seconds_left(tuning.epoch(), options.epochs)};
        if (options.progress && !options.progress(progress)) return stop_reason::cancelled;
        if (!options.early_stopping) continue;
        if (epoch.error_s <= detail::target_error_s) return stop_reason::target_error_reached;
        if (tuning.epoch() - tuning.best_epoch() >= patience) return stop_reason::no_improvement;
    }
    return stop_reason::all_epochs_done;
}

struct tuned_network {
    network<> parameters;
    training_report report{};
};

/// Fine-tunes from a given network. `scale_out_from`: first epoch that trains the scale-out network too.
inline result<tuned_network> fine_tune_network(const network<>& start, const training_set<float, dimensions{}>& set,
                                               int scale_out_from, const fine_tune_options& options,
                                               random_generator& random) {
    fine_tuning<float, dimensions{}> tuning(start, set, scale_out_from, options.target_noise_s, random.bits());
    training_report report{.error_before_s = tuning.current_error_s()};
    report.stopped = run_fine_tuning(tuning, options);
    report.epochs = tuning.epoch();
    report.best_epoch = tuning.best_epoch();
    if (report.best_epoch == 0)
        return fail(errc::training_diverged, "expected a finite error in ", report.epochs, " epochs, found none");
    tuning.restore_best();
    report.error_after_s = tuning.current_error_s();
    return tuned_network{.parameters = tuning.current_network(), .report = report};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<trained> fine_tune(const model& general, std::span<const run> observed,
                                                const fine_tune_options& options) {
    if (auto valid = detail::validate(options); !valid) return valid.error();
    if (is_conditioned(general.kind())) {
        auto conditioned = general.condition(observed);
        if (!conditioned) return conditioned.error();
        return trained{.model = *std::move(conditioned), .report = {.stopped = stop_reason::closed_form}};
    }
    if (auto valid = detail::validate_observed(general.schema(), observed); !valid) return valid.error();
    constexpr double unknown = detail::not_a_number;
    if (observed.empty())
        return trained{
            .model = general,
            .report = {.stopped = stop_reason::nothing_to_learn, .error_before_s = unknown, .error_after_s = unknown}};

    const auto set = detail::make_training_set<float, dimensions{}>(observed);
    detail::random_generator random(options.seed);
    const auto start = detail::starting_network(general.parameters(), options.strategy, set.scale_outs, random);
    auto tuned =
        detail::fine_tune_network(start, set, detail::first_scale_out_epoch(options.strategy, set.size()), options, random);
    if (!tuned) return tuned.error();

    auto basis = general.basis();
    if (options.strategy == reuse_strategy::local) basis = {.algorithm = basis.algorithm, .date = basis.date};
    detail::widen(basis, observed);
    basis.observed_runs = static_cast<std::uint32_t>(observed.size());
    return trained{.model = model(general.schema(), std::move(basis), std::move(tuned->parameters)),
                   .report = tuned->report};
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
