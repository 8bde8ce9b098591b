// Applications through C: what C++ answers, and what does not cross the border.
#include <bellamy/application_file.hpp>
#include <bellamy/rescale.hpp>

#include "../support/temporary_directory.hpp"
#include "traces.hpp"

using support::c_application;
using support::c_forecast;
using support::c_traces;
using support::check_code;
using support::into;
using support::sized;

namespace {

constexpr std::array<std::int32_t, 5> asked_scale_outs{0, 1, 4, 5, 50};

const c_application& etl() {
    static const auto made = support::learned_application(support::history_with_tasks());
    return made;
}
const bellamy::application_model& etl_in_cpp() {
    static const auto made = support::learned_from(support::history_with_tasks()).value();
    return made;
}

[[nodiscard]] c_forecast bound(const bellamy_property& size) {
    c_forecast made;
    auto error = sized<bellamy_error>();
    const auto code = bellamy_application_bind(etl().get(), &size, 1, into(made), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    return made;
}
[[nodiscard]] c_forecast after(const c_forecast& forecast, const bellamy::application_trace& so_far) {
    const c_traces traces({so_far});
    c_forecast made;
    auto error = sized<bellamy_error>();
    const auto code = bellamy_forecast_observe(forecast.get(), traces.runs.data(), into(made), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    return made;
}

template <class Ask, class Expected>
void check_rows(const Ask& ask, const Expected& expected) {
    std::array<bellamy_prediction, asked_scale_outs.size()> rows{};
    rows[0].size = sizeof(rows[0]);
    auto error = sized<bellamy_error>();
    const std::int32_t code = ask(asked_scale_outs.data(), asked_scale_outs.size(), rows.data(), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bellamy::prediction answer = expected(asked_scale_outs[i]);
        CHECK(rows[i].size == sizeof(rows[i]));
        CHECK(((rows[i].flags & bellamy_flag_not_usable) != 0) == !answer.usable());
        if (!answer.usable()) continue;
        CHECK(rows[i].median_s == answer.median_s);
        CHECK(bellamy_prediction_quantile(&rows[i], 0.9) == answer.quantile_s(0.9));
    }
}

void check_same(const c_forecast& found, const bellamy::forecast& expected) {
    auto about = sized<bellamy_forecast_description>();
    REQUIRE(bellamy_forecast_describe(found.get(), &about, nullptr) == bellamy_errc_ok);
    CHECK(about.jobs == expected.jobs());
    CHECK(about.finished_jobs == expected.finished_jobs());
    const auto same_factor = [&](double told, double p) {
        const double factor = expected.run_factor(p);
        return told == factor || (std::isnan(told) && std::isnan(factor));
    };
    CHECK(same_factor(about.run_factor, 0.5));
    CHECK(same_factor(about.run_factor_p05, 0.05));
    CHECK(same_factor(about.run_factor_p95, 0.95));
    std::vector<std::size_t> stages(about.jobs);
    std::size_t count = 0;
    REQUIRE(bellamy_forecast_stage_counts(found.get(), stages.data(), stages.size(), &count, nullptr) == bellamy_errc_ok);
    REQUIRE(count == expected.jobs());

    const auto* of = found.get();
    check_rows([&](auto... to) { return bellamy_forecast_run(of, to...); }, [&](int x) { return expected.run(x); });
    check_rows([&](auto... to) { return bellamy_forecast_remaining(of, to...); },
               [&](int x) { return expected.remaining(x); });
    for (std::size_t job = 0; job < count; ++job) {
        check_rows([&](auto... to) { return bellamy_forecast_job(of, job, to...); },
                   [&](int x) { return expected.job(job, x); });
        REQUIRE(stages[job] == expected.stages(job));
        for (std::size_t i = 0; i < stages[job]; ++i)
            check_rows([&](auto... to) { return bellamy_forecast_stage(of, job, i, to...); },
                       [&](int x) { return expected.stage(job, i, x); });
    }
}

}  // namespace

TEST_CASE("an application learned, saved, loaded and bound through C is that of C++") {
    const auto bytes = support::bytes_of(etl());
    CHECK(bytes == bellamy::to_bytes(etl_in_cpp()).value());
    auto about = sized<bellamy_application_description>();
    REQUIRE(bellamy_application_describe(etl().get(), &about, nullptr) == bellamy_errc_ok);
    CHECK(std::string(about.application) == "etl");
    CHECK(about.smallest_seen_scale_out == 2);
    CHECK(about.largest_seen_scale_out == 8);

    const support::temporary_directory directory;
    const auto path = directory / "etl.bellamy";
    REQUIRE(bellamy_application_save(etl().get(), path.c_str(), nullptr) == bellamy_errc_ok);
    c_application loaded;
    REQUIRE(bellamy_application_load(path.c_str(), into(loaded), nullptr) == bellamy_errc_ok);
    CHECK(support::bytes_of(loaded) == bytes);
    REQUIRE(bellamy_application_from_bytes(bytes.data(), bytes.size(), into(loaded), nullptr) == bellamy_errc_ok);
    CHECK(support::bytes_of(loaded) == bytes);
}

TEST_CASE("a forecast through C, before a run and while it runs, is that of C++") {
    const auto run = support::made_up_trace(20, 1500, 4, 1.4);
    const auto found = bound(bellamy_natural("data_size_MB", 1500));
    const auto expected = etl_in_cpp().bind(run.properties).value();
    check_same(found, expected);
    for (std::size_t jobs = 0; jobs <= run.jobs.size(); ++jobs) {
        const auto so_far = support::first_jobs(run, jobs);
        check_same(after(found, so_far), expected.observe(so_far).value());
    }
    // A job that runs, as C says it.
    auto begun = support::first_jobs(run, 1);
    const c_traces traces({begun});
    std::vector<bellamy_job_trace> jobs(traces.runs[0].jobs, traces.runs[0].jobs + 1);
    jobs.push_back(bellamy_running_job_of(1, *begun.jobs[0].completed_s + 1));
    auto running = traces.runs[0];
    running.jobs = jobs.data();
    running.job_count = jobs.size();
    c_forecast while_running;
    REQUIRE(bellamy_forecast_observe(found.get(), &running, into(while_running), nullptr) == bellamy_errc_ok);
    check_same(while_running, expected.observe(begun).value());
}

TEST_CASE("the decision to rescale through C is that of C++, with its table") {
    const auto run = support::made_up_trace(20, 1500, 4, 1.4);
    const auto so_far = support::first_jobs(run, 1);
    const auto found = after(bound(bellamy_natural("data_size_MB", 1500)), so_far);
    const auto expected = etl_in_cpp().bind(run.properties)->observe(so_far).value();
    const std::array<int, 3> scale_outs{2, 4, 8};
    for (const auto& [deadline_s, cost_of_missing] : {std::pair(3.0, 0.0), {20.0, 0.0}, {1000.0, 0.0}, {20.0, 5.0}}) {
        const bellamy::rescale_request wanted{.deadline_s = deadline_s,
                                              .elapsed_s = 5,
                                              .scale_out = 4,
                                              .cost_of_change = 2,
                                              .cost_of_missing = cost_of_missing};
        std::array<bellamy::rescale_assessment, 3> table{};
        const auto answer =
            bellamy::rescale(expected, scale_outs, {.per_unit_and_hour = 3, .start_up_s = 1}, wanted, table).value();
        auto price = sized<bellamy_price>();
        price.per_unit_and_hour = 3;
        price.start_up_s = 1;
        const bellamy_rescale_request request{sizeof(request), deadline_s, 5, 0.9, 2, cost_of_missing, 4};
        auto decision = sized<bellamy_rescale_decision>();
        std::array<bellamy_rescale_assessment, 3> rows{};
        rows[0].size = sizeof(rows[0]);
        auto error = sized<bellamy_error>();
        const auto code = bellamy_forecast_rescale(found.get(), scale_outs.data(), 3, &price, &request, &decision,
                                                   rows.data(), rows.size(), &error);
        REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
        CHECK(decision.outcome == static_cast<int>(answer.outcome));
        CHECK(std::string(bellamy_rescale_outcome_name(decision.outcome)) == to_string(answer.outcome));
        CHECK(decision.scale_out == answer.scale_out);
        CHECK((decision.changes != 0) == answer.changes);
        REQUIRE(answer.candidate.has_value());
        CHECK(decision.candidate == static_cast<std::int64_t>(answer.candidate->candidate));
        CHECK(decision.probability == answer.candidate->probability);
        for (std::size_t i = 0; i < table.size(); ++i) {
            CHECK(rows[i].scale_out == scale_outs[i]);
            CHECK(rows[i].median_s == table[i].rest.median_s);
            CHECK(rows[i].probability == table[i].probability);
            CHECK(rows[i].expected_cost == table[i].expected_cost);
            CHECK(rows[i].verdict == static_cast<int>(table[i].why));
        }
    }
    CHECK(std::string(bellamy_rescale_verdict_name(4)) == "not worth the change");
    CHECK(std::string(bellamy_rescale_verdict_name(5)) == "unknown");
}

TEST_CASE("what is no trace of C's is refused by name, before anything is learned") {
    const c_traces traces(support::history_with_tasks());
    auto error = sized<bellamy_error>();
    c_application made;
    const auto learned = [&](const bellamy_application_trace& run, std::size_t count = 1) {
        return bellamy_application_pretrain(&run, count, nullptr, into(made), &error);
    };
    const auto changed = [&](auto change) {
        auto run = traces.runs[0];
        change(run);
        return learned(run);
    };
    using trace = bellamy_application_trace;
    check_code(changed([](trace& run) { run.size = 8; }), error, bellamy_errc_invalid_argument,
               {"bellamy_application_trace.size"});
    check_code(changed([](trace& run) { run.application = nullptr; }), error, bellamy_errc_invalid_argument, {"null"});
    check_code(changed([](trace& run) { run.outcome = 4; }), error, bellamy_errc_invalid_argument, {"an outcome", "4"});
    check_code(changed([](trace& run) { run.unit = -1; }), error, bellamy_errc_invalid_argument, {"a unit", "-1"});
    check_code(changed([](trace& run) { run.jobs = nullptr; }), error, bellamy_errc_invalid_argument, {"null"});
    check_code(changed([](trace& run) { run.steps = nullptr; }), error, bellamy_errc_invalid_argument, {"null"});
    check_code(changed([](trace& run) { run.runtime_s = -1; }), error, bellamy_errc_invalid_trace, {"runtime_s", "-1"});
    check_code(learned(traces.runs[0], std::size_t(-1)), error, bellamy_errc_invalid_argument, {"at most"});
    check_code(bellamy_application_pretrain(nullptr, 1, nullptr, into(made), &error), error, bellamy_errc_invalid_argument,
               {"null"});
    check_code(bellamy_application_pretrain(nullptr, 0, nullptr, into(made), &error), error, bellamy_errc_empty_history, {});

    // Within a job and a stage.
    auto stage = traces.runs[0].jobs[0].stages[0];
    auto job = bellamy_job_of(0, 0, 1, &stage, 1);
    auto run = traces.runs[0];
    run.jobs = &job;
    run.job_count = 1;
    stage.parents = nullptr;
    stage.parent_count = 1;
    check_code(learned(run), error, bellamy_errc_invalid_argument, {"job 0: stage 0", "parents", "null"});
    stage.parent_count = 0;
    stage.completed_s = stage.submitted_s - 1;
    check_code(learned(run), error, bellamy_errc_invalid_trace, {"run 0"});
    auto options = sized<bellamy_application_options>();
    options.threads = -1;
    check_code(bellamy_application_pretrain(traces.runs.data(), 1, &options, into(made), &error), error,
               bellamy_errc_invalid_option, {"threads", "-1"});
    CHECK_FALSE(made);
}

TEST_CASE("closed handles, parts that are not expected and bad scale-outs of forecasts are refused") {
    const auto forecast = bound(bellamy_natural("data_size_MB", 1000));
    auto error = sized<bellamy_error>();
    auto row = sized<bellamy_prediction>();
    const std::int32_t four = 4;
    check_code(bellamy_forecast_run(nullptr, &four, 1, &row, &error), error, bellamy_errc_invalid_argument, {"a forecast"});
    check_code(bellamy_forecast_job(forecast.get(), 3, &four, 1, &row, &error), error, bellamy_errc_invalid_argument,
               {"one of 3 jobs, found 3"});
    check_code(bellamy_forecast_stage(forecast.get(), 1, 3, &four, 1, &row, &error), error, bellamy_errc_invalid_argument,
               {"one of 3 stages, found 3"});
    for (const std::int32_t bad : {-1, bellamy::largest_scale_out + 1})
        check_code(bellamy_forecast_remaining(forecast.get(), &bad, 1, &row, &error), error, bellamy_errc_invalid_scale_out,
                   {std::to_string(bad)});
    check_code(bellamy_forecast_run(forecast.get(), nullptr, 1, &row, &error), error, bellamy_errc_invalid_argument,
               {"scale-outs"});
    row.size = 3;
    check_code(bellamy_forecast_run(forecast.get(), &four, 1, &row, &error), error, bellamy_errc_invalid_argument,
               {"bellamy_prediction.size"});
    std::size_t count = 0;
    std::size_t stages = 0;
    check_code(bellamy_forecast_stage_counts(forecast.get(), &stages, 1, &count, &error), error,
               bellamy_errc_buffer_too_small, {"3 jobs, found 1"});
    CHECK(count == 3);

    c_forecast made;
    const bellamy_property nameless = bellamy_natural(nullptr, 1);
    check_code(bellamy_application_bind(etl().get(), &nameless, 1, into(made), &error), error, bellamy_errc_invalid_argument,
               {"property 0", "a name"});
    check_code(bellamy_application_bind(nullptr, nullptr, 0, into(made), &error), error, bellamy_errc_invalid_argument,
               {"an application"});
    check_code(bellamy_forecast_observe(forecast.get(), nullptr, into(made), &error), error, bellamy_errc_invalid_argument,
               {"bellamy_application_trace", "null"});
    c_application loaded;
    check_code(bellamy_application_from_bytes("no model", 8, into(loaded), &error), error, bellamy_errc_not_a_model, {});
    check_code(bellamy_application_load(nullptr, into(loaded), &error), error, bellamy_errc_invalid_argument, {"a path"});

    auto decision = sized<bellamy_rescale_decision>();
    auto request = sized<bellamy_rescale_request>();
    request.probability = 0.9;
    request.scale_out = 4;
    check_code(bellamy_forecast_rescale(forecast.get(), &four, 1, nullptr, &request, &decision, nullptr, 0, &error), error,
               bellamy_errc_invalid_deadline, {"0"});
    request.deadline_s = 100;
    check_code(bellamy_forecast_rescale(forecast.get(), nullptr, 0, nullptr, &request, &decision, nullptr, 0, &error), error,
               bellamy_errc_empty_candidates, {});
    auto assessed = sized<bellamy_rescale_assessment>();
    const std::array<std::int32_t, 2> two{2, 4};
    check_code(bellamy_forecast_rescale(forecast.get(), two.data(), 2, nullptr, &request, &decision, nullptr, 0, &error),
               error, bellamy_errc_invalid_price, {"found none"});
    check_code(bellamy_forecast_rescale(forecast.get(), two.data(), 2, nullptr, &request, &decision, &assessed, 1, &error),
               error, bellamy_errc_buffer_too_small, {"2"});
    check_code(bellamy_forecast_rescale(forecast.get(), two.data(), 2, nullptr, &request, &decision, &assessed, 0, &error),
               error, bellamy_errc_buffer_too_small, {"2"});
}

TEST_CASE("a forecast outlives its application's handle, and each owner releases it once") {
    auto application = support::learned_application(support::etl_history({1000}));
    c_forecast forecast;
    REQUIRE(bellamy_application_bind(application.get(), nullptr, 0, into(forecast), nullptr) == bellamy_errc_ok);
    auto* second = bellamy_forecast_retain(forecast.get());
    application.reset();
    forecast.reset();
    auto row = sized<bellamy_prediction>();
    const std::int32_t four = 4;
    CHECK(bellamy_forecast_run(second, &four, 1, &row, nullptr) == bellamy_errc_ok);
    CHECK(row.median_s > 0);
    bellamy_forecast_release(&second);
    CHECK(second == nullptr);
    bellamy_forecast_release(&second);
    CHECK(bellamy_application_retain(nullptr) == nullptr);
}
