#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/knots.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/made_up_quantiles.hpp"

using namespace bellamy::detail;
using support::median_index;

namespace {

void add_parabola(history_data& history, double curvature, const std::vector<double>& scale_outs) {
    history.contexts.push_back({.first = history.points.size(), .count = scale_outs.size()});
    for (const double x : scale_outs)
        history.points.push_back({.scale_out = x, .log_runtime = 3 - std::log(x) + curvature * std::log(x) * std::log(x)});
}

}  // namespace

TEST_CASE("curves bend by their second derivative over the logarithm, of which the median is taken") {
    history_data history;
    CHECK(typical_curvature(history) == 0);
    add_parabola(history, 7, {2, 5});
    CHECK(typical_curvature(history) == 0);
    // How far apart the scale-outs are does not matter.
    add_parabola(history, 0.1, {1, 2, 3, 8});
    add_parabola(history, -0.4, {2, 10, 11});
    add_parabola(history, 50, {3, 4, 9, 12});
    CHECK(typical_curvature(history) == doctest::Approx(0.4 / normal_quantile(0.75)));
    add_parabola(history, 0.2, {5, 6, 7, 8, 9});
    CHECK(typical_curvature(history) == doctest::Approx(0.2 / normal_quantile(0.75)));
}

TEST_CASE("a knot is interpolated where it is unknown and its nearest known neighbours are a factor of two apart at most") {
    random_generator random(1);
    for (int round = 0; round < 1000; ++round) {
        std::vector<int> knots;
        std::vector<int> seen;
        std::vector<int> observed;
        for (int x = 1; x <= 24; ++x) {
            if (random.below(3) == 0) continue;
            knots.push_back(x);
            if (random.below(4) == 0) seen.push_back(x);
            if (random.below(8) == 0) observed.push_back(x);
        }
        auto known = seen;
        known.insert(known.end(), observed.begin(), observed.end());
        const auto predicted = predicted_knots(knots, seen, observed);
        REQUIRE(std::ranges::is_sorted(predicted));
        for (std::size_t i = 0; i < knots.size(); ++i) {
            int below = 0;
            int above = 1000;
            bool is_known = false;
            for (const int x : known) {
                is_known = is_known || x == knots[i];
                if (x < knots[i]) below = (std::max)(below, x);
                if (x > knots[i]) above = (std::min)(above, x);
            }
            const bool interpolated = !is_known && below > 0 && above <= 2 * below;
            CHECK(std::ranges::binary_search(predicted, knots[i]) == !interpolated);
        }
    }
}

TEST_CASE("an interpolated knot has its neighbours' curve, wider by how much curves bend over that distance") {
    random_generator random(2);
    const std::vector<int> knots{1, 2, 3, 4, 5, 7, 9};
    const std::vector<bool> marked{false, true, false, true, true, false, false};
    const auto before = support::random_rows(knots.size(), random);
    for (const double curvature : {0.0, 0.8}) {
        CAPTURE(curvature);
        const std::vector<int> kept{1, 3, 7, 9};
        const std::vector<quantile_row> kept_rows{before[0], before[2], before[5], before[6]};
        const auto table = interpolated_table(knots, kept, kept_rows, curvature);
        const knot_table sure(kept, kept_rows);
        for (std::size_t i = 0; i < knots.size(); ++i) {
            CAPTURE(knots[i]);
            if (!marked[i]) {
                CHECK(table.at(knots[i]) == before[i]);
                continue;
            }
            const double below = knots[i] < 3 ? 1 : 3;
            const double above = knots[i] < 3 ? 3 : 7;
            const double deviation = curvature * std::log(knots[i] / below) * std::log(above / knots[i]);
            auto expected = sure.at(knots[i]);
            // Variances add: that of the curve, as far as a quantile tells, and that of the bend.
            for (std::size_t k = 0; k < expected.size(); ++k) {
                if (k == median_index) continue;
                const double own = (expected[k] - expected[median_index]) / standard_normal_quantiles[k];
                expected[k] =
                    expected[median_index] + standard_normal_quantiles[k] * std::sqrt(own * own + deviation * deviation);
            }
            CHECK(support::largest_difference(table.at(knots[i]), expected) < 1e-12);
        }
    }
}
