#include "../../bench/support/enel_predictor.hpp"
#include "../../bench/support/stage_methods.hpp"

#include <doctest/doctest.h>

#include "support/made_up_traces.hpp"

namespace {

using bellamy::application_trace;
using support::made_up_trace;

struct made_up_runs {
    std::vector<application_trace> traces{};
    bench::stage_case subject{.application = "etl", .part = "given"};

    made_up_runs() {
        std::uint64_t seed = 0;
        for (const int x : {2, 4, 8})
            for (const std::uint64_t size : {500U, 1000U, 1500U, 2000U, 3000U})
                traces.push_back(made_up_trace(++seed, size, x));
        traces.push_back(made_up_trace(99, 1000, 3));
        for (std::size_t i = 0; i + 1 < traces.size(); ++i) subject.train.push_back(&traces[i]);
        subject.test = {&traces.back()};
    }
};

// Everything of the jobs after `after_job` made different.
[[nodiscard]] application_trace scrambled(application_trace trace, int after_job) {
    trace.runtime_s *= 7;
    trace.outcome = bellamy::trace_outcome::failed;
    for (std::size_t job = static_cast<std::size_t>(after_job + 1); job < trace.jobs.size(); ++job) {
        *trace.jobs[job].completed_s *= 5;
        trace.jobs[job].stages.back().parents.clear();
        for (auto& stage : trace.jobs[job].stages) {
            stage.name = "other";
            stage.tasks = 1;
            stage.task_s = {1000};
            *stage.completed_s += 500;
        }
    }
    return trace;
}

[[nodiscard]] bool same(const bellamy::prediction& a, const bellamy::prediction& b) {
    return a.median_s == b.median_s && a.is_point == b.is_point && a.log_quantiles == b.log_quantiles;
}

[[nodiscard]] std::vector<bench::stage_method> all_methods() {
    auto methods = bench::stage_methods();
    methods.push_back(bench::enel_method());
    return methods;
}

constexpr bench::stage_options few_trials{.enel_trials = 2};

}  // namespace

TEST_CASE("nothing of a run beyond what may be known reaches a prediction of any method") {
    const made_up_runs runs;
    for (const auto& method : all_methods()) {
        CAPTURE(method.name);
        const auto learned = method.learn(runs.subject, few_trials);
        const auto& whole = runs.traces.back();
        const auto before = learned->before(bench::known_part(whole, -1));
        const auto other = learned->before(bench::known_part(scrambled(whole, -1), -1));
        REQUIRE(!before.empty());
        REQUIRE(other.size() == before.size());
        for (std::size_t i = 0; i < before.size(); ++i) CHECK(same(before[i].predicted, other[i].predicted));
        for (const int after : {0, 1}) {
            const auto rest = learned->remaining(bench::known_part(whole, after));
            REQUIRE(rest);
            CHECK(same(*rest, *learned->remaining(bench::known_part(scrambled(whole, after), after))));
        }
    }
}

TEST_CASE("every method predicts all parts of a run it has not seen, and its rest after each job but the last") {
    const made_up_runs runs;
    for (const auto& method : all_methods()) {
        CAPTURE(method.name);
        const auto rows = bench::answer(runs.subject, method, few_trials);
        std::map<bench::stage_quantity, int> count;
        for (const auto& each : rows) {
            ++count[each.answer.what];
            CHECK(each.scale_out == 3);
            if (method.name == "ernest" || method.name == "loglinear") CHECK(each.error() < 0.25);
        }
        const int sources = method.name == "replay" ? 3 : 1;  // each run of the same size by itself
        CHECK(count[bench::stage_quantity::stage] == 5 * sources);
        CHECK(count[bench::stage_quantity::job] == 3 * sources);
        CHECK(count[bench::stage_quantity::run] == 1 * sources);
        CHECK(count[bench::stage_quantity::remaining] == 2);
    }
}

TEST_CASE("splits hide what they are named after") {
    std::vector<tools::trace_line> lines;
    for (const auto& each : made_up_runs().traces) lines.push_back({.trace = each});
    const auto scale = bench::split_cases(lines, "scale");
    REQUIRE(scale.size() == 4);
    for (const auto& each : scale) {
        const int unseen = each.test.front()->scale_out.back().scale_out;
        for (const auto* run : each.train) CHECK(run->scale_out.back().scale_out != unseen);
        for (const auto* run : each.test) CHECK(run->scale_out.back().scale_out == unseen);
    }
    const auto big = bench::split_cases(lines, "big").at(0);
    CHECK(big.test.size() == 3);
    for (const auto* run : big.test) CHECK(bench::data_size_of(bench::context_of(*run)) == 3000);
    CHECK(bench::split_cases(lines, "size").at(0).test.size() == 4);
    const auto few = bench::split_cases(lines, "few");
    REQUIRE(few.size() == 24);
    for (std::size_t i = 0; i < few.size(); ++i) {
        CHECK(few[i].train.size() == 1 + i / 6);
        CHECK(few[i].test.size() == 8);
    }
    CHECK(few[0].train != few[1].train);
    CHECK_THROWS((void)bench::split_cases(lines, "late"));
}

TEST_CASE("rows are written as the table's header names them, with texts quoted where they must be") {
    const std::vector<bench::stage_row> rows{
        {.application = "a,\"b\"",
         .run = "r",
         .scale_out = 4,
         .after_job = 0,
         .answer = {.what = bench::stage_quantity::remaining, .predicted = {.median_s = 1.5}},
         .method = "median",
         .truth_s = 2}};
    CHECK(bench::to_csv(rows) ==
          "application,run,scale_out,after_job,what,job,stage,method,truth_s,predicted_s,p05_s,p25_s,p75_s,p95_s\n"
          "\"a,\"\"b\"\"\",r,4,0,remaining,-1,-1,median,2,1.5,,,,\n");
}
