// What a curve holds for a model that knows one context only: Ernest, local regression, or the nearest observed run.
#ifndef BELLAMY_DETAIL_BASELINE_CURVES_HPP
#define BELLAMY_DETAIL_BASELINE_CURVES_HPP

#include <bellamy/detail/baseline/observed_scale_outs.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Ernest's terms: fixed work, work that divides, aggregation in a tree, aggregation per node.
[[nodiscard]] inline std::array<double, 4> terms_at(double scale_out) noexcept {
    return {1, 1 / scale_out, std::log(scale_out), scale_out};
}

struct ernest_curve {
    std::array<double, 4> weights{};

    [[nodiscard]] double operator()(double scale_out) const noexcept {
        const auto terms = terms_at(scale_out);
        double sum = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) sum += weights[i] * terms[i];
        return sum;
    }
};

/// Local linear regression with Gaussian weights and a ridge of 1e-12, inside the observed range; Ernest outside of it.
struct local_regression_curve {
    observed_scale_outs observed;
    double bandwidth = 1;
    ernest_curve outside;

    [[nodiscard]] double operator()(double scale_out) const noexcept {
        return observed.contains(scale_out) ? inside(scale_out) : outside(scale_out);
    }

    // Cramer's rule with every difference taken of two scale-outs, never of two sums: as one point's weight dwarfs the
    // others, the 2 x 2 normal equations lose all digits.
    [[nodiscard]] double inside(double scale_out) const noexcept {
        constexpr double ridge = 1e-12;
        const auto points = observed.points();
        std::array<double, observed_scale_outs::capacity> weight{};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double distance = (scale_out - points[i].scale_out) / bandwidth;
            weight[i] = points[i].runs * std::exp(-0.5 * distance * distance);
        }
        double determinant = ridge * ridge;
        double value = 0;
        for (std::size_t j = 0; j < points.size(); ++j) {
            const double x = points[j].scale_out;
            const double y = weight[j] * points[j].mean_runtime_s;
            determinant += ridge * weight[j] * (1 + x * x);
            value += ridge * y * (1 + x * scale_out);
            for (std::size_t i = 0; i < points.size(); ++i) {
                const double apart = points[i].scale_out - x;
                value += weight[i] * y * apart * (points[i].scale_out - scale_out);
                if (i < j) determinant += weight[i] * weight[j] * apart * apart;
            }
        }
        return value / determinant;
    }
};

/// The mean runtime at the nearest observed scale-out; of two as near, the smaller one.
struct nearest_curve {
    observed_scale_outs observed;

    [[nodiscard]] double operator()(double scale_out) const noexcept {
        const auto points = observed.points();
        const auto* best = points.data();
        for (const auto& each : points)
            if (std::abs(each.scale_out - scale_out) < std::abs(best->scale_out - scale_out)) best = &each;
        return best->mean_runtime_s;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
