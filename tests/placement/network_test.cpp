#include <bellamy/placement/network.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;
using support::close;
using support::json;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

using links_given = std::vector<placement::link>;

[[nodiscard]] result<placement::network> made_of(const data_centre& one, const links_given& links = {}) {
    return placement::network::make(std::vector<data_centre>{{.slots = 4}, one}, links);
}

}  // namespace

TEST_CASE("cost tables, envelopes and convex costs of the golden networks") {
    support::for_each_golden_instance([](const json& instance, const placement::network& net, const auto&) {
        CAPTURE(instance.at("name").get<std::string>());
        CHECK(close(net.base_cost_rate(), instance.at("base_cost")));
        // Of the larger ones the first data centre stands for all.
        REQUIRE_FALSE(instance.at("cost_table").empty());
        for (std::size_t i = 0; i < instance.at("cost_table").size(); ++i) {
            const auto& table = instance.at("cost_table").at(i);
            REQUIRE(net.costs(i).size() == table.size());
            for (std::size_t u = 0; u < table.size(); ++u) CHECK(close(net.cost(i, static_cast<int>(u)), table[u]));
        }
        for (std::size_t i = 0; i < instance.at("envelope").size(); ++i) {
            CHECK(close(net.envelope(i).slope, instance.at("envelope").at(i).at("slope")));
            CHECK(close(net.envelope(i).touch, instance.at("envelope").at(i).at("touch")));
        }
        for (const auto& each : instance.at("smooth")) {
            CHECK(close(net.convex_cost(each.at("data_centre"), each.at("load")), each.at("cost")));
            CHECK(close(net.convex_slope(each.at("data_centre"), each.at("load")), each.at("slope")));
        }
    });
}

TEST_CASE("convex costs are convex, below the true ones, and have the slope they say") {
    support::for_each_golden_instance([](const json& instance, const placement::network& net, const auto&) {
        CAPTURE(instance.at("name").get<std::string>());
        for (std::size_t i = 0; i < net.size(); ++i) {
            double slope_before = 0;
            for (double u = 0.1; u < net[i].slots + 2; u += 0.0937) {
                const double slope = net.convex_slope(i, u);
                CHECK(slope >= slope_before - 1e-9);
                slope_before = slope;
                // Away from the two bends.
                if (std::abs(u - net.envelope(i).touch) < 0.001 || std::abs(u - net[i].slots) < 0.001) continue;
                const double difference = (net.convex_cost(i, u + 1e-5) - net.convex_cost(i, u - 1e-5)) / 2e-5;
                CHECK(std::abs(difference - slope) <= 1e-4 * (1 + slope));
            }
            for (int u = net[i].load; u <= net[i].slots; ++u) {
                CHECK(net.convex_cost(i, u) <= net.cost(i, u) + 1e-12);
                CHECK(close(net.convex_cost_at(i, u), net.convex_cost(i, u)));
            }
        }
    });
}

TEST_CASE("the price of a first slot spreads the switch-on over the slots that are wanted") {
    const std::vector<data_centre> sites{
        {.slots = 4, .price_per_kwh = 2, .idle_kw_per_slot = 1, .dynamic_kw_per_slot = 0, .switch_on_kw = 6}};
    const auto net = placement::network::make(sites, {}).value();
    CHECK(net.price(0, 0, 1) == doctest::Approx(14));
    CHECK(net.price(0, 0, 3) == doctest::Approx(6));
    CHECK(net.price(0, 0, 100) == doctest::Approx(5));
    CHECK(net.opening_slots(0, 3) == 3);
    CHECK(net.price(0, 1, 3) == doctest::Approx(2));
}

TEST_CASE("neighbours are ascending, hold the data centre itself, and links work both ways") {
    const std::vector<data_centre> sites(5, {.slots = 1});
    const links_given links{{.a = 3, .b = 1, .traffic_price = 2}, {.a = 0, .b = 3}, {.a = 4, .b = 3}, {.a = 1, .b = 0}};
    const auto net = placement::network::make(sites, links).value();
    const auto near = net.neighbours(3);
    CHECK(std::vector<std::uint32_t>(near.begin(), near.end()) == std::vector<std::uint32_t>{0, 1, 3, 4});
    CHECK(net.may_talk(1, 3));
    CHECK(net.may_talk(2, 2));
    CHECK_FALSE(net.may_talk(1, 4));
    CHECK(net.traffic_price(1, 3) == 2);
    CHECK(net.traffic_price(3, 1) == 2);
    CHECK(net.traffic_price(0, 3) == 0);
}

TEST_CASE("bad data centres are refused with their number and what was found") {
    check_refused(made_of({.slots = -1}), errc::invalid_data_centre, {"data centre 1", "-1"});
    check_refused(made_of({.slots = 1'000'001}), errc::invalid_data_centre, {"1000001"});
    check_refused(made_of({.slots = 4, .load = 5}), errc::invalid_data_centre, {"found 5"});
    check_refused(made_of({.slots = 4, .load = -1}), errc::invalid_data_centre);
    for (const double price : {not_a_number, -1.0, infinite})
        check_refused(made_of({.slots = 4, .price_per_kwh = price}), errc::invalid_price);
    for (const double bad : {not_a_number, -1.0, infinite}) {
        check_refused(made_of({.slots = 4, .pue = bad}), errc::invalid_data_centre);
        check_refused(made_of({.slots = 4, .idle_kw_per_slot = bad}), errc::invalid_data_centre);
        check_refused(made_of({.slots = 4, .dynamic_kw_per_slot = bad}), errc::invalid_data_centre);
        check_refused(made_of({.slots = 4, .exponent = bad}), errc::invalid_data_centre);
        check_refused(made_of({.slots = 4, .switch_on_kw = bad}), errc::invalid_data_centre);
    }
    check_refused(made_of({.slots = 4, .pue = 0.9}), errc::invalid_data_centre, {"0.9"});
    check_refused(made_of({.slots = 4, .exponent = 0.5}), errc::invalid_data_centre, {"0.5"});
    // Finite numbers whose product is not.
    check_refused(made_of({.slots = 4, .price_per_kwh = 1e80, .pue = 1e80, .idle_kw_per_slot = 1e80}),
                  errc::invalid_data_centre);
    CHECK(placement::network::make({}, {}).has_value());
}

TEST_CASE("more slots together than tables can hold are refused before anything is allocated") {
    const std::vector<data_centre> sites(100, {.slots = 1'000'000});
    check_refused(placement::network::make(sites, {}), errc::invalid_data_centre, {"100000000"});
    const std::vector<data_centre> many(placement::network::most_data_centres + 1);
    check_refused(placement::network::make(many, {}), errc::invalid_data_centre, {"1048577"});
}

TEST_CASE("bad links are refused with their number or ends") {
    check_refused(made_of({}, {{.a = 0, .b = 0}}), errc::invalid_link, {"link 0"});
    check_refused(made_of({}, {{.a = 0, .b = 2}}), errc::invalid_link, {"2"});
    check_refused(made_of({}, {{.a = 0, .b = 1}, {.a = 0, .b = 1}}), errc::invalid_link, {"twice"});
    check_refused(made_of({}, {{.a = 0, .b = 1}, {.a = 1, .b = 0}}), errc::invalid_link, {"0-1 twice"});
    for (const double price : {not_a_number, -1.0, infinite})
        check_refused(made_of({}, {{.a = 0, .b = 1, .traffic_price = price}}), errc::invalid_price, {"link 0"});
}
