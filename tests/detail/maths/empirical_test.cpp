#include <bellamy/detail/maths/empirical.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

TEST_CASE("quantiles of a sample lie between its order statistics, and beyond them on a normal's tail") {
    const auto row = detail::sample_quantiles({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.1);
    CHECK(row[8] == 5);
    CHECK(row[0] < 1);
    CHECK(row[16] > 9);
    for (std::size_t i = 1; i < row.size(); ++i) CHECK(row[i] > row[i - 1]);
    const auto one = detail::sample_quantiles({3}, 0.5);
    CHECK(one[8] == 3);
    CHECK(one[12] == doctest::Approx(3 + 0.5 * 1.282).epsilon(0.3));
}

TEST_CASE("equal weights have the quantiles of the sample, and what weighs more draws them to itself") {
    const std::vector<double> sample{4, 1, 7, 2, 9};
    std::vector<std::pair<double, double>> weighted;
    for (const double each : sample) weighted.emplace_back(each, 0.3);
    const auto row = detail::weighted_quantiles(weighted, 0.1);
    const auto plain = detail::sample_quantiles(sample, 0.1);
    for (std::size_t i = 0; i < row.size(); ++i) CHECK(row[i] == doctest::Approx(plain[i]));
    weighted[4].second = 3;
    const auto drawn = detail::weighted_quantiles(weighted, 0.1);
    CHECK(drawn[8] > 7);
    for (std::size_t i = 1; i < drawn.size(); ++i) CHECK(drawn[i] >= drawn[i - 1]);
    CHECK(detail::weighted_quantiles({}, 0.5) == detail::sample_quantiles({}, 0.5));
}

TEST_CASE("the weighted median is where half of the weight is reached") {
    CHECK(detail::weighted_median({{1, 1}, {2, 1}, {9, 5}}) == 9);
    CHECK(detail::weighted_median({{5, 1}, {1, 3}}) == 1);
    CHECK(detail::median_of({3, 1, 2}) == 2);
    CHECK(detail::median_of({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("a robust deviation is that of a normal's numbers, whatever one of them is") {
    CHECK(detail::robust_sd(std::vector<double>{-1, 0.5, 1, -0.5, 1e9}) == doctest::Approx(1.4826));
    CHECK(detail::root_mean_square(std::vector<double>{3, -3, 3}) == doctest::Approx(3));
}
