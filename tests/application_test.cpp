#include <bellamy/application_file.hpp>
#include <bellamy/rescale.hpp>

#include <doctest/doctest.h>

#include "support/made_up_application.hpp"

namespace {

using bellamy::application_model;
using bellamy::application_trace;
using bellamy::errc;
using support::etl_history;
using support::first_jobs;
using support::learned_from;
using support::made_up_trace;

const application_model& made_up_model() {
    static const application_model model = learned_from(etl_history()).value();
    return model;
}

[[nodiscard]] bool same(const bellamy::prediction& a, const bellamy::prediction& b) {
    return a.median_s == b.median_s && a.log_quantiles == b.log_quantiles;
}

static_assert(noexcept(std::declval<const bellamy::forecast&>().remaining(4)));
static_assert(noexcept(std::declval<const bellamy::forecast&>().stage(0, 0, 4)));

}  // namespace

TEST_CASE("stages, jobs and the run are predicted for a size and a scale-out that no run had") {
    const auto truth = made_up_trace(77, 1500, 6);
    const auto forecast = made_up_model().bind(truth.properties).value();
    REQUIRE(forecast.jobs() == 3);
    REQUIRE(forecast.stages(1) == 3);
    const auto near = [](double median_s, double truth_s) { return std::abs(std::log(median_s / truth_s)) < 0.35; };
    for (std::size_t job = 0; job < 3; ++job) {
        const auto& recorded = truth.jobs[job];
        CHECK(near(forecast.job(job, 6).median_s, *recorded.completed_s - *recorded.submitted_s));
        for (std::size_t i = 0; i < forecast.stages(job); ++i)
            CHECK(
                near(forecast.stage(job, i, 6).median_s, *recorded.stages[i].completed_s - *recorded.stages[i].submitted_s));
    }
    const auto run = forecast.run(6);
    CHECK(near(run.median_s, truth.runtime_s));
    CHECK(run.quantile_s(0.05) < run.median_s);
    CHECK(run.quantile_s(0.5) == doctest::Approx(run.median_s));
    CHECK(run.quantile_s(0.95) > run.median_s);
    CHECK(forecast.run(2).median_s > forecast.run(8).median_s);
}

TEST_CASE("a job that took longer than predicted makes the rest longer, and surely so") {
    const auto slow = made_up_trace(78, 1000, 4, 1.5);
    const auto usual = made_up_trace(78, 1000, 4);
    const auto forecast = made_up_model().bind(slow.properties).value();
    const auto after_slow = forecast.observe(first_jobs(slow, 1)).value();
    const auto after_usual = forecast.observe(first_jobs(usual, 1)).value();
    CHECK(after_slow.finished_jobs() == 1);
    CHECK(after_slow.remaining(4).median_s > 1.2 * after_usual.remaining(4).median_s);
    CHECK(after_slow.run_factor(0.5) / after_usual.run_factor(0.5) ==
          doctest::Approx(after_slow.remaining(4).median_s / after_usual.remaining(4).median_s));
    CHECK(after_slow.run_factor(0.95) / after_slow.run_factor(0.05) ==
          doctest::Approx(after_slow.remaining(4).quantile_s(0.95) / after_slow.remaining(4).quantile_s(0.05)));
    const double rest_s = slow.runtime_s - *slow.jobs[0].completed_s;
    CHECK(after_slow.remaining(4).median_s == doctest::Approx(rest_s).epsilon(0.25));
    // Sure of the slow day. Its tail to the right allows for failures, which the run's before the start does not.
    CHECK(after_slow.remaining(4).quantile_s(0.05) > 1.05 * after_usual.remaining(4).median_s);
    CHECK(forecast.observe(first_jobs(slow, 2))->remaining(4).median_s < after_slow.remaining(4).median_s);
}

TEST_CASE("before any job has ended the rest is the run, and after the last one there is none") {
    const auto run = made_up_trace(79, 1000, 4);
    const auto forecast = made_up_model().bind(run.properties).value();
    CHECK(same(forecast.observe(first_jobs(run, 0))->remaining(4), forecast.run(4)));
    auto started = first_jobs(run, 1);
    started.jobs[0].completed_s.reset();
    started.jobs[0].stages[0].completed_s.reset();
    CHECK(forecast.observe(started)->finished_jobs() == 0);
    CHECK_FALSE(forecast.observe(first_jobs(run, 3))->remaining(4).usable());
    CHECK(std::isnan(forecast.run_factor(0.5)));
    CHECK(std::isnan(forecast.observe(first_jobs(run, 3))->run_factor(0.5)));
    CHECK(std::isnan(forecast.observe(first_jobs(run, 1))->run_factor(1)));
}

TEST_CASE("the model does not depend on the number of threads") {
    const auto alone = made_up_model().bind(etl_history()[0].properties).value();
    const auto model = learned_from(etl_history(), 3).value();
    const auto together = model.bind(etl_history()[0].properties).value();
    const auto progress = first_jobs(etl_history()[0], 1);
    for (const int x : {0, 1, 3, 50}) {
        CHECK(same(alone.run(x), together.run(x)));
        CHECK(same(alone.stage(1, 2, x), together.stage(1, 2, x)));
        CHECK(same(alone.observe(progress)->remaining(x), together.observe(progress)->remaining(x)));
    }
}

TEST_CASE("without scale-outs and properties the answer is that of all runs") {
    auto history = etl_history();
    for (auto& each : history) {
        each.scale_out.clear();
        each.properties.clear();
        for (auto& job : each.jobs) job.stages.clear();
    }
    const auto model = learned_from(history).value();
    const auto forecast = model.bind({}).value();
    CHECK(forecast.stages(1) == 0);
    CHECK(forecast.run(0).usable());
    CHECK(same(forecast.job(0, 0), forecast.job(0, 100)));
    CHECK(forecast.observe(first_jobs(history[0], 1))->remaining(0).usable());
}

TEST_CASE("the rest is right where one job or another is long, so that the run is not the sum of its jobs' medians") {
    std::vector<application_trace> history;
    for (int i = 0; i < 20; ++i) {
        application_trace run{.application = "alternating", .run = std::to_string(i)};
        double now_s = 0;
        for (int job = 0; job < 5; ++job) {
            const double long_s = job == 1 + i % 4 ? 60 : 10;
            run.jobs.push_back({.id = job, .submitted_s = now_s, .completed_s = now_s + long_s});
            now_s += long_s;
        }
        run.runtime_s = now_s;
        history.push_back(std::move(run));
    }
    const auto forecast = learned_from(history)->bind({}).value();
    CHECK(forecast.observe(first_jobs(history[0], 1))->remaining(0).median_s == doctest::Approx(90).epsilon(0.05));
}

TEST_CASE("a run of another shape is expected to go on as the runs of its shape did") {
    auto history = etl_history();
    for (std::size_t i = 0; i < 4; ++i) {
        // The second job has one stage only, and a fourth job follows.
        auto& jobs = history[i].jobs;
        jobs[1].stages.resize(1);
        jobs.push_back({.id = 3, .submitted_s = history[i].runtime_s, .completed_s = history[i].runtime_s + 100});
        history[i].runtime_s += 100;
    }
    const auto model = learned_from(history).value();
    const auto forecast = model.bind(history[0].properties).value();
    CHECK(forecast.jobs() == 3);
    const auto other = forecast.observe(first_jobs(history[0], 2)).value();
    CHECK(other.jobs() == 4);
    CHECK(other.remaining(2).median_s > 80);
    CHECK(forecast.observe(first_jobs(history[5], 2))->jobs() == 3);
}

TEST_CASE("a property that no run had is left out, one that is missing is not known, and numbers of two kinds agree") {
    auto history = etl_history();
    history[3].properties[0].value = 4000.5;
    const auto model = learned_from(history).value();
    const auto with_more = model.bind(std::vector{history[0].properties[0], bellamy::text("new", "one")});
    REQUIRE(with_more);
    CHECK(same(with_more->run(4), model.bind(history[0].properties)->run(4)));
    CHECK(model.bind({})->run(4).usable());
}

TEST_CASE("a data size that one run has as a text is a text of all, and no size") {
    auto history = etl_history();
    for (auto& property : history.front().properties)
        if (property.role == bellamy::property_role::data_size) property = bellamy::text(property.name, "10 GB");
    const auto model = learned_from(history);
    REQUIRE(model);
    for (const auto& run : {history.front(), history.back()}) CHECK(model->bind(run.properties).has_value());
}

TEST_CASE("a value that is told to be unknown, of a text or a number, is as one that is missing") {
    auto history = etl_history();
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].properties.push_back(bellamy::text("machine", i % 2 == 0 ? "a" : "b"));
    const auto asked = history[0].properties;
    const std::vector<bellamy::property> untold{bellamy::unknown(asked[0].name), bellamy::unknown("machine")};
    const auto whole = learned_from(history).value();
    CHECK(same(whole.bind(untold)->run(4), whole.bind({})->run(4)));
    auto with_gap = history;
    with_gap[3].properties = untold;
    history[3].properties.clear();
    CHECK(same(learned_from(with_gap)->bind(asked)->run(4), learned_from(history)->bind(asked)->run(4)));
}

TEST_CASE("what cannot be learned from or predicted is refused by name") {
    CHECK(bellamy::pretrain_application(std::span<const application_trace* const>{}).error().code() == errc::empty_history);
    auto history = etl_history();
    history[2].application = "other";
    CHECK(learned_from(history).error().message() == "run 2: expected etl over units of node, found other over node");
    history = etl_history();
    history[1].runtime_s = -1;
    CHECK(learned_from(history).error().message() == "run 1: expected a finite runtime_s > 0, found -1");
    for (auto& each : history) {
        each.runtime_s = 1e6;
        each.outcome = bellamy::trace_outcome::failed;
    }
    CHECK(learned_from(history).error().code() == errc::empty_history);

    // What is given is checked before it is looked at: nothing of it is taken for unknown, or ignored.
    const auto refusal = [](std::vector<bellamy::property> given) { return made_up_model().bind(given).error().code(); };
    const auto size = etl_history()[0].properties[0];
    CHECK(refusal({bellamy::quantity(size.name, std::nan(""))}) == errc::invalid_quantity);
    CHECK(refusal({size, size}) == errc::duplicate_property);
    CHECK(refusal({bellamy::text("other", "\xff")}) == errc::invalid_text);

    CHECK(refusal({bellamy::text(size.name, "60")}) == errc::property_mismatch);
    CHECK(bellamy::pretrain_application(std::array<const application_trace*, 1>{}).error().message() ==
          "run 0: expected a trace, found none");

    auto progress = first_jobs(etl_history()[0], 2);
    const auto elsewhere = [&](const auto& change) {
        auto other = progress;
        change(other);
        return std::string(made_up_model().bind(progress.properties)->observe(other).error().message());
    };
    CHECK(elsewhere([](auto& other) { other.application = "other"; }) ==
          "expected a run of etl over units of node, found one of other over units of node");
    CHECK(elsewhere([](auto& other) { other.unit = bellamy::scale_out_unit::executor; }) ==
          "expected a run of etl over units of node, found one of etl over units of executor");
    progress.jobs[0].completed_s.reset();
    progress.jobs[0].stages[0].completed_s.reset();
    const auto forecast = made_up_model().bind(progress.properties).value();
    CHECK(forecast.observe(progress).error().message() ==
          "expected finished jobs first, found job 1 finished after one that is not");
}

TEST_CASE("runs of 10,000 stages are learned and predicted, in one job and in jobs of their own") {
    for (const std::size_t jobs : {std::size_t{1}, std::size_t{100}}) {
        std::vector<application_trace> history;
        for (int i = 0; i < 3; ++i) {
            const int x = 1 << i;
            application_trace run{.application = "wide", .run = std::to_string(i), .scale_out = {{0, x}}};
            double now_s = 0;
            for (std::size_t job = 0; job < jobs; ++job) {
                auto& one = run.jobs.emplace_back();
                one.id = static_cast<std::int64_t>(job);
                one.submitted_s = now_s;
                for (std::size_t stage = 0; stage < 10'000 / jobs; ++stage) {
                    bellamy::stage_trace made{.id = static_cast<std::int64_t>(stage), .submitted_s = now_s};
                    if (stage > 0) made.parents = {made.id - 1};
                    made.completed_s = now_s += (1.0 + static_cast<double>(stage % 7)) / x;
                    one.stages.push_back(made);
                }
                one.completed_s = now_s;
            }
            run.runtime_s = now_s;
            history.push_back(run);
        }
        const auto forecast = learned_from(history)->bind({}).value();
        REQUIRE(forecast.jobs() == jobs);
        REQUIRE(forecast.stages(0) == 10'000 / jobs);
        CHECK(forecast.run(2).median_s == doctest::Approx(history[1].runtime_s).epsilon(0.1));
        for (const std::size_t stage : {std::size_t{0}, std::size_t{6}, forecast.stages(0) - 1})
            CHECK(forecast.stage(0, stage, 2).median_s ==
                  doctest::Approx((1.0 + static_cast<double>(stage % 7)) / 2).epsilon(0.2));
        CHECK(forecast.observe(first_jobs(history[1], jobs / 2))->remaining(2).usable());
    }
}

TEST_CASE("beyond the largest 40 jobs a job is predicted as its share of the small ones, and is no part to bind") {
    constexpr std::size_t jobs = 300;
    const auto small_s = [](std::size_t job) { return 0.2 + 0.05 * static_cast<double>(job % 5); };
    const auto run_at = [&](int x, double slowness) {
        application_trace run{.application = "many", .run = std::to_string(x), .scale_out = {{0, x}}};
        double now_s = 0;
        for (std::size_t job = 0; job < jobs; ++job) {
            bellamy::job_trace one{.id = static_cast<std::int64_t>(job), .submitted_s = now_s};
            const double work_s = job % 100 == 0 ? 20 : small_s(job);
            one.completed_s = now_s += slowness * (0.1 + work_s / x);
            run.jobs.push_back(one);
        }
        run.runtime_s = now_s;
        return run;
    };
    std::vector<application_trace> history;
    for (const double slowness : {0.95, 1.0, 1.05})
        for (const int x : {1, 2, 4}) history.push_back(run_at(x, slowness));
    const auto model = learned_from(history).value();
    const auto& parts = bellamy::detail::application_access::state_of(model).shapes.at(0).parts;
    CHECK(std::count(parts.paths.begin(), parts.paths.end(), std::nullopt) == jobs - 40);

    const auto bytes = bellamy::to_bytes(model).value();
    const auto loaded = bellamy::application_from_bytes(bytes).value();
    CHECK(bellamy::to_bytes(loaded).value() == bytes);
    for (const auto& each : {model, loaded}) {
        const auto forecast = each.bind({}).value();
        for (const std::size_t job : {std::size_t{3}, std::size_t{100}, jobs - 1}) {
            const double expected_s = 0.1 + (job == 100 ? 20 : small_s(job)) / 2;
            CHECK(forecast.job(job, 2).median_s == doctest::Approx(expected_s).epsilon(0.05));
        }
        const auto slow = run_at(2, 1.05);
        CHECK(forecast.run(2).median_s == doctest::Approx(slow.runtime_s / 1.05).epsilon(0.03));
        const auto rest = forecast.observe(first_jobs(slow, 150))->remaining(2);
        CHECK(rest.median_s == doctest::Approx(slow.runtime_s - *slow.jobs[149].completed_s).epsilon(0.03));
    }
}

TEST_CASE("one run is enough to learn from") {
    const std::vector<application_trace> one{made_up_trace(5, 1000, 4)};
    const auto forecast = learned_from(one)->bind(one[0].properties).value();
    CHECK(forecast.run(4).median_s == doctest::Approx(one[0].runtime_s).epsilon(0.2));
    // Its tasks replayed tell how it scales.
    CHECK(forecast.run(2).median_s > 1.3 * forecast.run(4).median_s);
}

TEST_CASE("one run without tasks says how long another size and scale-out may take, and how little that is known") {
    std::vector<application_trace> one{made_up_trace(5, 1000, 4)};
    for (auto& job : one[0].jobs)
        for (auto& stage : job.stages) stage.task_s.clear();
    const auto model = learned_from(one);
    const auto same = model->bind(one[0].properties)->run(4);
    CHECK(same.median_s == doctest::Approx(one[0].runtime_s).epsilon(0.1));
    const auto fewer = model->bind(one[0].properties)->run(2);
    CHECK(fewer.median_s > 1.2 * same.median_s);
    const auto larger = made_up_trace(6, 4000, 4);
    const auto rest = model->bind(larger.properties)->run(4);
    CHECK(rest.quantile_s(0.05) < larger.runtime_s);
    CHECK(rest.quantile_s(0.95) > larger.runtime_s);
    CHECK(rest.quantile_s(0.95) / rest.median_s > 1.5);
}

TEST_CASE("replays that scale otherwise than the recorded runs do not overrule them") {
    // Two stages side by side, of which the record knows tasks of a second in all: scheduled again they hardly scale.
    std::vector<application_trace> history;
    const auto runtime_s = [](int slots) { return 220.0 / slots + 3.5; };
    for (const int slots : {2, 5, 20, 50, 60}) {
        bellamy::stage_trace stage{.id = 0, .tasks = 60, .submitted_s = 1.0, .completed_s = runtime_s(slots) - 1};
        stage.task_s.assign(60, 1.0 / 60);
        stage.first_wave = slots;
        bellamy::job_trace job{.id = 0, .submitted_s = 1.0, .completed_s = stage.completed_s, .stages = {stage, stage}};
        job.stages[1].id = 1;
        history.push_back({.application = "parallel",
                           .run = std::to_string(slots),
                           .unit = bellamy::scale_out_unit::slot,
                           .runtime_s = runtime_s(slots),
                           .scale_out = {{0, slots}},
                           .jobs = {job}});
    }
    const auto forecast = learned_from(history)->bind({}).value();
    for (const int slots : {10, 30}) CHECK(forecast.run(slots).median_s == doctest::Approx(runtime_s(slots)).epsilon(0.15));
    // Beyond them too: replays are corrected by how they err from one run to another.
    const std::vector<application_trace> ends{history[1], history[2]};
    CHECK(learned_from(ends)->bind({})->run(40).median_s < 0.8 * runtime_s(20));
}

TEST_CASE("the only job that remains is never forecast to take longer than the rest of its run, at any probability") {
    const auto run = made_up_trace(79, 1000, 4, 1.5);
    const auto known = made_up_model().bind(run.properties).value().observe(first_jobs(run, 2)).value();
    const auto other = learned_from({made_up_trace(5, 1000, 4)})->bind(run.properties)->observe(first_jobs(run, 2)).value();
    for (const auto& forecast : {known, other})
        for (const int x : {2, 4, 16})
            for (const double p : {0.05, 0.5, 0.95})
                CHECK(forecast.job(2, x).quantile_s(p) <= forecast.remaining(x).quantile_s(p));
    CHECK(known.job(2, 4).median_s > 0.7 * known.remaining(4).median_s);
}

TEST_CASE("a forecast decides whether the rest of a run should change its scale-out") {
    const auto run = made_up_trace(77, 2000, 4);
    const auto rest = made_up_model().bind(run.properties).value().observe(first_jobs(run, 1)).value();
    const std::vector scale_outs{2, 4, 8};
    std::vector<bellamy::rescale_assessment> table(3);
    const double elapsed_s = *run.jobs[0].completed_s;
    const bellamy::rescale_request wanted{
        .deadline_s = elapsed_s + rest.remaining(4).quantile_s(0.95), .elapsed_s = elapsed_s, .scale_out = 2};
    const auto go = bellamy::rescale(rest, scale_outs, {.per_unit_and_hour = 1}, wanted, table).value();
    CHECK(go.outcome == bellamy::rescale_outcome::meets_deadline);
    CHECK(go.scale_out == 4);
    CHECK(table[0].why == bellamy::rescale_verdict::misses_deadline);
    CHECK(table[1].probability == doctest::Approx(0.95).epsilon(0.01));
}

TEST_CASE("jobs of a run that was rescaled are compared at the scale-out that each had, however soon it changed") {
    const auto at_two = made_up_trace(81, 500, 2);
    const auto at_eight = made_up_trace(81, 500, 8);
    const auto forecast = made_up_model().bind(at_two.properties).value();
    auto steady = first_jobs(at_two, 1);
    const double end_s = *steady.jobs[0].completed_s;
    REQUIRE(end_s < bellamy::detail::settled_after_s);
    auto rescaled = steady;
    rescaled.scale_out.push_back({.at_s = end_s + 0.1, .scale_out = 8});
    const auto after = forecast.observe(rescaled).value();
    CHECK(after.remaining(8).median_s == doctest::Approx(forecast.observe(steady)->remaining(8).median_s).epsilon(0.02));
    CHECK(after.remaining(8).median_s == doctest::Approx(at_eight.runtime_s - *at_eight.jobs[0].completed_s).epsilon(0.35));
}

TEST_CASE("a job during which the scale-out changed is compared with the time at both, and moves the forecast no further") {
    const auto like = made_up_trace(81, 20000, 2);
    const auto forecast = made_up_model().bind(like.properties).value();
    const double at_two_s = forecast.job(0, 2).median_s;
    const double at_eight_s = forecast.job(0, 8).median_s;
    REQUIRE(at_two_s / 2 > bellamy::detail::settled_after_s);
    REQUIRE(at_two_s > 2 * at_eight_s);
    const auto factor_after = [&](double first_job_s, const std::vector<bellamy::scale_out_step>& steps) {
        auto run = first_jobs(like, 1);
        run.scale_out = steps;
        auto& job = run.jobs.front();
        job.completed_s = *job.submitted_s + first_job_s;
        job.stages.front().submitted_s = job.submitted_s;
        job.stages.front().completed_s = job.completed_s;
        return forecast.observe(run)->run_factor(0.5);
    };
    const double begin_s = *like.jobs.front().submitted_s;
    const double steady = factor_after(at_two_s, {{0, 2}});
    const double halfway_s = begin_s + at_two_s / 2;
    CHECK(factor_after((at_two_s + at_eight_s) / 2, {{0, 2}, {halfway_s, 8}}) == doctest::Approx(steady).epsilon(0.02));
    CHECK(factor_after(at_two_s + at_eight_s, {{0, 2}, {begin_s + at_two_s, 8}}) > 1.2 * steady);  // twice the work
    // Executors that join, and a change after the job, count for nothing.
    CHECK(factor_after(at_two_s, {{0, 0}, {begin_s, 1}, {begin_s + 9, 2}, {begin_s + 2 * at_two_s, 8}}) ==
          doctest::Approx(steady).epsilon(0.02));
}
