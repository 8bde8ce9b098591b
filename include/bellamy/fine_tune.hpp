// Fine-tuning: adapts a general model to a few observed runs of the target context.
#ifndef BELLAMY_FINE_TUNE_HPP
#define BELLAMY_FINE_TUNE_HPP

#include <bellamy/training.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// How much of the general model is reused (paper, section IV-C). The property encoder is never trained here.
enum class reuse_strategy : std::uint8_t {
    partial_unfreeze = 0,  // the head learns, the scale-out network joins later; the default
    full_unfreeze = 1,     // both learn from the start
    partial_reset = 2,     // the head starts anew, the scale-out network joins later
    full_reset = 3,        // both start anew
    local = 4,             // nothing is reused: a random network, scaled to the observed scale-outs
};

[[nodiscard]] constexpr std::string_view to_string(reuse_strategy strategy) noexcept {
    return detail::name_at(strategy, {"partial_unfreeze", "full_unfreeze", "partial_reset", "full_reset", "local"});
}

/// How to fine-tune; the defaults are the paper's.
struct fine_tune_options {
    reuse_strategy strategy = reuse_strategy::partial_unfreeze;
    std::uint64_t seed = 0;
    int epochs = 2500;
    /// Standard deviation of the noise added to every runtime in every epoch.
    double target_noise_s = 0.25;
    /// Stop at a mean absolute error of 5 s, or after 1000 epochs without a better one.
    bool early_stopping = true;
    progress_callback progress{};
};

/// Adapts a general model to the observed runs of one context; with no runs, it is returned unchanged. A model of best mode
/// is conditioned, and of the options only their validity matters.
///
/// Same model, runs, options and build give the same result. Takes milliseconds; touches nothing shared; the general model
/// stays as it is. Errors, with the number of the run from 0: those of `schema::check` and `validate`; invalid_option,
/// training_diverged.
result<trained> fine_tune(const model& general, std::span<const run> observed, const fine_tune_options& options = {});

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/fine_tune_impl.hpp>  // IWYU pragma: export
#endif

#endif
