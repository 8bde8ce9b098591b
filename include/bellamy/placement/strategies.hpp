// Strategies of a job: all feasible numbers of its tasks per data centre of a small network.
#ifndef BELLAMY_PLACEMENT_STRATEGIES_HPP
#define BELLAMY_PLACEMENT_STRATEGIES_HPP

#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// Number of tasks in a data centre.
struct task_count {
    std::uint32_t data_centre = 0;
    int tasks = 0;

    bool operator==(const task_count&) const = default;
};

/// Strategies of one job: tasks per data centre, each with its placement of least traffic cost. Ascending in lexicographic
/// order of the counts of all data centres. Const use is safe from any number of threads.
class strategies {
public:
    explicit strategies(std::uint32_t tasks) : tasks_(tasks) {}

    [[nodiscard]] size_t size() const noexcept { return traffic_.size(); }
    [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }
    /// Only data centres with tasks, ascending.
    [[nodiscard]] std::span<const task_count> counts(size_t k) const noexcept {
        return detail::slice_of(counts_, first_count_, k);
    }
    /// Currency per hour.
    [[nodiscard]] double traffic(size_t k) const noexcept { return traffic_[k]; }
    /// The data centre of each task.
    [[nodiscard]] std::span<const std::uint32_t> where(size_t k) const noexcept {
        return std::span(where_).subspan(k * tasks_, tasks_);
    }

    /// Appends a strategy; `finish` sorts them.
    void add(std::span<const task_count> counts, double traffic, std::span<const std::uint32_t> where) {
        detail::append(counts_, counts);
        first_count_.push_back(counts_.size());
        traffic_.push_back(traffic);
        detail::append(where_, where);
    }
    /// Replaces the placement of a strategy.
    void replace(size_t k, double traffic, std::span<const std::uint32_t> where) noexcept {
        traffic_[k] = traffic;
        std::copy(where.begin(), where.end(), where_.begin() + static_cast<std::ptrdiff_t>(k * tasks_));
    }
    void finish();

private:
    std::uint32_t tasks_;
    std::vector<size_t> first_count_{0};
    std::vector<task_count> counts_;
    std::vector<double> traffic_;
    std::vector<std::uint32_t> where_;
};

struct strategy_limits {
    size_t strategies = 1'000'000;
    /// Placements of a task tried by the search.
    std::uint64_t steps = 100'000'000;
};

/// All strategies of a job alone on the free slots; none where it does not fit, one for a job of no tasks.
/// Error: too_many_strategies.
result<strategies> enumerate(const network& net, const job_graph& job, const strategy_limits& limits = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/strategies_impl.hpp>  // IWYU pragma: export
#endif

#endif
