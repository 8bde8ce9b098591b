#include <bellamy/detail/base/sort.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace bellamy;

TEST_CASE("sorting puts the lesser first and keeps equals in their order") {
    // One number sorted by its hundreds tells in the rest where it stood.
    std::vector<std::unique_ptr<int>> values;
    for (int i = 0; i < 100; ++i) values.push_back(std::make_unique<int>(i * 7 % 5 * 100 + i));
    detail::sort_stably(values, [](const auto& a, const auto& b) { return *a / 100 < *b / 100; });
    REQUIRE(values.size() == 100);
    for (std::size_t i = 1; i < values.size(); ++i) CHECK(*values[i - 1] < *values[i]);
}

TEST_CASE("sorting nothing gives nothing") {
    std::vector<int> none;
    detail::sort_stably(none, [](int a, int b) { return a < b; });
    CHECK(none.empty());
}

TEST_CASE("distinct values are sorted, and each is there once") {
    std::vector<int> values{3, 1, 3, 2, 1};
    detail::sort_distinct(values);
    CHECK(values == std::vector<int>{1, 2, 3});
}
