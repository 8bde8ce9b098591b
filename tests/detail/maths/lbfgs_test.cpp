#include <bellamy/detail/maths/lbfgs.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/naive_algebra.hpp"

using namespace bellamy::detail;

namespace {

constexpr lbfgs_options to_the_end{.iterations = 2000, .least_gain = 0, .least_gradient = 1e-6};

double largest_of(const std::vector<double>& gradient) {
    double largest = 0;
    for (const double g : gradient) largest = (std::max)(largest, std::abs(g));
    return largest;
}

// x'Ax/2 - b'x, with its minimum at A^-1 b.
struct quadratic {
    matrix a{};
    std::vector<double> b{};
    int evaluations = 0;

    double operator()(const std::vector<double>& x, std::vector<double>& gradient) {
        ++evaluations;
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = dot(a.row(i), x.data(), x.size());
            value += 0.5 * x[i] * gradient[i] - b[i] * x[i];
            gradient[i] -= b[i];
        }
        return value;
    }
};

// Curvatures from 1 to `condition`, in directions that no axis has.
quadratic ill_conditioned(std::size_t n, double condition, random_generator& random) {
    quadratic made{.a = matrix(n, n), .b = std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        made.a(i, i) = std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
        made.b[i] = random.normal();
    }
    for (int mirrors = 0; mirrors < 3; ++mirrors) {  // Householder's
        std::vector<double> v(n);
        for (double& each : v) each = random.normal();
        const double square = dot(v.data(), v.data(), n);
        const auto mirror = [&](bool columns) {
            for (std::size_t i = 0; i < n; ++i) {
                double share = 0;
                for (std::size_t j = 0; j < n; ++j) share += v[j] * (columns ? made.a(j, i) : made.a(i, j));
                for (std::size_t j = 0; j < n; ++j) (columns ? made.a(j, i) : made.a(i, j)) -= 2 * share / square * v[j];
            }
        };
        mirror(true);
        mirror(false);
    }
    return made;
}

int rosenbrock_evaluations = 0;

double rosenbrock(const std::vector<double>& x, std::vector<double>& gradient) {
    ++rosenbrock_evaluations;
    double value = 0;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const double valley = x[i + 1] - x[i] * x[i];
        value += 100 * valley * valley + (1 - x[i]) * (1 - x[i]);
        gradient[i] += -400 * valley * x[i] - 2 * (1 - x[i]);
        gradient[i + 1] += 200 * valley;
    }
    return value;
}

}  // namespace

TEST_CASE("ill-conditioned quadratics are minimised to the solution of their linear equations") {
    random_generator random(1);
    for (const double condition : {1.0, 1e2, 1e4}) {
        CAPTURE(condition);
        auto function = ill_conditioned(12, condition, random);
        const auto inverse = support::invert(function.a).inverse;
        std::vector<double> expected(12);
        for (std::size_t i = 0; i < 12; ++i) expected[i] = dot(inverse.row(i), function.b.data(), 12);
        std::vector<double> found(12, 1.0);
        const auto outcome = minimise(function, found, to_the_end);
        CHECK(support::largest_difference(found, expected) < 1e-5);
        std::vector<double> gradient(12);
        CHECK(outcome.value == function(found, gradient));
        CHECK(largest_of(gradient) < to_the_end.least_gradient);
        // Along gradients alone it would take several times the condition.
        CHECK(outcome.iterations < 100);
    }
}

TEST_CASE("what is remembered of the curvature saves iterations") {
    random_generator random(2);
    const auto iterations = [&](std::size_t memory) {
        random_generator same(3);
        auto function = ill_conditioned(12, 1e3, same);
        std::vector<double> found(12, 1.0);
        auto options = to_the_end;
        options.memory = memory;
        const auto outcome = minimise(function, found, options);
        std::vector<double> gradient(12);
        (void)function(found, gradient);
        CHECK(largest_of(gradient) < options.least_gradient);
        return outcome.iterations;
    };
    CHECK(2 * iterations(20) < iterations(2));
}

TEST_CASE("the valley of Rosenbrock's function is followed to its end") {
    for (const std::size_t n : {2U, 10U}) {
        CAPTURE(n);
        std::vector<double> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? -1.2 : 1.0;
        rosenbrock_evaluations = 0;
        const auto outcome = minimise(rosenbrock, x, to_the_end);
        for (const double each : x) CHECK(each == doctest::Approx(1).epsilon(1e-5));
        CHECK(outcome.value < 1e-10);
        CHECK(outcome.iterations < 150);
        // A line search takes little more than its first step.
        CHECK(rosenbrock_evaluations < 2 * outcome.iterations);
    }
}

TEST_CASE("a step accepted by the line search satisfies the strong Wolfe conditions") {
    random_generator random(7);
    int bracketed = 0;
    for (int round = 0; round < 500; ++round) {
        CAPTURE(round);
        const double size = 3 * random.uniform();
        const double frequency = 10 * random.uniform();
        const double phase = 6 * random.uniform();
        const double slant = 4 * random.normal();
        int evaluations = 0;
        const auto waves = [&](const std::vector<double>& x, std::vector<double>& gradient) {
            ++evaluations;
            gradient[0] = size * frequency * std::cos(frequency * x[0] + phase) + 0.2 * x[0] + slant;
            return size * std::sin(frequency * x[0] + phase) + 0.1 * x[0] * x[0] + slant * x[0];
        };
        std::vector<double> x{10 * random.normal()};
        const double start = x[0];
        std::vector<double> slope(1);
        const double before = waves(x, slope);
        const double steepest = slope[0];
        evaluations = 0;
        const auto outcome = minimise(waves, x, {.iterations = 1, .evaluations_per_search = 40, .least_gain = 0});
        CHECK(evaluations < 40);
        CHECK(outcome.value == waves(x, slope));
        CHECK(outcome.value <= before + 1e-4 * steepest * (x[0] - start));
        CHECK(std::abs(slope[0]) <= 0.9 * std::abs(steepest));
        bracketed += evaluations > 3 ? 1 : 0;
    }
    CHECK(bracketed > 50);
}

TEST_CASE("between two points of a cubic the line search goes to its minimum") {
    int evaluations = 0;
    const auto cubic = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        ++evaluations;
        gradient[0] = 3 * x[0] * x[0] - 3;
        return x[0] * x[0] * x[0] - 3 * x[0];
    };
    // The first step, of length 1, ends on the other side.
    std::vector<double> x{0.5};
    minimise(cubic, x, {.iterations = 1});
    CHECK(evaluations == 3);
    CHECK(std::abs(x[0] - 1) < 1e-12);
}

TEST_CASE("where a search fails, one more along the gradient follows") {
    // Bad for the whole of the second search.
    int evaluations = 0;
    const auto interrupted = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        ++evaluations;
        gradient[0] = 2 * x[0];
        gradient[1] = 200 * x[1];
        const bool fails = evaluations > 3 && evaluations <= 3 + lbfgs_options{}.evaluations_per_search;
        return fails ? std::nan("") : x[0] * x[0] + 100 * x[1] * x[1];
    };
    std::vector<double> x{3, 1};
    const auto outcome = minimise(interrupted, x);
    CHECK(outcome.value < 1e-7);
    CHECK(evaluations > 3 + lbfgs_options{}.evaluations_per_search);
}

TEST_CASE("a step to where the function is infinite or no number is shortened") {
    for (const double outside :
         {std::numeric_limits<double>::infinity(), std::nan(""), -std::numeric_limits<double>::infinity()}) {
        CAPTURE(outside);
        // Infinite from 3 on, where it would go on falling.
        int met = 0;
        const auto cliff = [&](const std::vector<double>& x, std::vector<double>& gradient) {
            if (!(x[0] < 3 && x[0] > 0)) {
                ++met;
                gradient[0] = -1;
                return outside;
            }
            gradient[0] = -1e4 / x[0] + 1e3;
            return -1e4 * std::log(x[0]) + 1e3 * x[0];
        };
        std::vector<double> x{0.1};
        const auto outcome = minimise(cliff, x, to_the_end);
        CHECK(met > 0);
        CHECK(x[0] > 2.9);
        CHECK(x[0] < 3);
        std::vector<double> gradient(1);
        CHECK(outcome.value == cliff(x, gradient));
    }
}

TEST_CASE("a gradient that is not finite makes a point infinitely bad") {
    const auto function = [](const std::vector<double>& x, std::vector<double>& gradient) {
        gradient[0] = x[0] > 1 ? std::nan("") : 2 * (x[0] - 2);
        return (x[0] - 2) * (x[0] - 2);
    };
    std::vector<double> x{0};
    const auto outcome = minimise(function, x, to_the_end);
    CHECK(x[0] <= 1);
    CHECK(x[0] > 0.9);
    CHECK(outcome.value == doctest::Approx((x[0] - 2) * (x[0] - 2)));
}

TEST_CASE("from a point where the function is infinite nothing is tried") {
    int evaluations = 0;
    const auto nowhere = [&](const std::vector<double>&, std::vector<double>& gradient) {
        ++evaluations;
        gradient[0] = 0;
        return std::nan("");
    };
    std::vector<double> x{7};
    const auto outcome = minimise(nowhere, x);
    CHECK(x[0] == 7);
    CHECK(outcome.value == std::numeric_limits<double>::infinity());
    CHECK(outcome.iterations == 0);
    CHECK(evaluations == 1);
}

TEST_CASE("the best point found is what is left, even of a function whose gradient misleads") {
    // Points uphill everywhere.
    const auto wrong = [](const std::vector<double>& x, std::vector<double>& gradient) {
        gradient[0] = -2 * x[0];
        return x[0] * x[0];
    };
    std::vector<double> x{1.5};
    const auto outcome = minimise(wrong, x, to_the_end);
    CHECK(x[0] == 1.5);
    CHECK(outcome.value == 1.5 * 1.5);

    // A rough surface, on which line searches fail.
    random_generator random(5);
    double best = std::numeric_limits<double>::infinity();
    const auto rough = [&](const std::vector<double>& at, std::vector<double>& gradient) {
        double value = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            value += at[i] * at[i] + 1e-3 * std::sin(1e6 * at[i]);
            gradient[i] = 2 * at[i];
        }
        best = (std::min)(best, value);
        return value;
    };
    std::vector<double> many{1, -2, 0.5};
    const double before = 1 + 4 + 0.25;
    const auto rough_outcome = minimise(rough, many, to_the_end);
    CHECK(rough_outcome.value < before);
    CHECK(rough_outcome.value < best + 0.01);
}

TEST_CASE("iterations end at their limit, at a small gain or at a small gradient") {
    const auto after = [](const lbfgs_options& options) {
        std::vector<double> x{-1.2, 1};
        const auto outcome = minimise(rosenbrock, x, options);
        std::vector<double> gradient(2);
        return std::pair{outcome, rosenbrock(x, gradient) == outcome.value ? largest_of(gradient) : std::nan("")};
    };
    const auto whole = after(to_the_end);
    CHECK(after({.iterations = 5, .least_gain = 0}).first.iterations == 5);
    CHECK(after({.iterations = 0}).first.iterations == 0);
    CHECK(after({.iterations = 0}).first.value == doctest::Approx(24.2));
    const auto gain = after({.iterations = 2000, .least_gain = 1e-3, .least_gradient = 0});
    CHECK(gain.first.iterations < whole.first.iterations);
    CHECK(gain.first.value < 0.1);
    const auto gradient = after({.iterations = 2000, .least_gain = 0, .least_gradient = 1e-2});
    CHECK(gradient.second < 1e-2);
    CHECK(gradient.first.iterations <= whole.first.iterations);
    // At a minimum nothing is searched.
    std::vector<double> x{1, 1};
    rosenbrock_evaluations = 0;
    minimise(rosenbrock, x);
    CHECK(rosenbrock_evaluations == 1);
}

TEST_CASE("a line search gives up after as many evaluations as allowed") {
    // Falls for ever: the step grows until the search ends.
    int evaluations = 0;
    const auto slope = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        ++evaluations;
        gradient[0] = -1;
        return -x[0];
    };
    std::vector<double> x{0};
    minimise(slope, x, {.iterations = 1, .evaluations_per_search = 5});
    CHECK(evaluations == 1 + 5);
    CHECK(x[0] == doctest::Approx(std::pow(2.5, 4)));
}
