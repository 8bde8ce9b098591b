#include "../../bench/support/replay.hpp"

#include <doctest/doctest.h>

#include "../support/made_up_job.hpp"

using bench::record_table;
using bench::rule_record;
using bench::split;

namespace {

constexpr std::size_t rows_per_context = 18;  // scale-outs 2, 4, .. 12, three runs of each

record_table made_up_records() {
    record_table made;
    bellamy::detail::random_generator random(1);
    for (const unsigned size_gb : {10U, 20U, 30U, 40U})
        for (int x = 2; x <= 12; x += 2)
            for (int repeat = 0; repeat < 3; ++repeat) {
                made.runs.push_back(support::made_up_run(size_gb, x));
                made.runs.back().runtime_s += 3 * random.uniform();
            }
    made.contexts = bellamy::context_numbers(made.runs);
    return made;
}

const std::vector<split> splits{
    {.algorithm = "made-up", .context = 1, .k = 0, .mode = "zero", .train_rows = {}, .test_row = 20},
    {.algorithm = "made-up", .context = 1, .k = 1, .mode = "extrap", .train_rows = {18}, .test_row = 31},
    {.algorithm = "made-up", .context = 1, .k = 1, .mode = "extrap", .seed = 1, .train_rows = {18}, .test_row = 30},
    {.algorithm = "made-up", .context = 1, .k = 2, .mode = "interp", .train_rows = {19, 30}, .test_row = 23},
    {.algorithm = "made-up", .context = 1, .k = 4, .mode = "interp", .train_rows = {18, 21, 24, 33}, .test_row = 27}};

const bench::replay_options quick{
    .training = {.trials = 1, .epochs = 15}, .prices = {{"m5.large", 0.1}}, .multiples = {1, 1.5, 3}};

std::vector<rule_record> replay(const record_table& records, const std::vector<std::string>& names,
                                const bench::replay_options& options = quick, std::size_t threads = 1) {
    const std::map<std::string, record_table> all{{"made-up", records}};
    const auto rules = bench::find_rules(names);
    return bench::replay_all(bench::group(splits, all), all, rules, options, threads, [](std::size_t, std::size_t) {});
}

std::vector<std::string> rules_here() {
    std::vector<std::string> names;
    for (const auto& each : bench::all_rules())
        if (each.missing.empty()) names.push_back(each.name);
    return names;
}

}  // namespace

TEST_CASE("every rule is asked once per deadline and distinct set of at most three observed runs") {
    const auto names = rules_here();
    const auto found = replay(made_up_records(), names);
    for (std::size_t r = 0; r < names.size(); ++r) {
        CAPTURE(names[r]);
        const std::size_t sets = names[r] == "ernest" ? 2 : 3;  // Ernest cannot answer before the first run
        CHECK(found[r].usual.size() == sets * quick.multiples.size());
        for (const auto& each : found[r].sweep) CHECK(each.size() == found[r].usual.size());
        CHECK(found[r].statements.size() == (names[r] == "best" ? found[r].usual.size() * 6 : 0));
        CHECK(found[r].observed_runs.size() == found[r].statements.size());
        CHECK(found[r].usual.back().asked.observed == std::vector<std::size_t>{19, 30});
        CHECK(found[r].usual.back().asked.multiple == 3);
    }
}

TEST_CASE("a rule sees nothing of the target context but its observed runs") {
    auto records = made_up_records();
    const auto names = rules_here();
    const auto before = replay(records, names);
    for (std::size_t i = rows_per_context; i < 2 * rows_per_context; ++i)
        if (i != 18 && i != 19 && i != 30) records.runs[i].runtime_s /= 1000;
    // Deadlines are multiples of what is measured: those that come to the same.
    const auto best_median_s = [](const record_table& table) { return bench::held_out(table, 1, {}).best_median_s(); };
    auto options = quick;
    for (double& each : options.multiples) each *= best_median_s(made_up_records()) / best_median_s(records);
    const auto after = replay(records, names, options);
    for (std::size_t r = 0; r < names.size(); ++r)
        for (std::size_t i = 0; i < before[r].usual.size(); ++i) {
            CHECK(after[r].usual[i].asked.deadline_s == doctest::Approx(before[r].usual[i].asked.deadline_s));
            CHECK(after[r].usual[i].scale_out == before[r].usual[i].scale_out);
            CHECK(after[r].usual[i].answer.feasible == before[r].usual[i].answer.feasible);
        }
    // Far below the deadline now, so that consequences did change.
    CHECK(after.front().usual.front().led_to.hit == 1);
}

TEST_CASE("a replay is the same on several threads") {
    const auto alone = replay(made_up_records(), {"best", "largest"});
    const auto together = replay(made_up_records(), {"best", "largest"}, quick, 3);
    for (std::size_t r = 0; r < alone.size(); ++r)
        for (std::size_t i = 0; i < alone[r].usual.size(); ++i) {
            CHECK(alone[r].usual[i].scale_out == together[r].usual[i].scale_out);
            CHECK(alone[r].usual[i].led_to.regret == together[r].usual[i].led_to.regret);
        }
}

TEST_CASE("always the largest keeps every deadline it can and states nothing") {
    const auto found = replay(made_up_records(), {"largest"}).front();
    for (const auto& each : found.usual) {
        CHECK(each.scale_out == 12);
        CHECK(each.answer.feasible);
        CHECK(std::isnan(each.answer.stated));
        if (each.asked.multiple > 1) CHECK(each.led_to.hit == 1);
    }
}

TEST_CASE("best mode chooses fewer nodes the later the deadline, and more the surer it is to be") {
    auto careful = quick;
    careful.probability = 0.999;
    const auto usual = replay(made_up_records(), {"best"}).front().usual;
    const auto surer = replay(made_up_records(), {"best"}, careful).front().usual;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        if (!usual[i].answer.feasible || !surer[i].answer.feasible) continue;
        CHECK(usual[i].answer.stated >= 0.9);
        CHECK(surer[i].scale_out >= usual[i].scale_out);
        if (i > 0 && usual[i - 1].asked.observed == usual[i].asked.observed && usual[i - 1].answer.feasible)
            CHECK(usual[i].scale_out <= usual[i - 1].scale_out);
    }
    CHECK(usual[2].answer.feasible);  // three times the best median: easy
}

TEST_CASE("C3O's rule takes the smallest scale-out whose bound keeps the deadline") {
    using bench::rules::smallest_within;
    const std::vector<double> predicted_s{100, 80, 60, 65};
    const bench::rules::residuals errors{.mean_s = 2, .deviation_s = 10};
    CHECK(smallest_within(predicted_s, errors, 102, 0).choice == 0);
    CHECK(smallest_within(predicted_s, errors, 101, 0).choice == 1);
    CHECK(smallest_within(predicted_s, errors, 101, 2).choice == 2);
    const auto none = smallest_within(predicted_s, errors, 50, 0);
    CHECK(!none.feasible);
    CHECK(none.choice == 2);  // the fastest
}

TEST_CASE("a sweep averages the questions asked for") {
    rule_record record;
    record.usual.resize(3);
    record.usual[0].asked.observed = {4};
    record.usual[2].asked.observed = {5};
    record.sweep = {{{.hit = 1, .regret = 0.5}, {.hit = 0, .regret = 9}, {.hit = 0.5, .regret = 0.1}}};
    const auto with_runs =
        bench::sweep_of(record, [](const bench::decision_question& asked) { return !asked.observed.empty(); });
    REQUIRE(with_runs.size() == 1);
    CHECK(with_runs.front().hit == doctest::Approx(0.75));
    CHECK(with_runs.front().regret == doctest::Approx(0.3));
    CHECK(bench::sweep_of(record, [](const bench::decision_question&) { return false; }).empty());
}

TEST_CASE("a rule that does not exist is refused with those that do") {
    const std::vector<std::string> names{"best", "luck"};
    CHECK_THROWS_WITH_AS((void)bench::find_rules(names),
                         "unknown_rule: expected one of best, paper, ernest, c3o, largest, found luck", tools::tool_error);
}
