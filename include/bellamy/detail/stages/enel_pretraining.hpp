// One pre-training of Enel's network in one configuration, epoch by epoch, so that a search can stop and go on.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_PRETRAINING_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_PRETRAINING_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/stages/enel_fine_tuning.hpp>
#include <bellamy/detail/stages/enel_graph.hpp>
#include <bellamy/detail/stages/enel_joint_pass.hpp>

#include <deque>
#include <numeric>

namespace bellamy::inline BELLAMY_ABI::detail {

/// What the search varies.
struct enel_configuration {
    double alpha_dropout = 0.05;
    double edge_dropout = 0.05;
    enel_rates rates{};
};

/// Positions of the validation runs among `count` runs in the order of their scale-outs: round(linspace(1, count - 2,
/// 1 + ceil(0.2 count))), halves to even, each once. Fewer than three runs have none.
[[nodiscard]] inline std::vector<std::size_t> enel_validation_positions(std::size_t count) {
    std::vector<std::size_t> positions;
    if (count < 3) return positions;
    const std::size_t points = 1 + (count + 4) / 5;
    for (std::size_t i = 0; i < points; ++i) {
        const double at = 1 + static_cast<double>(i * (count - 3)) / static_cast<double>(points - 1);
        const double below = std::floor(at);
        double rounded = at - below > 0.5 ? below + 1 : below;
        if (at - below == 0.5 && std::fmod(below, 2) == 1) rounded = below + 1;
        positions.push_back(static_cast<std::size_t>(rounded));
    }
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

/// Runs to learn from, those to validate on, and their batches.
struct enel_training_set {
    std::vector<enel_run> runs{};  // the history of all others
    enel_scaler scaler{};
    std::vector<enel_batch> training{};
    std::vector<enel_batch> validation{};

    /// Precondition: at least one run, each with at least one job.
    [[nodiscard]] static enel_training_set of(std::vector<enel_run> all) {
        sort_stably(all, [](const enel_run& a, const enel_run& b) {
            return a.jobs.front().mean_scale_out() < b.jobs.front().mean_scale_out();
        });
        enel_training_set set;
        std::vector<enel_run> held_out;
        const auto positions = enel_validation_positions(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool validates = std::find(positions.begin(), positions.end(), i) != positions.end();
            (validates ? held_out : set.runs).push_back(std::move(all[i]));
        }
        set.scaler = enel_scaler::of(set.runs);
        for (std::size_t i = 0; i < set.runs.size(); ++i)
            set.training.push_back(batch_of(set.runs, set.runs[i], i, set.scaler));
        for (const auto& each : held_out) set.validation.push_back(batch_of(set.runs, each, set.runs.size(), set.scaler));
        return set;
    }
};

class enel_pretraining {
public:
    static constexpr int patience = 5;            // validation losses that are looked at
    static constexpr int patience_from = 15;      // epochs
    static constexpr double least_spread = 0.01;  // standard deviation of these losses

    /// The set must outlive this.
    enel_pretraining(const enel_training_set& set, const enel_configuration& configuration, const enel_noise& noise,
                     std::uint64_t seed)
        : set_(set),
          configuration_(configuration),
          noise_(noise),
          random_(seed),
          order_(set.training.size()),
          adam_(enel_layout::size, configuration.rates.weight_decay) {
        const auto start = random_enel_parameters(random_);
        parameters_.assign(start.begin(), start.end());
        gradient_.resize(parameters_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    /// Trains up to this epoch, or until the validation loss stands still. Working storage lives only meanwhile.
    template <class Goes>
    void run_until(int epoch, const Goes& goes_on) {
        enel_joint_pass trains(enel_capacity::of(set_.training), configuration_.alpha_dropout);
        enel_joint_pass validates(enel_capacity::of(validation()), 0);
        while (epoch_ < epoch && !stopped_ && goes_on()) {
            random_.shuffle(std::span(order_));
            for (const std::size_t i : order_) step(trains, set_.training[i]);
            ++epoch_;
            validate(validates);
        }
    }

    [[nodiscard]] int epoch() const noexcept { return epoch_; }
    [[nodiscard]] int best_epoch() const noexcept { return best_epoch_; }
    /// Of the best epoch; infinite where none was finite.
    [[nodiscard]] double best_loss() const noexcept { return best_loss_; }
    [[nodiscard]] const std::vector<double>& best() const noexcept { return best_; }
    [[nodiscard]] const enel_configuration& configuration() const noexcept { return configuration_; }

private:
    // Where nothing is held out, the training runs rank the trials.
    [[nodiscard]] std::span<const enel_batch> validation() const noexcept {
        return set_.validation.empty() ? set_.training : set_.validation;
    }

    void step(enel_joint_pass& pass, const enel_batch& batch) {
        noisy_ = batch;
        if (noise_.any()) noise_.apply(batch, noisy_, random_);
        keep_.resize(batch.edges());
        for (auto& each : keep_) each = random_.uniform() >= configuration_.edge_dropout ? 1 : 0;
        const enel_edge_dropout dropout{keep_, configuration_.edge_dropout};
        (void)pass.forward(parameters_.data(), noisy_, enel_teaching::observed, dropout, random_);
        pass.backward(parameters_.data(), gradient_.data(), noisy_, dropout);
        adam_.step(parameters_, gradient_, configuration_.rates.learning_rate);
    }

    void validate(enel_joint_pass& pass) {
        double loss = 0;
        for (const auto& each : validation())
            loss += pass.forward(parameters_.data(), each, enel_teaching::observed, {}, random_).total() /
                    static_cast<double>(validation().size());
        if (!std::isfinite(loss)) stopped_ = true;
        // Without validation, all epochs count and the last one is kept.
        if (std::isfinite(loss) && (loss < best_loss_ || set_.validation.empty())) {
            best_loss_ = loss;
            best_epoch_ = epoch_;
            best_.assign(parameters_.begin(), parameters_.end());
        }
        if (set_.validation.empty()) return;
        last_.push_back(loss);
        if (last_.size() > static_cast<std::size_t>(patience)) last_.pop_front();
        if (epoch_ >= patience_from && spread() < least_spread) stopped_ = true;
    }

    [[nodiscard]] double spread() const noexcept {
        const auto count = static_cast<double>(last_.size());
        const double mean = std::accumulate(last_.begin(), last_.end(), 0.0) / count;
        double squares = 0;
        for (const double each : last_) squares += (each - mean) * (each - mean);
        return std::sqrt(squares / count);
    }

    const enel_training_set& set_;
    enel_configuration configuration_;
    enel_noise noise_;
    random_generator random_;
    aligned_vector<double> parameters_;
    aligned_vector<double> gradient_;
    std::vector<std::size_t> order_;
    adam<double> adam_;
    enel_batch noisy_{};
    std::vector<std::uint8_t> keep_{};
    std::deque<double> last_{};
    std::vector<double> best_{};
    double best_loss_ = std::numeric_limits<double>::infinity();
    int epoch_ = 0;
    int best_epoch_ = 0;
    bool stopped_ = false;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
