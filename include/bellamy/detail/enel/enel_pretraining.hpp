// One pre-training of Enel's network in one configuration, epoch by epoch, so that a search can stop and go on.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_PRETRAINING_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_PRETRAINING_HPP

#include <bellamy/detail/enel/enel_steps.hpp>
#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class enel_pretraining {
public:
    /// The set must outlive this. Precondition: at most as many workers as training runs. With a number of a worker, this
    /// holds only that one, whose fellows are elsewhere.
    enel_pretraining(const enel_training_set& set, const enel_configuration& configuration, const enel_noise& noise,
                     std::uint64_t seed, const parallel_options& parallel = {}, std::optional<std::size_t> only = {})
        : configuration_(configuration), shared_(std::make_unique<shared_state>(set)) {
        random_generator random(seed);
        const auto start = random_enel_parameters(random);
        const auto workers = static_cast<std::size_t>(parallel.workers);
        const auto shares = enel_shares(set.training.size(), workers, random);
        for (std::size_t i = 0; i < workers; ++i) {
            const auto own = workers == 1 ? random : random_generator(random.bits());  // one worker's draws go on
            if (only && *only != i) continue;
            steps_.push_back(std::make_unique<enel_steps>(set, shares[i], shares[0].size(), configuration, noise, start, own,
                                                          parallel, shared_->validation, shared_->cancelled));
            if (workers > 1) workers_.emplace_back(*steps_.back(), parallel);
        }
    }

    /// Trains up to this epoch with all workers on up to this many threads, or until the validation loss stands still.
    /// Working storage lives only meanwhile.
    template <class Goes>
    void run_until(int epoch, std::size_t threads, const Goes& goes_on) {
        open();
        if (workers_.empty())
            run_alone(epoch, goes_on);
        else
            run_together(epoch, threads, goes_on);
        close();
    }

    /// The same for the one worker that this holds, with others through the averager. False where another one is lost.
    template <averager<double> Averager>
    [[nodiscard]] bool run_with_others(int epoch, Averager& averager) {
        open();
        const auto state = workers_.front().advance(averager, epoch, true);
        close();
        return state == worker_state::ended;
    }

    [[nodiscard]] int epoch() const noexcept { return shared_->validation.epoch(); }
    [[nodiscard]] int best_epoch() const noexcept { return shared_->validation.best_epoch(); }
    /// Of the best epoch; infinite where none was finite.
    [[nodiscard]] double best_loss() const noexcept { return shared_->validation.best_loss(); }
    [[nodiscard]] const std::vector<double>& best() const noexcept { return shared_->validation.best(); }
    [[nodiscard]] const enel_configuration& configuration() const noexcept { return configuration_; }

private:
    struct shared_state {
        explicit shared_state(const enel_training_set& set) : validation(set) {}
        enel_validation validation;
        std::atomic<bool> cancelled = false;
    };

    void open() {
        for (auto& each : steps_) each->open();
        shared_->validation.open();
    }
    void close() {
        for (auto& each : steps_) each->close();
        shared_->validation.close();
    }

    template <class Goes>
    void run_alone(int until, const Goes& goes_on) {
        auto& only = *steps_.front();
        while (epoch() < until && !shared_->validation.stopped_by(epoch()) && goes_on()) {
            while (!only.step()) {
            }
            (void)shared_->validation.take(epoch() + 1, only.parameters());
        }
    }

    template <class Goes>
    void run_together(int until, std::size_t threads, const Goes& goes_on) {
        thread_averaging<double> averaging(steps_.size(), steps_.front()->state_size());
        (void)averaging.run(threads, [&](std::size_t i, auto& averager) {
            if (!goes_on()) {
                shared_->cancelled = true;
                averaging.close();
            }
            return workers_[i].advance(averager, until, false);
        });
    }

    enel_configuration configuration_;
    std::unique_ptr<shared_state> shared_;
    std::vector<std::unique_ptr<enel_steps>> steps_{};
    std::vector<delayed_worker<double, enel_steps>> workers_{};  // empty for a single one
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
