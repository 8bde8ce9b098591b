// One pre-training in one configuration, epoch by epoch (paper, section III-D), so that a search can stop and go on.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP

#include <bellamy/detail/network/initialise.hpp>
#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/joint_pass.hpp>
#include <bellamy/training_progress.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace bellamy::inline BELLAMY_ABI::detail {

struct pretraining_configuration {
    hyper_parameters tuned{};
    double target_noise_s = 0.25;
    int batch_size = 64;
};

/// Which runs train and which validate.
struct holdout {
    std::vector<std::uint32_t> training{};
    std::vector<std::uint32_t> validation{};
};

/// Holds out `share` of the runs of every (context, scale-out): of m runs round(share m), at least one when m >= 2, and at
/// most m - 1.
[[nodiscard]] inline holdout stratified_holdout(std::span<const std::uint32_t> contexts, std::span<const int> scale_outs,
                                                double share, random_generator& random) {
    std::map<std::pair<std::uint32_t, int>, std::vector<std::uint32_t>> strata;
    for (std::size_t i = 0; i < contexts.size(); ++i)
        strata[{contexts[i], scale_outs[i]}].push_back(static_cast<std::uint32_t>(i));
    holdout split;
    for (auto& [key, members] : strata) {
        random.shuffle(std::span(members));
        auto held = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(members.size())));
        if (held == 0 && share > 0 && members.size() >= 2) held = 1;
        held = (std::min)(held, static_cast<std::ptrdiff_t>(members.size()) - 1);  // something is left to train on
        split.validation.insert(split.validation.end(), members.begin(), members.begin() + held);
        split.training.insert(split.training.end(), members.begin() + held, members.end());
    }
    std::sort(split.training.begin(), split.training.end());
    std::sort(split.validation.begin(), split.validation.end());
    return split;
}

template <class Scalar, dimensions D>
class pretraining {
public:
    /// The set and the split must outlive this. Where nothing is held out, the training runs validate.
    pretraining(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                const pretraining_configuration& configuration, std::uint64_t seed)
        : set_(set),
          split_(split),
          configuration_(configuration),
          random_(seed),
          current_(random_network<Scalar, D>(set.essential_count, random_)),
          parameters_(aligned_copy(current_.parameters())),
          best_(parameters_),
          gradient_(parameters_.size()),
          adam_(parameters_.size(), static_cast<Scalar>(configuration.tuned.weight_decay)),
          order_(split.training),
          targets_s_(static_cast<std::size_t>(configuration.batch_size)),
          batch_pass_(set, scaler, static_cast<std::size_t>(configuration.batch_size), configuration.tuned.dropout),
          validation_pass_(set, scaler, validation_runs().size(), 0.0) {
        current_.runtime.scaler = scaler;
        for (const auto run : validation_runs()) validation_targets_s_.push_back(set.runtimes_s[run]);
        validate();
        first_error_s_ = best_error_s_ = error_s_;
        best_loss_ = std::numeric_limits<Scalar>::infinity();
    }

    /// One pass over the training runs in random order, then a validation.
    void run_epoch() {
        random_.shuffle(std::span(order_));
        double loss_sum = 0;
        const auto batch = static_cast<std::size_t>(configuration_.batch_size);
        for (std::size_t at = 0; at < order_.size(); at += batch) {
            const auto runs = std::span<const std::uint32_t>(order_).subspan(at, (std::min)(batch, order_.size() - at));
            for (std::size_t i = 0; i < runs.size(); ++i) {
                const auto noise = static_cast<Scalar>(configuration_.target_noise_s * random_.normal());
                targets_s_[i] = std::abs(set_.runtimes_s[runs[i]] + noise);
            }
            const auto loss =
                batch_pass_.forward(parameters_.data(), runs, std::span(targets_s_).first(runs.size()), random_);
            batch_pass_.backward(parameters_.data(), gradient_.data(), runs);
            adam_.step(parameters_, gradient_, static_cast<Scalar>(configuration_.tuned.learning_rate));
            loss_sum += static_cast<double>(loss.total()) * static_cast<double>(runs.size());
        }
        training_loss_ = loss_sum / static_cast<double>(order_.size());
        ++epoch_;
        if (const Scalar loss = validate(); loss < best_loss_) {
            best_loss_ = loss;
            best_error_s_ = error_s_;
            best_epoch_ = epoch_;
            best_ = parameters_;
        }
    }

    [[nodiscard]] int epoch() const noexcept { return epoch_; }
    [[nodiscard]] int best_epoch() const noexcept { return best_epoch_; }
    [[nodiscard]] double training_loss() const noexcept { return training_loss_; }
    /// Lowest validation loss so far; infinite before the first epoch and where none was a number.
    [[nodiscard]] double best_loss() const noexcept { return static_cast<double>(best_loss_); }
    /// Mean absolute error on the validation runs: of the initial network, and of the best one.
    [[nodiscard]] double first_error_s() const noexcept { return first_error_s_; }
    [[nodiscard]] double best_error_s() const noexcept { return best_error_s_; }

    /// The network of the lowest validation loss.
    [[nodiscard]] network<Scalar, D> best_network() const {
        auto best = current_;
        best.set_parameters(best_);
        return best;
    }

private:
    [[nodiscard]] std::span<const std::uint32_t> validation_runs() const noexcept {
        return split_.validation.empty() ? split_.training : split_.validation;
    }

    Scalar validate() {
        const auto runs = validation_runs();
        const auto loss = validation_pass_.forward(parameters_.data(), runs, validation_targets_s_, random_);
        const auto predicted = validation_pass_.predicted_s(runs.size());
        error_s_ = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const auto residual = residual_of(predicted[i], validation_targets_s_[i], set_.censored[runs[i]]);
            error_s_ += std::abs(static_cast<double>(residual)) / static_cast<double>(runs.size());
        }
        return loss.total();
    }

    const training_set<Scalar, D>& set_;
    const holdout& split_;
    pretraining_configuration configuration_;
    random_generator random_;
    network<Scalar, D> current_;  // shape and scaler; the parameters in training stand flat
    aligned_vector<Scalar> parameters_;
    aligned_vector<Scalar> best_;
    aligned_vector<Scalar> gradient_;
    adam<Scalar> adam_;
    std::vector<std::uint32_t> order_;
    std::vector<Scalar> targets_s_;
    std::vector<Scalar> validation_targets_s_;
    joint_pass<Scalar, D> batch_pass_;
    joint_pass<Scalar, D> validation_pass_;
    int epoch_ = 0;
    int best_epoch_ = 0;
    double training_loss_ = 0;
    Scalar best_loss_ = 0;
    double error_s_ = 0;
    double first_error_s_ = 0;
    double best_error_s_ = 0;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
