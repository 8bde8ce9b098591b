#include "../../bench/support/comparison.hpp"

#include <doctest/doctest.h>

using bench::pair_up;

namespace {

tools::table make_table(std::vector<std::string> columns, const std::vector<std::vector<std::string>>& rows) {
    tools::table made{.path = "made-up", .columns = std::move(columns)};
    for (const auto& cells : rows) made.rows.push_back({.line = made.rows.size() + 2, .cells = cells});
    return made;
}

const auto ours = make_table({"algorithm", "context", "k", "mode", "seed", "method", "test_row", "truth_s", "predicted_s"},
                             {{"sort", "1", "2", "interp", "0", "paper", "5", "100", "110"},    // 0.10 off
                              {"sort", "1", "2", "interp", "0", "ernest", "5", "100", "170"},   // another method
                              {"sort", "1", "3", "interp", "0", "paper", "6", "200", "190"},    // 0.05 off
                              {"sort", "2", "2", "interp", "1", "paper", "9", "50", "50"},      // exact
                              {"sort", "2", "2", "extrap", "1", "paper", "8", "50", "75"},      // another cell
                              {"grep", "1", "2", "interp", "0", "paper", "5", "100", "160"}});  // not among theirs

const auto theirs = make_table({"algorithm", "context", "k", "mode", "seed", "test_row", "truth_s", "gp_s"},
                               {{"sort", "2", "2", "interp", "1", "9", "50", "60"},    // 0.20 off: ours is closer
                                {"sort", "1", "3", "interp", "0", "6", "200", "202"},  // 0.01 off: theirs is closer
                                {"sort", "1", "2", "interp", "0", "5", "100", "70"},   // 0.30 off: ours is closer
                                {"sort", "2", "2", "extrap", "1", "8", "50", "50"},    // another cell
                                {"sort", "1", "2", "interp", "3", "5", "100", "100"},  // another seed
                                {"grep", "1", "2", "interp", "0", "5", "100", ""}});   // did not answer

bench::cell named(const std::string& name) {
    for (const auto& each : bench::cells())
        if (each.name == name) return each;
    return {};
}

}  // namespace

TEST_CASE("a difference is negative where ours is closer") {
    const auto pairs = pair_up(ours, "paper", theirs, "gp_s", named("k=2-5 interp"));
    const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-12); };  // a few roundings
    REQUIRE(pairs.ours.size() == 3);
    CHECK(pairs.ours[0] == near(0.10));
    CHECK(pairs.theirs[0] == near(0.30));
    CHECK(pairs.ours[1] == near(0.05));
    CHECK(pairs.theirs[1] == near(0.01));
    CHECK(pairs.ours[2] == 0);
    CHECK(pairs.theirs[2] == near(0.20));
    CHECK(pairs.closer == 2);
    REQUIRE(pairs.difference.size() == 2);
    CHECK(pairs.difference.at("sort 1") == std::vector{pairs.ours[0] - pairs.theirs[0], pairs.ours[1] - pairs.theirs[1]});
    CHECK(pairs.difference.at("sort 1")[0] < 0);
    CHECK(pairs.difference.at("sort 1")[1] > 0);
    CHECK(pairs.difference.at("sort 2")[0] == near(-0.20));
}

TEST_CASE("only splits of the cell, of the method and of both tables are paired") {
    CHECK(pair_up(ours, "paper", theirs, "gp_s", named("k=2-5 extrap")).ours.size() == 1);
    CHECK(pair_up(ours, "ernest", theirs, "gp_s", named("k=2-5 interp")).ours.size() == 1);
    CHECK(pair_up(ours, "bell", theirs, "gp_s", named("k=2-5 interp")).ours.empty());
    CHECK(pair_up(ours, "paper", theirs, "gp_s", named("k=0")).ours.empty());
    CHECK_THROWS_WITH_AS((void)pair_up(ours, "paper", theirs, "eb_s", named("k=0")),
                         "unknown_column: expected one of the columns algorithm, context, k, mode, seed, test_row, truth_s, "
                         "gp_s of made-up, found \"eb_s\"",
                         tools::tool_error);
}
