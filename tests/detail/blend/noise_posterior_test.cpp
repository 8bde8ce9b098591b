#include <bellamy/detail/blend/noise_posterior.hpp>

#include <bellamy/detail/base/random.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"

using namespace bellamy::detail;

namespace {

// A level of this variance, all of it the context's own, over two knots.
struct level_prior {
    expert_answer answer{.mean = {5, 4.5}, .covariance = matrix(2, 2)};
    matrix kernel = matrix(2, 2);
    std::vector<prior_component> components{};

    explicit level_prior(double variance) {
        for (const std::size_t i : {0U, 1U})
            for (const std::size_t j : {0U, 1U}) answer.covariance(i, j) = variance + (i == j ? 1e-4 : 0);
        answer.between_contexts = answer.covariance;
        components.push_back({.prediction = &answer});
    }
};

// Runs of the first knot around `centre`.
std::vector<observation> scattered_runs(std::size_t count, double centre, double scatter, std::uint64_t seed) {
    random_generator random(seed);
    std::vector<observation> runs;
    for (std::size_t i = 0; i < count; ++i)
        runs.push_back({.log_runtime = centre + scatter * random.normal(),
                        .narrow_variance = 9e-4,
                        .wide_variance = 0.16,
                        .straggler_probability = 0.04,
                        .straggler_delay = 0.3});
    return runs;
}

double mean_factor(const std::vector<noise_hypothesis>& hypotheses) {
    double log_mean = 0;
    for (const auto& hypothesis : hypotheses) log_mean += hypothesis.weight * std::log(hypothesis.variance_factor);
    return std::exp(log_mean);
}

double posterior_factor(const level_prior& prior, double repeats, const std::vector<observation>& runs) {
    const auto predicted = moments_of(prior.components, prior.kernel, runs);
    return mean_factor(noise_posterior(noise_prior(repeats, 1, 0.5), predicted, runs));
}

}  // namespace

TEST_CASE(
    "the prior of the noise is narrow where runs were repeated, and what is unexplained where contexts do not differ") {
    const auto weight_beyond = [](const std::vector<noise_hypothesis>& hypotheses, double factor) {
        double weight = 0;
        for (const auto& hypothesis : hypotheses)
            if (hypothesis.variance_factor > factor) weight += hypothesis.weight;
        return weight;
    };
    for (const double repeats : {0.0, 3.0, 100.0})
        for (const double unexplained : {1.0, 5.0, 100.0})
            for (const double own : {0.0, 0.3, 1.0}) {
                const auto prior = noise_prior(repeats, unexplained, own);
                CHECK(weight_beyond(prior, 0) == doctest::Approx(1));
                double differ = 0;
                for (const auto& hypothesis : prior) differ += hypothesis.differs ? hypothesis.weight : 0;
                CHECK(differ == doctest::Approx(own));
                CHECK(std::ranges::is_sorted(prior, {}, &noise_hypothesis::variance_factor));
            }
    CHECK(weight_beyond(noise_prior(200, 50, 0), 10) < 0.03);
    CHECK(weight_beyond(noise_prior(0, 50, 0), 10) > 0.9);
    CHECK(weight_beyond(noise_prior(0, 50, 1), 10) < 0.15);
    CHECK(weight_beyond(noise_prior(0, 1, 0), 10) < weight_beyond(noise_prior(0, 50, 0), 10));
}

namespace {

// Residuals of contexts whose levels have the standard deviation `level_sd`, with so many points of a variance of 0.01.
history_data residuals(std::size_t contexts, std::size_t points, double level_sd) {
    random_generator random(5);
    history_data residual;
    for (std::size_t c = 0; c < contexts; ++c) {
        residual.contexts.push_back({.first = residual.points.size(), .count = points});
        const double level = level_sd * random.normal();
        for (std::size_t i = 0; i < points; ++i)
            residual.points.push_back({.context = c, .log_runtime = level + 0.1 * random.normal(), .variance = 0.01});
    }
    return residual;
}

}  // namespace

TEST_CASE(
    "many contexts differ where their residuals do beyond a noise that is known, few unless they show that they do not") {
    for (const std::size_t points : {1U, 3U}) {
        CAPTURE(points);
        const double repeats = points == 1 ? 100 : 0;
        CHECK(probability_of_difference(residuals(60, points, 0), repeats) < 0.05);
        CHECK(probability_of_difference(residuals(60, points, 0.3), repeats) > 0.999);
    }
    // One run of each context: levels and noise are the same.
    const double unknown = probability_of_difference(residuals(60, 1, 0), 0);
    CHECK(unknown == doctest::Approx(1 / 28.0));
    CHECK(probability_of_difference(residuals(60, 1, 0.3), 0) == unknown);
    CHECK(probability_of_difference(residuals(5, 1, 0), 0) > 0.95);
    // A noise that is larger than the points' variances say shows in the scatter within contexts.
    auto noisy = residuals(60, 3, 0);
    for (auto& point : noisy.points) point.log_runtime *= 4;
    CHECK(probability_of_difference(noisy, 0) < 0.05);
}

TEST_CASE("runs that scatter more than the history's make the noise larger, whether the history has told it or not") {
    const level_prior prior(0.04);
    for (const double repeats : {0.0, 100.0}) {
        CAPTURE(repeats);
        CHECK(posterior_factor(prior, repeats, scattered_runs(30, 5, 0.03, 1)) == doctest::Approx(1).epsilon(0.6));
        CHECK(posterior_factor(prior, repeats, scattered_runs(30, 5, 0.09, 2)) > 2.5);
    }
    // Two runs tell less than thirty.
    CHECK(posterior_factor(prior, 100, scattered_runs(2, 5, 0.09, 2)) < 2.5);
}

TEST_CASE("one straggler among observed runs does not make the noise larger") {
    const level_prior prior(0.04);
    auto runs = scattered_runs(6, 5, 0.03, 4);
    const double without = posterior_factor(prior, 100, runs);
    runs[3].log_runtime += 0.4;
    CHECK(posterior_factor(prior, 100, runs) < 1.5 * without);
}

TEST_CASE("two runs move the median of a context that hardly differs from others little, and one that does") {
    const level_prior prior(0.04);
    const auto level_after = [&](double own, const std::vector<observation>& runs) {
        const auto predicted = moments_of(prior.components, prior.kernel, runs);
        double mean = 0;
        for (const auto& component : condition_with_noise(prior.components, prior.kernel, runs, predicted, 100, own))
            mean += component.weight * component.mean[0];
        return mean;
    };
    // Within one standard deviation of the noise.
    auto runs = scattered_runs(2, 5, 0, 1);
    runs[0].log_runtime += 0.02;
    runs[1].log_runtime += 0.04;
    CHECK(level_after(0.02, runs) < 5.002);
    CHECK(level_after(1, runs) > 5.02);
    // Runs that agree with each other, far from the curve, say that this context differs, whatever was thought before.
    for (auto& run : runs) run.log_runtime += 0.4;
    CHECK(level_after(0.02, runs) == doctest::Approx(level_after(1, runs)).epsilon(0.01));
}

TEST_CASE("few hypotheses have the weight and the mean variance of the grid, and one is enough where it is known") {
    const auto grid = noise_prior(0, 30, 0.5);
    auto few = few_hypotheses(grid, true);
    CHECK(few.size() == 2);
    append(few, few_hypotheses(grid, false));
    CHECK(few.size() == 4);
    double weight = 0;
    double variance = 0;
    double expected = 0;
    double own = 0;
    for (const auto& hypothesis : few) {
        weight += hypothesis.weight;
        variance += hypothesis.weight * hypothesis.variance_factor;
        own += hypothesis.differs ? hypothesis.weight : 0;
    }
    for (const auto& hypothesis : grid) expected += hypothesis.weight * hypothesis.variance_factor;
    CHECK(weight == doctest::Approx(1));
    CHECK(variance == doctest::Approx(expected));
    CHECK(own == doctest::Approx(0.5));
    CHECK(few_hypotheses({{.variance_factor = 1, .weight = 0.05}, {.variance_factor = 1.4, .weight = 0.95}}, true).size() ==
          1);
}

TEST_CASE("a new run's interval holds most of thirty observed runs, however they scatter") {
    for (const double scatter : {0.03, 0.1, 0.2}) {
        CAPTURE(scatter);
        const level_prior prior(0.04);
        const auto runs = scattered_runs(30, 5.1, scatter, 7);
        const auto posterior = condition_with_noise(prior.components, prior.kernel, runs,
                                                    moments_of(prior.components, prior.kernel, runs), 0, 0.5);
        double weight = 0;
        double low = 0;
        double high = 0;
        for (const auto& component : posterior) {
            const double sd = std::sqrt(component.variance[0] + component.noise_factor * 9e-4);
            weight += component.weight;
            low += component.weight * (component.mean[0] - 1.645 * sd);
            high += component.weight * (component.mean[0] + 1.645 * sd);
        }
        CHECK(weight == doctest::Approx(1));
        const auto inside = std::count_if(runs.begin(), runs.end(),
                                          [&](const auto& run) { return run.log_runtime > low && run.log_runtime < high; });
        CHECK(inside >= 24);
        CHECK(inside < 30);
    }
}

TEST_CASE("repeated runs are counted by the variances of their medians") {
    const run_noise noise{.by_scale_out = {{.log_scale_out = 0, .pooled_variance = 0.01}}};
    history_data history;
    history.points = {{.scale_out = 1, .variance = 0.012}, {.scale_out = 1, .variance = 0.1}};
    CHECK(count_repeats(history, noise) == doctest::Approx(0));
    history.points.push_back({.scale_out = 1, .variance = 0.003});
    CHECK(count_repeats(history, noise) == doctest::Approx(3));
}

TEST_CASE(
    "a run in milliseconds is counted as improbable and moves the level little, a slow context's run does not count so") {
    const level_prior prior(0.04);
    auto runs = scattered_runs(1, 5, 0.03, 3);
    const auto level_after = [&](const std::vector<observation>& observed) {
        double mean = 0;
        for (const auto& component : condition(prior.components, prior.kernel, observed))
            mean += component.weight * component.mean[0];
        return mean;
    };
    runs[0].log_runtime = 5.6;
    CHECK(with_wide_improbable(runs, moments_of(prior.components, prior.kernel, runs)).improbable == 0);
    for (const double sign : {-1.0, 1.0}) {
        runs[0].log_runtime = 5 + sign * std::log(1000);
        const auto assessed = with_wide_improbable(runs, moments_of(prior.components, prior.kernel, runs));
        CHECK(assessed.improbable == 1);
        CHECK(std::abs(level_after(assessed.runs) - 5) < 0.05);
        CHECK(std::abs(level_after(runs) - 5) > 0.3);
    }
}

TEST_CASE("a wrong record among repeated runs counts as little, wherever it stands among them") {
    const level_prior prior(0.04);
    const auto usual = scattered_runs(3, 5.05, 0.03, 5);
    const auto interval_after = [&](std::vector<observation> observed) {
        const auto predicted = moments_of(prior.components, prior.kernel, observed);
        observed = with_wide_improbable(std::move(observed), predicted).runs;
        std::array<double, 2> moments{};
        for (const auto& component : condition_with_noise(prior.components, prior.kernel, observed, predicted, 20, 0.5)) {
            moments[0] += component.weight * component.mean[0];
            moments[1] += component.weight * component.noise_factor;
        }
        return moments;
    };
    const auto without = interval_after(usual);
    for (const double sign : {-1.0, 1.0})
        for (std::size_t place = 0; place <= usual.size(); ++place) {
            CAPTURE(sign);
            CAPTURE(place);
            auto runs = usual;
            runs.insert(runs.begin() + static_cast<std::ptrdiff_t>(place), usual[0]);
            runs[place].log_runtime = 5 + sign * std::log(1000);
            const auto after = interval_after(runs);
            CHECK(std::abs(after[0] - without[0]) < 0.03);
            CHECK(after[1] < 1.5 * without[1]);
        }
}
