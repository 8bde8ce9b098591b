#include "../../bench/support/rescaling_simulation.hpp"

#include <doctest/doctest.h>

#include "support/made_up_traces.hpp"

namespace {

using bellamy::application_trace;
using support::made_up_trace;

struct made_up_application {
    std::vector<application_trace> traces{};

    made_up_application() {
        std::uint64_t seed = 0;
        for (const int x : {2, 4, 8})
            for (const std::uint64_t size : {8000U, 16000U, 24000U, 32000U})
                traces.push_back(support::without_tasks(made_up_trace(++seed, size, x)));
    }
    [[nodiscard]] bench::recorded_application recorded() const {
        std::vector<const application_trace*> runs;
        for (const auto& each : traces) runs.push_back(&each);
        return {"etl", runs};
    }
};

// Every plan there is, tried.
[[nodiscard]] double least_cost(const bench::drawn_run& drawn, const bench::rescaling_cost& cost) {
    const std::size_t width = drawn.scale_outs().size();
    std::vector<std::size_t> plan(drawn.jobs(), 0);
    double least = std::numeric_limits<double>::infinity();
    while (true) {
        const auto run = bench::follow(drawn, plan);
        least = (std::min)(least, cost(run.executor_s(), run.elapsed_s(), drawn.target_s));
        std::size_t job = 0;
        while (job < plan.size() && ++plan[job] == width) plan[job++] = 0;
        if (job == plan.size()) return least;
    }
}

constexpr bench::rescaling_noise rough{.run_deviation = 0.3, .failures = 0.7};

[[nodiscard]] bench::rescaling_options small_simulation() {
    bench::rescaling_options options{.noise = rough, .runs = 12, .history = 12, .folds = 2, .enel_trials = 1};
    for (std::size_t i = 0; i < bench::rescaling_rule_names.size(); ++i)
        options.rules.push_back(static_cast<bench::rescaling_rule>(i));
    return options;
}

const std::vector<bench::rescaling_row>& simulated_rows() {
    static const made_up_application made_up;
    static const auto rows = [] {
        const auto application = made_up.recorded();
        auto all = bench::simulate_fold(application, 0, small_simulation());
        for (auto& each : bench::simulate_fold(application, 1, small_simulation())) all.push_back(std::move(each));
        return all;
    }();
    return rows;
}

}  // namespace

TEST_CASE("the oracle's plan is the cheapest of all plans, whether it keeps the target or not") {
    const made_up_application made_up;
    const auto application = made_up.recorded();
    bellamy::detail::random_generator random(3);
    int missed = 0;
    int kept = 0;
    for (int i = 0; i < 40; ++i) {
        auto drawn = bench::draw_run(application, *application.runs()[random.below(12)], rough, random);
        if (i % 4 == 3) drawn.target_s /= 2;
        for (const double penalty : {0.0, 1000.0, 1e9}) {
            const bench::rescaling_cost cost{.penalty = penalty};
            const auto run = bench::follow(drawn, bench::rescaling_oracle(drawn).plan(cost));
            CHECK(cost(run.executor_s(), run.elapsed_s(), drawn.target_s) ==
                  doctest::Approx(least_cost(drawn, cost)).epsilon(1e-12));
            ++(run.elapsed_s() > drawn.target_s ? missed : kept);
        }
    }
    CHECK(missed > 0);
    CHECK(kept > 0);
}

TEST_CASE("no policy's run costs less than the oracle's") {
    std::map<std::size_t, double> oracle;
    for (const auto& each : simulated_rows())
        if (each.by.rule == bench::rescaling_rule::oracle) oracle[each.run] = each.cost;
    CHECK(oracle.size() == 12);
    for (const auto& each : simulated_rows()) CHECK(each.cost >= oracle.at(each.run) * (1 - 1e-9));
}

TEST_CASE("every policy decides for the same runs, and the same seed gives the same rows") {
    std::map<bench::policy_setting, std::set<std::pair<std::size_t, double>>> runs;
    for (const auto& each : simulated_rows()) runs[each.by].emplace(each.run, each.target_s);
    std::set<bench::rescaling_rule> rules;
    for (const auto& [by, own] : runs) {
        rules.insert(by.rule);
        CHECK(own == runs.begin()->second);
    }
    CHECK(rules.size() == bench::rescaling_rule_names.size());
    auto options = small_simulation();
    options.rules = {bench::rescaling_rule::ellis};
    const made_up_application made_up;
    const auto once = bench::to_csv(bench::simulate_fold(made_up.recorded(), 0, options));
    CHECK(once == bench::to_csv(bench::simulate_fold(made_up.recorded(), 0, options)));
    options.seed = 1;
    CHECK(once != bench::to_csv(bench::simulate_fold(made_up.recorded(), 0, options)));
}

TEST_CASE("a run without noise at the scale-out of its record takes what was recorded, and a change its delay") {
    const made_up_application made_up;
    const auto application = made_up.recorded();
    bellamy::detail::random_generator random(1);
    const auto& recorded = *application.runs()[5];
    const auto drawn = bench::draw_run(application, recorded, {.run_deviation = 0, .failures = 0}, random);
    const auto& all = application.scale_outs();
    const auto at = static_cast<std::size_t>(std::ranges::find(all, recorded.scale_out.back().scale_out) - all.begin());
    const auto steady = bench::follow(drawn, std::vector(drawn.jobs(), at));
    CHECK(steady.elapsed_s() == doctest::Approx(recorded.runtime_s).epsilon(1e-9));
    CHECK(steady.executor_s() == doctest::Approx(recorded.runtime_s * all[at]).epsilon(1e-9));
    CHECK(steady.changes() == 0);
    CHECK(bellamy::validate(steady.trace()));
    CHECK(bellamy::detail::constant_scale_out(steady.trace()) == all[at]);
    for (std::size_t job = 0; job < drawn.jobs(); ++job)
        CHECK(*bellamy::detail::path_time_s(steady.trace().jobs[job]) ==
              doctest::Approx(*bellamy::detail::runtime_s(recorded.jobs[job])).epsilon(1e-9));

    std::vector plan(drawn.jobs(), at);
    plan.back() = at + 1;
    const auto changed = bench::follow(drawn, plan);
    CHECK(changed.changes() == 1);
    const double job_s = drawn.job_s.back()[at + 1] - drawn.job_s.back()[at];
    CHECK(changed.elapsed_s() - steady.elapsed_s() == doctest::Approx(job_s + drawn.delay_s.back()).epsilon(1e-9));
}

TEST_CASE("scores are means, and equal executor-seconds lie between two settings of a rule") {
    const bench::policy_setting cheap{.rule = bench::rescaling_rule::best, .caution = 0.5};
    const bench::policy_setting dear{.rule = bench::rescaling_rule::best, .caution = 0.9};
    const auto row = [](const bench::policy_setting& by, const char* application, double runtime_s, double executor_s) {
        return bench::rescaling_row{.application = application,
                                    .by = by,
                                    .target_s = 100,
                                    .runtime_s = runtime_s,
                                    .executor_s = executor_s,
                                    .usual_executor_s = 1000};
    };
    const auto scores =
        bench::scores_of(std::vector{row(cheap, "a", 220, 1000), row(cheap, "a", 90, 1000), row(cheap, "b", 160, 1000),
                                     row(dear, "a", 90, 2000), row(dear, "b", 100, 2000)});
    // Each application counts as much: half of a's runs and all of b's.
    CHECK(scores.at(cheap).missed == doctest::Approx(0.75));
    CHECK(scores.at(cheap).minutes_over == doctest::Approx(1));
    CHECK(scores.at(dear).missed == 0);
    const auto between = bench::at_executors(scores, bench::rescaling_rule::best, 1.5);
    REQUIRE(between);
    CHECK(between->missed == doctest::Approx(0.375));
    CHECK(between->minutes_over == doctest::Approx(0.5));
    CHECK_FALSE(bench::at_executors(scores, bench::rescaling_rule::best, 0.9));
    CHECK(bench::at_executors(scores, bench::rescaling_rule::best, 3)->missed == 0);
    CHECK_FALSE(bench::at_executors(scores, bench::rescaling_rule::ellis, 1.5));
}

TEST_CASE("what is hidden from the choices of the library is not simulated") {
    std::vector<tools::trace_line> lines;
    for (const auto& each : made_up_application().traces) lines.push_back({.trace = each});
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i].beside = {bellamy::natural("run_number", i < 9 ? i + 1 : 36 + i)};
    const auto found = bench::recorded_applications(lines);
    REQUIRE(found.size() == 1);
    CHECK(found[0].runs().size() == 9);
    lines.resize(7);
    CHECK(bench::recorded_applications(lines).empty());
}
