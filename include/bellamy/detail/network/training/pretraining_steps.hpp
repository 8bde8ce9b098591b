// One worker's steps of a pre-training (paper, section III-D), on its share of the runs.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_STEPS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_STEPS_HPP

#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging.hpp>
#include <bellamy/detail/network/training/epoch_validation.hpp>
#include <bellamy/detail/network/training/joint_pass.hpp>
#include <bellamy/training_progress.hpp>

#include <atomic>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct pretraining_configuration {
    hyper_parameters tuned{};
    double target_noise_s = 0.25;
    int batch_size = 64;
};

/// Which batches a worker's epoch has. As many for every worker, though their shares may differ by one run: with several
/// workers the batches of an epoch are equally large, but for one run; a single worker has full ones, and what is left.
struct epoch_layout {
    std::size_t batch_size = 0;
    std::size_t steps = 0;
    bool even = false;

    [[nodiscard]] static epoch_layout of(std::span<const std::vector<std::uint32_t>> shares, std::size_t batch_size) {
        std::size_t largest = 0;
        for (const auto& each : shares) largest = (std::max)(largest, each.size());
        return {batch_size, (largest + batch_size - 1) / batch_size, shares.size() > 1};
    }

    /// The i-th of an epoch's batches, of so many runs.
    [[nodiscard]] std::pair<std::size_t, std::size_t> bounds(std::size_t i, std::size_t runs) const noexcept {
        if (even) return {i * runs / steps, (i + 1) * runs / steps};
        return {i * batch_size, (std::min)((i + 1) * batch_size, runs)};
    }
};

/// A worker's place among the workers.
struct worker_place {
    std::size_t number = 0;
    std::size_t workers = 1;
    /// Looks at the average of every epoch; else of every `workers`-th, its turn, as the others do in this process.
    bool validates_all = true;

    [[nodiscard]] bool validates(int epoch) const noexcept {
        return validates_all || static_cast<std::size_t>(epoch) % workers == number;
    }
};

template <class Scalar, dimensions D>
class pretraining_steps {
public:
    /// What is referred to must outlive this. `cancelled` ends the training of all workers.
    pretraining_steps(const training_set<Scalar, D>& set, std::span<const std::uint32_t> share, const epoch_layout& layout,
                      const min_max_scaler<Scalar>& scaler, const pretraining_configuration& configuration,
                      std::span<const Scalar> start, const random_generator& random, const worker_place& place,
                      const parallel_options& parallel, epoch_validation<Scalar, D>& best,
                      const std::atomic<bool>& cancelled)
        : set_(set),
          configuration_(configuration),
          layout_(layout),
          place_(place),
          random_(random),
          parameters_(start.begin(), start.end()),
          gradient_(start.size()),
          adam_(start.size(), static_cast<Scalar>(configuration.tuned.weight_decay)),
          state_(parameters_, parallel),
          order_(share.begin(), share.end()),
          targets_s_(layout.batch_size),
          pass_(set, scaler, layout.batch_size, configuration.tuned.dropout),
          best_(best),
          cancelled_(cancelled) {}
    pretraining_steps(const pretraining_steps&) = delete;  // the state refers to the parameters
    pretraining_steps& operator=(const pretraining_steps&) = delete;
    ~pretraining_steps() = default;

    /// One batch; whether it was the last of an epoch, a pass over the share in random order.
    [[nodiscard]] bool step() {
        if (batch_ == 0) {
            random_.shuffle(std::span(order_));
            loss_sum_ = 0;
        }
        const auto [first, last] = layout_.bounds(batch_, order_.size());
        const auto runs = std::span<const std::uint32_t>(order_).subspan(first, last - first);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const auto noise = static_cast<Scalar>(configuration_.target_noise_s * random_.normal());
            targets_s_[i] = std::abs(set_.runtimes_s[runs[i]] + noise);
        }
        const auto loss = pass_.forward(parameters_.data(), runs, std::span(targets_s_).first(runs.size()), random_);
        pass_.backward(parameters_.data(), gradient_.data(), runs);
        adam_.step(parameters_, gradient_, static_cast<Scalar>(configuration_.tuned.learning_rate));
        loss_sum_ += static_cast<double>(loss.total()) * static_cast<double>(runs.size());
        batch_ = (batch_ + 1) % layout_.steps;
        return batch_ == 0;
    }

    [[nodiscard]] std::span<const Scalar> parameters() const noexcept { return parameters_; }
    /// Mean over the last epoch's runs.
    [[nodiscard]] double training_loss() const noexcept { return loss_sum_ / static_cast<double>(order_.size()); }

    // As a worker among several.
    [[nodiscard]] std::size_t state_size() const noexcept { return state_.size(); }
    void write_state(std::span<Scalar> snapshot) const { state_.write(snapshot, static_cast<Scalar>(training_loss())); }
    void merge_state(std::span<const Scalar> average, std::span<const Scalar> snapshot) noexcept {
        state_.merge(average, snapshot);
    }
    void take_epoch(std::span<const Scalar> average) {
        ++epoch_;
        if (place_.validates(epoch_))
            best_.take(epoch_, state_.parameters_of(average), static_cast<double>(state_.loss_of(average)));
    }
    [[nodiscard]] bool stopped() const noexcept { return cancelled_; }

private:
    const training_set<Scalar, D>& set_;
    pretraining_configuration configuration_;
    epoch_layout layout_;
    worker_place place_;
    random_generator random_;
    aligned_vector<Scalar> parameters_;
    aligned_vector<Scalar> gradient_;
    adam<Scalar> adam_;
    averaged_state<Scalar> state_;
    std::vector<std::uint32_t> order_;
    std::vector<Scalar> targets_s_;
    joint_pass<Scalar, D> pass_;
    epoch_validation<Scalar, D>& best_;
    const std::atomic<bool>& cancelled_;
    std::size_t batch_ = 0;
    double loss_sum_ = 0;
    int epoch_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
