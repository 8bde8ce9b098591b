// Prior of a cold start: curve shapes with weights, and runs of other contexts (data size, machine) rescaled to the target.
#ifndef BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP
#define BELLAMY_DETAIL_BLEND_SHAPE_PRIOR_HPP

#include <bellamy/detail/blend/mixture_binding.hpp>
#include <bellamy/detail/context/features.hpp>

#include <cmath>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior of the exponent with which runtimes of one job grow with its data size: mean and standard deviation over seven
/// jobs, four of the C3O experiments (Will et al. 2020), three of the traces of Ellis.
inline constexpr double size_exponent_mean = 0.9;
inline constexpr double size_exponent_deviation = 0.3;

/// Standard deviation of the log-runtime between machine types of as many slots.
inline constexpr double machine_deviation = 0.25;
/// Standard deviation of the log-runtime between contexts of one size and machine type: root mean square over the C3O
/// experiments with grep (0.63), k-means (0.31) and SGD (0.49).
inline constexpr double other_values_deviation = 0.5;
/// Cores of a unit of scale-out where nothing says how many: those of the public jobs' nodes.
inline constexpr double usual_cores = 8;

/// Runs of other contexts as if they were the target's.
struct resized_runs {
    std::vector<run> runs{};
    /// Standard deviation of the logarithm of the factor between their runtimes and the target's.
    double deviation = 0;
    /// The target's data size lies below or above those of all runs that can be resized, not of the nearest ones alone.
    bool outside_sizes = false;
    /// Of these, some that ended differ from the target in their data size alone, and its size is near or between theirs.
    bool is_like_target = false;
    /// Their scale-outs count so many slots of a unit of the target: its cores, where they ran on units of other cores.
    double slots_per_unit = 1;
};

/// The property with this role; null where there is none.
inline const property* property_with_role(const context& context, property_role role) noexcept {
    return find_property_if(context, [&](const property& each) { return each.role == role; });
}

/// Number of the property with this role; NaN where there is none.
inline double number_with_role(const context& context, property_role role) noexcept {
    const auto* property = property_with_role(context, role);
    return property == nullptr ? not_a_number : property->value.number();
}

inline double cores_of_unit(const context& context) noexcept {
    const double cores = number_with_role(context, property_role::cores_per_node);
    if (!(cores > 0 && std::isfinite(cores))) return usual_cores;
    return context.unit == scale_out_unit::slot || context.unit == scale_out_unit::core ? 1 : cores;
}

/// Gives every property with one of these roles the value that the target has.
inline void take_values(context& context, const bellamy::context& target, std::span<const property_role> roles) {
    for_each_property(context, [&](property& each) {
        if (!contains(roles, each.role)) return;
        if (const auto* other = property_with_role(target, each.role)) each.value = other->value;
    });
}

/// A scale-out in slots, so many of a unit.
inline int scale_out_in_slots(int scale_out, double slots) noexcept {
    return static_cast<int>(std::lround(std::clamp(scale_out * slots, 1.0, 1e9)));
}

/// The runs of the nearest data size, rescaled to the target's, also of other machines of known cores, counted in slots
/// where these differ; none where no other context differs in its size and machine alone. With `any_values` other
/// properties may differ too, and the size may be unknown.
inline resized_runs resize_runs(std::span<const run> observed, const context& target, bool any_values = false) {
    constexpr std::array size_role{property_role::data_size};
    constexpr std::array machine_roles{property_role::memory_per_node, property_role::cores_per_node,
                                       property_role::machine_type};
    const bool has_size = property_with_role(target, property_role::data_size) != nullptr;
    const auto has_cores = [](const context& context) {
        return number_with_role(context, property_role::cores_per_node) > 0;
    };
    const double target_cores = cores_of_unit(target);
    resized_runs resized;
    double nearest_log_ratio = infinite;
    bool has_smaller = false;
    bool has_larger = false;
    bool has_like_not_far_larger = false;
    bool has_like_not_far_smaller = false;
    bool other_machine = false;
    // Keeps the comparable runs of the nearest size: a nearer one starts anew.
    for (const auto& run : observed) {
        // Not finite where a size is 0 or unknown: there is no factor between them.
        double log_ratio = has_size ? std::log(number_with_role(target, property_role::data_size) /
                                               number_with_role(run.context, property_role::data_size))
                                    : 0.0;
        if (any_values && !std::isfinite(log_ratio)) log_ratio = 0;
        if (run.context == target || !std::isfinite(log_ratio)) continue;
        auto context = run.context;
        take_values(context, target, size_role);
        const bool same_machine = context == target;
        take_values(context, target, machine_roles);
        if (!any_values && (!(context == target) || !(same_machine || (has_cores(run.context) && has_cores(target)))))
            continue;
        has_smaller |= log_ratio >= 0;
        has_larger |= log_ratio <= 0;
        const bool is_like = same_machine && !any_values && !run.censored;
        has_like_not_far_larger |= is_like && log_ratio >= -far_log_size;
        has_like_not_far_smaller |= is_like && log_ratio <= far_log_size;
        if (!(std::abs(log_ratio) < std::abs(nearest_log_ratio)) && log_ratio != nearest_log_ratio) continue;
        if (log_ratio != nearest_log_ratio) {
            resized = {};
            other_machine = false;
        }
        nearest_log_ratio = log_ratio;
        other_machine |= !same_machine;
        if (cores_of_unit(run.context) != target_cores) resized.slots_per_unit = target_cores;
        resized.runs.push_back(run);
    }
    if (resized.runs.empty()) return resized;
    resized.outside_sizes = !(has_smaller && has_larger);
    resized.is_like_target = has_like_not_far_larger && has_like_not_far_smaller;
    // With other values the machine may be another one, too.
    resized.deviation = std::hypot(size_exponent_deviation * nearest_log_ratio, any_values      ? other_values_deviation
                                                                                : other_machine ? machine_deviation
                                                                                                : 0.0);
    for (auto& run : resized.runs) {
        run.runtime_s *= std::exp(size_exponent_mean * nearest_log_ratio);
        if (resized.slots_per_unit != 1) run.scale_out = scale_out_in_slots(run.scale_out, cores_of_unit(run.context));
    }
    return resized;
}

/// A curve of fixed and of parallel work with a smooth residual: ln y = a + ln(1 + r x^-p) + g(ln x), with an unknown level
/// a and a Matern 5/2 process g.
struct curve_shape {
    /// r: parallel over fixed work at scale-out 1, a unit of `usual_cores`.
    double ratio = 0;
    /// p.
    double exponent = 1;
    /// Standard deviation of g.
    double residual_sd = 0.1;
    double weight = 1;
};

/// Standard deviations of the level, and of what the runs of one configuration have in common.
inline constexpr double level_sd = 3;
inline constexpr double configuration_sd = 0.02;
/// Length scale of g.
inline constexpr double residual_length = 1;
/// Prior probability that rescaled runs of other contexts say nothing about this one.
inline constexpr double unlike_resized_probability = 0.02;

/// ln(1 + r x^-p).
inline double shape_mean(const curve_shape& shape, double log_scale_out) noexcept {
    return std::log1p(shape.ratio * std::exp(-shape.exponent * log_scale_out));
}

/// The mean log-runtime of curves, and the scale-outs over which it is averaged.
struct curve_level {
    double log_runtime = 0;
    std::vector<double> log_scale_outs{};
};

/// The shape over units of so many cores.
inline curve_shape over_units(curve_shape shape, double cores) noexcept {
    shape.ratio *= std::pow(cores / usual_cores, -shape.exponent);
    return shape;
}

/// Means at the scale-outs of a curve of this shape and level.
inline std::vector<double> shape_means(const curve_shape& shape, std::span<const double> log_scale_outs,
                                       const curve_level& level) {
    double offset = level.log_runtime;
    for (const double t : level.log_scale_outs) offset -= shape_mean(shape, t) / count_of(level.log_scale_outs);
    std::vector<double> means;
    means.reserve(log_scale_outs.size());
    for (const double t : log_scale_outs) means.push_back(offset + shape_mean(shape, t));
    return means;
}

/// Of a curve's level, and of what the runs of one configuration have in common, at two ln(scale-out).
inline double level_covariance(double t, double u) noexcept {
    return level_sd * level_sd + (t == u ? configuration_sd * configuration_sd : 0);
}

/// Of g, with standard deviation 1.
inline double residual_covariance(double t, double u) noexcept { return matern((t - u) / residual_length); }

/// Repeated runs that the noise of other jobs counts for: with a probability of a quarter the level may be noise.
inline constexpr double noise_repeats = 15;
/// Part of the level's variance that may be noise of this job, which other jobs do not tell: of its runs a scatter of 0.17.
inline constexpr double possible_noise_variance = 0.03;

/// Prior of a curve of this shape and level. `kernel`: g's, with standard deviation 1.
inline expert_answer shape_prediction(const curve_shape& shape, std::span<const double> log_scale_outs,
                                      const curve_level& level, const matrix& kernel) {
    expert_answer prediction{.mean = shape_means(shape, log_scale_outs, level),
                             .covariance = kernel_of(log_scale_outs, level_covariance),
                             .between_contexts = matrix(kernel.rows(), kernel.rows(), possible_noise_variance)};
    add_scaled(prediction.covariance.values().data(), kernel.values().data(), shape.residual_sd * shape.residual_sd,
               kernel.values().size());
    return prediction;
}

/// The grid's exponents, ratios for exponent 1, and standard deviations of the residual.
inline constexpr std::array<double, 3> shape_exponents{0.7, 1.0, 1.6};
inline constexpr std::array<double, 8> shape_ratios{0, 1, 2.5, 6, 15, 40, 120, 1000};
inline constexpr std::array<double, 3> shape_residual_sds{0.03, 0.1, 0.3};

/// All shapes of the grid. Curves of other exponents than 1 meet the one of exponent 1 and the same ratio at scale-out 8.
inline std::vector<curve_shape> shape_grid() {
    std::vector<curve_shape> grid;
    for (const double exponent : shape_exponents)
        for (const double ratio : shape_ratios)
            for (const double residual_sd : shape_residual_sds)
                grid.push_back(
                    {.ratio = ratio * std::pow(8.0, exponent - 1), .exponent = exponent, .residual_sd = residual_sd});
    return grid;
}

/// Knots of a curve without runs.
inline constexpr std::array<int, 14> default_scale_outs{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// A mixture of shapes, and the run noise. What a file stores of a cold start.
struct shape_prior {
    std::vector<curve_shape> shapes{};
    scale_out_noise noise = prior_noise;

    /// Quantiles over the scale-outs, in units of so many `cores`, given observed runs, and runs of other contexts scaled to
    /// this one. Without either the level is unknown: 250 s, give or take a factor of twenty. The curve has knots at
    /// `scale_outs` too.
    blend_curve bind(std::span<const run> observed, std::span<const int> scale_outs = {}, const resized_runs& resized = {},
                     double cores = usual_cores) const {
        const mixture_binding binding(scale_outs, observed);
        const auto levelled = observed.empty() ? std::span<const run>(resized.runs) : observed;
        const auto level = mean_level(levelled, observed.empty() ? resized.slots_per_unit : 1);
        const auto kernel = kernel_of(binding.log_scale_outs(), residual_covariance);

        // Prior. Shapes differ in their means and in their share of the kernel; the rest of the covariance is common.
        std::vector<expert_answer> predictions;
        predictions.reserve(shapes.size() + 1);
        std::vector<prior_component> priors;
        const double shapes_probability = resized.runs.empty() ? 1 : unlike_resized_probability;
        for (const auto& shape : shapes) {
            predictions.push_back(shape_prediction(over_units(shape, cores), binding.log_scale_outs(), level, kernel));
            priors.push_back({.prediction = &predictions.back(), .log_weight = std::log(shape.weight * shapes_probability)});
        }
        if (!resized.runs.empty()) {
            const double slots = resized.slots_per_unit;
            std::vector<int> in_slots;
            for (const int scale_out : scale_outs) in_slots.push_back(scale_out_in_slots(scale_out, slots));
            const auto curve = bind(resized.runs, in_slots, {}, cores / slots);
            predictions.push_back(
                resized_prediction(curve.table, binding.knots(), slots, kernel, resized.deviation * resized.deviation));
            priors.push_back({.prediction = &predictions.back(), .log_weight = std::log(1 - unlike_resized_probability)});
        }

        log_range seen;
        for (const auto& run : levelled) seen.include(std::log(run.runtime_s));
        if (levelled.empty())
            seen = {.lowest = level.log_runtime - 2 * level_sd, .highest = level.log_runtime + 2 * level_sd};
        const auto rows = binding.quantiles(priors, kernel, run_noise{.by_scale_out = {noise}}, noise_repeats, 0, seen).rows;
        return {.table = knot_table(binding.knots(), rows),
                .unlike_any_seen = observed.empty() && !resized.is_like_target,
                .outside_seen_sizes = observed.empty() && resized.outside_sizes};
    }

private:
    static curve_level mean_level(std::span<const run> runs, double slots_per_unit) {
        if (runs.empty()) return {.log_runtime = 5.5, .log_scale_outs = {2}};  // 250 s on seven units
        curve_level level;
        for (const auto& run : runs) {
            level.log_runtime += std::log(run.runtime_s) / count_of(runs);
            level.log_scale_outs.push_back(std::log(run.scale_out / slots_per_unit));
        }
        return level;
    }

    /// Prior from the curve given the scaled runs: at each scale-out the normal distribution that has its 50 % interval.
    static expert_answer resized_prediction(const knot_table& resized_curve, std::span<const int> knots,
                                            double slots_per_unit, const matrix& kernel, double level_variance) {
        const size_t q = knots.size();
        expert_answer prediction{.covariance = matrix(q, q),
                                 .between_contexts = matrix(q, q, (std::min)(possible_noise_variance, level_variance))};
        std::vector<double> sds;
        for (const int knot : knots) {
            const auto row = resized_curve.at(knot * slots_per_unit);
            prediction.mean.push_back(row[median_index]);
            sds.push_back((row[median_index + 2] - row[median_index - 2]) /
                          (2 * standard_normal_quantiles[median_index + 2]));
        }
        for (size_t i = 0; i < q; ++i)
            for (size_t j = 0; j < q; ++j)
                prediction.covariance(i, j) =
                    level_variance + sds[i] * sds[j] * kernel(i, j) + (i == j ? configuration_sd * configuration_sd : 0);
        return prediction;
    }
};

/// Weights of the grid's shapes, fitted by `fit_shape_prior` to the public run records of four Spark jobs (C3O experiments,
/// Will et al. 2020).
inline constexpr std::array<double, shape_exponents.size() * shape_ratios.size() * shape_residual_sds.size()>
    default_shape_weights{0.0072, 0.0078, 0.0072, 0.0072, 0.0106, 0.0073, 0.0073, 0.0119, 0.0076, 0.0077, 0.0107, 0.0077,
                          0.0073, 0.0078, 0.0091, 0.0072, 0.0073, 0.0087, 0.0072, 0.0073, 0.0081, 0.0072, 0.0073, 0.0075,
                          0.0072, 0.0135, 0.0073, 0.0074, 0.0275, 0.0080, 0.0082, 0.0352, 0.0096, 0.0098, 0.0282, 0.0114,
                          0.0082, 0.0133, 0.0173, 0.0074, 0.0079, 0.0163, 0.0073, 0.0074, 0.0125, 0.0073, 0.0074, 0.0091,
                          0.0073, 0.0293, 0.0077, 0.0079, 0.0624, 0.0097, 0.0103, 0.0814, 0.0139, 0.0135, 0.0638, 0.0200,
                          0.0102, 0.0271, 0.0334, 0.0078, 0.0105, 0.0319, 0.0073, 0.0075, 0.0222, 0.0072, 0.0073, 0.0136};

/// The prior of a job without history or runs of other jobs.
inline shape_prior default_shape_prior() {
    shape_prior prior{.shapes = shape_grid()};
    for (size_t i = 0; i < default_shape_weights.size(); ++i) prior.shapes[i].weight = default_shape_weights[i];
    return prior;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
