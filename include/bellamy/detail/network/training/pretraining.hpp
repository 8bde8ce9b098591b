// Pre-training of one configuration (paper, section III-D): each worker's steps, and the validation after each epoch.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP

#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>
#include <bellamy/detail/network/training/joint_pass.hpp>
#include <bellamy/training_progress.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The epochs of a pre-training so far, as validation saw them.
struct validated_epochs {
    int count = 0;
    /// Of the last one, not of the best.
    double training_loss = 0;
    /// Lowest validation loss; infinite before the first epoch and where none was a number.
    double best_loss = infinite;
    int best_epoch = 0;
    /// Mean absolute error on the validation runs: of the start, and of the best epoch.
    double first_error_s = 0;
    double best_error_s = 0;
};

/// Validates the network after every epoch and keeps the parameters of the lowest validation loss (the earliest epoch of
/// equal ones). Several workers may call it at the same time, in any order.
template <class Scalar, dimensions D>
class epoch_validation {
public:
    /// The set and the split must outlive this. Without validation runs, the training runs validate.
    epoch_validation(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                     std::span<const Scalar> start)
        : set_(set),
          runs_(split.validation.empty() ? split.training : split.validation),
          pass_(set, scaler, runs_.size(), 0.0),
          aligned_parameters_(start.size()),
          best_parameters_(start.begin(), start.end()) {
        for (const auto run : runs_) targets_s_.push_back(set.runtimes_s[run]);
        validated_.first_error_s = validated_.best_error_s = evaluate(start).error_s;
    }

    /// `call` is called after every epoch, one call at a time.
    void after_each(std::function<void()> call) { after_each_ = std::move(call); }

    /// Validates the parameters after this epoch.
    void validate(int epoch, std::span<const Scalar> parameters, double training_loss) {
        const std::lock_guard lock(validation_mutex_);
        keep_if_best(epoch, parameters, training_loss);
        if (after_each_) after_each_();
    }

    validated_epochs validated() const { return locked(validated_); }
    std::vector<Scalar> best_parameters() const { return locked(best_parameters_); }

private:
    void keep_if_best(int epoch, std::span<const Scalar> parameters, double training_loss) {
        const std::lock_guard lock(state_mutex_);
        ++validated_.count;
        validated_.training_loss = training_loss;
        const auto [loss, error_s] = evaluate(parameters);
        const double best = validated_.best_loss;
        if (!(loss < best) && !(loss == best && epoch < validated_.best_epoch && std::isfinite(loss))) return;
        validated_.best_loss = loss;
        validated_.best_error_s = error_s;
        validated_.best_epoch = epoch;
        best_parameters_.assign(parameters.begin(), parameters.end());
    }

    struct evaluation {
        double loss;
        double error_s;
    };

    template <class Value>
    Value locked(const Value& value) const {
        const std::lock_guard lock(state_mutex_);
        return value;
    }

    evaluation evaluate(std::span<const Scalar> parameters) {
        std::copy(parameters.begin(), parameters.end(), aligned_parameters_.begin());
        random_generator unused(0);  // without dropout
        const auto loss = pass_.forward(aligned_parameters_.data(), runs_, targets_s_, unused);
        const auto predictions_s = pass_.predictions_s(runs_.size());
        double error_s = 0;
        for (size_t i = 0; i < runs_.size(); ++i) {
            const auto residual = residual_of(predictions_s[i], targets_s_[i], set_.censored[runs_[i]]);
            error_s += std::abs(static_cast<double>(residual)) / count_of(runs_);
        }
        return {static_cast<double>(loss.total()), error_s};
    }

    std::mutex validation_mutex_{};     // a worker validates and calls back before the next one does
    mutable std::mutex state_mutex_{};  // of the state that the accessors read
    std::function<void()> after_each_{};
    const training_set<Scalar, D>& set_;
    index_span runs_;                // of the split, to validate on
    std::vector<Scalar> targets_s_;  // their recorded runtimes, in their order
    joint_pass<Scalar, D> pass_;     // gives the joint loss, which ranks the epochs, and the predicted runtimes
    aligned_vector<Scalar> aligned_parameters_;
    std::vector<Scalar> best_parameters_;
    validated_epochs validated_{};
};

/// Hyper-parameters of one pre-training.
struct pretraining_configuration {
    hyper_parameters tuned{};
    double target_noise_s = 0.25;
    int batch_size = 64;
};

/// The batches of a worker's epoch: the same number for every worker, though their shares may differ by one run. Batches of
/// several workers are of equal size, but for one run; a single worker has full batches and a smaller last one.
struct epoch_layout {
    size_t batch_size = 0;
    size_t steps = 0;
    bool even = false;

    static epoch_layout of(std::span<const index_list> shares, size_t batch_size) {
        size_t largest = 0;
        for (const auto& share : shares) largest = (std::max)(largest, share.size());
        return {batch_size, (largest + batch_size - 1) / batch_size, shares.size() > 1};
    }

    /// First and last index, exclusive, of the i-th batch of an epoch over this number of runs.
    std::pair<size_t, size_t> bounds(size_t i, size_t runs) const noexcept {
        if (even) return {i * runs / steps, (i + 1) * runs / steps};
        return {i * batch_size, (std::min)((i + 1) * batch_size, runs)};
    }
};

/// A worker's number among the workers.
struct worker_place {
    size_t number = 0;
    size_t workers = 1;
    /// Validates the average of every epoch; else the workers of this process take turns, each every `workers`-th epoch.
    bool validates_all = true;

    bool validates(int epoch) const noexcept { return validates_all || static_cast<size_t>(epoch) % workers == number; }
};

/// The optimisation steps of one worker on its share of the runs.
template <class Scalar, dimensions D>
class pretraining_steps {
public:
    /// References must outlive this. `cancelled` ends the training of all workers.
    pretraining_steps(const training_set<Scalar, D>& set, index_span share, const epoch_layout& layout,
                      const min_max_scaler<Scalar>& scaler, const pretraining_configuration& configuration,
                      std::span<const Scalar> start, const random_generator& random, const worker_place& place,
                      const parallel_options& parallel, epoch_validation<Scalar, D>& validation,
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
          validation_(validation),
          cancelled_(cancelled) {}
    pretraining_steps(const pretraining_steps&) = delete;  // the state refers to the parameters
    pretraining_steps& operator=(const pretraining_steps&) = delete;
    ~pretraining_steps() = default;

    /// One step on one batch; true where it ended an epoch, a pass over the share in random order.
    bool step() {
        if (batch_ == 0) {
            random_.shuffle(std::span(order_));
            loss_sum_ = 0;
        }
        const auto [first, last] = layout_.bounds(batch_, order_.size());
        const auto runs = index_span(order_).subspan(first, last - first);
        for (size_t i = 0; i < runs.size(); ++i) {
            const auto noise = static_cast<Scalar>(configuration_.target_noise_s * random_.normal());
            targets_s_[i] = std::abs(set_.runtimes_s[runs[i]] + noise);
        }
        const auto loss = pass_.forward(parameters_.data(), runs, std::span(targets_s_).first(runs.size()), random_);
        pass_.backward(parameters_.data(), gradient_.data(), runs);
        adam_.step(parameters_, gradient_, static_cast<Scalar>(configuration_.tuned.learning_rate));
        loss_sum_ += static_cast<double>(loss.total()) * count_of(runs);
        batch_ = (batch_ + 1) % layout_.steps;
        return batch_ == 0;
    }

    std::span<const Scalar> parameters() const noexcept { return parameters_; }
    /// Mean loss over the runs of the last epoch.
    double training_loss() const noexcept { return loss_sum_ / count_of(order_); }

    // See the concept local_training.
    size_t state_size() const noexcept { return state_.size(); }
    void write_state(std::span<Scalar> snapshot) const { state_.write(snapshot, static_cast<Scalar>(training_loss())); }
    void merge_state(std::span<const Scalar> average, std::span<const Scalar> snapshot) noexcept {
        state_.merge(average, snapshot);
    }
    void take_epoch(std::span<const Scalar> average) {
        ++epoch_;
        if (place_.validates(epoch_))
            validation_.validate(epoch_, state_.parameters_of(average), static_cast<double>(state_.loss_of(average)));
    }
    bool stopped() const noexcept { return cancelled_; }

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
    index_list order_;
    std::vector<Scalar> targets_s_;
    joint_pass<Scalar, D> pass_;  // gives the joint loss, which ranks the epochs, and the predicted runtimes
    epoch_validation<Scalar, D>& validation_;
    const std::atomic<bool>& cancelled_;
    size_t batch_ = 0;
    double loss_sum_ = 0;
    int epoch_ = 0;
};

/// The pre-training of one configuration with all its workers; can pause after any epoch, for a search.
template <class Scalar, dimensions D>
class pretraining {
    using steps = pretraining_steps<Scalar, D>;

public:
    /// The set and the split must outlive this; the split has a share for each worker. With `only`, this holds that worker
    /// alone; the others are in other processes.
    pretraining(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                const pretraining_configuration& configuration, std::uint64_t seed, const parallel_options& parallel = {},
                std::optional<size_t> only = {})
        : start_(0) {
        random_generator random(seed);
        start_ = random_network<Scalar, D>(set.essential_count, random);
        start_.runtime.scaler = scaler;
        const auto parameters = start_.parameters();
        validation_ = std::make_unique<epoch_validation<Scalar, D>>(set, split, scaler, parameters);
        auto shares = split.shares;
        const auto workers = static_cast<size_t>(parallel.workers);
        if (workers == 1) shares = {split.training};
        const auto layout = epoch_layout::of(shares, static_cast<size_t>(configuration.batch_size));
        for (size_t i = 0; i < workers; ++i) {
            const auto worker_random = workers == 1 ? random : random_generator(random.bits());
            if (only && *only != i) continue;
            steps_.push_back(std::make_unique<steps>(set, shares[i], layout, scaler, configuration, parameters,
                                                     worker_random, worker_place{i, workers, only.has_value()}, parallel,
                                                     *validation_, cancelled_));
            if (workers > 1) workers_.emplace_back(*steps_.back(), parallel);
        }
    }

    /// Trains all workers until this epoch, on up to this many threads. Calls `continues()` after every epoch, one thread at
    /// a time; false ends the training for good.
    void run_until(int epoch, size_t threads, const auto& continues) {
        thread_averaging<Scalar> averaging(steps_.size(), steps_.front()->state_size());
        validation_->after_each([&] {
            if (continues()) return;
            cancelled_ = true;
            averaging.close();
        });
        if (workers_.empty()) {
            while (!cancelled_ && validated().count < epoch) run_epoch();
        } else {
            (void)averaging.run(threads,
                                [&](size_t i, auto& averager) { return workers_[i].advance(averager, epoch, false); });
        }
        validation_->after_each({});
    }

    /// Trains the only worker that this holds until this epoch; the averager connects it to the others. Calls `report` after
    /// every epoch. False where another worker is lost.
    bool run_with_others(int epoch, averager<Scalar> auto& averager, const auto& report) {
        validation_->after_each([&] { (void)report(); });
        const auto state = workers_.front().advance(averager, epoch, true);
        validation_->after_each({});
        return state == worker_state::ended;
    }

    /// With a single worker: one pass over the training runs in random order, then a validation.
    void run_epoch() {
        auto& only = *steps_.front();
        while (!only.step()) {
        }
        validation_->validate(validated().count + 1, only.parameters(), only.training_loss());
    }

    validated_epochs validated() const { return validation_->validated(); }

    /// The network of the lowest validation loss.
    network<Scalar, D> best_network() const {
        auto best = start_;
        best.set_parameters(validation_->best_parameters());
        return best;
    }

private:
    network<Scalar, D> start_;             // shape and scaler; each worker has its own parameters
    std::atomic<bool> cancelled_ = false;  // to which the steps refer: an atomic, so that this is neither copied nor moved
    std::unique_ptr<epoch_validation<Scalar, D>> validation_;
    std::vector<std::unique_ptr<steps>> steps_;
    std::vector<delayed_worker<Scalar, steps>> workers_;  // empty for a single one
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
