#include <bellamy/detail/blend/blend_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"
#include "support/sample_fits.hpp"

using namespace bellamy;
using support::made_up_context;
using support::made_up_history;
using support::made_up_run;
using support::made_up_runtime_s;
using support::on_two_machines;

TEST_CASE("the report counts what the model rests on, and each kept context has the hash of its properties") {
    auto options = support::quick_fit;
    options.fitted_points = 24;
    options.process_points = 30;
    options.kept_points = 42;
    const auto history = on_two_machines(made_up_history(8));
    const auto model = detail::fit_blend(history, options);
    const auto& data = model.data();
    CHECK(data.components.size() == 12);
    CHECK(data.report.contexts == 7);
    CHECK(data.report.points == 42);
    CHECK(data.report.fitted_contexts == 4);
    CHECK(data.report.left_out);
    CHECK(data.process_contexts == 5);
    CHECK(data.report.usable == std::array{true, true, true, false});
    const auto view = detail::group_runs(history);
    const auto order = detail::shuffled_indices(8, options.seed);
    REQUIRE(data.context_hashes.size() == 7);
    for (std::size_t c = 0; c < 7; ++c) CHECK(data.context_hashes[c] == detail::identity_hash(*view.contexts[order[c]]));
}

TEST_CASE("three contexts are enough to leave one out, two are not") {
    for (const std::uint64_t contexts : {2U, 3U}) {
        const auto data = detail::fit_blend(on_two_machines(made_up_history(contexts)), support::quick_fit).data();
        CHECK(data.report.left_out == (contexts == 3));
        CHECK(data.processes[1].has_value() == (contexts == 3));
    }
}

TEST_CASE("few contexts that differ in their size alone are left to the growth trend and what is over it") {
    for (const std::uint64_t contexts : {15U, 16U}) {
        CAPTURE(contexts);
        const auto has_one_without_trend = [&](const std::vector<run>& history) {
            const auto data = detail::fit_blend(history, support::quick_fit).data();
            CHECK(data.processes[0].has_value());
            CHECK(data.report.usable[1] == data.processes[1].has_value());
            return data.processes[1].has_value();
        };
        const auto sizes = made_up_history(contexts);
        CHECK(has_one_without_trend(sizes) == (contexts >= detail::least_contexts_of_direction));
        CHECK(has_one_without_trend(on_two_machines(sizes)));
    }
}

TEST_CASE("the pressure has a learned direction where contexts are enough to leave out, and else is as measured") {
    for (const std::uint64_t contexts : {15U, 16U}) {
        CAPTURE(contexts);
        const auto model = detail::fit_blend(on_two_machines(made_up_history(contexts)), {.process_iterations = {2, 2}});
        const auto& process = model.data().processes[1];
        REQUIRE(process);
        CHECK(process->pressure_direction.empty() == (contexts < detail::least_contexts_of_direction));
    }
}

TEST_CASE("two observed runs make no median worse where runs scatter and contexts do not differ, and better where they do") {
    // Mean error before and after two runs of a context at one scale-out, with `repeats` runs of each context in the
    // history.
    const auto errors = [](int repeats, double noise_sd, double level_sd) {
        detail::random_generator random(11);
        const auto draw = [&](std::uint64_t size_gb, int scale_out, double level) {
            auto drawn = made_up_run(size_gb, scale_out);
            drawn.runtime_s *= std::exp(level + noise_sd * random.normal());
            return drawn;
        };
        std::vector<run> history;
        for (std::uint64_t c = 0; c < 60; ++c) {
            const double level = level_sd * random.normal();
            for (int r = 0; r < repeats; ++r) history.push_back(draw(10 + 4 * c, 2 + 2 * static_cast<int>(c % 6), level));
        }
        const auto fitted = detail::fit_blend(history);
        std::array<double, 2> error{};
        constexpr std::uint64_t targets = 30;
        for (std::uint64_t t = 0; t < targets; ++t) {
            const std::uint64_t size_gb = 13 + 8 * t;
            const double level = level_sd * random.normal();
            const int scale_out = 2 + 2 * static_cast<int>(t % 6);
            const std::vector<run> observed{draw(size_gb, scale_out, level), draw(size_gb, scale_out, level)};
            for (std::size_t k = 0; k < 2; ++k) {
                const auto curve = fitted.bind(made_up_context(size_gb), std::span(observed).first(2 * k));
                for (const int x : {2, 6, 12}) {
                    const double median = curve.table.at(x)[detail::median_index];
                    error[k] += std::abs(median - level - std::log(made_up_runtime_s(size_gb, x))) / (3 * targets);
                }
            }
        }
        return error;
    };
    for (const int repeats : {1, 2}) {
        CAPTURE(repeats);
        const auto [before, after] = errors(repeats, 0.2, 0);
        // A run's mean error is 0.16. A tenth, since 30 targets tell no difference that is smaller.
        CHECK(after < 1.1 * before);
    }
    // Other scale-outs than the observed one may differ by another level.
    const auto [before, after] = errors(2, 0.05, 0.3);
    CHECK(after < 0.6 * before);
}
