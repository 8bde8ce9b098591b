#include <bellamy/detail/blend/shape_prior_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using namespace bellamy::detail;

namespace {

double quantile_s(const blend_curve& curve, int scale_out, double p) {
    return std::exp(quantile_at(curve.table.at(scale_out), normal_quantile(p)));
}

// Every configuration with runs at these log deviations from its usual runtime.
std::vector<run> repeated(std::span<const double> deviations) {
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
    const auto job = repeated(deviations);
    const std::array<std::span<const run>, 1> jobs{job};
    return fit_shape_prior(jobs);
}

}  // namespace

TEST_CASE("where nearly all runs are late by the stragglers' delay, an observed run was late too") {
    auto prior = usual_shapes();
    prior.noise = {
        .pooled_variance = 1e-4, .narrow_variance = 1e-4, .wide_variance = 2e-4, .straggler = 1 - 1e-6, .delay = 1};
    const auto seen = support::made_up_run(50, 4);
    const auto curve = prior.bind(std::array{seen});
    CHECK(quantile_s(curve, 4, 0.5) == doctest::Approx(seen.runtime_s).epsilon(0.01));
}

TEST_CASE("other jobs' repeated runs tell a cold start how noisy runs are") {
    const auto quiet = learned_from(std::array{-0.001, 0.0, 0.001});
    const auto noisy = learned_from(std::array{-0.1, 0.0, 0.1});
    // Sample variance of the three deviations, all but the largest 5 % of the squares, five pseudo-counts of 90.
    CHECK(quiet.noise.narrow_variance == doctest::Approx(least_noise).epsilon(0.3));
    CHECK(noisy.noise.pooled_variance == doctest::Approx(0.01).epsilon(0.15));
    const auto seen = support::made_up_run(50, 4);
    const auto width = [&](const shape_prior& prior) {
        const auto curve = prior.bind(std::array{seen});
        return std::log(quantile_s(curve, 4, 0.75) / quantile_s(curve, 4, 0.25));
    };
    CHECK(width(noisy) > 3 * width(quiet));
}

TEST_CASE("other jobs' stragglers tell a cold start how many there are and how late") {
    std::vector<double> deviations(9, 0.0);
    for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] = i % 2 == 0 ? -0.01 : 0.01;
    deviations.push_back(0.8);
    const auto noise = learned_from(deviations).noise;
    CHECK(noise.straggler == doctest::Approx(0.1).epsilon(0.1));
    CHECK(noise.delay == doctest::Approx(0.8).epsilon(0.1));
    CHECK(noise.narrow_variance < 0.02 * 0.02);
}
