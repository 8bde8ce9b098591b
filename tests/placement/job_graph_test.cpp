#include <bellamy/placement/job_graph.hpp>

#include "support/compare.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;

namespace {

using edges_given = std::vector<task_edge>;

[[nodiscard]] edges_given edges_of(const result<job_graph>& job) {
    return {job.value().edges().begin(), job.value().edges().end()};
}

}  // namespace

TEST_CASE("edges are kept sorted, whichever way round they are given") {
    const auto job = job_graph::make(4, edges_given{{.a = 3, .b = 1, .traffic = 2}, {.a = 0, .b = 2}}).value();
    CHECK(edges_of(job) == edges_given{{.a = 0, .b = 2}, {.a = 1, .b = 3, .traffic = 2}});
    CHECK(job == job_graph::make(4, edges_given{{.a = 2, .b = 0}, {.a = 1, .b = 3, .traffic = 2}}).value());
    CHECK_FALSE(job == job_graph::make(4, edges_given{{.a = 2, .b = 0}, {.a = 1, .b = 3}}).value());
}

TEST_CASE("tasks are ordered breadth first, component by component") {
    const auto job = job_graph::make(6, edges_given{{.a = 0, .b = 4}, {.a = 4, .b = 2}, {.a = 1, .b = 5}}).value();
    CHECK(std::vector<std::uint32_t>(job.order().begin(), job.order().end()) ==
          std::vector<std::uint32_t>{0, 4, 2, 1, 5, 3});
    REQUIRE(job.neighbours_before(2).size() == 1);
    CHECK(job.neighbours_before(2).front().task == 4);
    CHECK(job.neighbours_before(1).empty());
}

TEST_CASE("shapes have the edges that their names say") {
    CHECK(edges_of(job_graph::path(3)) == edges_given{{.a = 0, .b = 1}, {.a = 1, .b = 2}});
    CHECK(edges_of(job_graph::star(3)) == edges_given{{.a = 0, .b = 1}, {.a = 0, .b = 2}});
    CHECK(edges_of(job_graph::cycle(3)) == edges_of(job_graph::complete(3)));
    CHECK(edges_of(job_graph::cycle(2)) == edges_of(job_graph::path(2)));
    CHECK(edges_of(job_graph::complete(4)).size() == 6);
    for (const auto& empty : {job_graph::path(0), job_graph::star(0), job_graph::cycle(0), job_graph::complete(0)})
        CHECK(empty.value().tasks() == 0);
}

TEST_CASE("bad graphs are refused with the edge and what was found") {
    const auto with = [](edges_given edges) { return job_graph::make(3, edges); };
    check_refused(with({{.a = 0, .b = 0}}), errc::invalid_job_graph, {"edge 0"});
    check_refused(with({{.a = 0, .b = 3}}), errc::invalid_job_graph, {"found 0 and 3"});
    check_refused(with({{.a = 0, .b = 1}, {.a = 0, .b = 1}}), errc::invalid_job_graph, {"0-1 twice"});
    check_refused(with({{.a = 0, .b = 1}, {.a = 1, .b = 0}}), errc::invalid_job_graph, {"0-1 twice"});
    for (const double traffic : {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()})
        check_refused(with({{.a = 0, .b = 1, .traffic = traffic}}), errc::invalid_job_graph, {"edge 0"});
    check_refused(job_graph::make(static_cast<std::uint32_t>(-1), {}), errc::invalid_job_graph, {"-1"});
    for (const auto& large : {job_graph::make(1'000'000, {}), job_graph::path(1'000'000), job_graph::star(1'000'000),
                              job_graph::cycle(1'000'000), job_graph::complete(65'000)})
        check_refused(large, errc::invalid_job_graph);
}
