#include "../../bench/support/strategy_rounds.hpp"

#include <doctest/doctest.h>

namespace {

constexpr std::array<std::size_t, 1> counted{200};

// Two sites of ten slots and a suggestion for each; the first is a little cheaper, and no cheaper placement exists.
[[nodiscard]] bench::suggested_rounds two_sites() {
    bench::suggested_rounds all{.names = {"first", "second"}, .slots = {10, 10}, .failures = {0, 0}};
    for (std::size_t round = 0; round < counted.front(); ++round)
        all.rounds.push_back(
            {.suggestions = {{{.site = 0, .tasks = 1, .added_rate = 1}}, {{.site = 1, .tasks = 1, .added_rate = 1.1}}},
             .least_rate = 1});
    return all;
}

[[nodiscard]] bench::played_rounds play_leader(bench::price_kind kind) {
    bench::leader_choice leader(2);
    return bench::play(two_sites(), kind, leader, counted);
}

[[nodiscard]] bench::played_rounds play_learned(bench::price_kind kind, tools::learning_rule rule) {
    bench::learning_choice learned(rule, 2, counted.front());
    return bench::play(two_sites(), kind, learned, counted);
}

}  // namespace

TEST_CASE("costs are shares of bills above the least; prices that react cost the leader's followers in every round") {
    bench::fixed_choice second({0, 1});
    CHECK(bench::play(two_sites(), bench::price_kind::fixed, second, counted).mean_cost == doctest::Approx(1 - 1 / 1.1));
    CHECK(play_leader(bench::price_kind::fixed).regrets.front() == doctest::Approx(0));
    // Twenty tenants in one site of ten slots double its price.
    CHECK(play_leader(bench::price_kind::adaptive).mean_cost > 0.5);
    CHECK(play_leader(bench::price_kind::adaptive).regrets.front() > 20);
    CHECK(play_learned(bench::price_kind::adaptive, tools::learning_rule::regret_matching).regrets.front() < 10);
}

TEST_CASE("regrets of learned choices stay below the stated constant times the root of the rounds") {
    for (const auto kind : {bench::price_kind::fixed, bench::price_kind::adaptive, bench::price_kind::turning})
        for (const auto rule : {tools::learning_rule::hedge, tools::learning_rule::regret_matching}) {
            const auto played = play_learned(kind, rule);
            CHECK(played.regrets.front() <= played.stated_constant * std::sqrt(200.0));
        }
}

TEST_CASE("sites that turn against the favourite in the middle are noticed") {
    const auto played = play_learned(bench::price_kind::turning, tools::learning_rule::regret_matching);
    CHECK(played.noticed_after > 0);
    CHECK(played.noticed_after < 100);
}
