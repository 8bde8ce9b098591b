#include <bellamy/detail/blend/weights.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "support/made_up_job.hpp"
#include "support/sample_fits.hpp"
#include "support/two_experts.hpp"

using namespace bellamy::detail;

namespace {

// Rows of contexts under which the components have these densities, as logarithms.
matrix contexts(std::size_t count, const std::array<double, 4>& logs) {
    matrix made(count, logs.size());
    for (std::size_t h = 0; h < count; ++h) std::copy(logs.begin(), logs.end(), made.row(h));
    return made;
}

// Exactly known deviations of that size in both directions.
double variance_of(std::size_t values, double deviation, double variance = 1e-4) {
    std::vector<value_deviation> made;
    for (std::size_t i = 0; i < values; ++i)
        made.push_back({.deviation = i % 2 == 0 ? deviation : -deviation, .variance = variance});
    return between_values_variance(made);
}

}  // namespace

TEST_CASE("an expert keeps its share of the prior however badly it fits the contexts of the history") {
    // Thirty contexts against a prior worth twenty, of which a quarter is hierarchical Ernest's.
    const auto weights = component_weights(contexts(30, {0, 0, -1000, -1000}), support::two_experts(), 1, 20);
    CHECK(weights[2] + weights[3] == doctest::Approx(5.0 / 50));
    CHECK(weights[0] + weights[1] == doctest::Approx(45.0 / 50));
}

TEST_CASE("an expert's own components share its weight by how well they fit, whatever other experts say") {
    const auto alone = component_weights(contexts(30, {0, -1000, 0, -1000}), support::two_experts(), 1, 20);
    // Half a context's worth of thirty-one.
    CHECK(alone[1] / (alone[0] + alone[1]) == doctest::Approx(0.5 / 31));
    const auto beside_better = component_weights(contexts(30, {-500, -1500, 0, -1000}), support::two_experts(), 1, 20);
    CHECK(beside_better[1] / (beside_better[0] + beside_better[1]) == doctest::Approx(0.5 / 31));
    CHECK(std::accumulate(beside_better.begin(), beside_better.end(), 0.0) == doctest::Approx(1));
}

TEST_CASE("without contexts to judge by, experts have their prior shares, and their components count alike") {
    const auto weights = component_weights(matrix(0, 4), support::two_experts(), 1, 20);
    for (const std::size_t process : {0U, 1U}) CHECK(weights[process] == doctest::Approx(0.375));
    for (const std::size_t ernest : {2U, 3U}) CHECK(weights[ernest] == doctest::Approx(0.125));
}

TEST_CASE("where no value was left out, the variance between values is the prior's") {
    // Mean of a half-t with 4 degrees of freedom and scale 0.3, below 3, by trapezoids.
    double sum = 0;
    double weighed = 0;
    for (double t = 0; t <= 3; t += 1e-4) {
        const double density = std::pow(1 + t * t / (4 * 0.09), -2.5);
        sum += density;
        weighed += density * t * t;
    }
    CHECK(between_values_variance({}) == doctest::Approx(weighed / sum).epsilon(0.02));
}

TEST_CASE("many values tell the variance between them, few share it with the prior") {
    CHECK(variance_of(40, 0.5) == doctest::Approx(0.25).epsilon(0.1));
    CHECK(variance_of(40, 0.05) == doctest::Approx(0.0025).epsilon(0.2));
    CHECK(variance_of(2, 0.05) > variance_of(40, 0.05));
    CHECK(variance_of(2, 0.05) < between_values_variance({}));
    CHECK(variance_of(2, 0.8) > between_values_variance({}));
}

TEST_CASE("deviations that the prediction's own variance explains are no variance between values") {
    CHECK(variance_of(20, 0.5, 0.25) < 0.5 * variance_of(20, 0.5));
}

TEST_CASE("a value is left out together with the features that stand for it") {
    // Three values, each a feature of its own and a level of its own; contexts and scale-outs differ in nothing else.
    history_data history;
    const std::array levels{0.0, 0.4, -0.4};
    for (std::size_t c = 0; c < 9; ++c) {
        const std::size_t value = c % 3;
        history_context own{.features = std::vector<double>(3, -0.5), .pressure = std::nan(""), .first = 2 * c, .count = 2};
        own.features[value] = 1;
        for (const double x : {2.0, 8.0})
            history.points.push_back(
                {.context = c, .scale_out = x, .log_runtime = 5 + levels[value] - 0.5 * std::log(x), .variance = 1e-4});
        history.contexts.push_back(std::move(own));
    }
    gaussian_process_parameters parameters{.mean = 4};
    parameters.amplitude[static_cast<std::size_t>(process_term::constant)] = 1;
    parameters.amplitude[static_cast<std::size_t>(process_term::level)] = 0.5;
    parameters.amplitude[static_cast<std::size_t>(process_term::shape)] = 1;
    parameters.level_lengths = parameters.joint_lengths = std::vector<double>(3, 1.0);
    std::vector<std::size_t> value_of;
    for (std::size_t c = 0; c < 9; ++c) value_of.push_back(c % 3);
    const std::array<std::size_t, 3> columns{0, 1, 2};
    const auto found = value_deviations(parameters, history, 0, value_of, columns, 3);
    REQUIRE(found.size() == 3);
    CHECK(found[0].deviation == doctest::Approx(0).epsilon(0.05));
    CHECK(found[1].deviation > 0.3);
    CHECK(found[2].deviation < -0.3);
    for (const auto& each : found) CHECK(each.variance > 0);
}

TEST_CASE("components are every scale and deviation of every expert that takes part and is fitted, at its prior weight") {
    fitted_processes processes;
    for (const auto kind : all_processes) processes[kind].emplace();
    const auto components = components_at_prior_weight(processes, {true, false, true});
    REQUIRE(components.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(components[i].expert == (i < 4 ? expert_kind::process_over_trend : expert_kind::hierarchical_ernest));
        CHECK(components[i].scale == (i % 4 < 2 ? 0.5 : 1.5));
        CHECK(components[i].deviation_sd == (i % 2 == 0 ? 0 : 0.1));
        CHECK(components[i].weight == doctest::Approx((i < 4 ? 0.75 : 0.25) / 4));
    }
    processes[process_kind::over_trend].reset();
    CHECK(components_at_prior_weight(processes, {true, true, false}).front().expert == expert_kind::process_without_trend);
    CHECK(components_at_prior_weight(processes, {true, true, false}).size() == 4);
}

TEST_CASE("a context is predicted by fits to the other folds, given all other contexts") {
    const support::rough_points rough;
    const blend_options options{.process_iterations = {3, 3}, .fold_iterations = 2};
    auto detrended = rough.detrended();
    auto processes = fit_processes(detrended, options);
    const sample_fit fit{.sample = detrended, .processes = processes};
    const auto start = fit_hierarchical_ernest(detrended.residual(), -1, start_of_hierarchical_ernest(), 3);
    const auto components = components_at_prior_weight(processes, {true, true, true});
    const auto densities = left_out_log_densities(rough.features, fit, start, components, options);
    REQUIRE(densities.rows() == 6);
    REQUIRE(densities.columns() == components.size());
    const auto order = shuffled_indices(6, options.seed);
    for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t context = order[i];
        CAPTURE(context);
        std::vector<std::size_t> fold;
        std::vector<std::size_t> others;
        for (std::size_t j = 0; j < 6; ++j) {
            if (j != i) others.push_back(order[j]);
            if (j % 4 != i % 4) fold.push_back(order[j]);
        }
        std::sort(fold.begin(), fold.end());
        const auto fitted_to = select_contexts(rough.history, fold);
        const auto trend = fit_growth_trend(rough.features, fitted_to);
        const auto residual = trend.residual(rough.history);
        const auto& target = rough.history.contexts[context];
        const auto log_scale_outs = rough.history.log_scale_outs_of(target);
        const auto question = question_about(target, -1, log_scale_outs);
        by_expert<expert_answer> predictions;
        for (const auto kind : all_processes) {
            const bool over = kind == process_kind::over_trend;
            const auto refit = fit_gaussian_process(over ? trend.residual(fitted_to) : fitted_to, -1,
                                                    processes[kind]->objective, processes[kind]->packed, {.iterations = 2});
            const auto rest = select_contexts(over ? residual : rough.history, others);
            predictions[expert_of(kind)] = gaussian_process(refit.parameters, rest, -1)(rest, question);
        }
        const auto ernest = fit_hierarchical_ernest(trend.residual(fitted_to), -1, start, 20);
        predictions[expert_kind::hierarchical_ernest] =
            hierarchical_ernest(ernest, residual, -1).without(residual, context, question);
        for (std::size_t j = 0; j < components.size(); ++j) {
            const auto& [expert, scale, deviation, weight] = components[j];
            const auto& history = expert == expert_kind::process_without_trend ? rough.history : residual;
            CHECK(densities(context, j) ==
                  doctest::Approx(log_density_of_points(history, target, predictions[expert], scale, deviation))
                      .epsilon(1e-4));
        }
    }
}

TEST_CASE("learned weights are those of the left-out densities") {
    const auto history = support::made_up_history(6);
    const blend_options options{.process_iterations = {5, 5}, .fold_iterations = 2, .robust_iterations = 1};
    const auto summary = summarise(group_runs(history), options);
    const auto detrended = detrend(summary.features, summary.sample, summary.fitted_contexts);
    const sample_fit fit{.sample = detrended, .processes = fit_processes(detrended, options)};
    const auto fitted = fit_weights(summary, fit, options);
    const auto prior = components_at_prior_weight(fit.processes, {true, true, true});
    const auto weights =
        component_weights(left_out_log_densities(summary.features, fit, fitted.ernest, prior, options), prior);
    double most = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        CHECK(fitted.components[j].weight == weights[j]);
        most = (std::max)(most, std::abs(weights[j] - prior[j].weight));
    }
    CHECK(most > 0.01);
}
