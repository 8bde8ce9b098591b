#include <bellamy/detail/blend/cluster_posterior.hpp>

#include <bellamy/detail/base/random.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace bellamy::detail;

namespace {

cluster_point point_of(double log_slots, double log_memory, std::size_t machine = 0) {
    cluster_point point{.terms = {1, log_slots, log_slots * log_slots}, .log_memory = log_memory, .machine = machine};
    point.terms[memory] = 0.1 * static_cast<double>(machine);
    return point;
}

// Three groups of runs, with noise, of which those with little memory are slow.
std::vector<cluster_run> some_runs() {
    random_generator random(5);
    std::vector<cluster_run> runs;
    for (std::size_t i = 0; i < 7; ++i) {
        const auto x = static_cast<double>(i);
        const bool fits = i >= 3;
        runs.push_back({.at = point_of(0.3 * x, 0.5 * x, i % 2),
                        .log_runtime = 6 - 0.25 * x - (fits ? 0.9 : 0) + 0.1 * random.normal(),
                        .variance = 0.0025});
    }
    return runs;
}

const std::vector laws{law_of_any_job()};

// Mean and variance of a point over all hypotheses.
std::pair<double, double> moments(const std::vector<weighted_answer>& mixture, std::size_t point) {
    double mean = 0;
    double square = 0;
    for (const auto& [probability, answer] : mixture) {
        mean += probability * answer.mean[point];
        square += probability * (answer.mean[point] * answer.mean[point] + answer.covariance(point, point));
    }
    return {mean, square - mean * mean};
}

}  // namespace

TEST_CASE("runs that are left out are predicted as by a posterior that never saw them") {
    const auto runs = some_runs();
    const auto cliffs = possible_cliffs(values_of(runs, &cluster_run::at));
    REQUIRE(cliffs.size() > 2);
    const std::array<std::size_t, 3> counts{2, 3, 2};
    const auto left_out = cluster_posterior(laws, cliffs, runs).leave_out(counts);
    std::size_t first = 0;
    for (std::size_t group = 0; group < counts.size(); first += counts[group++]) {
        std::vector<cluster_run> others;
        std::vector<cluster_point> points;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (i >= first && i < first + counts[group]) {
                points.push_back(runs[i].at);
            } else {
                others.push_back(runs[i]);
            }
        }
        const auto expected = cluster_posterior(laws, cliffs, others)(points, {}, 0);
        double sum = 0;
        for (const auto& each : left_out[group]) sum += each.probability;
        CHECK(sum == doctest::Approx(1));
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto [mean, variance] = moments(left_out[group], i);
            const auto [expected_mean, expected_variance] = moments(expected, i);
            CHECK(mean == doctest::Approx(expected_mean).epsilon(1e-9));
            CHECK(std::sqrt(variance) == doctest::Approx(std::sqrt(expected_variance)).epsilon(1e-6));
        }
    }
}

TEST_CASE("covariances of two points are given where they are wanted, and leave means and variances what they are") {
    const auto runs = some_runs();
    const cluster_posterior posterior(laws, possible_cliffs(values_of(runs, &cluster_run::at)), runs);
    const std::vector<cluster_point> points{point_of(0.2, 0.2), point_of(0.25, 0.25), point_of(2.5, 4)};
    const std::array<std::size_t, 1> wanted{0};
    const auto with = posterior(points, wanted, 0.003);
    const auto without = posterior(points, {}, 0.003);
    REQUIRE(with.size() == without.size());
    for (std::size_t h = 0; h < with.size(); ++h) {
        CHECK(with[h].answer.mean == without[h].answer.mean);
        for (std::size_t i = 0; i < points.size(); ++i)
            CHECK(with[h].answer.covariance(i, i) == without[h].answer.covariance(i, i));
        CHECK(with[h].answer.covariance(1, 0) == with[h].answer.covariance(0, 1));
        // Neighbours err together.
        CHECK(with[h].answer.covariance(0, 1) > 0.5 * with[h].answer.covariance(1, 1));
        CHECK(without[h].answer.covariance(0, 1) == 0);
        CHECK(with[h].answer.covariance(1, 2) == 0);
    }
}

TEST_CASE("runs beside a jump make a memory cliff probable, and runs far apart leave its place open") {
    std::vector<cluster_run> runs;
    for (const double log_memory : {-2.0, -1.0, 3.0, 4.0})
        runs.push_back({.at = point_of(0, log_memory), .log_runtime = log_memory < 0 ? 7.0 : 6.0, .variance = 0.0025});
    // Clusters between the runs.
    const std::vector<cluster_point> points{point_of(0, -1.5), point_of(0, 0), point_of(0, 1), point_of(0, 2),
                                            point_of(0, 3.5)};
    auto all = points;
    for (const auto& run : runs) all.push_back(run.at);
    const auto mixture = cluster_posterior(laws, possible_cliffs(all), runs)(points, {}, 0);
    CHECK(moments(mixture, 0).first == doctest::Approx(7).epsilon(0.02));
    CHECK(moments(mixture, 4).first == doctest::Approx(6).epsilon(0.02));
    double expected = 7;
    for (const std::size_t between : {1U, 2U, 3U}) {
        const auto [mean, variance] = moments(mixture, between);
        CHECK(mean < expected);
        CHECK(std::sqrt(variance) > 0.3);
        expected = mean;
    }
}

TEST_CASE("a doubtful run that the others contradict moves its neighbours less") {
    // How far a neighbour moves: the doubtful run lies a factor above what the others say.
    const auto shift = [](double factor, bool is_doubtful) {
        std::vector<cluster_run> runs;
        for (const double x : {0.0, 0.5, 1.0, 1.5})
            runs.push_back({.at = point_of(x, x), .log_runtime = 6.5 - x, .variance = 0.0025});
        const std::vector neighbour{point_of(-0.6, -0.6)};
        const double before = moments(cluster_posterior(laws, {}, runs)(neighbour, {}, 0), 0).first;
        runs.push_back({.at = point_of(-0.8, -0.8),
                        .log_runtime = 6.5 + 0.8 + std::log(factor),
                        .variance = 0.16,
                        .is_doubtful = is_doubtful});
        return moments(cluster_posterior(laws, {}, runs)(neighbour, {}, 0), 0).first - before;
    };
    CHECK(shift(6, true) > 0);
    CHECK(shift(6, true) < 0.5 * shift(6, false));
    // One that they bear out counts for more.
    CHECK(shift(1.5, true) > 0.5 * shift(1.5, false));
}
