// Local search for the placement of one job: moves of a single task, then of all its tasks in one data centre.
#ifndef BELLAMY_DETAIL_PLACEMENT_LOCAL_SEARCH_HPP
#define BELLAMY_DETAIL_PLACEMENT_LOCAL_SEARCH_HPP

#include <bellamy/detail/placement/costs.hpp>
#include <bellamy/detail/placement/free_slots.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

/// Considers only data centres next to those of the job. Reuses its memory between calls.
class placement_search {
public:
    explicit placement_search(const network& net) : net_(net), tasks_at_(net.size(), 0) {}

    /// What a placement adds to the cost rate beside the load, traffic included.
    double added_cost(const job_graph& job, task_places where, const present_load& load) {
        count_tasks(where);
        // Data centres ascending, then traffic by edge: the order fixes the rounding.
        double sum = 0;
        for (const auto dc : used_dcs_) sum += net_.cost(dc, load[dc] + tasks_at_[dc]) - net_.cost(dc, load[dc]);
        clear_tasks();
        return sum + traffic_rate(net_, job, where);
    }

    /// Whether the free slots suffice for a placement.
    bool fits(task_places where, const present_load& load) {
        count_tasks(where);
        bool enough = true;
        for (const auto dc : used_dcs_) enough = enough && load[dc] + tasks_at_[dc] <= net_[dc].slots;
        clear_tasks();
        return enough;
    }

    /// Moves tasks while that lowers the cost; returns the added cost. Precondition: the placement is feasible.
    double improve(const job_graph& job, std::span<std::uint32_t> where, const present_load& load) {
        constexpr int most_sweeps = 3;
        count_tasks(where);
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool changed = false;
            for (const auto task : job.order()) changed = move_task(job, task, where, load) || changed;
            changed = move_groups(job, where, load) || changed;
            if (!changed) break;
        }
        clear_tasks();
        return added_cost(job, where, load);
    }

private:
    void count_tasks(task_places where) {
        used_dcs_.clear();
        for (const auto dc : where)
            if (tasks_at_[dc]++ == 0) used_dcs_.push_back(dc);
        sort(used_dcs_);
    }
    void clear_tasks() noexcept {
        for (const auto dc : used_dcs_) tasks_at_[dc] = 0;
    }
    void add_tasks(std::uint32_t dc, int tasks) {
        if (tasks > 0 && tasks_at_[dc] == 0 && !contains(used_dcs_, dc)) used_dcs_.push_back(dc);
        tasks_at_[dc] += tasks;
    }
    /// Added cost of more tasks in a data centre, on top of those that the job has there.
    double cost_of_more(std::uint32_t dc, int tasks, const present_load& load) const noexcept {
        const int now = load[dc] + tasks_at_[dc];
        return net_.cost(dc, now + tasks) - net_.cost(dc, now);
    }

    /// The cheapest data centre for tasks that have left their old one: that, or one next to `centre` with enough free slots
    /// and with links to those of their neighbours which are not checked yet.
    std::uint32_t cheapest_for(int tasks, std::uint32_t old_dc, std::uint32_t centre, neighbour_tasks neighbours,
                               neighbour_tasks unchecked, task_places where, const present_load& load) const noexcept {
        const auto cost = [&](std::uint32_t dc) {
            return cost_of_more(dc, tasks, load) + traffic_rate(net_, neighbours, where, dc);
        };
        const double saved = cost(old_dc);
        double least = saved - tolerance(saved);
        auto best = old_dc;
        for (const auto dc : net_.neighbours(centre)) {
            if (dc == old_dc || load[dc] + tasks_at_[dc] + tasks > net_[dc].slots ||
                !links_allow(net_, unchecked, where, dc))
                continue;
            if (const double moved = cost(dc); moved < least) least = moved, best = dc;
        }
        return best;
    }

    bool move_task(const job_graph& job, std::uint32_t task, std::span<std::uint32_t> where, const present_load& load) {
        const auto old_dc = where[task];
        add_tasks(old_dc, -1);
        const auto neighbours = job.neighbours(task);
        const auto centre = neighbours.empty() ? old_dc : where[neighbours.front().task];
        // The links of the first neighbour lead to the candidates already.
        const auto unchecked = neighbours.empty() ? neighbours : neighbours.subspan(1);
        const auto best = cheapest_for(1, old_dc, centre, neighbours, unchecked, where, load);
        where[task] = best;
        add_tasks(best, 1);
        return best != old_dc;
    }

    bool move_groups(const job_graph& job, std::span<std::uint32_t> where, const present_load& load) {
        group_dcs_.assign(where.begin(), where.end());
        sort_distinct(group_dcs_);
        bool changed = false;
        for (const auto dc : group_dcs_)
            if (tasks_at_[dc] > 1 || (tasks_at_[dc] == 1 && net_[dc].switch_on_kw > 0))
                changed = move_group(job, dc, where, load) || changed;
        return changed;
    }

    bool move_group(const job_graph& job, std::uint32_t old_dc, std::span<std::uint32_t> where, const present_load& load) {
        const int tasks = tasks_at_[old_dc];
        add_tasks(old_dc, -tasks);
        collect_outside(job, old_dc, where);
        const auto best = cheapest_for(tasks, old_dc, old_dc, outside_, outside_, where, load);
        for (auto& dc : where)
            if (dc == old_dc) dc = best;
        add_tasks(best, tasks);
        return best != old_dc;
    }

    /// The tasks outside of the group of tasks in a data centre that communicate with it.
    void collect_outside(const job_graph& job, std::uint32_t group_dc, task_places where) {
        outside_.clear();
        outside_.reserve(job.edges().size());  // at most one end of an edge is outside
        for (std::uint32_t task = 0; task < where.size(); ++task) {
            if (where[task] != group_dc) continue;
            for (const auto& neighbour : job.neighbours(task))
                if (where[neighbour.task] != group_dc) outside_.push_back(neighbour);
        }
    }

    const network& net_;
    std::vector<int> tasks_at_;                  // tasks of the job per data centre; all 0 between calls
    std::vector<std::uint32_t> used_dcs_;        // where it has, or had, tasks
    std::vector<std::uint32_t> group_dcs_;       // where the job has tasks: those of one data centre are a group
    std::vector<job_graph::neighbour> outside_;  // see `collect_outside`
};

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
