#include <bellamy/detail/blend/processes.hpp>

#include <doctest/doctest.h>

#include "support/naive_algebra.hpp"
#include "support/sample_fits.hpp"

using namespace bellamy::detail;
using support::rough_points;

TEST_CASE("processes are fitted that take part, the one without a trend only where contexts can be left out") {
    const auto fitted_kinds = [](std::uint64_t sizes, const blend_options& options) {
        const auto processes = fit_processes(rough_points(sizes).detrended(), options);
        return std::array{processes[process_kind::over_trend].has_value(),
                          processes[process_kind::without_trend].has_value()};
    };
    auto options = support::quick_fit;
    CHECK(fitted_kinds(6, options) == std::array{true, true});
    CHECK(fitted_kinds(2, options) == std::array{true, false});
    options.experts = {false, true, true};
    CHECK(fitted_kinds(6, options) == std::array{false, true});
    CHECK(fitted_kinds(2, options) == std::array{false, false});
}

TEST_CASE("each process is fitted to its own history and objective, with its own number of iterations") {
    const blend_options options{.process_iterations = {3, 4}};
    for (const std::uint64_t contexts : {6U, 16U}) {
        CAPTURE(contexts);
        const rough_points rough(contexts);
        const auto residual = fit_growth_trend(rough.features, rough.history).residual(rough.history);
        const auto detrended = rough.detrended();
        const auto processes = fit_processes(detrended, options);
        const by_process<process_objective> objectives{
            process_objective::marginal_likelihood,
            contexts == 16 ? process_objective::left_out_likelihood : process_objective::marginal_likelihood};
        for (const auto kind : all_processes) {
            CAPTURE(to_string(expert_of(kind)));
            const auto alone = fit_gaussian_process(kind == process_kind::without_trend ? rough.history : residual, -1,
                                                    objectives[kind], {}, {.iterations = options.process_iterations[kind]});
            REQUIRE(processes[kind]);
            CHECK(processes[kind]->packed == alone.packed);
        }
        for (std::size_t i = 0; i < residual.points.size(); ++i)
            CHECK(detrended.residual().points[i].log_runtime == residual.points[i].log_runtime);
    }
}

TEST_CASE("a context's points have the density of a component's normal distribution, its noise included") {
    random_generator random(1);
    history_data history;
    history.points.resize(3);  // another context's
    history_context own{.first = 3, .count = 4};
    for (const double x : {2, 3, 8, 12})
        history.points.push_back({.scale_out = x, .log_runtime = 4 + random.normal(), .variance = 0.01 * random.uniform()});
    const expert_answer answer{.mean = {4.1, 3.9, 3.5, 3.4}, .covariance = support::random_covariance(4, 0.05, random)};
    for (const double deviation : {0.0, 0.3}) {
        CAPTURE(deviation);
        matrix covariance(4, 4);
        std::vector<double> residual;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto& point = history.points[3 + i];
            for (std::size_t j = 0; j < 4; ++j)
                covariance(i, j) =
                    1.3 * 1.3 * answer.covariance(i, j) +
                    deviation * deviation *
                        deviation_covariance(std::log(point.scale_out), std::log(history.points[3 + j].scale_out));
            covariance(i, i) += point.variance;
            residual.push_back(point.log_runtime - answer.mean[i]);
        }
        CHECK(log_density_of_points(history, own, answer, 1.3, deviation) ==
              doctest::Approx(support::log_normal_density(residual, covariance)).epsilon(1e-9));
    }
    // What is no covariance explains nothing.
    auto broken = answer;
    broken.covariance = matrix(4, 4, -1);
    CHECK(log_density_of_points(history, own, broken) < -1e5);
}
