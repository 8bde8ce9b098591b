// The interface as a C program uses it: compiled as C11, linked against the shared library.
#include <bellamy/c.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            ++failures;                                                           \
            (void)fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
        }                                                                         \
    } while (0)

enum { contexts = 4, scale_outs = 5, runs = contexts * scale_outs };

// 20 s of its own and 4 s per gigabyte, shared by the nodes.
static double runtime_s(uint64_t size_gb, int32_t scale_out) { return 20 + 4 * (double)size_gb / scale_out; }

static bellamy_model* pretrained(bellamy_error* error) {
    bellamy_property sizes[contexts];
    bellamy_context jobs[contexts];
    bellamy_run history[runs];
    for (size_t i = 0; i < contexts; ++i) {
        sizes[i] = bellamy_natural("size_gb", 10 * (i + 1));
        sizes[i].role = bellamy_role_data_size;
        jobs[i] = bellamy_context_of(&sizes[i], 1, NULL, 0);
        for (size_t k = 0; k < scale_outs; ++k) {
            const int32_t scale_out = (int32_t)(2 * (k + 1));
            history[i * scale_outs + k] = bellamy_run_of(&jobs[i], scale_out, runtime_s(10 * (i + 1), scale_out));
        }
    }
    bellamy_pretrain_options options = {.size = sizeof options};
    CHECK(bellamy_default_pretrain_options(&options, error) == bellamy_errc_ok);
    options.algorithm = "made-up";
    bellamy_training_report report = {.size = sizeof report};
    bellamy_model* model = NULL;
    CHECK(bellamy_pretrain(history, runs, &options, &report, &model, error) == bellamy_errc_ok);
    CHECK(report.stopped == bellamy_stop_closed_form);
    CHECK(report.usable_experts == 2);  // sizes alone need no process without a trend
    return model;
}

// Two jobs of one stage each; the second takes twice as long as the first.
static void check_application(bellamy_error* error) {
    enum { traces = 6 };
    bellamy_property sizes[traces];
    bellamy_scale_out_step steps[traces];
    bellamy_stage_trace stages[traces][2];
    bellamy_job_trace jobs[traces][2];
    bellamy_application_trace history[traces];
    for (size_t i = 0; i < traces; ++i) {
        const int32_t x = i < traces / 2 ? 2 : 4;
        const double s = 60.0 * (double)(i % 3 + 1) / x;
        sizes[i] = bellamy_natural("size_gb", 10 * (i % 3 + 1));
        sizes[i].role = bellamy_role_data_size;
        steps[i] = (bellamy_scale_out_step){.size = sizeof steps[i], .scale_out = x};
        stages[i][0] = bellamy_stage_of(0, 1, 1 + s);
        stages[i][1] = bellamy_stage_of(1, 2 + s, 2 + 3 * s);
        jobs[i][0] = bellamy_job_of(0, 1, 1 + s, &stages[i][0], 1);
        jobs[i][1] = bellamy_job_of(1, 2 + s, 2 + 3 * s, &stages[i][1], 1);
        history[i] = (bellamy_application_trace){.size = sizeof history[i],
                                                 .application = "made-up",
                                                 .properties = &sizes[i],
                                                 .property_count = 1,
                                                 .steps = &steps[i],
                                                 .step_count = 1,
                                                 .jobs = jobs[i],
                                                 .job_count = 2,
                                                 .runtime_s = 3 + 3 * s};
    }
    bellamy_application* learned = NULL;
    CHECK(bellamy_application_pretrain(history, traces, NULL, &learned, error) == bellamy_errc_ok);
    static unsigned char bytes[1 << 16];
    size_t size = 0;
    CHECK(bellamy_application_to_bytes(learned, bytes, sizeof bytes, &size, error) == bellamy_errc_ok);
    bellamy_application_release(&learned);
    bellamy_application* loaded = NULL;
    CHECK(bellamy_application_from_bytes(bytes, size, &loaded, error) == bellamy_errc_ok);

    // Its first job took 60 s on 2 nodes, where 30 to 90 s have been seen; the rest is about 120 s.
    bellamy_forecast *before = NULL, *now = NULL;
    CHECK(bellamy_application_bind(loaded, &sizes[1], 1, &before, error) == bellamy_errc_ok);
    bellamy_application_trace so_far = history[1];
    so_far.job_count = 1;
    so_far.outcome = bellamy_trace_outcome_unfinished;
    CHECK(bellamy_forecast_observe(before, &so_far, &now, error) == bellamy_errc_ok);
    const int32_t asked[] = {2, 4};
    bellamy_prediction rest[2] = {{.size = sizeof rest[0]}};
    CHECK(bellamy_forecast_remaining(now, asked, 2, rest, error) == bellamy_errc_ok);
    CHECK(rest[0].median_s > 80 && rest[0].median_s < 180 && rest[1].median_s < rest[0].median_s);
    const bellamy_rescale_request request = {
        .size = sizeof request, .deadline_s = 1e6, .elapsed_s = 61, .probability = 0.9, .scale_out = 2};
    const bellamy_price one = {.size = sizeof one, .per_unit_and_hour = 1};
    bellamy_rescale_decision decision = {.size = sizeof decision};
    CHECK(bellamy_forecast_rescale(now, asked, 2, &one, &request, &decision, NULL, 0, error) == bellamy_errc_ok);
    CHECK(decision.outcome == bellamy_rescale_outcome_meets_deadline && decision.changes == 0);
    bellamy_forecast_release(&now);
    bellamy_forecast_release(&before);
    bellamy_application_release(&loaded);
}

int main(void) {
    bellamy_error error = {.size = sizeof error};
    CHECK(bellamy_abi_version() == BELLAMY_C_ABI_VERSION);
    bellamy_model* model = pretrained(&error);

    // From bytes and back.
    static unsigned char bytes[1 << 16];
    size_t size = 0;
    CHECK(bellamy_model_to_bytes(model, bytes, sizeof bytes, &size, &error) == bellamy_errc_ok);
    bellamy_model* loaded = NULL;
    CHECK(bellamy_model_from_bytes(bytes, size, &loaded, &error) == bellamy_errc_ok);
    bellamy_model_release(&model);
    CHECK(model == NULL);

    bellamy_model_description about = {.size = sizeof about};
    CHECK(bellamy_model_describe(loaded, &about, &error) == bellamy_errc_ok);
    CHECK(strcmp(about.algorithm, "made-up") == 0);
    CHECK(about.runs == runs && about.contexts == contexts);

    // A job of another size, and one run of it.
    bellamy_property facts[] = {bellamy_natural("size_gb", 35)};
    bellamy_context job = {.size = sizeof job};
    CHECK(bellamy_model_context(loaded, facts, 1, facts, 1, &job, &error) == bellamy_errc_ok);
    CHECK(job.essential == facts && facts[0].role == bellamy_role_data_size);
    const bellamy_run observed[] = {bellamy_run_of(&job, 4, runtime_s(35, 4))};
    bellamy_model* wiser = NULL;
    CHECK(bellamy_model_condition(loaded, observed, 1, &wiser, &error) == bellamy_errc_ok);
    bellamy_curve* curve = NULL;
    CHECK(bellamy_model_bind(wiser, &job, NULL, &curve, &error) == bellamy_errc_ok);

    const int32_t asked[] = {2, 4, 10, 20};
    bellamy_prediction rows[4] = {{.size = sizeof rows[0]}};
    CHECK(bellamy_curve_predict(curve, asked, 4, rows, &error) == bellamy_errc_ok);
    for (size_t i = 0; i < 4; ++i) {
        CHECK(bellamy_prediction_quantile(&rows[i], 0.9) > rows[i].median_s);
        CHECK(rows[i].observed_runs == 1);
        CHECK(((rows[i].flags & bellamy_flag_outside_seen_scale_outs) != 0) == (asked[i] > 10));
    }
    // The observed scale-out is known best: within 5 % for a job without noise.
    CHECK(rows[1].median_s > 0.95 * runtime_s(35, 4) && rows[1].median_s < 1.05 * runtime_s(35, 4));

    const bellamy_price price = {.size = sizeof price, .per_unit_and_hour = 0.4};
    bellamy_candidate candidates[3];
    for (size_t i = 0; i < 3; ++i)
        candidates[i] =
            (bellamy_candidate){.size = sizeof candidates[i], .curve = curve, .price = &price, .scale_out = asked[i]};
    const bellamy_request request = {
        .size = sizeof request, .deadline_s = 70, .probability = 0.9, .goal = bellamy_goal_cheapest_within_deadline};
    bellamy_decision decision = {.size = sizeof decision};
    bellamy_assessment table[3] = {{.size = sizeof table[0]}};
    CHECK(bellamy_choose(candidates, 3, &request, &decision, table, 3, &error) == bellamy_errc_ok);
    CHECK(decision.outcome == bellamy_outcome_meets_deadline);
    CHECK(decision.scale_out == 4);
    CHECK(table[0].verdict == bellamy_verdict_misses_deadline);
    CHECK(strcmp(bellamy_verdict_name(table[2].verdict), "costs more") == 0);

    check_application(&error);

    // A refusal, in words.
    const int32_t none = 0;
    CHECK(bellamy_curve_predict(curve, &none, 1, rows, &error) == bellamy_errc_invalid_scale_out);
    CHECK(strcmp(bellamy_code_name(error.code), "invalid_scale_out") == 0);
    CHECK(strcmp(error.message, "expected a scale-out from 1 to 1000000, found 0") == 0);

    bellamy_curve_release(&curve);
    bellamy_model_release(&wiser);
    bellamy_model_release(&loaded);
    if (failures == 0) (void)puts("the interface works from C");
    return failures == 0 ? 0 : 1;
}
