// The runs of one context by scale-out, and Ernest's curve.
#ifndef BELLAMY_DETAIL_BASELINE_CURVES_HPP
#define BELLAMY_DETAIL_BASELINE_CURVES_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The runs at one scale-out.
struct observed_point {
    double scale_out = 0;
    double runs = 0;
    double mean_runtime_s = 0;
};

/// The runs of one context by ascending scale-out; of bounded size, so that a curve can hold it inline.
class observed_scale_outs {
public:
    static constexpr size_t capacity = 64;

    /// Errors: empty_history, too_many_scale_outs, those of `validate`, which checks the context and the weight too.
    static result<observed_scale_outs> of(std::span<const run> runs) {
        if (runs.empty()) return fail(errc::empty_history, "expected at least one run, found none");
        observed_scale_outs all;
        for (const auto& run : runs) {
            if (auto valid = validate(run); !valid) return valid.error();
            const double x = run.scale_out;
            auto* point = std::find_if(all.begin(), all.end(), [=](const observed_point& p) { return p.scale_out >= x; });
            if (point == all.end() || point->scale_out > x) {
                if (all.size_ == capacity)
                    return fail(errc::too_many_scale_outs, "expected runs at no more than ", capacity,
                                " distinct scale-outs, found more");
                std::move_backward(point, all.end(), all.end() + 1);
                *point = {.scale_out = x};
                ++all.size_;
            }
            point->runs += 1;
            point->mean_runtime_s += (run.runtime_s - point->mean_runtime_s) / point->runs;
        }
        return all;
    }

    std::span<const observed_point> points() const noexcept { return {points_.data(), size_}; }

private:
    observed_point* begin() noexcept { return points_.data(); }
    observed_point* end() noexcept { return points_.data() + size_; }

    std::array<observed_point, capacity> points_{};
    size_t size_ = 0;
};

/// Ernest's terms: fixed work, work that divides, aggregation in a tree, aggregation per node.
inline std::array<double, 4> terms_at(double scale_out) noexcept {
    return {1, 1 / scale_out, std::log(scale_out), scale_out};
}

/// Runtime as a non-negative combination of Ernest's terms.
struct ernest_curve {
    std::array<double, 4> weights{};

    double operator()(double scale_out) const noexcept {
        const auto terms = terms_at(scale_out);
        double sum = 0;
        for (size_t i = 0; i < terms.size(); ++i) sum += weights[i] * terms[i];
        return sum;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
