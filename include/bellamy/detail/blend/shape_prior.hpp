// Cold start: shapes of other jobs' curves as the prior of a job without history of its algorithm.
#ifndef BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP
#define BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP

#include <bellamy/detail/blend/blend_curve.hpp>
#include <bellamy/detail/blend/mixture_binding.hpp>
#include <bellamy/detail/context/resized_runs.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A curve of fixed and of parallel work, and a smooth residual: ln y = a + ln(1 + r x^-p) + g(ln x), the level a unknown, g
/// a Matern 5/2 process.
struct curve_shape {
    /// Parallel work over fixed work at scale-out 1.
    double ratio = 0;
    double exponent = 1;
    double deviation = 0.1;
    double weight = 1;
};

/// Standard deviation of the unknown level.
inline constexpr double level_deviation = 3;
inline constexpr double shape_length = 1;
/// Standard deviation shared by runs of one configuration.
inline constexpr double shape_nugget = 0.02;
/// Share of contexts that are not like the runs of another data size at all.
inline constexpr double unlike_resized_share = 0.02;

[[nodiscard]] inline double shape_mean(const curve_shape& shape, double log_scale_out) noexcept {
    return std::log1p(shape.ratio * std::exp(-shape.exponent * log_scale_out));
}

/// Means of a curve of this shape whose level is `level` on average over the scale-outs `around`.
[[nodiscard]] inline std::vector<double> shape_means(const curve_shape& shape, std::span<const double> log_scale_outs,
                                                     std::span<const double> around, double level) {
    for (const double t : around) level -= shape_mean(shape, t) / static_cast<double>(around.size());
    std::vector<double> means;
    means.reserve(log_scale_outs.size());
    for (const double t : log_scale_outs) means.push_back(level + shape_mean(shape, t));
    return means;
}

/// Prior of a curve of this shape whose level is `level` on average over the scale-outs `around`.
[[nodiscard]] inline expert_answer answer_of(const curve_shape& shape, std::span<const double> log_scale_outs,
                                             std::span<const double> around, double level) {
    const std::size_t q = log_scale_outs.size();
    expert_answer made{.mean = shape_means(shape, log_scale_outs, around, level), .covariance = matrix(q, q)};
    for (std::size_t i = 0; i < q; ++i)
        for (std::size_t j = 0; j < q; ++j)
            made.covariance(i, j) =
                level_deviation * level_deviation +
                shape.deviation * shape.deviation * matern((log_scale_outs[i] - log_scale_outs[j]) / shape_length) +
                (log_scale_outs[i] == log_scale_outs[j] ? shape_nugget * shape_nugget : 0);
    return made;
}

inline constexpr std::array<double, 3> shape_exponents{0.7, 1.0, 1.6};
inline constexpr std::array<double, 8> shape_shares{0, 1, 2.5, 6, 15, 40, 120, 1000};
inline constexpr std::array<double, 3> shape_deviations{0.03, 0.1, 0.3};

/// Shapes by exponent, share of parallel work, and standard deviation of the residual. Shares are ratios at scale-out 1 for
/// exponent 1; curves of other exponents meet that one at scale-out 8.
[[nodiscard]] inline std::vector<curve_shape> shape_grid() {
    std::vector<curve_shape> grid;
    for (const double exponent : shape_exponents)
        for (const double share : shape_shares)
            for (const double deviation : shape_deviations)
                grid.push_back({.ratio = share * std::pow(8.0, exponent - 1), .exponent = exponent, .deviation = deviation});
    return grid;
}

/// Knots of a curve without runs.
inline constexpr std::array<int, 14> usual_scale_outs{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// A mixture of shapes and the run noise; plain data.
struct shape_prior {
    std::vector<curve_shape> shapes{};
    scale_out_noise noise = usual_noise;

    /// A curve from the observed runs alone, and from `resized` ones where there are any, with knots at `asked` too. Without
    /// either its level is unknown: 250 s, give or take a factor of twenty.
    [[nodiscard]] blend_curve bind(std::span<const run> observed, std::span<const int> asked = {},
                                   const resized_runs& resized = {}) const {
        const mixture_binding target({asked.begin(), asked.end()}, observed);
        const auto log_scale_outs = target.log_scale_outs();
        const auto levelled = observed.empty() ? std::span<const run>(resized.runs) : observed;
        double level = 0;
        std::vector<double> around;
        log_runtime_range seen;
        for (const auto& each : levelled) {
            level += std::log(each.runtime_s) / static_cast<double>(levelled.size());
            around.push_back(std::log(static_cast<double>(each.scale_out)));
            seen.include(std::log(each.runtime_s));
        }
        if (levelled.empty()) {
            level = 5.5;
            around.push_back(2);
            seen = {.lowest = level - 2 * level_deviation, .highest = level + 2 * level_deviation};
        }
        // Shapes differ in their means and in how much of one kernel they have; the rest of the covariance is common.
        const std::size_t q = target.knots().size();
        matrix common(q, q);
        matrix kernel(q, q);
        for (std::size_t i = 0; i < q; ++i)
            for (std::size_t j = 0; j < q; ++j) {
                common(i, j) = level_deviation * level_deviation + (i == j ? shape_nugget * shape_nugget : 0);
                kernel(i, j) = matern((log_scale_outs[i] - log_scale_outs[j]) / shape_length);
            }
        std::vector<expert_answer> answers;
        answers.reserve(shapes.size() + 1);
        std::vector<prior_component> priors;
        const double shapes_share = resized.runs.empty() ? 1 : unlike_resized_share;
        for (const auto& each : shapes) {
            answers.push_back({.mean = shape_means(each, log_scale_outs, around, level), .covariance = common});
            priors.push_back({.answer = &answers.back(),
                              .scale = 1,
                              .deviation = each.deviation,
                              .log_weight = std::log(each.weight * shapes_share)});
        }
        if (!resized.runs.empty()) {
            answers.push_back(answer_of(bind(resized.runs, asked).table, target.knots(), kernel));
            priors.push_back({.answer = &answers.back(),
                              .level_variance = resized.deviation * resized.deviation,
                              .log_weight = std::log(1 - unlike_resized_share)});
        }
        const auto rows = target.condition_on_runs(priors, kernel, run_noise{.at = {noise}}, seen);
        return {.table = knot_table(target.knots(), rows),
                .unlike_any_seen = true,
                .outside_seen_sizes = observed.empty() && !resized.runs.empty()};
    }

private:
    /// Prior of a curve that is like a conditioned one, as unsure as that is of a run at each scale-out.
    [[nodiscard]] static expert_answer answer_of(const knot_table& conditioned, std::span<const int> knots,
                                                 const matrix& kernel) {
        constexpr std::size_t middle = quantile_deviates.size() / 2;
        expert_answer made{.covariance = matrix(knots.size(), knots.size())};
        std::vector<double> deviations;
        for (const int x : knots) {
            const auto row = conditioned.at(x);
            made.mean.push_back(row[middle]);
            deviations.push_back((row[middle + 2] - row[middle - 2]) / (2 * quantile_deviates[middle + 2]));
        }
        for (std::size_t i = 0; i < knots.size(); ++i)
            for (std::size_t j = 0; j < knots.size(); ++j)
                made.covariance(i, j) =
                    deviations[i] * deviations[j] * kernel(i, j) + (i == j ? shape_nugget * shape_nugget : 0);
        return made;
    }
};

/// What `fit_shape_prior` learned from the public run records of four Spark jobs (C3O experiments, Will et al. 2020).
inline constexpr std::array<double, shape_exponents.size() * shape_shares.size() * shape_deviations.size()> usual_weights{
    0.0072, 0.0078, 0.0072, 0.0072, 0.0106, 0.0073, 0.0073, 0.0119, 0.0076, 0.0077, 0.0107, 0.0077, 0.0073, 0.0078, 0.0091,
    0.0072, 0.0073, 0.0087, 0.0072, 0.0073, 0.0081, 0.0072, 0.0073, 0.0075, 0.0072, 0.0135, 0.0073, 0.0074, 0.0275, 0.0080,
    0.0082, 0.0352, 0.0096, 0.0098, 0.0282, 0.0114, 0.0082, 0.0133, 0.0173, 0.0074, 0.0079, 0.0163, 0.0073, 0.0074, 0.0125,
    0.0073, 0.0074, 0.0091, 0.0073, 0.0293, 0.0077, 0.0079, 0.0624, 0.0097, 0.0103, 0.0814, 0.0139, 0.0135, 0.0638, 0.0200,
    0.0102, 0.0271, 0.0334, 0.0078, 0.0105, 0.0319, 0.0073, 0.0075, 0.0222, 0.0072, 0.0073, 0.0136};

/// The prior for a job of which nothing is known.
[[nodiscard]] inline shape_prior usual_shapes() {
    shape_prior made{.shapes = shape_grid()};
    for (std::size_t i = 0; i < usual_weights.size(); ++i) made.shapes[i].weight = usual_weights[i];
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
