// A search through C is the search through C++, and what it refuses.
#include <bellamy/explore.hpp>

#include <cmath>
#include <utility>

#include "job.hpp"

using namespace bellamy;
using support::c_prior;
using support::check_code;
using support::into;
using support::sized;

namespace {

/// Three machines of 2 to 8 cores at four sizes, the runs of other jobs on them, and some of the job: for both languages.
struct two_searches {
    static constexpr std::array<std::uint64_t, 3> cores{2, 4, 8};
    static constexpr std::array scale_outs{2, 4, 8, 16};

    std::array<std::array<bellamy_property, 3>, 3> properties{};
    std::array<bellamy_context, 3> c_contexts{};
    std::array<context, 3> contexts{};
    std::array<bellamy_price, 3> c_prices{};
    std::vector<bellamy_trial_candidate> c_candidates{};
    std::vector<trial_candidate> candidates{};
    std::vector<bellamy_run> c_runs{};
    std::vector<run> runs{};

    explicit two_searches(double price_of_core = 0.05) {
        for (std::size_t i = 0; i < cores.size(); ++i) {
            const std::uint64_t memory_mb = cores[i] * (i == 1 ? 8000 : 4000);
            properties[i] = {bellamy_text("machine", i == 1 ? "rich" : "lean"), bellamy_natural("cores", cores[i]),
                             bellamy_natural("memory_mb", memory_mb)};
            properties[i][0].role = bellamy_role_machine_type;
            properties[i][1].role = bellamy_role_cores_per_node;
            properties[i][2].role = bellamy_role_memory_per_node;
            c_contexts[i] = bellamy_context_of(properties[i].data(), properties[i].size(), nullptr, 0);
            contexts[i] = {.essential = {text("machine", i == 1 ? "rich" : "lean").with_role(property_role::machine_type),
                                         natural("cores", cores[i]).with_role(property_role::cores_per_node),
                                         natural("memory_mb", memory_mb).with_role(property_role::memory_per_node)}};
            c_prices[i] = {sizeof(bellamy_price), price_of_core * static_cast<double>(cores[i]), 30, 60, 0.1, 0.5};
            for (const int x : scale_outs) {
                c_candidates.push_back({sizeof(bellamy_trial_candidate), &c_contexts[i], &c_prices[i], x});
                candidates.push_back({.context = &contexts[i],
                                      .scale_out = x,
                                      .costs = {.per_unit_and_hour = c_prices[i].per_unit_and_hour,
                                                .start_up_s = 30,
                                                .billing_granularity_s = 60,
                                                .interruptions_per_hour = 0.1,
                                                .rerun_share = 0.5}});
            }
        }
    }
    two_searches(const two_searches&) = delete;
    two_searches& operator=(const two_searches&) = delete;
    ~two_searches() = default;

    void add_run(std::size_t i, double work_s, bool killed = false) {
        const double runtime_s = 60 + work_s / (static_cast<double>(cores[i / 4]) * candidates[i].scale_out);
        c_runs.push_back(bellamy_run_of(c_candidates[i].context, candidates[i].scale_out, runtime_s));
        c_runs.back().censored = killed ? 1 : 0;
        runs.push_back({.context = *candidates[i].context,
                        .scale_out = candidates[i].scale_out,
                        .runtime_s = runtime_s,
                        .censored = killed});
    }
};

/// A search and its answer, each of its arguments to be broken one by one.
struct search_call {
    two_searches jobs;
    bellamy_request wanted{sizeof(bellamy_request), 600, 0, 0.9, 0, bellamy_goal_cheapest_within_deadline};
    bellamy_exploration_request request{sizeof(bellamy_exploration_request), &wanted, 100, 0};
    bellamy_exploration answer = sized<bellamy_exploration>();
    std::array<bellamy_proposed_trial, 3> next{};
    bellamy_error error = sized<bellamy_error>();

    search_call() { next[0].size = sizeof(next[0]); }

    int32_t operator()(std::size_t count = 12, std::size_t trials = 3, const bellamy_exploration_prior* known = nullptr) {
        return bellamy_explore(jobs.c_candidates.data(), count, jobs.c_runs.data(), jobs.c_runs.size(), &request, known,
                               &answer, next.data(), trials, &error);
    }
    [[nodiscard]] exploration expected(const exploration_prior& known = {}) const {
        return explore(jobs.candidates, jobs.runs,
                       {.wanted = {.goal = static_cast<goal>(wanted.goal),
                                   .deadline_s = wanted.deadline_s,
                                   .budget = wanted.budget,
                                   .probability = wanted.probability},
                        .runs_to_come = request.runs_to_come,
                        .least_gain = request.least_gain,
                        .trials = 3},
                       known)
            .value();
    }
    void check(const exploration& as) const {
        CHECK(answer.verdict == static_cast<int>(as.verdict));
        CHECK(answer.best_run == (as.best_run ? static_cast<std::int64_t>(*as.best_run) : -1));
        CHECK(answer.candidate == as.best.candidate);
        CHECK(answer.scale_out == as.best.scale_out);
        CHECK(answer.median_s == as.best.predicted.median_s);
        CHECK(answer.quantile_s == as.best.predicted.quantile_s(wanted.probability));
        CHECK(answer.probability == as.best.probability);
        CHECK(answer.expected_cost == as.best.expected_cost);
        CHECK(answer.observed_runs == as.best.predicted.observed_runs);
        CHECK(answer.limit == static_cast<int>(as.best.why));
        REQUIRE(answer.proposed == as.next.size());
        for (std::size_t i = 0; i < as.next.size(); ++i) {
            CHECK(next[i].size == sizeof(next[i]));
            CHECK(next[i].candidate == as.next[i].candidate);
            CHECK(next[i].median_s == as.next[i].predicted.median_s);
            CHECK(next[i].quantile_s == as.next[i].predicted.quantile_s(wanted.probability));
            CHECK(next[i].probability == as.next[i].probability);
            CHECK(next[i].expected_cost == as.next[i].expected_cost);
            CHECK(std::isnan(next[i].expected_gain) == !as.next[i].expected_gain);
            if (as.next[i].expected_gain) CHECK(next[i].expected_gain == *as.next[i].expected_gain);
        }
    }
};

}  // namespace

TEST_CASE("a search through C is the search through C++, before the first run and after some, with and without a prior") {
    two_searches others;
    for (const double work_s : {8000.0, 20000.0, 30000.0})
        for (std::size_t i = 0; i < 12; ++i) others.add_run(i, work_s);
    std::vector<bellamy_other_job> c_jobs;
    std::vector<std::span<const run>> jobs;
    for (std::size_t i = 0; i < 3; ++i) {
        c_jobs.push_back({sizeof(bellamy_other_job), others.c_runs.data() + 12 * i, 12});
        jobs.push_back(std::span(others.runs).subspan(12 * i, 12));
    }
    c_prior known;
    REQUIRE(bellamy_learn_exploration(c_jobs.data(), c_jobs.size(), into(known), nullptr) == bellamy_errc_ok);
    const auto prior = learn_exploration(jobs).value();

    for (const int wanted_goal : {bellamy_goal_smallest_within_deadline, bellamy_goal_cheapest_within_deadline,
                                  bellamy_goal_fastest_within_budget, bellamy_goal_least_expected_cost}) {
        search_call a;
        a.wanted.goal = wanted_goal;
        a.wanted.deadline_s = wanted_goal <= bellamy_goal_cheapest_within_deadline ? 600 : 0;
        a.wanted.budget = wanted_goal == bellamy_goal_fastest_within_budget ? 0.4 : 0;
        for (int runs = 0; runs < 5; ++runs) {
            CAPTURE(wanted_goal);
            CAPTURE(runs);
            REQUIRE_MESSAGE(a() == bellamy_errc_ok, a.error.message);
            a.check(a.expected());
            const auto without = a.next[0].quantile_s;
            REQUIRE_MESSAGE(a(12, 3, known.get()) == bellamy_errc_ok, a.error.message);
            a.check(a.expected(prior));
            CHECK(a.next[0].quantile_s != without);
            a.jobs.add_run(a.next[0].candidate, 15000, runs == 1);
        }
        a.request.runs_to_come = 0.001;
        a.request.least_gain = 0.9;
        REQUIRE(a() == bellamy_errc_ok);
        a.check(a.expected());
        CHECK(a.answer.verdict != bellamy_exploration_verdict_go_on);
    }
}

TEST_CASE("free machines are searched through C as through C++") {
    search_call a;
    const auto free_machines = sized<bellamy_price>();
    for (auto& each : a.jobs.c_candidates) each.price = &free_machines;
    for (auto& each : a.jobs.candidates) each.costs = {.per_unit_and_hour = 0};
    REQUIRE(a() == bellamy_errc_ok);
    a.check(a.expected());
    CHECK(a.next[0].expected_cost == 0);
    a.jobs.add_run(a.next[0].candidate, 1000);
    REQUIRE(a() == bellamy_errc_ok);
    a.check(a.expected());
    CHECK(a.answer.verdict == bellamy_exploration_verdict_costs_more_than_it_gains);
}

TEST_CASE("a search refuses what it cannot use, and leaves its answer as it was") {
    search_call a;
    a.answer.candidate = 77;
    const auto refused = [&](int32_t found, int32_t expected, const std::vector<std::string>& words) {
        check_code(found, a.error, expected, words);
        CHECK(a.answer.candidate == 77);
    };
    refused(a(0), bellamy_errc_empty_candidates, {"at least one candidate"});
    refused(a(12, 0), bellamy_errc_invalid_option, {"at least one trial"});
    refused(a(12, static_cast<std::size_t>(-1)), bellamy_errc_invalid_argument, {"bellamy_proposed_trial"});
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        a.request.runs_to_come = bad;
        refused(a(), bellamy_errc_invalid_option, {"runs to come > 0"});
    }
    a.request.runs_to_come = 100;
    a.request.least_gain = -0.1;
    refused(a(), bellamy_errc_invalid_option, {"least gain"});
    a.request.least_gain = 0;
    a.jobs.c_prices[1].per_unit_and_hour = -1;
    refused(a(), bellamy_errc_invalid_price, {"candidate 4", "price >= 0", "-1"});
    a.jobs.c_prices[1].per_unit_and_hour = 1;
    a.jobs.c_candidates[2].scale_out = 0;
    refused(a(), bellamy_errc_invalid_scale_out, {"candidate 2"});
    a.jobs.c_candidates[2].scale_out = 8;
    const auto* const price = std::exchange(a.jobs.c_candidates[3].price, nullptr);
    refused(a(), bellamy_errc_invalid_price, {"expected a price per unit and hour (0 where free), found none"});
    a.jobs.c_candidates[3].price = price;
    a.jobs.c_candidates[3].context = nullptr;
    refused(a(), bellamy_errc_invalid_argument, {"candidate 3: expected bellamy_context, found a null pointer"});
    a.jobs.c_candidates[3].context = &a.jobs.c_contexts[0];
    a.wanted.deadline_s = 0;
    refused(a(), bellamy_errc_invalid_deadline, {});
    a.wanted.deadline_s = 600;
    a.wanted.goal = 4;
    refused(a(), bellamy_errc_invalid_argument, {"a goal from 0 to 3"});
    a.wanted.goal = bellamy_goal_cheapest_within_deadline;
    a.jobs.add_run(0, 1000);
    a.jobs.c_runs[0].runtime_s = -1;
    refused(a(), bellamy_errc_invalid_runtime, {"run 0"});
    a.jobs.c_runs.clear();

    a.request.wanted = nullptr;
    refused(a(), bellamy_errc_invalid_argument, {"bellamy_request, found a null pointer"});
    a.request.wanted = &a.wanted;
    a.request.size = 0;
    refused(a(), bellamy_errc_invalid_argument, {"bellamy_exploration_request.size"});
    a.request.size = sizeof(a.request);
    a.next[0].size = 0;
    refused(a(), bellamy_errc_invalid_argument, {"bellamy_proposed_trial.size"});
    a.next[0].size = sizeof(a.next[0]);
    a.answer.size = 0;
    refused(a(), bellamy_errc_invalid_argument, {"bellamy_exploration.size"});
    a.answer.size = sizeof(a.answer);
    refused(bellamy_explore(a.jobs.c_candidates.data(), 12, nullptr, 0, &a.request, nullptr, nullptr, a.next.data(), 1,
                            &a.error),
            bellamy_errc_invalid_argument, {"bellamy_exploration, found a null pointer"});
    refused(
        bellamy_explore(a.jobs.c_candidates.data(), 12, nullptr, 0, nullptr, nullptr, &a.answer, a.next.data(), 1, &a.error),
        bellamy_errc_invalid_argument, {"bellamy_exploration_request, found a null pointer"});
    CHECK(a() == bellamy_errc_ok);
}

TEST_CASE("a prior refuses jobs without runs, and lives until its last owner releases it") {
    auto error = sized<bellamy_error>();
    search_call a;
    for (std::size_t i = 0; i < 12; ++i) a.jobs.add_run(i, 9000);
    std::array jobs{bellamy_other_job{sizeof(bellamy_other_job), a.jobs.c_runs.data(), 12},
                    bellamy_other_job{sizeof(bellamy_other_job), nullptr, 0}};
    bellamy_exploration_prior* prior = nullptr;
    check_code(bellamy_learn_exploration(nullptr, 0, &prior, &error), error, bellamy_errc_empty_history, {"one job"});
    check_code(bellamy_learn_exploration(jobs.data(), 2, &prior, &error), error, bellamy_errc_empty_history, {"job 1"});
    check_code(bellamy_learn_exploration(jobs.data(), 1, nullptr, &error), error, bellamy_errc_invalid_argument,
               {"a place"});
    a.jobs.c_runs[5].runtime_s = 0;
    check_code(bellamy_learn_exploration(jobs.data(), 1, &prior, &error), error, bellamy_errc_invalid_runtime,
               {"job 0", "run 5"});
    a.jobs.c_runs[5].runtime_s = a.jobs.runs[5].runtime_s;
    CHECK(prior == nullptr);

    REQUIRE(bellamy_learn_exploration(jobs.data(), 1, &prior, &error) == bellamy_errc_ok);
    auto* second = bellamy_exploration_prior_retain(prior);
    CHECK(second == prior);
    bellamy_exploration_prior_release(&prior);
    CHECK(prior == nullptr);
    a.jobs.c_runs.clear();
    a.jobs.runs.clear();
    CHECK(a(12, 3, second) == bellamy_errc_ok);
    bellamy_exploration_prior_release(&second);
    bellamy_exploration_prior_release(nullptr);
    CHECK(bellamy_exploration_prior_retain(nullptr) == nullptr);
}
