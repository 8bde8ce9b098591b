#include <bellamy/detail/blend/knots.hpp>

#include <doctest/doctest.h>

#include <set>

#include "support/compare.hpp"
#include "support/made_up_quantiles.hpp"

using namespace bellamy::detail;
using support::median_index;
using support::random_rows;

namespace {

std::vector<int> random_scale_outs(std::size_t most, int largest, random_generator& random) {
    std::vector<int> made;
    const std::size_t count = random.below(most + 1);
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(static_cast<int>(1 + random.below(static_cast<std::size_t>(largest))));
    return made;
}

bool contains(const std::vector<int>& list, int x) { return std::find(list.begin(), list.end(), x) != list.end(); }

std::vector<int> ascending(std::size_t count, random_generator& random) {
    std::vector<int> made;
    int x = 0;
    for (std::size_t i = 0; i < count; ++i) made.push_back(x += static_cast<int>(1 + random.below(5)));
    return made;
}

// Hermite's cubic with the slopes of Fritsch and Carlson's monotone interpolation (as in Fritsch and Butland 1984).
double naive_median(const std::vector<int>& knots, const std::vector<quantile_row>& rows, double scale_out) {
    const std::size_t n = knots.size();
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(std::log(knots[i]));
        y.push_back(rows[i][median_index]);
    }
    const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
    const auto slope = [&](std::size_t i) {
        if (i == 0) return secant(0);
        if (i + 1 == n) return secant(n - 2);
        const double before = secant(i - 1);
        const double after = secant(i);
        if (before * after <= 0) return 0.0;
        const double w1 = 2 * (x[i + 1] - x[i]) + (x[i] - x[i - 1]);
        const double w2 = (x[i + 1] - x[i]) + 2 * (x[i] - x[i - 1]);
        return (w1 + w2) / (w1 / before + w2 / after);
    };
    const double at = std::log(scale_out);
    std::size_t i = 0;
    while (i + 2 < n && x[i + 1] < at) ++i;
    const double h = x[i + 1] - x[i];
    const double t = (at - x[i]) / h;
    return (2 * t * t * t - 3 * t * t + 1) * y[i] + (t * t * t - 2 * t * t + t) * h * slope(i) +
           (3 * t * t - 2 * t * t * t) * y[i + 1] + (t * t * t - t * t) * h * slope(i + 1);
}

// Least squares under the constraint that values do not increase: each is the least, over where a block may begin, of the
// largest mean, over where it may end.
std::vector<double> isotonic(const std::vector<double>& values, const std::vector<double>& weights) {
    std::vector<double> made;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t first = 0; first <= i; ++first) {
            double largest = -std::numeric_limits<double>::infinity();
            for (std::size_t last = i; last < values.size(); ++last) {
                double sum = 0;
                double weight = 0;
                for (std::size_t k = first; k <= last; ++k) {
                    sum += weights[k] * values[k];
                    weight += weights[k];
                }
                largest = (std::max)(largest, sum / weight);
            }
            least = (std::min)(least, largest);
        }
        made.push_back(least);
    }
    return made;
}

void add_parabola(history_data& history, double curvature, const std::vector<double>& scale_outs) {
    history.contexts.push_back({.first = history.points.size(), .count = scale_outs.size()});
    for (const double x : scale_outs)
        history.points.push_back({.scale_out = x, .log_runtime = 3 - std::log(x) + curvature * std::log(x) * std::log(x)});
}

}  // namespace

TEST_CASE("knots are distinct whole numbers in order, and hold all that was asked for") {
    random_generator random(1);
    for (int round = 0; round < 2000; ++round) {
        const int largest = 1 << (1 + random.below(14));
        const auto seen = random_scale_outs(16, largest, random);
        const auto observed = random_scale_outs(8, largest, random);
        CAPTURE(seen);
        CAPTURE(observed);
        const auto knots = knot_scale_outs(seen, observed);
        REQUIRE(!knots.empty());
        CHECK(knots.size() <= most_knots);
        CHECK(knots.front() >= 1);
        CHECK(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end());
        for (const int x : observed) CHECK(contains(knots, x));
        for (const int x : seen) CHECK(contains(knots, x));

        auto all = seen;
        all.insert(all.end(), observed.begin(), observed.end());
        if (all.empty()) all.push_back(1);
        const int lowest = *std::min_element(all.begin(), all.end());
        const int highest = *std::max_element(all.begin(), all.end());
        CHECK(knots.front() == (std::max)(1, static_cast<int>(std::lround(lowest / 16.0))));
        CHECK(knots.back() == 16 * highest);
        for (const double beyond : {1.25, 1.5, 2.0, 3.0, 4.0})
            CHECK(contains(knots, static_cast<int>(std::lround(highest * beyond))));
        if (lowest >= 2) CHECK(contains(knots, static_cast<int>(std::lround(lowest / 2.0))));

        double widest = 1;
        double narrowest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
            const double ratio = static_cast<double>(knots[i + 1]) / knots[i];
            if (knots[i] < lowest || knots[i + 1] > highest || knots[i + 1] - knots[i] < 2) continue;
            widest = (std::max)(widest, ratio);
            if (!(contains(all, knots[i]) && contains(all, knots[i + 1]))) narrowest = (std::min)(narrowest, ratio);
        }
        if (knots.size() < most_knots) {
            CHECK(widest <= 1.13);
        } else {
            // The widest gap was halved each time, so that no half is much narrower than half of what is left.
            CHECK(widest <= narrowest * narrowest * 1.3);
        }
    }
}

TEST_CASE("of many scale-outs twenty observed and some seen ones become knots, from the first to the last") {
    std::vector<int> many;
    for (int x = 10; x < 210; ++x) many.push_back(x);
    const auto observed = knot_scale_outs({}, many);
    CHECK(observed.size() == most_knots);
    CHECK(contains(observed, 10));
    CHECK(contains(observed, 209));
    const auto seen = knot_scale_outs(many, {});
    CHECK(seen.size() <= most_knots);
    for (std::size_t i = 0; i < 16; ++i) CHECK(contains(seen, many[i * 199 / 15]));
    for (std::size_t i = 0; i < 20; ++i) CHECK(contains(observed, many[i * 199 / 19]));
    // Observed ones come first.
    const std::vector<int> odd{11, 57, 133};
    for (const int x : odd) CHECK(contains(knot_scale_outs(many, odd), x));
    CHECK(knot_scale_outs({}, {}) == std::vector<int>{1, 2, 3, 4, 16});
    // With many of both there is no room for all that is offered beyond them.
    std::vector<int> others;
    for (int x = 300; x < 900; x += 7) others.push_back(x);
    const auto full = knot_scale_outs(others, many);
    CHECK(full.size() == most_knots);
    CHECK(full.front() == 1);
    CHECK(full.back() == 16 * others.back());
}

TEST_CASE("between knots the median is the monotone cubic, and quantiles keep their distances on straight lines") {
    random_generator random(2);
    for (int round = 0; round < 100; ++round) {
        const auto knots = ascending(2 + random.below(8), random);
        const auto rows = random_rows(knots.size(), random);
        const knot_table table(knots, rows);
        CHECK(table.count() == knots.size());
        for (std::size_t i = 0; i + 1 < knots.size(); ++i)
            for (const double share : {0.05, 0.3, 0.5, 0.9}) {
                const double x = knots[i] * std::pow(static_cast<double>(knots[i + 1]) / knots[i], share);
                const auto row = table.at(x);
                const double median = naive_median(knots, rows, x);
                for (std::size_t k = 0; k < row.size(); ++k)
                    CHECK(row[k] == doctest::Approx(median + (1 - share) * (rows[i][k] - rows[i][median_index]) +
                                                    share * (rows[i + 1][k] - rows[i + 1][median_index]))
                                        .epsilon(1e-10));
            }
    }
}

TEST_CASE("knots are met exactly, and beyond them the median goes on as steeply and intervals grow") {
    random_generator random(3);
    const auto knots = ascending(9, random);
    const auto rows = random_rows(knots.size(), random);
    const knot_table table(knots, rows);
    for (std::size_t i = 0; i < knots.size(); ++i) CHECK(table.at(knots[i]) == rows[i]);
    const auto spread = [](const quantile_row& row) { return row.back() - row.front(); };
    for (const bool last : {false, true}) {
        const std::size_t end = last ? knots.size() - 1 : 0;
        const std::size_t next = last ? end - 1 : 1;
        const double slope = (rows[end][median_index] - rows[next][median_index]) / std::log(1.0 * knots[end] / knots[next]);
        const auto beyond = table.at(knots[end] * (last ? 16.0 : 1 / 16.0));
        CHECK(beyond[median_index] ==
              doctest::Approx(rows[end][median_index] + slope * (last ? std::log(16) : -std::log(16))));
        CHECK(spread(beyond) == doctest::Approx(3 * spread(rows[end])));
        CHECK(std::ranges::is_sorted(beyond));
    }
    const auto largest = table.at(1e300);
    CHECK(std::abs(largest.front()) <= largest_log_runtime);
    CHECK(std::abs(largest.back()) <= largest_log_runtime);
    const knot_table one(std::span<const int>(knots).first(1), std::span<const quantile_row>(rows).first(1));
    for (const double x : {0.5 * knots[0], 1.0 * knots[0], 2.0 * knots[0]})
        CHECK(one.at(x)[median_index] == rows[0][median_index]);
    CHECK(knot_table().count() == 0);
    CHECK(knot_table().at(3) == quantile_row{});
}

TEST_CASE("between two knots the median leaves neither of them") {
    random_generator random(4);
    for (int round = 0; round < 100; ++round) {
        const auto knots = ascending(8, random);
        const auto rows = random_rows(knots.size(), random);
        const knot_table table(knots, rows);
        for (std::size_t i = 1; i + 2 < knots.size(); ++i) {
            double last = rows[i][median_index];
            const double direction = rows[i + 1][median_index] - last;
            for (int step = 1; step <= 20; ++step) {
                const double median = table.at(knots[i] + (knots[i + 1] - knots[i]) * step / 20.0)[median_index];
                CHECK((median - last) * direction >= -1e-12);
                last = median;
            }
        }
    }
}

TEST_CASE("up to the turning point medians that increase become the nearest ones that do not, and carry their quantiles") {
    random_generator random(5);
    for (int round = 0; round < 500; ++round) {
        const auto knots = ascending(1 + random.below(9), random);
        const auto before = random_rows(knots.size(), random);
        const std::size_t from = random.below(knots.size());
        const std::size_t to = from + random.below(knots.size() - from);
        knot_table table(knots, before);
        table.forbid_increase(knots[from], knots[to]);

        std::size_t turning = from;
        for (std::size_t i = from; i <= to; ++i)
            if (before[i][median_index] < before[turning][median_index]) turning = i;
        if (turning == to) turning = knots.size() - 1;
        std::vector<double> medians;
        std::vector<double> weights;
        for (std::size_t i = 0; i <= turning; ++i) {
            medians.push_back(before[i][median_index]);
            const double width = before[i][median_index + 2] - before[i][median_index - 2];
            weights.push_back(1 / (width * width));
        }
        auto expected = isotonic(medians, weights);
        for (std::size_t i = turning + 1; i < knots.size(); ++i) expected.push_back(before[i][median_index]);
        auto after = before;
        for (std::size_t i = 0; i < knots.size(); ++i) {
            for (double& each : after[i]) each += expected[i] - before[i][median_index];
            CHECK(support::largest_difference(table.at(knots[i]), after[i]) < 1e-8);
        }
        // Between the knots too.
        if (knots.size() > 1)
            CHECK(table.at(0.5 * (knots[0] + knots[1]))[median_index] ==
                  doctest::Approx(naive_median(knots, after, 0.5 * (knots[0] + knots[1]))).epsilon(1e-8));
    }
}

TEST_CASE("medians of knots without any width are pooled evenly") {
    const std::vector<int> knots{2, 4, 8};
    std::vector<quantile_row> rows(3);
    for (std::size_t i = 0; i < 3; ++i) rows[i].fill(static_cast<double>(i));
    knot_table table(knots, rows);
    table.forbid_increase(9, 9);
    for (const int x : knots) CHECK(table.at(x)[median_index] == doctest::Approx(1));
}

TEST_CASE("where no knot lies between the smallest and the largest, no median may increase") {
    random_generator random(6);
    const std::vector<int> knots{2, 4, 8};
    auto rows = random_rows(3, random);
    const double median = rows[0][median_index];
    for (double& each : rows[2]) each += median + 1 - rows[2][median_index];
    knot_table table(knots, rows);
    table.forbid_increase(5, 6);
    CHECK(table.at(4)[median_index] <= table.at(2)[median_index] + 1e-12);
    CHECK(table.at(8)[median_index] <= table.at(4)[median_index] + 1e-12);
}

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
