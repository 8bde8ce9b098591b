// The result of pre-training and fine-tuning: a model and a report of the training.
#ifndef BELLAMY_TRAINING_HPP
#define BELLAMY_TRAINING_HPP

#include <bellamy/model.hpp>
#include <bellamy/training_progress.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Report of a blend's fit. Where a covariance is ill-conditioned, it falls back in this order: more and more jitter
/// is added to its diagonal; the expert is left out; hierarchical Ernest, which has a prior of its own, answers alone.
struct expert_report {
    /// Configurations (context, scale-out) and contexts that hyper-parameters were fitted to.
    std::uint32_t points = 0;
    std::uint32_t fitted_contexts = 0;
    /// Experts were judged on contexts left out. Needs three contexts; with two they count alike.
    bool left_one_out = false;
    /// Names of the experts that can answer. The process without a trend takes part from three contexts on, or from 16 where
    /// they differ in their data size alone; the cluster regression for up to 64 configurations of machines of known cores.
    std::vector<std::string_view> usable{};
    /// Largest number added to a diagonal; 0 is the usual case.
    double jitter = 0;
    /// Outliers (probability 0.95), in the order of the history: they are down-weighted. Searched for among the fitted
    /// configurations (a sample of more than 180), with three contexts or more.
    std::vector<improbable_run> improbable_runs{};
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
    /// Runs in pre-training whose runtime is a lower bound. Where all of them are, predictions may be far too short.
    std::uint32_t censored_runs = 0;
    expert_report experts{};  // in best mode
};

/// A new model and the report of its training.
struct trained {
    bellamy::model model;
    training_report report;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
