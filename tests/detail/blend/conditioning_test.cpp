#include <bellamy/detail/blend/conditioning.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <set>
#include <tuple>

#include "support/compare.hpp"
#include "support/naive_algebra.hpp"

using namespace bellamy::detail;

namespace {

// One component of the mixture, with its whole covariance.
struct naive_component {
    double log_weight = 0;
    std::vector<double> mean{};
    matrix covariance{};
};

// Two random experts, each with and without the deviation kernel.
struct prior_mixture {
    matrix kernel;
    std::vector<expert_answer> answers{};
    std::vector<prior_component> components{};

    explicit prior_mixture(random_generator& random, const std::vector<double>& log_scale_outs = {0.7, 1.4, 1.9, 2.5})
        : kernel(deviation_kernel(log_scale_outs)) {
        for (int expert = 0; expert < 2; ++expert) {
            expert_answer answer;
            for (std::size_t i = 0; i < log_scale_outs.size(); ++i)
                answer.mean.push_back(5 - log_scale_outs[i] + 0.3 * random.normal());
            answer.covariance = support::random_covariance(log_scale_outs.size(), 0.05, random);
            for (double& each : answer.covariance.values()) each *= 0.1;
            answers.push_back(std::move(answer));
        }
        for (const auto& answer : answers)
            for (const double size : {0.0, 0.2})
                components.push_back({.prediction = &answer,
                                      .scale = 0.5 + random.uniform(),
                                      .deviation_sd = size,
                                      .level_variance = size == 0 ? 0.03 : 0,
                                      .log_weight = std::log(0.1 + random.uniform())});
    }
    prior_mixture(const prior_mixture&) = delete;
    prior_mixture& operator=(const prior_mixture&) = delete;
};

std::vector<observation> observations(std::size_t count, std::size_t scale_outs, random_generator& random) {
    std::vector<observation> made;
    for (std::size_t i = 0; i < count; ++i) {
        const double narrow = 1e-3 + 0.01 * random.uniform();
        made.push_back({.knot = random.below(scale_outs),
                        .log_runtime = 4 + 0.5 * random.normal(),
                        .narrow_variance = narrow,
                        .wide_variance = 2 * narrow + 0.2 * random.uniform(),
                        .straggler_probability = 0.02 + 0.5 * random.uniform(),
                        .straggler_delay = 0.4 * random.uniform()});
    }
    return made;
}

matrix covariance_of(const prior_component& prior, const matrix& kernel) {
    matrix made = prior.prediction->covariance;
    for (std::size_t i = 0; i < made.rows(); ++i)
        for (std::size_t j = 0; j < made.rows(); ++j)
            made(i, j) = prior.scale * prior.scale * made(i, j) + prior.deviation_sd * prior.deviation_sd * kernel(i, j) +
                         prior.level_variance;
    return made;
}

// The normal distribution of one prior, where the runs in `stragglers` (bits) are stragglers.
naive_component naive_posterior(const prior_component& prior, const matrix& kernel, const std::vector<observation>& runs,
                                unsigned stragglers) {
    const std::size_t k = runs.size();
    const std::size_t q = prior.prediction->mean.size();
    naive_component made{
        .log_weight = prior.log_weight, .mean = prior.prediction->mean, .covariance = covariance_of(prior, kernel)};
    const matrix before = made.covariance;
    matrix seen(k, k);
    std::vector<double> residual(k);
    for (std::size_t i = 0; i < k; ++i) {
        const bool straggler = (stragglers >> i & 1U) != 0;
        for (std::size_t j = 0; j < k; ++j) seen(i, j) = before(runs[i].knot, runs[j].knot);
        seen(i, i) += straggler ? runs[i].wide_variance : runs[i].narrow_variance;
        residual[i] = runs[i].log_runtime - (straggler ? runs[i].straggler_delay : 0) - made.mean[runs[i].knot];
        made.log_weight += std::log(straggler ? runs[i].straggler_probability : 1 - runs[i].straggler_probability);
    }
    made.log_weight += support::log_normal_density(residual, seen);
    const auto inverse = support::invert(seen).inverse;
    for (std::size_t a = 0; a < q; ++a)
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) {
                made.mean[a] += before(a, runs[i].knot) * inverse(i, j) * residual[j];
                for (std::size_t b = 0; b < q; ++b)
                    made.covariance(a, b) -= before(a, runs[i].knot) * inverse(i, j) * before(runs[j].knot, b);
            }
    return made;
}

// All priors with all masks of at most `most` stragglers, the likeliest first; between priors the evidence counts a third.
std::vector<naive_component> naive_mixture(const prior_mixture& priors, const std::vector<observation>& runs, int most) {
    std::vector<naive_component> made;
    for (const auto& prior : priors.components) {
        const std::size_t first = made.size();
        double joint = 0;
        for (unsigned mask = 0; mask < 1U << runs.size(); ++mask) {
            if (std::popcount(mask) > most) continue;
            made.push_back(naive_posterior(prior, priors.kernel, runs, mask));
            joint += std::exp(made.back().log_weight);
        }
        const double evidence = joint / std::exp(prior.log_weight);
        for (std::size_t i = first; i < made.size(); ++i) made[i].log_weight -= std::log(evidence) * 2 / 3;
    }
    std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.log_weight > b.log_weight; });
    return made;
}

double log_sum_of(const std::vector<naive_component>& mixture) {
    double sum = 0;
    for (const auto& each : mixture) sum += std::exp(each.log_weight - mixture.front().log_weight);
    return mixture.front().log_weight + std::log(sum);
}

// The likeliest components that together have a weight of `enough`.
void keep_likeliest(std::vector<naive_component>& mixture, double enough) {
    const double total = log_sum_of(mixture);
    double covered = 0;
    std::size_t kept = 0;
    while (covered < enough) covered += std::exp(mixture[kept++].log_weight - total);
    mixture.resize(kept);
}

struct bounded_moments {
    double probability = 0;
    double mean = 0;
    double variance = 0;
};

// Moments of a normal number given that a run of it takes longer than the bound, by summing over a grid.
bounded_moments bounded_on_a_grid(const observation& bound, double mean, double variance) {
    constexpr int steps = 20'000;
    const double deviation = std::sqrt(variance);
    double sum = 0;
    double first = 0;
    double second = 0;
    double prior = 0;
    for (int i = -steps; i <= steps; ++i) {
        const double z = 10.0 * i / steps;
        const double x = mean + deviation * z;
        const double density = std::exp(-0.5 * z * z);
        const double usual = 0.5 * std::erfc((bound.log_runtime - x) / std::sqrt(2 * bound.narrow_variance));
        const double late =
            0.5 * std::erfc((bound.log_runtime - x - bound.straggler_delay) / std::sqrt(2 * bound.wide_variance));
        const double weight = density * ((1 - bound.straggler_probability) * usual + bound.straggler_probability * late);
        prior += density;
        sum += weight;
        first += weight * x;
        second += weight * (x - mean) * (x - mean);
    }
    const double shift = first / sum - mean;
    return {.probability = sum / prior, .mean = first / sum, .variance = second / sum - shift * shift};
}

// Assumed density filtering, with whole covariances.
void take_in(naive_component& component, const observation& bound) {
    const std::size_t q = component.mean.size();
    const matrix before = component.covariance;
    const double variance = before(bound.knot, bound.knot);
    const double mean = component.mean[bound.knot];
    const auto after = bounded_on_a_grid(bound, mean, variance);
    component.log_weight += std::log(after.probability);
    for (std::size_t i = 0; i < q; ++i) {
        const double gain = before(i, bound.knot) / variance;
        component.mean[i] += gain * (after.mean - mean);
        for (std::size_t j = 0; j < q; ++j)
            component.covariance(i, j) += gain * before(bound.knot, j) / variance * (after.variance - variance);
    }
}

// Components at the end of one list alone have to be of no weight.
void check_same_mixture(const std::vector<posterior_component>& found, const std::vector<naive_component>& expected,
                        double tolerance) {
    const double total = log_sum_of(expected);
    const std::size_t both = (std::min)(found.size(), expected.size());
    double found_weight = 0;
    double expected_weight = 0;
    for (std::size_t c = 0; c < both; ++c) {
        const double weight = std::exp(expected[c].log_weight - total);
        CHECK(std::abs(found[c].weight - weight) < tolerance);
        CHECK(support::largest_difference(found[c].mean, expected[c].mean) < tolerance);
        std::vector<double> variances;
        for (std::size_t i = 0; i < expected[c].mean.size(); ++i) variances.push_back(expected[c].covariance(i, i));
        CHECK(support::largest_difference(found[c].variance, variances) < tolerance);
        found_weight += found[c].weight;
        expected_weight += weight;
    }
    CHECK(std::abs(found_weight - 1) < tolerance);
    CHECK(std::abs(expected_weight - 1) < tolerance);
}

}  // namespace

TEST_CASE("conditioning on runs gives the normal mixture over all sets of up to three stragglers") {
    random_generator random(1);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        const prior_mixture priors(random);
        const auto runs = observations(random.below(6), 4, random);
        auto expected = naive_mixture(priors, runs, 3);
        keep_likeliest(expected, runs.empty() ? 0.999 : 0.997);
        const auto found = condition(priors.components, priors.kernel, runs, 1000);
        check_same_mixture(found, expected, 1e-8);
    }
}

TEST_CASE("of ten runs at different scale-outs at most three are taken for stragglers at once") {
    random_generator random(2);
    const prior_mixture priors(random, {1, 2, 3, 4, 5});
    auto runs = observations(10, 5, random);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].knot = i / 2;
    auto expected = naive_mixture(priors, runs, 3);
    keep_likeliest(expected, 0.997);
    check_same_mixture(condition(priors.components, priors.kernel, runs, 10'000), expected, 1e-6);
}

TEST_CASE("a bound is taken in with the moments of the normal distribution cut off by a noisy run") {
    random_generator random(3);
    for (int round = 0; round < 50; ++round) {
        CAPTURE(round);
        auto bound = observations(1, 1, random).front();
        const double mean = 4 + random.normal();
        const double variance = 0.05 + 0.5 * random.uniform();
        const auto expected = bounded_on_a_grid(bound, mean, variance);
        const auto found = censored_update(bound, mean, variance);
        CHECK(found.log_evidence == doctest::Approx(std::log(expected.probability)).epsilon(1e-6));
        CHECK(mean + variance * found.mean_gain == doctest::Approx(expected.mean).epsilon(1e-6));
        CHECK(variance + variance * variance * found.variance_gain == doctest::Approx(expected.variance).epsilon(1e-4));
    }
}

TEST_CASE("a bound far above all that was expected leaves a thousandth of the variance at least") {
    const observation bound{.knot = 0,
                            .log_runtime = 60,
                            .narrow_variance = 1e-8,
                            .wide_variance = 1e-8,
                            .straggler_probability = 0.04,
                            .straggler_delay = 0};
    const auto found = censored_update(bound, 4, 1);
    CHECK(4 + found.mean_gain == doctest::Approx(60).epsilon(1e-3));
    CHECK(1 + found.variance_gain == doctest::Approx(1e-3));
    CHECK(std::isfinite(found.log_evidence));
}

TEST_CASE("one bound beside some runs changes every scale-out as the grid says") {
    random_generator random(4);
    for (int round = 0; round < 6; ++round) {
        CAPTURE(round);
        const prior_mixture priors(random);
        const auto ended = observations(random.below(4), 4, random);
        auto bound = observations(1, 4, random).front();
        bound.censored = true;
        auto expected = naive_mixture(priors, ended, 9);
        keep_likeliest(expected, 1 - 1e-6);
        for (auto& each : expected) take_in(each, bound);
        auto runs = ended;
        runs.insert(runs.begin() + static_cast<std::ptrdiff_t>(ended.size() / 2), bound);
        check_same_mixture(condition(priors.components, priors.kernel, runs, 1000), expected, 1e-5);
    }
}

TEST_CASE("several bounds are taken in one after the other, each moving what the next one meets") {
    random_generator random(5);
    for (int round = 0; round < 4; ++round) {
        CAPTURE(round);
        const prior_mixture priors(random);
        auto runs = observations(5, 4, random);
        for (std::size_t i = 0; i < 3; ++i) runs[i].censored = true;
        auto expected = naive_mixture(priors, {runs[3], runs[4]}, 9);
        keep_likeliest(expected, 1 - 1e-6);
        for (auto& each : expected)
            for (std::size_t i = 0; i < 3; ++i) take_in(each, runs[i]);
        check_same_mixture(condition(priors.components, priors.kernel, runs, 1000), expected, 1e-5);
    }
}

TEST_CASE("no more components are kept than asked for, the likeliest ones") {
    random_generator random(6);
    const prior_mixture priors(random);
    const auto runs = observations(4, 4, random);
    auto expected = naive_mixture(priors, runs, 3);
    expected.resize(3);
    check_same_mixture(condition(priors.components, priors.kernel, runs, 3), expected, 1e-8);
}

TEST_CASE("a prior whose covariance is none is left out") {
    random_generator random(7);
    prior_mixture priors(random);
    const auto runs = observations(2, 4, random);
    expert_answer broken = priors.answers[0];
    for (double& each : broken.covariance.values()) each = -1;
    auto with_broken = priors.components;
    with_broken.insert(with_broken.begin(), {.prediction = &broken, .log_weight = 3});
    const auto found = condition(with_broken, priors.kernel, runs);
    const auto expected = condition(priors.components, priors.kernel, runs);
    REQUIRE(found.size() == expected.size());
    for (std::size_t c = 0; c < found.size(); ++c) CHECK(found[c].weight == expected[c].weight);
}

TEST_CASE("runs whose stragglers are certain, impossible or narrower than usual runs are conditioned on all the same") {
    random_generator random(8);
    const prior_mixture priors(random);
    for (const double certain : {0.0, 1.0}) {
        auto runs = observations(3, 4, random);
        for (auto& each : runs) {
            each.straggler_probability = certain;
            each.wide_variance = 0.5 * each.narrow_variance;
        }
        auto taken = runs;
        for (auto& each : taken) {
            each.straggler_probability = std::abs(certain - 1e-9);
            each.wide_variance = 1.01 * each.narrow_variance;
        }
        auto expected = naive_mixture(priors, taken, 9);
        keep_likeliest(expected, 0.997);
        check_same_mixture(condition(priors.components, priors.kernel, runs, 1000), expected, 1e-6);
    }
}

TEST_CASE("at most three runs, or half of them, are stragglers, and fewer where 256 sets have no room, small sets first") {
    for (std::size_t count = 0; count <= 20; ++count) {
        CAPTURE(count);
        std::vector<std::size_t> of_size(count + 1);
        for (unsigned mask = 0; mask < 1U << count; ++mask) ++of_size[static_cast<std::size_t>(std::popcount(mask))];
        std::size_t expected = 0;
        for (std::size_t size = 0; size <= (std::min)(count, (std::max)(count / 2, std::size_t{3})); ++size) {
            if (expected + of_size[size] > 256) break;
            expected += of_size[size];
        }
        const auto masks = straggler_sets(count);
        CHECK(masks.size() == expected);
        std::set<std::vector<std::uint16_t>> distinct;
        for (std::size_t i = 0; i < masks.size(); ++i) {
            CHECK(std::is_sorted(masks[i].begin(), masks[i].end()));
            CHECK(std::adjacent_find(masks[i].begin(), masks[i].end()) == masks[i].end());
            for (const auto run : masks[i]) CHECK(run < count);
            if (i > 0) CHECK(masks[i - 1].size() <= masks[i].size());
            distinct.insert({masks[i].begin(), masks[i].end()});
        }
        CHECK(distinct.size() == masks.size());
    }
}

TEST_CASE("up to nine runs stay as they are") {
    std::vector<observation> runs(9, {.knot = 1, .log_runtime = 2, .narrow_variance = 0.01, .wide_variance = 0.1});
    runs[8].knot = 0;
    const auto merged = merge_observations(runs);
    REQUIRE(merged.size() == 9);
    CHECK(merged[0].knot == 1);
    CHECK(merged[8].knot == 0);
}

TEST_CASE("of more than nine runs, three at one scale-out become their centre, two stay, and of bounds the largest does") {
    const auto at = [](std::size_t scale_out, double log_runtime, bool censored = false) {
        return observation{.knot = scale_out,
                           .log_runtime = log_runtime,
                           .narrow_variance = 0.01,
                           .wide_variance = 0.2,
                           .straggler_probability = 0.1,
                           .straggler_delay = 0.3,
                           .censored = censored};
    };
    const auto merged = merge_observations({at(3, 1.0), at(0, 9.0, true), at(3, 1.1), at(1, 7.0), at(2, 5.0), at(0, 8.0),
                                            at(2, 5.5), at(0, 9.5, true), at(0, 9.2, true), at(3, 3.0), at(3, 2.0, true)});
    std::vector<std::tuple<std::size_t, double, bool>> found;
    // The run of 3.0 is a straggler.
    CHECK(merged.back().log_runtime == doctest::Approx(1.05).epsilon(0.05));
    for (const auto& each : merged)
        found.emplace_back(each.knot, each.knot == 3 && !each.censored ? 1.05 : each.log_runtime, each.censored);
    CHECK(found == std::vector<std::tuple<std::size_t, double, bool>>{{0, 9.5, true},
                                                                      {0, 8.0, false},
                                                                      {1, 7.0, false},
                                                                      {2, 5.0, false},
                                                                      {2, 5.5, false},
                                                                      {3, 2.0, true},
                                                                      {3, 1.05, false}});
    for (const auto& each : merged) {
        // Two of three runs have to be stragglers for their centre to be one.
        CHECK(each.straggler_probability == doctest::Approx(each.knot == 3 && !each.censored ? 0.01 : 0.1));
        CHECK(each.straggler_delay == 0.3);
    }
}

TEST_CASE("merged runs are as likely at any centre near them as the runs are, stragglers among them or not") {
    for (const std::size_t stragglers : {0U, 1U, 3U}) {
        CAPTURE(stragglers);
        random_generator random(stragglers + 1);
        std::vector<observation> runs;
        for (std::size_t i = 0; i < 12; ++i)
            runs.push_back({.log_runtime = 2 + 0.05 * random.normal() + (i < stragglers ? 0.8 : 0.0),
                            .narrow_variance = 0.0025,
                            .wide_variance = 0.07,
                            .straggler_probability = 0.04,
                            .straggler_delay = 0.6});
        const auto merged = merged_runs(runs);
        CHECK(merged.run.straggler_probability == doctest::Approx(std::pow(0.04, 6.5)));
        const auto log_normal = [](double deviation, double variance) {
            return -0.5 * std::log(2 * std::acos(-1.0) * variance) - 0.5 * deviation * deviation / variance;
        };
        const double sd = std::sqrt(merged.run.narrow_variance);
        for (const double deviate : {-1.0, 0.0, 1.0}) {
            const double centre = merged.run.log_runtime + deviate * sd;
            double expected = 0;
            for (const auto& run : runs) {
                const double deviation = run.log_runtime - centre;
                expected += std::log(0.96 * std::exp(log_normal(deviation, 0.0025)) +
                                     0.04 * std::exp(log_normal(deviation - 0.6, 0.07)));
            }
            const double found = merged.log_density + log_normal(deviate * sd, merged.run.narrow_variance);
            CHECK(std::abs(found - expected) < 0.05);
        }
    }
}

TEST_CASE("the deviation kernel is a level and a shape of half its weight") {
    const std::vector<double> log_scale_outs{0.1, 0.7, 2.5};
    const auto kernel = deviation_kernel(log_scale_outs);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const double r = std::sqrt(5.0) * std::abs(log_scale_outs[i] - log_scale_outs[j]) / 0.5;
            CHECK(kernel(i, j) == doctest::Approx(2.0 / 3 + (1 + r + r * r / 3) * std::exp(-r) / 3));
        }
}
