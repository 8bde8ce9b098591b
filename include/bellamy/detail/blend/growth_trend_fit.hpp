// Fits the growth trend: model-averaged over its terms, robust to outliers (Student's t), with a test for a memory cliff.
#ifndef BELLAMY_DETAIL_BLEND_GROWTH_TREND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_GROWTH_TREND_FIT_HPP

#include <bellamy/detail/blend/growth_trend.hpp>
#include <bellamy/detail/maths/subset_average.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Non-negative least squares of relative errors, averaged over the subsets of terms. Its prior is that all of the runtime
/// is work, s/x, so that three points do not decide six coefficients. Residuals have Student's t distribution with 4 degrees
/// of freedom, so that stragglers count for little. A memory cliff is searched for where contexts differ in their data size
/// alone, or in machines whose memory is known besides: other properties would pass for one.
class growth_trend_fit {
public:
    growth_trend_fit(const feature_map& features, const history_data& history) : trend_(features, growth_parameters{}) {
        const auto is_plausible = [](const history_point& point) { return point.variance <= most_variance; };
        const bool any = any_of(history.points, is_plausible);
        double lowest = infinite;
        double highest = -infinite;
        for (const auto& point : history.points) {
            if (any && !is_plausible(point)) continue;
            lowest = (std::min)(lowest, point.log_runtime);
            highest = (std::max)(highest, point.log_runtime);
        }
        // The middle of the range, so that no runtime overflows.
        parameters_.log_unit = 0.5 * (lowest + highest);
        parameters_.half_log_range = 0.5 * (highest - lowest);
        for (const auto& point : history.points) {
            if (!is_plausible(point)) continue;
            const auto& values = history.contexts[point.context].features;
            const double log_scale_out = std::log(point.scale_out);
            const double inverse_runtime =
                std::exp(std::clamp(parameters_.log_unit - point.log_runtime, -most_exponent, most_exponent));
            // Outliers, whose noise variance is inflated, count for little.
            points_.push_back({.terms = trend_.terms(values, log_scale_out, /*cliff=*/infinite),
                               .log_data_per_memory = trend_.log_data_per_memory(values, log_scale_out),
                               .weight = residual_variance / (residual_variance + point.variance)});
            for (double& term : points_.back().terms) term *= inverse_runtime;
        }
        sort(points_, [](const auto& a, const auto& b) { return a.log_data_per_memory < b.log_data_per_memory; });
    }

    growth_parameters operator()() const {
        auto parameters = parameters_;
        if (points_.empty()) return parameters;
        const auto smooth = fit(points_, points_.size(), rounds);
        parameters.coefficients = smooth.coefficients;
        if (!trend_.may_have_cliff()) return parameters;
        const auto cliff = find_cliff();
        if (!cliff) return parameters;
        const auto with_cliff = fit(points_, *cliff, rounds);
        const double least_gain = least_gain_of_cliff + std::log(count_of(points_));
        if (smooth.log_loss - with_cliff.log_loss < least_gain ||
            jump(points_, *cliff, with_cliff.coefficients) < least_jump)
            return parameters;
        parameters.coefficients = with_cliff.coefficients;
        parameters.cliff_lower = points_[*cliff - 1].log_data_per_memory;
        parameters.cliff_upper = points_[*cliff].log_data_per_memory;
        return parameters;
    }

private:
    /// Weight of the prior of a coefficient relative to a run's error; squared, a tenth of a run.
    static constexpr double prior_weight = 0.3;
    /// Of runs around the trend.
    static constexpr double residual_variance = 0.01;
    /// A point of a larger noise variance is a wrong record and left out: where its runtime is short, its relative error
    /// would dominate even with a small weight.
    static constexpr double most_variance = 1;
    static constexpr double most_exponent = 50;
    /// Relative errors below this do not tell subsets of terms apart, and no scale of residuals is smaller than half of it.
    static constexpr double least_deviation = 0.02;
    /// Of each term against its absence. ln x, x, 1/x and s are less probable than not: few runs at few scale-outs cannot
    /// tell them from noise, and they dominate extrapolations.
    static constexpr growth_terms prior_log_odds{0, 0, -0.5, -0.5, -0.5, -0.5, 0};
    /// Of iteratively reweighted least squares, and in the search for a cliff.
    static constexpr int rounds = 5;
    static constexpr int search_rounds = 2;
    /// Requirements of a cliff: gain in log-likelihood beyond Schwarz's penalty for its two parameters, relative increase of
    /// the median run beyond it, and points on either side.
    static constexpr double least_gain_of_cliff = 6;
    static constexpr double least_jump = 0.5;
    static constexpr size_t least_beside_cliff = 2;
    /// Places that differ by less differ by rounding alone.
    static constexpr double least_gap = 1e-9;
    /// Points that the search for a cliff uses, and positions that it tries first.
    static constexpr size_t most_searched = 256;
    static constexpr size_t coarse_positions = 32;
    static constexpr double degrees_of_freedom = 4;

    // A point of the history, its terms relative to its runtime.
    struct trend_point {
        growth_terms terms{};
        double log_data_per_memory = 0;
        double weight = 1;
    };
    struct fitted_terms {
        growth_terms coefficients{};
        /// Negative log-likelihood up to a constant.
        double log_loss = 0;
    };

    static growth_terms terms_of(const trend_point& point, bool beyond_cliff) noexcept {
        auto terms = point.terms;
        terms[growth_cliff_term] = beyond_cliff ? terms[growth_work_term] : 0;
        return terms;
    }

    static double log_residual(const growth_terms& coefficients, const growth_terms& terms) noexcept {
        return std::log((std::max)(dot(coefficients.data(), terms.data(), growth_term_count), 1e-6));
    }

    // Iteratively reweighted least squares. The points from number `cliff` on lie beyond it.
    static fitted_terms fit(std::span<const trend_point> points, size_t cliff, int reweightings) {
        const double count = count_of(points);
        growth_terms scale{};
        for (size_t i = 0; i < points.size(); ++i) {
            const auto terms = terms_of(points[i], i >= cliff);
            for (size_t j = 0; j < growth_term_count; ++j) scale[j] += points[i].weight * terms[j] * terms[j];
        }
        unsigned usable = 0;
        // A scaled coefficient is a term's part of the runtimes, in root mean square.
        for (size_t j = 0; j < growth_term_count; ++j) {
            if (scale[j] > 0) usable |= 1U << j;
            scale[j] = scale[j] > 0 ? std::sqrt(count / scale[j]) : 0;
        }
        std::vector<double> weights(points.size(), 1.0);
        std::vector<double> squares(points.size());
        for (int round = 0;; ++round) {
            normal_equations<growth_term_count> equations;
            for (size_t i = 0; i < points.size(); ++i) {
                auto terms = terms_of(points[i], i >= cliff);
                for (size_t j = 0; j < growth_term_count; ++j) terms[j] *= scale[j];
                equations.add(terms, 1, points[i].weight * weights[i]);
            }
            for (size_t j = 0; j < growth_term_count; ++j) equations.products[j][j] += prior_weight * prior_weight;
            equations.moments[growth_work_term] += prior_weight * prior_weight;
            equations.squares += prior_weight * prior_weight;
            fitted_terms fitted{.coefficients = average_over_subsets(equations, usable, least_deviation, prior_log_odds)};
            for (size_t j = 0; j < growth_term_count; ++j) fitted.coefficients[j] *= scale[j];
            for (size_t i = 0; i < points.size(); ++i) {
                const double residual = log_residual(fitted.coefficients, terms_of(points[i], i >= cliff));
                squares[i] = points[i].weight * residual * residual;
            }
            const double variance = robust_variance(squares);
            fitted.log_loss = 0.5 * count * std::log(variance);
            for (const double square : squares)
                fitted.log_loss += 0.5 * (degrees_of_freedom + 1) * std::log1p(square / (degrees_of_freedom * variance));
            if (round == reweightings) return fitted;
            for (size_t i = 0; i < points.size(); ++i)
                weights[i] = (degrees_of_freedom + 1) / (degrees_of_freedom + squares[i] / variance);
        }
    }

    // From the median square, which is 0.45 of the variance of a normal distribution.
    static double robust_variance(std::vector<double> squares) {
        return (std::max)(2.2 * upper_median(std::move(squares)), 0.25 * least_deviation * least_deviation);
    }

    // Relative increase of the median point beyond a cliff.
    static double jump(std::span<const trend_point> points, size_t cliff, const growth_terms& coefficients) {
        std::vector<double> increases;
        for (size_t i = cliff; i < points.size(); ++i)
            increases.push_back(std::exp(log_residual(coefficients, terms_of(points[i], true)) -
                                         log_residual(coefficients, terms_of(points[i], false))) -
                                1);
        return upper_median(std::move(increases));
    }

    // The first point beyond the most probable cliff that is high enough.
    std::optional<size_t> find_cliff() const {
        const size_t step = (points_.size() + most_searched - 1) / most_searched;
        std::vector<trend_point> searched;
        for (size_t i = 0; i < points_.size(); i += step) searched.push_back(points_[i]);
        // The first point beyond each place that a cliff may have.
        std::vector<size_t> positions;
        for (size_t i = least_beside_cliff; i + least_beside_cliff <= searched.size(); ++i)
            if (searched[i].log_data_per_memory - searched[i - 1].log_data_per_memory > least_gap) positions.push_back(i);
        std::optional<size_t> best;
        fitted_terms best_fit{.log_loss = infinite};
        const auto attempt = [&](size_t position) {
            const size_t cliff = positions[position];
            const auto fitted = fit(searched, cliff, search_rounds);
            if (!(fitted.log_loss < best_fit.log_loss) || jump(searched, cliff, fitted.coefficients) < least_jump) return;
            best = position;
            best_fit = fitted;
        };
        const size_t stride = (searched.size() + coarse_positions - 1) / coarse_positions;
        for (size_t i = 0; i < positions.size(); i += stride) attempt(i);
        if (!best) return {};
        const size_t middle = *best;
        if (stride > 1)
            for (size_t i = (std::max)(middle, stride) - stride; i < (std::min)(middle + stride + 1, positions.size()); ++i)
                attempt(i);
        const size_t cliff = positions[*best];
        return change_point_between((cliff - 1) * step, (std::min)(cliff * step, points_.size() - 1), best_fit.coefficients);
    }

    // Index of the first point beyond the cliff between two points that the search used, with these coefficients.
    size_t change_point_between(size_t below, size_t beyond, const growth_terms& coefficients) const {
        size_t best = beyond;
        double gain = 0;
        double highest_gain = 0;
        for (size_t cliff = beyond; cliff-- > below + 1;) {
            gain += std::abs(log_residual(coefficients, terms_of(points_[cliff], false))) -
                    std::abs(log_residual(coefficients, terms_of(points_[cliff], true)));
            if (!(gain > highest_gain) ||
                !(points_[cliff].log_data_per_memory - points_[cliff - 1].log_data_per_memory > least_gap))
                continue;
            highest_gain = gain;
            best = cliff;
        }
        return best;
    }

    growth_trend trend_;
    growth_parameters parameters_{};
    std::vector<trend_point> points_;
};

/// Cost: some ten passes over the points; some hundred over at most 256 of them in the search for a cliff.
inline growth_trend fit_growth_trend(const feature_map& features, const history_data& history) {
    return {features, growth_trend_fit(features, history)()};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
