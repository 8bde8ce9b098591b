#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

#include <doctest/doctest.h>

namespace {

using namespace bellamy;

// The longest path by trying all of them.
[[nodiscard]] double tried_path(const detail::stage_graph& parents, const std::vector<double>& time_s, std::size_t end) {
    double before_s = 0;
    for (const auto parent : parents[end]) before_s = (std::max)(before_s, tried_path(parents, time_s, parent));
    return before_s + time_s[end];
}

[[nodiscard]] job_trace random_job(detail::random_generator& random, std::size_t stages) {
    job_trace job;
    for (std::size_t i = 0; i < stages; ++i) {
        job.stages.push_back({.id = static_cast<std::int64_t>(10 + 3 * i), .name = std::to_string(random.bits() % 5)});
        for (std::size_t parent = 0; parent < i; ++parent)
            if (random.bits() % 3 == 0) job.stages.back().parents.push_back(job.stages[parent].id);
    }
    return job;
}

[[nodiscard]] std::vector<double> random_times(detail::random_generator& random, std::size_t stages) {
    std::vector<double> time_s(stages);
    for (double& each : time_s) each = static_cast<double>(random.bits() % 1000) / 16;
    return time_s;
}

}  // namespace

TEST_CASE("the longest path is that of brute force on a thousand random graphs") {
    detail::random_generator random(7);
    for (int graph = 0; graph < 1000; ++graph) {
        const auto job = random_job(random, 1 + random.bits() % 9);
        const auto parents = detail::graph_of(detail::last_attempts(job));
        const auto time_s = random_times(random, parents.size());
        double longest = 0;
        for (std::size_t end = 0; end < parents.size(); ++end)
            longest = (std::max)(longest, tried_path(parents, time_s, end));
        REQUIRE(detail::longest_path(parents, time_s) == longest);
    }
}

TEST_CASE("the longest path does not depend on the numbers that the stages have") {
    detail::random_generator random(8);
    for (int graph = 0; graph < 100; ++graph) {
        auto job = random_job(random, 8);
        const auto time_s = random_times(random, 8);
        const double before = detail::longest_path(detail::graph_of(detail::last_attempts(job)), time_s);

        std::vector<std::int64_t> number{0, 1, 2, 3, 4, 5, 6, 7};
        random.shuffle(std::span(number));
        std::vector<double> moved_s(8);
        for (std::size_t i = 0; i < 8; ++i) {
            moved_s[static_cast<std::size_t>(number[i])] = time_s[i];
            job.stages[i].id = number[i];
            for (auto& parent : job.stages[i].parents) parent = number[static_cast<std::size_t>((parent - 10) / 3)];
        }
        REQUIRE(detail::longest_path(detail::graph_of(detail::last_attempts(job)), moved_s) == before);
    }
}
