#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/stages/run_factor.hpp>

#include <doctest/doctest.h>

namespace {

using namespace bellamy;

// Runs of eight jobs of 10 s each; all jobs of a run share a factor.
[[nodiscard]] std::vector<detail::predicted_run> runs_with_factors(std::size_t count) {
    detail::random_generator random(3);
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
