#include "../../bench/support/summary.hpp"

#include <doctest/doctest.h>

using bench::bootstrap_mean;
using bench::values_by_context;

TEST_CASE("means and medians are those of the values") {
    CHECK(bench::mean_of(std::vector<double>{1, 2, 6}) == 3);
    CHECK(bench::median_of({6, 1, 2}) == 2);
    CHECK(bench::median_of({8, 1, 2, 4}) == 3);
    CHECK(bench::median_of({5}) == 5);
    CHECK(bench::all_values({{"b", {3}}, {"a", {1, 2}}}) == std::vector<double>{1, 2, 3});
}

TEST_CASE("the bootstrap interval holds the mean and is the same every time") {
    const values_by_context values{{"a", {1, 2}}, {"b", {3}}, {"c", {5, 6, 7}}, {"d", {2}}, {"e", {9, 1}}};
    const double mean = bench::mean_of(bench::all_values(values));
    const auto interval = bootstrap_mean(values);
    CHECK(interval.low < mean);
    CHECK(interval.high > mean);
    CHECK(interval.low >= 1.5);  // no mean of drawn contexts lies outside those of the contexts
    CHECK(interval.high <= 6);
    const auto again = bootstrap_mean(values);
    CHECK(again.low == interval.low);
    CHECK(again.high == interval.high);
}

TEST_CASE("the bootstrap draws contexts and not single values") {
    // With one context there is nothing else to draw, however much its values differ.
    const auto alone = bootstrap_mean({{"a", {1, 9, 50}}});
    CHECK(alone.low == doctest::Approx(20).epsilon(1e-12));  // a sum of equal terms divided by their number
    CHECK(alone.high == doctest::Approx(20).epsilon(1e-12));

    // Two contexts of means 0 and 10 in equal numbers: each of the two ends has a quarter of the draws, so 5 % and 95 % lie
    // there.
    const auto two = bootstrap_mean({{"a", {0, 0}}, {"b", {10, 10}}});
    CHECK(two.low == 0);
    CHECK(two.high == 10);
}

TEST_CASE("the interval narrows with the number of contexts") {
    const auto width = [](int contexts) {
        values_by_context values;
        for (int i = 0; i < contexts; ++i) values[std::to_string(i)] = {static_cast<double>(i % 2)};
        const auto found = bootstrap_mean(values);
        return found.high - found.low;
    };
    // 1.64 standard errors of 0.5 / sqrt(n) to either side, with 2000 draws known to a tenth.
    CHECK(width(100) == doctest::Approx(0.164).epsilon(0.1));
    CHECK(width(400) == doctest::Approx(0.082).epsilon(0.1));
}

TEST_CASE("every split belongs to the cells of the protocol that hold it") {
    struct row {
        int k;
        std::string mode;
        std::vector<std::string> cells;
    };
    const std::vector<row> table{
        {0, "zero", {"k=0", "extrap, k<=1"}},
        {1, "extrap", {"k=1 extrap", "k=1-5 extrap", "extrap, k<=1"}},
        {2, "extrap", {"k=2-5 extrap", "k=1-5 extrap", "extrap, k<=1"}},
        {2, "interp", {"k=2-5 interp", "k=2-6 interp"}},
        {3, "interp", {"k=2-5 interp", "k=2-6 interp"}},
        {4, "interp", {"k=2-5 interp", "k=2-6 interp", "k>=4"}},
        {5, "extrap", {"k=2-5 extrap", "k=1-5 extrap", "k>=4", "extrap, k<=1"}},
        {6, "interp", {"k=6", "k=2-6 interp", "k>=4"}},
    };
    for (const auto& each : table) {
        std::vector<std::string> found;
        for (const auto& cell : bench::cells())
            if (cell.contains(each.k, each.mode)) found.push_back(cell.name);
        CHECK_MESSAGE(found == each.cells, "k = ", each.k, " ", each.mode);
    }
}
