// Definitions of what small.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_SMALL_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_SMALL_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/placement/bounds_impl.hpp>
#include <bellamy/detail/placement/exact.hpp>
#include <bellamy/detail/placement/relaxation.hpp>
#include <bellamy/detail/placement/rounding.hpp>
#include <bellamy/placement/small.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

[[nodiscard]] inline std::vector<std::size_t> jobs_per_type(const problem& subject) {
    std::vector<std::size_t> counts;
    for (const auto& type : subject.types) counts.push_back(type.size() == 0 ? 0 : type.jobs.size());
    return counts;
}

[[nodiscard]] inline std::vector<std::size_t> placed_per_type(const problem& subject, const assignment& chosen) {
    std::vector<std::size_t> counts(subject.types.size(), 0);
    for (std::size_t job = 0; job < subject.jobs(); ++job)
        if (chosen.choice()[job] != none) ++counts[subject.type_of_job[job]];
    return counts;
}

/// Best value of the dual that ascents reach: from the slopes at the present load and, where given, from the prices of the
/// relaxation. Those are near the top, but slopes jump at full data centres, which can stop an ascent close to them.
[[nodiscard]] inline double dual_bound(const problem& subject, const std::vector<std::size_t>& jobs_of_type, double upper,
                                       std::span<const double> relaxation_prices = {}) {
    dual_ascent from_present(subject, jobs_of_type, upper);
    from_present.run();
    const double bound = from_present.best();
    if (relaxation_prices.empty() || upper - bound <= tolerance(upper)) return bound;
    dual_ascent from_relaxation(subject, jobs_of_type, upper, {relaxation_prices.begin(), relaxation_prices.end()});
    from_relaxation.run();
    return (std::max)(bound, from_relaxation.best());
}

/// The best bound that can be proved for plans that place the same jobs, never above the cost.
[[nodiscard]] inline double lower_bound(const problem& subject, const assignment& chosen,
                                        std::span<const double> relaxation_prices) {
    const auto placed = placed_per_type(subject, chosen);
    const double cost = chosen.cost();
    std::uint64_t tasks = 0;
    for (std::size_t type = 0; type < placed.size(); ++type) tasks += placed[type] * subject.types[type].list.tasks();
    double bound = pooled_bound(subject.net, tasks);
    if (cost - bound > tolerance(cost)) bound = (std::max)(bound, dual_bound(subject, placed, cost, relaxation_prices));
    return (std::min)(bound, cost);
}

/// A plan and prices of slots from the relaxation that it started from.
struct priced_assignment {
    assignment chosen;
    std::vector<double> prices;
};

[[nodiscard]] inline priced_assignment best_of_three(const problem& subject) {
    auto best = greedy(subject, given_order(subject));
    local_search(subject, best).run(true);
    const auto consider = [&](assignment other) {
        local_search(subject, other).run(true);
        if (other.better_than(best)) best = std::move(other);
    };
    consider(greedy(subject, largest_first(subject)));
    const auto counts = jobs_per_type(subject);
    relaxation_solver solver(subject, counts);
    // Shares that overfill a data centre are a start, too.
    static_cast<void>(solver.run());
    consider(rounded(subject, solver.shares()));
    const auto prices = solver.prices();
    return {.chosen = std::move(best), .prices = {prices.begin(), prices.end()}};
}

[[nodiscard]] inline plan with_bound(const problem& subject, const assignment& chosen,
                                     std::span<const double> relaxation_prices = {}) {
    plan made = chosen.as_plan();
    made.lower_bound = lower_bound(subject, chosen, relaxation_prices);
    return made;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<relaxation> relax(const network& net, std::span<const job_graph> jobs,
                                               const strategy_limits& limits) {
    const auto subject = detail::enumerate_all(net, jobs, limits);
    if (!subject) return subject.error();
    const auto counts = detail::jobs_per_type(*subject);
    detail::relaxation_solver solver(*subject, counts);
    relaxation found{.value = 0, .lower_bound = 0, .load = {}, .feasible = solver.run()};
    found.value = solver.value();
    found.lower_bound = solver.dual();
    found.load = solver.load();
    return found;
}

BELLAMY_PUBLIC_INLINE result<plan> place_greedily(const network& net, std::span<const job_graph> jobs,
                                                  const strategy_limits& limits) {
    const auto subject = detail::enumerate_all(net, jobs, limits);
    if (!subject) return subject.error();
    return detail::with_bound(*subject, detail::greedy(*subject, detail::given_order(*subject)));
}

BELLAMY_PUBLIC_INLINE result<plan> place_small(const network& net, std::span<const job_graph> jobs,
                                               const strategy_limits& limits) {
    const auto subject = detail::enumerate_all(net, jobs, limits);
    if (!subject) return subject.error();
    const auto found = detail::best_of_three(*subject);
    return detail::with_bound(*subject, found.chosen, found.prices);
}

BELLAMY_PUBLIC_INLINE result<plan> place_exactly(const network& net, std::span<const job_graph> jobs,
                                                 std::size_t most_states, const strategy_limits& limits) {
    const auto subject = detail::enumerate_all(net, jobs, limits);
    if (!subject) return subject.error();
    auto incumbent = detail::greedy(*subject, detail::given_order(*subject));
    detail::local_search(*subject, incumbent).run(true);
    const auto best = detail::exact_search(*subject, incumbent, most_states).best();
    if (!best) return best.error();
    plan made = best->as_plan();
    made.lower_bound = made.cost_rate;
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
