// What pre-training and fine-tuning have in common: progress while they run, and the report they return.
#ifndef BELLAMY_TRAINING_HPP
#define BELLAMY_TRAINING_HPP

#include <bellamy/model.hpp>

#include <algorithm>
#include <functional>
#include <span>

namespace bellamy::inline BELLAMY_ABI {

/// Where a training stands; passed to the progress callback after every epoch.
struct training_progress {
    int epoch = 0;   // epochs done in this trial
    int epochs = 0;  // at most
    int trial = 1;   // of a search; 1 of 1 without
    int trials = 1;
    double training_loss = 0;
    double best_loss = 0;  // the lowest of what is watched: validation loss in pre-training, error in seconds in fine-tuning
    double share_done = 0;
    double seconds_left = 0;  // at the pace so far
};

/// Called by one training thread at a time; returning false cancels, and the best state so far is returned.
using progress_callback = std::function<bool(const training_progress&)>;

enum class stop_reason : std::uint8_t {
    all_epochs_done = 0,
    target_error_reached = 1,
    no_improvement = 2,
    cancelled = 3,
    nothing_to_learn = 4,  // fine-tuning on zero runs
    time_budget_spent = 5,
    closed_form = 6,  // best mode: no epochs
};

[[nodiscard]] constexpr std::string_view to_string(stop_reason why) noexcept {
    constexpr std::array<std::string_view, 7> names{"all epochs done", "target error reached", "no improvement",
                                                    "cancelled",       "nothing to learn",     "time budget spent",
                                                    "closed form"};
    return names[static_cast<std::size_t>(why)];
}

/// What the paper's search varies.
struct hyper_parameters {
    double dropout = 0.05;
    double learning_rate = 0.01;
    double weight_decay = 0.001;

    friend bool operator==(const hyper_parameters&, const hyper_parameters&) = default;
};

/// How a fit in closed form went. Where a covariance is ill-conditioned, it falls back in this order: more and more jitter
/// is added to its diagonal; the expert is left out; hierarchical Ernest, which has a prior of its own, answers alone.
struct expert_report {
    /// Configurations (context, scale-out) and contexts that hyper-parameters were fitted to.
    std::uint32_t points = 0;
    std::uint32_t fitted_contexts = 0;
    /// Experts were judged on contexts left out. Needs three contexts; with two they count alike.
    bool left_one_out = false;
    /// Gaussian processes fitted by marginal likelihood, by leaving contexts out with a learned pressure, and with the
    /// measured one; hierarchical Ernest.
    std::array<bool, detail::expert_kinds> usable{};
    /// Largest number added to a diagonal; 0 is the usual case.
    double jitter = 0;
};

/// How a training went. Errors are mean absolute errors in seconds, without dropout and noise: on the validation runs
/// in pre-training, on the observed runs in fine-tuning (NaN where there are none).
struct training_report {
    int epochs = 0;      // of all trials together
    int best_epoch = 0;  // 1-based epoch whose parameters were kept; 0 for those from before
    stop_reason stopped = stop_reason::all_epochs_done;
    double error_before_s = 0;
    double error_after_s = 0;
    hyper_parameters chosen{};  // in pre-training
    /// Pairs of context and scale-out whose runs differ by more than a factor of two. They are used as they are.
    std::uint32_t contradictory_configurations = 0;
    expert_report experts{};  // in best mode
};

/// A new model and how it came about.
struct trained {
    bellamy::model model;
    training_report report;
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
