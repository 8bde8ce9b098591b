// Definitions of what place.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_PLACE_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_PLACE_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/small_impl.hpp>
#include <bellamy/detail/placement/strategies_impl.hpp>
#include <bellamy/placement/place.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// Walks over all jobs that fit into a time, at 0.6 microseconds per task and neighbour of a data centre, and their
/// improvement.
[[nodiscard]] inline crawl_options crawl_within(const network& net, std::span<const job_graph> jobs,
                                                const place_options& options) {
    double neighbours = 0;
    for (std::size_t i = 0; i < net.size(); ++i) neighbours += static_cast<double>(net.neighbours(i).size());
    neighbours /= (std::max)(1.0, static_cast<double>(net.size()));
    double tasks = 0;
    for (const auto& job : jobs) tasks += job.tasks();
    const double walk_s = 6e-7 * tasks * (std::max)(1.0, neighbours);
    const double walks = options.budget_s / (std::max)(walk_s, 1e-12);
    // Measured in walks of all jobs, settled, with room for switch-ons: 5, 2, 0 takes 12, and a round 15 more.
    if (walks >= 200) return {.seed = options.seed, .walks = 5, .passes = 2, .rounds = 10};
    if (walks >= 70) return {.seed = options.seed, .walks = 5, .passes = 2, .rounds = 2};
    if (walks >= 20) return {.seed = options.seed, .walks = 5, .passes = 2, .rounds = 0};
    if (walks >= 8) return {.seed = options.seed, .walks = 3, .passes = 1, .rounds = 0};
    return {.seed = options.seed, .walks = 1, .passes = 0, .rounds = 0};
}

/// All strategies, where few enough: at most as many steps and strategies as the budget holds.
[[nodiscard]] inline result<problem> list_within(const network& net, std::span<const job_graph> jobs, double budget_s) {
    const double steps = (std::min)(budget_s * 2e7, 1e8);
    strategy_limits limits{.strategies = 3000, .steps = static_cast<std::uint64_t>(steps) + 1};
    // A list of ten or more data centres rarely ends below the limit: not even begun.
    if (net.size() > 64)
        return bellamy::detail::fail(errc::too_many_strategies, "expected at most 64 data centres, found ", net.size());
    return enumerate_all(net, jobs, limits);
}

[[nodiscard]] inline bool better_plan(const plan& one, const plan& other) noexcept {
    if (one.unplaced.size() != other.unplaced.size()) return one.unplaced.size() < other.unplaced.size();
    return better(one.cost_rate, other.cost_rate);
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<placed> place(const network& net, std::span<const job_graph> jobs,
                                           const place_options& options) {
    if (!(options.budget_s > 0 && options.budget_s <= 1e9))
        return bellamy::detail::fail(errc::invalid_option, "expected a budget > 0 and <= 1e9 seconds, found ",
                                     options.budget_s);
    auto crawled = crawl(net, jobs, detail::crawl_within(net, jobs, options));
    if (!crawled) return crawled.error();
    placed found{.plan = *std::move(crawled), .how = method::crawlers};

    const auto subject = detail::list_within(net, jobs, options.budget_s / 10);
    // Pairs of jobs are what local search spends its time on: about a microsecond for each pair and strategy.
    if (!subject || static_cast<double>(jobs.size() * jobs.size()) * 1e-4 > options.budget_s) return found;
    auto [chosen, prices] = detail::best_of_three(*subject);
    plan listed = detail::with_bound(*subject, chosen, prices);
    const bool proved = listed.unplaced.empty() && listed.gap() <= 1e-9;
    if (!proved && net.size() <= 6 && jobs.size() <= 8 && options.budget_s >= 0.5) {
        if (const auto best = detail::exact_search(*subject, chosen, 200'000).best()) {
            plan exact = best->as_plan();
            exact.lower_bound = exact.cost_rate;
            return placed{.plan = std::move(exact), .how = method::exact};
        }
    }
    if (!detail::better_plan(found.plan, listed))
        found = {.plan = std::move(listed), .how = proved ? method::exact : method::local_search};
    else if (found.plan.unplaced == listed.unplaced)
        found.plan.lower_bound = (std::max)(found.plan.lower_bound, (std::min)(listed.lower_bound, found.plan.cost_rate));
    return found;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
