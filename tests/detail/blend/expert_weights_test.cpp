#include <bellamy/detail/blend/expert_weights.hpp>

#include <doctest/doctest.h>

#include "support/two_experts.hpp"

using namespace bellamy::detail;

TEST_CASE("for a context unlike those learned from all experts count the same, their components as learned") {
    auto components = support::two_experts();
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
