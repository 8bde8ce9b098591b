#include "../../bench/support/prices.hpp"

#include <doctest/doctest.h>

#include "../support/temporary_directory.hpp"

using support::temporary_directory;
using support::write_text;

TEST_CASE("a table of prices replaces the usual ones") {
    const temporary_directory place;
    const auto path = place / "prices.csv";
    write_text(path, "machine_type,price_per_hour\nsmall,0.5\nlarge,2\n");
    const auto prices = bench::read_prices(path);
    const auto machine = [](std::string type) {
        return bellamy::context{
            .essential = {bellamy::text("machine", std::move(type)).with_role(bellamy::property_role::machine_type)}};
    };
    CHECK(bench::price_of(machine("large"), prices).per_unit_and_hour == 2);
    CHECK(bench::price_of(machine("m4.2xlarge"), bench::usual_prices()).per_unit_and_hour == 0.4);
    CHECK_THROWS_WITH_AS((void)bench::price_of(machine("m4.2xlarge"), prices),
                         "unknown_machine_type: expected a price for machine type \"m4.2xlarge\", found none",
                         tools::tool_error);
}

TEST_CASE("prices with a defect are refused with the place") {
    struct row {
        std::string content;
        std::vector<std::string> words;
    };
    const std::vector<row> table{
        {"machine_type,hourly\nsmall,1\n", {"unknown_column", "price_per_hour"}},
        {"machine_type,price_per_hour\nsmall,cheap\n", {"not_a_number", "line 2", "cheap"}},
        {"machine_type,price_per_hour\nsmall,1\nlarge,-1\n", {"invalid_price", "line 3", "-1"}},
        {"machine_type,price_per_hour\nsmall,1\nsmall,2\n", {"duplicate_machine_type", "small"}},
    };
    for (const auto& each : table) {
        const temporary_directory place;
        write_text(place / "prices.csv", each.content);
        std::string message;
        try {
            (void)bench::read_prices(place / "prices.csv");
        } catch (const tools::tool_error& refused) {
            message = refused.what();
        }
        for (const auto& word : each.words) CHECK_MESSAGE(message.find(word) != std::string::npos, message);
    }
}
