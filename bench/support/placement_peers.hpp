// Ways to place jobs that know no optimisation: what schedulers do, to compare with.
#ifndef BELLAMY_BENCH_SUPPORT_PLACEMENT_PEERS_HPP
#define BELLAMY_BENCH_SUPPORT_PLACEMENT_PEERS_HPP

#include <bellamy/placement/crawl.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace placement_bench {

namespace placement = bellamy::placement;

/// A plan of placements job by job; empty ones of jobs with tasks are unplaced. The bound is the pooled one of what is
/// placed.
[[nodiscard]] inline placement::plan plan_of(const placement::network& net, const std::vector<placement::job_graph>& jobs,
                                             std::vector<std::vector<std::uint32_t>> where) {
    placement::plan made;
    made.load.assign(net.load().begin(), net.load().end());
    double traffic = 0;
    std::uint64_t tasks = 0;
    for (std::uint32_t job = 0; job < jobs.size(); ++job) {
        if (where[job].empty() && jobs[job].tasks() > 0) {
            made.unplaced.push_back(job);
            continue;
        }
        tasks += jobs[job].tasks();
        for (const auto dc : where[job]) ++made.load[dc];
        for (const auto& edge : jobs[job].edges())
            traffic += edge.traffic * net.traffic_price(where[job][edge.a], where[job][edge.b]);
    }
    made.where = std::move(where);
    made.cost_rate = net.cost_rate(made.load) + traffic;
    made.added_rate = made.cost_rate - net.base_cost_rate();
    made.lower_bound = std::min(made.cost_rate, placement::pooled_bound(net, tasks));
    return made;
}

/// Tasks breadth first, each to the first allowed data centre of an order; goes back at most 4,000 times per job.
class first_fit {
public:
    /// By number or, with `by_price`, by the price of the next slot before any job.
    first_fit(const placement::network& net, bool by_price)
        : net_(net), load_(net.load().begin(), net.load().end()), rank_(net.size()) {
        std::vector<std::uint32_t> order(net.size());
        std::iota(order.begin(), order.end(), 0U);
        const auto price = [&](std::uint32_t dc) {
            return load_[dc] < net[dc].slots ? net.step(dc, load_[dc]) : std::numeric_limits<double>::infinity();
        };
        if (by_price)
            std::stable_sort(order.begin(), order.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return price(a) < price(b); });
        for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
        everywhere_ = order;
    }

    [[nodiscard]] placement::plan place(const std::vector<placement::job_graph>& jobs) {
        std::vector<std::vector<std::uint32_t>> where;
        for (const auto& job : jobs) {
            where.emplace_back(job.tasks());
            steps_back_ = 0;
            if (!descend(job, 0, where.back())) where.back().clear();
        }
        return plan_of(net_, jobs, std::move(where));
    }

private:
    [[nodiscard]] bool descend(const placement::job_graph& job, std::size_t depth, std::vector<std::uint32_t>& where) {
        if (depth == job.tasks()) return true;
        const auto task = job.order()[depth];
        const auto before = job.neighbours_before(task);
        std::vector<std::uint32_t> candidates(everywhere_);
        if (!before.empty()) {
            const auto near = net_.neighbours(where[before.front().task]);
            candidates.assign(near.begin(), near.end());
            std::sort(candidates.begin(), candidates.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
        }
        for (const auto dc : candidates) {
            if (load_[dc] >= net_[dc].slots) continue;
            if (!std::all_of(before.begin(), before.end(),
                             [&](const auto& each) { return net_.may_talk(where[each.task], dc); }))
                continue;
            where[task] = dc;
            ++load_[dc];
            if (descend(job, depth + 1, where)) return true;
            --load_[dc];
            if (++steps_back_ >= 4000) return false;
        }
        return false;
    }

    const placement::network& net_;
    std::vector<int> load_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint32_t> everywhere_;
    int steps_back_ = 0;
};

/// One walk per job (at most 40 tries) that prefers nothing.
[[nodiscard]] inline placement::plan random_walks(const placement::network& net,
                                                  const std::vector<placement::job_graph>& jobs, std::uint64_t seed) {
    placement::detail::present_load load(net);
    placement::detail::walker walker(net);
    bellamy::detail::random_generator random(seed);
    std::vector<std::vector<std::uint32_t>> where(jobs.size());
    for (std::size_t job = 0; job < jobs.size(); ++job)
        for (int tries = 0; tries < 40; ++tries) {
            if (!walker.walk(jobs[job], load, random, {.beta = 0, .starts = 1, .improves_starts = false})) continue;
            where[job].assign(walker.where().begin(), walker.where().end());
            for (const auto dc : where[job]) load.add(dc, 1);
            break;
        }
    return plan_of(net, jobs, std::move(where));
}

}  // namespace placement_bench

#endif
