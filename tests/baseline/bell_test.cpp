#include "../../bench/support/baselines.hpp"
#include "../support/compare.hpp"
#include "observed_runs.hpp"

#include <bellamy/detail/base/random.hpp>

#include <functional>
#include <optional>

using namespace bellamy;
using support::medians;
using support::observed_runs;
using support::points;

namespace {

// Bell from its definition: normal equations as they stand in the books, every subset of Ernest's weights tried, nothing
// averaged beforehand. It loses digits where scale-outs lie far apart compared with the bandwidth; the cases below do not.
namespace reference {

using real = long double;
using fit = std::function<real(real)>;

// Least squares over the weights of a subset; none where these are dependent.
std::optional<std::array<real, 4>> solve(const points& measured, unsigned subset) {
    std::array<std::array<real, 5>, 4> system{};
    for (const auto& [x, runtime_s] : measured) {
        const std::array<real, 5> row{1, real(1) / x, std::log(real(x)), real(x), runtime_s};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 5; ++j)
                if ((subset >> i & 1U) != 0 && (j == 4 || (subset >> j & 1U) != 0)) system[i][j] += row[i] * row[j];
    }
    for (std::size_t i = 0; i < 4; ++i)
        if ((subset >> i & 1U) == 0) system[i][i] = 1;
    for (std::size_t i = 0; i < 4; ++i) {  // Gauss and Jordan; normal equations need no pivoting
        const real pivot = system[i][i];
        if (std::abs(pivot) < real(1e-12)) return std::nullopt;
        for (auto& each : system[i]) each /= pivot;
        for (std::size_t k = 0; k < 4; ++k) {
            if (k == i) continue;
            const real times = system[k][i];
            for (std::size_t j = 0; j < 5; ++j) system[k][j] -= times * system[i][j];
        }
    }
    return std::array{system[0][4], system[1][4], system[2][4], system[3][4]};
}

fit ernest(const points& measured) {
    std::array<real, 4> best{};
    real lowest = std::numeric_limits<real>::infinity();
    const auto predict = [](const std::array<real, 4>& weights, real x) {
        return weights[0] + weights[1] / x + weights[2] * std::log(x) + weights[3] * x;
    };
    for (unsigned subset = 0; subset < 16; ++subset) {
        const auto weights = solve(measured, subset);
        if (!weights || *std::min_element(weights->begin(), weights->end()) < 0) continue;
        real squares = 0;
        for (const auto& [x, runtime_s] : measured) squares += std::pow(predict(*weights, x) - runtime_s, 2);
        if (squares >= lowest) continue;
        lowest = squares;
        best = *weights;
    }
    return [=](real x) { return predict(best, x); };
}

fit local_regression(const points& measured, int bandwidth) {
    return [=](real at) {
        constexpr real ridge = 1e-12L;
        real s0 = ridge, s1 = 0, s2 = ridge, t0 = 0, t1 = 0;
        for (const auto& [x, runtime_s] : measured) {
            const real weight = std::exp(-(at - x) * (at - x) / (2 * real(bandwidth) * bandwidth));
            s0 += weight;
            s1 += weight * x;
            s2 += weight * x * x;
            t0 += weight * runtime_s;
            t1 += weight * x * runtime_s;
        }
        return ((s2 * t0 - s1 * t1) + at * (s0 * t1 - s1 * t0)) / (s0 * s2 - s1 * s1);
    };
}

real left_out_error(const points& measured, const std::function<fit(const points&)>& make) {
    const auto [smallest, largest] = std::minmax_element(measured.begin(), measured.end());
    real sum = 0;
    int inner = 0;
    for (int x = smallest->first + 1; x < largest->first; ++x) {
        points rest;
        std::vector<double> left_out;
        for (const auto& each : measured) {
            if (each.first == x) left_out.push_back(each.second);
            if (each.first != x) rest.push_back(each);
        }
        if (left_out.empty()) continue;
        const real predicted = make(rest)(x);
        real error = 0;
        for (const double truth : left_out) error += std::abs(predicted - truth) / truth;
        sum += error / static_cast<real>(left_out.size());
        ++inner;
    }
    return sum / inner;
}

// Local regression with the best bandwidth, or nothing where Ernest is at least as good.
std::optional<int> bandwidth(const points& measured) {
    real lowest = left_out_error(measured, ernest);
    std::optional<int> best;
    for (int each = 1; each <= 100; ++each) {
        const real error = left_out_error(measured, [=](const points& rest) { return local_regression(rest, each); });
        if (error >= lowest) continue;
        lowest = error;
        best = each;
    }
    return best;
}

}  // namespace reference

// A straight line down to 150 s, which no sum of Ernest's terms with weights >= 0 is.
const points falling_line{{2, 450}, {4, 390}, {6, 330}, {8, 270}, {10, 210}, {12, 150}};

}  // namespace

TEST_CASE("with fewer than three scale-outs Bell is Ernest") {
    for (const points& measured :
         {points{{6, 77}}, points{{4, 100}, {8, 90}}, points{{4, 100}, {8, 90}, {4, 90}, {8, 140}}}) {
        const auto runs = observed_runs(measured);
        CHECK(medians(*bench::bell(runs), {1, 4, 6, 8, 12}) == medians(*baseline::ernest(runs), {1, 4, 6, 8, 12}));
    }
}

TEST_CASE("Bell is Ernest where the runs follow Ernest's law") {
    const auto runs = observed_runs({{2, 350}, {4, 200}, {6, 150}, {8, 125}, {12, 100}});  // 50 + 600 / x
    CHECK(medians(*bench::bell(runs), {1, 3, 5, 9, 16}) == medians(*baseline::ernest(runs), {1, 3, 5, 9, 16}));
}

TEST_CASE("Bell is a local regression where the runs do not follow Ernest's law") {
    const auto fitted = bench::bell(observed_runs(falling_line));
    REQUIRE(fitted);
    // Any bandwidth fits a line but for its ridge of 1e-12, which next to distances and weights of about 1 is nothing.
    for (int x = 2; x <= 12; ++x) CHECK(std::abs(fitted->at(x).median_s - (510 - 30 * x)) <= 1e-6);
    // Ernest is nowhere near.
    CHECK(std::abs(baseline::ernest(observed_runs(falling_line))->at(12).median_s - 150) > 20);
}

TEST_CASE("outside the observed scale-outs Bell is Ernest") {
    const auto runs = observed_runs(falling_line);
    CHECK(medians(*bench::bell(runs), {1, 13, 100}) == medians(*baseline::ernest(runs), {1, 13, 100}));
    CHECK(medians(*bench::bell(runs), {2, 12}) != medians(*baseline::ernest(runs), {2, 12}));
}

TEST_CASE("Bell agrees with a straightforward implementation") {
    detail::random_generator random(11);
    int regressions = 0;
    constexpr int cases = 40;
    for (int i = 0; i < cases; ++i) {
        // Every second scale-out, one to three runs each, some far from any law. At least four: of three, the inner one lies
        // on the line through the others for every bandwidth, and rounding would choose among them.
        points measured;
        const int count = 4 + static_cast<int>(random.below(4));
        for (int k = 1; k <= count; ++k)
            for (std::size_t repeats = 1 + random.below(3); repeats > 0; --repeats)
                measured.emplace_back(2 * k, (60 + 500.0 / k) * std::exp(0.6 * random.normal()));
        const auto bandwidth = reference::bandwidth(measured);
        const auto inside = bandwidth ? reference::local_regression(measured, *bandwidth) : reference::ernest(measured);
        const auto outside = reference::ernest(measured);
        if (bandwidth) ++regressions;

        const auto fitted = bench::bell(observed_runs(measured));
        REQUIRE(fitted);
        for (int x = 1; x <= 2 * count + 2; ++x) {
            const bool within = x >= 2 && x <= 2 * count;
            const auto expected = static_cast<double>((within ? inside : outside)(x));
            // The reference loses up to eight of its nineteen digits in the normal equations of Ernest's near-dependent
            // terms.
            CHECK_MESSAGE(support::relative_difference(fitted->at(x).median_s, expected) <= 1e-8, "case ", i, ", x = ", x);
        }
    }
    // Both sides of the choice are covered.
    CHECK(regressions >= cases / 4);
    CHECK(regressions <= 3 * cases / 4);
}

TEST_CASE("local regression keeps its digits where one run outweighs the others") {
    // The nearest run's weight is e^18 times that of the next, e^72 times that of the farthest: the determinant of the
    // normal equations is lost to cancellation in double. In the limit the curve goes through the nearest run.
    const auto far = observed_runs({{2, 100}, {8, 400}, {14, 90}});
    const auto observed = *detail::observed_scale_outs::of(far);
    const bench::detail::local_regression_curve regression{observed, 1, {}};
    for (const auto& each : observed.points())
        CHECK(support::relative_difference(regression.inside(each.scale_out), each.mean_runtime_s) <= 1e-5);
}
