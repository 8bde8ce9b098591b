// Searches for the cheapest cluster: the grid of one application and size, a limit, and what a rule found with its trials.
#ifndef BELLAMY_BENCH_CLUSTER_SEARCH_HPP
#define BELLAMY_BENCH_CLUSTER_SEARCH_HPP

#include "priced_grid.hpp"

#include <functional>
#include <numeric>
#include <optional>

namespace bench {

/// All configurations of one application at one size, and the limit.
struct cluster_search {
    std::string application{};
    std::string limit_name{};
    double limit_s = 0;
    std::vector<priced_run> runs{};

    [[nodiscard]] bool is_met(std::size_t i) const noexcept { return runs[i].ends_within(limit_s); }
    [[nodiscard]] double least_cost() const noexcept {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (is_met(i)) least = (std::min)(least, runs[i].cost());
        return least;
    }
};

/// What a rule proposes after some trials.
struct search_step {
    /// Empty where everything was tried.
    std::optional<std::size_t> next{};
    bool stops = false;
    /// What it would choose now, with the probability stated (1 where none is).
    std::optional<std::size_t> choice{};
    double stated = 1;
};

/// The best run within the limit so far.
[[nodiscard]] inline std::optional<std::size_t> best_of(const cluster_search& search, std::span<const std::size_t> tried) {
    std::optional<std::size_t> best;
    for (const std::size_t i : tried)
        if (search.is_met(i) && (!best || search.runs[i].cost() < search.runs[*best].cost())) best = i;
    return best;
}

/// The best run within the limit so far, else the fastest one.
[[nodiscard]] inline std::optional<std::size_t> best_effort(const cluster_search& search,
                                                            std::span<const std::size_t> tried) {
    auto best = best_of(search, tried);
    if (best) return best;
    for (const std::size_t i : tried)
        if (!best || search.runs[i].ended_after_s() < search.runs[*best].ended_after_s()) best = i;
    return best;
}

/// Gives the next step of a search after these trials, the first of which may have been given.
using search_rule = std::function<search_step(std::span<const std::size_t> tried)>;

/// The course of one search. Money is counted in runs of the cheapest configuration.
struct search_course {
    /// Cost of the best run over the cheapest, less 1, and the money spent, after each trial; infinite before a run met the
    /// limit.
    std::vector<double> regrets{};
    std::vector<double> spent{};
    /// At the stop.
    std::size_t trials = 0;
    bool kept = false;
    double stated = 1;
    /// A choice that misses the limit is not credited for being cheap.
    double regret = 0;

    /// One more than all where it was never reached.
    [[nodiscard]] std::size_t trials_until(double regret_wanted) const noexcept {
        std::size_t count = 0;
        while (count < regrets.size() && regrets[count] > regret_wanted) ++count;
        return count + 1;
    }
    [[nodiscard]] double spent_until(double regret_wanted) const noexcept {
        return spent[(std::min)(trials_until(regret_wanted), spent.size()) - 1];
    }
    /// The last regret for at most this money; infinite where nothing was found for it.
    [[nodiscard]] double regret_after(double money) const noexcept {
        double regret_so_far = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < spent.size() && spent[i] <= money; ++i) regret_so_far = regrets[i];
        return regret_so_far;
    }
    [[nodiscard]] double spent_at_stop() const noexcept { return trials == 0 ? 0 : spent[trials - 1]; }
};

/// Follows a rule to its end. The trial `first`, where given, is made before it is asked.
[[nodiscard]] inline search_course follow(const cluster_search& search, const search_rule& rule,
                                          std::optional<std::size_t> first) {
    const double least = search.least_cost();
    std::vector<std::size_t> tried;
    search_course course;
    double spent = 0;
    bool has_stopped = false;
    const auto stop = [&](const search_step& step) {
        has_stopped = true;
        course.trials = tried.size();
        if (!step.choice) return;
        course.kept = search.is_met(*step.choice);
        course.stated = step.stated;
        course.regret = (std::max)(search.runs[*step.choice].cost() / least - 1, 0.0);
    };
    while (true) {
        search_step step{.next = first};
        if (!first || !tried.empty()) step = rule(tried);
        if (!has_stopped && (step.stops || !step.next)) stop(step);
        const bool has_found = !course.regrets.empty() && course.regrets.back() <= 0;
        if (!step.next || (has_stopped && has_found)) return course;
        tried.push_back(*step.next);
        spent += search.runs[*step.next].cost() / least;
        const auto best = best_of(search, tried);
        course.regrets.push_back(best ? search.runs[*best].cost() / least - 1 : std::numeric_limits<double>::infinity());
        course.spent.push_back(spent);
    }
}

/// The searches of a grid's applications: each size with each limit.
[[nodiscard]] inline std::vector<cluster_search> searches_of(const tools::table& table) {
    const auto prices = read_node_prices(table);
    std::vector<cluster_search> searches;
    for (const auto& [application, runs] : read_grid(table)) {
        std::map<double, std::vector<priced_run>> by_size;
        for (const auto& run : runs)
            by_size[data_size_of(run.context)].push_back(
                {.run = run, .price_per_s = prices.at(machine_of(run.context)) * run.scale_out / 3600});
        for (const auto& [size, of_size] : by_size)
            for (std::size_t i = 0; i < all_grid_limits.size(); ++i)
                searches.push_back({.application = application,
                                    .limit_name = grid_limit_names[i],
                                    .limit_s = limit_of(all_grid_limits[i], of_size),
                                    .runs = of_size});
    }
    return searches;
}

}  // namespace bench

#endif
