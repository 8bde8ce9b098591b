#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/mixture.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

std::vector<normal_component> random_mixture(std::size_t count, double apart, random_generator& random) {
    std::vector<normal_component> made;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back({.weight = 0.01 + random.uniform(),
                        .mean = 5 + apart * random.normal(),
                        .sd = 0.01 + random.uniform() * random.uniform()});
        sum += made.back().weight;
    }
    for (auto& each : made) each.weight /= sum;
    return made;
}

double exact_cdf(const std::vector<normal_component>& mixture, double x) {
    double sum = 0;
    for (const auto& each : mixture) sum += each.weight * normal_cdf((x - each.mean) / each.sd);
    return sum;
}

double by_bisection(const std::vector<normal_component>& mixture, double deviate) {
    double low = -1000;
    double high = 1000;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (exact_cdf(mixture, middle) < normal_cdf(deviate) ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

quantile_row rising_row(random_generator& random) {
    quantile_row row{};
    double value = random.normal();
    for (double& each : row) each = value += 0.01 + random.uniform();
    return row;
}

}  // namespace

TEST_CASE("quantiles of a mixture are those of bisection, to a thousandth of a deviate and nearly always to 1e-5") {
    random_generator random(1);
    int rough = 0;
    for (int round = 0; round < 300; ++round) {
        const std::size_t count = 1 + random.below(12);
        const double apart = 3 * random.uniform();
        const auto mixture = random_mixture(count, apart, random);
        const auto row = quantiles_of(mixture);
        CHECK(std::is_sorted(row.begin(), row.end()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            CAPTURE(standard_normal_quantiles[i]);
            // In a gap between components a short way spans many deviates.
            if (std::abs(row[i] - by_bisection(mixture, standard_normal_quantiles[i])) < 1e-7) continue;
            const double off = std::abs(normal_quantile(exact_cdf(mixture, row[i])) - standard_normal_quantiles[i]);
            CHECK(off < 1e-3);
            if (off > 1e-5) ++rough;
        }
    }
    CHECK(rough < 300 * 17 / 100);
}

TEST_CASE("quantiles of one normal distribution are a straight line") {
    const std::vector<normal_component> one{{.weight = 1, .mean = 3, .sd = 0.2}};
    const auto row = quantiles_of(one);
    for (std::size_t i = 0; i < row.size(); ++i)
        CHECK(row[i] == doctest::Approx(3 + 0.2 * standard_normal_quantiles[i]).epsilon(1e-7));
}

TEST_CASE("components that hardly overlap have their quantiles on either side of the gap") {
    const std::vector<normal_component> apart{{.weight = 0.3, .mean = 0, .sd = 1e-3},
                                              {.weight = 0.7, .mean = 100, .sd = 1e-3}};
    const auto row = quantiles_of(apart);
    for (std::size_t i = 0; i < row.size(); ++i) {
        CAPTURE(standard_normal_quantiles[i]);
        const double p = normal_cdf(standard_normal_quantiles[i]);
        const double expected = p < 0.3 ? 1e-3 * normal_quantile(p / 0.3) : 100 + 1e-3 * normal_quantile((p - 0.3) / 0.7);
        CHECK(std::abs(row[i] - expected) < 1e-7);
    }
}

TEST_CASE("a step that begins in a gap leaps over no component behind it") {
    const std::vector<normal_component> gaps{
        {.weight = 0.110211, .mean = 5.67106, .sd = 0.0161758}, {.weight = 0.162469, .mean = 5.18207, .sd = 0.0160447},
        {.weight = 0.115124, .mean = 6.53996, .sd = 0.0151964}, {.weight = 0.184352, .mean = 3.2853, .sd = 0.0361692},
        {.weight = 0.0318371, .mean = 3.61278, .sd = 0.649785}, {.weight = 0.124538, .mean = 4.03215, .sd = 0.139808},
        {.weight = 0.147521, .mean = 4.72007, .sd = 0.190034},  {.weight = 0.0560638, .mean = 7.21674, .sd = 0.192629},
        {.weight = 0.0678837, .mean = 6.09954, .sd = 0.0211821}};
    const auto row = quantiles_of(gaps);
    for (std::size_t i = 0; i < row.size(); ++i) {
        CAPTURE(standard_normal_quantiles[i]);
        // On the flank of a gap the thousandth of a deviate that is promised is a thousandth of this scale too.
        CHECK(std::abs(row[i] - by_bisection(gaps, standard_normal_quantiles[i])) < 2e-3);
    }
}

TEST_CASE("the logarithm of a sum of exponentials outlives what would overflow or vanish") {
    CHECK(log_sum_exp(std::vector{1.0, 2.0, -0.5}) ==
          doctest::Approx(std::log(std::exp(1.0) + std::exp(2.0) + std::exp(-0.5))));
    CHECK(log_sum_exp(std::vector{1000.0, 1000.0}) == doctest::Approx(1000 + std::log(2)));
    CHECK(log_sum_exp(std::vector{-1000.0, -1001.0}) == doctest::Approx(-1000 + std::log1p(std::exp(-1))));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CHECK(log_sum_exp(std::vector{-infinity, 3.0}) == 3);
    CHECK(log_sum_exp(std::vector{-infinity, -infinity}) == -infinity);
    CHECK(log_sum_exp({}) == -infinity);
}

TEST_CASE("the quantile at a fixed deviate is the one kept, and between and beyond them lies on straight lines") {
    random_generator random(2);
    const auto row = rising_row(random);
    for (std::size_t i = 0; i < row.size(); ++i)
        CHECK(quantile_at(row, standard_normal_quantiles[i]) == doctest::Approx(row[i]));
    for (std::size_t i = 1; i < row.size(); ++i)
        CHECK(quantile_at(row, 0.25 * standard_normal_quantiles[i - 1] + 0.75 * standard_normal_quantiles[i]) ==
              doctest::Approx(0.25 * row[i - 1] + 0.75 * row[i]));
    CHECK(quantile_at(row, -6) == doctest::Approx(row[0] - 2 * (row[1] - row[0])));
    CHECK(quantile_at(row, 6) == doctest::Approx(row[16] + 2 * (row[16] - row[15])));
}

TEST_CASE("the deviate of a log-runtime is the inverse of the quantile") {
    random_generator random(3);
    for (int round = 0; round < 200; ++round) {
        const auto row = rising_row(random);
        for (const double deviate : {-7.0, -4.0, -3.5, -1.0, -0.33, 0.0, 0.1, 0.674, 2.0, 4.0, 9.0}) {
            CAPTURE(deviate);
            CHECK(std::abs(z_score_at(row, quantile_at(row, deviate)) - deviate) < 1e-8);
        }
    }
}

TEST_CASE("a probability includes whatever mass lies exactly on the runtime") {
    quantile_row row{};
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i);
    row[6] = row[7] = row[8] = row[5];
    // All of the tie counts as soon as it is reached, but for a rounding.
    CHECK(z_score_at(row, row[5]) == doctest::Approx(standard_normal_quantiles[8]));
    CHECK(z_score_at(row, row[5] - 1e-13) == doctest::Approx(standard_normal_quantiles[8]));
    CHECK(z_score_at(row, row[5] - 1e-6) == doctest::Approx(standard_normal_quantiles[5]).epsilon(1e-5));
    // Mass at either end.
    for (double& each : row) each = 2;
    CHECK(z_score_at(row, 1) == -std::numeric_limits<double>::infinity());
    CHECK(z_score_at(row, 2) == 4);
    CHECK(z_score_at(row, 3) == 4);
}
