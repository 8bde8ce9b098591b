#include <bellamy/detail/network/parameters.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

TEST_CASE("fresh weights have deviation 0.75 by the root of the layer's inputs and biases are zero") {
    detail::random_generator random(1);
    // Thirty networks, so that the smallest layer has enough weights to tell.
    struct sums {
        double squares = 0, count = 0;
        std::size_t inputs = 0;
    };
    std::vector<sums> blocks;
    for (int i = 0; i < 30; ++i) {
        const auto fresh = detail::random_network<double, dimensions{}>(5, random);
        std::size_t at = 0;
        network<double>::for_each_block(fresh, [&](auto block, std::size_t inputs) {
            if (at == blocks.size()) blocks.emplace_back();
            auto& each = blocks[at++];
            each.inputs = inputs;
            for (const double value : block) each.squares += value * value;
            each.count += static_cast<double>(block.size());
        });
    }
    std::vector<std::size_t> inputs;
    for (const auto& each : blocks) {
        inputs.push_back(each.inputs);
        const double expected = each.inputs == 0 ? 0 : 0.75 / std::sqrt(static_cast<double>(each.inputs));
        // Four standard errors of a deviation estimated from n numbers: 4 / sqrt(2 n).
        CHECK(std::sqrt(each.squares / each.count) == doctest::Approx(expected).epsilon(4 / std::sqrt(2 * each.count)));
    }
    // Two blocks make up the head's first layer: it has 8 + 5 * 4 + 4 inputs.
    CHECK(inputs == std::vector<std::size_t>{3, 0, 16, 0, 40, 8, 4, 8, 32, 32, 0, 8, 0});
}
