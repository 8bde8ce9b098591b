// One context bound to a model: predicted runtime as a function of the scale-out. The hot path of a scheduler.
#ifndef BELLAMY_CURVE_HPP
#define BELLAMY_CURVE_HPP

#include <bellamy/detail/baseline/curves.hpp>
#include <bellamy/detail/blend/blend_curve.hpp>
#include <bellamy/detail/network/network_curve.hpp>
#include <bellamy/prediction.hpp>

namespace bellamy::inline BELLAMY_ABI {

/// The scale-outs that a model has seen.
struct scale_out_interval {
    int smallest = 1;
    int largest = 1;

    [[nodiscard]] constexpr bool contains(int scale_out) const noexcept {
        return scale_out >= smallest && scale_out <= largest;
    }
    friend bool operator==(const scale_out_interval&, const scale_out_interval&) = default;
};

/// Runtime over scale-outs for one context. An immutable value that owns its numbers and needs no model behind it; made by
/// `model::bind`. Every member is noexcept, allocates nothing, locks nothing and may be called by any number of threads.
class curve {
public:
    using source = std::variant<detail::blend_curve, detail::network_curve, detail::ernest_curve,
                                detail::local_regression_curve, detail::nearest_curve>;

    curve(const source& runtime_of, scale_out_interval seen, std::uint32_t observed_runs = 0) noexcept
        : runtime_of_(runtime_of), seen_(seen), observed_runs_(observed_runs) {}

    /// Prediction for one scale-out from 1 to `largest_valid_scale_out()`; beyond that the median is NaN.
    [[nodiscard]] prediction at(int scale_out) const noexcept {
        prediction answer{.observed_runs = observed_runs_};
        if (scale_out < 1 || scale_out > largest_valid_scale_out()) return answer;
        answer.outside_seen_scale_outs = !seen_.contains(scale_out);
        if (const auto* blend = std::get_if<detail::blend_curve>(&runtime_of_)) {
            answer.unlike_any_seen_context = blend->unlike_any_seen;
            answer.contradictory_observed_runs = blend->contradictory_runs;
            answer.is_point = false;
            answer.log_quantiles = blend->table.at(scale_out);
            answer.median_s = std::exp(detail::quantile_at(answer.log_quantiles, 0));
        } else if (const auto* network = std::get_if<detail::network_curve>(&runtime_of_)) {
            answer.median_s = static_cast<double>((*network)(scale_out));
        } else if (const auto* ernest = std::get_if<detail::ernest_curve>(&runtime_of_)) {
            answer.median_s = (*ernest)(scale_out);
        } else if (const auto* regression = std::get_if<detail::local_regression_curve>(&runtime_of_)) {
            answer.median_s = (*regression)(scale_out);
        } else if (const auto* nearest = std::get_if<detail::nearest_curve>(&runtime_of_)) {
            answer.median_s = (*nearest)(scale_out);
        }
        return answer;
    }

    /// Medians in seconds at scale-outs first, first + 1, ..., as `at` would give one by one; a network answers many
    /// together several times faster each.
    void medians_s(int first, std::span<float> runtime_s) const noexcept {
        const auto* network = std::get_if<detail::network_curve>(&runtime_of_);
        const auto last = static_cast<long long>(first) + static_cast<long long>(runtime_s.size()) - 1;
        if (network != nullptr && first >= 1 && last <= network->largest_valid_scale_out() && !runtime_s.empty())
            return (*network)(first, runtime_s);
        for (std::size_t i = 0; i < runtime_s.size(); ++i) {
            const auto x = static_cast<long long>(first) + static_cast<long long>(i);
            runtime_s[i] = x <= largest_scale_out ? static_cast<float>(at(static_cast<int>(x)).median_s)
                                                  : std::numeric_limits<float>::quiet_NaN();
        }
    }

    /// Largest scale-out that can be asked about: beyond it, a property that scales would not fit its 39 bits.
    [[nodiscard]] int largest_valid_scale_out() const noexcept {
        if (const auto* network = std::get_if<detail::network_curve>(&runtime_of_))
            return network->largest_valid_scale_out();
        return largest_scale_out;
    }

    /// Runs of this very context that the answers rest on.
    [[nodiscard]] std::uint32_t observed_runs() const noexcept { return observed_runs_; }

    /// The scale-outs that the model has seen.
    [[nodiscard]] scale_out_interval seen_scale_outs() const noexcept { return seen_; }

private:
    source runtime_of_;
    scale_out_interval seen_;
    std::uint32_t observed_runs_;
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
