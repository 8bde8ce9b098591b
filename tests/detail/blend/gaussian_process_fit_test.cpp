#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/gaussian_process.hpp>
#include <bellamy/detail/blend/gaussian_process_fit.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

namespace {

// Contexts of two features over five scale-outs, whose runtimes fall off a memory cliff where the pressure is high.
history_data memory_cliff(std::size_t contexts, bool with_pressure) {
    random_generator random(3);
    history_data made;
    for (std::size_t c = 0; c < contexts; ++c) {
        history_context own{.features = {random.normal(), random.normal()}, .first = made.points.size(), .count = 5};
        const double pressure = own.features[0] + 0.5 * own.features[1];
        own.pressure = with_pressure ? own.features[0] : std::numeric_limits<double>::quiet_NaN();
        if (c == 1) own.anomaly_variance = 0.01;
        for (const double x : {2, 4, 6, 8, 12}) {
            const double t = std::log(x);
            const double cliff = 2 / (1 + std::exp(-4 * (pressure - t + 0.5)));
            made.points.push_back({.context = c,
                                   .scale_out = x,
                                   .log_runtime = 6 + 0.7 * own.features[0] - 0.8 * t + cliff + 0.02 * random.normal(),
                                   .variance = 4e-4});
        }
        made.contexts.push_back(std::move(own));
    }
    return made;
}

}  // namespace

TEST_CASE("the gradients of a process's objectives are those of their values") {
    for (const bool with_pressure : {true, false}) {
        CAPTURE(with_pressure);
        const auto history = memory_cliff(7, with_pressure);
        for (const auto objective : {process_objective::marginal_likelihood, process_objective::left_out_likelihood}) {
            CAPTURE(static_cast<int>(objective));
            process_fit fit(history, -1, objective);
            auto at = fit.centre();
            random_generator random(5);
            for (double& each : at) each += 0.3 * random.normal();
            std::vector<double> exact;
            std::vector<double> unused;
            REQUIRE(std::isfinite(fit(at, exact)));
            for (std::size_t i = 0; i < at.size(); ++i) {
                CAPTURE(i);
                // Of the step that balances rounding (1e-16 of values around 100) with curvature.
                constexpr double step = 1e-5;
                auto moved = at;
                moved[i] += step;
                const double above = fit(moved, unused);
                moved[i] -= 2 * step;
                const double below = fit(moved, unused);
                CHECK(std::abs(exact[i] - (above - below) / (2 * step)) <= 1e-5 * (1 + std::abs(exact[i])));
            }
        }
    }
}

TEST_CASE("what the fit takes for the covariance is what the process answers with") {
    const auto history = memory_cliff(7, true);
    for (const auto objective : {process_objective::marginal_likelihood, process_objective::left_out_likelihood}) {
        CAPTURE(static_cast<int>(objective));
        process_fit fit(history, -1, objective);
        auto at = fit.centre();
        random_generator random(5);
        for (double& each : at) each += 0.3 * random.normal();
        const auto parameters = fit.unpack(at);
        const std::size_t left_out = 3;
        const auto answers = fit.predict_left_out_contexts(parameters);
        REQUIRE(answers.size() == history.contexts.size());
        std::vector<std::size_t> others;
        for (std::size_t c = 0; c < history.contexts.size(); ++c)
            if (c != left_out) others.push_back(c);
        const auto rest = select_contexts(history, others);
        const gaussian_process process(parameters, rest, -1);
        REQUIRE(process.usable());
        const auto& own = history.contexts[left_out];
        const auto log_scale_outs = history.log_scale_outs_of(own);
        const auto asked = process(rest, question_about(own, -1, log_scale_outs));
        for (std::size_t i = 0; i < own.count; ++i) {
            CHECK(asked.mean[i] == doctest::Approx(answers[left_out].mean[i]).epsilon(1e-6));
            for (std::size_t j = 0; j < own.count; ++j)
                CHECK(asked.covariance(i, j) == doctest::Approx(answers[left_out].covariance(i, j)).epsilon(1e-5));
        }
    }
}

TEST_CASE("a process finds what the memory is filled by where its direction is learned") {
    const auto history = memory_cliff(24, true);
    const auto learned =
        fit_gaussian_process(history, -1, process_objective::left_out_likelihood, {}, {.iterations = 100}).parameters;
    REQUIRE(learned.pressure_direction.size() == 2);
    CHECK(std::abs(learned.pressure_direction[0]) < 0.15);
    CHECK(learned.pressure_direction[1] == doctest::Approx(0.5).epsilon(0.3));
    const auto measured =
        fit_gaussian_process(history, -1, process_objective::marginal_likelihood, {}, {.iterations = 25}).parameters;
    CHECK(measured.pressure_direction.empty());
}

TEST_CASE("a trend over the work per unit reaches to where no context is near") {
    // A fixed overhead: the smaller the work, the less the runtime falls.
    history_data history;
    for (std::size_t c = 0; c < 8; ++c) {
        const double size = 1 + 0.4 * static_cast<double>(c);
        history.contexts.push_back({.features = {(size - 2.4) / 0.9}, .pressure = size, .first = 5 * c, .count = 5});
        for (const double x : {2, 4, 6, 8, 12})
            history.points.push_back({.context = c,
                                      .scale_out = x,
                                      .log_runtime = 3 + std::log(1 + std::exp(size - std::log(x))),
                                      .variance = 1e-5});
    }
    const auto fitted =
        fit_gaussian_process(history, -1, process_objective::marginal_likelihood, {}, {.iterations = 60}).parameters;
    const std::vector<double> features{(0.2 - 2.4) / 0.9};
    const std::vector<double> log_scale_outs{std::log(2), std::log(12)};
    const expert_question smaller{
        .features = features, .pressure = 0.2, .pressure_slope = -1, .log_scale_outs = log_scale_outs};
    const auto answer = gaussian_process(fitted, history, -1)(history, smaller);
    for (std::size_t i = 0; i < log_scale_outs.size(); ++i)
        CHECK(answer.mean[i] == doctest::Approx(3 + std::log(1 + std::exp(0.2 - log_scale_outs[i]))).epsilon(0.005));
}

TEST_CASE("the optimised vector has a place for each hyper-parameter and no more") {
    // Mean, nine amplitudes, nugget, four lengths, and two lengths of each feature.
    const auto history = memory_cliff(3, true);
    const auto measured = process_fit(history, -1, process_objective::marginal_likelihood).centre();
    CHECK(measured.size() == 1 + 9 + 1 + 4 + 2 * 2);
    const auto directed = process_fit(history, -1, process_objective::left_out_likelihood).centre();
    REQUIRE(directed.size() == measured.size() + 2);
    CHECK(std::equal(measured.begin(), measured.end(), directed.begin()));
    // The direction's centre is that of the measured pressure.
    CHECK(directed[measured.size()] == 0);
    CHECK(directed.back() == 0);
    for (std::size_t i = 15; i < measured.size(); ++i) CHECK(measured[i] == std::log(2.0));
}

TEST_CASE("smaller amplitudes of the prior move the centre of all amplitudes and of nothing else") {
    const auto history = memory_cliff(3, true);
    const auto usual = process_fit(history, -1, process_objective::marginal_likelihood).centre();
    const auto small = process_fit(history, -1, process_objective::marginal_likelihood, 0.1).centre();
    for (std::size_t i = 0; i < usual.size(); ++i) {
        CAPTURE(i);
        const bool amplitude = i >= process_layout::amplitudes && i < process_layout::nugget;
        CHECK(small[i] == doctest::Approx(usual[i] + (amplitude ? std::log(0.1) : 0)));
    }
}
