#include "task_bounds.hpp"

#include <bellamy/replay.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mixed_curve.hpp"
#include "next_size.hpp"

namespace tools {

namespace {

// Of a unit of scale-out of a run; 0 where not known.
[[nodiscard]] std::int64_t cores_per_unit(const application_history& of, std::size_t place) {
    const bool counts_executors = of.runs[place].context.unit == bellamy::scale_out_unit::executor;
    return counts_executors ? of.facts[place].size.executor_cores : 1;
}

// Of the runs that succeeded and are like the next in all but their data size, the last five of which this is known.
template <class Known>
[[nodiscard]] std::vector<std::size_t> latest_like(const bellamy::context& next, const application_history& of,
                                                   const Known& is_known) {
    constexpr std::size_t most = 5;
    std::vector<std::size_t> latest;
    for (auto i = of.runs.size(); i-- > 0 && latest.size() < most;)
        if (!of.runs[i].censored && is_known(of.facts[i]) && are_alike_but_for_size(of.runs[i].context, next))
            latest.push_back(i);
    return latest;
}

// A distribution at one scale-out, carried to others.
struct scaled_source {
    bellamy::prediction at_source{};
    task_bounds bounds{};
    double per_doubling = 0;

    [[nodiscard]] bellamy::prediction operator()(int scale_out) const noexcept {
        auto made = at_source;
        const double change_s = bounds.at(scale_out) - bounds.at(bounds.scale_out);
        const double log_factor = std::log(std::max(0.01, 1 + change_s / bounds.runtime_s));
        const double distance = std::abs(std::log2(static_cast<double>(scale_out) / bounds.scale_out));
        const double middle = at_source.log_quantiles[at_source.log_quantiles.size() / 2];
        for (std::size_t q = 0; q < made.log_quantiles.size(); ++q) {
            const double deviation = at_source.log_quantiles[q] - middle;
            const double added = bellamy::detail::standard_normal_quantiles[q] * per_doubling * distance;
            made.log_quantiles[q] = middle + log_factor + std::copysign(std::hypot(deviation, added), deviation + added);
        }
        made.median_s = std::exp(made.log_quantiles[made.log_quantiles.size() / 2]);
        return made;
    }
};

}  // namespace

double task_bounds::at(int units) const noexcept {
    const double cores = std::min(units * cores_per_unit, most_cores);
    return std::max(longest_task_s, task_core_s / cores);
}

std::optional<task_bounds> task_bounds_of(const application_history& of, const bellamy::context& next) {
    const auto place = of.last_complete();
    const auto& run = of.runs[place];
    const auto& facts = of.facts[place];
    const auto cores = cores_per_unit(of, place);
    const bool is_average = std::find(facts.flags.begin(), facts.flags.end(), "rescaled") != facts.flags.end();
    if (run.censored || is_average || !are_alike_but_for_size(run.context, next) || cores < 1 ||
        !(facts.longest_task_s > 0) || !(facts.task_core_s > 0) || facts.largest_stage_tasks < 1)
        return std::nullopt;
    return task_bounds{.scale_out = run.scale_out,
                       .runtime_s = run.runtime_s,
                       .longest_task_s = std::min(facts.longest_task_s, run.runtime_s),
                       .task_core_s = facts.task_core_s,
                       .cores_per_unit = static_cast<double>(cores),
                       .most_cores = static_cast<double>(facts.largest_stage_tasks)};
}

double least_longest_task_s(const application_history& of, const bellamy::context& next) {
    double least_s = std::numeric_limits<double>::infinity();
    const auto known = latest_like(next, of, [](const run_facts& run) { return run.longest_task_s > 0; });
    for (const auto i : known) least_s = std::min(least_s, of.facts[i].longest_task_s);
    return known.empty() ? 0 : least_s;
}

bellamy::curve scaled_by_tasks(const bellamy::curve& runtimes, const task_bounds& bounds) {
    const auto at_source = runtimes.at(bounds.scale_out);
    if (!at_source.usable() || at_source.is_point) return runtimes;
    const scaled_source made{.at_source = at_source, .bounds = bounds, .per_doubling = bellamy::replay_error{}.per_doubling};
    return bellamy::curve(made, {.smallest = bounds.scale_out, .largest = bounds.scale_out}, runtimes.observed_runs());
}

int last_gain_by_tasks(const application_history& of, const bellamy::context& next, std::optional<double> next_mb) {
    const auto known = latest_like(next, of, [](const run_facts& run) { return run.largest_stage_tasks > 0; });
    std::int64_t last_gain = 0;
    double most_mb = 0;
    for (const auto i : known) {
        const auto cores = cores_per_unit(of, i);
        if (cores < 1) return bellamy::largest_scale_out;
        last_gain = std::max(last_gain, (of.facts[i].largest_stage_tasks - 1) / cores + 1);
        most_mb = std::max(most_mb, data_size(of.runs[i]).value_or(0));
    }
    if (known.empty() || next_mb.value_or(0) > 1.1 * most_mb) return bellamy::largest_scale_out;
    for (const auto& run : of.runs)
        if (!run.censored) last_gain = std::max<std::int64_t>(last_gain, run.scale_out);
    return static_cast<int>(std::min<std::int64_t>(last_gain, bellamy::largest_scale_out));
}

bellamy::curve not_below(const bellamy::curve& runtimes, double shortest_s, int last_gain) {
    const possible_runtime whole{.runtimes = &runtimes, .least_s = shortest_s, .last_gain = last_gain};
    return mixed_curve({&whole, 1});
}

}  // namespace tools
