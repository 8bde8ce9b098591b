#include "support/compare.hpp"

#include <bellamy/price.hpp>

using namespace bellamy;
using support::check_refused;

TEST_CASE("a cluster costs its units by the second from the start-up on") {
    const price plain{.per_unit_and_hour = 0.36};
    CHECK(cost_of(plain, 10, 1000) == doctest::Approx(1));  // 0.36 / 3600 * 10 * 1000
    CHECK(cost_of({.per_unit_and_hour = 0.36, .start_up_s = 500}, 10, 1000) == doctest::Approx(1.5));
    CHECK(time_to_result_s({.start_up_s = 500}, 1000) == 1500);
    CHECK(cost_of({.per_unit_and_hour = 0}, 10, 1000) == 0);
}

TEST_CASE("started billing periods are paid in full") {
    const price hourly{.per_unit_and_hour = 2, .billing_granularity_s = 3600};
    CHECK(cost_of(hourly, 3, 1) == doctest::Approx(6));
    CHECK(cost_of(hourly, 3, 3600) == doctest::Approx(6));
    CHECK(cost_of(hourly, 3, 3601) == doctest::Approx(12));
}

TEST_CASE("expected interruptions lengthen the run by the share that runs again") {
    // One interruption in two hours: a run of one hour is hit half a time, and then a quarter of it runs again.
    const price spot{.per_unit_and_hour = 1, .interruptions_per_hour = 0.5, .rerun_share = 0.25};
    CHECK(time_to_result_s(spot, 3600) == doctest::Approx(3600 * 1.125));
    CHECK(cost_of(spot, 2, 3600) == doctest::Approx(2 * 1.125));
}

TEST_CASE("the runtime within a time to the result is its inverse") {
    for (const price& each : {price{}, price{.start_up_s = 60}, price{.start_up_s = 60, .interruptions_per_hour = 2},
                              price{.interruptions_per_hour = 30, .rerun_share = 1}})
        for (const double runtime_s : {0.5, 100.0, 86400.0})
            CHECK(runtime_within_s(each, time_to_result_s(each, runtime_s)) == doctest::Approx(runtime_s).epsilon(1e-9));
    CHECK(runtime_within_s({.start_up_s = 60}, 50) < 0);
}

TEST_CASE("the runtime within a budget is the longest that the budget pays") {
    for (const price& each :
         {price{.per_unit_and_hour = 2}, price{.per_unit_and_hour = 2, .start_up_s = 60, .billing_granularity_s = 60},
          price{.per_unit_and_hour = 2, .start_up_s = 60, .interruptions_per_hour = 2}}) {
        for (const double budget : {1.0, 10.0}) {
            const double longest_s = runtime_within_budget_s(each, 4, budget);
            REQUIRE(longest_s > 0);
            CHECK(cost_of(each, 4, longest_s * (1 - 1e-9)) <= budget);
            CHECK(cost_of(each, 4, longest_s * (1 + 1e-9)) > budget);
        }
    }
    CHECK(std::isnan(runtime_within_budget_s({}, 4, 1)));
    CHECK(runtime_within_budget_s({.per_unit_and_hour = 0}, 4, 1) == std::numeric_limits<double>::infinity());
    CHECK(runtime_within_budget_s({.per_unit_and_hour = 3600, .start_up_s = 60}, 1, 59) < 0);
}

TEST_CASE("a budget of what some billing periods cost pays for all of them, and for no more") {
    for (int cents = 1; cents <= 200; ++cents)
        for (int units = 1; units <= 16; ++units)
            for (int periods = 1; periods <= 10; ++periods)
                for (const double granularity_s : {60.0, 3600.0}) {
                    const price each{.per_unit_and_hour = 0.01 * cents, .billing_granularity_s = granularity_s};
                    const double paid_s = periods * granularity_s;
                    const double longest_s = runtime_within_budget_s(each, units, cost_of(each, units, paid_s));
                    if (longest_s < paid_s || longest_s > paid_s * (1 + 1e-9))
                        FAIL_CHECK(cents << " cents, " << units << " units, " << paid_s << " s paid: " << longest_s);
                }
    const price hourly{.per_unit_and_hour = 0.01, .billing_granularity_s = 3600};
    CHECK(runtime_within_budget_s(hourly, 3, 0.03) == 3600);
    CHECK(runtime_within_budget_s(hourly, 3, 0.0299) == 0);
}

TEST_CASE("prices and times as large as a double holds give a cost that is a number, free machines cost nothing") {
    constexpr double most = (std::numeric_limits<double>::max)();
    const double infinity = std::numeric_limits<double>::infinity();
    const price dear{.per_unit_and_hour = most, .interruptions_per_hour = most, .rerun_share = 0};
    CHECK(cost_of(dear, 10, 1e6) == infinity);
    CHECK(time_to_result_s(dear, 1e6) == 1e6);
    // The number of periods is infinite.
    CHECK(cost_of({.per_unit_and_hour = 0, .start_up_s = 1e300, .billing_granularity_s = 1e-300}, 10, 1000) == 0);
    const price often{.interruptions_per_hour = 1e200};
    CHECK(runtime_within_s(often, 1e200) == doctest::Approx(std::sqrt(7200.0)).epsilon(1e-9));
}

TEST_CASE("a price with a defect is refused by name") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(validate(price{.per_unit_and_hour = 0}).has_value());
    check_refused(validate(price{}), errc::invalid_price, {"found none"});
    CHECK(validate(price{}, false).has_value());
    CHECK(std::isnan(cost_of({}, 2, 100)));
    check_refused(validate(price{.per_unit_and_hour = -0.1}), errc::invalid_price, {"price", "-0.1"});
    check_refused(validate(price{.per_unit_and_hour = infinity}), errc::invalid_price, {"price"});
    check_refused(validate(price{.start_up_s = -1}), errc::invalid_price, {"start-up", "-1"});
    check_refused(validate(price{.billing_granularity_s = -1}), errc::invalid_price, {"granularity >= 0", "-1"});
    check_refused(validate(price{.billing_granularity_s = std::nan("")}), errc::invalid_price, {"granularity", "nan"});
    check_refused(validate(price{.interruptions_per_hour = -2}), errc::invalid_price, {"interruptions", "-2"});
    check_refused(validate(price{.rerun_share = 1.5}), errc::invalid_price, {"share", "1.5"});
}
