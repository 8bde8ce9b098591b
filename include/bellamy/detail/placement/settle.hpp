// Improves the placement of one job: single tasks move, then all its tasks in one data centre together.
#ifndef BELLAMY_DETAIL_PLACEMENT_SETTLE_HPP
#define BELLAMY_DETAIL_PLACEMENT_SETTLE_HPP

#include <bellamy/detail/placement/room.hpp>
#include <bellamy/placement/job_graph.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Asks only data centres next to those of the job. Keeps its memory between calls.
class settler {
public:
    explicit settler(const network& net) : net_(net), count_(net.size(), 0) {}

    /// Added cost of a placement beside the load: data centres ascending, then traffic by edge.
    [[nodiscard]] double added_cost(const job_graph& job, std::span<const std::uint32_t> where, const present_load& load) {
        enter(where);
        const double sum = added_cost_of_entered(job, where, load);
        leave();
        return sum;
    }

    /// Whether the free slots suffice for a placement.
    [[nodiscard]] bool fits(std::span<const std::uint32_t> where, const present_load& load) {
        enter(where);
        bool enough = true;
        for (const auto dc : used_) enough = enough && load[dc] + count_[dc] <= net_[dc].slots;
        leave();
        return enough;
    }

    /// Moves tasks while that lowers the cost; returns the added cost. Precondition: the placement is valid beside the load.
    double settle(const job_graph& job, std::span<std::uint32_t> where, const present_load& load) {
        constexpr int most_sweeps = 3;
        enter(where);
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool changed = false;
            for (const auto task : job.order()) changed = move_task(job, task, where, load) || changed;
            changed = move_groups(job, where, load) || changed;
            if (!changed) break;
        }
        leave();
        enter(where);
        const double sum = added_cost_of_entered(job, where, load);
        leave();
        return sum;
    }

private:
    void enter(std::span<const std::uint32_t> where) {
        used_.clear();
        for (const auto dc : where)
            if (count_[dc]++ == 0) used_.push_back(dc);
        std::sort(used_.begin(), used_.end());
    }
    void leave() noexcept {
        for (const auto dc : used_) count_[dc] = 0;
    }
    [[nodiscard]] double added_cost_of_entered(const job_graph& job, std::span<const std::uint32_t> where,
                                               const present_load& load) const noexcept {
        double sum = 0;
        for (const auto dc : used_) sum += net_.cost(dc, load[dc] + count_[dc]) - net_.cost(dc, load[dc]);
        if (!net_.has_traffic_prices()) return sum;
        double traffic = 0;
        for (const auto& edge : job.edges()) traffic += edge.traffic * net_.traffic_price(where[edge.a], where[edge.b]);
        return sum + traffic;
    }

    void count(std::uint32_t dc, int tasks) {
        if (tasks > 0 && count_[dc] == 0 && std::find(used_.begin(), used_.end(), dc) == used_.end()) used_.push_back(dc);
        count_[dc] += tasks;
    }
    /// What the job pays for so many tasks on top of those it has there.
    [[nodiscard]] double cost_of_more(std::uint32_t dc, int tasks, const present_load& load) const noexcept {
        const int now = load[dc] + count_[dc];
        return net_.cost(dc, now + tasks) - net_.cost(dc, now);
    }
    [[nodiscard]] double traffic_of_task(const job_graph& job, std::uint32_t task, std::uint32_t dc,
                                         std::span<const std::uint32_t> where) const noexcept {
        double sum = 0;
        if (!net_.has_traffic_prices()) return sum;
        for (const auto& each : job.neighbours(task)) sum += each.traffic * net_.traffic_price(dc, where[each.task]);
        return sum;
    }

    [[nodiscard]] bool move_task(const job_graph& job, std::uint32_t task, std::span<std::uint32_t> where,
                                 const present_load& load) {
        const auto own = where[task];
        count(own, -1);
        const double saved = cost_of_more(own, 1, load) + traffic_of_task(job, task, own, where);
        const auto neighbour = job.neighbours(task);
        double least = saved - tolerance(saved);
        auto best = own;
        for (const auto dc : net_.neighbours(neighbour.empty() ? own : where[neighbour.front().task])) {
            if (dc == own || load[dc] + count_[dc] >= net_[dc].slots) continue;
            bool allowed = true;
            for (std::size_t i = 1; i < neighbour.size() && allowed; ++i)
                allowed = net_.may_talk(where[neighbour[i].task], dc);
            if (!allowed) continue;
            if (const double cost = cost_of_more(dc, 1, load) + traffic_of_task(job, task, dc, where); cost < least)
                least = cost, best = dc;
        }
        where[task] = best;
        count(best, 1);
        return best != own;
    }

    [[nodiscard]] bool move_groups(const job_graph& job, std::span<std::uint32_t> where, const present_load& load) {
        groups_.assign(where.begin(), where.end());
        std::sort(groups_.begin(), groups_.end());
        groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
        bool changed = false;
        for (const auto dc : groups_)
            if (count_[dc] > 1 || (count_[dc] == 1 && net_[dc].switch_on_kw > 0))
                changed = move_group(job, dc, where, load) || changed;
        return changed;
    }

    [[nodiscard]] bool move_group(const job_graph& job, std::uint32_t own, std::span<std::uint32_t> where,
                                  const present_load& load) {
        const int tasks = count_[own];
        count(own, -tasks);
        const double saved = cost_of_more(own, tasks, load) + traffic_of_group(job, own, own, where);
        double least = saved - tolerance(saved);
        auto best = own;
        for (const auto dc : net_.neighbours(own)) {
            if (dc == own || load[dc] + count_[dc] + tasks > net_[dc].slots || !group_may_go(job, own, dc, where)) continue;
            if (const double cost = cost_of_more(dc, tasks, load) + traffic_of_group(job, own, dc, where); cost < least)
                least = cost, best = dc;
        }
        for (auto& each : where)
            if (each == own) each = best;
        count(best, tasks);
        return best != own;
    }

    /// Edges that leave the group, as if it stood in `to`.
    [[nodiscard]] double traffic_of_group(const job_graph& job, std::uint32_t own, std::uint32_t to,
                                          std::span<const std::uint32_t> where) const noexcept {
        double sum = 0;
        if (!net_.has_traffic_prices()) return sum;
        for (std::uint32_t task = 0; task < where.size(); ++task) {
            if (where[task] != own) continue;
            for (const auto& each : job.neighbours(task))
                if (where[each.task] != own) sum += each.traffic * net_.traffic_price(to, where[each.task]);
        }
        return sum;
    }
    [[nodiscard]] bool group_may_go(const job_graph& job, std::uint32_t own, std::uint32_t to,
                                    std::span<const std::uint32_t> where) const noexcept {
        for (std::uint32_t task = 0; task < where.size(); ++task) {
            if (where[task] != own) continue;
            for (const auto& each : job.neighbours(task))
                if (where[each.task] != own && !net_.may_talk(to, where[each.task])) return false;
        }
        return true;
    }

    const network& net_;
    std::vector<int> count_;  // of the job, per data centre; all 0 between calls
    std::vector<std::uint32_t> used_;
    std::vector<std::uint32_t> groups_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
