#include <bellamy/detail/network/distinct_properties.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

TEST_CASE("distinct properties are numbered by value at the scale-out and kind, not by name") {
    detail::distinct_properties<float, 40> number_of;
    CHECK(number_of(natural("size", 8), 3) == 0);
    CHECK(number_of(natural("memory", 4).per_scale_out_unit(), 2) == 0);
    CHECK(number_of(natural("memory", 4).per_scale_out_unit(), 3) == 1);
    CHECK(number_of(text("size", "8"), 3) == 2);
    CHECK(number_of(quantity("size", 8), 3) == 3);
    CHECK(number_of(quantity("rate", 2).per_scale_out_unit(), 4) == 3);
    CHECK(number_of(unknown("size"), 3) == 4);
    CHECK(number_of(unknown("memory"), 1) == 4);
    CHECK(number_of(text("size", ""), 3) == 5);
    REQUIRE(number_of.encoded().size() == 6);
    std::array<float, 40> expected{};
    encode(natural("memory", 12), 1, std::span(expected));
    CHECK(number_of.encoded()[1] == expected);
}
