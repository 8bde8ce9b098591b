// Validates Enel's network after every epoch: keeps the best, and says when training stands still.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_VALIDATION_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_VALIDATION_HPP

#include <bellamy/detail/enel/enel_joint_pass.hpp>
#include <bellamy/detail/enel/enel_training_set.hpp>

#include <limits>
#include <mutex>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// All workers hand in the network of every epoch, in order; the first to come has it validated.
class enel_validation {
public:
    static constexpr int patience = 5;            // validation losses that are looked at
    static constexpr int patience_from = 15;      // epochs
    static constexpr double least_spread = 0.01;  // standard deviation of these losses

    /// The set must outlive this.
    explicit enel_validation(const enel_training_set& set) : set_(set) {}

    /// Working storage, which only a training under way needs.
    void open() { pass_.emplace(enel_capacity::of(runs()), 0); }
    void close() { pass_.reset(); }

    /// Whether this was the first to come with this epoch.
    bool take(int epoch, std::span<const double> parameters) {
        const std::lock_guard lock(guard_);
        if (epoch <= epoch_) return false;
        epoch_ = epoch;
        validate(parameters);
        return true;
    }

    /// Nothing is to be trained after this epoch: the loss stands still or is no number.
    [[nodiscard]] bool stopped_by(int epoch) const {
        const std::lock_guard lock(guard_);
        return stopped_epoch_ <= epoch;
    }

    [[nodiscard]] int epoch() const noexcept { return epoch_; }
    [[nodiscard]] int best_epoch() const noexcept { return best_epoch_; }
    /// Of the best epoch; infinite where none was finite.
    [[nodiscard]] double best_loss() const noexcept { return best_loss_; }
    [[nodiscard]] const std::vector<double>& best() const noexcept { return best_; }

private:
    // Where nothing is held out, the training runs rank the trials.
    [[nodiscard]] std::span<const enel_batch> runs() const noexcept {
        return set_.validation.empty() ? set_.training : set_.validation;
    }

    void validate(std::span<const double> parameters) {
        validated_.assign(parameters.begin(), parameters.end());
        random_generator unused(0);  // nothing is dropped
        double loss = 0;
        for (const auto& each : runs())
            loss += pass_->forward(validated_.data(), each, enel_teaching::observed, {}, unused).total() /
                    static_cast<double>(runs().size());
        if (!std::isfinite(loss)) stopped_epoch_ = epoch_;
        // Without validation, all epochs count and the last one is kept.
        if (std::isfinite(loss) && (loss < best_loss_ || set_.validation.empty())) {
            best_loss_ = loss;
            best_epoch_ = epoch_;
            best_.assign(parameters.begin(), parameters.end());
        }
        if (set_.validation.empty()) return;
        last_.push_back(loss);
        if (last_.size() > static_cast<std::size_t>(patience)) last_.erase(last_.begin());
        if (epoch_ >= patience_from && spread() < least_spread) stopped_epoch_ = (std::min)(stopped_epoch_, epoch_);
    }

    [[nodiscard]] double spread() const noexcept {
        const auto count = static_cast<double>(last_.size());
        const double mean = std::accumulate(last_.begin(), last_.end(), 0.0) / count;
        double squares = 0;
        for (const double each : last_) squares += (each - mean) * (each - mean);
        return std::sqrt(squares / count);
    }

    const enel_training_set& set_;
    mutable std::mutex guard_{};
    std::optional<enel_joint_pass> pass_{};
    aligned_vector<double> validated_{};
    std::vector<double> last_{};
    std::vector<double> best_{};
    double best_loss_ = std::numeric_limits<double>::infinity();
    int epoch_ = 0;
    int best_epoch_ = 0;
    int stopped_epoch_ = (std::numeric_limits<int>::max)();
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
