#include <bellamy/detail/blend/improbable_points.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

constexpr double usual_variance_of_runs = 9e-4;

// Probability of a straggler or wrong run from densities, without logarithms.
double by_densities(double deviation, double variance, double prior) {
    const auto density = [](double d, double v) { return std::exp(-0.5 * d * d / v) / std::sqrt(v); };
    const double share = wrong_probability / (prior_noise.straggler_probability + wrong_probability);
    const double usual = (1 - prior) * density(deviation, variance + usual_variance_of_runs);
    const double other = prior * ((1 - share) * density(deviation - straggler_delay, variance + straggler_variance) +
                                  share * density(deviation, variance + wrong_variance));
    return other / (usual + other);
}

}  // namespace

TEST_CASE("how improbable a run is follows Bayes' rule") {
    for (const double deviation : {-0.3, -0.1, 0.0, 0.05, 0.1, 0.2, 0.5})
        for (const double variance : {0.0, 1e-3, 0.04})
            CHECK(improbability(deviation, variance, usual_variance_of_runs, 1) ==
                  doctest::Approx(by_densities(deviation, variance, improbable_prior(1))));
}

TEST_CASE("usual runs are not improbable, stragglers and absurd ones are") {
    CHECK(improbability(0.03, 1e-3, usual_variance_of_runs, 1) < 0.05);
    CHECK(improbability(-0.06, 1e-3, usual_variance_of_runs, 1) < 0.05);
    CHECK(improbability(0.5, 1e-3, usual_variance_of_runs, 1) > 0.99);
    CHECK(improbability(std::log(100.0 / 655), 1e-3, usual_variance_of_runs, 1) > 0.99);
    CHECK(improbability(-50, 1e-3, usual_variance_of_runs, 1) == doctest::Approx(1));
    CHECK(improbability(std::log(1e308), 1e-3, usual_variance_of_runs, 1) == doctest::Approx(1));
    // Where nothing is known, nothing is improbable.
    CHECK(improbability(0.5, 1, usual_variance_of_runs, 1) < 0.1);
}

TEST_CASE("a median of three runs is less often a straggler's than one run is, and of two more often") {
    const auto at = [](double repetitions) { return improbability(0.15, 1e-3, usual_variance_of_runs, repetitions); };
    CHECK(at(2) > at(1));
    CHECK(at(3) < at(1));
}

TEST_CASE(
    "usual_variance_of_runs is widened by precision: not at all for usual points, to a straggler's for improbable ones") {
    CHECK(widened(usual_variance_of_runs, 0, 0.3) == doctest::Approx(usual_variance_of_runs));
    CHECK(widened(usual_variance_of_runs, 1, 0.3) ==
          doctest::Approx(straggler_variance + straggler_delay * straggler_delay));
    CHECK(1 / widened(usual_variance_of_runs, 0.5, 0.3) ==
          doctest::Approx(0.5 / usual_variance_of_runs + 0.5 / widened(usual_variance_of_runs, 1, 0.3)));
    CHECK(widened(4.0, 1, 0.3) == doctest::Approx(4.0));
}

TEST_CASE("an absurd point counts the less the farther it is off") {
    for (const double deviation : {-7.0, 3.0, 700.0})
        CHECK(widened(usual_variance_of_runs, 1, deviation) == doctest::Approx(deviation * deviation));
}

TEST_CASE("a point is far from the others of its context, a context from the others, and a spread out history has none") {
    history_data residual;
    const auto add = [&](std::vector<double> values) {
        residual.contexts.push_back({.first = residual.points.size(), .count = values.size()});
        for (const double each : values)
            residual.points.push_back({.context = residual.contexts.size() - 1, .log_runtime = each});
    };
    for (const double level : {-0.3, -0.1, 0.0, 0.1, 0.2}) add({level - 0.05, level, level + 0.05});
    add({0.1, 0.2, 7.0, 0.0});
    add({6.0, 6.1, 6.05});
    const auto far = far_deviations(residual);
    for (std::size_t i = 0; i < far.size(); ++i) {
        CAPTURE(i);
        const double expected = i == 17 ? 6.85 : i < 19 ? 0.0 : 6.0;
        CHECK(far[i] == doctest::Approx(expected).epsilon(0.05));
    }
    history_data spread;
    std::swap(residual, spread);
    for (const double level : {-2.0, -1.0, 0.0, 1.0, 2.0}) add({level - 1, level, level + 1});
    for (const double each : far_deviations(residual)) CHECK(each == 0);
}
