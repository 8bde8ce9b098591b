// Progress reports, stop reasons and hyper-parameters of pre-training and fine-tuning.
#ifndef BELLAMY_TRAINING_PROGRESS_HPP
#define BELLAMY_TRAINING_PROGRESS_HPP

#include <bellamy/version.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The state of a training, passed to the progress callback after every epoch.
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
    return names[static_cast<size_t>(why)];
}

/// What the paper's search varies.
struct hyper_parameters {
    double dropout = 0.05;
    double learning_rate = 0.01;
    double weight_decay = 0.001;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
