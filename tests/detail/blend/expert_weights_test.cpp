#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/expert_weights_fit.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "support/naive_algebra.hpp"

using namespace bellamy::detail;

namespace {

// Two experts of two components each.
std::vector<blend_component> two_experts() {
    return {{.expert = expert_kind::process_over_trend, .scale = 1},
            {.expert = expert_kind::process_over_trend, .scale = 2},
            {.expert = expert_kind::hierarchical_ernest, .scale = 1},
            {.expert = expert_kind::hierarchical_ernest, .scale = 2}};
}

// Rows of contexts under which the components have these densities, as logarithms.
matrix contexts(std::size_t count, const std::array<double, 4>& logs) {
    matrix made(count, logs.size());
    for (std::size_t h = 0; h < count; ++h) std::copy(logs.begin(), logs.end(), made.row(h));
    return made;
}

}  // namespace

TEST_CASE("an expert keeps its share of the prior however badly it fits the contexts of the history") {
    // Thirty contexts against a prior worth twenty, of which a quarter is hierarchical Ernest's.
    const auto weights = component_weights(contexts(30, {0, 0, -1000, -1000}), two_experts(), 1, 20);
    CHECK(weights[2] + weights[3] == doctest::Approx(5.0 / 50));
    CHECK(weights[0] + weights[1] == doctest::Approx(45.0 / 50));
}

TEST_CASE("an expert's own components share its weight by how well they fit, whatever other experts say") {
    const auto alone = component_weights(contexts(30, {0, -1000, 0, -1000}), two_experts(), 1, 20);
    // Half a context's worth of thirty-one.
    CHECK(alone[1] / (alone[0] + alone[1]) == doctest::Approx(0.5 / 31));
    const auto beside_better = component_weights(contexts(30, {-500, -1500, 0, -1000}), two_experts(), 1, 20);
    CHECK(beside_better[1] / (beside_better[0] + beside_better[1]) == doctest::Approx(0.5 / 31));
    CHECK(std::accumulate(beside_better.begin(), beside_better.end(), 0.0) == doctest::Approx(1));
}

TEST_CASE("without contexts to judge by, experts have their prior shares, and their components count alike") {
    const auto weights = component_weights(matrix(0, 4), two_experts(), 1, 20);
    for (const std::size_t process : {0U, 1U}) CHECK(weights[process] == doctest::Approx(0.375));
    for (const std::size_t ernest : {2U, 3U}) CHECK(weights[ernest] == doctest::Approx(0.125));
}

TEST_CASE("for a context unlike those learned from all experts count the same, their components as learned") {
    auto components = two_experts();
    const std::array learned{0.6, 0.2, 0.05, 0.15};
    for (std::size_t j = 0; j < components.size(); ++j) components[j].weight = learned[j];
    const auto even = evenly_weighted(components);
    CHECK(even[0].weight == doctest::Approx(0.375));
    CHECK(even[1].weight == doctest::Approx(0.125));
    CHECK(even[2].weight == doctest::Approx(0.125));
    CHECK(even[3].weight == doctest::Approx(0.375));
    // An expert that no weight was learned for does not count.
    components[2].weight = 0;
    components[3].weight = 0;
    CHECK(evenly_weighted(components)[0].weight == doctest::Approx(0.75));
    CHECK(evenly_weighted(components)[2].weight == 0);
}

TEST_CASE("a context's points have the density of a component's normal distribution, its noise included") {
    random_generator random(1);
    history_data history;
    history.points.resize(3);  // another context's
    history_context own{.first = 3, .count = 4};
    for (const double x : {2, 3, 8, 12})
        history.points.push_back({.scale_out = x, .log_runtime = 4 + random.normal(), .variance = 0.01 * random.uniform()});
    const expert_answer answer{.mean = {4.1, 3.9, 3.5, 3.4}, .covariance = support::random_covariance(4, 0.05, random)};
    for (const double deviation : {0.0, 0.3}) {
        CAPTURE(deviation);
        const blend_component component{.scale = 1.3, .deviation_sd = deviation};
        matrix covariance(4, 4);
        std::vector<double> residual;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto& point = history.points[3 + i];
            for (std::size_t j = 0; j < 4; ++j)
                covariance(i, j) =
                    1.3 * 1.3 * answer.covariance(i, j) +
                    deviation * deviation *
                        deviation_covariance(std::log(point.scale_out), std::log(history.points[3 + j].scale_out));
            covariance(i, i) += point.variance;
            residual.push_back(point.log_runtime - answer.mean[i]);
        }
        CHECK(log_density_of_points(history, own, component, answer) ==
              doctest::Approx(support::log_normal_density(residual, covariance)).epsilon(1e-9));
    }
    // What is no covariance explains nothing.
    auto broken = answer;
    broken.covariance = matrix(4, 4, -1);
    CHECK(log_density_of_points(history, own, {}, broken) < -1e5);
}

TEST_CASE("the weights of a mixture are where its likelihood with the prior is largest") {
    random_generator random(2);
    matrix logs(12, 3);
    for (double& each : logs.values()) each = -100 + 2 * random.normal();
    const std::vector<double> prior{0.5, 2, 1};
    const auto objective = [&](const std::vector<double>& weights) {
        double value = 0;
        for (std::size_t h = 0; h < logs.rows(); ++h) {
            double density = 0;
            for (std::size_t j = 0; j < 3; ++j) density += weights[j] * std::exp(logs(h, j) + 100);
            value += std::log(density);
        }
        for (std::size_t j = 0; j < 3; ++j) value += prior[j] * std::log(weights[j]);
        return value;
    };
    const auto found = mixture_weights(logs, prior);
    CHECK(std::accumulate(found.begin(), found.end(), 0.0) == doctest::Approx(1));
    const double best = objective(found);
    for (std::size_t from = 0; from < 3; ++from)
        for (std::size_t to = 0; to < 3; ++to) {
            if (from == to) continue;
            auto other = found;
            const double moved = 0.01 * found[from];
            other[from] -= moved;
            other[to] += moved;
            CHECK(objective(other) < best);
        }
    // A context that no component explains says nothing.
    matrix with_one_more(13, 3, -std::numeric_limits<double>::infinity());
    for (std::size_t h = 0; h < 12; ++h) std::copy_n(logs.row(h), 3, with_one_more.row(h));
    const auto same = mixture_weights(with_one_more, prior);
    for (std::size_t j = 0; j < 3; ++j) CHECK(same[j] == doctest::Approx(found[j]));
    // Without rounds, the prior.
    CHECK(mixture_weights(logs, prior, 0)[1] == doctest::Approx(2 / 3.5));
}
