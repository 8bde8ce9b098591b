// Runtimes over scale-outs for a job without any history of its algorithm: shapes of other jobs' curves as a prior.
#ifndef BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP
#define BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP

#include <bellamy/detail/blend/blend.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// One kind of curve: part of the work is spread over the scale-out and part is not, and what that leaves out is smooth:
/// ln y = a + ln(1 + r x^-p) + g(ln x), the level a unknown, g Matern 5/2.
struct curve_shape {
    /// Spread work over fixed work at scale-out 1.
    double ratio = 0;
    double exponent = 1;
    double deviation = 0.1;
    double weight = 1;
};

/// Deviation of the unknown level: a factor of e^3 either way.
inline constexpr double level_deviation = 3;
inline constexpr double shape_length = 1;
/// Shared by runs of one configuration.
inline constexpr double shape_nugget = 0.02;

[[nodiscard]] inline double shape_mean(const curve_shape& shape, double log_scale_out) noexcept {
    return std::log1p(shape.ratio * std::exp(-shape.exponent * log_scale_out));
}

/// Means of a curve of this shape, whose level is `level` on average over the scale-outs `around`.
[[nodiscard]] inline std::vector<double> shape_means(const curve_shape& shape, std::span<const double> log_scale_outs,
                                                     std::span<const double> around, double level) {
    for (const double t : around) level -= shape_mean(shape, t) / static_cast<double>(around.size());
    std::vector<double> means;
    means.reserve(log_scale_outs.size());
    for (const double t : log_scale_outs) means.push_back(level + shape_mean(shape, t));
    return means;
}

/// Prior of a curve of this shape, whose level is `level` on average over the scale-outs `around`.
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

/// All shapes that are weighed: how fast work shrinks, how much of it does, and how far curves stray from that. Shares are
/// those at scale-out 1 of a curve that falls like 1/x; the other exponents meet it at 8.
[[nodiscard]] inline std::vector<curve_shape> shape_grid() {
    std::vector<curve_shape> grid;
    for (const double exponent : shape_exponents)
        for (const double share : shape_shares)
            for (const double deviation : shape_deviations)
                grid.push_back({.ratio = share * std::pow(8.0, exponent - 1), .exponent = exponent, .deviation = deviation});
    return grid;
}

/// Where a curve may be asked about before any run tells.
inline constexpr std::array<int, 14> usual_scale_outs{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// A mixture of shapes, and what runs' noise usually is; plain data.
struct shape_prior {
    std::vector<curve_shape> shapes{};
    scale_out_noise noise = usual_noise;

    /// A curve from the observed runs alone. Without any, its level is unknown: 250 s, give or take a factor of twenty.
    /// Bounded like the best mode's.
    [[nodiscard]] blend_curve bind(std::span<const run> observed, std::span<const int> asked = {}) const {
        std::vector<int> seen;
        double level = 0;
        std::vector<double> around;
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        const auto count = static_cast<double>(observed.size());
        for (const auto& each : observed) {
            seen.push_back(each.scale_out);
            level += std::log(each.runtime_s) / count;
            around.push_back(std::log(static_cast<double>(each.scale_out)));
            lowest = (std::min)(lowest, std::log(each.runtime_s));
            highest = (std::max)(highest, std::log(each.runtime_s));
        }
        if (observed.empty()) {
            level = 5.5;
            around.push_back(2);
            lowest = level - 2 * level_deviation;
            highest = level + 2 * level_deviation;
        }
        const auto knots = knot_scale_outs({asked.begin(), asked.end()}, seen);
        std::vector<double> log_scale_outs;
        log_scale_outs.reserve(knots.size());
        for (const int x : knots) log_scale_outs.push_back(std::log(static_cast<double>(x)));
        // Shapes differ in their means and in how much of one kernel they have; what else they have is theirs alike.
        const std::size_t q = knots.size();
        matrix common(q, q);
        matrix kernel(q, q);
        for (std::size_t i = 0; i < q; ++i)
            for (std::size_t j = 0; j < q; ++j) {
                common(i, j) = level_deviation * level_deviation + (i == j ? shape_nugget * shape_nugget : 0);
                kernel(i, j) = matern((log_scale_outs[i] - log_scale_outs[j]) / shape_length);
            }
        std::vector<expert_answer> answers;
        answers.reserve(shapes.size());
        std::vector<prior_component> priors;
        for (const auto& each : shapes) {
            answers.push_back({.mean = shape_means(each, log_scale_outs, around, level), .covariance = common});
            priors.push_back(
                {.answer = &answers.back(), .scale = 1, .deviation = each.deviation, .log_weight = std::log(each.weight)});
        }
        std::vector<observation> runs;
        for (const auto& each : observed) {
            const auto at = std::min_element(knots.begin(), knots.end(), [&](int a, int b) {
                return std::abs(a - each.scale_out) < std::abs(b - each.scale_out);
            });
            runs.push_back({.at = static_cast<std::size_t>(at - knots.begin()),
                            .log_runtime = std::log(each.runtime_s),
                            .narrow = noise.narrow,
                            .wide = noise.wide,
                            .straggler = noise.straggler,
                            .censored = each.censored});
        }
        const auto posterior = condition(priors, kernel, runs);
        std::array<quantile_row, most_knots> rows{};
        std::vector<normal_component> mixture;
        const auto [least, most] = answer_bounds(lowest, highest);
        for (std::size_t i = 0; i < knots.size(); ++i) {
            add_run_noise(posterior, i, noise, mixture);
            rows[i] = quantiles_of(mixture);
            for (double& each : rows[i]) each = std::clamp(each, least, most);
        }
        return {.table = knot_table(knots, std::span(rows).first(knots.size())),
                .unlike_any_seen = true,
                .seen_context = false,
                .observed_runs = observed.size(),
                .log_evidence = posterior.log_evidence};
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
