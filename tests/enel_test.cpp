#include <bellamy/enel.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

// A made-up application of five jobs of three stages; times follow the size over the scale-out.
[[nodiscard]] application_trace iterative_run(int scale_out, double slower = 1) {
    application_trace made{.application = "iterate", .run = "r" + std::to_string(scale_out)};
    made.properties = {natural("data_size_MB", 4000)};
    made.scale_out = {{.at_s = 0, .scale_out = scale_out}};
    double now_s = 2;
    std::int64_t id = 0;
    for (std::int64_t job = 0; job < 5; ++job) {
        auto& each = made.jobs.emplace_back();
        each.id = job;
        each.submitted_s = now_s;
        for (std::int64_t i = 0; i < 3; ++i, ++id) {
            auto& stage = each.stages.emplace_back();
            stage.id = id;
            stage.name = i == 0 ? "read" : i == 1 ? "map" : "collect";
            if (i > 0) stage.parents = {id - 1};
            stage.tasks = i == 2 ? 1 : 32;
            stage.submitted_s = now_s;
            now_s += slower * (4.0 + (i == 2 ? 0.0 : 80.0 / scale_out));
            stage.completed_s = now_s;
            stage.metrics = stage_metrics{.cpu_s = 8.0, .run_s = 10.0 + static_cast<double>(i), .gc_s = 1.0};
        }
        each.completed_s = now_s;
        now_s += 0.5;
    }
    made.runtime_s = now_s + 1;
    return made;
}

[[nodiscard]] std::vector<application_trace> iterative_runs() {
    std::vector<application_trace> runs;
    for (const int x : {4, 5, 6, 8, 10, 12, 14, 16}) runs.push_back(iterative_run(x));
    return runs;
}

[[nodiscard]] const enel_model& learned() {
    static const auto model = enel_model::pretrain(iterative_runs(), {.trials = 6, .epochs = 200});
    REQUIRE(model);
    return *model;
}

[[nodiscard]] application_trace begun(application_trace run, std::size_t jobs) {
    run.jobs.resize(jobs);
    run.runtime_s = jobs == 0 ? 0 : *run.jobs.back().completed_s;
    run.outcome = trace_outcome::unfinished;
    return run;
}

[[nodiscard]] double rest_of(const application_trace& run, std::size_t jobs) {
    return run.runtime_s - *run.jobs[jobs - 1].completed_s;
}

}  // namespace

TEST_CASE("Enel's network predicts every stage and job to come, with the gaps between jobs") {
    CHECK(learned().report().training_runs == 5);
    CHECK(learned().report().validation_runs == 3);
    const std::vector scale_outs{4, 8, 16};
    const auto whole = learned().forecast(begun(iterative_run(8), 0), scale_outs, {.scale_out = 8});
    REQUIRE(whole);
    CHECK(whole->jobs() == 5);
    for (std::size_t job = 0; job < 5; ++job) {
        CHECK(whole->stages(job) == 3);
        for (std::size_t k = 0; k < 3; ++k) {
            double sum = 0;
            for (const double each : whole->stage_s(k, job)) sum += each;
            if (job > 0) CHECK(std::abs(whole->job_s(k, job) - sum) <= 1e-9);
        }
    }
    CHECK(std::abs(whole->job_s(1, 0) / (12 + 160.0 / 8) - 1) <= 0.1);
    CHECK(whole->gap_s(0) == doctest::Approx(2));
    CHECK(whole->gap_s(5) == doctest::Approx(1.5));
    const auto rest = learned().forecast(begun(iterative_run(8), 2), scale_outs, {.scale_out = 8});
    CHECK(rest->jobs() == 3);
    const double truth_s = rest_of(iterative_run(8), 2);
    CHECK(std::abs(rest->rest_s(1) / truth_s - 1) <= 0.25);
}

TEST_CASE("fine-tuning on the finished jobs lowers the error on the rest of a run that is uniformly slower") {
    const auto slow = iterative_run(8, 2.5);
    const std::vector scale_outs{8};
    const double truth_s = rest_of(slow, 3);
    const auto tuned = learned().forecast(begun(slow, 3), scale_outs, {.scale_out = 8});
    const auto untuned = learned().forecast(begun(slow, 3), scale_outs, {.scale_out = 8, .fine_tune = false});
    REQUIRE(tuned);
    REQUIRE(untuned);
    CHECK(std::abs(tuned->rest_s(0) - truth_s) < 0.5 * std::abs(untuned->rest_s(0) - truth_s));
}

TEST_CASE("a forecast of Enel's network depends on the finished jobs and the seed alone") {
    const std::vector scale_outs{6, 8};
    const auto so_far = begun(iterative_run(8), 2);
    const auto once = learned().forecast(so_far, scale_outs, {.scale_out = 8, .seed = 3});
    const auto again = learned().forecast(so_far, scale_outs, {.scale_out = 8, .seed = 3});
    const auto alone = learned().forecast(so_far, std::vector{8}, {.scale_out = 8, .seed = 3});
    for (std::size_t job = 0; job < once->jobs(); ++job) {
        CHECK(once->job_s(1, job) == again->job_s(1, job));
        CHECK(once->job_s(1, job) == alone->job_s(0, job));
    }
}

TEST_CASE("until the answer can take effect the jobs to come keep the present scale-out") {
    const std::vector scale_outs{4, 8, 16};
    const auto so_far = begun(iterative_run(8), 2);
    const enel_question later{.scale_out = 8, .first_job = 1, .fine_tune = false};
    const auto forecast = learned().forecast(so_far, scale_outs, later);
    CHECK(forecast->job_s(0, 0) == forecast->job_s(2, 0));
    CHECK(forecast->job_s(0, 1) != forecast->job_s(2, 1));
}

TEST_CASE("when no job is to come Enel's forecast is empty, and another shape is laid out like an earlier run") {
    const std::vector scale_outs{8};
    const auto done = learned().forecast(iterative_run(8), scale_outs, {.scale_out = 8});
    REQUIRE(done);
    CHECK(done->jobs() == 0);
    CHECK(done->rest_s(0) == 0);
    auto other = begun(iterative_run(8), 2);
    other.jobs[0].stages.pop_back();
    const auto forecast = learned().forecast(other, scale_outs, {.scale_out = 8});
    REQUIRE(forecast);
    CHECK(forecast->jobs() == 3);
}

TEST_CASE("what Enel's network cannot learn or answer is refused by name") {
    const auto code = [](const auto& answer) { return answer ? errc::ok : answer.error().code(); };
    CHECK(code(enel_model::pretrain({})) == errc::empty_history);
    auto runs = iterative_runs();
    CHECK(code(enel_model::pretrain(runs, {.trials = 0})) == errc::invalid_option);
    CHECK(code(enel_model::pretrain(runs, {.threads = 0})) == errc::invalid_option);
    CHECK(code(enel_model::pretrain(runs, {.parallel = {.workers = 1000}})) == errc::invalid_option);
    CHECK(code(enel_model::pretrain(runs, {.parallel = {.workers = 2, .period = 3, .delay = 3}})) == errc::invalid_option);
    for (auto& each : runs) each.scale_out.clear();
    CHECK(code(enel_model::pretrain(runs)) == errc::empty_history);
    runs = iterative_runs();
    runs[0].jobs[0].stages[0].tasks = std::int64_t{1} << 40;
    CHECK(code(enel_model::pretrain(runs)) == errc::number_too_large);
    runs = iterative_runs();
    runs[0].runtime_s = std::nan("");
    CHECK(code(enel_model::pretrain(runs)) == errc::invalid_trace);

    const std::vector scale_outs{8};
    const auto so_far = begun(iterative_run(8), 2);
    CHECK(code(learned().forecast(so_far, {}, {.scale_out = 8})) == errc::empty_candidates);
    CHECK(code(learned().forecast(so_far, std::vector{0}, {.scale_out = 8})) == errc::invalid_scale_out);
    CHECK(code(learned().forecast(so_far, scale_outs, {.scale_out = 0})) == errc::invalid_scale_out);
    auto unknown = so_far;
    unknown.application = "another";
    CHECK(code(learned().forecast(unknown, scale_outs, {.scale_out = 8})) == errc::empty_history);
}

namespace {

// Averages never come.
struct lonely_enel_averager {
    void begin(std::span<const double>) {}
    [[nodiscard]] bool arrived() { return false; }
    [[nodiscard]] std::span<const double> finish() { return {}; }
};

}  // namespace

TEST_CASE("workers of Enel's network that train apart get the model that they get in one process") {
    const auto runs = iterative_runs();
    const enel_options options{.trials = 3, .epochs = 35, .seed = 2, .parallel = {.workers = 2, .period = 3, .delay = 2}};
    const auto forecast_by = [&](const enel_model& model) {
        const auto answer = model.forecast(begun(runs[3], 2), std::vector{4, 16}, {.scale_out = 8}).value();
        std::vector<double> time_s;
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t job = 0; job < answer.jobs(); ++job) time_s.push_back(answer.job_s(k, job));
        return time_s;
    };
    const auto together = enel_model::pretrain(runs, options).value();
    detail::random_generator random(0);
    using averaging = detail::thread_averaging<double>;
    averaging all(2, 3 * detail::random_enel_parameters(random).size() + 1);
    std::array<std::vector<double>, 2> apart;
    detail::for_each_index(2, 2, [&](std::size_t worker) {
        averaging::handle averager(all, worker);
        const auto model = enel_model::pretrain_as_worker(runs, options, static_cast<int>(worker), averager).value();
        CHECK(model.report().epochs == together.report().epochs);
        apart[worker] = forecast_by(model);
    });
    for (const auto& each : apart) CHECK(each == forecast_by(together));
}

TEST_CASE("a worker of Enel's network whose fellows are lost says so, and one called wrongly is refused") {
    lonely_enel_averager averager;
    const auto code = [&](const enel_options& options, int worker) {
        const auto made = enel_model::pretrain_as_worker(iterative_runs(), options, worker, averager);
        return made ? errc::ok : made.error().code();
    };
    CHECK(code({.trials = 2, .parallel = {.workers = 2}}, 0) == errc::worker_lost);
    CHECK(code({.parallel = {.workers = 2}}, 2) == errc::invalid_option);
    CHECK(code({.parallel = {.workers = 2}}, -1) == errc::invalid_option);
    CHECK(code({.parallel = {.workers = 1}}, 0) == errc::invalid_option);
    CHECK(code({.parallel = {.workers = 2, .period = 2, .delay = 2}}, 0) == errc::invalid_option);
}

TEST_CASE("a history without metrics, sizes or stages is learned too") {
    auto runs = iterative_runs();
    for (auto& each : runs) {
        each.properties.clear();
        for (auto& job : each.jobs) job.stages.clear();
    }
    const auto model = enel_model::pretrain(runs, {.trials = 2, .epochs = 40});
    REQUIRE(model);
    const auto forecast = model->forecast(begun(runs[3], 1), std::vector{8}, {.scale_out = 8});
    REQUIRE(forecast);
    CHECK(forecast->jobs() == 4);
    CHECK(forecast->stages(0) == 1);
}

TEST_CASE("earlier runs whose later jobs have other stages are no obstacle to Enel's forecast") {
    auto runs = iterative_runs();
    // A stage more in the third job of every other run.
    for (std::size_t i = 0; i < runs.size(); i += 2) {
        auto extra = runs[i].jobs[2].stages.back();
        extra.parents = {extra.id};
        extra.id = 100;
        runs[i].jobs[2].stages.push_back(extra);
    }
    const auto model = enel_model::pretrain(runs, {.trials = 1, .epochs = 5}).value();
    for (const int x : {4, 5, 6, 8, 10, 12, 14, 16}) {
        const auto found = model.forecast(begun(iterative_run(x), 1), std::vector{x}, {.scale_out = x, .fine_tune = false});
        REQUIRE(found);
        CHECK(std::isfinite(found->rest_s(0)));
    }
}
