// Definitions of job_graph.hpp: checks edges, builds adjacency lists and the order of placing, and common shapes.
#ifndef BELLAMY_DETAIL_PLACEMENT_JOB_GRAPH_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_JOB_GRAPH_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/placement/job_graph.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<void> job_graph::validate(const task_edge& edge, size_t number, std::uint32_t tasks) noexcept {
    using detail::fail;
    if (edge.a >= tasks || edge.b >= tasks)
        return fail(errc::invalid_job_graph, "expected edge ", number, " between tasks 0 to ", tasks, " (excluded), found ",
                    edge.a, " and ", edge.b);
    if (edge.a == edge.b)
        return fail(errc::invalid_job_graph, "expected edge ", number, " between two tasks, found ", edge.a, " twice");
    if (!(edge.traffic >= 0 && edge.traffic <= 1e100))
        return fail(errc::invalid_job_graph, "expected a traffic from 0 to 1e100 of edge ", number, ", found ",
                    edge.traffic);
    return {};
}

BELLAMY_PUBLIC_INLINE void job_graph::make_neighbours() {
    neighbour_offsets_.assign(tasks_ + size_t{1}, 0);
    for (const auto& edge : edges_) ++neighbour_offsets_[edge.a + 1], ++neighbour_offsets_[edge.b + 1];
    for (size_t i = 0; i < tasks_; ++i) neighbour_offsets_[i + 1] += neighbour_offsets_[i];
    neighbours_.resize(neighbour_offsets_.back());
    auto next = neighbour_offsets_;
    for (const auto& edge : edges_) neighbours_[next[edge.b]++] = {.task = edge.a, .traffic = edge.traffic};
    for (const auto& edge : edges_) neighbours_[next[edge.a]++] = {.task = edge.b, .traffic = edge.traffic};
}

BELLAMY_PUBLIC_INLINE void job_graph::make_order() {
    std::vector<std::uint32_t> position(tasks_, tasks_);
    const auto add = [&](std::uint32_t task) {
        if (position[task] != tasks_) return;
        position[task] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(task);
    };
    for (std::uint32_t first = 0, read = 0; first < tasks_; ++first)
        for (add(first); read < order_.size(); ++read)
            for (const auto& next : neighbours(order_[read])) add(next.task);
    predecessor_offsets_.assign(1, 0);
    for (std::uint32_t task = 0; task < tasks_; ++task) {
        for (const auto& adjacent : neighbours(task))
            if (position[adjacent.task] < position[task]) predecessors_.push_back(adjacent);
        predecessor_offsets_.push_back(predecessors_.size());
    }
}

BELLAMY_PUBLIC_INLINE result<job_graph> job_graph::make(std::uint32_t tasks, std::span<const task_edge> edges) {
    using detail::fail;
    if (tasks > most_tasks)
        return fail(errc::invalid_job_graph, "expected at most ", most_tasks, " tasks, found ",
                    static_cast<std::int32_t>(tasks));
    if (edges.size() > most_edges)
        return fail(errc::invalid_job_graph, "expected at most ", most_edges, " edges, found ", edges.size());
    for (size_t i = 0; i < edges.size(); ++i)
        if (auto valid = validate(edges[i], i, tasks); !valid) return valid.error();
    job_graph graph;
    graph.tasks_ = tasks;
    graph.edges_.assign(edges.begin(), edges.end());
    if (const auto twice = detail::sort_edges(graph.edges_); twice != graph.edges_.end())
        return fail(errc::invalid_job_graph, "expected every edge once, found ", twice->a, "-", twice->b, " twice");
    graph.make_neighbours();
    graph.make_order();
    return graph;
}

BELLAMY_PUBLIC_INLINE result<job_graph> job_graph::path(std::uint32_t tasks) {
    std::vector<task_edge> edges;
    for (std::uint32_t i = 1; i < tasks && tasks <= most_tasks; ++i) edges.push_back({.a = i - 1, .b = i});
    return make(tasks, edges);
}

BELLAMY_PUBLIC_INLINE result<job_graph> job_graph::star(std::uint32_t tasks) {
    std::vector<task_edge> edges;
    for (std::uint32_t i = 1; i < tasks && tasks <= most_tasks; ++i) edges.push_back({.a = 0, .b = i});
    return make(tasks, edges);
}

BELLAMY_PUBLIC_INLINE result<job_graph> job_graph::cycle(std::uint32_t tasks) {
    auto graph = path(tasks);
    if (!graph || tasks <= 2) return graph;
    graph->edges_.push_back({.a = 0, .b = tasks - 1});
    return make(tasks, graph->edges_);
}

BELLAMY_PUBLIC_INLINE result<job_graph> job_graph::complete(std::uint32_t tasks) {
    std::vector<task_edge> edges;
    const size_t count = size_t{tasks} * (size_t{tasks} - (tasks > 0 ? 1 : 0)) / 2;
    if (count > most_edges)
        return detail::fail(errc::invalid_job_graph, "expected at most ", most_edges, " edges, found ", count);
    for (std::uint32_t a = 0; a < tasks; ++a)
        for (std::uint32_t b = a + 1; b < tasks; ++b) edges.push_back({.a = a, .b = b});
    return make(tasks, edges);
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
