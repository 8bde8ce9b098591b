// Pre-training of Enel's network: steps of each worker, early stopping, and a random search with successive halving.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_PRETRAINING_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_PRETRAINING_HPP

#include <bellamy/detail/enel/enel_pass.hpp>
#include <bellamy/detail/enel/enel_training_set.hpp>
#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>

#include <memory>
#include <mutex>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Validation loss, best epoch and early stopping of one pre-training, shared by its workers. They hand in the parameters of
/// every epoch in order; the first of each epoch are validated.
class enel_validation {
public:
    static constexpr int patience = 5;            // latest validation losses
    static constexpr int patience_from = 15;      // epochs
    static constexpr double least_spread = 0.01;  // their standard deviation below which training stops

    /// The set must outlive this.
    explicit enel_validation(const enel_training_set& set) : set_(set) {}

    /// Allocates the buffers that validation needs; `close` frees them.
    void open() { pass_.emplace(enel_capacity::covering(batches()), 0); }
    void close() { pass_.reset(); }

    /// Validates the parameters after an epoch, unless another worker's were.
    void take(int epoch, std::span<const double> parameters) {
        const std::lock_guard lock(mutex_);
        if (epoch <= epoch_) return;
        epoch_ = epoch;
        validate(parameters);
    }

    /// Early stopping at or before this epoch: the loss has converged or is not finite.
    bool stopped_by(int epoch) const {
        const std::lock_guard lock(mutex_);
        return stopped_epoch_ <= epoch;
    }

    int epoch() const noexcept { return epoch_; }
    int best_epoch() const noexcept { return best_epoch_; }
    /// Loss of the best epoch; infinite where none was finite.
    double best_loss() const noexcept { return best_loss_; }
    const std::vector<double>& best() const noexcept { return best_; }

private:
    // Without validation runs, the training runs rank the trials.
    std::span<const enel_batch> batches() const noexcept {
        return set_.validation.empty() ? set_.training : set_.validation;
    }

    void validate(std::span<const double> parameters) {
        aligned_parameters_.assign(parameters.begin(), parameters.end());
        random_generator unused(0);  // there is no dropout
        double loss = 0;
        for (const auto& batch : batches())
            loss += pass_->forward(aligned_parameters_.data(), batch, {}, unused).total() / count_of(batches());
        if (!std::isfinite(loss)) stopped_epoch_ = epoch_;
        // Without validation runs, the last epoch is kept.
        if (std::isfinite(loss) && (loss < best_loss_ || set_.validation.empty())) {
            best_loss_ = loss;
            best_epoch_ = epoch_;
            best_.assign(parameters.begin(), parameters.end());
        }
        if (set_.validation.empty()) return;
        last_losses_.push_back(loss);
        if (last_losses_.size() > static_cast<size_t>(patience)) last_losses_.erase(last_losses_.begin());
        if (epoch_ >= patience_from && spread() < least_spread) stopped_epoch_ = (std::min)(stopped_epoch_, epoch_);
    }

    // Standard deviation of the latest validation losses.
    double spread() const noexcept {
        const double count = count_of(last_losses_);
        const double mean = sum_of(last_losses_) / count;
        double squares = 0;
        for (const double loss : last_losses_) squares += (loss - mean) * (loss - mean);
        return std::sqrt(squares / count);
    }

    const enel_training_set& set_;
    mutable std::mutex mutex_{};
    std::optional<enel_joint_pass> pass_;
    aligned_vector<double> aligned_parameters_{};
    std::vector<double> last_losses_;
    std::vector<double> best_;  // parameters of the best epoch
    double best_loss_ = infinite;
    int epoch_ = 0;
    int best_epoch_ = 0;
    int stopped_epoch_ = (std::numeric_limits<int>::max)();
};

/// The training steps of one worker on its share of the runs: a step is one run, an epoch the share in random order.
class enel_steps {
public:
    /// `set` and `validation` must outlive this. `steps` is the length of an epoch, the same for all workers: a share with
    /// one run less skips its last step.
    enel_steps(const enel_training_set& set, std::vector<size_t> share, size_t steps,
               const enel_configuration& configuration, std::span<const double> start, const random_generator& random,
               const parallel_options& parallel, enel_validation& validation)
        : set_(set),
          configuration_(configuration),
          random_(random),
          parameters_(start.begin(), start.end()),
          gradient_(start.size()),
          order_(std::move(share)),
          steps_(steps),
          adam_(start.size(), configuration.rates.weight_decay),
          state_(parameters_, parallel),
          validation_(validation) {}

    /// Allocates the buffers that steps need; `close` frees them.
    void open() { pass_.emplace(enel_capacity::covering(set_.training), configuration_.alpha_dropout); }
    void close() { pass_.reset(); }

    /// One training step; returns whether it ended an epoch.
    bool step() {
        if (step_ == 0) random_.shuffle(std::span(order_));
        if (step_ < order_.size()) train_on(set_.training[order_[step_]]);
        step_ = (step_ + 1) % steps_;
        return step_ == 0;
    }

    std::span<const double> parameters() const noexcept { return parameters_; }

    // For `delayed_worker`: workers average their parameters alone, Adam's moments stay local.
    size_t state_size() const noexcept { return state_.size(); }
    void write_state(std::span<double> snapshot) const { state_.write(snapshot, 0); }  // 0: no training loss is needed
    void merge_state(std::span<const double> average, std::span<const double> snapshot) noexcept {
        state_.merge(average, snapshot);
    }
    void take_epoch(std::span<const double> average) { validation_.take(++epoch_, state_.parameters_of(average)); }
    bool stopped() const { return validation_.stopped_by(epoch_); }

private:
    void train_on(const enel_batch& batch) {
        noisy_ = batch;
        enel_noise{}.apply(batch, noisy_, random_);
        keep_.resize(batch.edges());
        for (auto& keep : keep_) keep = random_.uniform() >= configuration_.edge_dropout ? 1 : 0;
        const enel_edge_dropout dropout{keep_, configuration_.edge_dropout};
        (void)pass_->forward(parameters_.data(), noisy_, dropout, random_);
        pass_->backward(parameters_.data(), gradient_.data(), noisy_, dropout);
        adam_.step(parameters_, gradient_, configuration_.rates.learning_rate);
    }

    const enel_training_set& set_;
    enel_configuration configuration_;
    random_generator random_;
    aligned_vector<double> parameters_;
    aligned_vector<double> gradient_;
    std::vector<size_t> order_;  // positions of the share's runs, shuffled every epoch
    size_t steps_;               // per epoch
    size_t step_ = 0;            // of the present epoch
    int epoch_ = 0;
    adam<double> adam_;
    averaged_state<double> state_;  // refers to the parameters: the pass is why this is neither copied nor moved
    enel_validation& validation_;
    std::optional<enel_joint_pass> pass_;
    enel_batch noisy_{};  // the batch of the present step, with noise
    std::vector<std::uint8_t> keep_;
};

/// One trial: pre-training in one configuration by one or several workers, which can stop after an epoch and go on later.
class enel_pretraining {
public:
    /// The set must outlive this. Precondition: at most as many workers as training runs. With `only_worker`, this
    /// holds that worker alone, and the others are in other processes.
    enel_pretraining(const enel_training_set& set, const enel_configuration& configuration, std::uint64_t seed,
                     const parallel_options& parallel = {}, std::optional<size_t> only_worker = {})
        : configuration_(configuration), validation_(std::make_unique<enel_validation>(set)) {
        random_generator random(seed);
        const auto start = random_enel_parameters(random);
        const auto workers = static_cast<size_t>(parallel.workers);
        const auto shares = enel_shares(set.training.size(), workers, random);
        for (size_t i = 0; i < workers; ++i) {
            const auto draws = workers == 1 ? random : random_generator(random.bits());
            if (only_worker && *only_worker != i) continue;
            steps_.push_back(std::make_unique<enel_steps>(set, shares[i], shares[0].size(), configuration, start, draws,
                                                          parallel, *validation_));
            if (workers > 1) workers_.emplace_back(*steps_.back(), parallel);
        }
    }

    /// Trains all workers up to this epoch on up to this many threads, or until early stopping.
    void run_until(int epoch, size_t threads) {
        open();
        if (workers_.empty())
            run_alone(epoch);
        else
            run_together(epoch, threads);
        close();
    }

    /// The same for the one worker that this holds; the averager averages it with the others. False where one of them is
    /// lost.
    bool run_with_others(int epoch, averager<double> auto& averager) {
        open();
        const auto state = workers_.front().advance(averager, epoch, true);
        close();
        return state == worker_state::ended;
    }

    const enel_validation& validation() const noexcept { return *validation_; }
    const enel_configuration& configuration() const noexcept { return configuration_; }

private:
    // Buffers live only while training runs: a search holds many trials.
    void open() {
        for (auto& steps : steps_) steps->open();
        validation_->open();
    }
    void close() {
        for (auto& steps : steps_) steps->close();
        validation_->close();
    }

    void run_alone(int last_epoch) {
        auto& worker = *steps_.front();
        for (int epoch = validation_->epoch(); epoch < last_epoch && !validation_->stopped_by(epoch); ++epoch) {
            while (!worker.step()) {
            }
            validation_->take(epoch + 1, worker.parameters());
        }
    }

    void run_together(int last_epoch, size_t threads) {
        thread_averaging<double> averaging(steps_.size(), steps_.front()->state_size());
        (void)averaging.run(threads,
                            [&](size_t i, auto& averager) { return workers_[i].advance(averager, last_epoch, false); });
    }

    enel_configuration configuration_;
    std::unique_ptr<enel_validation> validation_;
    std::vector<std::unique_ptr<enel_steps>> steps_;
    std::vector<delayed_worker<double, enel_steps>>
        workers_{};  // their averages arrive with a delay; empty for a single worker
};

/// Settings of a search, as published but for one: configurations are drawn at random, not by an estimator.
struct enel_search_plan {
    int trials = 40;
    int epochs = 300;
    std::uint64_t seed = 0;
    size_t threads = 1;
    parallel_options parallel{};
};

/// The best network of a search.
struct enel_trained {
    std::vector<double> parameters{};  // empty where every trial diverged
    enel_configuration configuration{};
    double validation_loss = infinite;
    int epochs = 0;  // of all trials
    int best_epoch = 0;
    bool lost = false;  // another worker ended too early
};

/// Random search with successive halving: after 30, 120, ... epochs the best quarter of the trials goes on.
class enel_search {
public:
    static constexpr int first_rung = 30;  // epochs
    static constexpr int keep_one_in = 4;

    explicit enel_search(const enel_training_set& set) : set_(set) {}

    /// The same result for any number of threads.
    enel_trained run(const enel_search_plan& plan) const {
        return search(draw_trials(plan), plan.epochs, [&](auto& trials, const auto& alive, int last_epoch) {
            const size_t threads = (std::max)(size_t{1}, plan.threads / alive.size());
            for_each_index(alive.size(), plan.threads, [&](size_t i) { trials[alive[i]].run_until(last_epoch, threads); });
            return true;
        });
    }

    /// The part of one worker; the others do the same in other processes.
    enel_trained run_as_worker(const enel_search_plan& plan, size_t worker, averager<double> auto& averager) const {
        return search(draw_trials(plan, worker), plan.epochs, [&](auto& trials, const auto& alive, int last_epoch) {
            return all_of(alive, [&](size_t i) { return trials[i].run_with_others(last_epoch, averager); });
        });
    }

private:
    // `train(trials, alive, epoch)` trains the trials that are alive up to an epoch; false where a worker is lost.
    static enel_trained search(std::vector<enel_pretraining> trials, int epochs, const auto& train) {
        auto alive = first_indices(trials.size());
        for (int rung = first_rung; !alive.empty(); rung *= keep_one_in) {
            const int last_epoch = alive.size() == 1 ? epochs : (std::min)(rung, epochs);
            if (!train(trials, alive, last_epoch)) return {.lost = true};
            if (last_epoch == epochs) break;
            sort_stably(alive, [&](auto a, auto b) {
                return trials[a].validation().best_loss() < trials[b].validation().best_loss();
            });
            alive.resize((alive.size() + keep_one_in - 1) / keep_one_in);
        }
        return best_of(trials);
    }

    static enel_trained best_of(const std::vector<enel_pretraining>& trials) {
        enel_trained best;
        for (const auto& trial : trials) {
            const auto& validation = trial.validation();
            best.epochs += validation.epoch();
            if (validation.best().empty() || best.validation_loss <= validation.best_loss()) continue;
            best.parameters = validation.best();
            best.configuration = trial.configuration();
            best.validation_loss = validation.best_loss();
            best.best_epoch = validation.best_epoch();
        }
        return best;
    }

    std::vector<enel_pretraining> draw_trials(const enel_search_plan& plan, std::optional<size_t> only_worker = {}) const {
        constexpr std::array dropouts{.05, .1, .2, .5};
        random_generator random(plan.seed);
        const auto log_uniform = [&](double low, double high) {
            return low * std::exp(random.uniform() * std::log(high / low));
        };
        std::vector<enel_pretraining> trials;
        trials.reserve(static_cast<size_t>(plan.trials));
        for (int i = 0; i < plan.trials; ++i) {
            enel_configuration configuration;
            configuration.alpha_dropout = dropouts[random.below(dropouts.size())];
            configuration.edge_dropout = dropouts[random.below(dropouts.size())];
            configuration.rates.learning_rate = log_uniform(1e-4, 1e-1);
            configuration.rates.weight_decay = log_uniform(1e-5, 1e-1);
            trials.emplace_back(set_, configuration, random.bits(), plan.parallel, only_worker);
        }
        return trials;
    }

    const enel_training_set& set_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
