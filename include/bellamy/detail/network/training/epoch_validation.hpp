// Validates the network of every epoch and keeps the best.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_EPOCH_VALIDATION_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_EPOCH_VALIDATION_HPP

#include <bellamy/detail/network/training/holdout.hpp>
#include <bellamy/detail/network/training/joint_pass.hpp>

#include <functional>
#include <limits>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Several workers may validate at the same time, and in any order: the lowest loss wins and, of equal ones, the earliest
/// epoch.
template <class Scalar, dimensions D>
class epoch_validation {
public:
    /// The set and the split must outlive this. Where nothing is held out, the training runs validate.
    epoch_validation(const training_set<Scalar, D>& set, const holdout& split, const min_max_scaler<Scalar>& scaler,
                     std::span<const Scalar> start)
        : set_(set),
          runs_(split.validation.empty() ? split.training : split.validation),
          pass_(set, scaler, runs_.size(), 0.0),
          validated_(start.size()),
          parameters_(start.begin(), start.end()) {
        for (const auto run : runs_) targets_s_.push_back(set.runtimes_s[run]);
        first_error_s_ = error_s_ = validate(start).error_s;
    }

    /// Calls this after every epoch, one call at a time.
    void after_each(std::function<void()> call) { after_each_ = std::move(call); }

    /// Validates the parameters after this epoch.
    void take(int epoch, std::span<const Scalar> parameters, double training_loss) {
        const std::lock_guard turn(turn_);
        compare(epoch, parameters, training_loss);
        if (after_each_) after_each_();
    }

    /// Number of epochs validated.
    [[nodiscard]] int epochs() const { return locked(epochs_); }
    [[nodiscard]] double training_loss() const { return locked(training_loss_); }
    /// Lowest loss so far; infinite before the first epoch and where none was a number.
    [[nodiscard]] double loss() const { return static_cast<double>(locked(loss_)); }
    [[nodiscard]] int epoch() const { return locked(epoch_); }
    /// Mean absolute error: of the start, and of the best epoch.
    [[nodiscard]] double first_error_s() const { return locked(first_error_s_); }
    [[nodiscard]] double error_s() const { return locked(error_s_); }
    [[nodiscard]] std::vector<Scalar> parameters() const { return locked(parameters_); }

private:
    void compare(int epoch, std::span<const Scalar> parameters, double training_loss) {
        const std::lock_guard lock(guard_);
        ++epochs_;
        training_loss_ = training_loss;
        const auto found = validate(parameters);
        if (!(found.loss < loss_) && !(found.loss == loss_ && epoch < epoch_ && std::isfinite(found.loss))) return;
        loss_ = found.loss;
        error_s_ = found.error_s;
        epoch_ = epoch;
        parameters_.assign(parameters.begin(), parameters.end());
    }

    struct measured {
        Scalar loss;
        double error_s;
    };

    template <class Value>
    [[nodiscard]] Value locked(const Value& value) const {
        const std::lock_guard lock(guard_);
        return value;
    }

    [[nodiscard]] measured validate(std::span<const Scalar> parameters) {
        std::copy(parameters.begin(), parameters.end(), validated_.begin());
        random_generator unused(0);  // nothing is dropped
        const auto loss = pass_.forward(validated_.data(), runs_, targets_s_, unused);
        const auto predicted = pass_.predicted_s(runs_.size());
        double error_s = 0;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const auto residual = residual_of(predicted[i], targets_s_[i], set_.censored[runs_[i]]);
            error_s += std::abs(static_cast<double>(residual)) / static_cast<double>(runs_.size());
        }
        return {loss.total(), error_s};
    }

    std::mutex turn_{};           // held while the caller is told, too
    mutable std::mutex guard_{};  // of what is read from outside
    std::function<void()> after_each_{};
    const training_set<Scalar, D>& set_;
    std::span<const std::uint32_t> runs_;
    std::vector<Scalar> targets_s_{};
    joint_pass<Scalar, D> pass_;
    aligned_vector<Scalar> validated_;
    std::vector<Scalar> parameters_;
    int epochs_ = 0;
    int epoch_ = 0;
    double training_loss_ = 0;
    Scalar loss_ = std::numeric_limits<Scalar>::infinity();
    double first_error_s_ = 0;
    double error_s_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
