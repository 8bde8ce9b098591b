#include <bellamy/detail/blend/expert_weights.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace bellamy::detail;

namespace {

// Two experts of two components each.
std::vector<blend_component> two_experts() {
    return {{.expert = expert_kind::process_marginal, .scale = 1},
            {.expert = expert_kind::process_marginal, .scale = 2},
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
    // Thirty contexts against a prior worth twenty, half of which is each expert's.
    const auto weights = component_weights(contexts(30, {0, 0, -1000, -1000}), two_experts(), 1, 20);
    CHECK(weights[2] + weights[3] == doctest::Approx(10.0 / 50));
    CHECK(weights[0] + weights[1] == doctest::Approx(40.0 / 50));
}

TEST_CASE("an expert's own components share its weight by how well they fit, whatever other experts say") {
    const auto alone = component_weights(contexts(30, {0, -1000, 0, -1000}), two_experts(), 1, 20);
    // Half a context's worth of thirty-one.
    CHECK(alone[1] / (alone[0] + alone[1]) == doctest::Approx(0.5 / 31));
    const auto beside_better = component_weights(contexts(30, {-500, -1500, 0, -1000}), two_experts(), 1, 20);
    CHECK(beside_better[1] / (beside_better[0] + beside_better[1]) == doctest::Approx(0.5 / 31));
    CHECK(std::accumulate(beside_better.begin(), beside_better.end(), 0.0) == doctest::Approx(1));
}

TEST_CASE("without contexts to judge by all components count alike") {
    for (const double weight : component_weights(matrix(0, 4), two_experts(), 1, 20)) CHECK(weight == doctest::Approx(0.25));
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
