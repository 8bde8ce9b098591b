// One pre-training in one configuration, epoch by epoch (paper, section III-D), so that a search can stop and go on.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PRETRAINING_HPP

#include <bellamy/detail/network/initialise.hpp>
#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>
#include <bellamy/detail/network/training/pretraining_steps.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

template <class Scalar, dimensions D>
class pretraining {
    using steps = pretraining_steps<Scalar, D>;

public:
    /// The set and the split must outlive this; the split has a share for each worker. With a number of a worker, this holds
    /// only that one, whose fellows are elsewhere.
    pretraining(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                const pretraining_configuration& configuration, std::uint64_t seed, const parallel_options& parallel = {},
                std::optional<std::size_t> only = {})
        : parallel_(parallel), start_(0) {
        random_generator random(seed);
        start_ = random_network<Scalar, D>(set.essential_count, random);
        start_.runtime.scaler = scaler;
        const auto parameters = start_.parameters();
        best_ = std::make_unique<epoch_validation<Scalar, D>>(set, split, scaler, parameters);
        auto shares = split.shares;
        const auto workers = static_cast<std::size_t>(parallel.workers);
        if (workers == 1) shares = {split.training};
        const auto layout = epoch_layout::of(shares, static_cast<std::size_t>(configuration.batch_size));
        for (std::size_t i = 0; i < workers; ++i) {
            const auto own = workers == 1 ? random : random_generator(random.bits());  // one worker's draws go on
            if (only && *only != i) continue;
            steps_.push_back(std::make_unique<steps>(set, shares[i], layout, scaler, configuration, parameters, own,
                                                     worker_place{i, workers, only.has_value()}, parallel, *best_,
                                                     cancelled_));
            if (workers > 1) workers_.emplace_back(*steps_.back(), parallel);
        }
    }
    pretraining(const pretraining&) = delete;
    pretraining& operator=(const pretraining&) = delete;
    ~pretraining() = default;

    /// Trains until this epoch, with all workers on up to this many threads. After every epoch, `goes_on()` is asked, by one
    /// thread at a time; false ends the training for good.
    template <class GoesOn>
    void run_until(int epoch, std::size_t threads, const GoesOn& goes_on) {
        thread_averaging<Scalar> averaging(steps_.size(), steps_.front()->state_size());
        best_->after_each([&] {
            if (goes_on()) return;
            cancelled_ = true;
            averaging.close();
        });
        if (workers_.empty()) {
            while (!cancelled_ && best_->epochs() < epoch) run_epoch();
        } else {
            (void)averaging.run(threads,
                                [&](std::size_t i, auto& averager) { return workers_[i].advance(averager, epoch, false); });
        }
        best_->after_each({});
    }

    /// Trains the one worker that this holds until this epoch, with others through the averager. Calls `report` after every
    /// epoch. False where another worker is lost.
    template <averager<Scalar> Averager, class Report>
    [[nodiscard]] bool run_with_others(int epoch, Averager& averager, const Report& report) {
        best_->after_each([&] { (void)report(); });
        const auto state = workers_.front().advance(averager, epoch, true);
        best_->after_each({});
        return state == worker_state::ended;
    }

    /// With a single worker: one pass over the training runs in random order, then a validation.
    void run_epoch() {
        auto& only = *steps_.front();
        while (!only.step()) {
        }
        best_->take(best_->epochs() + 1, only.parameters(), only.training_loss());
    }

    [[nodiscard]] int epoch() const { return best_->epochs(); }
    [[nodiscard]] int best_epoch() const { return best_->epoch(); }
    [[nodiscard]] double training_loss() const { return best_->training_loss(); }
    /// Lowest validation loss so far; infinite before the first epoch and where none was a number.
    [[nodiscard]] double best_loss() const { return best_->loss(); }
    /// Mean absolute error on the validation runs: of the initial network, and of the best one.
    [[nodiscard]] double first_error_s() const { return best_->first_error_s(); }
    [[nodiscard]] double best_error_s() const { return best_->error_s(); }

    /// The network of the lowest validation loss.
    [[nodiscard]] network<Scalar, D> best_network() const {
        auto best = start_;
        best.set_parameters(best_->parameters());
        return best;
    }

private:
    parallel_options parallel_;
    network<Scalar, D> start_;  // shape and scaler; the parameters in training stand flat
    std::atomic<bool> cancelled_ = false;
    std::unique_ptr<epoch_validation<Scalar, D>> best_{};
    std::vector<std::unique_ptr<steps>> steps_{};
    std::vector<delayed_worker<Scalar, steps>> workers_{};  // empty for a single one
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
