// Learns how much runtimes differ between the values of a text property, for values that no run of the history has.
#ifndef BELLAMY_DETAIL_BLEND_VALUE_VARIANCE_FIT_HPP
#define BELLAMY_DETAIL_BLEND_VALUE_VARIANCE_FIT_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>
#include <bellamy/detail/context/features.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// How far the log-runtimes of one value lie, on average, from what all other values predict, and that prediction's
/// variance.
struct value_deviation {
    double deviation = 0;
    double variance = 0;
};

/// Variance of a new value's log-runtimes around what V values predict: posterior mean of t^2 (1 + 1/V), t half-t with 4
/// degrees of freedom and scale 0.3 (Gelman 2006), on a grid. Each deviation is one from the mean of V - 1 others, so that
/// its variance is t^2 V / (V - 1) besides its own, and V of them count as V - 1. Without any value it is the prior's mean
/// within the grid, about 0.4 squared.
[[nodiscard]] inline double between_values_variance(std::span<const value_deviation> values) {
    constexpr double scale = 0.3;
    constexpr std::size_t steps = 60;
    constexpr double largest = 3;
    const auto count = static_cast<double>(values.size());
    const double ratio = values.size() > 1 ? count / (count - 1) : 1;
    // Quadratic, so that small deviations have cells of their own, as wide as i + 1/2.
    const auto deviation_at = [](double i) { return largest * (i + 0.5) * (i + 0.5) / (steps * steps); };
    std::array<double, steps> logs{};
    for (std::size_t i = 0; i < steps; ++i) {
        const auto cell = static_cast<double>(i);
        const double t = deviation_at(cell);
        logs[i] = std::log(cell + 0.5) - 2.5 * std::log1p(t * t / (4 * scale * scale));
        for (const auto& each : values) {
            const double variance = each.variance + ratio * t * t;
            logs[i] -= 0.5 * (std::log(variance) + each.deviation * each.deviation / variance) / ratio;
        }
    }
    const double most = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    double weighed = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        const double share = std::exp(logs[i] - most);
        const double t = deviation_at(static_cast<double>(i));
        sum += share;
        weighed += share * t * t;
    }
    return weighed / sum * (values.empty() ? 1 : 1 + 1 / count);
}

/// Leaves each value of a property out and asks the process made of the others about its contexts, as it would be asked
/// about a value never seen. `value_of`: each context's value as an index, `columns`: the features that stand for the
/// property. Cost: n^3/3 operations a value for n points.
[[nodiscard]] inline std::vector<value_deviation> value_deviations(const gaussian_process_parameters& parameters,
                                                                   const history_data& history, double pressure_slope,
                                                                   std::span<const std::size_t> value_of,
                                                                   std::span<const std::size_t> columns,
                                                                   std::size_t values) {
    std::vector<value_deviation> found;
    for (std::size_t value = 0; value < values; ++value) {
        std::vector<std::size_t> others;
        for (std::size_t c = 0; c < history.contexts.size(); ++c)
            if (value_of[c] != value) others.push_back(c);
        if (others.empty() || others.size() == history.contexts.size()) continue;
        const auto rest = select_contexts(history, others);
        const gaussian_process process(parameters, rest, pressure_slope);
        if (!process.usable()) continue;
        value_deviation sum;
        double count = 0;
        for (std::size_t c = 0; c < history.contexts.size(); ++c) {
            if (value_of[c] != value) continue;
            auto own = history.contexts[c];
            for (const auto column : columns) own.features[column] = 0;
            const auto log_scale_outs = history.log_scale_outs_of(own);
            const auto answer = process(rest, question_about(own, pressure_slope, log_scale_outs));
            const auto m = static_cast<double>(own.count);
            for (std::size_t i = 0; i < own.count; ++i) {
                sum.deviation += (history.points[own.first + i].log_runtime - answer.mean[i]) / m;
                sum.variance += history.points[own.first + i].variance / (m * m);
                for (std::size_t j = 0; j < own.count; ++j) sum.variance += answer.covariance(i, j) / (m * m);
            }
            count += 1;
        }
        found.push_back({.deviation = sum.deviation / count, .variance = sum.variance / count});
    }
    return found;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
