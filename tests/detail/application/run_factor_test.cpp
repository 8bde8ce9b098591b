#include <bellamy/detail/application/run_factor.hpp>
#include <bellamy/detail/base/random.hpp>

#include <doctest/doctest.h>

namespace {

using namespace bellamy;

// Runs of eight jobs of 10 s each; all jobs of a run share a factor.
[[nodiscard]] std::vector<detail::predicted_run> runs_with_factors(std::size_t count, std::uint64_t seed = 3) {
    detail::random_generator random(seed);
    std::vector<detail::predicted_run> runs(count);
    for (auto& each : runs) {
        const double factor = std::exp(0.4 * random.normal());
        double sum_s = 0;
        for (int job = 0; job < 8; ++job) {
            each.predicted_s.push_back(10);
            each.actual_s.push_back(10 * factor * std::exp(0.05 * random.normal()));
            sum_s += each.actual_s.back();
        }
        double done_s = 0;
        for (int job = 0; job < 8; ++job) {
            done_s += each.actual_s[static_cast<std::size_t>(job)];
            each.actual_rest_s.push_back(sum_s - done_s);
            each.predicted_rest_s.push_back(70 - 10.0 * job);
        }
    }
    return runs;
}

[[nodiscard]] detail::job_deviations slower_by(double factor, int jobs) {
    detail::job_deviations made;
    for (int i = 0; i < jobs; ++i) made.add(10 * factor, 10);
    return made;
}

}  // namespace

TEST_CASE("a factor that all jobs of a run share goes on in its rest, with a spread far below that between runs") {
    const detail::run_factor factor(runs_with_factors(30));
    const std::vector<double> to_come(5, 10.0);
    for (const double slower : {0.7, 1.0, 1.6}) {
        const auto rest = factor.rest_after(slower_by(slower, 3), to_come, 0);
        CHECK(std::exp(rest[8]) == doctest::Approx(slower).epsilon(0.1));
        CHECK(rest[11] - rest[5] < 0.3);
        for (std::size_t i = 1; i < rest.size(); ++i) CHECK(rest[i] >= rest[i - 1]);
    }
}

TEST_CASE("a job that took far longer does not hide what the others tell") {
    // Two regimes, of which the slow one is the rarer.
    auto runs = runs_with_factors(30);
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::size_t job = 0; job < 8; ++job) {
            const double factor = i % 3 == 0 ? 3 : 1;
            const double noise = std::exp(0.02 * static_cast<double>((7 * i + 3 * job) % 5) - 0.04);
            runs[i].actual_s[job] = 10 * factor * noise;
            runs[i].actual_rest_s[job] = 10 * factor * static_cast<double>(7 - job) + 1e-9;
        }
    const detail::run_factor factor(runs);
    auto slow = slower_by(3, 3);
    slow.add(10 * 9, 10);
    slow.add(10 * 3, 10);
    const auto rest = factor.rest_after(slow, std::vector<double>(3, 10.0), 0);
    CHECK(std::exp(rest[8]) == doctest::Approx(3).epsilon(0.25));
}

TEST_CASE("a job that has just failed once leaves the rest as the jobs before it had it") {
    const detail::run_factor factor(runs_with_factors(30));
    for (const double slower : {0.7, 1.0, 1.6}) {
        auto failed = slower_by(slower, 4);
        failed.add(10 * slower * 6, 10);
        const auto rest = factor.rest_after(failed, std::vector<double>(3, 10.0), 0);
        // Taken for a slow run, it would be 1.3 to 2.2 times as much.
        CHECK(std::exp(rest[8]) == doctest::Approx(slower).epsilon(0.15));
    }
}

TEST_CASE("without a failure, the jobs that lie farthest above the others take as long as they do") {
    auto failed = slower_by(2, 6);
    for (const double slower : {9.0, 5.0, 2.0}) failed.add(10 * slower, 10);
    const std::vector<double> usual(9, 0.1);
    const auto made = failed.without_failure(usual);
    const auto same = slower_by(2, 9);
    for (std::size_t job = 0; job < 9; ++job) {
        CHECK(made.of_job[job] == doctest::Approx(same.of_job[job]));
        CHECK(made.so_far[job] == doctest::Approx(same.so_far[job]));
    }
    auto quick = slower_by(2, 6);
    quick.add(10, 10);
    CHECK(quick.without_failure(usual).of_job == quick.of_job);
    CHECK(failed.until(5).so_far == slower_by(2, 6).so_far);
}

TEST_CASE("intervals of the rest allow for failures, though no learned run had one") {
    const detail::run_factor factor(runs_with_factors(30));
    detail::random_generator random(5);
    double inside = 0;
    double all = 0;
    const auto others = runs_with_factors(200, 11);
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto run =
            i % 10 < 4 ? detail::with_failure(others[i], {}, {random.uniform(), random.uniform()}, random) : others[i];
        const detail::finished_run ended(run);
        detail::job_deviations begun;
        for (std::size_t job = 0; job + 1 < 8; ++job) {
            begun.add(run.actual_s[job], run.predicted_s[job]);
            const auto rest = factor.rest_after(begun, std::vector<double>(7 - job, 10.0), 0);
            const double deviate = detail::normal_quantile(0.95);
            inside += ended.rests[job] > detail::quantile_at(rest, -deviate) &&
                              ended.rests[job] < detail::quantile_at(rest, deviate)
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
        const auto failed = detail::with_failure(run, {}, detail::failure_place::nth(static_cast<std::size_t>(i)), random);
        double after_s = 0;
        std::size_t first = 8;
        std::size_t last = 0;
        for (std::size_t job = 8; job-- > 0;) {
            CHECK(failed.actual_rest_s[job] - run.actual_rest_s[job] == doctest::Approx(after_s));
            const double own_s = failed.actual_s[job] - run.actual_s[job];
            REQUIRE(own_s >= 0);
            after_s += own_s;
            if (own_s == 0) continue;
            first = job;
            last = (std::max)(last, job);
        }
        delays_s += after_s / 2000;
        REQUIRE(last - first < 3);
        ++counts[last - first];
    }
    CHECK(delays_s == doctest::Approx(0.15 * 80).epsilon(0.1));
    for (const int each : counts) CHECK(each > 400);
}

TEST_CASE("too few runs tell nothing of the rest, and a stated spread stands for what they might") {
    const detail::run_factor factor(runs_with_factors(4));
    const auto rest = factor.rest_after(slower_by(2, 3), std::vector<double>(5, 10.0), 0);
    CHECK(rest[8] == 0);
    CHECK(rest[12] == doctest::Approx(0.3 * 1.282));
}

TEST_CASE("the filter of a shared factor is the mean of its normal posterior") {
    const detail::drifting_factor factor{.shared_variance = 2, .noise_variance = 1};
    const auto state = factor.filter(std::vector<double>{1.0, 2.0, 0.6});
    // Posterior mean: n mean / (n + noise / prior).
    CHECK(state.shared == doctest::Approx(3.6 / 3.5));
    CHECK(state.drift == 0);
}

TEST_CASE("a drifting factor forgets") {
    const detail::drifting_factor factor{.drift_variance = 1, .persistence = 0.5, .noise_variance = 0.1};
    CHECK(factor.filter(std::vector<double>{2, 2, 2}).drift > 1.5);
    CHECK(factor.filter(std::vector<double>{2, 2, 2, 0, 0}).drift < 0.4);
}
