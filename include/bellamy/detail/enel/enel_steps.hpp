// One worker's steps of a pre-training of Enel's network, on its share of the runs.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_STEPS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_STEPS_HPP

#include <bellamy/detail/enel/enel_fine_tuning.hpp>
#include <bellamy/detail/enel/enel_validation.hpp>
#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging.hpp>

#include <atomic>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What the search varies.
struct enel_configuration {
    double alpha_dropout = 0.05;
    double edge_dropout = 0.05;
    enel_rates rates{};
};

class enel_steps {
public:
    /// What is referred to must outlive this. Every worker's epoch has as many steps, of a run each; where a share has a run
    /// less, its last step is none. `cancelled` ends the training of all workers.
    enel_steps(const enel_training_set& set, std::vector<std::size_t> share, std::size_t steps,
               const enel_configuration& configuration, const enel_noise& noise, std::span<const double> start,
               const random_generator& random, const parallel_options& parallel, enel_validation& validation,
               const std::atomic<bool>& cancelled)
        : set_(set),
          configuration_(configuration),
          noise_(noise),
          random_(random),
          parameters_(start.begin(), start.end()),
          gradient_(start.size()),
          order_(std::move(share)),
          steps_(steps),
          adam_(start.size(), configuration.rates.weight_decay),
          state_(parameters_, parallel),
          validation_(validation),
          cancelled_(cancelled) {}
    enel_steps(const enel_steps&) = delete;  // the state refers to the parameters
    enel_steps& operator=(const enel_steps&) = delete;
    ~enel_steps() = default;

    /// Working storage, which only a training under way needs.
    void open() { pass_.emplace(enel_capacity::of(set_.training), configuration_.alpha_dropout); }
    void close() { pass_.reset(); }

    /// One run; whether it was the last of an epoch, a pass over the share in random order.
    [[nodiscard]] bool step() {
        if (at_ == 0) random_.shuffle(std::span(order_));
        if (at_ < order_.size()) learn(set_.training[order_[at_]]);
        at_ = (at_ + 1) % steps_;
        return at_ == 0;
    }

    [[nodiscard]] std::span<const double> parameters() const noexcept { return parameters_; }

    // As a worker among several.
    [[nodiscard]] std::size_t state_size() const noexcept { return state_.size(); }
    void write_state(std::span<double> snapshot) const { state_.write(snapshot, 0); }
    void merge_state(std::span<const double> average, std::span<const double> snapshot) noexcept {
        state_.merge(average, snapshot);
    }
    void take_epoch(std::span<const double> average) { (void)validation_.take(++epoch_, state_.parameters_of(average)); }
    [[nodiscard]] bool stopped() const { return cancelled_ || validation_.stopped_by(epoch_); }

private:
    void learn(const enel_batch& batch) {
        noisy_ = batch;
        if (noise_.any()) noise_.apply(batch, noisy_, random_);
        keep_.resize(batch.edges());
        for (auto& each : keep_) each = random_.uniform() >= configuration_.edge_dropout ? 1 : 0;
        const enel_edge_dropout dropout{keep_, configuration_.edge_dropout};
        (void)pass_->forward(parameters_.data(), noisy_, enel_teaching::observed, dropout, random_);
        pass_->backward(parameters_.data(), gradient_.data(), noisy_, dropout);
        adam_.step(parameters_, gradient_, configuration_.rates.learning_rate);
    }

    const enel_training_set& set_;
    enel_configuration configuration_;
    enel_noise noise_;
    random_generator random_;
    aligned_vector<double> parameters_;
    aligned_vector<double> gradient_;
    std::vector<std::size_t> order_;
    std::size_t steps_;
    std::size_t at_ = 0;
    int epoch_ = 0;
    adam<double> adam_;
    averaged_state<double> state_;
    enel_validation& validation_;
    const std::atomic<bool>& cancelled_;
    std::optional<enel_joint_pass> pass_{};
    enel_batch noisy_{};
    std::vector<std::uint8_t> keep_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
