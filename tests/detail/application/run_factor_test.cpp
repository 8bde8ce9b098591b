#include <bellamy/detail/application/run_factor.hpp>
#include <bellamy/detail/base/random.hpp>

#include <doctest/doctest.h>

namespace {

using namespace bellamy;

// Runs of eight jobs of 10 s each; all jobs of a run share a factor.
[[nodiscard]] std::vector<detail::predicted_run> runs_with_factors(std::size_t count, std::uint64_t seed = 3) {
    detail::random_generator random(seed);
    std::vector<detail::predicted_run> runs(count, detail::predicted_run(8));
    for (auto& run : runs) {
        const double factor = std::exp(0.4 * random.normal());
        double rest_s = 0;
        for (auto& job : run) {
            job = {.predicted_s = 10, .actual_s = 10 * factor * std::exp(0.05 * random.normal())};
            rest_s += job.actual_s;
        }
        double predicted_rest_s = 80;
        for (auto& job : run) {
            job.actual_rest_s = rest_s -= job.actual_s;
            job.predicted_rest_s = predicted_rest_s -= 10;
        }
    }
    return runs;
}

// As many jobs of 10 s, each slower by this factor.
[[nodiscard]] detail::predicted_run slower_by(double factor, std::size_t jobs) {
    return detail::predicted_run(jobs, {.predicted_s = 10, .actual_s = 10 * factor});
}

}  // namespace

TEST_CASE("a factor that all jobs of a run share goes on in its rest, with a spread far below that between runs") {
    const detail::run_factor factor(runs_with_factors(30));
    const std::vector<double> to_come(5, 10.0);
    for (const double slower : {0.7, 1.0, 1.6}) {
        const auto rest = factor.rest_residual(slower_by(slower, 3), to_come, 0);
        CHECK(std::exp(rest[8]) == doctest::Approx(slower).epsilon(0.1));
        CHECK(rest[11] - rest[5] < 0.3);
        for (std::size_t i = 1; i < rest.size(); ++i) CHECK(rest[i] >= rest[i - 1]);
    }
}

TEST_CASE("few recorded runs make the rest less sure than many") {
    const auto mean_width = [](std::size_t recorded) {
        double sum = 0;
        for (std::uint64_t seed = 100; seed < 160; ++seed) {
            const detail::run_factor factor(runs_with_factors(recorded, seed));
            const auto rest = factor.rest_residual(slower_by(1, 3), std::vector<double>(5, 10.0), 0);
            sum += rest[14] - rest[2];
        }
        return sum / 60;
    };
    // By the root of 7/5 over 61/59; without, by -2 %, as fewer runs have fewer of the farthest errors.
    CHECK(mean_width(6) > 1.1 * mean_width(60));
}

TEST_CASE("where all jobs take many times as long as those of any recorded run, so does the rest, with doubt") {
    auto runs = runs_with_factors(10);
    for (auto& run : runs)
        for (std::size_t job = 0; job < 8; ++job) {
            run[job].actual_s = 10 * (1 + 0.01 * static_cast<double>(job % 3));
            run[job].actual_rest_s = 10 * static_cast<double>(7 - job) + 1e-9;
        }
    const detail::run_factor factor(runs);
    const auto slow = factor.rest_residual(slower_by(6, 5), std::vector<double>(3, 10.0), 0);
    CHECK(std::exp(slow[8]) > 4);
    CHECK(std::exp(slow[14]) > 6);
    const auto fast = factor.rest_residual(slower_by(0.25, 5), std::vector<double>(3, 10.0), 0);
    CHECK(std::exp(fast[8]) < 0.4);
    // A failure delays three jobs at most.
    auto failed = slower_by(1, 2);
    for (int job = 0; job < 3; ++job) failed.push_back({.predicted_s = 10, .actual_s = 60});
    CHECK(std::exp(factor.rest_residual(failed, std::vector<double>(3, 10.0), 0)[8]) < 1.8);
}

TEST_CASE("a job that took far longer does not hide what the others tell") {
    // Two regimes, of which the slow one is the rarer.
    auto runs = runs_with_factors(30);
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::size_t job = 0; job < 8; ++job) {
            const double factor = i % 3 == 0 ? 3 : 1;
            const double noise = std::exp(0.02 * static_cast<double>((7 * i + 3 * job) % 5) - 0.04);
            runs[i][job].actual_s = 10 * factor * noise;
            runs[i][job].actual_rest_s = 10 * factor * static_cast<double>(7 - job) + 1e-9;
        }
    const detail::run_factor factor(runs);
    auto slow = slower_by(3, 3);
    slow.push_back({.predicted_s = 10, .actual_s = 10 * 9});
    slow.push_back({.predicted_s = 10, .actual_s = 10 * 3});
    const auto rest = factor.rest_residual(slow, std::vector<double>(3, 10.0), 0);
    CHECK(std::exp(rest[8]) == doctest::Approx(3).epsilon(0.25));
}

TEST_CASE("a job that has just failed once leaves the rest as the jobs before it had it") {
    const detail::run_factor factor(runs_with_factors(30));
    for (const double slower : {0.7, 1.0, 1.6}) {
        auto failed = slower_by(slower, 4);
        failed.push_back({.predicted_s = 10, .actual_s = 10 * slower * 6});
        const auto rest = factor.rest_residual(failed, std::vector<double>(3, 10.0), 0);
        // Taken for a slow run, it would be 1.3 to 2.2 times as much.
        CHECK(std::exp(rest[8]) == doctest::Approx(slower).epsilon(0.15));
    }
}

TEST_CASE("without a failure, the jobs that lie farthest above the others take as long as they do") {
    auto failed = slower_by(2, 6);
    for (const double slower : {9.0, 5.0, 2.0}) failed.push_back({.predicted_s = 10, .actual_s = 10 * slower});
    const std::vector<detail::residual_deviation> deviations(9, {.standard = 0.1, .robust = 0.1});
    const auto corrected = detail::without_failure(failed, deviations);
    for (const auto& job : corrected) CHECK(job.actual_s == doctest::Approx(20));
    auto fast = slower_by(2, 6);
    fast.push_back({.predicted_s = 10, .actual_s = 10});
    CHECK(detail::without_failure(fast, deviations).back().actual_s == 10);
}

TEST_CASE("residuals are those of each job, of all jobs so far, and of the rest") {
    const detail::predicted_run run{{.predicted_s = 1, .actual_s = 2, .predicted_rest_s = 4, .actual_rest_s = 2},
                                    {.predicted_s = 3, .actual_s = 2}};
    const auto residuals = detail::residuals_of(run);
    CHECK(residuals[0].job == doctest::Approx(std::log(2)));
    CHECK(residuals[0].rest == doctest::Approx(-std::log(2)));
    CHECK(residuals[1].job == doctest::Approx(std::log(2.0 / 3)));
    CHECK(residuals[1].so_far == doctest::Approx(0));
}

TEST_CASE("intervals of the rest allow for failures, though no learned run had one") {
    const detail::run_factor factor(runs_with_factors(30));
    detail::random_generator random(5);
    double inside = 0;
    double all = 0;
    const auto test_runs = runs_with_factors(200, 11);
    for (std::size_t i = 0; i < test_runs.size(); ++i) {
        const auto run =
            i % 10 < 4 ? detail::with_failure(test_runs[i], {}, {random.uniform(), random.uniform()}, random) : test_runs[i];
        const auto residuals = detail::residuals_of(run);
        for (std::size_t job = 0; job + 1 < 8; ++job) {
            const auto rest = factor.rest_residual(std::span(run).first(job + 1), std::vector<double>(7 - job, 10.0), 0);
            const double z = detail::normal_quantile(0.95);
            inside +=
                residuals[job].rest > detail::quantile_at(rest, -z) && residuals[job].rest < detail::quantile_at(rest, z)
                    ? 1.0
                    : 0.0;
            all += 1;
        }
    }
    CHECK(inside / all > 0.85);
    CHECK(inside / all < 0.97);
}

TEST_CASE("a simulated failure delays up to three jobs in a row, and what was to come after each") {
    const auto run = runs_with_factors(1).front();
    detail::random_generator random(1);
    double delays_s = 0;
    std::array<int, 3> counts{};
    for (int i = 0; i < 2000; ++i) {
        const auto failed = detail::with_failure(run, {}, detail::failure_point::nth(static_cast<std::size_t>(i)), random);
        double after_s = 0;
        std::size_t first = 8;
        std::size_t last = 0;
        for (std::size_t job = 8; job-- > 0;) {
            CHECK(failed[job].actual_rest_s - run[job].actual_rest_s == doctest::Approx(after_s));
            const double delay_s = failed[job].actual_s - run[job].actual_s;
            REQUIRE(delay_s >= 0);
            after_s += delay_s;
            if (delay_s == 0) continue;
            first = job;
            last = (std::max)(last, job);
        }
        delays_s += after_s / 2000;
        REQUIRE(last - first < 3);
        ++counts[last - first];
    }
    CHECK(delays_s == doctest::Approx(0.15 * 80).epsilon(0.1));
    for (const int count : counts) CHECK(count > 400);
}

TEST_CASE(
    "with too few runs a rest is as much longer as the finished jobs were, shrunk to their number, and no surer than the "
    "run") {
    const detail::run_factor factor(runs_with_factors(4));
    const std::vector<double> to_come(5, 10.0);
    const auto rest = factor.rest_residual(slower_by(2, 3), to_come, 0);
    CHECK(rest[8] == doctest::Approx(std::log(2.0) * 3 / 4));
    CHECK(rest[12] == doctest::Approx(rest[8] + 0.3 * 1.282));
    detail::quantile_row of_run{};
    for (std::size_t i = 0; i < of_run.size(); ++i) of_run[i] = 5 + 0.2 * (static_cast<double>(i) - 8);
    const auto unsure = factor.rest_residual(slower_by(2, 3), to_come, 0, of_run);
    CHECK(unsure[8] == rest[8]);
    CHECK(unsure[12] == doctest::Approx(rest[8] + 0.8));
    const detail::predicted_run endless{{.predicted_s = std::numeric_limits<double>::infinity(), .actual_s = 1}};
    CHECK(std::isfinite(factor.rest_residual(endless, to_come, 0)[8]));
}

TEST_CASE("the filter of a shared factor is the mean of its normal posterior") {
    const detail::residual_model model{.shared_variance = 2, .noise_variance = 1};
    const auto state = model.filter(std::vector<double>{1.0, 2.0, 0.6});
    // Posterior mean: n mean / (n + noise / prior).
    CHECK(state.shared == doctest::Approx(3.6 / 3.5));
    CHECK(state.drift == 0);
}

TEST_CASE("a drifting factor forgets") {
    const detail::residual_model model{.drift_variance = 1, .persistence = 0.5, .noise_variance = 0.1};
    CHECK(model.filter(std::vector<double>{2, 2, 2}).drift > 1.5);
    CHECK(model.filter(std::vector<double>{2, 2, 2, 0, 0}).drift < 0.4);
}
