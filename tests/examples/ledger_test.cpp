// The ledger of proposals: what became of them, and when they stop.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "../../examples/support/backtest_score.hpp"
#include "../../examples/support/stop_rule.hpp"
#include "support/made_up_history.hpp"

using support::advised_record;
using support::check_refused;
using support::check_succeeds;
using support::history_table;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::usual_runs;
using support::warns_of;
using support::write_text;

namespace {

using nlohmann::json;
using words = std::vector<std::string>;

constexpr std::size_t runs_before = 12;

// Proposals for five days on the same history, and then the runs that came of them, in so many times the usual seconds.
struct applied_proposals {
    temporary_directory place{};
    int proposed = 0;

    [[nodiscard]] std::string ledger() const { return place / "ledger.jsonl"; }
    [[nodiscard]] std::string history() const { return place / "runs.tsv"; }

    [[nodiscard]] json advice_at(std::size_t day) const {
        const double at_s = support::first_start_s + support::day_s * static_cast<double>(day) - 3600;
        return advised_record(history(), words{"--deadline", "300", "--ledger", ledger(), "--price", "2", "--at",
                                               fmt::format("{:.0f}", at_s)});
    }

    explicit applied_proposals(double factor, std::size_t days = 5) {
        auto runs = usual_runs(runs_before);
        write_text(history(), history_table(runs));
        for (std::size_t day = 0; day < days; ++day)
            proposed = advice_at(runs_before + day).at("proposed").at("scale_out").get<int>();
        for (std::size_t day = 0; day < days; ++day)
            runs.push_back({.executors = proposed, .runtime_s = factor * (20 + 1000.0 / proposed)});
        write_text(history(), history_table(runs));
    }
};

// Uniform in [0, 1), the same on all machines.
[[nodiscard]] double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

}  // namespace

TEST_CASE("as few in time by chance: the binomial distribution where all odds are equal, and products where they are not") {
    const std::deque<tools::stated_outcome> equal(4, {.stated = 0.9, .kept = false});
    CHECK(tools::probability_of_as_few(equal, 4) == doctest::Approx(1e-4));
    CHECK(tools::probability_of_as_few(equal, 2) == doctest::Approx(1e-2));
    const std::deque<tools::stated_outcome> mixed{{.stated = 0.5, .kept = true}, {.stated = 0.8, .kept = false}};
    CHECK(tools::probability_of_as_few(mixed, 2) == doctest::Approx(1 - 0.5 * 0.8));
    CHECK(tools::probability_of_as_few(mixed, 1) == doctest::Approx(0.2));
}

TEST_CASE("so many misses stop an application as the page of the ledger says") {
    struct row {
        double stated;
        std::size_t in_a_row;
        std::vector<std::pair<std::size_t, std::size_t>> misses_of_last;
    };
    const std::vector<row> rows{{0.75, 7, {{8, 9}, {9, 10}}},
                                {0.9, 4, {{5, 6}, {6, 9}, {7, 10}}},
                                {0.95, 4, {{4, 6}, {5, 10}}},
                                {0.99, 2, {{3, 9}, {4, 10}}},
                                {0.999, 2, {}},
                                {0.6, 10, {}}};
    for (const auto& each : rows) {
        CAPTURE(each.stated);
        tools::stop_rule rule;
        std::size_t missed = 0;
        for (; missed < 20 && !rule.stopped(); ++missed) rule.add({.stated = each.stated, .kept = false});
        CHECK(missed == each.in_a_row);
        for (const auto& group : each.misses_of_last) {
            CAPTURE(group.second);
            const auto probability = [&](std::size_t misses) {
                std::deque<tools::stated_outcome> made(group.second, {.stated = each.stated, .kept = true});
                for (std::size_t i = 0; i < misses; ++i) made[i].kept = false;
                return tools::probability_of_as_few(made, group.second);
            };
            CHECK(probability(group.first) <= 1.0 / 9000);
            CHECK(probability(group.first - 1) > 1.0 / 9000);
        }
    }
}

TEST_CASE("of healthy applications at most one in a hundred is stopped within sixty proposals") {
    std::mt19937_64 random(1);
    for (const double stated : {0.9, 0.95, 0.99}) {
        CAPTURE(stated);
        int stopped = 0;
        for (int application = 0; application < 4000; ++application) {
            tools::stop_rule rule;
            bool ever = false;
            for (int run = 0; run < 60; ++run) {
                rule.add({.stated = stated, .kept = uniform(random) < stated});
                ever = ever || rule.stopped();
            }
            if (ever) ++stopped;
        }
        CHECK(stopped <= 40);
    }
}

TEST_CASE("an application whose runs take twice as long is stopped within five runs, and goes on when odds hold again") {
    std::mt19937_64 random(2);
    for (const double before : {0, 7, 40}) {
        CAPTURE(before);
        tools::stop_rule rule;
        for (int run = 0; run < before; ++run) rule.add({.stated = 0.9, .kept = run % 10 != 9});
        REQUIRE_FALSE(rule.stopped());
        int runs = 0;
        // The runtime's logarithm scatters by 0.1 about a median with which the deadline is met with 90 %.
        for (; runs < 20 && !rule.stopped(); ++runs) {
            const double normal = std::sqrt(-2 * std::log(1 - uniform(random))) * std::cos(6.283185307 * uniform(random));
            rule.add({.stated = 0.9, .kept = 0.1 * normal + std::log(2.0) <= 0.1 * 1.2816});
        }
        CHECK(rule.stopped());
        CHECK(runs <= 5);
        for (int run = 0; run < 4; ++run) {
            rule.add({.stated = 0.9, .kept = true});
            CHECK(rule.stopped());
        }
        rule.add({.stated = 0.9, .kept = true});
        CHECK_FALSE(rule.stopped());
    }
}

TEST_CASE("what became of applied proposals is said: odds stated and kept, hours and money saved") {
    const applied_proposals healthy(1);
    const auto advice = healthy.advice_at(runs_before + 6);
    const auto& past = advice.at("past_proposals");
    CHECK(past.at("proposals") == 5);
    CHECK(past.at("applied") == 5);
    CHECK(past.at("in_time") == 5);
    CHECK(past.at("stated_in_time") > 4.4);
    const double hours = 5 * healthy.proposed * (25 + 1000.0 / healthy.proposed) / 3600;  // the wait included
    CHECK(past.at("unit_hours").get<double>() == doctest::Approx(hours));
    const double saved = past.at("unit_hours_before").get<double>() - hours;
    CHECK(saved > 0.05 * hours);  // 8 executors before; less is not proposed
    CHECK(past.at("saved_money").get<double>() == doctest::Approx(2 * saved));
    CHECK(advice.at("stopped").is_null());
    CHECK_FALSE(advice.at("proposed").is_null());
    const auto out = check_succeeds({BELLAMY_PROGRAM, "recommend", healthy.history(), "--deadline", "300", "--ledger",
                                     healthy.ledger(), "--price", "$2/h"});
    CHECK(out.find("past of daily: 5 runs applied, of 6 proposals: 5 in time, ") != std::string::npos);
    CHECK(out.find("; 5 at another size than before: ") != std::string::npos);
    CHECK(out.find("past of all: ") != std::string::npos);
    CHECK(out.find("$") != std::string::npos);
}

TEST_CASE(
    "a run that was killed before the deadline is neither kept nor missed, and one that was killed behind it is missed") {
    for (const double killed_after_s : {10.0, 400.0}) {
        CAPTURE(killed_after_s);
        const applied_proposals healthy(1);
        auto runs = usual_runs(runs_before);
        for (int day = 0; day < 5; ++day) runs.push_back({.executors = healthy.proposed, .runtime_s = 200});
        runs.push_back({.executors = healthy.proposed, .runtime_s = killed_after_s, .outcome = "killed"});
        write_text(healthy.history(), history_table(runs));
        const auto past = healthy.advice_at(runs_before + 6).at("past_proposals");
        CHECK(past.at("applied") == (killed_after_s < 300 ? 5 : 6));
        CHECK(past.at("in_time") == 5);
    }
}

TEST_CASE("runs of other sizes or settings are no applied proposals") {
    const applied_proposals healthy(1);
    auto table = read_text(healthy.history());
    const auto last = table.rfind("4096");
    table.replace(last, 4, "2048");
    write_text(healthy.history(), table);
    CHECK(healthy.advice_at(runs_before + 6).at("past_proposals").at("applied") == 4);
}

TEST_CASE(
    "where proposals are missed more often than chance allows they stop, with the reason, and are written down as none") {
    const applied_proposals sabotaged(2);
    const auto advice = sabotaged.advice_at(runs_before + 6);
    CHECK(advice.at("past_proposals").at("in_time") == 0);
    CHECK(advice.at("stopped").get<std::string>().find("0 of the ") == 0);
    CHECK(advice.at("proposed").is_null());
    CHECK(advice.at("feasible") == false);
    for (const auto& row : advice.at("table")) CHECK(row.at("verdict") == "withheld");
    CHECK(warns_of(advice, "proposals stop: "));
    const auto of_one = run_program({BELLAMY_PROGRAM, "recommend", sabotaged.history(), "--application", "daily",
                                     "--deadline", "300", "--ledger", sabotaged.ledger(), "--at", "1900000000"});
    CHECK(of_one.exit_code == 4);
    auto lines = read_text(sabotaged.ledger());
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 7);
    lines.pop_back();
    CHECK(json::parse(lines.substr(lines.rfind('\n') + 1)).at("proposed").is_null());
}

TEST_CASE("a ledger says that it matches no run where the history has no start times") {
    const temporary_directory place;
    auto table = history_table(usual_runs(runs_before));
    const words question{"--deadline", "300", "--ledger", place / "ledger.jsonl"};
    const std::string matches_none = "the ledger matches no run";
    write_text(place / "runs.tsv", table);
    CHECK_FALSE(warns_of(advised_record(place / "runs.tsv", question), matches_none));
    table.replace(table.find("started_at_s"), 12, "other_column");
    write_text(place / "runs.tsv", table);
    CHECK(warns_of(advised_record(place / "runs.tsv", question), matches_none));
}

TEST_CASE(
    "the back-test counts the proposals that the ledger's rule would have let pass, those that no run shows left out") {
    const auto tried_with = [](std::optional<double> time_s) {
        return tools::tried{.proposal = tools::proposed_run{.deadline_s = 300, .stated = 0.9, .time_s = time_s}};
    };
    std::vector<tools::tried> tries(6, tried_with(200.0));
    CHECK_FALSE(tools::stopped_after(tries).has_value());
    tries.emplace_back();  // nothing was proposed
    tries.push_back(tried_with({}));
    for (int missed = 0; missed < 5; ++missed) tries.push_back(tried_with(400.0));
    CHECK(tools::stopped_after(tries) == 10);  // four misses at 90 % after six that were in time
}

TEST_CASE("a ledger that is none is refused with its line, and is no output beside itself") {
    const temporary_directory place;
    write_text(place / "runs.tsv", history_table(usual_runs(runs_before)));
    write_text(place / "ledger.jsonl", "{\"at_s\": 1}\n");
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "runs.tsv", "--ledger", place / "ledger.jsonl"}),
                  "invalid_ledger", {"line 1 of"});
    check_refused(run_program({BELLAMY_PROGRAM, "recommend", place / "runs.tsv", "--ledger", place / "runs.tsv"}),
                  "output_is_input");
}
