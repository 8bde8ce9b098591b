#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/mixture_weights.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace bellamy::detail;

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
    // Without observations, the prior.
    CHECK(mixture_weights(matrix(0, 3), prior)[1] == doctest::Approx(2 / 3.5));
}
