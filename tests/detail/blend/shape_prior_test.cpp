#include <bellamy/detail/blend/shape_prior_fit.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/naive_algebra.hpp"

using namespace bellamy;
using namespace bellamy::detail;

namespace {

double quantile_of_shapes_s(const blend_curve& curve, int scale_out, double p) {
    return std::exp(quantile_at(curve.table.at(scale_out), normal_quantile(p)));
}

// Every configuration with runs at these log deviations from its usual runtime.
std::vector<run> jobs_repeated(std::span<const double> deviations) {
    std::vector<run> made;
    for (std::uint64_t size = 1; size <= 10; ++size)
        for (const int x : {2, 4, 8})
            for (const double d : deviations) {
                made.push_back(support::made_up_run(10 * size, x));
                made.back().runtime_s *= std::exp(d);
            }
    return made;
}

shape_prior learned_from(std::span<const double> deviations) {
    const auto job = jobs_repeated(deviations);
    const std::array<std::span<const run>, 1> jobs{job};
    return fit_shape_prior(jobs);
}

double naive_shape(const curve_shape& shape, double scale_out) {
    return std::log(1 + shape.ratio / std::pow(scale_out, shape.exponent));
}

// Level, smooth deviation and what runs of one configuration share.
matrix naive_shape_covariance(const curve_shape& shape, const std::vector<double>& log_scale_outs) {
    matrix made(log_scale_outs.size(), log_scale_outs.size());
    for (std::size_t i = 0; i < log_scale_outs.size(); ++i)
        for (std::size_t j = 0; j < log_scale_outs.size(); ++j) {
            const double r = std::sqrt(5.0) * std::abs(log_scale_outs[i] - log_scale_outs[j]);
            made(i, j) =
                9 + shape.residual_sd * shape.residual_sd * (1 + r + r * r / 3) * std::exp(-r) + (i == j ? 4e-4 : 0);
        }
    return made;
}

std::vector<run> runs_of_shape(const curve_shape& shape, std::uint64_t contexts, const std::vector<int>& scale_outs) {
    std::vector<run> made;
    for (std::uint64_t c = 1; c <= contexts; ++c)
        for (const int x : scale_outs)
            made.push_back({.context = support::made_up_context(c),
                            .scale_out = x,
                            .runtime_s = static_cast<double>(c) * std::exp(naive_shape(shape, x))});
    return made;
}

double weight_of(const shape_prior& prior, const auto& of) {
    double sum = 0;
    for (const auto& each : prior.shapes)
        if (of(each)) sum += each.weight;
    return sum;
}

}  // namespace

TEST_CASE("where nearly all runs are late by the stragglers' delay, an observed run was late too") {
    auto prior = default_shape_prior();
    prior.noise = {.pooled_variance = 1e-4,
                   .narrow_variance = 1e-4,
                   .wide_variance = 2e-4,
                   .straggler_probability = 1 - 1e-6,
                   .straggler_delay = 1};
    const auto seen = support::made_up_run(50, 4);
    const auto curve = prior.bind(std::array{seen});
    CHECK(quantile_of_shapes_s(curve, 4, 0.5) == doctest::Approx(seen.runtime_s).epsilon(0.01));
}

TEST_CASE("other jobs' repeated runs tell a cold start how noisy runs are") {
    const auto quiet = learned_from(std::array{-0.001, 0.0, 0.001});
    const auto noisy = learned_from(std::array{-0.1, 0.0, 0.1});
    // Sample variance of the three deviations, all but the largest 5 % of the squares, five pseudo-counts of 90.
    CHECK(quiet.noise.narrow_variance == doctest::Approx(least_noise_variance).epsilon(0.3));
    CHECK(noisy.noise.pooled_variance == doctest::Approx(0.01).epsilon(0.15));
    const auto seen = support::made_up_run(50, 4);
    const auto width = [&](const shape_prior& prior) {
        const auto curve = prior.bind(std::array{seen});
        return std::log(quantile_of_shapes_s(curve, 4, 0.75) / quantile_of_shapes_s(curve, 4, 0.25));
    };
    CHECK(width(noisy) > 3 * width(quiet));
}

TEST_CASE("other jobs' stragglers tell a cold start how many there are and how late") {
    std::vector<double> deviations(9, 0.0);
    for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] = i % 2 == 0 ? -0.01 : 0.01;
    deviations.push_back(0.8);
    const auto noise = learned_from(deviations).noise;
    CHECK(noise.straggler_probability == doctest::Approx(0.1).epsilon(0.1));
    CHECK(noise.straggler_delay == doctest::Approx(0.8).epsilon(0.1));
    CHECK(noise.narrow_variance < 0.02 * 0.02);
}

TEST_CASE("a shape's curve is that of work spread over the scale-out, at its level on average") {
    const curve_shape shape{.ratio = 7, .exponent = 1.6, .residual_sd = 0.2};
    const std::vector<double> asked{0, std::log(3), std::log(50)};
    const std::vector<double> around{std::log(2), std::log(8)};
    const auto answer =
        shape_prediction(shape, asked, {.log_runtime = 5, .log_scale_outs = around}, kernel_of(asked, residual_covariance));
    const double offset = 5 - 0.5 * (naive_shape(shape, 2) + naive_shape(shape, 8));
    for (std::size_t i = 0; i < asked.size(); ++i)
        CHECK(answer.mean[i] == doctest::Approx(offset + naive_shape(shape, std::exp(asked[i]))));
    CHECK(support::largest_difference(answer.covariance.values(), naive_shape_covariance(shape, asked).values()) < 1e-12);
}

TEST_CASE("the density of a curve under a shape is that of its normal distribution, but for a constant") {
    random_generator random(1);
    const std::vector<double> times{std::log(2), std::log(4), std::log(7), std::log(12)};
    const std::vector<double> noises{1e-3, 2e-3, 3e-3, 1e-2};
    std::vector<double> values;
    for (int i = 0; i < 4; ++i) values.push_back(5 + 0.3 * random.normal());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 4;
    double constant = std::nan("");
    for (const auto& shape : shape_grid()) {
        double average = 0;
        for (const double t : times) average += naive_shape(shape, std::exp(t)) / 4;
        auto covariance = naive_shape_covariance(shape, times);
        std::vector<double> residual;
        for (std::size_t i = 0; i < 4; ++i) {
            covariance(i, i) += noises[i] + least_variance;
            residual.push_back(values[i] - (mean - average + naive_shape(shape, std::exp(times[i]))));
        }
        const double off =
            log_density_of_curve(shape, times, values, noises) - support::log_normal_density(residual, covariance);
        if (std::isnan(constant)) constant = off;
        CHECK(off == doctest::Approx(constant).epsilon(1e-6));
    }
}

TEST_CASE("blurring gives half of a weight to the neighbours on the grid, and loses nothing") {
    const std::size_t shares = shape_ratios.size();
    const std::size_t deviations = shape_residual_sds.size();
    const auto at = [&](std::size_t i, std::size_t j, std::size_t k) { return (i * shares + j) * deviations + k; };
    std::vector<double> middle(shape_grid().size(), 0.0);
    middle[at(1, 3, 2)] = 1;
    auto expected = std::vector<double>(middle.size(), 0.0);
    expected[at(1, 3, 2)] = 0.5;
    for (const std::size_t neighbour : {at(0, 3, 2), at(2, 3, 2), at(1, 2, 2), at(1, 4, 2)}) expected[neighbour] = 0.125;
    CHECK(blur(middle) == expected);
    // In a corner what would leave the grid stays.
    for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 0}, {2, shares - 1}}) {
        std::vector<double> corner(middle.size(), 0.0);
        corner[at(i, j, 1)] = 1;
        const auto blurred = blur(corner);
        CHECK(blurred[at(i, j, 1)] == 0.75);
        CHECK(std::accumulate(blurred.begin(), blurred.end(), 0.0) == 1);
    }
}

TEST_CASE("blurring keeps the weight of each deviation of the residual") {
    for (std::size_t k = 0; k < shape_residual_sds.size(); ++k) {
        std::vector<double> weights(shape_grid().size(), 0.0);
        for (std::size_t i = k; i < weights.size(); i += shape_residual_sds.size()) weights[i] = 1;
        CHECK(support::largest_difference(blur(weights), weights) < 1e-15);
    }
}

TEST_CASE("every context's medians have a density under every shape") {
    const auto runs = jobs_repeated(std::array{-0.1, 0.0, 0.05});
    const auto view = group_runs(runs);
    const auto noise = fit_run_noise(view);
    const auto grid = shape_grid();
    const auto densities = log_densities_of_curves(view, grid);
    REQUIRE(densities.rows() == 10);
    REQUIRE(densities.columns() == grid.size());
    for (std::size_t c = 0; c < 10; ++c) {
        std::vector<double> log_scale_outs;
        std::vector<double> medians;
        std::vector<double> variances;
        for (std::size_t i = 3 * c; i < 3 * c + 3; ++i) {
            const auto median = median_of(view.configurations[i]);
            log_scale_outs.push_back(std::log(view.configurations[i].scale_out));
            medians.push_back(median.value);
            variances.push_back(median_variance(median, noise.nearest(log_scale_outs.back())));
        }
        for (std::size_t j = 0; j < grid.size(); ++j)
            CHECK(densities(c, j) == log_density_of_curve(grid[j], log_scale_outs, medians, variances));
    }
}

TEST_CASE("the grid has every exponent, share and deviation, and shares of 1/x are met at 8") {
    const auto grid = shape_grid();
    std::size_t next = 0;
    for (const double exponent : shape_exponents)
        for (const double share : shape_ratios)
            for (const double deviation : shape_residual_sds) {
                REQUIRE(next < grid.size());
                const auto& shape = grid[next++];
                CHECK(shape.exponent == exponent);
                CHECK(shape.residual_sd == deviation);
                CHECK(naive_shape(shape, 8) == doctest::Approx(std::log(1 + share / 8)));
            }
    CHECK(next == grid.size());
    const auto usual = default_shape_prior();
    REQUIRE(usual.shapes.size() == grid.size());
    CHECK(weight_of(usual, [](const auto&) { return true; }) == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("shapes are learned from the curves of jobs that have them, each job counting alike") {
    const curve_shape steep{.ratio = 15 * std::pow(8.0, 0.6), .exponent = 1.6};
    const curve_shape flat{.ratio = 0, .exponent = 1};
    const auto many = runs_of_shape(steep, 12, {1, 2, 4, 8, 16});
    const auto few = runs_of_shape(flat, 3, {1, 2, 4, 8, 16});
    const auto is_steep = [](const auto& shape) { return shape.exponent == 1.6 && shape.ratio > 10; };
    const auto is_flat = [](const auto& shape) { return shape.ratio == 0; };
    const std::vector<std::span<const run>> one{many};
    const auto of_one = fit_shape_prior(one, 0, 0);
    CHECK(weight_of(of_one, [](const auto&) { return true; }) == doctest::Approx(1));
    CHECK(weight_of(of_one, is_steep) > 0.9);
    CHECK(weight_of(of_one, is_flat) < 0.02);
    const std::vector<std::span<const run>> two{many, few};
    const auto of_two = fit_shape_prior(two, 0, 0);
    CHECK(weight_of(of_two, is_steep) == doctest::Approx(0.5).epsilon(0.1));
    CHECK(weight_of(of_two, is_flat) == doctest::Approx(0.35).epsilon(0.4));
    // The part left open is shared by all shapes.
    const auto open = fit_shape_prior(two, 0.5, 0);
    for (std::size_t j = 0; j < open.shapes.size(); ++j)
        CHECK(open.shapes[j].weight ==
              doctest::Approx(0.5 * of_two.shapes[j].weight + 0.5 / static_cast<double>(open.shapes.size())));
    std::vector<double> weights;
    for (const auto& each : of_two.shapes) weights.push_back(each.weight);
    const auto blurred = fit_shape_prior(two, 0, 2);
    const auto twice = blur(blur(weights));
    for (std::size_t j = 0; j < twice.size(); ++j) CHECK(blurred.shapes[j].weight == doctest::Approx(twice[j]));
}

TEST_CASE("without runs a curve of shapes is at 250 seconds give or take a factor of twenty") {
    const auto curve = default_shape_prior().bind({}, default_scale_outs);
    CHECK(quantile_of_shapes_s(curve, 8, 0.5) == doctest::Approx(250).epsilon(0.1));
    const double log_ratio = std::log(quantile_of_shapes_s(curve, 8, 0.8413) / quantile_of_shapes_s(curve, 8, 0.5));
    // A standard deviation, its quantile nearer to the median than a normal's, since tails are heavier.
    CHECK(log_ratio == doctest::Approx(0.91 * std::log(20)).epsilon(0.02));
    CHECK(curve.unlike_any_seen);
}
