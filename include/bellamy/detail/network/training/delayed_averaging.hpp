// Delayed averaging of parameters (after DaSGD, Zhou et al. 2020): local steps, snapshots and merges of one worker.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_DELAYED_AVERAGING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_DELAYED_AVERAGING_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/parallel_training.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Error: invalid_option.
inline result<void> validate(const parallel_options& options) {
    const auto outside = [](std::string_view name, int value, std::string_view range, auto... bound) {
        return fail(errc::invalid_option, "expected ", name, " ", range, bound..., ", found ", value);
    };
    if (options.workers < 1 || options.workers > 1024) return outside("workers", options.workers, "from 1 to 1024");
    if (options.period < 1 || options.period > 1000000) return outside("period", options.period, "from 1 to 1000000");
    if (options.delay < 0 || options.delay >= options.period)
        return outside("delay", options.delay, "from 0 to period - 1 = ", options.period - 1);
    const double slow_momentum = options.slow_momentum_or_default();
    if (!(slow_momentum >= 0 && slow_momentum < 1))
        return fail(errc::invalid_option, "expected slow_momentum in [0, 1), found ", slow_momentum);
    return {};
}

/// Checks that every worker has a share of at least one run.
inline result<void> validate_shares(const parallel_options& options, size_t runs) {
    if (static_cast<size_t>(options.workers) <= runs) return {};
    return fail(errc::invalid_option, "expected at most as many workers as runs to train on, ", runs, ", found ",
                options.workers);
}

/// Checks the options of one of several workers in different processes. A time budget would end each at another step.
inline result<void> validate_worker(const parallel_options& options, double time_budget_s, int worker) {
    if (options.workers < 2 || time_budget_s > 0)
        return fail(errc::invalid_option, "expected at least 2 workers and no time budget, found ", options.workers,
                    " workers and ", time_budget_s, " s");
    if (worker < 0 || worker >= options.workers)
        return fail(errc::invalid_option, "expected a worker from 0 to ", options.workers - 1, ", found ", worker);
    return {};
}

inline error lost_worker(const parallel_options& options) noexcept {
    return fail(errc::worker_lost, "expected ", options.workers,
                " workers to train to the end, found that another one is gone");
}

/// Mean of the workers' snapshots, which are stored one after the other; summed in their order, element by element.
template <class Scalar>
void mean_of_snapshots(std::span<const Scalar> snapshots, size_t workers, std::span<Scalar> mean) noexcept {
    for (size_t i = 0; i < mean.size(); ++i) {
        Scalar sum = snapshots[i];
        for (size_t worker = 1; worker < workers; ++worker) sum += snapshots[worker * mean.size() + i];
        mean[i] = sum / static_cast<Scalar>(workers);
    }
}

/// The state that workers average: a block of parameters, then one number, the training loss, which is averaged only.
template <class Scalar>
class averaged_state {
public:
    /// The parameters, now those of the start, must outlive this.
    averaged_state(std::span<Scalar> parameters, const parallel_options& options)
        : parameters_(parameters), slow_momentum_(static_cast<Scalar>(options.slow_momentum_or_default())) {
        if (slow_momentum_ > 0) last_average_.assign(parameters.begin(), parameters.end());
    }

    size_t size() const noexcept { return parameters_.size() + 1; }

    void write(std::span<Scalar> snapshot, Scalar loss) const {
        std::copy(parameters_.begin(), parameters_.end(), snapshot.begin());
        snapshot.back() = loss;
    }

    /// Adds average - snapshot, which keeps the steps since this worker's snapshot and the mean of all workers; then moves
    /// on by the slow momentum, equally in all workers.
    void merge(std::span<const Scalar> average, std::span<const Scalar> snapshot) noexcept {
        for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i] += average[i] - snapshot[i];
        for (size_t i = 0; i < last_average_.size(); ++i)
            parameters_[i] += slow_momentum_ * (average[i] - std::exchange(last_average_[i], average[i]));
    }

    std::span<const Scalar> parameters_of(std::span<const Scalar> average) const noexcept {
        return average.first(parameters_.size());
    }
    static Scalar loss_of(std::span<const Scalar> average) noexcept { return average.back(); }

private:
    std::span<Scalar> parameters_;
    Scalar slow_momentum_;
    std::vector<Scalar> last_average_;  // of the parameters; empty without momentum
};

/// The optimisation of one worker on its share of the runs.
template <class Training, class Scalar>
concept local_training = requires(Training& training, std::span<const Scalar> average, std::span<Scalar> snapshot) {
    /// One local step; true where it ended an epoch.
    { training.step() } -> std::same_as<bool>;
    /// The averaged state, of constant size: parameters, and whatever else is averaged.
    { training.state_size() } -> std::same_as<size_t>;
    training.write_state(snapshot);
    training.merge_state(average, average);
    /// The average of all workers' states at the end of an epoch. Epochs come in order.
    training.take_epoch(average);
    /// Whether to stop; must follow from the averages alone, so that all workers stop at the same step.
    { training.stopped() } -> std::same_as<bool>;
};

enum class worker_state : std::uint8_t {
    ended = 0,  // reached the epoch, and all averages were received
    waits = 1,  // for an average that has not arrived
    lost = 2,   // an average will never come
};

/// Steps one worker and merges averages at fixed steps, whenever they arrive: it waits for a late one.
template <class Scalar, local_training<Scalar> Training>
class delayed_worker {
public:
    /// The training must outlive this.
    delayed_worker(Training& training, const parallel_options& options)
        : training_(training), period_(options.period), delay_(options.delay) {}

    /// Steps until this many epochs are done. Where an average has not arrived, it waits or, without `may_wait`, returns;
    /// the next call continues. A pause between epochs does not change the result.
    worker_state advance(averager<Scalar> auto& averager, int epoch, bool may_wait) {
        for (;;) {
            const bool pauses = !unpublished_ && (epochs_ >= epoch || training_.stopped());
            if (!rounds_.empty() && (is_due(rounds_.front().step) || pauses)) {
                if (!may_wait && !averager.arrived()) return worker_state::waits;
                const auto average = averager.finish();
                if (average.empty()) return worker_state::lost;
                receive(average);
            } else if (held_ && is_due(held_->first.step)) {
                training_.merge_state(held_->second, held_->first.snapshot);
                held_.reset();
            } else if (unpublished_) {
                publish(averager);
            } else if (pauses) {
                return worker_state::ended;
            } else {
                ends_epoch_ = training_.step();
                ++step_;
                if (ends_epoch_) ++epochs_;
                unpublished_ = ends_epoch_ || step_ % period_ == 0;
                (void)averager.arrived();
            }
        }
    }

private:
    struct round {
        long long step = 0;
        bool merges = false;  // at the end of a period; averages at the end of an epoch are only validated
        bool ends_epoch = false;
        std::vector<Scalar> snapshot{};
    };

    bool is_due(long long snapshot_step) const noexcept { return snapshot_step + delay_ <= step_; }

    void publish(averager<Scalar> auto& averager) {
        round published{.step = step_, .merges = step_ % period_ == 0, .ends_epoch = ends_epoch_};
        published.snapshot.resize(training_.state_size());
        training_.write_state(published.snapshot);
        averager.begin(published.snapshot);
        rounds_.push_back(std::move(published));
        unpublished_ = false;
    }

    // At a pause, an average is received before it is due: it is validated, and held until it is due to be merged.
    void receive(std::span<const Scalar> average) {
        auto received = std::move(rounds_.front());
        rounds_.erase(rounds_.begin());
        if (received.ends_epoch) training_.take_epoch(average);
        if (!received.merges) return;
        if (is_due(received.step))
            training_.merge_state(average, received.snapshot);
        else
            held_.emplace(std::move(received), std::vector<Scalar>(average.begin(), average.end()));
    }

    Training& training_;
    long long period_;
    long long delay_;
    long long step_ = 0;
    int epochs_ = 0;
    bool ends_epoch_ = false;
    bool unpublished_ = false;
    std::vector<round> rounds_;  // published, not yet received
    std::optional<std::pair<round, std::vector<Scalar>>> held_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
