#include <bellamy/detail/context/history.hpp>
#include <bellamy/schema.hpp>

#include <doctest/doctest.h>

#include "support/made_up_blend.hpp"

using namespace bellamy;

namespace {

context job(std::vector<property> optional, scale_out_unit unit = scale_out_unit::node) {
    return {.essential = {text("machine", "m5.large"), natural("size", 10)}, .optional = std::move(optional), .unit = unit};
}

// All three ways to ask must agree.
bool same(const context& a, const context& b) {
    const bool equal = a == b;
    CHECK(equal == (detail::identity_of(a) == detail::identity_of(b)));
    CHECK(equal == (detail::identity_hash(a) == detail::identity_hash(b)));
    const std::vector<run> runs{{.context = a, .scale_out = 2, .runtime_s = 1},
                                {.context = b, .scale_out = 2, .runtime_s = 1}};
    CHECK(equal == (context_numbers(runs)[1] == 0));
    CHECK(equal == (detail::group_runs(runs).contexts.size() == 1));
    return equal;
}

}  // namespace

TEST_CASE("contexts are the same whatever the order of their optional properties, and whatever roles say") {
    const auto a = text("a", "1");
    const auto b = quantity("b", 2);
    CHECK(same(job({a, b}), job({b, a})));
    CHECK(same(job({a, quantity("b", 2).with_role(property_role::data_size)}), job({a, b})));
    CHECK(same(job({}), job({})));
}

TEST_CASE("contexts differ by unit, name, kind, value and the order of essential properties") {
    CHECK_FALSE(same(job({}), job({}, scale_out_unit::executor)));
    CHECK_FALSE(same(job({text("a", "1")}), job({text("b", "1")})));
    CHECK_FALSE(same(job({text("a", "1")}), job({natural("a", 1)})));
    CHECK_FALSE(same(job({text("a", "1")}), job({text("a", "2")})));
    CHECK_FALSE(same(job({text("a", "1")}), job({unknown("a")})));
    CHECK_FALSE(same(job({text("a", "1")}), job({})));
    CHECK_FALSE(same(job({quantity("a", 1)}), job({quantity("a", 1 + 1e-15)})));
    auto turned = job({});
    std::swap(turned.essential[0], turned.essential[1]);
    CHECK_FALSE(same(job({}), turned));
}

TEST_CASE("texts with zero bytes and lengths in them imitate no other context") {
    using namespace std::string_literals;
    CHECK_FALSE(same(job({text("a", "1\0b\0\0002"s)}), job({text("a", "1"), text("b", "2")})));
    CHECK_FALSE(same(job({text("a", "")}), job({text("a", "\0"s)})));
    CHECK_FALSE(same({.essential = {text("a", "b"), text("c", "d")}},
                     {.essential = {text("a", "b")}, .optional = {text("c", "d")}}));
}

TEST_CASE("a run whose optional properties stand in another order counts like any other run of its context") {
    auto history = support::made_up_history(6, 2);
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].context.optional.push_back(text("team", i % 2 == 0 ? "a" : "b"));
    const auto model = support::blend_of(history);
    auto slower = history.front();
    slower.runtime_s *= 1.4;
    auto turned = slower;
    std::swap(turned.context.optional[0], turned.context.optional[1]);
    const auto expected = model.condition({&slower, 1})->bind(slower.context)->at(4);
    const auto found = model.condition({&turned, 1})->bind(slower.context)->at(4);
    CHECK(expected.observed_runs == 1);
    CHECK(found.observed_runs == 1);
    CHECK(found.median_s == expected.median_s);
    CHECK(found.median_s != model.bind(slower.context)->at(4).median_s);
}

TEST_CASE("contexts are numbered in order of first appearance, however many there are") {
    std::vector<context> many;
    for (std::uint64_t i = 0; i < 500; ++i) many.push_back(job({natural("number", i * i)}));
    detail::context_numbering number;
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < many.size(); ++i) CHECK(number(many[i]) == i);
    CHECK(number.size() == many.size());
}
