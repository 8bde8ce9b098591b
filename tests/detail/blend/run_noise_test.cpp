#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>
#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/mixture.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"

using namespace bellamy::detail;

namespace {

struct parts {
    double straggler_probability = 0;
    double straggler_delay = 0;
    double wide_variance = 0;
    double narrow_variance = 0;
};

// Expectation maximisation with densities instead of their logarithms: pseudo-counts of the prior, 20 runs on the part of
// stragglers, 5 on their moments and 10 on the usual runs'.
parts naive_two_parts(const parts& prior, const std::vector<double>& deviations, int rounds) {
    parts now = prior;
    const auto density = [](double x, double variance) {
        return normal_density(x / std::sqrt(variance)) / std::sqrt(variance);
    };
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> shares;
        double stragglers = 0;
        for (const double d : deviations) {
            const double late = now.straggler_probability * density(d - now.straggler_delay, now.wide_variance);
            shares.push_back(late / (late + (1 - now.straggler_probability) * density(d, now.narrow_variance)));
            stragglers += shares.back();
        }
        parts next{.straggler_probability = 20 * prior.straggler_probability,
                   .straggler_delay = 5 * prior.straggler_delay,
                   .wide_variance = 5 * prior.wide_variance,
                   .narrow_variance = 10 * prior.narrow_variance};
        for (std::size_t i = 0; i < deviations.size(); ++i) {
            next.straggler_probability += shares[i];
            next.straggler_delay += shares[i] * deviations[i];
            next.wide_variance += shares[i] * (deviations[i] - now.straggler_delay) * (deviations[i] - now.straggler_delay);
            next.narrow_variance += (1 - shares[i]) * deviations[i] * deviations[i];
        }
        const auto count = static_cast<double>(deviations.size());
        next.straggler_probability /= count + 20;
        next.straggler_delay /= stragglers + 5;
        next.wide_variance /= stragglers + 5;
        next.narrow_variance = (std::max)(next.narrow_variance / (count - stragglers + 10), 0.008 * 0.008);
        now = next;
    }
    return now;
}

// Before any run: 4 % stragglers of 0.4, give or take 0.26; the usual runs' variance is that of the negative deviations with
// two pseudo-counts of 3 % squared.
parts naive_prior(const std::vector<double>& deviations) {
    double sum = 2 * 9e-4;
    double count = 2;
    std::vector<double> squares;
    for (const double d : deviations)
        if (d < 0) squares.push_back(d * d);
    std::sort(squares.begin(), squares.end());
    // Of up to 24 none is dropped, and one in fifty of more.
    const auto kept = static_cast<std::size_t>(std::floor(0.98 * static_cast<double>(squares.size()) + 0.5));
    for (std::size_t i = 0; i < kept; ++i, count += 1) sum += squares[i];
    return {.straggler_probability = 0.04,
            .straggler_delay = 0.4,
            .wide_variance = 0.07,
            .narrow_variance = (std::max)(sum / count, 0.008 * 0.008)};
}

scale_out_noise fitted(const std::vector<double>& deviations) {
    return with_components(prior_components(0.001, deviations), deviations);
}

std::vector<double> drawn(std::size_t count, const parts& from, random_generator& random) {
    std::vector<double> made;
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(random.uniform() < from.straggler_probability
                           ? from.straggler_delay + std::sqrt(from.wide_variance) * random.normal()
                           : std::sqrt(from.narrow_variance) * random.normal());
    return made;
}

configuration runs_at(int scale_out, std::vector<double> log_runtimes, std::vector<bool> censored = {}) {
    configuration made{.scale_out = scale_out, .log_runtimes = std::move(log_runtimes)};
    made.weights.assign(made.log_runtimes.size(), 1.0);
    made.censored = censored.empty() ? std::vector<bool>(made.log_runtimes.size(), false) : std::move(censored);
    return made;
}

void check_close(double found, double expected, double tolerance) {
    CHECK(support::relative_difference(found, expected) <= tolerance);
}

}  // namespace

TEST_CASE("the noise asked for is that of the nearest scale-out, or the usual one where nothing was learned") {
    run_noise noise;
    CHECK(&noise.nearest(1) == &prior_noise);
    for (const double t : {0.0, 1.0, 3.0}) noise.by_scale_out.push_back({.log_scale_out = t});
    CHECK(noise.nearest(-5).log_scale_out == 0);
    CHECK(noise.nearest(0.4).log_scale_out == 0);
    CHECK(noise.nearest(0.5).log_scale_out == 0);
    CHECK(noise.nearest(0.6).log_scale_out == 1);
    CHECK(noise.nearest(2.1).log_scale_out == 3);
    CHECK(noise.nearest(50).log_scale_out == 3);
}

TEST_CASE("of squares the largest twentieth does not count for the mean") {
    CHECK(squared({-3, 2, 0}) == std::vector<double>{9, 4, 0});
    std::vector<double> squares(40, 2.0);
    squares[3] = squares[20] = 1000;
    CHECK(trimmed_mean(squares) == 2);
    squares[5] = 40;
    CHECK(trimmed_mean(squares) == doctest::Approx(3));
    CHECK(trimmed_mean({7}) == 7);
    CHECK(trimmed_mean({7, 9}) == 8);
}

TEST_CASE("usual runs and stragglers are told apart as expectation maximisation does it") {
    random_generator random(1);
    for (const std::size_t count : {0U, 1U, 4U, 30U, 500U}) {
        CAPTURE(count);
        const auto deviations = drawn(
            count, {.straggler_probability = 0.1, .straggler_delay = 0.5, .wide_variance = 0.05, .narrow_variance = 0.001},
            random);
        const auto expected = naive_two_parts(naive_prior(deviations), deviations, 50);
        const auto found = fitted(deviations);
        check_close(found.straggler_probability, expected.straggler_probability, 1e-9);
        check_close(found.straggler_delay, expected.straggler_delay, 1e-9);
        check_close(found.wide_variance, expected.wide_variance, 1e-9);
        check_close(found.narrow_variance, expected.narrow_variance, 1e-9);
    }
}

TEST_CASE("from many runs both parts of the noise are found") {
    random_generator random(2);
    const parts truth{.straggler_probability = 0.1, .straggler_delay = 0.6, .wide_variance = 0.09, .narrow_variance = 4e-4};
    auto found = fitted(drawn(20'000, truth, random));
    check_close(found.straggler_probability, truth.straggler_probability, 0.03);
    check_close(found.straggler_delay, truth.straggler_delay, 0.03);
    check_close(found.wide_variance, truth.wide_variance, 0.05);
    check_close(found.narrow_variance, truth.narrow_variance, 0.03);
    // Nobody can measure less than what clocks tell.
    found = fitted(std::vector<double>(1000, 0.0));
    CHECK(found.narrow_variance == least_noise_variance);
}

TEST_CASE("noise is learned from repeated runs around their medians, a rarely repeated scale-out's from the others' too") {
    history_view history;
    history.configurations = {runs_at(4, {1.0, 1.1, 0.9, 1.05}), runs_at(4, {2.0, 2.3}), runs_at(8, {3.0, 3.02, 3.5}),
                              // What is not repeated tells nothing, nor what was mostly killed.
                              runs_at(8, {7.0}), runs_at(2, {5.0}),
                              runs_at(8, {1.0, 1.5, 2.0, 2.0, 2.0}, {false, false, true, true, true}),
                              // A killed run moves the median, and has no deviation.
                              runs_at(4, {4.0, 4.2, 4.4, 4.1}, {false, false, false, true})};
    const auto noise = fit_run_noise(history);
    REQUIRE(noise.by_scale_out.size() == 3);
    // Deviations of r runs from their own median are too small by r / (r - 1) in square.
    const auto deviations = [](const std::vector<double>& runs, double median) {
        std::vector<double> made;
        for (const double each : runs)
            made.push_back(std::sqrt(static_cast<double>(runs.size()) / static_cast<double>(runs.size() - 1)) *
                           (each - median));
        return made;
    };
    std::vector<double> four = deviations({1.0, 1.1, 0.9, 1.05}, 1.025);
    for (const double each : deviations({2.0, 2.3}, 2.15)) four.push_back(each);
    for (const double each : deviations({4.0, 4.2, 4.4}, 4.2)) four.push_back(each);
    const auto eight = deviations({3.0, 3.02, 3.5}, 3.02);
    auto all = four;
    all.insert(all.end(), eight.begin(), eight.end());
    const auto mean_without_largest = [](std::vector<double> values, std::size_t dropped) {
        for (double& each : values) each *= each;
        std::sort(values.begin(), values.end());
        double sum = 0;
        for (std::size_t i = 0; i + dropped < values.size(); ++i) sum += values[i];
        return sum / static_cast<double>(values.size() - dropped);
    };
    // One of twelve is the largest twentieth of them.
    const double pooled = (12 * mean_without_largest(all, 1) + 5 * 9e-4) / 17;
    const std::array expected{pooled, (9 * mean_without_largest(four, 0) + 2 * pooled) / 11,
                              (3 * mean_without_largest(eight, 0) + 2 * pooled) / 5};
    const auto common = naive_two_parts(naive_prior(all), all, 50);
    const std::array<std::vector<double>, 3> of{std::vector<double>{}, four, eight};
    const std::array scale_outs{2.0, 4.0, 8.0};
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        CHECK(noise.by_scale_out[i].log_scale_out == doctest::Approx(std::log(scale_outs[i])));
        check_close(noise.by_scale_out[i].pooled_variance, expected[i], 1e-9);
        const auto split = naive_two_parts(common, of[i], 50);
        check_close(noise.by_scale_out[i].narrow_variance, split.narrow_variance, 1e-9);
        check_close(noise.by_scale_out[i].wide_variance, split.wide_variance, 1e-9);
        check_close(noise.by_scale_out[i].straggler_probability, split.straggler_probability, 1e-9);
        check_close(noise.by_scale_out[i].straggler_delay, split.straggler_delay, 1e-9);
    }
}

TEST_CASE("the scatter of usual runs is found, however large, where runs were repeated once or more") {
    random_generator random(3);
    for (const std::size_t runs : {2U, 5U})
        for (const double scatter : {0.03, 0.12, 0.3}) {
            CAPTURE(runs);
            CAPTURE(scatter);
            history_view history;
            for (int i = 0; i < 200; ++i) {
                std::vector<double> log_runtimes;
                for (std::size_t r = 0; r < runs; ++r) log_runtimes.push_back(scatter * random.normal());
                history.configurations.push_back(runs_at(4, std::move(log_runtimes)));
            }
            const auto noise = fit_run_noise(history);
            check_close(std::sqrt(noise.by_scale_out[0].narrow_variance), scatter, 0.1);
        }
}

TEST_CASE("where nothing was repeated the pooled noise is the usual one, and never below what clocks tell") {
    history_view once;
    once.configurations = {runs_at(4, {1.0}), runs_at(8, {2.0})};
    for (const auto& each : fit_run_noise(once).by_scale_out)
        check_close(each.pooled_variance, prior_noise.pooled_variance, 1e-12);
    history_view exact;
    exact.configurations = {runs_at(4, std::vector<double>(500, 1.0))};
    CHECK(fit_run_noise(exact).by_scale_out[0].pooled_variance == least_noise_variance);
    CHECK(fit_run_noise({}).by_scale_out.empty());
}

TEST_CASE("a median's variance is one and a half of a mean's, from its own deviations and the pooled ones") {
    const scale_out_noise noise{.pooled_variance = 0.01};
    // Deviations as they are expected: nothing to shrink.
    for (const double r : {1.0, 4.0, 20.0})
        check_close(median_variance({.repetitions = r, .squares = 0.01 * r}, noise), 1.5 * 0.01 / r, 1e-12);
    // Half of the weight is the pooled variance's at four runs.
    check_close(median_variance({.repetitions = 4, .squares = 0}, noise), 1.5 * 0.005 / 4, 1e-12);
    CHECK(median_variance({.repetitions = 4, .squares = 0, .only_censored = true}, noise) == beyond_bound_variance);
    CHECK(std::isfinite(median_variance({.repetitions = 0, .squares = 0}, noise)));
}
