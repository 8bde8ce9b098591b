// Pre-training: fits a general model of one algorithm to the runs of many contexts.
#ifndef BELLAMY_PRETRAIN_HPP
#define BELLAMY_PRETRAIN_HPP

#include <bellamy/parallel_training.hpp>
#include <bellamy/training.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

enum class training_mode : std::uint8_t {
    best = 0,   // what measures best: a blend of statistical experts, with quantiles, in closed form
    paper = 1,  // the published network
};

/// How to pre-train.
struct pretrain_options {
    training_mode mode = training_mode::best;
    /// Kept in the model's training basis.
    std::string algorithm{};
    /// Free text, kept there too.
    std::string date{};
    std::uint64_t seed = 0;

    // Best mode has no further options of its own, but uses the threads. These are the network's; their defaults are the
    // paper's, with one configuration of its search space.
    int epochs = 2500;
    int batch_size = 64;
    hyper_parameters configuration{};
    /// 1 trains with `configuration`; more search among that many of the 27 configurations of the paper (it takes 12), and
    /// after 2/5 and 4/5 of the epochs the worse half of the trials stops.
    int trials = 1;
    /// Several workers train every trial, each on its share of the runs.
    parallel_options parallel{};
    /// Threads for the trials of a search, for the workers of a trial and, in best mode, for the fits with contexts left
    /// out; the result does not depend on it.
    int threads = 1;
    /// Stop after this time with the best so far; 0 means no limit. What is returned then depends on the machine.
    double time_budget_s = 0;
    /// Standard deviation of the noise added to every runtime in every batch.
    double target_noise_s = 0.25;
    /// Share of the runs of each (context, scale-out) held out to pick the best epoch.
    double validation_share = 0.2;
    progress_callback progress{};
};

/// Trains a general model on the runs of at least two contexts: best mode, or the published network (paper, section III-D).
///
/// Same history, options and build give the same model. Allocates; for a thousand runs, best mode takes a fraction of a
/// second and a network seconds; touches nothing shared. Cancelling returns the best network so far. Errors: those of
/// `schema_of`, single_context, invalid_option, training_diverged.
result<trained> pretrain(std::span<const run> history, const pretrain_options& options = {});

/// A model of the whole history, which begins as that of `general` did and has the runs since then, of any context: what
/// `pretrain` would give, within noise, in a small fraction of its time. Hyper-parameters, the experts' weights and
/// anomalous contexts stay what they were; features, noise, trend and outliers among the runs are fitted anew. They are all
/// fitted, as by `pretrain`, where `general` is a cold start or of less than 180 configurations (context, scale-out), or
/// where another property or value of a text makes another feature.
///
/// No model keeps its history: the caller does, for example by run_table.hpp. There is no report: `improbable_runs` of a
/// model conditioned on the new runs tells wrong ones. Runs that `general` is conditioned on count only where the history
/// has them. Deterministic; allocates; the first `bind` factorises. Errors: those of `pretrain`; not_conditionable for a
/// network.
result<model> learn(const model& general, std::span<const run> history);

namespace detail {

result<trained> pretrain_as_worker(std::span<const run> history, const pretrain_options& options, int worker,
                                   averager_reference<float> averager);

}  // namespace detail

/// Runs one worker, counted from 0, of a paper-mode pre-training by `options.parallel.workers` workers in as
/// many processes. Each calls this with the same history and options and gets the same model: that of `pretrain` with these
/// options, if the averager sums in the order of the workers.
///
/// Blocks while an average is late; trains on the calling thread. The progress callback cannot cancel. Errors:
/// those of `pretrain`; invalid_option in best mode, for fewer than two workers, with a time budget, on which processes
/// would not agree; worker_lost where `averager.finish()` returns nothing.
result<trained> pretrain_as_worker(std::span<const run> history, const pretrain_options& options, int worker,
                                   averager<float> auto& averager) {
    return detail::pretrain_as_worker(history, options, worker, detail::averager_reference<float>(averager));
}

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/pretrain_impl.hpp>  // IWYU pragma: export
#endif

#endif
