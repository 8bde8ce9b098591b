// How bench/explore follows rules through a grid, and the program itself on a made-up one.
#include <fmt/format.h>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../../bench/support/search_rules.hpp"
#include "../examples/support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

// Two machine types at 4 to 32 nodes, 50 seconds and a share of the work for every core; the largest cluster was killed.
[[nodiscard]] std::string made_up_grid() {
    std::string text =
        "application\tmachine_type\tcores_per_node\tmemory_mb_per_node\tdata_size_MB\tnodes\tseconds\toutcome\t"
        "price_per_node_hour\n";
    for (const auto& [application, work_s] : {std::pair("wordcount", 9000.0), std::pair("pagerank", 30000.0)})
        for (const int cores : {2, 4})
            for (const int nodes : {4, 8, 12, 16, 24, 32})
                text += fmt::format("{}\tm{}\t{}\t{}\t1000\t{}\t{:.1f}\t{}\t{:.2f}\n", application, cores, cores,
                                    4000 * cores, nodes, 50 + work_s / (cores * nodes),
                                    cores * nodes == 128 ? "killed" : "succeeded", 0.05 * cores);
    return text;
}

[[nodiscard]] bench::cluster_search first_search(const temporary_directory& place) {
    write_text(place / "grid.tsv", made_up_grid());
    return bench::searches_of(tools::read_table(place / "grid.tsv")).front();
}

}  // namespace

TEST_CASE("a rule is followed to its end: runs, money in runs of the cheapest, and the choice at its stop") {
    const temporary_directory place;
    const auto search = first_search(place);
    auto order = bench::by_price(search);
    const auto course = bench::follow(search, bench::in_order(search, order, 3), std::nullopt);
    CHECK(course.trials == 3);
    double spent = 0;
    for (std::size_t i = 0; i < 3; ++i) spent += search.runs[order[i]].cost() / search.least_cost();
    CHECK(course.spent_at_stop() == doctest::Approx(spent));
    CHECK(course.regrets.back() == doctest::Approx(0));
    const auto until = course.trials_until(0);
    CHECK(course.regrets[until - 1] <= 0);
    CHECK((until == 1 || course.regrets[until - 2] > 0));
    CHECK(course.regret_after(0) == std::numeric_limits<double>::infinity());
    // A first run that is given is not asked for.
    const auto given = bench::follow(search, bench::in_order(search, order, 1), order.back());
    CHECK(given.spent.front() == doctest::Approx(search.runs[order.back()].cost() / search.least_cost()));
}

TEST_CASE(
    "CherryPick's rule and extra trees try three at random, none twice, and stop after the first few at the earliest") {
    const temporary_directory place;
    const auto search = first_search(place);
    const bench::tree_search_settings trees;
    for (const auto& [rule, least] :
         {std::pair(bench::cherrypick(search, {}, 1), bench::optimisation_settings{}.least_trials),
          {bench::by_extra_trees(search, trees, 1), trees.optimisation.least_trials}}) {
        std::vector<std::size_t> tried;
        while (tried.size() < search.runs.size()) {
            const auto step = rule(tried);
            REQUIRE(step.next);
            CHECK(std::ranges::find(tried, *step.next) == tried.end());
            if (tried.size() < 3) CHECK(*step.next == bench::random_order(search, 1)[tried.size()]);
            if (tried.size() < least) CHECK_FALSE(step.stops);
            tried.push_back(*step.next);
        }
        CHECK_FALSE(rule(tried).next);
    }
}

TEST_CASE("extra trees know the rows that they saw, split where the targets do, and differ between them") {
    using trees_of_one = bench::extra_trees<2>;
    std::vector<trees_of_one::row> rows;
    std::vector<double> targets;
    for (int i = 0; i < 20; ++i) {
        rows.push_back({static_cast<double>(i), 7});
        targets.push_back(i < 10 ? 1 : 5);
    }
    const trees_of_one trees(rows, targets, {}, 3);
    for (const double x : {0.0, 5.0, 9.0, 10.0, 19.0, 40.0})
        for (const double each : trees.predict({x, 7})) CHECK(each == doctest::Approx(x < 10 ? 1 : 5));
    const auto between = trees.predict({9.5, 7});
    CHECK(between.size() == 100);
    CHECK(std::ranges::count_if(between, [](double each) { return each < 2; }) > 20);
    CHECK(std::ranges::count_if(between, [](double each) { return each > 4; }) > 20);
    CHECK(trees_of_one(rows, targets, {}, 3).predict({9.5, 7}) == between);
    // Leaves of more rows have their mean, and so do rows that are alike.
    const trees_of_one stump(rows, targets, {.trees = 1, .least_to_split = 21}, 3);
    CHECK(stump.predict({0, 7}).front() == doctest::Approx(3));
    const std::vector<trees_of_one::row> alike(2, {4, 4});
    CHECK(trees_of_one(alike, std::vector<double>{2, 4}, {}, 1).predict({4, 4}).front() == doctest::Approx(3));
}

TEST_CASE("explore prints its table and writes the same as JSON, with any number of threads") {
    const temporary_directory place;
    write_text(place / "grid.tsv", made_up_grid());
    const auto searches = [&](const std::string& threads) {
        const auto out = check_succeeds({BELLAMY_EXPLORE, "--grid", place / "grid.tsv", "--starts", "2", "--threads",
                                         threads, "--json", place / "explore.json"});
        CHECK(out.find("CherryPick") != std::string::npos);
        CHECK(out.find("extra trees") != std::string::npos);
        return nlohmann::json::parse(support::read_text(place / "explore.json"));
    };
    const auto one = searches("1");
    CHECK(one.at("searches") == searches("2").at("searches"));
    CHECK(one.at("speed").size() == 4);
    std::size_t rows = 0;
    for (const auto& row : one.at("searches")) {
        if (row.at("group") == "all") ++rows;
        CHECK(row.at("kept") <= 100);
        CHECK(row.at("runs_to_5") >= row.at("runs_to_10"));
        CHECK(row.at("less_trees").is_null() == (row.at("method") == "extra trees"));
        if (row.at("method") == "CherryPick") {
            CHECK(row.at("less_cherrypick").is_null());
            continue;
        }
        // Of pairs from the same starts.
        const auto& peer = *std::ranges::find_if(one.at("searches"), [&](const auto& other) {
            return other.at("group") == row.at("group") && other.at("method") == "CherryPick";
        });
        const auto number = [](const nlohmann::json& of, const char* name) { return of.at(name).get<double>(); };
        CHECK(number(row, "less_cherrypick") ==
              doctest::Approx(number(row, "total_at_stop") - number(peer, "total_at_stop")));
        CHECK(number(row, "less_cherrypick_low") <= number(row, "less_cherrypick"));
        CHECK(number(row, "less_cherrypick") <= number(row, "less_cherrypick_high"));
    }
    CHECK(rows == 9);
}

TEST_CASE("explore refuses bad input and wrong usage with one line") {
    const temporary_directory place;
    check_wrong_usage(run_program({BELLAMY_EXPLORE}), {"--grid"});
    check_wrong_usage(run_program({BELLAMY_EXPLORE, "--grid", place / "grid.tsv", "--starts", "0"}), {"--starts"});
    check_refused(run_program({BELLAMY_EXPLORE, "--grid", place / "grid.tsv"}), "cannot_read");
}
