// Fits the growth trend: which terms a history needs, what single wrong runs may not change, and whether there is a cliff.
#ifndef BELLAMY_DETAIL_BLEND_GROWTH_TREND_FIT_HPP
#define BELLAMY_DETAIL_BLEND_GROWTH_TREND_FIT_HPP

#include <bellamy/detail/blend/growth_trend.hpp>
#include <bellamy/detail/maths/subset_average.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Least squares of relative errors with a prior that all of the runtime is work, s/x, so that three points do not decide
/// six coefficients; averaged over the subsets of terms. Residuals have Student's t distribution with 4 degrees of freedom,
/// so that stragglers count for little. A memory cliff is looked for where contexts differ in their data size alone: other
/// properties would pass for one.
class growth_trend_fit {
public:
    growth_trend_fit(const feature_map& features, const history_data& fitted_to) : trend_(features, growth_parameters{}) {
        const auto counts = [](const history_point& each) { return each.variance <= most_variance; };
        const bool any = std::any_of(fitted_to.points.begin(), fitted_to.points.end(), counts);
        parameters_.lowest_log_runtime = std::numeric_limits<double>::infinity();
        parameters_.highest_log_runtime = -parameters_.lowest_log_runtime;
        for (const auto& each : fitted_to.points) {
            if (any && !counts(each)) continue;
            parameters_.lowest_log_runtime = (std::min)(parameters_.lowest_log_runtime, each.log_runtime);
            parameters_.highest_log_runtime = (std::max)(parameters_.highest_log_runtime, each.log_runtime);
        }
        // In runtimes of the middle of the range, so that none overflows.
        parameters_.log_unit = 0.5 * (parameters_.lowest_log_runtime + parameters_.highest_log_runtime);
        constexpr double nowhere = std::numeric_limits<double>::infinity();
        for (const auto& each : fitted_to.points) {
            if (!counts(each)) continue;
            const auto& own = fitted_to.contexts[each.context].features;
            const double log_scale_out = std::log(each.scale_out);
            const double relative =
                std::exp(std::clamp(parameters_.log_unit - each.log_runtime, -most_exponent, most_exponent));
            // Improbable points, whose noise is wide, count for little.
            points_.push_back({.terms = trend_.terms(own, log_scale_out, nowhere),
                               .log_work = trend_.log_work(own, log_scale_out),
                               .weight = usual_variance / (usual_variance + each.variance)});
            for (double& term : points_.back().terms) term *= relative;
        }
        std::sort(points_.begin(), points_.end(), [](const auto& a, const auto& b) { return a.log_work < b.log_work; });
    }

    [[nodiscard]] growth_parameters operator()() const {
        auto made = parameters_;
        if (points_.empty()) return made;
        const auto smooth = fit(points_, points_.size(), rounds);
        made.coefficients = smooth.coefficients;
        if (!trend_.varies_in_size_only()) return made;
        const auto cliff = find_cliff();
        if (!cliff) return made;
        const auto with = fit(points_, *cliff, rounds);
        const double needed = least_gain + std::log(static_cast<double>(points_.size()));
        if (smooth.log_loss - with.log_loss < needed || jump(points_, *cliff, with.coefficients) < least_jump) return made;
        made.coefficients = with.coefficients;
        made.cliff_lower = points_[*cliff - 1].log_work;
        made.cliff_upper = points_[*cliff].log_work;
        return made;
    }

private:
    /// Of a share against a run's relative error; squared, a tenth of a run.
    static constexpr double prior_weight = 0.3;
    /// Of what a run deviates from the trend by.
    static constexpr double usual_variance = 0.01;
    /// What is wider is a wrong record: where its runtime is short, even a small weight would make its relative error
    /// decide.
    static constexpr double most_variance = 1;
    static constexpr double most_exponent = 50;
    /// Relative errors below this do not tell subsets of terms apart, and no scale of residuals is smaller than half of it.
    static constexpr double least_deviation = 0.02;
    /// ln x, x, 1/x and s are less probable than not: few runs at few scale-outs cannot tell them from noise, and beyond
    /// those they are most of the answer.
    static constexpr growth_terms prior_log_odds{0, 0, -0.5, -0.5, -0.5, -0.5, 0};
    /// Of reweighting; a search for a cliff makes do with fewer.
    static constexpr int rounds = 5;
    static constexpr int search_rounds = 2;
    /// What a cliff has to gain in log-likelihood beyond Schwarz's charge for its place and height, what the median run
    /// beyond it takes longer than without, and how many points lie on either side.
    static constexpr double least_gain = 6;
    static constexpr double least_jump = 0.5;
    static constexpr std::size_t least_beside_cliff = 2;
    /// Points that a cliff is searched for in, and places that are tried first.
    static constexpr std::size_t most_searched = 256;
    static constexpr std::size_t coarse_places = 32;
    static constexpr double degrees_of_freedom = 4;

    // Relative to its runtime.
    struct point {
        growth_terms terms{};
        double log_work = 0;
        double weight = 1;
    };
    struct outcome {
        growth_terms coefficients{};
        /// Negative log-likelihood up to a constant.
        double log_loss = 0;
    };

    // The points from number `cliff` on lie beyond it.
    [[nodiscard]] static growth_terms terms_of(const point& from, bool beyond_cliff) noexcept {
        auto made = from.terms;
        made[growth_cliff_term] = beyond_cliff ? made[growth_work_term] : 0;
        return made;
    }

    [[nodiscard]] static double log_residual(const growth_terms& coefficients, const growth_terms& terms) noexcept {
        double sum = 0;
        for (std::size_t j = 0; j < growth_term_count; ++j) sum += coefficients[j] * terms[j];
        return std::log((std::max)(sum, 1e-6));
    }

    [[nodiscard]] static outcome fit(std::span<const point> points, std::size_t cliff, int reweighted) {
        const auto count = static_cast<double>(points.size());
        growth_terms scale{};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto terms = terms_of(points[i], i >= cliff);
            for (std::size_t j = 0; j < growth_term_count; ++j) scale[j] += points[i].weight * terms[j] * terms[j];
        }
        unsigned usable = 0;
        // A multiple is then a term's share of the runtimes, in root mean square.
        for (std::size_t j = 0; j < growth_term_count; ++j) {
            if (scale[j] > 0) usable |= 1U << j;
            scale[j] = scale[j] > 0 ? std::sqrt(count / scale[j]) : 0;
        }
        std::vector<double> weights(points.size(), 1.0);
        std::vector<double> squares(points.size());
        for (int round = 0;; ++round) {
            normal_equations<growth_term_count> equations;
            for (std::size_t i = 0; i < points.size(); ++i) {
                auto terms = terms_of(points[i], i >= cliff);
                for (std::size_t j = 0; j < growth_term_count; ++j) terms[j] *= scale[j];
                equations.add(terms, 1, points[i].weight * weights[i]);
            }
            for (std::size_t j = 0; j < growth_term_count; ++j) equations.products[j][j] += prior_weight * prior_weight;
            equations.moments[growth_work_term] += prior_weight * prior_weight;
            equations.squares += prior_weight * prior_weight;
            outcome made{.coefficients = average_over_subsets(equations, usable, least_deviation, prior_log_odds)};
            for (std::size_t j = 0; j < growth_term_count; ++j) made.coefficients[j] *= scale[j];
            for (std::size_t i = 0; i < points.size(); ++i) {
                const double residual = log_residual(made.coefficients, terms_of(points[i], i >= cliff));
                squares[i] = points[i].weight * residual * residual;
            }
            const double variance = scale_of(squares);
            made.log_loss = 0.5 * count * std::log(variance);
            for (const double each : squares)
                made.log_loss += 0.5 * (degrees_of_freedom + 1) * std::log1p(each / (degrees_of_freedom * variance));
            if (round == reweighted) return made;
            for (std::size_t i = 0; i < points.size(); ++i)
                weights[i] = (degrees_of_freedom + 1) / (degrees_of_freedom + squares[i] / variance);
        }
    }

    // From the median square, which is 0.45 of the variance of a normal distribution.
    [[nodiscard]] static double scale_of(std::vector<double> squares) {
        const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
        std::nth_element(squares.begin(), middle, squares.end());
        return (std::max)(2.2 * *middle, 0.25 * least_deviation * least_deviation);
    }

    // How much longer the median point beyond a cliff takes than without it.
    [[nodiscard]] static double jump(std::span<const point> points, std::size_t cliff, const growth_terms& coefficients) {
        std::vector<double> longer;
        for (std::size_t i = cliff; i < points.size(); ++i)
            longer.push_back(std::exp(log_residual(coefficients, terms_of(points[i], true)) -
                                      log_residual(coefficients, terms_of(points[i], false))) -
                             1);
        const auto middle = longer.begin() + static_cast<std::ptrdiff_t>(longer.size() / 2);
        std::nth_element(longer.begin(), middle, longer.end());
        return *middle;
    }

    // The first point beyond the most probable cliff that is high enough.
    [[nodiscard]] std::optional<std::size_t> find_cliff() const {
        const std::size_t step = (points_.size() + most_searched - 1) / most_searched;
        std::vector<point> some;
        for (std::size_t i = 0; i < points_.size(); i += step) some.push_back(points_[i]);
        if (some.size() < 2 * least_beside_cliff) return {};
        std::optional<std::size_t> best;
        outcome found{.log_loss = std::numeric_limits<double>::infinity()};
        const auto attempt = [&](std::size_t at) {
            if (some[at - 1].log_work == some[at].log_work) return;
            const auto made = fit(some, at, search_rounds);
            if (!(made.log_loss < found.log_loss) || jump(some, at, made.coefficients) < least_jump) return;
            best = at;
            found = made;
        };
        const std::size_t last = some.size() - least_beside_cliff;
        const std::size_t stride = (some.size() + coarse_places - 1) / coarse_places;
        for (std::size_t at = least_beside_cliff; at <= last; at += stride) attempt(at);
        if (!best) return {};
        const std::size_t middle = *best;
        if (stride > 1)
            for (std::size_t at = (std::max)(middle, least_beside_cliff + stride) - stride;
                 at <= (std::min)(middle + stride, last); ++at)
                attempt(at);
        return refined((*best - 1) * step, (std::min)(*best * step, points_.size() - 1), found.coefficients);
    }

    // Of the points between two of those that were searched, which ones lie beyond the cliff.
    [[nodiscard]] std::size_t refined(std::size_t below, std::size_t beyond, const growth_terms& coefficients) const {
        std::size_t best = beyond;
        double gain = 0;
        double most = 0;
        for (std::size_t at = beyond; at-- > below + 1;) {
            gain += std::abs(log_residual(coefficients, terms_of(points_[at], false))) -
                    std::abs(log_residual(coefficients, terms_of(points_[at], true)));
            if (!(gain > most) || points_[at - 1].log_work == points_[at].log_work) continue;
            most = gain;
            best = at;
        }
        return best;
    }

    growth_trend trend_;
    growth_parameters parameters_{};
    std::vector<point> points_{};
};

/// Questions have the features of `features`. Cost: some ten passes over the points; where a cliff is looked for, some
/// hundred over at most 256 of them.
[[nodiscard]] inline growth_trend fit_growth_trend(const feature_map& features, const history_data& fitted_to) {
    return {features, growth_trend_fit(features, fitted_to)()};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
