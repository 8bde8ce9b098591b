// What workers average: parameters, Adam's moments where asked for, and each worker's training loss.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_AVERAGED_STATE_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_AVERAGED_STATE_HPP

#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Writes a worker's state into a snapshot and merges averages of them: parameters, then moments, then one number that is
/// averaged only.
template <class Scalar>
class averaged_state {
public:
    /// Parameters, those of the start, and moments must outlive this, where they are.
    averaged_state(std::span<Scalar> parameters, adam<Scalar>& moments, const parallel_options& options)
        : parameters_(parameters),
          moments_(moments),
          average_moments_(options.average_moments),
          slow_momentum_(static_cast<Scalar>(options.slow_momentum_or_default())) {
        if (slow_momentum_ > 0) last_.assign(parameters.begin(), parameters.end());
    }

    [[nodiscard]] std::size_t size() const noexcept { return parameters_.size() * (average_moments_ ? 3 : 1) + 1; }

    void write(std::span<Scalar> snapshot, Scalar remark) const {
        auto to = std::copy(parameters_.begin(), parameters_.end(), snapshot.begin());
        if (average_moments_) {
            for (const auto moment : {moments_.first_moment(), moments_.second_moment()})
                to = std::copy(moment.begin(), moment.end(), to);
        }
        *to = remark;
    }

    void merge(merge_rule rule, std::span<const Scalar> average, std::span<const Scalar> own) noexcept {
        const std::size_t n = parameters_.size();
        const auto merge_block = [&](std::size_t block, std::span<Scalar> values) {
            detail::merge(rule, average.subspan(block * n, n), own.subspan(block * n, n), values);
        };
        merge_block(0, parameters_);
        // The same for all workers, who all get this average.
        for (std::size_t i = 0; i < last_.size(); ++i)
            parameters_[i] += slow_momentum_ * (average[i] - std::exchange(last_[i], average[i]));
        if (!average_moments_) return;
        merge_block(1, moments_.first_moment());
        merge_block(2, moments_.second_moment());
        // A correction can be larger than what is left of a worker's own after many steps.
        for (auto& each : moments_.second_moment()) each = (std::max)(each, Scalar(0));
    }

    [[nodiscard]] std::span<const Scalar> parameters_of(std::span<const Scalar> average) const noexcept {
        return average.first(parameters_.size());
    }
    [[nodiscard]] static Scalar remark_of(std::span<const Scalar> average) noexcept { return average.back(); }

private:
    std::span<Scalar> parameters_;
    adam<Scalar>& moments_;
    bool average_moments_;
    Scalar slow_momentum_;
    std::vector<Scalar> last_{};  // average of the parameters; empty without momentum
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
