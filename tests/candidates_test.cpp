#include <bellamy/candidates.hpp>
#include <bellamy/decision_text.hpp>

#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/made_up_curve.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <memory>

using namespace bellamy;

TEST_CASE("a tag leads from the decision to an object of the caller's own") {
    struct pool {
        bellamy::context context;
        price costs;
        std::string name;
    };
    const std::vector<pool> pools{{support::made_up_context(30), {.per_unit_and_hour = 2}, "large"},
                                  {support::made_up_context(30), {.per_unit_and_hour = 1}, "spot"}};
    const auto model = support::made_up_blend();
    const request wanted{.goal = goal::least_expected_cost};
    candidate_list candidates;
    // As include/bellamy/README.md has it.
    for (std::size_t i = 0; i < pools.size(); ++i)
        candidates.add(model, pools[i].context, {4, 8, 16}, pools[i].costs, i).value();
    const auto& chosen = pools[choose(candidates, wanted).value().candidate->tag];
    CHECK(chosen.name == "spot");
}

TEST_CASE("a list of candidates owns its curves, its copies too, and a choice tells the caller's tag") {
    const auto general = support::made_up_blend();
    candidate_list list;
    REQUIRE(list.add(general, support::made_up_context(30), {2, 4}, {.per_unit_and_hour = 2}, 7));
    REQUIRE(list.add(general, support::made_up_context(60), {4, 8}, {.per_unit_and_hour = 1}, 9));
    for (int i = 0; i < 20; ++i)
        REQUIRE(list.add(general.bind(support::made_up_context(30)).value(), {6}, {.per_unit_and_hour = 0}));
    const auto moved = std::move(list);
    REQUIRE(moved.all().size() == 24);
    CHECK(moved.all()[1].scale_out == 4);
    CHECK(moved.all()[1].tag == 7);
    CHECK(moved.all()[2].costs.per_unit_and_hour == 1);
    CHECK(moved.all()[3].runtimes->at(8).median_s == general.bind(support::made_up_context(60))->at(8).median_s);
    std::vector<assessment> table(24);
    const auto answer = choose(moved, {.goal = goal::least_expected_cost}, table);
    REQUIRE(answer);
    CHECK(answer->candidate->candidate == 4);  // the first that costs nothing
    CHECK(table[3].tag == 9);

    auto original = std::make_unique<candidate_list>();
    REQUIRE(original->add(general, support::made_up_context(30), {2}));
    const auto copied = *original;
    original.reset();
    CHECK(copied.all()[0].runtimes->at(2).median_s == general.bind(support::made_up_context(30))->at(2).median_s);

    candidate_list refused;
    support::check_refused(refused.add(general, {}, {2}), errc::essential_count_mismatch);
    support::check_refused(refused.add(general, support::made_up_context(30), std::vector<int>{}), errc::empty_candidates,
                           {"expected scale-outs", "found none"});
    CHECK(refused.all().empty());
}

TEST_CASE("a decision in words and as JSON tells what the decision has") {
    const auto falling = support::made_up_curve(600, 0, 0);
    std::vector<assessment> table(3);
    const auto made = choose(falling, {2, 4, 8}, 160, 0.9, table).value();
    CHECK(to_text(made).starts_with("meets the deadline: scale-out 4, 150 s (median), probability "));
    const auto words = to_text(made, table);
    CHECK(words.find("\n  scale-out 2, 300 s (median), probability 0: misses the deadline") != std::string::npos);
    CHECK(words.find("\n  scale-out 8, 75 s (median), probability 1: larger than needed") != std::string::npos);

    const auto record = nlohmann::json::parse(to_json(made, table));
    CHECK(record.at("outcome") == "meets the deadline");
    CHECK(record.at("feasible") == true);
    CHECK(record.at("candidate").at("scale_out") == 4);
    CHECK(record.at("candidate").at("probability") == made.candidate->probability);
    CHECK(record.at("candidate").at("expected_cost").is_null());  // without a price
    CHECK(record.at("attainable_deadline_s").is_null());
    CHECK(nlohmann::json::parse(to_json(choose(falling, {2, 4}, 100).value())).at("attainable_deadline_s") ==
          doctest::Approx(150));
    CHECK(record.at("table").size() == 3);
    CHECK(record.at("table")[0].at("verdict") == "misses the deadline");
    const std::array free{candidate{.runtimes = &falling, .scale_out = 2, .costs = {.per_unit_and_hour = 0}}};
    CHECK(to_text(choose(free, {.goal = goal::least_expected_cost}).value()).ends_with(", expected cost 0"));
    const std::array named{candidate{.runtimes = &falling, .scale_out = 2, .costs = {.per_unit_and_hour = 0}, .tag = 7}};
    CHECK(to_text(choose(named, {.goal = goal::least_expected_cost}).value()).ends_with(", expected cost 0, tag 7"));
    // The first machine of a list is named, too.
    const std::array machines{candidate{.runtimes = &falling, .scale_out = 4, .tag = 0},
                              candidate{.runtimes = &falling, .scale_out = 8, .tag = 1}};
    std::vector<assessment> rows(2);
    const auto first = choose(machines, {.goal = goal::smallest_within_deadline, .deadline_s = 160}, rows).value();
    const auto of_both = to_text(first, rows);
    CHECK(of_both.find(", tag 0\n  scale-out 4, ") != std::string::npos);
    CHECK(of_both.find(", tag 0: chosen\n") != std::string::npos);
    CHECK(of_both.ends_with(", tag 1: larger than needed"));
    CHECK(words.find("tag") == std::string::npos);
    const auto none = nlohmann::json::parse(to_json(decision{}));
    CHECK(none.at("candidate").is_null());
    CHECK(none.at("meets_limit") == false);
    CHECK(to_text(decision{}) == "infeasible: no prediction is usable");
}
