#include <bellamy/placement/choose_variants.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;
using support::close;
using support::json;

namespace {

/// A log-normal runtime.
[[nodiscard]] prediction log_normal(double median_s, double deviation) {
    prediction made{.median_s = median_s, .is_point = false};
    for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
        made.log_quantiles[i] = std::log(median_s) + deviation * bellamy::detail::standard_normal_quantiles[i];
    return made;
}

[[nodiscard]] std::vector<variant> golden_variants() {
    std::vector<variant> made;
    for (const auto& each : support::golden_placement().at("variants").at("variants"))
        made.push_back({.scale_out = each.at("scale_out"),
                        .graph = job_graph::star(each.at("scale_out")).value(),
                        .runtime = log_normal(each.at("median_s"), each.at("log_deviation"))});
    return made;
}

}  // namespace

TEST_CASE("variants are assessed and chosen as in the golden file") {
    const auto& golden = support::golden_placement().at("variants");
    const auto net = support::network_of(golden.at("network"));
    const auto variants = golden_variants();
    std::vector<variant_assessment> table(variants.size());
    for (const auto& each : golden.at("decisions")) {
        CAPTURE(each.dump());
        const auto decided =
            choose_variant(net, net.load(), variants,
                           {.deadline_s = each.at("deadline_s"), .probability = each.at("probability")}, table)
                .value();
        for (std::size_t i = 0; i < variants.size(); ++i) {
            const auto& expected = golden.at("variants").at(i);
            CHECK(close(table[i].expected_s, expected.at("expected_s")));
            CHECK(close(table[i].added_rate, expected.at("added_rate")));
            CHECK(close(table[i].expected_cost, expected.at("expected_cost")));
            CHECK(close(variants[i].runtime.quantile_s(0.9), expected.at("quantile_90_s")));
            CHECK(close(table[i].probability, each.at("probabilities").at(i)));
        }
        const auto& chosen = each.at("chosen").is_null() ? each.at("best_effort") : each.at("chosen");
        REQUIRE(decided.chosen.has_value());
        CHECK(decided.chosen->variant == chosen.get<std::size_t>());
        CHECK(decided.feasible() != each.at("chosen").is_null());
        std::vector<int> counts(net.size(), 0);
        for (const auto dc : decided.where) ++counts[dc];
        CHECK(counts == golden.at("variants").at(decided.chosen->variant).at("strategy").get<std::vector<int>>());
    }
}

TEST_CASE("the table says why each variant was chosen or not") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    auto variants = golden_variants();
    variants.push_back({.scale_out = 9, .graph = job_graph::star(9).value(), .runtime = {.median_s = 0}});
    variants.push_back({.scale_out = 60, .graph = job_graph::star(60).value(), .runtime = log_normal(10, 0.1)});
    std::vector<variant_assessment> table(variants.size());
    const auto decided = choose_variant(net, net.load(), variants, {.deadline_s = 700}, table).value();
    CHECK(decided.chosen->variant == 2);
    CHECK(table[0].why == verdict::misses_deadline);
    CHECK(table[2].why == verdict::chosen);
    CHECK(table[3].why == verdict::costs_more);
    CHECK(table[5].why == verdict::not_usable);
    CHECK_FALSE(table[6].fits);
}

TEST_CASE("without a usable variant that fits, nothing is chosen") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    const std::vector<variant> variants{
        {.scale_out = 60, .graph = job_graph::star(60).value(), .runtime = log_normal(10, 0.1)}, {}};
    const auto decided = choose_variant(net, net.load(), variants, {.deadline_s = 700}).value();
    CHECK_FALSE(decided.feasible());
    CHECK_FALSE(decided.chosen.has_value());
    CHECK(decided.where.empty());
}

TEST_CASE("start-up counts towards the deadline") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    auto variants = golden_variants();
    for (auto& each : variants) each.delays.start_up_s = 300;
    CHECK(choose_variant(net, net.load(), variants, {.deadline_s = 1000}).value().chosen->variant == 2);
}

TEST_CASE("crawlers find the placement where strategies cannot be listed") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    const auto variants = golden_variants();
    std::vector<variant_assessment> listed(variants.size());
    std::vector<variant_assessment> crawled(variants.size());
    static_cast<void>(choose_variant(net, net.load(), variants, {.deadline_s = 700}, listed).value());
    static_cast<void>(
        choose_variant(net, net.load(), variants, {.deadline_s = 700}, crawled, {.limits = {.strategies = 0}}).value());
    for (std::size_t i = 0; i < variants.size(); ++i) {
        CHECK(crawled[i].fits);
        CHECK(crawled[i].added_rate >= listed[i].added_rate - 1e-9);
        CHECK(crawled[i].added_rate <= 1.1 * listed[i].added_rate);
    }
}

TEST_CASE("bad requests about variants are refused") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    const auto variants = golden_variants();
    const auto asked = [&](const request& wanted) { return choose_variant(net, net.load(), variants, wanted); };
    check_refused(asked({.deadline_s = 0}), errc::invalid_deadline);
    check_refused(asked({.deadline_s = 10, .probability = 1}), errc::invalid_probability);
    check_refused(asked({.goal = goal::fastest_within_budget, .deadline_s = 10}), errc::invalid_option);
    check_refused(asked({.deadline_s = 10, .budget = 5}), errc::invalid_budget, {"found 5"});
    check_refused(asked({.deadline_s = 10, .cost_of_missing = 5}), errc::invalid_price, {"found 5"});
    check_refused(choose_variant(net, net.load(), {}, {.deadline_s = 10}), errc::empty_candidates);
    std::vector<variant_assessment> table(2);
    check_refused(choose_variant(net, net.load(), variants, {.deadline_s = 10}, table), errc::buffer_too_small);
    check_refused(choose_variant(net, std::vector<int>{1, 2}, variants, {.deadline_s = 10}), errc::invalid_data_centre);
    check_refused(choose_variant(net, std::vector<int>{1, 2, 99}, variants, {.deadline_s = 10}), errc::invalid_data_centre,
                  {"data centre 2"});
    auto bad = golden_variants();
    bad[1].scale_out = 0;
    check_refused(choose_variant(net, net.load(), bad, {.deadline_s = 10}), errc::invalid_scale_out);
    bad = golden_variants();
    bad[1].delays.start_up_s = -1;
    check_refused(choose_variant(net, net.load(), bad, {.deadline_s = 10}), errc::invalid_price);
}
