// How long will this job take on 6 nodes, if it took 298 s on 4 and 226 s on 8?
#include <bellamy/c.h>
#include <stdio.h>

int main(void) {
    const bellamy_property facts[] = {bellamy_text("machine_type", "m4.2xlarge"), bellamy_natural("data_size_MB", 15408)};
    const bellamy_context job = bellamy_context_of(facts, 2, NULL, 0);
    const bellamy_run observed[] = {bellamy_run_of(&job, 4, 298), bellamy_run_of(&job, 8, 226)};
    const int32_t scale_out = 6;
    bellamy_error error = {.size = sizeof error};
    bellamy_model *general = NULL, *model = NULL;  // or bellamy_model_load("sort.bellamy", &general, &error)
    bellamy_curve* curve = NULL;
    bellamy_prediction row = {.size = sizeof row};
    if (bellamy_cold_start(&job, "sort", &general, &error) ||
        bellamy_model_condition(general, observed, 2, &model, &error) ||
        bellamy_model_bind(model, &job, NULL, &curve, &error) || bellamy_curve_predict(curve, &scale_out, 1, &row, &error))
        fprintf(stderr, "%s: %s\n", bellamy_code_name(error.code), error.message);
    else
        printf("About %.0f s, and %.0f s or less in nine of ten runs.\n", row.median_s,
               bellamy_prediction_quantile(&row, 0.9));
    bellamy_curve_release(&curve);
    bellamy_model_release(&model);
    bellamy_model_release(&general);
    return error.code;
}
