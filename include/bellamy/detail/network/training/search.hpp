// Hyper-parameter search by successive halving over pre-trainings (search space: paper, section IV-A; the halving is ours).
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_SEARCH_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_SEARCH_HPP

#include <bellamy/detail/network/training/eta.hpp>
#include <bellamy/detail/network/training/pretraining.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The paper's search space: 3 x 3 x 3 configurations.
inline std::vector<pretraining_configuration> search_space(const pretraining_configuration& common) {
    std::vector<pretraining_configuration> all;
    for (const double dropout : {0.05, 0.1, 0.2}) {
        for (const double learning_rate : {0.1, 0.01, 0.001}) {
            for (const double weight_decay : {0.01, 0.001, 0.0001}) {
                auto configuration = common;
                configuration.tuned = {.dropout = dropout, .learning_rate = learning_rate, .weight_decay = weight_decay};
                all.push_back(configuration);
            }
        }
    }
    return all;
}

/// What a search is asked for.
struct search_plan {
    int epochs = 0;  // of one trial, at most
    std::uint64_t seed = 0;
    std::optional<size_t> only{};  // of several workers in different processes, this one
    double time_budget_s = 0;
    const progress_callback& callback;
};

/// Progress of a search, shared by all its trials: reports it and decides when to stop. Thread-safe.
class search_progress {
public:
    /// `total_epochs`: of all trials together, at most. The plan must outlive this.
    search_progress(const search_plan& plan, size_t trials, long long total_epochs)
        : plan_(plan), trials_(static_cast<int>(trials)), total_epochs_(total_epochs) {}

    /// Called after every epoch of every trial.
    void report(const validated_epochs& trial, int number) {
        const std::lock_guard lock(mutex_);
        ++epochs_done_;
        best_loss_ = (std::min)(best_loss_, trial.best_loss);
        if (plan_.time_budget_s > 0 && pace_.elapsed_s() >= plan_.time_budget_s && !stopped())
            reason_ = stop_reason::time_budget_spent;
        if (!plan_.callback || stopped()) return;
        const training_progress progress{
            .epoch = trial.count,
            .epochs = plan_.epochs,
            .trial = number,
            .trials = trials_,
            .training_loss = trial.training_loss,
            .best_loss = best_loss_,
            .share_done = static_cast<double>(epochs_done_) / static_cast<double>(total_epochs_),
            .seconds_left = pace_.seconds_left(epochs_done_, total_epochs_)};
        if (!plan_.callback(progress)) reason_ = stop_reason::cancelled;
    }

    bool stopped() const noexcept { return reason_ != stop_reason::all_epochs_done; }
    stop_reason reason() const noexcept { return reason_; }

private:
    const search_plan& plan_;
    int trials_;
    long long total_epochs_;
    training_pace pace_{};
    std::mutex mutex_;
    std::atomic<stop_reason> reason_ = stop_reason::all_epochs_done;
    long long epochs_done_ = 0;
    double best_loss_ = infinite;
};

/// Searches among configurations; the best checkpoint over all trials wins.
template <class Scalar, dimensions D>
class pretraining_search {
public:
    struct outcome {
        std::unique_ptr<pretraining<Scalar, D>> best{};  // null where every trial diverged
        pretraining_configuration configuration{};
        int epochs = 0;  // of all trials
        stop_reason stopped = stop_reason::all_epochs_done;
        bool lost = false;  // another worker ended too early
    };

    /// References must outlive the search. The split has a share for each worker.
    pretraining_search(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                       const parallel_options& parallel = {})
        : set_(set), split_(split), scaler_(scaler), parallel_(parallel) {}

    /// Trains one pre-training per configuration; after 2/5 and 4/5 of the epochs, the worse half stops. The best
    /// checkpoint over all of them wins. The result is the same for any number of threads.
    outcome run(std::span<const pretraining_configuration> configurations, int epochs, std::uint64_t seed, size_t threads,
                double time_budget_s, const progress_callback& callback) const {
        const search_plan plan{.epochs = epochs, .seed = seed, .time_budget_s = time_budget_s, .callback = callback};
        return search(configurations, plan, [&](size_t trials, const auto& train) {
            for_each_index(trials, threads, [&](size_t i) {
                train(i, [&](auto& trial, int epoch, const auto& continues) {
                    trial.run_until(epoch, (std::max)(size_t{1}, threads / trials), continues);
                });
            });
            return true;
        });
    }

    /// The search as one of several workers in different processes, all with the same arguments. They must stop at the same
    /// epoch: there is no time budget, and the callback cannot cancel.
    outcome run_as_worker(size_t worker, averager<Scalar> auto& averager,
                          std::span<const pretraining_configuration> configurations, int epochs, std::uint64_t seed,
                          const progress_callback& callback) const {
        const search_plan plan{.epochs = epochs, .seed = seed, .only = worker, .callback = callback};
        return search(configurations, plan, [&](size_t trials, const auto& train) {
            bool none_lost = true;
            for (size_t i = 0; i < trials && none_lost; ++i) {
                train(i, [&](auto& trial, int epoch, const auto& report) {
                    none_lost = trial.run_with_others(epoch, averager, report);
                });
            }
            return none_lost;
        });
    }

private:
    // `for_each_trial(count, train)` calls `train(i, run)` for each remaining trial; false where a worker is lost.
    outcome search(std::span<const pretraining_configuration> configurations, const search_plan& plan,
                   const auto& for_each_trial) const {
        std::vector<std::uint64_t> seeds;
        random_generator random(plan.seed);
        for (size_t i = 0; i < configurations.size(); ++i) seeds.push_back(random.bits());

        std::vector<std::unique_ptr<pretraining<Scalar, D>>> trials(configurations.size());
        auto remaining = first_indices(trials.size());
        const std::vector<int> rungs = rungs_of(plan.epochs, trials.size());
        search_progress progress(plan, trials.size(), total_epochs(rungs, trials.size()));
        const auto loss = [&](size_t i) { return trials[i] ? trials[i]->validated().best_loss : infinite; };
        for (const int rung : rungs) {
            const bool none_lost = for_each_trial(remaining.size(), [&](size_t i, const auto& run) {
                auto& trial = trials[remaining[i]];
                if (!trial)
                    trial = std::make_unique<pretraining<Scalar, D>>(set_, split_, scaler_, configurations[remaining[i]],
                                                                     seeds[remaining[i]], parallel_, plan.only);
                if (progress.stopped()) return;
                run(*trial, rung, [&, number = static_cast<int>(remaining[i]) + 1] {
                    progress.report(trial->validated(), number);
                    return !progress.stopped();
                });
            });
            if (!none_lost) return {.lost = true};  // another worker ended too early: no average will come
            sort_stably(remaining, [&](auto a, auto b) { return loss(a) < loss(b); });
            remaining.resize((remaining.size() + 1) / 2);
            sort(remaining);
            if (progress.stopped()) break;
        }
        return best_of(trials, configurations, progress.reason());
    }

    static outcome best_of(std::span<std::unique_ptr<pretraining<Scalar, D>>> trials,
                           std::span<const pretraining_configuration> configurations, stop_reason reason) {
        outcome result{.stopped = reason};
        double best_loss = infinite;
        for (size_t i = 0; i < trials.size(); ++i) {
            if (!trials[i]) continue;  // stopped before it began
            const auto validated = trials[i]->validated();
            result.epochs += validated.count;
            if (!(validated.best_loss < best_loss)) continue;
            best_loss = validated.best_loss;
            result.best = std::move(trials[i]);
            result.configuration = configurations[i];
        }
        return result;
    }

    static std::vector<int> rungs_of(int epochs, size_t trials) {
        if (trials == 1) return {epochs};
        return {static_cast<int>(2LL * epochs / 5), static_cast<int>(4LL * epochs / 5), epochs};
    }
    static long long total_epochs(std::span<const int> rungs, size_t trials) noexcept {
        long long sum = 0;
        int previous = 0;
        for (const int rung : rungs) {
            sum += static_cast<long long>(trials) * (rung - previous);
            previous = rung;
            trials = (trials + 1) / 2;
        }
        return sum;
    }

    const training_set<Scalar, D>& set_;
    const holdout& split_;
    const min_max_scaler<Scalar>& scaler_;
    parallel_options parallel_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
