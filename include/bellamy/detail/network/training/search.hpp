// Successive halving over pre-trainings in different configurations (paper, section IV-A; the halving is ours).
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_SEARCH_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_SEARCH_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/network/training/pace.hpp>
#include <bellamy/detail/network/training/pretraining.hpp>
#include <bellamy/training_progress.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

namespace bellamy::inline BELLAMY_ABI::detail {

/// The paper's search space: 3 x 3 x 3 configurations.
[[nodiscard]] inline std::vector<pretraining_configuration> search_space(const pretraining_configuration& common) {
    std::vector<pretraining_configuration> all;
    for (const double dropout : {0.05, 0.1, 0.2}) {
        for (const double learning_rate : {0.1, 0.01, 0.001}) {
            for (const double weight_decay : {0.01, 0.001, 0.0001}) {
                auto one = common;
                one.tuned = {.dropout = dropout, .learning_rate = learning_rate, .weight_decay = weight_decay};
                all.push_back(one);
            }
        }
    }
    return all;
}

/// Stops, counts and tells: shared by all trials of a search.
class search_progress {
public:
    search_progress(const progress_callback& callback, int epochs, int trials, long long epochs_in_all, double time_budget_s)
        : callback_(callback),
          epochs_(epochs),
          trials_(trials),
          epochs_in_all_(epochs_in_all),
          time_budget_s_(time_budget_s) {}

    /// To be called after every epoch of every trial.
    template <class Trial>
    void report(const Trial& trial, int number) {
        const std::lock_guard lock(guard_);
        ++epochs_done_;
        best_loss_ = (std::min)(best_loss_, trial.best_loss());
        if (time_budget_s_ > 0 && pace_.elapsed_s() >= time_budget_s_ && !stopped()) why_ = stop_reason::time_budget_spent;
        if (!callback_ || stopped()) return;
        const training_progress now{.epoch = trial.epoch(),
                                    .epochs = epochs_,
                                    .trial = number,
                                    .trials = trials_,
                                    .training_loss = trial.training_loss(),
                                    .best_loss = best_loss_,
                                    .share_done = static_cast<double>(epochs_done_) / static_cast<double>(epochs_in_all_),
                                    .seconds_left = pace_.seconds_left(epochs_done_, epochs_in_all_)};
        if (!callback_(now)) why_ = stop_reason::cancelled;
    }

    [[nodiscard]] bool stopped() const noexcept { return why_ != stop_reason::all_epochs_done; }
    [[nodiscard]] stop_reason why() const noexcept { return why_; }

private:
    const progress_callback& callback_;
    int epochs_;
    int trials_;
    long long epochs_in_all_;
    double time_budget_s_;
    training_pace pace_{};
    std::mutex guard_;
    std::atomic<stop_reason> why_ = stop_reason::all_epochs_done;
    long long epochs_done_ = 0;
    double best_loss_ = std::numeric_limits<double>::infinity();
};

template <class Scalar, dimensions D>
class pretraining_search {
public:
    struct outcome {
        std::unique_ptr<pretraining<Scalar, D>> best{};  // none when every trial diverged
        pretraining_configuration configuration{};
        int epochs = 0;  // of all trials
        stop_reason stopped = stop_reason::all_epochs_done;
    };

    /// Everything handed in must outlive the search.
    pretraining_search(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler)
        : set_(set), split_(split), scaler_(scaler) {}

    /// Trains one pre-training per configuration; after 2/5 and 4/5 of the epochs, the worse half stops. The best
    /// checkpoint over all of them wins. The result is the same for any number of threads.
    [[nodiscard]] outcome run(std::span<const pretraining_configuration> configurations, int epochs, std::uint64_t seed,
                              std::size_t threads, double time_budget_s, const progress_callback& callback) {
        std::vector<std::uint64_t> seeds;
        random_generator random(seed);
        for (std::size_t i = 0; i < configurations.size(); ++i) seeds.push_back(random.bits());

        std::vector<std::unique_ptr<pretraining<Scalar, D>>> trials(configurations.size());
        std::vector<std::size_t> alive(trials.size());
        std::iota(alive.begin(), alive.end(), std::size_t{0});
        const std::vector<int> rungs = rungs_of(epochs, trials.size());
        search_progress progress(callback, epochs, static_cast<int>(trials.size()), epochs_in_all(rungs, trials.size()),
                                 time_budget_s);
        const auto loss = [&](std::size_t i) {
            return trials[i] ? trials[i]->best_loss() : std::numeric_limits<double>::infinity();
        };
        for (const int rung : rungs) {
            for_each_index(alive.size(), threads, [&](std::size_t i) {
                auto& trial = trials[alive[i]];
                if (!trial)
                    trial = std::make_unique<pretraining<Scalar, D>>(set_, split_, scaler_, configurations[alive[i]],
                                                                     seeds[alive[i]]);
                while (trial->epoch() < rung && !progress.stopped()) {
                    trial->run_epoch();
                    progress.report(*trial, static_cast<int>(alive[i]) + 1);
                }
            });
            sort_stably(alive, [&](auto a, auto b) { return loss(a) < loss(b); });
            alive.resize((alive.size() + 1) / 2);
            std::sort(alive.begin(), alive.end());
            if (progress.stopped()) break;
        }

        outcome result{.stopped = progress.why()};
        for (std::size_t i = 0; i < trials.size(); ++i) {
            if (!trials[i]) continue;  // stopped before it began
            result.epochs += trials[i]->epoch();
            if (!std::isfinite(trials[i]->best_loss()) ||
                (result.best && result.best->best_loss() <= trials[i]->best_loss()))
                continue;
            result.best = std::move(trials[i]);
            result.configuration = configurations[i];
        }
        return result;
    }

private:
    [[nodiscard]] static std::vector<int> rungs_of(int epochs, std::size_t trials) {
        if (trials == 1) return {epochs};
        return {static_cast<int>(2LL * epochs / 5), static_cast<int>(4LL * epochs / 5), epochs};
    }
    [[nodiscard]] static long long epochs_in_all(std::span<const int> rungs, std::size_t trials) noexcept {
        long long sum = 0;
        int from = 0;
        for (const int rung : rungs) {
            sum += static_cast<long long>(trials) * (rung - from);
            from = rung;
            trials = (trials + 1) / 2;
        }
        return sum;
    }

    const training_set<Scalar, D>& set_;
    const holdout& split_;
    const min_max_scaler<Scalar>& scaler_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
