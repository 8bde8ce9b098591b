#include <bellamy/detail/blend/blend_fit.hpp>
#include <bellamy/detail/blend/expert_weights_fit.hpp>
#include <bellamy/detail/blend/run_noise_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using support::made_up_context;
using support::made_up_history;
using support::made_up_run;
using support::on_two_machines;

namespace {

// Contexts of so many points each; a point's log-runtime is its number.
detail::history_data numbered_points(const std::vector<std::size_t>& counts) {
    detail::history_data made;
    for (const std::size_t count : counts) {
        made.contexts.push_back({.features = {static_cast<double>(count)}, .first = made.points.size(), .count = count});
        for (std::size_t i = 0; i < count; ++i)
            made.points.push_back({.context = made.contexts.size() - 1,
                                   .scale_out = static_cast<double>(i + 1),
                                   .log_runtime = static_cast<double>(made.points.size())});
    }
    return made;
}

detail::blend_data sampled(const std::vector<run>& history, const detail::blend_options& options) {
    const auto view = detail::group_runs(history);
    auto data = detail::blend_fitting::summarise(view);
    [[maybe_unused]] const auto kept = detail::blend_fitting::sample(data, view, options);
    return data;
}

// So many sizes at three scale-outs, on two machines, with noise, so that no two contexts are alike.
detail::blend_data rough_data(std::uint64_t sizes = 6) {
    detail::random_generator random(4);
    std::vector<run> history;
    for (std::uint64_t size = 1; size <= sizes; ++size)
        for (const int x : {2, 4, 8}) {
            history.push_back(made_up_run(10 * size, x));
            history.back().runtime_s *= std::exp(0.1 * random.normal());
        }
    return detail::blend_fitting::summarise(detail::group_runs(on_two_machines(std::move(history))));
}

detail::blend_fitting::detrended_history detrended(const detail::blend_data& data) {
    return {data.history, detail::fit_growth_trend(data.features, data.history)};
}

// For tests that do not care how good a fit is.
const detail::blend_options quick_fit{
    .process_iterations = {1, 1}, .fold_iterations = 1, .robust_iterations = 1, .ernest_rounds = 1, .fold_ernest_rounds = 1};

}  // namespace

TEST_CASE("as many leading contexts are taken as have no more points than asked for, but at least one") {
    const auto all = numbered_points({3, 2, 4});
    const auto within = [&](std::size_t most) { return detail::blend_fitting::contexts_within(all, most); };
    CHECK(within(0) == 1);
    CHECK(within(3) == 1);
    CHECK(within(4) == 1);
    CHECK(within(5) == 2);
    CHECK(within(8) == 2);
    CHECK(within(9) == 3);
    CHECK(within(100) == 3);
}

TEST_CASE("of a long curve points are kept evenly from the first to the last, a short one stays whole") {
    const auto some = detail::blend_fitting::thinned(numbered_points({4, 11, 5, 2}), 4);
    REQUIRE(some.contexts.size() == 4);
    const std::vector<double> expected{0, 1, 2, 3, 4, 7, 10, 14, 15, 16, 17, 19, 20, 21};
    REQUIRE(some.points.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(some.points[i].log_runtime == expected[i]);
    std::size_t first = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        const auto& own = some.contexts[c];
        CHECK(own.first == first);
        CHECK(own.count == (c == 3 ? 2 : 4));
        for (std::size_t i = own.first; i < own.first + own.count; ++i) CHECK(some.points[i].context == c);
        first += own.count;
    }
    CHECK(some.contexts[1].features == std::vector<double>{11});
}

TEST_CASE("shuffled indices are all indices in an order that the seed decides") {
    const auto one = detail::blend_fitting::shuffled_indices(20, 1);
    auto sorted = one;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < 20; ++i) CHECK(sorted[i] == i);
    CHECK(one != sorted);
    CHECK(one == detail::blend_fitting::shuffled_indices(20, 1));
    CHECK(one != detail::blend_fitting::shuffled_indices(20, 2));
}

TEST_CASE("a history is summarised by a median per configuration, its scale-outs and its range") {
    auto history = made_up_history(2);
    auto late = made_up_run(10, 4);
    for (const double factor : {2.0, 3.0}) {
        late.runtime_s = factor * support::made_up_runtime_s(10, 4);
        history.push_back(late);
    }
    const auto view = detail::group_runs(history);
    const auto data = detail::blend_fitting::summarise(view);
    CHECK(data.seen_scale_outs == std::vector<int>{2, 4, 6, 8, 10, 12});
    REQUIRE(data.history.contexts.size() == 2);
    REQUIRE(data.history.points.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        CAPTURE(i);
        const auto& point = data.history.points[i];
        const int x = data.seen_scale_outs[i % 6];
        CHECK(point.context == i / 6);
        CHECK(point.scale_out == x);
        const double median_s = (i == 1 ? 2 : 1) * support::made_up_runtime_s(10 * (i / 6 + 1), x);
        CHECK(point.log_runtime == doctest::Approx(std::log(median_s)));
        const auto median = detail::median_of(view.configurations[i]);
        CHECK(point.variance == detail::median_variance(median, data.noise.nearest(std::log(static_cast<double>(x)))));
    }
    for (std::size_t c = 0; c < 2; ++c) {
        CHECK(data.history.contexts[c].first == 6 * c);
        CHECK(data.history.contexts[c].count == 6);
        const auto features = data.features(*view.contexts[c]);
        CHECK(data.history.contexts[c].features == features.values);
        CHECK(data.history.contexts[c].pressure == features.pressure);
    }
    CHECK(data.lowest_log_runtime == doctest::Approx(std::log(support::made_up_runtime_s(10, 12))));
    CHECK(data.highest_log_runtime == doctest::Approx(std::log(2 * support::made_up_runtime_s(10, 4))));
    CHECK(data.curvature == detail::typical_curvature(data.history));
}

TEST_CASE("a history that is small enough is kept as it is") {
    const auto history = made_up_history(5);
    const auto data = sampled(history, {.context_points = 2, .fitted_points = 30, .process_points = 13});
    CHECK(data.history.points.size() == 30);
    CHECK(data.process_contexts == 2);
    REQUIRE(data.context_hashes.size() == 5);
    for (std::size_t c = 0; c < 5; ++c)
        CHECK(data.context_hashes[c] == detail::identity_hash(made_up_context(10 * (c + 1))));
}

TEST_CASE("of a large history random contexts are kept with their own points and hashes") {
    const auto history = made_up_history(20);
    const auto data =
        sampled(history, {.context_points = 3, .fitted_points = 29, .process_points = 10, .kept_points = 24, .seed = 5});
    const auto order = detail::blend_fitting::shuffled_indices(20, 5);
    CHECK(data.process_contexts == 3);
    REQUIRE(data.history.contexts.size() == 8);
    REQUIRE(data.history.points.size() == 24);
    REQUIRE(data.context_hashes.size() == 8);
    for (std::size_t c = 0; c < 8; ++c) {
        const std::uint64_t size_gb = 10 * (order[c] + 1);
        CHECK(data.context_hashes[c] == detail::identity_hash(made_up_context(size_gb)));
        CHECK(data.history.contexts[c].features == data.features(made_up_context(size_gb)).values);
        for (const auto& point : data.history.points_of(data.history.contexts[c]))
            CHECK(point.log_runtime ==
                  doctest::Approx(std::log(support::made_up_runtime_s(size_gb, static_cast<int>(point.scale_out)))));
    }
}

TEST_CASE("components are every scale and deviation of every expert that takes part and is fitted, at its prior share") {
    detail::blend_fitting::fitted whole;
    whole.processes[0].emplace();
    whole.processes[1].emplace();
    const detail::blend_options options{.experts = {true, false, true}, .scales = {0.5, 1, 2}, .deviations = {0, 0.1}};
    const auto components = detail::blend_fitting::components_of(whole, options);
    REQUIRE(components.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        CHECK(components[i].expert ==
              (i < 6 ? detail::expert_kind::process_over_trend : detail::expert_kind::hierarchical_ernest));
        CHECK(components[i].scale == options.scales[i % 6 / 2]);
        CHECK(components[i].deviation_sd == options.deviations[i % 2]);
        CHECK(components[i].weight == doctest::Approx((i < 6 ? 0.75 : 0.25) / 6));
    }
}

TEST_CASE("without learning the weights are the prior's, and the report counts what the model rests on") {
    const auto model = detail::fit_blend(on_two_machines(made_up_history(8)), {.fitted_points = 24,
                                                                               .process_points = 36,
                                                                               .kept_points = 42,
                                                                               .process_iterations = {1, 1},
                                                                               .robust_iterations = 1,
                                                                               .ernest_rounds = 1,
                                                                               .learn_weights = false});
    const auto& data = model.data();
    REQUIRE(data.components.size() == 12);
    for (const auto& each : data.components)
        CHECK(each.weight == doctest::Approx((each.expert == detail::expert_kind::process_over_trend ? 0.6 : 0.2) / 4));
    CHECK(data.report.contexts == 7);
    CHECK(data.report.points == 42);
    CHECK(data.report.process_contexts == 6);
    CHECK(data.report.fitted_contexts == 4);
    CHECK(data.report.left_out);
    CHECK(data.process_contexts == 6);
    CHECK(data.report.usable == std::array{true, true, true});
}

TEST_CASE("three contexts are enough to leave one out, two are not") {
    for (const std::uint64_t contexts : {2U, 3U}) {
        const auto data = detail::fit_blend(on_two_machines(made_up_history(contexts)), quick_fit).data();
        CHECK(data.report.left_out == (contexts == 3));
        CHECK(data.processes[1].has_value() == (contexts == 3));
    }
}

TEST_CASE("few contexts that differ in their size alone are left to the growth trend and what is over it") {
    for (const std::uint64_t contexts : {15U, 16U}) {
        CAPTURE(contexts);
        const auto has_one_without_trend = [&](const std::vector<run>& history) {
            const auto data = detail::fit_blend(history, quick_fit).data();
            CHECK(data.processes[0].has_value());
            CHECK(data.report.usable[1] == data.processes[1].has_value());
            return data.processes[1].has_value();
        };
        const auto sizes = made_up_history(contexts);
        CHECK(has_one_without_trend(sizes) == (contexts >= detail::blend_fitting::least_left_out_contexts));
        CHECK(has_one_without_trend(on_two_machines(sizes)));
    }
}

TEST_CASE("experts are fitted that take part, and those that leave contexts out only where there are enough") {
    auto data = rough_data();
    auto learned = detrended(data);
    const auto fitted_kinds = [&](bool left_out, const detail::blend_options& options) {
        const auto whole = detail::blend_fitting::fit_experts(data, learned, -1, left_out, options);
        return std::array{whole.processes[0].has_value(), whole.processes[1].has_value()};
    };
    auto options = quick_fit;
    CHECK(fitted_kinds(true, options) == std::array{true, true});
    CHECK(fitted_kinds(false, options) == std::array{true, false});
    options.experts = {false, true, true};
    CHECK(fitted_kinds(true, options) == std::array{false, true});
    CHECK(fitted_kinds(false, options) == std::array{false, false});
}

TEST_CASE("each expert is fitted to its own history and objective, with its own number of iterations") {
    const detail::blend_options options{.process_iterations = {3, 4}, .improbable_rounds = 0, .ernest_rounds = 7};
    for (const std::uint64_t contexts : {6U, 16U}) {
        CAPTURE(contexts);
        auto data = rough_data(contexts);
        const auto residual = detail::fit_growth_trend(data.features, data.history).residual(data.history);
        auto learned = detrended(data);
        const auto whole = detail::blend_fitting::fit_experts(data, learned, -1, true, options);
        for (const auto& each : learned.whole().contexts) REQUIRE(each.anomaly_variance == 0);
        const std::array objectives{
            detail::process_objective::marginal_likelihood,
            contexts == 16 ? detail::process_objective::leave_context_out : detail::process_objective::marginal_likelihood};
        for (std::size_t k = 0; k < 2; ++k) {
            CAPTURE(k);
            const auto alone = detail::fit_gaussian_process(k == 1 ? data.history : residual, -1, objectives[k], {},
                                                            {.iterations = options.process_iterations[k]});
            REQUIRE(whole.processes[k]);
            CHECK(whole.processes[k]->packed == alone.packed);
        }
        const auto ernest = detail::fit_hierarchical_ernest(residual, -1, detail::start_of_hierarchical_ernest(), 7);
        CHECK(whole.ernest.covariance == ernest.covariance);
    }
}

TEST_CASE("the pressure has a learned direction where contexts are enough to leave out, and else is as measured") {
    for (const std::uint64_t contexts : {15U, 16U}) {
        CAPTURE(contexts);
        const auto model = detail::fit_blend(on_two_machines(made_up_history(contexts)), {.process_iterations = {2, 2}});
        const auto& process = model.data().processes[1];
        REQUIRE(process);
        CHECK(process->pressure_direction.empty() == (contexts < detail::blend_fitting::least_left_out_contexts));
    }
}

TEST_CASE("processes are refitted from where they were once an anomalous context is found, and else stay") {
    const auto usual = rough_data();
    auto odd = usual;
    odd.history.points[6].log_runtime += 1;
    odd.history.points[7].log_runtime -= 1;
    // The judge is the process without a trend where there is one, which may leave contexts out.
    for (const std::size_t judge : {0U, 1U}) {
        CAPTURE(judge);
        const auto objective =
            judge == 0 ? detail::process_objective::marginal_likelihood : detail::process_objective::leave_context_out;
        const auto start = detail::fit_gaussian_process(detrended(usual).of(judge), -1, objective, {}, {.iterations = 10});
        const auto refitted = [&](detail::blend_fitting::detrended_history& learned) {
            detail::blend_fitting::fitted whole;
            whole.processes[judge] = start;
            detail::blend_fitting::down_weight_anomalies(learned, -1, whole, {.robust_iterations = 2});
            return whole.processes[judge]->packed;
        };
        auto without_anomalies = detrended(usual);
        CHECK(refitted(without_anomalies) == start.packed);
        for (const auto& each : without_anomalies.whole().contexts) CHECK(each.anomaly_variance == 0);

        auto once = detrended(odd).of(judge);
        REQUIRE(detail::find_anomalies(once, -1, objective, start.parameters));
        const auto again = detail::fit_gaussian_process(once, -1, objective, start.packed, {.iterations = 2});
        auto twice = once;
        detail::find_anomalies(twice, -1, objective, again.parameters);
        auto learned = detrended(odd);
        CHECK(refitted(learned) == again.packed);
        for (std::size_t c = 0; c < twice.contexts.size(); ++c) {
            CHECK((learned.whole().contexts[c].anomaly_variance > 0) == (c == 2));
            CHECK(learned.whole().contexts[c].anomaly_variance == twice.contexts[c].anomaly_variance);
            CHECK(learned.of(std::size_t{0}).contexts[c].anomaly_variance == twice.contexts[c].anomaly_variance);
        }
    }
}

TEST_CASE("a context is judged by fits to the other folds, given all other contexts") {
    auto data = rough_data();
    detail::blend_options options{.process_iterations = {3, 3},
                                  .fold_iterations = 2,
                                  .improbable_rounds = 0,
                                  .ernest_rounds = 3,
                                  .fold_ernest_rounds = 2,
                                  .folds = 4};
    auto learned = detrended(data);
    const auto whole = detail::blend_fitting::fit_experts(data, learned, -1, true, options);
    const auto components = detail::blend_fitting::components_of(whole, options);
    const auto densities =
        detail::blend_fitting::left_out_densities(data.history, data.features, whole, components, options)();
    REQUIRE(densities.rows() == 6);
    REQUIRE(densities.columns() == components.size());
    const auto order = detail::blend_fitting::shuffled_indices(6, options.seed);
    for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t context = order[i];
        CAPTURE(context);
        std::vector<std::size_t> learns;
        std::vector<std::size_t> others;
        for (std::size_t j = 0; j < 6; ++j) {
            if (j != i) others.push_back(order[j]);
            if (j % 4 != i % 4) learns.push_back(order[j]);
        }
        std::sort(learns.begin(), learns.end());
        const auto fold = detail::select_contexts(data.history, learns);
        const auto trend = detail::fit_growth_trend(data.features, fold);
        const auto residual = trend.residual(data.history);
        const auto& own = data.history.contexts[context];
        const auto log_scale_outs = data.history.log_scale_outs_of(own);
        const auto question = detail::question_about(own, -1, log_scale_outs);
        std::vector<detail::expert_answer> answers;
        for (std::size_t k = 0; k < 2; ++k) {
            const auto fit =
                detail::fit_gaussian_process(k == 1 ? fold : trend.residual(fold), -1, whole.processes[k]->objective,
                                             whole.processes[k]->packed, {.iterations = 2});
            const auto rest = detail::select_contexts(k == 1 ? data.history : residual, others);
            answers.push_back(detail::gaussian_process(fit.parameters, rest, -1)(rest, question));
        }
        const auto ernest = detail::fit_hierarchical_ernest(trend.residual(fold), -1, whole.ernest, 2);
        answers.push_back(detail::hierarchical_ernest(ernest, residual, -1).without(residual, context, question));
        for (std::size_t j = 0; j < components.size(); ++j) {
            const auto& history =
                components[j].expert == detail::expert_kind::process_without_trend ? data.history : residual;
            CHECK(densities(context, j) ==
                  doctest::Approx(detail::log_density_of_points(history, own, components[j],
                                                                answers[static_cast<std::size_t>(components[j].expert)]))
                      .epsilon(1e-4));
        }
    }
}

TEST_CASE("learned weights are those of the left-out densities") {
    const auto history = made_up_history(6);
    detail::blend_options options{.process_iterations = {5, 5},
                                  .fold_iterations = 2,
                                  .robust_iterations = 1,
                                  .ernest_rounds = 5,
                                  .fold_ernest_rounds = 2};
    const auto learned = detail::fit_blend(history, options).data();
    options.learn_weights = false;
    auto equal = detail::fit_blend(history, options).data();
    auto detrended_points = detrended(equal);
    const auto whole = detail::blend_fitting::fit_experts(equal, detrended_points, -1, true, options);
    const auto densities = detail::blend_fitting::left_out_densities(detrended_points.whole(), equal.features, whole,
                                                                     equal.components, options)();
    const auto weights =
        detail::component_weights(densities, equal.components, options.component_prior, options.expert_prior);
    double most = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        CHECK(learned.components[j].weight == doctest::Approx(weights[j]).epsilon(1e-6));
        most = (std::max)(most, std::abs(weights[j] - equal.components[j].weight));
    }
    CHECK(most > 0.01);
}
