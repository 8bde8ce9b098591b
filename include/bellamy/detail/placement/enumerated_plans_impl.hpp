// Definitions of enumerated_plans.hpp: exact dynamic programming, the best of three local searches, and their lower bounds.
#ifndef BELLAMY_DETAIL_PLACEMENT_ENUMERATED_PLANS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_ENUMERATED_PLANS_IMPL_HPP

#include <bellamy/detail/placement/problem.hpp>
#include <bellamy/detail/placement/relaxation.hpp>
#include <bellamy/detail/placement/strategies_impl.hpp>
#include <bellamy/placement/enumerated_plans.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// Exact plan by dynamic programming over loads, job by job, pruned by lower bounds (branch and bound).
class exact_search {
public:
    exact_search(const problem& instance, const assignment& incumbent, size_t most_states)
        : problem_(instance),
          incumbent_(incumbent),
          most_states_(most_states),
          most_unplaced_(incumbent.unplaced()),
          upper_(incumbent.cost()) {
        order_ = given_order(instance);
        // Most strategies first; ties by job, so that every sort gives the same order.
        sort_stably(order_, [&](size_t x, size_t y) { return instance.type_of(x).size() > instance.type_of(y).size(); });
    }

    result<plan> best() {
        layers_.emplace_back().add(problem_.net.load(), {});
        for (size_t depth = 0; depth < order_.size(); ++depth)
            if (!expand(depth))
                return fail(errc::search_too_large, "expected at most ", most_states_,
                            " loads to be searched, found more at job ", order_[depth]);
        plan optimum = trace_back().as_plan();
        optimum.lower_bound = optimum.cost_rate;
        return optimum;
    }

private:
    /// The best partial assignment with a load: fewest unplaced jobs, then least traffic.
    struct label {
        size_t unplaced = 0;
        double traffic = 0;
        size_t parent = none;
        size_t strategy = none;
    };

    /// Labels after a number of jobs, by load.
    class layer {
    public:
        size_t size() const noexcept { return labels_.size(); }
        const label& operator[](size_t i) const noexcept { return labels_[i]; }
        std::span<const int> load(size_t i) const noexcept { return std::span(loads_).subspan(i * width_, width_); }
        void add(std::span<const int> load, const label& candidate) {
            width_ = load.size();
            auto& index = index_.entry(load, size(), [&](size_t i) { return this->load(i); });
            if (index == none) {
                index = size();
                labels_.push_back(candidate);
                append(loads_, load);
                return;
            }
            auto& label = labels_[index];
            if (better_plan(candidate.unplaced, candidate.traffic, label.unplaced, label.traffic)) label = candidate;
        }
        /// Frees the loads: tracing back needs the labels alone.
        void release_loads() noexcept {
            loads_ = {};
            index_ = {};
        }

    private:
        std::vector<label> labels_;
        std::vector<int> loads_;
        hash_index index_;
        size_t width_ = 0;
    };

    /// Assigns the job at this depth in every way; false beyond the limit of states.
    bool expand(size_t depth) {
        auto& after = layers_.emplace_back();
        auto& before = layers_[depth];
        const auto& type = problem_.type_of(order_[depth]);
        std::vector<double> slopes(problem_.net.size());
        std::vector<int> load;
        for (size_t i = 0; i < before.size(); ++i) {
            const auto& partial = before[i];
            load.assign(before.load(i).begin(), before.load(i).end());
            const double rest_bound = lower_bound_of_rest(depth + 1, load, slopes);
            if (!promising(partial, rest_bound + type.cheapest_at(slopes).cost, load)) continue;
            for (size_t k = 0; k < type.size(); ++k) {
                const auto counts = type.list.counts(k);
                if (!fits(problem_.net, counts, load)) continue;
                add_counts(counts, 1, load);
                const label next{.unplaced = partial.unplaced,
                                 .traffic = partial.traffic + type.list.traffic(k),
                                 .parent = i,
                                 .strategy = k};
                if (promising(next, rest_bound, load)) after.add(load, next);
                add_counts(counts, -1, load);
            }
            if (partial.unplaced < most_unplaced_)
                after.add(load, {.unplaced = partial.unplaced + 1, .traffic = partial.traffic, .parent = i});
            if (states_ + after.size() > most_states_) return false;
        }
        states_ += after.size();
        before.release_loads();
        return true;
    }

    /// Lower bound of the added cost of the jobs from `depth` on: at the marginal convex costs, which only grow with the
    /// load.
    double lower_bound_of_rest(size_t depth, std::span<const int> load, std::vector<double>& slopes) const {
        for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = problem_.net.convex_slope(i, load[i]);
        std::vector<double> type_bounds(problem_.types.size(), infinite);
        double sum = 0;
        for (size_t i = depth; i < order_.size(); ++i) {
            const size_t type = problem_.type_of_job[order_[i]];
            if (std::isinf(type_bounds[type])) type_bounds[type] = problem_.types[type].cheapest_at(slopes).cost;
            sum += type_bounds[type];
        }
        return sum;
    }
    /// Whether the lower bound of a partial assignment is not above the cost of the incumbent.
    bool promising(const label& partial, double rest_bound, std::span<const int> load) const noexcept {
        if (partial.unplaced != most_unplaced_) return partial.unplaced < most_unplaced_;
        double sum = partial.traffic + rest_bound;
        for (size_t i = 0; i < load.size(); ++i) sum += problem_.net.convex_cost_at(i, load[i]);
        return sum <= upper_ + tolerance(upper_);
    }
    assignment trace_back() const {
        const auto& last = layers_.back();
        size_t best = none;
        double least = infinite;
        for (size_t i = 0; i < last.size(); ++i) {
            const double cost = problem_.net.cost_rate(last.load(i)) + last[i].traffic;
            if (best == none || better_plan(last[i].unplaced, cost, last[best].unplaced, least)) best = i, least = cost;
        }
        if (best == none) return incumbent_;
        assignment optimum(problem_);
        for (size_t depth = order_.size(); depth > 0; --depth) {
            const auto& partial = layers_[depth][best];
            if (partial.strategy != none) optimum.put(order_[depth - 1], partial.strategy);
            best = partial.parent;
        }
        return optimum.better_than(incumbent_) ? optimum : incumbent_;
    }

    const problem& problem_;
    const assignment& incumbent_;
    size_t most_states_;
    size_t most_unplaced_;
    double upper_;
    std::vector<size_t> order_;
    std::vector<layer> layers_;
    size_t states_ = 0;
};

/// Of each type the jobs that can be placed: none where it has no strategy.
inline std::vector<size_t> jobs_per_type(const problem& instance) {
    std::vector<size_t> counts;
    for (const auto& type : instance.types) counts.push_back(type.size() == 0 ? 0 : type.jobs.size());
    return counts;
}

/// Of each type the jobs that a solution places; its lower bound is that of plans that place as many.
inline std::vector<size_t> placed_per_type(const problem& instance, const assignment& solution) {
    std::vector<size_t> counts(instance.types.size(), 0);
    for (size_t job = 0; job < instance.jobs(); ++job)
        if (solution.choice()[job] != none) ++counts[instance.type_of_job[job]];
    return counts;
}

inline std::uint64_t tasks_of(const problem& instance, std::span<const size_t> jobs_of_type) noexcept {
    std::uint64_t tasks = 0;
    for (size_t type = 0; type < jobs_of_type.size(); ++type)
        tasks += jobs_of_type[type] * instance.types[type].list.tasks();
    return tasks;
}

/// Best value of the dual that two ascents reach: from the marginal costs at the present load and, where given, from the
/// prices of the relaxation. The latter start near the maximum, but marginal costs jump at full data centres, which can
/// stop an ascent nearby.
inline double dual_bound(const problem& instance, const std::vector<size_t>& jobs_of_type, double upper,
                         std::span<const double> relaxation_prices = {}) {
    dual_ascent from_present(instance, jobs_of_type, upper);
    from_present.run();
    const double bound = from_present.best();
    if (relaxation_prices.empty() || upper - bound <= tolerance(upper)) return bound;
    dual_ascent from_relaxation(instance, jobs_of_type, upper, {relaxation_prices.begin(), relaxation_prices.end()});
    from_relaxation.run();
    return (std::max)(bound, from_relaxation.best());
}

/// The best lower bound for plans that place the same jobs, at most the cost.
inline double lower_bound(const problem& instance, const assignment& solution, std::span<const double> relaxation_prices) {
    const auto placed = placed_per_type(instance, solution);
    const double cost = solution.cost();
    double bound = pooled_bound(instance.net, tasks_of(instance, placed));
    if (cost - bound > tolerance(cost)) bound = (std::max)(bound, dual_bound(instance, placed, cost, relaxation_prices));
    return (std::min)(bound, cost);
}

/// An assignment, and the slot prices of the relaxation.
struct priced_assignment {
    assignment solution;
    std::vector<double> prices;
};

/// Local search from three starts: greedy in the given order, greedy from the largest job, rounded from the relaxation.
inline priced_assignment best_of_three(const problem& instance) {
    assignment best(instance);
    const auto consider = [&](assignment start) {
        assignment_search(instance, start).run(/*with_pairs=*/true);
        if (start.better_than(best)) best = std::move(start);
    };
    consider(greedy(instance, given_order(instance)));
    consider(greedy(instance, largest_first(instance)));
    const auto counts = jobs_per_type(instance);
    relaxation_solver solver(instance, counts);
    // An infeasible relaxation is a start, too.
    static_cast<void>(solver.run());
    consider(rounded(instance, solver.fractions()));
    const auto prices = solver.prices();
    return {.solution = std::move(best), .prices = {prices.begin(), prices.end()}};
}

inline plan with_bound(const problem& instance, const assignment& solution, std::span<const double> relaxation_prices = {}) {
    plan bounded = solution.as_plan();
    bounded.lower_bound = lower_bound(instance, solution, relaxation_prices);
    return bounded;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<plan> place_greedily(const network& net, std::span<const job_graph> jobs,
                                                  const strategy_limits& limits) {
    const auto instance = detail::enumerate_all(net, jobs, limits);
    if (!instance) return instance.error();
    return detail::with_bound(*instance, detail::greedy(*instance, detail::given_order(*instance)));
}

BELLAMY_PUBLIC_INLINE result<plan> place_by_local_search(const network& net, std::span<const job_graph> jobs,
                                                         const strategy_limits& limits) {
    const auto instance = detail::enumerate_all(net, jobs, limits);
    if (!instance) return instance.error();
    const auto best = detail::best_of_three(*instance);
    return detail::with_bound(*instance, best.solution, best.prices);
}

BELLAMY_PUBLIC_INLINE result<plan> place_exactly(const network& net, std::span<const job_graph> jobs, size_t most_states,
                                                 const strategy_limits& limits) {
    const auto instance = detail::enumerate_all(net, jobs, limits);
    if (!instance) return instance.error();
    auto incumbent = detail::greedy(*instance, detail::given_order(*instance));
    detail::assignment_search(*instance, incumbent).run(/*with_pairs=*/true);
    return detail::exact_search(*instance, incumbent, most_states).best();
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
