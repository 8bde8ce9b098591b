// Fine-tuning of a network to the runs of one context (paper, section III-D): encoder and decoder are frozen.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_FINE_TUNING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_FINE_TUNING_HPP

#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/predictor_pass.hpp>
#include <bellamy/detail/network/training/training_set.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Learning rate of a 0-based epoch: linear warm-up over 10 epochs, then a cosine, 20 epochs down and 20 up.
inline double cyclic_learning_rate(int epoch) noexcept {
    constexpr double lowest = 0.001;
    constexpr double highest = 0.01;
    if (epoch < 10) return lowest + (highest - lowest) * epoch / 10;
    return lowest + (highest - lowest) / 2 * (1 + std::cos(std::numbers::pi * (epoch - 10) / 20));
}

/// The 0-based epoch at which the scale-out network is unfrozen: int(7.5 * 2^runs); never for a single run.
inline int unfreeze_epoch(size_t runs) noexcept {
    if (runs < 2 || runs > 24) return (std::numeric_limits<int>::max)();
    return static_cast<int>(7.5 * static_cast<double>(size_t{1} << runs));
}

/// Early stopping: the error in seconds that is good enough (paper, section III-D); smaller errors count as this.
inline constexpr double target_error_s = 5;

/// Loss and mean absolute error of one epoch, both before its step and on its noisy targets.
struct fine_tuning_epoch {
    double loss = 0;
    double error_s = 0;
};

/// Fine-tunes the head and, from a later epoch on, the scale-out network; keeps the parameters of the best epoch.
template <class Scalar, dimensions D>
class fine_tuning {
    using layout = parameter_layout<D>;

public:
    /// The scale-out network is frozen before the 0-based epoch `unfreeze_epoch`. Allocates here only.
    fine_tuning(const network<Scalar, D>& start, const training_set<Scalar, D>& observed, int unfreeze_epoch,
                double target_noise_s, std::uint64_t seed)
        : observed_(observed),
          unfreeze_epoch_(unfreeze_epoch),
          target_noise_s_(target_noise_s),
          random_(seed),
          shape_(start),
          parameters_(aligned_copy(start.parameters())),
          best_(parameters_),
          gradient_(parameters_.size()),
          targets_s_(observed.runtimes_s),
          pass_(observed.essential_count, samples()),
          head_adam_(parameters_.size() - layout::head, static_cast<Scalar>(weight_decay)),
          scale_out_adam_(layout::encoder, static_cast<Scalar>(weight_decay)) {
        fill_codes();
        pass_.forward_scale_out(parameters_.data(), samples());
        for (const Scalar weight : observed.weights) weight_sum_ += weight;
    }

    /// One step on all observed runs.
    fine_tuning_epoch run_epoch() {
        const bool trains_scale_out = epoch_ >= unfreeze_epoch_;
        for (size_t i = 0; i < targets_s_.size(); ++i)
            targets_s_[i] = target_noise_s_ > 0
                                ? std::abs(observed_.runtimes_s[i] + static_cast<Scalar>(target_noise_s_ * random_.normal()))
                                : observed_.runtimes_s[i];
        pass_.forward_head(parameters_.data(), samples());
        const auto result = evaluate(targets_s_);

        using inputs = typename decltype(pass_)::inputs;
        pass_.backward_head(parameters_.data(), gradient_.data(), samples(),
                            trains_scale_out ? inputs::scale_out : inputs::none);
        const auto rate = static_cast<Scalar>(cyclic_learning_rate(epoch_));
        if (trains_scale_out) {
            pass_.backward_scale_out(parameters_.data(), gradient_.data(), samples());
            scale_out_adam_.step(std::span(parameters_).first(layout::encoder), std::span(gradient_).first(layout::encoder),
                                 rate);
        }
        head_adam_.step(std::span(parameters_).subspan(layout::head), std::span(gradient_).subspan(layout::head), rate);
        if (trains_scale_out) pass_.forward_scale_out(parameters_.data(), samples());
        ++epoch_;

        const double counted = (std::max)(result.error_s, target_error_s);
        if (counted < best_error_s_) {
            best_error_s_ = counted;
            best_epoch_ = epoch_;
            best_ = parameters_;
        }
        return result;
    }

    /// Mean absolute error in seconds on the observed runs, without noise, of the current parameters.
    double current_error_s() {
        pass_.forward_head(parameters_.data(), samples());
        return evaluate(observed_.runtimes_s).error_s;
    }

    /// Restores the parameters after the best epoch: the first of the lowest error; errors below the target count as equal.
    void restore_best() {
        parameters_ = best_;
        pass_.forward_scale_out(parameters_.data(), samples());
    }

    int epoch() const noexcept { return epoch_; }
    int best_epoch() const noexcept { return best_epoch_; }
    double best_error_s() const noexcept { return best_error_s_; }
    network<Scalar, D> current_network() const {
        auto result = shape_;
        result.set_parameters(parameters_);
        return result;
    }

private:
    static constexpr double weight_decay = 1e-3;

    size_t samples() const noexcept { return observed_.size(); }

    // The encoder is frozen: the codes of the observed runs are constants.
    void fill_codes() {
        for (size_t run = 0; run < samples(); ++run) {
            const auto codes = pass_.codes(run);
            const auto ids = observed_.ids_of(run);
            const size_t essential = observed_.essential_count;
            for (size_t k = 0; k < ids.size(); ++k) {
                const auto value = shape_.encoder(observed_.encodings[ids[k]]);
                const auto code = codes.subspan((std::min)(k, essential) * D.code).template first<D.code>();
                add_to(code, value, k < essential ? Scalar(1) : Scalar(1) / static_cast<Scalar>(ids.size() - essential));
            }
            copy_to(pass_.features(run), shape_.runtime.scaler(static_cast<Scalar>(observed_.scale_outs[run])));
        }
    }

    // Loss and error of the last forward pass against these targets; also sets its derivative by the predictions.
    fine_tuning_epoch evaluate(std::span<const Scalar> targets_s) {
        const auto predictions_s = pass_.predictions_s(samples());
        auto derivative = pass_.predictions_gradient(samples());
        Scalar loss = 0;
        Scalar error_s = 0;
        for (size_t i = 0; i < targets_s.size(); ++i) {
            const Scalar weight = observed_.weights[i] / weight_sum_;
            const Scalar residual = residual_of(predictions_s[i], targets_s[i], observed_.censored[i]);
            loss += weight * smooth_l1(residual);
            error_s += weight * std::abs(residual);
            derivative[i] = weight * smooth_l1_derivative(residual);
        }
        return {static_cast<double>(loss), static_cast<double>(error_s)};
    }

    const training_set<Scalar, D>& observed_;
    int unfreeze_epoch_;
    double target_noise_s_;
    random_generator random_;
    network<Scalar, D> shape_;  // the frozen parts and the scaler; the parameters in training are in `parameters_`
    aligned_vector<Scalar> parameters_;
    aligned_vector<Scalar> best_;
    aligned_vector<Scalar> gradient_;
    std::vector<Scalar> targets_s_;
    predictor_pass<Scalar, D> pass_;
    adam<Scalar> head_adam_;
    adam<Scalar> scale_out_adam_;
    Scalar weight_sum_ = 0;
    int epoch_ = 0;
    int best_epoch_ = 0;
    double best_error_s_ = infinite;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
