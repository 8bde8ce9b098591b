// Fits Enel's network to the finished jobs of a running application: overhead and runtime learn, all else is frozen.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FINE_TUNING_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FINE_TUNING_HPP

#include <bellamy/detail/enel/enel_loss.hpp>
#include <bellamy/detail/enel/enel_noise.hpp>
#include <bellamy/detail/network/training/adam.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Learning rate and weight decay of the trial that won pre-training.
struct enel_rates {
    double learning_rate = 1e-3;
    double weight_decay = 1e-3;
};

class enel_fine_tuning {
public:
    static constexpr int most_epochs = 100;
    static constexpr int patience = 50;
    static constexpr double target_error_s = 5;  // smaller errors count as this

    /// The batch must outlive this. Allocates here only.
    enel_fine_tuning(std::span<const double> start, const enel_batch& observed, const enel_rates& rates,
                     const enel_noise& noise, std::uint64_t seed)
        : observed_(observed),
          noisy_(observed),
          noise_(noise),
          rates_(rates),
          random_(seed),
          parameters_(start.begin(), start.end()),
          best_(parameters_),
          gradient_(parameters_.size()),
          // Where no stage rescales the overhead has no gradient, and decay alone would shrink it.
          first_(observed.any_rescales() ? enel_layout::overhead : enel_layout::runtime),
          adam_(enel_layout::source - first_, rates.weight_decay),
          pass_(enel_capacity::of({&observed, 1})) {
        encode_all(parameters_.data(), observed_, pass_.codes());
    }

    /// One step on the whole batch; the loss and the error are those before it.
    enel_time_loss run_epoch() {
        if (noise_.any()) {
            noise_.apply(observed_, noisy_, random_);
            encode_all(parameters_.data(), noisy_, pass_.codes());
        }
        pass_.forward(parameters_.data(), noisy_, enel_teaching::observed);
        const auto found = compare_times(noisy_, pass_.times());
        pass_.times().backward(parameters_.data(), gradient_.data(), noisy_);
        adam_.step(std::span(parameters_).subspan(first_, enel_layout::source - first_),
                   std::span(gradient_).subspan(first_, enel_layout::source - first_), rates_.learning_rate);
        ++epoch_;
        const double counted = (std::max)(found.error_s, target_error_s);
        if (counted < best_error_s_) {
            best_error_s_ = counted;
            best_epoch_ = epoch_;
            best_ = parameters_;
        }
        return found;
    }

    /// Runs until an epoch's error is small enough, none gets better, or the epochs are used up.
    void run() {
        while (epoch_ < most_epochs && epoch_ - best_epoch_ < patience)
            if (run_epoch().error_s <= target_error_s) return;
    }

    [[nodiscard]] int epoch() const noexcept { return epoch_; }
    /// After the last step, and after the step of the best epoch.
    [[nodiscard]] const aligned_vector<double>& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const aligned_vector<double>& best() const noexcept { return best_; }

private:
    const enel_batch& observed_;
    enel_batch noisy_;
    enel_noise noise_;
    enel_rates rates_;
    random_generator random_;
    aligned_vector<double> parameters_;
    aligned_vector<double> best_;
    aligned_vector<double> gradient_;
    std::size_t first_;
    adam<double> adam_;
    enel_pass pass_;
    int epoch_ = 0;
    int best_epoch_ = 0;
    double best_error_s_ = std::numeric_limits<double>::infinity();
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
