#include <bellamy/explore.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

using namespace bellamy;

namespace {

constexpr std::array<std::uint64_t, 3> memory_per_core{2000, 4000, 8000};
constexpr std::array nodes{4, 6, 8, 12, 16, 24};

[[nodiscard]] context machine(std::uint64_t cores, std::uint64_t memory_mb, std::uint64_t size_mb = 50000) {
    return {
        .essential = {
            text("machine", std::to_string(cores) + "x" + std::to_string(memory_mb)).with_role(property_role::machine_type),
            natural("cores", cores).with_role(property_role::cores_per_node),
            natural("memory_mb", cores * memory_mb).with_role(property_role::memory_per_node),
            natural("data_size_MB", size_mb).with_role(property_role::data_size)}};
}

// Machines of 2 to 8 cores and three amounts of memory, 4 to 24 nodes; memory has its price.
struct made_up_grid {
    std::vector<context> contexts{};
    std::vector<trial_candidate> candidates{};

    explicit made_up_grid(double price_of_core = 0.05) {
        for (const std::uint64_t cores : {2U, 4U, 8U})
            for (const auto memory : memory_per_core) contexts.push_back(machine(cores, memory));
        std::size_t number = 0;
        for (const std::uint64_t cores : {2U, 4U, 8U})
            for (const auto memory : memory_per_core) {
                for (const int x : nodes)
                    candidates.push_back({.context = &contexts[number],
                                          .scale_out = x,
                                          .costs = {.per_unit_and_hour = price_of_core * static_cast<double>(cores) *
                                                                         (1 + static_cast<double>(memory) / 16000)}});
                ++number;
            }
    }
    made_up_grid(const made_up_grid&) = delete;
    made_up_grid& operator=(const made_up_grid&) = delete;
    ~made_up_grid() = default;
};

// 60 seconds and a share for each core; three times as long where the data do not fit into memory.
[[nodiscard]] double law_s(const context& where, int scale_out, double work_s = 20000) {
    const auto of_cluster = [&](std::size_t property) {
        return scale_out * static_cast<double>(*where.essential[property].value.natural());
    };
    const double cores = of_cluster(1);
    const double memory = of_cluster(2);
    return (60 + work_s / cores) * (memory < 150000 ? 3 : 1);
}

[[nodiscard]] run run_of(const trial_candidate& on, bool killed = false) {
    return {.context = *on.context,
            .scale_out = on.scale_out,
            .runtime_s = law_s(*on.context, on.scale_out),
            .censored = killed};
}

[[nodiscard]] double cost_of_run(const trial_candidate& on) {
    return cost_of(on.costs, on.scale_out, law_s(*on.context, on.scale_out));
}

const exploration_request cheapest{.wanted = {.goal = goal::least_expected_cost}};

[[nodiscard]] exploration_request within(double deadline_s) {
    return {.wanted = {.goal = goal::cheapest_within_deadline, .deadline_s = deadline_s}};
}

[[nodiscard]] errc code_of(const result<exploration>& answer) { return answer ? errc::ok : answer.error().code(); }

// The trials of a search to its end.
[[nodiscard]] std::vector<std::size_t> search(const made_up_grid& grid, const exploration_request& wanted,
                                              const exploration_prior& known = {}) {
    std::vector<std::size_t> tried;
    std::vector<run> runs;
    while (true) {
        const auto found = explore(grid.candidates, runs, wanted, known).value();
        if (found.stops()) return tried;
        tried.push_back(found.next.front().candidate);
        runs.push_back(run_of(grid.candidates[tried.back()]));
    }
}

}  // namespace

TEST_CASE("a search stops near the cheapest cluster in time after a fraction of the candidates") {
    const made_up_grid grid;
    for (const double deadline_s : {300.0, 1000.0}) {
        const auto tried = search(grid, within(deadline_s));
        double least = std::numeric_limits<double>::infinity();
        for (const auto& each : grid.candidates)
            if (law_s(*each.context, each.scale_out) <= deadline_s) least = std::min(least, cost_of_run(each));
        std::vector<run> runs;
        for (const auto i : tried) runs.push_back(run_of(grid.candidates[i]));
        const auto found = explore(grid.candidates, runs, within(deadline_s)).value();
        CAPTURE(deadline_s);
        CHECK(tried.size() < grid.candidates.size() / 3);
        REQUIRE(found.best_run);
        CHECK(cost_of_run(grid.candidates[*found.best_run]) < 1.1 * least);
        CHECK(found.best.why == verdict::chosen);
        CHECK(found.best.probability >= 0.9);
        const auto& best = grid.candidates[found.best.candidate];
        CHECK(law_s(*best.context, best.scale_out) <= deadline_s);
    }
}

TEST_CASE("nothing is tried twice, and everything tried ends the search") {
    const made_up_grid grid;
    std::vector<run> runs;
    for (const auto& each : grid.candidates) {
        runs.push_back(run_of(each));
        const auto found = explore(grid.candidates, runs, cheapest).value();
        for (const auto& trial : found.next) CHECK(trial.candidate >= runs.size());
    }
    const auto found = explore(grid.candidates, runs, cheapest).value();
    CHECK(found.verdict == exploration_verdict::everything_tried);
    CHECK(found.next.empty());
    double least = std::numeric_limits<double>::infinity();
    for (const auto& each : grid.candidates) least = std::min(least, cost_of_run(each));
    CHECK(cost_of_run(grid.candidates[*found.best_run]) == doctest::Approx(least));
    CHECK(cost_of_run(grid.candidates[found.best.candidate]) == doctest::Approx(least).epsilon(0.02));
}

TEST_CASE("other jobs of the same law lead to the cheapest cluster in fewer runs") {
    const made_up_grid grid;
    std::vector<std::vector<run>> jobs;
    for (const double work_s : {5000.0, 12000.0, 40000.0, 80000.0}) {
        auto& job = jobs.emplace_back();
        for (const auto& each : grid.candidates) {
            job.push_back(run_of(each));
            job.back().runtime_s = law_s(*each.context, each.scale_out, work_s);
        }
    }
    const std::vector<std::span<const run>> others(jobs.begin(), jobs.end());
    const auto known = learn_exploration(others).value();
    CHECK(search(grid, cheapest, known).size() < search(grid, cheapest).size());
    const auto with = explore(grid.candidates, {}, cheapest, known).value().next.front().predicted;
    const auto without = explore(grid.candidates, {}, cheapest).value().next.front().predicted;
    CHECK(with.spread() < without.spread());
}

TEST_CASE("a run at another data size counts as evidence, scaled to the candidates'") {
    const made_up_grid grid;
    auto smaller = run_of(grid.candidates[10]);
    smaller.context.essential[3].value = std::uint64_t{25000};
    const auto after = explore(grid.candidates, std::span(&smaller, 1), cheapest).value();
    CHECK_FALSE(after.best_run);
    CHECK(after.next.size() == 1);
    const std::span only(&grid.candidates[10], 1);
    const auto before = explore(only, {}, cheapest).value().next.front().predicted;
    const auto predicted = explore(only, std::span(&smaller, 1), cheapest).value().next.front().predicted;
    CHECK(predicted.median_s == doctest::Approx(std::pow(2, 0.9) * smaller.runtime_s).epsilon(0.2));
    CHECK(predicted.spread() < before.spread());
}

TEST_CASE("the trials of a batch differ, the first is that of a single proposal") {
    const made_up_grid grid;
    const std::vector runs{run_of(grid.candidates[0]), run_of(grid.candidates[30])};
    auto wanted = cheapest;
    const auto single = explore(grid.candidates, runs, wanted).value();
    wanted.trials = 4;
    const auto batch = explore(grid.candidates, runs, wanted).value();
    REQUIRE(batch.next.size() == 4);
    CHECK(batch.next.front().candidate == single.next.front().candidate);
    std::set<std::size_t> distinct;
    for (const auto& each : batch.next) distinct.insert(each.candidate);
    CHECK(distinct.size() == 4);
    CHECK(batch.best.candidate == single.best.candidate);
    // As many as are worth their cost.
    wanted.trials = 1000;
    const auto all = explore(grid.candidates, runs, wanted).value();
    CHECK(all.next.size() < grid.candidates.size() - 2);
    for (const auto& each : all.next) CHECK(wanted.runs_to_come * each.expected_gain.value() > each.expected_cost);
}

TEST_CASE("a trial that costs more than all runs to come gain is not made") {
    const made_up_grid grid;
    const std::vector runs{run_of(grid.candidates[0]), run_of(grid.candidates[20]), run_of(grid.candidates[40])};
    auto wanted = cheapest;
    wanted.runs_to_come = 0.001;
    const auto found = explore(grid.candidates, runs, wanted).value();
    CHECK(found.verdict == exploration_verdict::costs_more_than_it_gains);
    CHECK(found.next.size() == 1);
    wanted.runs_to_come = 1e6;
    CHECK_FALSE(explore(grid.candidates, runs, wanted).value().stops());
    wanted.least_gain = 10;
    CHECK(explore(grid.candidates, runs, wanted).value().verdict == exploration_verdict::below_least_gain);
}

TEST_CASE("a candidate whose runs are killed is never the best run, and is expected to take longer") {
    const made_up_grid grid;
    const auto ended = run_of(grid.candidates[0]);
    const auto killed = run_of(grid.candidates[0], true);
    const auto after_killed = explore(grid.candidates, std::span(&killed, 1), cheapest).value();
    CHECK_FALSE(after_killed.best_run);
    CHECK_FALSE(after_killed.next.front().expected_gain);
    CHECK(after_killed.next.front().candidate != 0);
    CHECK(explore(grid.candidates, std::span(&ended, 1), cheapest).value().best_run == 0);
    std::vector<run> all;
    for (const auto& each : grid.candidates) all.push_back(run_of(each, true));
    const auto none = explore(grid.candidates, all, within(1e6)).value();
    CHECK(none.verdict == exploration_verdict::everything_tried);
    CHECK_FALSE(none.best_run);
}

TEST_CASE("one candidate is proposed, then everything was tried") {
    const made_up_grid grid;
    const std::span only(grid.candidates.data(), 1);
    const auto before = explore(only, {}, within(10000)).value();
    CHECK(before.next.front().candidate == 0);
    CHECK(before.best.candidate == 0);
    const auto tried = run_of(only.front());
    CHECK(explore(only, std::span(&tried, 1), within(10000)).value().verdict == exploration_verdict::everything_tried);
}

TEST_CASE("after runs that all take the same time the smallest cluster left is tried") {
    const made_up_grid grid;
    std::vector<run> runs;
    for (std::size_t i = 1; i < grid.candidates.size(); ++i) {
        runs.push_back(run_of(grid.candidates[i]));
        runs.back().runtime_s = 100;
    }
    const auto found = explore(grid.candidates, runs, cheapest).value();
    CHECK(found.next.front().candidate == 0);
    CHECK(found.best_run == 6);  // 4 nodes of the cheapest machine that was tried
    CHECK(found.best.scale_out == 4);
    CHECK(found.best.predicted.median_s == doctest::Approx(100).epsilon(0.15));
}

TEST_CASE("free machines: the most likely to meet the limit is tried, and then nothing can be gained") {
    const made_up_grid grid(0);
    const auto first = explore(grid.candidates, {}, within(300)).value();
    CHECK_FALSE(first.stops());
    const auto in_time = run_of(grid.candidates.back());
    const auto after = explore(grid.candidates, std::span(&in_time, 1), within(300)).value();
    CHECK(after.verdict == exploration_verdict::costs_more_than_it_gains);
    CHECK(after.best_run == grid.candidates.size() - 1);
}

TEST_CASE("a limit that nothing can meet is hopeless, and the choice says that it misses it") {
    const made_up_grid grid;
    std::vector<run> runs;
    for (std::size_t i = 0; i < grid.candidates.size(); i += 3) runs.push_back(run_of(grid.candidates[i]));
    const auto found = explore(grid.candidates, runs, within(5)).value();
    CHECK(found.verdict == exploration_verdict::hopeless);
    CHECK(found.best.why == verdict::misses_deadline);
    CHECK(found.best.probability < 0.01);
}

TEST_CASE("every goal is searched for by its own value") {
    const made_up_grid grid;
    std::vector<run> runs;
    for (std::size_t i = 0; i < grid.candidates.size(); ++i)
        if (i % 5 != 0) runs.push_back(run_of(grid.candidates[i]));
    const auto smallest =
        explore(grid.candidates, runs, {.wanted = {.goal = goal::smallest_within_deadline, .deadline_s = 1000}}).value();
    CHECK(smallest.best.scale_out == 4);
    const double budget = 0.4;
    const auto fastest =
        explore(grid.candidates, runs, {.wanted = {.goal = goal::fastest_within_budget, .budget = budget}}).value();
    CHECK(cost_of_run(grid.candidates[fastest.best.candidate]) <= budget);
    // Where missing the deadline is cheap, a slow cluster may be the best.
    const auto priced = explore(grid.candidates, runs,
                                {.wanted = {.goal = goal::least_expected_cost, .deadline_s = 1, .cost_of_missing = 0.01}})
                            .value();
    CHECK(priced.best_run == explore(grid.candidates, runs, cheapest).value().best_run);
    CHECK(priced.best.expected_cost == doctest::Approx(explore(grid.candidates, runs, cheapest)->best.expected_cost + 0.01));
    // No run can be in time, and yet each of them is worth something.
    const auto first = explore(grid.candidates, {},
                               {.wanted = {.goal = goal::least_expected_cost, .deadline_s = 0.001, .cost_of_missing = 0.01}})
                           .value();
    CHECK_FALSE(first.stops());
    CHECK(first.next.front().expected_cost <= first.best.expected_cost);
}

TEST_CASE("a cluster that is offered at two prices is tried once") {
    const made_up_grid grid;
    std::vector<trial_candidate> twice{grid.candidates[0], grid.candidates[7], grid.candidates[7]};
    twice[2].costs.per_unit_and_hour /= 2;
    auto wanted = cheapest;
    wanted.trials = 3;
    const auto found = explore(twice, {}, wanted).value();
    std::set<const context*> tried;
    for (const auto& each : found.next) tried.insert(twice[each.candidate].context);
    CHECK(tried.size() == found.next.size());
}

TEST_CASE("the expected improvement is the integral over the runtimes, for every goal") {
    const std::array prices{price{.per_unit_and_hour = 2, .start_up_s = 30, .interruptions_per_hour = 1},
                            price{.per_unit_and_hour = 2, .billing_granularity_s = 240}, price{.per_unit_and_hour = 0}};
    const double mean = std::log(300);
    const double sd = 0.4;
    const std::array requests{request{.goal = goal::least_expected_cost},
                              request{.goal = goal::cheapest_within_deadline, .deadline_s = 350},
                              request{.goal = goal::least_expected_cost, .deadline_s = 300, .cost_of_missing = 0.05},
                              request{.goal = goal::fastest_within_budget, .budget = 0.9},
                              request{.goal = goal::smallest_within_deadline, .deadline_s = 350}};
    for (std::size_t i = 0; i < prices.size() * requests.size(); ++i) {
        const auto& wanted = requests[i % requests.size()];
        const auto& costs = prices[i / requests.size()];
        const bool is_free = costs.per_unit_and_hour == 0;  // then the best costs less than missing the deadline
        const detail::trial_value value(wanted, costs, 4);
        const double best = wanted.goal == goal::fastest_within_budget      ? 400
                            : wanted.goal == goal::smallest_within_deadline ? 6
                            : is_free                                       ? 0.04
                                                                            : 0.9;
        double integral = 0;
        constexpr int slices = 20000;
        for (int k = 0; k < slices; ++k) {
            const double runtime_s = std::exp(mean + sd * detail::normal_quantile((k + 0.5) / slices));
            if (value.may_be_best(runtime_s)) integral += std::max(best - value.of_run(runtime_s), 0.0) / slices;
        }
        CAPTURE(i);
        CHECK(integral > 0);
        CHECK(value.expected_improvement(mean, sd, best) == doctest::Approx(integral).epsilon(0.001));
    }
}

TEST_CASE("the same question has the same answer") {
    const made_up_grid grid;
    CHECK(search(grid, within(600)) == search(grid, within(600)));
}

TEST_CASE("what is wrong with a search is said") {
    const made_up_grid grid;
    const std::span<const trial_candidate> all(grid.candidates);
    CHECK(code_of(explore({}, {}, cheapest)) == errc::empty_candidates);
    CHECK(code_of(explore(all, {}, within(0))) == errc::invalid_deadline);
    auto wanted = cheapest;
    wanted.trials = 0;
    CHECK(code_of(explore(all, {}, wanted)) == errc::invalid_option);
    wanted = cheapest;
    wanted.runs_to_come = 0;
    CHECK(code_of(explore(all, {}, wanted)) == errc::invalid_option);
    wanted = cheapest;
    wanted.least_gain = std::numeric_limits<double>::quiet_NaN();
    CHECK(code_of(explore(all, {}, wanted)) == errc::invalid_option);
    auto candidates = grid.candidates;
    candidates[3].context = nullptr;
    CHECK(code_of(explore(candidates, {}, cheapest)) == errc::empty_candidates);
    candidates = grid.candidates;
    candidates[3].scale_out = 0;
    CHECK(code_of(explore(candidates, {}, cheapest)) == errc::invalid_scale_out);
    candidates = grid.candidates;
    candidates[3].costs.per_unit_and_hour = -1;
    const auto negative = explore(candidates, {}, cheapest);
    CHECK(code_of(negative) == errc::invalid_price);
    CHECK(negative.error().message().find("candidate 3") == 0);
    auto broken = run_of(grid.candidates[0]);
    broken.runtime_s = -1;
    const auto refused = explore(all, std::span(&broken, 1), cheapest);
    CHECK(code_of(refused) == errc::invalid_runtime);
    CHECK(refused.error().message().find("run 0") == 0);
    CHECK(learn_exploration({}).error().code() == errc::empty_history);
    const std::array<std::span<const run>, 1> nothing{};
    CHECK(learn_exploration(nothing).error().code() == errc::empty_history);
}
