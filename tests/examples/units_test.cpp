// Times, data sizes and prices with units.
#include "../../examples/support/units.hpp"
#include "../../examples/support/start_time.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

TEST_CASE("times are seconds, or sums of units from the largest to the smallest") {
    const std::vector<std::pair<std::string, double>> good{
        {"90", 90},      {"1e3", 1000},   {"90s", 90},        {"10m", 600},    {"2h", 7200}, {"1d", 86400},
        {"1h30m", 5400}, {"1.5 h", 5400}, {"1h 30min", 5400}, {"250ms", 0.25}, {"-3", -3}};
    for (const auto& row : good) {
        const auto& text = row.first;
        CAPTURE(text);
        REQUIRE(tools::parse_seconds(text));
        CHECK(*tools::parse_seconds(text) == doctest::Approx(row.second));
    }
    for (const std::string bad : {"", "m", "10x", "30m1h", "1h1h", "-5m", "10 m m", "1h30", "infm", "1,5h"}) {
        CAPTURE(bad);
        CHECK_FALSE(tools::parse_seconds(bad));
    }
}

TEST_CASE("sizes are megabytes of 2^20 bytes, as Spark counts them, or have a unit") {
    const std::vector<std::pair<std::string, double>> good{{"500", 500},        {"500MB", 500},     {"32GB", 32768},
                                                           {"32gb", 32768},     {"32g", 32768},     {"32G", 32768},
                                                           {"1.5 TB", 1572864}, {"1 gib", 1024},    {"2kB", 2.0 / 1024},
                                                           {"2KB", 2.0 / 1024}, {"2k", 2.0 / 1024}, {"1048576 B", 1}};
    for (const auto& row : good) {
        const auto& text = row.first;
        CAPTURE(text);
        REQUIRE(tools::parse_megabytes(text));
        CHECK(*tools::parse_megabytes(text) == doctest::Approx(row.second));
    }
    for (const std::string bad : {"", "GB", "32Gb", "1GB2MB", "-1GB", "32 apples"}) {
        CAPTURE(bad);
        CHECK_FALSE(tools::parse_megabytes(bad));
    }
}

TEST_CASE("a property that counts MB takes sizes, and any other is as it is") {
    CHECK(tools::with_unit_of("data_size_MB", "15GB") == "15360");
    CHECK(tools::with_unit_of("size_mb", "1.5kB") == "1");
    for (const std::string text : {"4GB", "4gb", "4g", "4G", "4096M"})
        CHECK(tools::with_unit_of("executor_memory_MB", text) == "4096");
    CHECK(tools::with_unit_of("data_size_MB", "15408") == "15408");
    CHECK(tools::with_unit_of("data_size_MB", "much") == "much");
    CHECK(tools::with_unit_of("disk", "15GB") == "15GB");
}

TEST_CASE("amounts may name a currency, and prices what they are per") {
    const auto price = tools::parse_money("$0.40/h", true);
    REQUIRE(price);
    CHECK(price->amount == doctest::Approx(0.4));
    CHECK(price->currency == "$");
    CHECK(tools::parse_money("0.01 EUR/min", true)->amount == doctest::Approx(0.6));
    CHECK(tools::parse_money("EUR 12", false)->currency == "EUR");
    CHECK(tools::parse_money("12€", false)->currency == "€");
    CHECK(tools::parse_money("12", false)->currency.empty());
    for (const std::string bad : {"", "$", "cheap", "1 2", "$1$", "1/parsec", "1 bitcoin"}) {
        CAPTURE(bad);
        CHECK_FALSE(tools::parse_money(bad, true));
    }
    CHECK_FALSE(tools::parse_money("1/h", false));  // an amount is no rate
}

TEST_CASE("money is printed with its currency, a code apart from the number, and small amounts are not rounded to nothing") {
    CHECK(tools::to_text({.amount = 12.345, .currency = "$"}) == "$12.35");
    CHECK(tools::to_text({.amount = -3.1, .currency = "EUR"}) == "-EUR 3.10");
    CHECK(tools::to_text({.amount = 0.00423, .currency = "\u20ac"}) == "\u20ac0.0042");
    CHECK(tools::to_text({.amount = 0}) == "0.00");
}

TEST_CASE("a start is seconds since 1970, or a date and time with or without a zone") {
    for (const auto& row : std::vector<std::pair<std::string, double>>{{"1767225600", 1767225600},
                                                                       {"2026-01-01", 1767225600},
                                                                       {"2026-01-01T00:00:00Z", 1767225600},
                                                                       {"2026-01-01 01:30", 1767231000},
                                                                       {"2026-01-01T01:30:00.5+01:00", 1767227400.5},
                                                                       {"2025-12-31 19:00:00 -0500", 1767225600}}) {
        const auto& text = row.first;
        CAPTURE(text);
        REQUIRE(tools::parse_start(text));
        CHECK(*tools::parse_start(text) == doctest::Approx(row.second).epsilon(1e-12));
    }
    for (const std::string bad : {"", "yesterday", "nan", "2026-02-30", "1767225600000", "20260131", "2026-1-1",
                                  "01/02/2026", "2026-01-01T25:00", "2026-01-01T10:00 CET", "2026-01-01T10:00+1"}) {
        CAPTURE(bad);
        CHECK_FALSE(tools::parse_start(bad));
    }
}
