// Runs of one context as points: distinct scale-outs in ascending order, with the number of runs and their mean runtime.
#ifndef BELLAMY_DETAIL_BASELINE_OBSERVED_SCALE_OUTS_HPP
#define BELLAMY_DETAIL_BASELINE_OBSERVED_SCALE_OUTS_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct observed_point {
    double scale_out = 0;
    double runs = 0;
    double mean_runtime_s = 0;
};

/// Bounded, so that a curve can hold it inline.
class observed_scale_outs {
public:
    static constexpr std::size_t capacity = 64;

    /// Errors: empty_history, those of `validate_scale_out`, invalid_runtime, too_many_scale_outs.
    [[nodiscard]] static result<observed_scale_outs> of(std::span<const run> runs) {
        if (runs.empty()) return fail(errc::empty_history, "expected at least one run, found none");
        observed_scale_outs all;
        for (const auto& each : runs) {
            if (auto valid = validate(each); !valid) return valid.error();
            const double x = each.scale_out;
            auto* at =
                std::find_if(all.begin(), all.end(), [=](const observed_point& point) { return point.scale_out >= x; });
            if (at == all.end() || at->scale_out > x) {
                if (all.size_ == capacity)
                    return fail(errc::too_many_scale_outs, "expected runs at no more than ", capacity,
                                " distinct scale-outs, found more");
                std::move_backward(at, all.end(), all.end() + 1);
                *at = {.scale_out = x};
                ++all.size_;
            }
            at->runs += 1;
            at->mean_runtime_s += (each.runtime_s - at->mean_runtime_s) / at->runs;
        }
        return all;
    }

    [[nodiscard]] std::span<const observed_point> points() const noexcept { return {points_.data(), size_}; }

    /// The same but for one scale-out.
    [[nodiscard]] observed_scale_outs without(double scale_out) const noexcept {
        observed_scale_outs rest;
        for (const auto& each : points())
            if (each.scale_out != scale_out) rest.points_[rest.size_++] = each;
        return rest;
    }

    [[nodiscard]] bool contains(double scale_out) const noexcept {
        return scale_out >= points_.front().scale_out && scale_out <= points_[size_ - 1].scale_out;
    }

private:
    [[nodiscard]] observed_point* begin() noexcept { return points_.data(); }
    [[nodiscard]] observed_point* end() noexcept { return points_.data() + size_; }

    std::array<observed_point, capacity> points_{};
    std::size_t size_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
