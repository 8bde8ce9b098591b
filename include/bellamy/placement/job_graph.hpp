// Graph of a job: its tasks, and the edges between tasks that communicate.
#ifndef BELLAMY_PLACEMENT_JOB_GRAPH_HPP
#define BELLAMY_PLACEMENT_JOB_GRAPH_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/error.hpp>

#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {
namespace detail {
using namespace bellamy::detail;  // NOLINT(google-build-using-namespace): its helpers are those of placement too
}

/// Two tasks that communicate, and the rate of their traffic.
struct task_edge {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double traffic = 0;

    bool operator==(const task_edge&) const = default;
};

/// Immutable value; tasks are counted from 0 and take one slot each. Tasks without an edge and several components are
/// allowed. Safe to share between threads; only the functions that create one allocate.
class job_graph {
public:
    static constexpr std::uint32_t most_tasks = std::uint32_t{1} << 16U;
    static constexpr size_t most_edges = size_t{1} << 24U;

    /// A job of no tasks.
    job_graph() = default;

    /// Error: invalid_job_graph for too many tasks, and for edges to oneself, out of range, given twice or with a traffic
    /// that is not from 0 to 1e100.
    static result<job_graph> make(std::uint32_t tasks, std::span<const task_edge> edges);

    /// 0-1-2-...
    static result<job_graph> path(std::uint32_t tasks);
    /// Task 0 communicates with all others, as a driver with its executors.
    static result<job_graph> star(std::uint32_t tasks);
    /// A path whose ends are connected, too; below three tasks a path.
    static result<job_graph> cycle(std::uint32_t tasks);
    static result<job_graph> complete(std::uint32_t tasks);

    [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }
    /// a < b, ascending.
    [[nodiscard]] std::span<const task_edge> edges() const noexcept { return edges_; }

    /// A task at the other end of an edge.
    struct neighbour {
        std::uint32_t task = 0;
        double traffic = 0;
    };
    /// Ascending.
    [[nodiscard]] std::span<const neighbour> neighbours(std::uint32_t task) const noexcept {
        return detail::slice_of(neighbours_, neighbour_offsets_, task);
    }
    /// Tasks in the order in which they are placed: breadth first from task 0, components by their lowest task.
    [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
    /// The neighbours that precede a task in that order, ascending by number.
    [[nodiscard]] std::span<const neighbour> neighbours_before(std::uint32_t task) const noexcept {
        return detail::slice_of(predecessors_, predecessor_offsets_, task);
    }

    /// The same tasks, edges and traffic.
    friend bool operator==(const job_graph& x, const job_graph& y) noexcept {
        return x.tasks_ == y.tasks_ && x.edges_ == y.edges_;
    }

private:
    static result<void> validate(const task_edge& edge, size_t number, std::uint32_t tasks) noexcept;
    void make_neighbours();
    void make_order();

    std::uint32_t tasks_ = 0;
    std::vector<task_edge> edges_;
    std::vector<size_t> neighbour_offsets_;  // by task: where its neighbours begin in neighbours_
    std::vector<neighbour> neighbours_;
    std::vector<std::uint32_t> order_;
    std::vector<size_t> predecessor_offsets_;  // by task: where its predecessors begin in predecessors_
    std::vector<neighbour> predecessors_;      // of each task: its neighbours that are earlier in order_
};

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/job_graph_impl.hpp>  // IWYU pragma: export
#endif

#endif
