#include <bellamy/detail/base/nearest_name.hpp>

#include <doctest/doctest.h>

using bellamy::detail::edit_distance;
using bellamy::detail::nearest_name;

TEST_CASE("the nearest name is close by, or the only one that begins so") {
    const std::vector<std::string> names{"import", "inspect", "pretrain", "place"};
    CHECK(nearest_name("improt", names) == "import");
    CHECK(nearest_name("inspct", names) == "inspect");
    CHECK(nearest_name("pre", names) == "pretrain");
    CHECK(nearest_name("i", names).empty());
    CHECK(nearest_name("quickstart", names).empty());
    CHECK(nearest_name("PRETRAIN", names) == "pretrain");
    CHECK(nearest_name("in", {"inspect", "input"}).empty());
    CHECK(edit_distance("ab", "ba") == 1);
    CHECK(edit_distance("Ab_1", "bA_1") == 1);
    CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("of letters alone capital ones are as small ones") {
    const auto distance = [](const std::string& pair) { return edit_distance(pair.substr(0, 1), pair.substr(1)); };
    for (const std::string pair : {"@`", "[{", "\\|", "]}", "^~", "_\x7f", "\0200"})
        CHECK_MESSAGE(distance(pair) == 1, pair);
    for (const std::string pair : {"aA", "Zz"}) CHECK_MESSAGE(distance(pair) == 0, pair);
}
