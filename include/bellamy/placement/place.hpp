// One call for any size: picks the method by what can be listed and what the caller will wait, and says what it can prove.
#ifndef BELLAMY_PLACEMENT_PLACE_HPP
#define BELLAMY_PLACEMENT_PLACE_HPP

#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/small.hpp>

namespace bellamy::inline BELLAMY_ABI::placement {

/// How a plan was found.
enum class method : std::uint8_t {
    exact = 0,         // the optimum
    local_search = 1,  // over all strategies, listed
    crawlers = 2,
};

[[nodiscard]] constexpr std::string_view to_string(method how) noexcept {
    constexpr std::array<std::string_view, 3> names{"exact", "local search", "crawlers"};
    return names[static_cast<std::size_t>(how)];
}

struct place_options {
    std::uint64_t seed = 1;
    /// About how long it may take. Nothing looks at a clock, so that the same call gives the same plan everywhere: methods
    /// are picked by steps counted beforehand, at what a step takes on a core of 3 GHz.
    double budget_s = 1;
};

struct placed {
    placement::plan plan;
    placement::method how = method::crawlers;
};

/// Places all jobs for the least cost rate. Small networks exactly or by local search over all strategies, larger ones by
/// crawlers; the better plan where both are quick. The lower bound holds for every plan of the jobs placed.
/// Error: invalid_option for a budget that is not positive and finite.
[[nodiscard]] result<placed> place(const network& net, std::span<const job_graph> jobs, const place_options& options = {});

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

inline result<placed> place(const network& net, std::span<const job_graph> jobs, const place_options& options) {
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

}  // namespace bellamy::inline BELLAMY_ABI::placement

#endif
